"""Readings beside the point: links counted for things, one choice over two columns, a "where" without a place."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from averment.reading.lattice.nouns import NAMES_TABLE
from averment.reading.times.time_conditions import is_period
from averment.reading.words import FAMILY, kinship, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Test
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_NAMED = 0.9
_LIKED = frozenset({"popular", "loved", "liked", "wanted"})


def counts_links(plan: Plan, schema: Schema, spans: Sequence[Span]) -> bool:
    """Whether rows of a table that no word speaks of are counted by what the rows have that are named.

    The most common hometown of teachers is where most teachers live, and not those who give most courses.
    """
    counted = any(m.function == "rows" and m.table is None and m.over is None for m in plan.measures)
    if not plan.joins or not counted or not plan.by or plan.where or plan.having or plan.over_groups is not None:
        return False
    tables = {value.table for value in plan.by}
    named = {s.data for s in spans if s.type == "ROW" and s.strength >= _NAMED}
    spoken = {s.data for s in spans if s.type == "ROW"} | {s.data.table for s in spans if s.type in {"COLUMN", "DENY"}}
    if len(tables) != 1 or not tables <= named or plan.table in spoken:
        return False
    labels = {column.name for table in tables if table for column in schema.tables[table].labels}
    told = any(s.type in {"UNKNOWN", "TEST", "VALUE", "TIME"} or _LIKED & set(s.text.split()) for s in spans)
    return not told and not any(value.column in labels for value in plan.by)


def mixes_namesakes(plan: Plan) -> bool:
    """Whether the sides of one "or" are held against two columns that hold the same: a year here, or a year there."""
    return any(_is_mixed(test.any_of) for test in plan.where if len(test.any_of) > 1)


def _is_mixed(sides: Sequence[Test]) -> bool:
    values = [side.value for side in sides if side.value is not None and side.operator == "=" and not side.inner]
    if len(values) != len(sides) or len(set(values)) < 2:
        return False
    names = {(value.column or "").casefold() for value in values if value.kind == "column"}
    return len(names) == 1 or all(is_period(side) for side in sides)


def adds_up_one(plan: Plan, spans: Sequence[Span]) -> bool:
    """Whether figures of many rows are ranked where one row's is asked for: "the lowest price and its shop"."""
    first = plan.measures[0] if plan.measures else None
    if plan.rank is None or first is None or first.function not in {"sum", "mean"} or first.over is not None:
        return False
    if any(span.cue("sum", "mean") for span in spans):
        return False
    keys = {(value.table, value.column) for value in plan.by}
    return any(
        one.text in {"its", "corresponding"} and two.type == "COLUMN" and (two.data.table, two.data.name) in keys
        for one, two in pairwise(spans)
    )


def no_place(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "Where" at the head of a question, where the plan tells no place and its tables have one."""
    first = min(spans, key=lambda span: span.start, default=None)
    if first is None or first.start > 0 or not first.text.startswith("where") or not first.cue("which"):
        return []
    tables = {plan.table, *(join.right for join in plan.joins)}
    places = {(c.table, c.name) for name in tables for c in schema.tables[name].columns if set(c.words) & _PLACES}
    told = {(value.table, value.column) for value in (*plan.by, *plan.show)}
    return ["where"] if places and not places & told else []


def named_in(words: Sequence[str], schema: Schema) -> list[Column]:
    """The columns among words that hold numbers but are text, each of which words name whole."""
    noise = word_list("unit_words")
    return [
        column
        for column in schema.columns
        if column.why_text
        and (parts := [word for word in column.words if word not in noise] or column.words)
        and all(any(kinship(word, part) >= FAMILY for word in words) for part in parts)
    ]


def columns_as_rows(schema: Schema, spans: Sequence[Span]) -> list[str]:
    """The words that name a column which cannot be computed, and are taken for rows: of no revenue is that a number."""
    rows = [span for span in spans if span.type == "ROW" and span.strength < NAMES_TABLE]
    return [span.text for span in rows if named_in(span.text.split(), schema)]


_PLACES = word_list("where")
