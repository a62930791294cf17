"""Relations that compare: the highest and the lowest, a ranking, more and less than, a difference, a ratio.

A superlative is said only of a whole result, or of one that was cut at its other end; whoever shares the place is
named with it, and rows whose key is missing never win it.
"""

from __future__ import annotations

from decimal import Decimal

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult, orderly
from averment.claims.speech import (
    IN_TIME,
    capital,
    for_whom,
    is_in_time,
    is_unsigned,
    keys_of,
    kind_of,
    listed,
    scope_after,
    scope_before,
    slot,
    value_of,
    who,
)
from averment.evidence.bind import literal
from averment.records.claim import Claim, ClaimValue

_MORE, _LESS, _EQUAL = "more_than", "less_than", "same_as"


def _order(value: ClaimValue) -> Decimal | str | None:
    evidence = value.evidence
    return None if evidence.kind == "span" else orderly(evidence.value)


def _superlative_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    highest = claim.relation != "lowest"
    told = [value for value in claim.values if value.role == "value"]
    if sealed is None or len(told) != 1 or told[0].evidence.kind != "cell":
        return False
    column = told[0].evidence.column
    if not claim.subjects:
        return _shared_by_all(claim, sealed, column, highest=highest)
    rows = _rows_of(claim)
    best = sealed.best(column, highest=highest)
    if told[0].evidence.row not in best:
        return False
    if claim.words.get("place"):
        # The second highest is what a query left that passes over the first: all its rows share one value.
        cut = sealed.ranked
        if cut is None or (cut.by, cut.descending, cut.limit, cut.within) != (column, highest, 1, ()):
            return False
        return sealed.whole and place_word(cut.skip) == claim.words["place"] and _same_keys(sealed, rows, best)
    if not sealed.may_rank(column, highest=highest) or not _same_keys(sealed, rows, best):
        return False
    return (claim.words.get("aside") is not None) == passed_over(sealed, column, highest=highest)


def _shared_by_all(claim: Claim, sealed: SealedResult, column: str, *, highest: bool) -> bool:
    """Too many share the place to be named: the result is cut to them alone, and how many they are is told."""
    cut = sealed.ranked
    if cut is None or (cut.limit, cut.skip) != (1, 0) or not sealed.may_rank(column, highest=highest):
        return False
    everyone = len(sealed.best(column, highest=highest)) == sealed.size
    return everyone and value_of(claim, "count").evidence == sealed.row_count()


def _same_keys(sealed: SealedResult, rows: list[int], best: tuple[int, ...]) -> bool:
    """Whether these rows are among the best, and every key of the best is theirs, each told once."""
    told = [sealed.key(row) for row in rows]
    return set(rows) <= set(best) and len(set(told)) == len(told) and set(told) == {sealed.key(row) for row in best}


def passed_over(sealed: SealedResult, column: str, *, highest: bool) -> bool:
    """Whether a row without a whole key has as extreme a value as the best that has one."""
    best = sealed.best(column, highest=highest)
    known = set(sealed.named)
    if not best:
        return False
    mark = orderly(sealed.column(column)[best[0]])
    others = [orderly(sealed.column(column)[row]) for row in range(sealed.size) if row not in known]
    return any(
        type(other) is type(mark) and (other >= mark if highest else other <= mark)  # pyright: ignore
        for other in others
        if other is not None
    )


def _rows_of(claim: Claim) -> list[int]:
    """The row of each subject, read off the first cell told of it."""
    rows = {
        value.subject: value.evidence.row
        for value in reversed(claim.values)
        if value.subject is not None and value.evidence.kind == "cell"
    }
    return [rows[subject] for subject in sorted(rows)]


def place_word(skip: int) -> str:
    """How a place after the first is called."""
    return {1: "second", 2: "third", 3: "fourth", 4: "fifth"}.get(skip, f"{skip + 1}th")


def _superlative_said(claim: Claim) -> str:
    highest = claim.relation == "highest"
    end = _end_word(value_of(claim, "value"), highest=highest)
    place = f"{claim.words['place']} " if claim.words.get("place") else ""
    aside = literal(f", leaving aside {claim.words['aside']}") if claim.words.get("aside") else ""
    figure, value = literal(ended(claim.figure, highest=highest)), slot(claim, "value")
    tail = f"{value}{scope_after(claim, comma=True)}{aside}."
    if not claim.subjects:
        noun = literal(claim.words["noun"])
        return (
            f"The {end} {figure} is {value}, shared by {slot(claim, 'count')} {noun}{scope_after(claim, comma=True)}."
        )
    if is_in_time(claim):
        return f"The {figure} is {place}{end} {_times(claim)}, at {tail}"
    if claim.words.get("many"):
        figure, end = literal(claim.words["many"]), "most" if highest else "fewest"
    if not _named(claim):
        whom = listed([for_whom(claim, n) for n in range(len(claim.subjects))], between="; ", last="; and ")
        verb = "are" if claim.words.get("many") else "is"
        return f"The {place}{end} {figure} {verb} {value}, {whom}{scope_after(claim, comma=True)}{aside}."
    names = listed([who(claim, n) for n in range(len(claim.subjects))])
    return f"{names} {'share' if len(claim.subjects) > 1 else 'has'} the {place}{end} {figure}, {tail}"


