"""Tallies: tables whose rows are groups and say how many each has, as cross tables written out in lines do."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from averment.plans.plan import Measure
from averment.reading.words import word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema, Table

_SAYS_HOW_MANY = frozenset("freq frequency count counts tally".split())
_FEWEST = 2
"""A column of categories alone is a list of counts, in which nothing is shared out."""


def tally_of(table: Table) -> Value | None:
    """The column that says how many each row stands for; None where a row is one thing."""
    counts = [c for c in table.columns if set(c.words) <= _SAYS_HOW_MANY and c.words and c.whole and c.has("measure")]
    others = [column for column in table.columns if column not in counts]
    if len(counts) != 1 or len(others) < _FEWEST or any(c.has("measure", "key", "date") for c in others):
        return None
    # Every combination of the categories stands in at most one row.
    return counts[0].value if counts[0].rows <= prod(max(1, column.distinct) for column in others) else None


def counted_by_tally(plan: Plan, schema: Schema, spans: Sequence[Span]) -> Plan:
    """The plan with what its rows stand for in place of the rows, unless rows are what was asked for."""
    table = schema.tables.get(plan.table)
    tally = tally_of(table) if table is not None else None
    if tally is None or any(span.type == "ROW" and span.text in word_list("row") for span in spans):
        return plan
    measures = tuple(_summed(measure, tally) for measure in plan.measures)
    return plan if measures == plan.measures else plan.model_copy(update={"measures": measures})


def _summed(measure: Measure, tally: Value) -> Measure:
    over = None if measure.over is None else _summed(measure.over, tally)
    if measure.function == "rows" and measure.table is None:
        return measure.model_copy(update={"function": "sum", "of": tally, "over": over})
    if measure.function == "rate":
        whole = Measure(function="sum", of=tally)
        return Measure(function="sum", of=tally, where=measure.where, over=whole, percent=True)
    return measure.model_copy(update={"over": over}) if over != measure.over else measure
