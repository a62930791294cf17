"""Candidates: every program over a grid that the words of a question allow, each run and kept with its answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.cells import Raw, View
from averment.reading.rows.conditions import pairs, single_tests, test_sets
from averment.reading.rows.grid import CellColumn
from averment.reading.rows.program import Form, Pick, Program, ProgramCandidate, RowTest
from averment.reading.rows.row_words import (
    AGAIN,
    COUNTING,
    DIFFERENCES,
    FIRSTS,
    FREQUENT,
    LASTS,
    MAXIMA,
    MEANS,
    MINIMA,
    NEXTS,
    ORDINALS,
    OTHERS,
    PREVIOUS,
    SUMS,
)
from averment.reading.rows.verdicts import verdicts

MOST_CANDIDATES = 1200
_LONGEST_ANSWER = 60
_MOST_KEYS = 9
_PAIRED = frozenset("score scored points difference margin combined total differential goals gap".split())
Picked = tuple[Pick, int | None, View | None, tuple[int, ...], int | None]


class Generator:
    """Makes the candidates of one question."""

    def __init__(self, asked: LinkedQuestion) -> None:
        self.asked = asked
        self.grid = asked.grid
        self.said = asked.said
        self.counts = bool(COUNTING & self.said) or asked.head[0] in {"how much", "how long", "how far", "how old"}
        self.superlative = any(word.endswith("est") and len(word) > 4 for word in self.said)
        self.up = bool(MAXIMA & self.said) or self.superlative
        self.down = bool(MINIMA & self.said) or self.superlative
        self.found: list[ProgramCandidate] = []

    def candidates(self) -> list[ProgramCandidate]:
        """All of them, those of the fullest sets of tests first."""
        sets = test_sets(self.asked)
        for tests, rows in sets:
            for picked in self._picks(tests, sorted(rows)):
                self._shows(tests, picked)
            self._measures(tests, sorted(rows))
            if len(self.found) > MOST_CANDIDATES:
                break
        single = single_tests(self.asked)
        self._differences(single)
        self._same(single)
        self.found += verdicts(self.asked, single)
        return self.found

    def _keep(self, program: Program, rows: Sequence[int], answer: Iterable[Raw]) -> None:
        values = tuple(answer)
        if 0 < len(values) <= _LONGEST_ANSWER:
            self.found.append(ProgramCandidate(program, tuple(rows), values))

    # rows that are picked

    def _picks(self, tests: tuple[RowTest, ...], rows: list[int]) -> Iterator[Picked]:
        if tests:
            yield "all", None, None, tuple(rows), None
        if NEXTS & self.said and rows and rows[-1] + 1 < self.grid.size and tests:
            yield "next", None, None, (rows[-1] + 1,), None
        if PREVIOUS & self.said and rows and rows[0] > 0 and tests:
            yield "previous", None, None, (rows[0] - 1,), None
        if len(rows) < 2:
            return
        turned = {test.kind for test in tests} & {"after", "before"}
        if self.said & (FIRSTS | LASTS | {"name", "any", "someone"}) or not tests or turned:
            yield "first", None, None, (rows[0],), None
            yield "last", None, None, (rows[-1],), None
        for number in {ORDINALS[word] for word in self.said & set(ORDINALS)} - {1}:
            if number <= len(rows):
                yield "nth", None, None, (rows[number - 1],), number
        if self.up or self.down:
            yield from self._extremes(rows)

    def _extremes(self, rows: list[int]) -> Iterator[Picked]:
        for key, view in self.keys():
            known = [(n, row) for row in rows if (n := key.numbers(view)[row]) is not None]
            if len(known) < 2:
                continue
            extremes: tuple[tuple[Pick, float], ...] = (("max", max(known)[0]), ("min", min(known)[0]))
            for pick, far in extremes:
                if self.up if pick == "max" else self.down:
                    yield pick, key.place, view, tuple(row for n, row in known if n == far), None

    def keys(self) -> list[tuple[CellColumn, View]]:
        """Columns that can be ordered by, the best named first."""
        found: list[tuple[CellColumn, View]] = [
            (c, view) for c in self.grid.columns if c.part is None for view in (*c.views[:2], *c.pairs)
        ]
        found.sort(key=lambda one: (-self.asked.columns[one[0].place][0], not one[0].is_numeric, one[0].place))
        return found[:_MOST_KEYS]

    def _shows(self, tests: tuple[RowTest, ...], picked: Picked) -> None:
        pick, key, view, rows, number = picked
        fixed = {t.column for t in tests if t.kind == "in" and len(t.links) == 1 and t.links[0].kind == "exact"}
        for column in self.grid.columns:
            if pick not in {"next", "previous"} and column.place in fixed:
                continue
            answer = dict.fromkeys(column.marks[row] for row in rows if not column.cells[row].is_empty)
            program = Program("show", tests, column.place, None, pick, key, view, number=number)
            self._keep(program, rows, answer)
            lines = dict.fromkeys(first_line(value) for value in answer)
            if tuple(lines) != tuple(answer):
                self._keep(replace(program, form="line"), rows, lines)
            for shown in self._amount_views(column) if len(rows) == 1 else ():
                value = column.numbers(shown)[rows[0]]
                if value is not None and (whole(value),) != tuple(answer):
                    program = Program("amount", tests, column.place, shown, pick, key, view, number=number)
                    self._keep(program, rows, (whole(value),))

    def _amount_views(self, column: CellColumn) -> list[View]:
        """The number in a text that is asked for: its first one, its year, or what its two numbers make."""
        if column.data_type in {"integer", "float"} or column.part is not None:
            return []
        found: list[View] = []
        if "year" in column.views and ({"year", "years", "when"} & self.said):
            found.append("year")
        elif "number" in column.views and (self.counts or {"score", "percentage", "percent", "points"} & self.said):
            found.append("number")
        if self.counts or self.said & _PAIRED:
            found += column.pairs
            if column.pairs and "second" not in found:
                found.append("second")
        return found

    # what is computed

    def _measures(self, tests: tuple[RowTest, ...], rows: list[int]) -> None:
        if self.counts:
            self._keep(Program("count", tests), rows, (len(rows),))
            for column in self.grid.columns:
                different = {column.marks[row] for row in rows if not column.cells[row].is_empty}
                if len(different) != len(rows) and not column.is_numeric:
                    self._keep(Program("distinct", tests, column.place), rows, (len(different),))
        if self.counts or self.said & (SUMS | MEANS):
            for column, view in self._measured():
                known = [n for row in rows if (n := column.numbers(view)[row]) is not None]
                if not known or view == "year":
                    continue
                if len(known) > 1 and (self.counts or self.said & SUMS):
                    self._keep(Program("sum", tests, column.place, view), rows, (whole(sum(known)),))
                if len(known) > 1 and self.said & MEANS:
                    mean = sum(known) / len(known)
                    self._keep(Program("avg", tests, column.place, view), rows, (whole(mean),))
        if self.said & {"difference", "range", "between", "from", "long"} and len(rows) > 1:
            for column, view in self._measured():
                known = [n for row in rows if (n := column.numbers(view)[row]) is not None]
                if len(known) > 1:
                    program = Program("range", tests, column.place, view)
                    self._keep(program, rows, (whole(max(known) - min(known)),))
        if self.said & FREQUENT or self.superlative:
            self._frequent(tests, rows)
        if self.said & AGAIN:
            self._groups(tests, rows)
        if self.said & DIFFERENCES and len(rows) == 1:
            self._across(tests, rows)

    def _measured(self) -> list[tuple[CellColumn, View]]:
        return [
            (column, view)
            for column in self.grid.columns
            for view in (*column.views[:1], *(column.pairs if self.said & _PAIRED else ()))
            if column.part is None
            and column.data_type not in {"date", "datetime"}
            and (column.is_numeric or view in {"number", "margin", "both"})
        ]

    def _frequent(self, tests: tuple[RowTest, ...], rows: list[int]) -> None:
        if len(rows) < 2:
            return
        for column in self.grid.columns:
            counts = Counter(column.marks[row] for row in rows if not column.cells[row].is_empty)
            if len(counts) < 2 or column.is_unique:
                continue
            most, least = max(counts.values()), min(counts.values())
            if self.up or "often" in self.said or "common" in self.said:
                self._keep(Program("most", tests, column.place), rows, [v for v, n in counts.items() if n == most])
            if self.down and most > 1:
                self._keep(Program("least", tests, column.place), rows, [v for v, n in counts.items() if n == least])
            for key, view in self._measured():
                if key.place == column.place or self.asked.columns[key.place][0] < 0.5:
                    continue
                sums: defaultdict[Raw, float] = defaultdict(float)
                for row in rows:
                    if not column.cells[row].is_empty and (number := key.numbers(view)[row]) is not None:
                        sums[column.marks[row]] += number
                if not sums:
                    continue
                ends: tuple[tuple[Form, float], ...] = (
                    ("most summed", max(sums.values())),
                    ("least summed", min(sums.values())),
                )
                for form, far in ends:
                    if self.up if form == "most summed" else self.down:
                        program = Program(form, tests, column.place, None, key=key.place, key_view=view)
                        self._keep(program, rows, [v for v, n in sums.items() if n == far])

    def _groups(self, tests: tuple[RowTest, ...], rows: list[int]) -> None:
        least = {2 for _ in self.said & {"once", "multiple", "repeat", "repeated"}}
        least |= {int(n) + d for n, _, o in self.asked.amounts for d in (0, 1) if not o and 1 <= n + d <= 20 and n > 0}
        if "twice" in self.said:
            least |= {2, 3}
        for column in self.grid.columns:
            if column.is_unique:
                continue
            counts = Counter(column.marks[row] for row in rows if not column.cells[row].is_empty)
            for number in sorted(least - {1}):
                passed = [value for value, count in counts.items() if count >= number]
                if passed and len(passed) < len(counts):
                    self._keep(Program("groups", tests, column.place, number=number), rows, passed)
                    if self.counts:
                        program = Program("group count", tests, column.place, number=number)
                        self._keep(program, rows, (len(passed),))

    # two things beside each other

    def _across(self, tests: tuple[RowTest, ...], rows: list[int]) -> None:
        named: list[tuple[CellColumn, View]] = [
            (column, view) for column, view in self._measured() if self.asked.columns[column.place][0] >= 0.5
        ]
        if self.asked.head[0] == "how long" or "years" in self.said:
            timed = [column for column in self.grid.columns if column.is_time]
            named.extend((column, _timed(column)) for column in timed)
        for place, (one, view) in enumerate(named):
            for two, second in named[place + 1 :]:
                left, right = one.numbers(view)[rows[0]], two.numbers(second)[rows[0]]
                if left is not None and right is not None:
                    program = Program("column difference", tests, one.place, view, other=two.place, other_view=second)
                    self._keep(program, rows, (whole(abs(left - right)),))

    def _differences(self, single: list[RowTest]) -> None:
        if not self.said & DIFFERENCES:
            return
        for pair in pairs(self.asked, single):
            rest = [
                t for t in single if t.column != pair[0].column and not t.places & (pair[0].places | pair[1].places)
            ]
            shared: list[tuple[RowTest, ...]] = [()]
            shared += [(test,) for test in rest[:4]]
            for tests in shared:
                sides = [sorted(side.rows.intersection(*(t.rows for t in tests))) for side in pair]
                rows = sides[0] + sides[1]
                if not sides[0] or not sides[1]:
                    continue
                if self.counts:
                    program = Program("count difference", tests, pair=pair)
                    self._keep(program, rows, (abs(len(sides[0]) - len(sides[1])),))
                for column in self.grid.columns:
                    if column.part is not None or (column.place == pair[0].column and pair[0].view is None):
                        continue
                    for view in column.views[:2]:
                        if view == "value" and column.data_type in {"date", "datetime"}:
                            continue
                        sums = [[n for row in side if (n := column.numbers(view)[row]) is not None] for side in sides]
                        if not sums[0] or not sums[1]:
                            continue
                        program = Program("difference", tests, column.place, view, pair=pair)
                        self._keep(program, rows, (whole(abs(sum(sums[0]) - sum(sums[1]))),))

    def _same(self, single: list[RowTest]) -> None:
        if not self.said & OTHERS:
            return
        for anchor in single[:5]:
            if anchor.kind != "in" or len(anchor.links) != 1:
                continue
            for other in self.grid.columns:
                held = {other.marks[row] for row in anchor.rows if not other.cells[row].is_empty}
                if other.place == anchor.column or not held or len(anchor.rows) > 3:
                    continue
                rows = [r for r, mark in enumerate(other.marks) if mark in held and r not in anchor.rows]
                column = self.grid.columns[anchor.column]
                answer = dict.fromkeys(column.marks[row] for row in rows if not column.cells[row].is_empty)
                self._keep(Program("same", (anchor,), column.place, other=other.place), rows, answer)
                if self.counts and rows:
                    self._keep(Program("same count", (anchor,), column.place, other=other.place), rows, (len(rows),))


def _timed(column: CellColumn) -> View:
    return "year" if "year" in column.views else column.views[0]


def first_line(value: Raw) -> Raw:
    """A text up to its first line break."""
    return value.split("\n", 1)[0].strip() if isinstance(value, str) else value


def whole(number: float) -> int | float:
    """A number without a needless fraction."""
    return int(number) if float(number).is_integer() else round(number, 6)
