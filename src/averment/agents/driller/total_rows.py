"""Rows that add up the others: left out of an investigation by a rule that its report states, or asked about.

A value called total is one when a figure of its rows is, to the last digit that adding up keeps, the sum of all other
rows. Where the figure is only most of that, nobody can tell from the data, and the metric must say it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from averment.agents.driller.reading import TotalRows
from averment.reading.schema.gather import TOTAL_SHARE
from averment.reading.schema.total_rows import is_called_total
from averment.tables.engines.backend import quote, quote_text

if TYPE_CHECKING:
    from averment.tables.cubes.cube_sql import Rows
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import TableProfile

MOST_FIGURES = 4
TOLERANCE = 1e-9


class DoubtfulTotal(Exception):
    """Rows are called a total, and their figures are not quite that; ``question`` is what to ask."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question


def without_totals(
    engine: Engine, rows: Rows, profiles: Sequence[TableProfile], *, metric: str, resolved: Collection[tuple[str, str]]
) -> tuple[Rows, tuple[TotalRows, ...]]:
    """The metric's rows without those that add up the others, and what those are called.

    Columns in ``resolved`` are named by the metric itself, which then says which of their rows count.

    Raises:
        Doubtful: rows are called a total, and the figures do not say whether they are one.
    """
    found: list[TotalRows] = []
    if rows.source.text is not None:
        return rows, ()
    for profile in profiles:
        if profile.table != rows.source.base and not rows.source.reaches(profile.table):
            continue
        for column in profile.columns:
            if column.data_type != "string" or (profile.table, column.name) in resolved:
                continue
            called = [str(value) for value, _ in column.values or () if is_called_total(str(value))]
            proven = tuple(value for value in called if _is_proven(engine, profile, column.name, value, metric))
            if proven:
                found.append(TotalRows(table=profile.table, column=column.name, values=proven))
    for one in found:
        place = f"{quote(one.table)}.{quote(one.column)}"
        kept = f"({place} IS NULL OR {place} NOT IN ({', '.join(map(quote_text, one.values))}))"
        where = kept if rows.where is None else f"({rows.where}) AND {kept}"
        rows = replace(rows, where=where, where_tables=tuple(dict.fromkeys((*rows.where_tables, one.table))))
    return rows, tuple(found)


def _is_proven(engine: Engine, profile: TableProfile, column: str, value: str, metric: str) -> bool:
    shares = list(_shares(engine, profile, column, value))
    if any(abs(share - 1) <= TOLERANCE for share in shares):
        return True
    if any(share >= TOTAL_SHARE for share in shares):
        rows = f"{column} <> {quote_text(value)}"
        raise DoubtfulTotal(
            f"{profile.table} has rows whose {column} is {value}; their figures are most of what all other rows add up "
            f"to, but not that sum. Do they count? Please say it in the metric: {metric} FILTER (WHERE {rows}) leaves "
            f"them out, {metric} FILTER (WHERE {column} IS NOT NULL) counts them."
        )
    return False


def _shares(engine: Engine, profile: TableProfile, column: str, value: str) -> Iterator[float]:
    """For each figure of the table: its sum over the rows called so, as a part of its sum over all others."""
    measures = [each.name for each in profile.columns if each.inferred_type == "measure"][:MOST_FIGURES]
    if not measures:
        return
    name, text = quote(column), quote_text(value)
    parts = ", ".join(
        f"sum(CASE WHEN {name} = {text} THEN {quote(each)} END) AS own{n}, "
        f"sum(CASE WHEN {name} <> {text} THEN {quote(each)} END) AS rest{n}"
        for n, each in enumerate(measures)
    )
    row = engine.run(f"SELECT {parts} FROM {quote(profile.table)}", timeout=60.0).table.to_pylist()[0]
    for n in range(len(measures)):
        own, rest = float(row[f"own{n}"] or 0), float(row[f"rest{n}"] or 0)
        if own and rest:
            yield own / rest
