"""Telling an overview: how large the table is, what is missing, and what of the plans beside it is strong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.agents.analyst.telling.scene import ResultScene
from averment.evidence.values import as_decimal
from averment.plans.plan import Statistic
from averment.records.claim import Claim

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

MOST_MISSING, MOST_OF_EACH = 3, 2
CONCENTRATED, TIMES_EQUAL = 40.0, 2.0
"""A group is told where it has this share in percent, or this many times what equal groups would have."""

FEW, MANY = 0.001, 0.1
"""Outliers are told where their share of the rows lies between these; more of them is a skewed column."""

RELATED, LEAST_ROWS = 0.5, 30
"""Two numbers are called related from this coefficient on, over this many rows."""


def is_notable(scene: ResultScene, work: RunContext) -> bool:
    """Whether a result beside an overview is strong enough to be told."""
    plan = scene.plan
    if plan.window is not None:
        shares = [float(str(value)) for value in scene.values(scene.compiled.figures[-1]) if value is not None]
        return bool(shares) and max(shares) >= min(CONCENTRATED, TIMES_EQUAL * 100 / len(shares)) and len(shares) > 1
    if plan.statistic is None:
        return not plan.by or scene.sealed.size > 2
    if plan.statistic.kind == "outliers":
        rows = work.catalog.table(plan.table).row_count or 0
        return bool(rows) and FEW <= scene.sealed.size / rows <= MANY
    return plan.statistic.kind != "duplicates" or bool(scene.values("repeated")[0])


def is_strong(claim: Claim) -> bool:
    """Whether a claim is worth telling among others: of correlations the strong ones."""
    if claim.relation != "correlates":
        return True
    numbers = {value.role: as_decimal(getattr(value.evidence, "value", None)) for value in claim.values}
    return abs(numbers.get("r") or 0) >= RELATED and (numbers.get("rows") or 0) >= LEAST_ROWS


def tell_overview(scene: ResultScene, _statistic: Statistic) -> Iterator[Claim | None]:
    """The table's columns: how many there are, and which of them lack values."""
    columns = {"one": f"column in {scene.plan.table}", "many": f"columns in {scene.plan.table}"}
    yield scene.claim("count", "columns", [scene.count()], words=columns)
    size = scene.sealed.size
    rows = [row for row in range(size) if scene.values("missing")[row]]
    rows.sort(key=lambda row: (-int(str(scene.values("missing")[row] or 0)), row))
    for place, row in enumerate(rows[:MOST_MISSING]):
        value = scene.value(row, "missing", subject=0)
        yield scene.claim("is", f"missing-{place + 1}", [value], rows=[row], figure="number of missing values")
