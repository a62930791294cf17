"""Tests a question may put to rows: cells it names, amounts it compares with, rows before and after a named one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from averment.reading.rows.cell_links import CellLink, LinkedQuestion
from averment.reading.rows.program import RowTest, TestKind
from averment.reading.rows.row_words import FEWER, MORE, NEXTS, NOTS, OTHERS, PREVIOUS

MOST_SETS = 44
_MOST_TESTS = 16
Tests = tuple[RowTest, ...]


def single_tests(asked: LinkedQuestion) -> list[RowTest]:
    """Each test by itself, the strongest first."""
    found = [
        RowTest("in", link.column, link.rows, (link,), link.view, places=frozenset(link.span)) for link in asked.cells
    ]
    found = found[:_MOST_TESTS]
    return [
        *found,
        *_unions(asked, found),
        *_comparisons(asked),
        *_against(asked, found),
        *_blanks(asked),
        *_ages(asked),
        *_tops(asked),
    ]


def _against(asked: LinkedQuestion, single: list[RowTest]) -> Iterator[RowTest]:
    """ "more wins than werder bremen": the rows whose number is beyond that of a named one."""
    if "than" not in asked.said:
        return
    than = asked.words.index("than")
    before = asked.words[max(0, than - 4) : than]
    kinds: tuple[TestKind, ...] = (">",) if MORE & set(before) else ("<",) if FEWER & set(before) else (">", "<")
    for anchor in single:
        link = anchor.links[0]
        if len(anchor.rows) != 1 or link.kind in {"kin", "number"} or not than < link.first <= than + 6:
            continue
        row = next(iter(anchor.rows))
        for column in asked.grid.columns:
            score, named = asked.columns[column.place]
            for view in column.views[:1]:
                known = column.numbers(view)
                bound = known[row]
                if bound is None or column.place == anchor.column:
                    continue
                near = frozenset(named) if score >= 0.5 else frozenset[int]()
                for kind in kinds:
                    rows = frozenset(r for r, n in enumerate(known) if n is not None and _holds(n, kind, bound))
                    if rows:
                        places = anchor.places | near | {than}
                        yield RowTest(kind, column.place, rows, (link,), view, (bound,), places)


def _blanks(asked: LinkedQuestion) -> Iterator[RowTest]:
    """ "with no producer": the rows that say nothing, or something, in a named column."""
    for column in asked.grid.columns:
        score, named = asked.columns[column.place]
        rows = frozenset(row for row, cell in enumerate(column.cells) if cell.is_empty)
        if score < 0.5 or not rows or len(rows) == asked.grid.size or column.part is not None:
            continue
        if NOTS & asked.said:
            said = {place for place, word in enumerate(asked.words) if word in NOTS}
            yield RowTest("blank", column.place, rows, (), places=frozenset(named | said))
        yield RowTest("filled", column.place, frozenset(range(asked.grid.size)) - rows, (), places=named)


def _unions(asked: LinkedQuestion, single: list[RowTest]) -> Iterator[RowTest]:
    """Two cells of one column named beside each other with "or" or "and"."""
    if not {"or", "and", "both", "between"} & asked.said:
        return
    for one, two in combinations(single, 2):
        left, right = sorted((one.links[0], two.links[0]), key=lambda link: link.first)
        if one.column != two.column or left.last > right.first or left.rows == right.rows:
            continue
        between = asked.words[left.last : right.first]
        if len(between) <= 6 and {"or", "and"} & set(between):
            view = left.view if left.view == right.view else None
            if left.view is not None and view is None:
                continue
            places = frozenset((*left.span, *right.span))
            yield RowTest("in", one.column, left.rows | right.rows, (left, right), view, places=places)
    yield from _lists(asked, single)


def _lists(asked: LinkedQuestion, single: list[RowTest]) -> Iterator[RowTest]:
    """Three and more cells of one column, as in a list."""
    for column in asked.grid.columns:
        links: list[CellLink] = []
        for test in single:
            link = test.links[0]
            named = test.column == column.place and link.kind in {"exact", "core"} and link.view is None
            if named and not any(link.overlaps(other) for other in links):
                links.append(link)
        if len(links) > 2:
            rows = frozenset[int]().union(*(link.rows for link in links))
            places = frozenset(place for link in links for place in link.span)
            yield RowTest("in", column.place, rows, tuple(links), places=places)


def _comparisons(asked: LinkedQuestion) -> Iterator[RowTest]:
    for number, place, ordinal in asked.amounts:
        kind = _compared(asked, place, ordinal)
        if kind is None:
            continue
        for column in asked.grid.columns:
            score, named = asked.columns[column.place]
            for view in (*column.views, *column.pairs):
                if view == "second" or (view == "value" and column.data_type in {"date", "datetime"}):
                    continue
                known = column.numbers(view)
                rows = frozenset(
                    row for row, value in enumerate(known) if value is not None and _holds(value, kind, number)
                )
                if rows and len(rows) < asked.grid.size:
                    near = {p for p in named if abs(p - place) <= 5} if score >= 0.5 else set[int]()
                    places = frozenset({place, *near, *_comparing(asked, place)})
                    yield RowTest(kind, column.place, rows, (), view, (number,), places)
    yield from _ranges(asked)


def _ranges(asked: LinkedQuestion) -> Iterator[RowTest]:
    """ "between 1990 and 1995", "from 1990 to 1995"."""
    amounts = asked.amounts
    for (low, first, _), (high, second, _) in pairwise(amounts):
        if second - first != 2 or asked.words[first + 1] not in {"and", "to", "through", "until"} or low >= high:
            continue
        if first == 0 or asked.words[first - 1] not in {"between", "from", "years", "during", "in"}:
            continue
        for column in asked.grid.columns:
            for view in column.views[:2]:
                if view == "value" and column.data_type in {"date", "datetime"}:
                    continue
                known = column.numbers(view)
                rows = frozenset(row for row, value in enumerate(known) if value is not None and low <= value <= high)
                if rows:
                    places = frozenset(range(first - 1, second + 1))
                    yield RowTest("between", column.place, rows, (), view, (low, high), places)
                    break


def _ages(asked: LinkedQuestion) -> Iterator[RowTest]:
    """ "in the 1990s", "of the 20th century": the years of a decade or a century."""
    for place, word in enumerate(asked.words):
        if len(word) == 5 and word.endswith("0s") and word[:4].isdigit():
            low, length = float(word[:4]), 100 if word[2:4] == "00" else 10
        elif word == "century" and place and asked.stems[place - 1].isdigit():
            low, length = 100.0 * (int(asked.stems[place - 1]) - 1), 100
        else:
            continue
        for column in asked.grid.columns:
            view = "year" if "year" in column.views else column.views[0] if column.views else None
            if view is None or not column.is_time:
                continue
            known = column.numbers(view)
            rows = frozenset(r for r, n in enumerate(known) if n is not None and low <= n < low + length)
            if rows:
                places = frozenset({place, place - 1} if word == "century" else {place})
                yield RowTest("between", column.place, rows, (), view, (low, low + length - 1), places)


def _tops(asked: LinkedQuestion) -> Iterator[RowTest]:
    """ "in the top 3": the best places of a column of ranks."""
    for number, place, _ in asked.amounts:
        if place == 0 or asked.words[place - 1] != "top":
            continue
        for column in asked.grid.columns:
            if column.views and column.stems & {"rank", "pos", "position", "place", "no", "finish", "ranking"}:
                known = column.numbers(column.views[0])
                rows = frozenset(r for r, n in enumerate(known) if n is not None and n <= number)
                if rows:
                    places = frozenset({place - 1, place})
                    yield RowTest("<=", column.place, rows, (), column.views[0], (number,), places)


def _comparing(asked: LinkedQuestion, place: int) -> set[int]:
    window = range(max(0, place - 3), min(len(asked.words), place + 3))
    return {p for p in window if asked.words[p] in MORE | FEWER | {"than", "at"}}


_TURNED: dict[TestKind, TestKind] = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}


def _compared(asked: LinkedQuestion, place: int, ordinal: bool) -> TestKind | None:
    """How a number is compared: turned where the comparison is denied; better places have smaller numbers."""
    kind = _worded(asked, place, ordinal)
    if kind is not None and NOTS & set(asked.words[max(0, place - 7) : place]):
        return _TURNED[kind]
    return kind


def _worded(asked: LinkedQuestion, place: int, ordinal: bool) -> TestKind | None:
    before, after = asked.words[max(0, place - 3) : place], asked.words[place + 1 : place + 4]
    said = " ".join(before)
    if ordinal:
        near = {*before, *after} if "or" in after[:2] or "than" in before else set(before[-2:])
        close = ("<=", ">=") if "or" in after else ("<", ">")
        if near & {"better", "higher", "above", "under", "top"}:
            return close[0]
        return close[1] if near & {"worse", "lower", "below", "past", "after"} else None
    if "at least" in said or "minimum of" in said or (before and before[-1] in {"since", "from"}):
        return ">="
    if "at most" in said or "up to" in said:
        return "<="
    if after[:1] == ("or",) and len(after) > 1:
        if after[1] in MORE:
            return ">="
        if after[1] in FEWER:
            return "<="
    for word in reversed(before):
        if word in {"more", "over", "above", "greater", "exceed", "exceeds", "higher", "larger", "longer", "after"}:
            return ">"
        if word in {"exceeded", "exceeding", "later", "older", "taller", "bigger", "surpassed", "past", "topped"}:
            return ">"
        if word in {"less", "under", "below", "fewer", "lower", "smaller", "before", "shorter", "prior", "earlier"}:
            return "<"
    return None


def _holds(value: float, kind: TestKind, number: float) -> bool:
    match kind:
        case ">":
            return value > number
        case ">=":
            return value >= number
        case "<":
            return value < number
        case "<=":
            return value <= number
        case _:
            return False


def negated(asked: LinkedQuestion, test: RowTest) -> RowTest:
    """The rows that say something else in that column."""
    held = frozenset(row for row, mark in enumerate(asked.grid.columns[test.column].marks) if mark is not None)
    rows = held - test.rows
    return RowTest("not in", test.column, rows, test.links, test.view, places=test.places)


def placed(test: RowTest, size: int, *, after: bool) -> RowTest:
    """The rows after, or before, those that pass."""
    rows = frozenset(range(max(test.rows) + 1, size)) if after else frozenset(range(min(test.rows)))
    return RowTest("after" if after else "before", test.column, rows, test.links, test.view, places=test.places)


def test_sets(asked: LinkedQuestion) -> list[tuple[Tests, frozenset[int]]]:
    """Sets of tests that go together and leave rows, those that use most of the question first; none is the first."""
    size = asked.grid.size
    everything = frozenset(range(size)) - asked.grid.summing
    single = single_tests(asked)
    turned: list[RowTest] = []
    if (NOTS | OTHERS) & asked.said:
        turned += [negated(asked, t) for t in single if t.kind == "in" and len(t.rows) < size]
    if NEXTS & asked.said:
        turned += [placed(t, size, after=True) for t in single if t.kind == "in" and max(t.rows) + 1 < size]
    if PREVIOUS & asked.said:
        turned += [placed(t, size, after=False) for t in single if t.kind == "in" and min(t.rows) > 0]
    plain = [((test,), _left(test.rows, everything)) for test in single]
    found: dict[frozenset[RowTest], tuple[Tests, frozenset[int]]] = {}
    grown = plain
    for tests, rows in plain:
        found[frozenset(tests)] = (tests, rows)
    for _ in range(2):
        wider: list[tuple[Tests, frozenset[int]]] = []
        for tests, rows in grown:
            for test in single:
                key = frozenset((*tests, test))
                if key in found or any(t.places & test.places or t.column == test.column for t in tests):
                    continue
                both = rows & test.rows
                if both:
                    found[key] = ((*tests, test), both)
                    wider.append(found[key])
        grown = wider[:60]
    for turn in turned:
        found[frozenset((turn,))] = ((turn,), turn.rows & everything)
        for test in single:
            if not test.places & turn.places and turn.rows & test.rows & everything:
                found[frozenset((test, turn))] = ((test, turn), turn.rows & test.rows & everything)
    ranked = sorted(found.values(), key=lambda one: -_worth(one[0]))
    kept = [one for one in ranked if one[1]]
    return [((), everything), *kept[:MOST_SETS]]


def _left(rows: frozenset[int], everything: frozenset[int]) -> frozenset[int]:
    """Rows that sum up others count only when nothing else is left."""
    return rows & everything or rows


def _worth(tests: Tests) -> float:
    used = len({place for test in tests for place in test.places})
    strong = sum(_weight(test) for test in tests)
    return used + strong - 0.5 * len(tests)


def _weight(test: RowTest) -> float:
    if test.kind not in {"in", "not in", "after", "before"} or not test.links:
        return 0.4
    kinds = {"exact": 1.0, "core": 0.9, "part": 0.4, "number": 0.3, "kin": -0.5}
    return min(kinds[link.kind] for link in test.links) - (0.6 if test.kind != "in" else 0.0)


def pairs(asked: LinkedQuestion, single: list[RowTest]) -> list[tuple[RowTest, RowTest]]:
    """Two different cells of one column, each named by words of its own."""
    plain = [t for t in single if t.kind == "in" and len(t.links) == 1 and t.links[0].kind != "kin"]
    found: list[tuple[RowTest, RowTest]] = []
    for one, two in combinations(plain, 2):
        if one.column == two.column and not one.places & two.places and not one.rows & two.rows:
            found.append((one, two) if one.links[0].first < two.links[0].first else (two, one))
    return found[:6]