def _end_word(value: ClaimValue, *, highest: bool) -> str:
    """Of dates one says the latest and the earliest."""
    if kind_of(value) in IN_TIME and kind_of(value) != "hour":
        return "latest" if highest else "earliest"
    return "highest" if highest else "lowest"


def _named(claim: Claim) -> bool:
    """Whether each subject is one bare name, which can begin a sentence."""
    return all(
        who(claim, n) == keys_of(claim, n)[0][0] and not is_in_time(claim, n) for n in range(len(claim.subjects))
    )


def ended(figure: str, *, highest: bool) -> str:
    """A figure after "highest" or "lowest": the highest of the highest is the highest, the lowest of it a maximum."""
    if figure.startswith("highest "):
        bare = figure.removeprefix("highest ")
        return bare if highest else f"maximum {bare}"
    if figure.startswith("lowest "):
        bare = figure.removeprefix("lowest ")
        return f"minimum {bare}" if highest else bare
    return figure


def _times(claim: Claim) -> str:
    first = for_whom(claim, 0)
    rest = [keys_of(claim, n)[0][0] for n in range(1, len(claim.subjects))]
    return listed([first, *rest])


def _rank_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """All rows of a cut ranking, or the first of a whole result, each with its value, in order."""
    told = [value for value in claim.values if value.role == "value"]
    highest = claim.words.get("end") == "highest"
    if sealed is None or not sealed.whole or len(told) != len(claim.subjects) or not told:
        return False
    columns = {value.evidence.column for value in told if value.evidence.kind == "cell"}
    if len(columns) != 1 or sealed.ranked is None:
        return False
    cut, column = sealed.ranked, columns.pop()
    within = [name for name in claim.words.get("within", "").split("\n") if name]
    if (cut.by, cut.descending, list(cut.within), cut.skip) != (column, highest, within, 0):
        return False
    rows = _rows_of(claim)
    if sorted(rows) != list(range(sealed.size)):
        return False
    groups: dict[tuple[object, ...], list[Decimal | str | None]] = {}
    for row in rows:
        groups.setdefault(tuple(sealed.column(name)[row] for name in within), []).append(
            orderly(sealed.column(column)[row])
        )
    return all(_in_order(orders, highest=highest) for orders in groups.values())


def _in_order(orders: list[Decimal | str | None], *, highest: bool) -> bool:
    known = [order for order in orders if order is not None]
    if len(known) != len(orders) or len({type(order) for order in known}) > 1:
        return False
    return known == sorted(known, reverse=highest)  # pyright: ignore


def _rank_said(claim: Claim) -> str:
    end = claim.words["end"]
    figure = literal(ended(claim.figure, highest=end == "highest"))
    within = [name for name in claim.words.get("within", "").split("\n") if name]
    each = f" for each {literal(listed(within))}" if within else ""
    if not claim.subjects[0]:
        values = listed([slot(claim, "value", n) for n in range(len(claim.subjects))])
        return f"The {end} {figure}{scope_after(claim)}: {values}."
    parts = [f"{who(claim, n)} with {slot(claim, 'value', n)}" for n in range(len(claim.subjects))]
    several = len(keys_of(claim, 0)) > 1
    row = "; ".join(parts) if several else listed(parts)
    return scope_before(claim, f"the {end} {figure}{each}: {row}.")


def _sides(claim: Claim) -> tuple[Decimal | str | None, Decimal | str | None]:
    return _order(value_of(claim, "first")), _order(value_of(claim, "second"))


def _compared_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    first, second = _sides(claim)
    if first is None or second is None or type(first) is not type(second):
        return False
    found = _EQUAL if first == second else _MORE if first > second else _LESS  # pyright: ignore
    asked = claim.words.get("asked")
    if asked is not None:
        right = {"more": _MORE, "less": _LESS}[asked] == found
        if claim.words.get("answer") != ("yes" if right else "no"):
            return False
    return found == claim.relation and _set_side_by_side(claim, sealed)


def _set_side_by_side(claim: Claim, sealed: SealedResult | None) -> bool:
    """Two subjects are compared in one figure; two figures are compared of one subject, or of everything in scope."""
    sides = [value_of(claim, role) for role in ("first", "second")]
    if not claim.subjects:
        return sealed is None or not sealed.keys
    if len(claim.subjects) == 1:
        return all(side.subject == 0 for side in sides)
    columns = {side.evidence.column for side in sides if side.evidence.kind == "cell"}
    return len(columns) == 1 and [side.subject for side in sides] == [0, 1]


