"""Tallies: tables whose rows are groups and say how many each has, as cross tables written out in lines do."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from averment.plans.plan import Measure
from averment.reading.words import is_plural, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_SAYS_HOW_MANY = frozenset("freq frequency count counts tally".split())
_NUMBER_OF = frozenset("n num nb nbr number count no".split())
_NAMED = 0.9
"""From this strength on a word names a table's rows."""
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


def heads_of(table: Table) -> Column | None:
    """The one column of a table that says how many people or things were there each time; None without such a one."""
    found = [
        column
        for column in table.columns
        if column.whole and column.has("measure") and not column.has("key") and _counts_heads(column)
    ]
    return found[0] if len(found) == 1 else None


def _counts_heads(column: Column) -> bool:
    first, last = column.words[:1], column.words[-1:]
    numbered = len(column.words) > 1 and first[0] in _NUMBER_OF and is_plural(last[0])
    return numbered or (bool(last) and last[0] in word_list("heads"))


def counted_in_heads(plan: Plan, schema: Schema, spans: Sequence[Span]) -> Plan | None:
    """The plan with heads added up in place of rows counted, where "how many" names no rows of the table."""
    table = schema.tables.get(plan.table)
    heads = heads_of(table) if table is not None else None
    if heads is None or [m.function for m in plan.measures] != ["rows"] or plan.measures[0].over:
        return None
    if any(test.value == heads.value for test in plan.where) or plan.measures[0].where:
        return None
    for place, span in enumerate(spans[:-1]):
        counted = spans[place + 1]
        named = counted.type == "ROW" and counted.data is not None and counted.strength >= _NAMED
        if (
            span.cue("count")
            and counted.type in {"ROW", "VALUE"}
            and not named
            and counted.text not in word_list("row")
        ):
            return plan.model_copy(update={"measures": (Measure(function="sum", of=heads.value),)})
    return None


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
