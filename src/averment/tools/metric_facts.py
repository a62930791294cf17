"""From the table of a metric's rows to the facts that its change is read from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from averment.errors import MissingColumn, TypeMismatch
from averment.tools.tool import Args

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.stats.attribution.facts import CodedAxis, Facts

_EPOCH = date(1970, 1, 1).toordinal()


class FactArgs(Args):
    """Which task holds the rows of the metric, and what its columns mean."""

    facts: str = Field(min_length=1, description="The task whose table has the metric's rows, or cells of them.")
    dimensions: list[str] = Field(max_length=12, description="The columns that are dimensions.")
    sources: dict[str, str] = Field(default_factory=dict, description="The table of each dimension.")
    cube: str = Field(min_length=1, description="The task whose leaves hold the dimensions left out of cells.")
    leaf_dimensions: list[str] = Field(default_factory=list, description="The dimensions of those leaves.")
    metric: Literal["sum", "ratio"] = Field(description="A sum over rows, or a total per weight.")
    baseline: tuple[date, date] = Field(description="First and last day of the baseline period.")
    comparison: tuple[date, date] = Field(description="First and last day of the comparison period.")
    counts_rows: bool = Field(default=False, description="Whether each row adds one.")
    counts_units: bool = Field(default=False, description="Whether distinct things are counted.")
    per_day: bool = Field(default=False, description="Whether the metric is divided by the dates that have rows.")
    siblings: list[str] = Field(default_factory=list, description="The names of the other measures, in their order.")
    joins: list[tuple[str, str]] = Field(default_factory=list, description="Joined tables with the key of each.")
    watched: list[str] = Field(default_factory=list, description="Categories that the metric's own text reads.")
    inputs: list[str] = Field(default_factory=list, description="Columns that the metric's own text reads.")
    stacked: bool = Field(default=False, description="Whether the two sides of a quotient come from different rows.")
    times_matter: bool = Field(default=False, description="Whether the metric's own text reads the time of day.")
    holidays: list[date] = Field(default_factory=list, description="Public holidays of the data's span.")
    grouped: bool = Field(
        default=False, description="Whether the sides are two groups of rows, each recorded as a day."
    )


def load_facts(table: pa.Table, args: FactArgs, days: pa.Table | None = None) -> Facts:
    """The facts of a table of rows or cells; ``days`` tell how many rows of a day are there more than once, for cells.

    Raises:
        MissingColumn: the table lacks a column that the arguments name.
    """
    from averment.stats.attribution.facts import Facts, JoinFact

    quotient = args.metric == "ratio"
    for name in ("day", "v", *(["w"] if quotient else []), *args.dimensions, *args.watched):
        if name not in table.column_names:
            raise MissingColumn(f"The table of {args.facts} has no column {name}.")
    cells = "n" in table.column_names
    value = _floats(table, "v")
    empty = _floats(table, "empty") if cells else np.isnan(value).astype(np.float64)
    rows = _floats(table, "n") if cells else np.ones(len(value))
    num = np.nan_to_num(value)
    den = np.nan_to_num(_floats(table, "w")) if quotient else np.ones(len(num))
    ordinals, periods = _ordinals(table), (_period(args.baseline), _period(args.comparison))
    counts_rows = args.counts_rows
    if args.metric == "sum" and not cells and _is_filtered(empty, ordinals, periods):
        # A row that the metric's own condition leaves out is no row of the metric, and lacks nothing.
        rows, empty = 1.0 - empty, np.zeros(len(num))
        counts_rows = counts_rows or bool(np.isin(num, (0.0, 1.0)).all())
    again, exact = (_repeated_by_day(days, ordinals, rows), False) if cells else _repeats(table)
    together, key = _keys(table)
    return Facts(
        day=ordinals,
        num=num,
        den=den,
        rows=rows,
        empty=np.zeros(len(num)) if counts_rows or args.counts_units else empty,
        squares=_floats(table, "vv") if cells else num**2,
        cross=_floats(table, "vw") if cells and quotient else num * den,
        weights=_floats(table, "ww") if cells and quotient else den**2,
        axes={name: _axis(table, name) for name in (*args.dimensions, *args.watched)},
        how=args.metric,
        counts_rows=counts_rows,
        counts_units=args.counts_units,
        per_day=args.per_day,
        periods=periods,
        hour=_integers(table, "hour"),
        repeats=again,
        exact_repeats=exact,
        joins=tuple(
            JoinFact(
                table=name,
                column=column,
                matched=_floats(table, f"join_{n}") > 0,
                loosely=_floats(table, f"join_{n}") > 0,
            )
            for n, (name, column) in enumerate(args.joins)
            if f"join_{n}" in table.column_names
        ),
        siblings={name: _floats(table, f"sibling_{n}") for n, name in enumerate(args.siblings)},
        cluster=together,
        key=key,
        inputs=frozenset([*args.inputs, *args.watched]),
        plain_rows=not cells,
        sources=args.sources,
        times_matter=args.times_matter,
        stacked=args.stacked,
        grouped=args.grouped,
        holidays=frozenset(day.toordinal() for day in args.holidays),
    )


def load_leaves(leaves: pa.Table, args: FactArgs) -> Facts:
    """The facts of a cube's leaves: two cells each, one a period, on its first day.

    A leaf keeps no squares of its weights; they are taken as even within it, as they are for a mean over rows.

    Raises:
        MissingColumn: the table lacks a dimension.
        TypeMismatch: a denominator is below zero.
    """
    from averment.stats.attribution.facts import CodedAxis, Facts

    if len(leaves) and min(min(_floats(leaves, f"weight_{side}")) for side in ("before", "after")) < 0:
        raise TypeMismatch(
            "The metric's denominator is negative in some segments, so its change cannot be attributed.",
            suggestion="Use the numerator alone, or a denominator that cannot be negative.",
        )
    sides: dict[str, Any] = {
        name: np.concatenate([_floats(leaves, f"{name}_{side}") for side in ("before", "after")])
        for name in ("rows", "total", "squares", "weight")
    }
    count = np.maximum(sides["rows"], 1.0)
    quotient = args.metric == "ratio"
    den = sides["weight"] if quotient else np.ones(len(count))
    periods = (_period(args.baseline), _period(args.comparison))
    there = sides["rows"] > 0
    return Facts(
        day=np.repeat(np.array([first for first, _ in periods], dtype=np.int64), len(leaves))[there],
        num=sides["total"][there],
        den=den[there],
        rows=sides["rows"][there],
        empty=np.zeros(int(there.sum())),
        squares=sides["squares"][there],
        cross=(sides["total"] * den / count)[there],
        weights=(den**2 / count)[there],
        axes={
            name: CodedAxis(codes=np.tile(axis.codes, 2)[there], labels=axis.labels)
            for name in args.leaf_dimensions
            if (axis := _axis(leaves, name))
        },
        how=args.metric,
        counts_rows=args.counts_rows,
        counts_units=args.counts_units,
        periods=periods,
        inputs=frozenset([*args.inputs, *args.watched]),
        plain_rows=False,
        sources=args.sources,
        grouped=args.grouped,
    )


_FILTERED = 0.3


def _is_filtered(empty: Any, days: Any, periods: tuple[tuple[int, int], ...]) -> bool:
    """Whether so many rows add nothing in either period that a condition of the metric must leave them out."""
    for first, last in periods:
        inside = (days >= first) & (days <= last)
        if not inside.any() or empty[inside].mean() < _FILTERED:
            return False
    return True


def _period(days: tuple[date, date]) -> tuple[int, int]:
    return days[0].toordinal(), days[1].toordinal()


def _floats(table: pa.Table, name: str) -> Any:
    column = table.column(name).cast("float64")
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _integers(table: pa.Table, name: str) -> Any:
    if name not in table.column_names:
        return None
    return np.nan_to_num(_floats(table, name), nan=-1.0).astype(np.int64)


def _ordinals(table: pa.Table) -> Any:
    import pyarrow as pa

    column = table.column("day")
    if pa.types.is_date32(column.type):
        return np.asarray(column.cast("int32").to_numpy(zero_copy_only=False), dtype=np.int64) + _EPOCH
    days: Sequence[Any] = column.to_pylist()
    return np.array(
        [(d if isinstance(d, date) else date.fromisoformat(str(d)[:10])).toordinal() for d in days], dtype=np.int64
    )


def _axis(table: pa.Table, name: str) -> CodedAxis:
    from averment.stats.attribution.facts import CodedAxis

    numbered: Any = table.column(name).combine_chunks().dictionary_encode(null_encoding="encode")
    if hasattr(numbered, "combine_chunks"):
        numbered = numbered.combine_chunks()
    labels = [str(value) for value in numbered.dictionary.to_pylist()]
    order = sorted(range(len(labels)), key=lambda at: labels[at])
    place = np.empty(len(labels), dtype=np.int64)
    place[order] = np.arange(len(labels))
    codes = np.asarray(numbered.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return CodedAxis(codes=place[codes] if len(labels) else codes, labels=tuple(labels[at] for at in order))


def _repeats(table: pa.Table) -> tuple[Any, bool]:
    """One for each row that is there again: by all its columns, or by all but its key where that never happens."""
    if "again" not in table.column_names:
        return None, True
    whole = (_floats(table, "again") > 1).astype(np.float64)
    if whole.any() or "again_but_key" not in table.column_names:
        return whole, True
    return (_floats(table, "again_but_key") > 1).astype(np.float64), False


def _repeated_by_day(days: pa.Table | None, ordinals: Any, rows: Any) -> Any:
    """Of each cell the rows that are there more than once, by the share of such rows on its day."""
    if days is None or "distinct_rows" not in days.column_names:
        return None
    count = _floats(days, "row_count")
    share = 1.0 - np.divide(_floats(days, "distinct_rows"), count, out=np.ones(len(count)), where=count > 0)
    known = _ordinals(days)
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], ordinals), len(known) - 1)
    return np.where(known[order][at] == ordinals, rows * share[order][at], 0.0)


def _keys(table: pa.Table) -> tuple[Any, Any]:
    """The key of rows that come together, and the key that stands once on a date; either may be missing."""
    if "together" not in table.column_names:
        return None, None
    numbered: Any = table.column("together").combine_chunks().dictionary_encode(null_encoding="encode")
    if hasattr(numbered, "combine_chunks"):
        numbered = numbered.combine_chunks()
    codes = np.asarray(numbered.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    if not len(codes):
        return None, None
    pairs = len(np.unique(codes * 10**7 + _ordinals(table)))
    # Rows come together only where a key always has one date.
    if pairs <= 1.02 * len(np.unique(codes)):
        return codes, None
    return None, codes if pairs >= 0.98 * len(codes) else None
