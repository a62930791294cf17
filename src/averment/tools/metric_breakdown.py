"""``metric.breakdown``: for each dimension every value's part of a change, whether or not a cause is found."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from averment.tools.metric_facts import FactArgs, load_facts, load_leaves
from averment.tools.result_store import StoredTable
from averment.tools.tool import Output, ToolContext, tool

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.stats.attribution.facts import Facts

_TEXTS = ("dimension", "value", "verdict")
NUMBERS = ("before", "after", "change", "share", "low", "high", "rows_before", "rows_after")
PARTS = ("rows_part", "value_part", "mix_part")


class BreakdownOutput(Output):
    """The breakdown as a table, and what the rows are."""

    table: StoredTable
    grain: dict[str, Any]


def break_metric_down(args: FactArgs, context: ToolContext) -> BreakdownOutput:
    """Break a change down by every clean dimension.

    Raises:
        MissingColumn: the table lacks a column that the arguments name.
    """
    facts = load_facts(context.result_store.by_task(args.facts), args)
    leaves = None if facts.plain_rows else context.result_store.by_task(args.cube)
    return BreakdownOutput(table=context.keep(breakdown_table(facts, args, leaves)), grain=grain_of(facts))


def breakdown_table(facts: Facts, args: FactArgs, leaves: pa.Table | None = None) -> pa.Table:
    """One row for each value of each dimension: figures, part of the change, its interval, noise or beyond.

    Of a large table the cells by day hold only some dimensions; the others are broken down by its ``leaves``.
    """
    import pyarrow as pa

    from averment.stats.attribution.breakdown import break_down
    from averment.stats.attribution.hygiene import clean_dimensions
    from averment.stats.attribution.tell import merge_renamed

    dimensions = clean_dimensions(facts)[0]
    merge_renamed(facts, dimensions)
    found = break_down(facts, dimensions)
    if leaves is not None and not facts.averaged:
        cells = load_leaves(leaves, args)
        others = tuple(name for name in clean_dimensions(cells)[0] if name not in facts.axes)
        found = (*break_down(cells, others, facts), *found)
    movers = [asdict(mover) for mover in found]
    columns: dict[str, Any] = {name: pa.array([m[name] for m in movers], pa.string()) for name in _TEXTS[:2]}
    for name in (*NUMBERS, *PARTS):
        columns[name] = pa.array([_plain(m[name]) for m in movers], pa.float64())
    columns["verdict"] = pa.array(["beyond noise" if m["beyond"] else "noise" for m in movers], pa.string())
    return pa.table(columns)


def grain_of(facts: Facts) -> dict[str, Any]:
    """What the rows are, and what was expected of the comparison."""
    from averment.stats.attribution.expected import expected_range

    expected = expected_range(facts)
    return {
        "frequency": facts.frequency,
        "entity": None if facts.entity is None else list(facts.entity),
        "level": facts.level,
        "averaged": facts.averaged,
        "dates": list(facts.dates),
        "expected": None if expected is None else dict(zip(("by", "value", "low", "high"), expected, strict=True)),
    }


def _plain(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


METRIC_BREAKDOWN = tool(
    "metric.breakdown",
    break_metric_down,
    "Break a metric's change down by every dimension: each value's part, its interval, noise or beyond.",
    cost_seconds=1.0,
)
