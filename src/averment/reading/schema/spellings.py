"""One value in several spellings: who asks for cash means the rows that say Cash, cash and CASH."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Plan, Test
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_SHORTEST = 3
"""Shorter values are codes, in which a capital may say something else."""
_WIDENED = {"=": "in", "!=": "not in", "in": "in", "not in": "not in"}


def with_spellings(plan: Plan, schema: Schema) -> Plan:
    """The plan with every spelling of the values it asks for; of what it groups by, spellings stay apart."""
    apart = {(key.table, key.column) for key in plan.by}
    where = tuple(_widened(test, schema, apart) for test in plan.where)
    measures = tuple(_of_measure(measure, schema, apart) for measure in plan.measures)
    if where == plan.where and measures == plan.measures:
        return plan
    return plan.model_copy(update={"where": where, "measures": measures})


def _of_measure(measure: Measure, schema: Schema, apart: set[tuple[str | None, str | None]]) -> Measure:
    where = tuple(_widened(test, schema, apart) for test in measure.where)
    return measure if where == measure.where else measure.model_copy(update={"where": where})


def _widened(test: Test, schema: Schema, apart: set[tuple[str | None, str | None]]) -> Test:
    if test.any_of or test.all_of:
        parts = {
            "any_of": tuple(_widened(each, schema, apart) for each in test.any_of),
            "all_of": tuple(_widened(each, schema, apart) for each in test.all_of),
        }
        return test.model_copy(update=parts)
    value, operator = test.value, _WIDENED.get(test.operator)
    if value is None or value.kind != "column" or operator is None or not test.to:
        return test
    column = schema.column(value.table or "", value.column or "")
    if column is None or column.kind != "text" or (value.table, value.column) in apart:
        return test
    more = [one for said in test.to for one in _others(column, said) if one not in test.to]
    if not more:
        return test
    return test.model_copy(update={"operator": operator, "to": (*test.to, *dict.fromkeys(more))})


def _others(column: Column, said: object) -> list[str]:
    """The values of a column that differ from one only by capitals and spaces."""
    wanted = _folded(said)
    if len(wanted) < _SHORTEST:
        return []
    return [str(one) for one in column.values if one != said and _folded(one) == wanted]


def _folded(value: object) -> str:
    return " ".join(str(value).casefold().split())
