"""Verdicts: questions answered by yes or no, or by one of two words they leave to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.cells import View
from averment.reading.rows.conditions import pairs
from averment.reading.rows.grid import CellColumn
from averment.reading.rows.program import Program, ProgramCandidate, RowTest, RowVerdict, VerdictOperator
from averment.reading.rows.row_words import OPPOSITES
from averment.reading.words import word_list

_MOST_PAIRS = 3
_MOST_MEASURED = 6
_MOST_TESTS = 5
_EITHER: tuple[VerdictOperator, ...] = (">", "<")


def verdicts(asked: LinkedQuestion, single: list[RowTest]) -> Iterator[ProgramCandidate]:
    """Every comparison of two named things, of one with a number or of two columns, that the question may ask for."""
    choices = list(_choices(asked))
    if choices:
        operators: tuple[VerdictOperator, ...] = (">", "<")
        if asked.said & {"same", "equal"}:
            operators = (*operators, "=")
        if asked.said & {"least", "most"}:
            operators = (*operators, ">=", "<=")
        for said in choices:
            yield from _between(asked, single, said, operators)
            yield from _beyond(asked, single, said, operators)
            yield from _columns(asked, single, said, operators)
    elif "or" in asked.said:
        for one, two in _beside(asked):
            yield from _columns(asked, single, (one.name, two.name), _EITHER, (one, two))
    if "or" in asked.said:
        for pair in pairs(asked, single)[:_MOST_PAIRS]:
            said = (_named(asked, pair[0]), _named(asked, pair[1]))
            yield from _between(asked, single, said, _EITHER, [pair])
    if ("yes", "no") in choices:
        yield from _together(single)


def _choices(asked: LinkedQuestion) -> Iterator[tuple[str, str]]:
    for more, less in OPPOSITES:
        if {more, less} <= asked.said and "or" in asked.said:
            yield more, less
            return
    if {"true", "false"} <= asked.said:
        yield "true", "false"
    elif asked.words and asked.words[0] in word_list("yes_no"):
        yield "yes", "no"


def _verdict(
    program: Program, verdict: RowVerdict, left: float | None, right: float | None, rows: Sequence[int]
) -> Iterator[ProgramCandidate]:
    if left is None or right is None or (left == right and verdict.said[0] not in {"yes", "true"}):
        return
    holds = {
        ">": left > right,
        "<": left < right,
        "=": left == right,
        ">=": left >= right,
        "<=": left <= right,
    }[verdict.operator]
    yield ProgramCandidate(program, tuple(rows), (verdict.said[0 if holds else 1],))


def _between(
    asked: LinkedQuestion,
    single: list[RowTest],
    said: tuple[str, str],
    operators: Sequence[VerdictOperator],
    only: list[tuple[RowTest, RowTest]] | None = None,
) -> Iterator[ProgramCandidate]:
    for pair in only or pairs(asked, single)[:_MOST_PAIRS]:
        rows = [sorted(side.rows) for side in pair]
        both = [*rows[0], *rows[1]]
        for operator in operators:
            if operator in {">=", "<="}:
                continue
            if len(rows[0]) == len(rows[1]) == 1:
                made = RowVerdict("place", operator, said)
                yield from _verdict(Program("verdict", pair=pair, verdict=made), made, rows[0][0], rows[1][0], both)
            made = RowVerdict("rows", operator, said)
            yield from _verdict(Program("verdict", pair=pair, verdict=made), made, len(rows[0]), len(rows[1]), both)
            for column, view in _measured(asked):
                made = RowVerdict("value", operator, said)
                program = Program("verdict", (), column.place, view, pair=pair, verdict=made)
                yield from _verdict(program, made, _total(column, view, rows[0]), _total(column, view, rows[1]), both)


def _named(asked: LinkedQuestion, side: RowTest) -> str:
    """What a side is called: its cell, or the question's words where it is several."""
    marks = {asked.grid.columns[side.column].marks[row] for row in side.rows}
    link = side.links[0]
    if len(marks) == 1 and link.kind in {"exact", "core"}:
        return str(next(iter(marks)))
    return " ".join(asked.words[link.first : link.last])


