"""Telling an overview: how large the table is, what is missing, and what of the plans beside it is strong."""

from __future__ import annotations

from collections.abc import Iterator

from averment.agents.analyst.telling.scene import Scene
from averment.records.claim import Claim

MOST_MISSING = 3


def tell_overview(scene: Scene) -> Iterator[Claim | None]:
    """The table's columns: how many there are, and which of them lack values."""
    columns = {"one": f"column in {scene.plan.table}", "many": f"columns in {scene.plan.table}"}
    yield scene.claim("count", "columns", [scene.count()], words=columns)
    size = scene.sealed.size
    rows = [row for row in range(size) if scene.values("missing")[row]]
    rows.sort(key=lambda row: (-int(str(scene.values("missing")[row] or 0)), row))
    for place, row in enumerate(rows[:MOST_MISSING]):
        value = scene.value(row, "missing", subject=0)
        yield scene.claim("is", f"missing-{place + 1}", [value], rows=[row], figure="number of missing values")
