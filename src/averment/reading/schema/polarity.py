"""Which way a comparison points: faster is a shorter time or a higher speed, older an earlier year or a greater age."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from averment.reading.words import adjectives, graded, singular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Operator, Plan, Test, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_TURNED: dict[str, Operator] = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def more_is_greater(adjective: str, column: Column) -> bool | None:
    """Whether more of what an adjective says is a greater number of the column; None where they have nothing in common.

    The column's name and unit decide, and of a day or a year that it is one: who is older was born before.
    """
    words = {*column.words, *map(singular, column.words), *column.described}
    ways = adjectives().get(adjective, ())
    for greater, names in ways:
        if any(set(name.split("_")) <= words for name in names):
            return greater
    moment = column.kind == "date" or column.has("year")
    dated = [greater for greater, names in ways if {"age", "date", "tenure", "birth_year"} & set(names)]
    aged = [greater for greater, names in ways if {"age", "tenure"} & set(names)]
    return None if not moment or not dated else not aged[0] if aged else dated[0]


def pointed(plan: Plan, schema: Schema, spans: Sequence[Span]) -> Plan:
    """The plan with its comparisons pointing where the adjectives say, by what the columns compared are."""
    said = [adjective for span in spans if (adjective := _comparative(span)) is not None]
    if not said:
        return plan
    of = plan.measures[0].of if plan.measures else None
    way = _way(said[0], of, plan, schema)
    if plan.asks in {"more", "less"} and way is not None and plan.measures[0].over is None:
        return plan.model_copy(update={"asks": "more" if way else "less"})
    where = plan.where
    for span, number in pairwise(spans):
        adjective = _comparative(span)
        if adjective is not None and span.type == "CUE" and number.type == "NUMBER":
            where = tuple(_turned(test, adjective, float(number.data[0]), plan, schema) for test in where)
    return plan if where == plan.where else plan.model_copy(update={"where": where})


def _comparative(span: Span) -> str | None:
    """The adjective of a comparative: "faster", "faster than"; None for other words, "more" and "less" among them."""
    if span.type == "GRADE":
        return span.data[0] if span.data[1] == "more" else None
    adjective, degree = graded().get(span.text.removesuffix(" than"), ("", ""))
    return adjective if degree == "more" and span.cue("gt", "lt", "more", "less") else None


def _way(adjective: str, value: Value | None, plan: Plan, schema: Schema) -> bool | None:
    plain = value is not None and value.kind in {"column", "as_number"} and value.column is not None
    column = schema.column(value.table or plan.table, value.column) if plain and value and value.column else None
    return None if column is None else more_is_greater(adjective, column)


def _turned(test: Test, adjective: str, number: float, plan: Plan, schema: Schema) -> Test:
    """A bar turned round if the word means the other side of it: faster than 10 hours is under 10 hours."""
    if test.to != (number,) or test.operator not in _TURNED:
        return test
    way = _way(adjective, test.value, plan, schema)
    wrong = way is not None and way != (test.operator in {">", ">="})
    return test.model_copy(update={"operator": _TURNED[test.operator]}) if wrong else test