def _beyond(
    asked: LinkedQuestion, single: list[RowTest], said: tuple[str, str], operators: Sequence[VerdictOperator]
) -> Iterator[ProgramCandidate]:
    """One side, or the whole table, beside a number."""
    sides: list[tuple[RowTest, ...]] = [(), *((test,) for test in single[:_MOST_TESTS] if test.kind == "in")]
    for number, place, ordinal in asked.amounts:
        if ordinal:
            continue
        for tests in sides:
            if any(place in test.places for test in tests):
                continue
            rows = sorted(frozenset(range(asked.grid.size)).intersection(*(test.rows for test in tests)))
            for operator in operators:
                made = RowVerdict("rows", operator, said, number)
                yield from _verdict(Program("verdict", tests, verdict=made), made, len(rows), number, rows)
                for column, own in _measured(asked) if tests else ():
                    # A date is beside a number by its year.
                    view: View = "year" if column.data_type in {"date", "datetime"} else own
                    made = RowVerdict("value", operator, said, number)
                    program = Program("verdict", tests, column.place, view, verdict=made)
                    yield from _verdict(program, made, _total(column, view, rows), number, rows)


def _columns(
    asked: LinkedQuestion,
    single: list[RowTest],
    said: tuple[str, str],
    operators: Sequence[VerdictOperator],
    only: tuple[CellColumn, CellColumn] | None = None,
) -> Iterator[ProgramCandidate]:
    """Two columns beside each other, in one row or over all."""
    for one, two in [only] if only else _beside(asked):
        for tests in [(), *((test,) for test in single[:_MOST_TESTS] if test.kind == "in")]:
            rows = sorted(frozenset(range(asked.grid.size)).intersection(*(test.rows for test in tests)))
            left, right = _total(one, one.views[0], rows), _total(two, two.views[0], rows)
            for operator in operators:
                made = RowVerdict("value", operator, said)
                program = Program(
                    "verdict", tests, one.place, one.views[0], other=two.place, other_view=two.views[0], verdict=made
                )
                yield from _verdict(program, made, left, right, rows)


def _beside(asked: LinkedQuestion) -> list[tuple[CellColumn, CellColumn]]:
    """Columns of numbers that are named by words of their own, in the order of the question."""
    named = [
        (min(places), column)
        for column in asked.grid.columns
        for score, places in [asked.columns[column.place]]
        if score >= 0.6 and places and column.views and column.data_type not in {"date", "datetime"}
    ]
    named.sort(key=lambda one: (one[0], one[1].place))
    return [(a, b) for (at, a), (then, b) in combinations(named, 2) if at != then][:_MOST_PAIRS]


def _together(single: list[RowTest]) -> Iterator[ProgramCandidate]:
    """ "was there a race in turin in 2006": whether any row passes two tests."""
    for one, two in combinations(single[: 2 * _MOST_TESTS], 2):
        if one.column == two.column or one.places & two.places:
            continue
        rows = sorted(one.rows & two.rows)
        made = RowVerdict("rows", ">", ("yes", "no"), 0.0)
        yield from _verdict(Program("verdict", (one, two), verdict=made), made, len(rows), 0.0, rows)


def _measured(asked: LinkedQuestion) -> list[tuple[CellColumn, View]]:
    found: list[tuple[CellColumn, View]] = [
        (column, view)
        for column in asked.grid.columns
        for view in column.views[:1]
        if column.is_numeric or column.is_time or view == "number"
    ]
    found.sort(key=lambda one: (-asked.columns[one[0].place][0], one[0].place))
    return found[:_MOST_MEASURED]


def _total(column: CellColumn, view: View, rows: Sequence[int]) -> float | None:
    """What some rows hold together; of times the last."""
    known = [number for row in rows if (number := column.numbers(view)[row]) is not None]
    if not known:
        return None
    return max(known) if column.is_time else sum(known)
