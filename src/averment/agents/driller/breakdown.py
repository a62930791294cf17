"""The breakdown of a change as blocks of a report and as plain values: it is there whether or not a cause is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.driller.cells import Cells, places_of
from averment.agents.driller.reading import BREAKDOWN
from averment.evidence.values import show
from averment.reports.document import Block, Grid, Heading, Paragraph

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

SHOWN = 8
"""So many values of a dimension stand in the report; the table has more."""
MOST_DIMENSIONS = 6


def breakdown_rows(work: RunContext) -> list[dict[str, Any]]:
    """Every value of every dimension with its figures and its part of the change."""
    return [] if BREAKDOWN not in work.state.answered else work.table(BREAKDOWN).to_pylist()


def breakdown_blocks(work: RunContext) -> list[Block]:
    """For each dimension a table of its largest movers."""
    if BREAKDOWN not in work.state.answered:
        return []
    cells = Cells(work, BREAKDOWN)
    blocks: list[Block] = [Heading(text="Breakdown")]
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(cells.table.column("dimension").to_pylist()):
        groups.setdefault(str(name), []).append(row)
    if not groups:
        return [*blocks, Paragraph(text="No column cuts the metric into segments, so there is nothing to break down.")]
    header = ("before", "after", "change", "share of the change", "95 % interval", "")
    for name, rows in list(groups.items())[:MOST_DIMENSIONS]:
        lines = tuple(_line(cells, row) for row in rows[:SHOWN])
        blocks.append(Grid(header=(name, *header), rows=lines, numeric=(False, *[True] * 5, False)))
        if len(rows) > SHOWN:
            blocks.append(Paragraph(text=f"Smaller movers by {name} are in the breakdown table."))
    return blocks


def _line(cells: Cells, row: int) -> tuple[str, ...]:
    figures = [_shown(cells, row, name) for name in ("before", "after", "change")]
    share = show(cells.value(row, "share"), unit="percent") if cells.has(row, "share") else ""
    between, verdict = "", ""
    if cells.has(row, "low") and cells.has(row, "high"):
        between = f"{_shown(cells, row, 'low')} to {_shown(cells, row, 'high')}"
        verdict = str(cells.value(row, "verdict"))
    return (str(cells.value(row, "value")), *figures, share, between, verdict)


def _shown(cells: Cells, row: int, column: str) -> str:
    if not cells.has(row, column):
        return ""
    value = cells.value(row, column)
    return show(value, decimals=places_of(value))