def _compared_said(claim: Claim) -> str:
    lead = {"yes": "Yes: ", "no": "No: "}.get(claim.words.get("answer", ""), "")
    word = {_MORE: "higher", _LESS: "lower"}.get(claim.relation)
    first, second = slot(claim, "first"), slot(claim, "second")
    if len(claim.subjects) < 2:
        one, two = literal(claim.words["one"]), literal(claim.words["two"])
        if word is None:
            said = f"{_of_one(claim)}the {one} and the {two} are the same, {first} and {second}"
        else:
            said = f"{_of_one(claim)}the {one}, {first}, is {word} than the {two}, {second}"
    elif word is None:
        said = (
            f"the {literal(claim.figure)} is the same {for_whom(claim, 0)}, {first}, and {for_whom(claim, 1)}, {second}"
        )
    else:
        said = (
            f"the {literal(claim.figure)} is {word} {for_whom(claim, 0)}, {first}, than {for_whom(claim, 1)}, {second}"
        )
    said = f"{said}{scope_after(claim, comma=True)}."
    return f"{lead}{said if lead else capital(said)}"


def _of_one(claim: Claim) -> str:
    """Whose two figures are compared, before them."""
    return f"{for_whom(claim, 0)}, " if claim.subjects else ""


def _apart_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The derived value is of the two that are compared, the first against the second, and the word alone its sign."""
    told = value_of(claim, "derived")
    derived = told.evidence
    if not _set_side_by_side(claim, sealed):
        return False
    if derived.kind != "derived" or derived.function != claim.relation or derived.value is None:
        return False
    first, second = _sides(claim)
    if [orderly(each.value) for each in derived.of] != [first, second]:
        return False
    if claim.relation == "ratio":
        return True
    if not isinstance(first, Decimal) or not isinstance(second, Decimal) or first == second:
        return False
    return claim.words.get("word") == ("higher" if first > second else "lower") and is_unsigned(told)


def _apart_said(claim: Claim) -> str:
    figure, derived = literal(claim.figure), slot(claim, "derived")
    first, second = slot(claim, "first"), slot(claim, "second")
    if len(claim.subjects) == 2:
        one, two = f"the {figure} {for_whom(claim, 0)}, {first},", f"that {for_whom(claim, 1)}, {second}"
    else:
        one = f"{_of_one(claim)}the {literal(claim.words['one'])}, {first},"
        two = f"the {literal(claim.words['two'])}, {second}"
    if claim.relation == "ratio":
        said = f"{one} is {derived} times {two}"
    else:
        said = f"{one} is {derived} {claim.words['word']} than {two}"
    return f"{capital(said)}{scope_after(claim, comma=True)}."


def _bin_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The ends are the lowest edge and the highest of all bins, and the total is of the rows of each of them."""
    if sealed is None or not sealed.uncut:
        return False
    low, high, total = (value_of(claim, role).evidence for role in ("low", "high", "total"))
    if low.kind != "cell" or high.kind != "cell" or total.kind != "derived" or total.function != "total":
        return False
    edges = (
        [orderly(value) for value in sealed.column(low.column)],
        [orderly(value) for value in sealed.column(high.column)],
    )
    if any(edge is None for side in edges for edge in side):
        return False
    of = [(each.column, each.row) for each in total.of if each.kind == "cell"]
    columns = {column for column, _ in of} - {low.column, high.column}
    counted = len(columns) == 1 and sorted(of) == [(column, row) for column in columns for row in range(sealed.size)]
    return counted and orderly(low.value) == min(edges[0]) and orderly(high.value) == max(edges[1])  # pyright: ignore


def _bin_said(claim: Claim) -> str:
    low, high, total = slot(claim, "low"), slot(claim, "high"), slot(claim, "total")
    return f"{literal(claim.figure)} has {total} values{scope_after(claim)}, from {low} to {high}."


def _fullest_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    return _superlative_holds(claim, sealed) and all(kind_of(v) != "label" for _, v in keys_of(claim, 0))


def _fullest_said(claim: Claim) -> str:
    parts = [" to ".join(shown for shown, _ in keys_of(claim, n)) for n in range(len(claim.subjects))]
    ranges = "range is" if len(parts) == 1 else "ranges are"
    said = f"The fullest {ranges} {listed(parts)}, with {slot(claim, 'value')} values"
    return f"{said}{' each' if len(parts) > 1 else ''}{scope_after(claim)}."


RELATIONS = (
    *(
        Relation(
            name,
            f"Of all rows in scope these have the {name} value; all that share it are named.",
            _superlative_holds,
            _superlative_said,
        )
        for name in ("highest", "lowest")
    ),
    Relation(
        "rank",
        "These are the first by a figure, in order, with whoever shares the last place.",
        _rank_holds,
        _rank_said,
    ),
    *(
        Relation(
            name,
            f"The first has a {word} value than the second; a yes or no is decided by it.",
            _compared_holds,
            _compared_said,
        )
        for name, word in ((_MORE, "higher"), (_LESS, "lower"))
    ),
    Relation(_EQUAL, "Both have the same value.", _compared_holds, _compared_said),
    Relation("difference", "The first lies so much above or below the second.", _apart_holds, _apart_said),
    Relation("ratio", "The first is so many times the second.", _apart_holds, _apart_said),
    Relation(
        "spans",
        "The values lie between the lowest and the highest edge, and there are so many of them.",
        _bin_holds,
        _bin_said,
    ),
    Relation("fullest", "No bin of the distribution has more rows than these.", _fullest_holds, _fullest_said),
)
