"""A story: one thing that moved the metric, with the figures that bear it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from averment.records.drilldown.results import ExplanationKind as Kind

FaultName = Literal[
    "unit_factor",
    "missing_rows",
    "late_rows",
    "duplicates",
    "nulls",
    "negative_sign",
    "rename",
    "definition",
    "key_format",
    "timezone",
    "outlier",
    "summed_level",
]
LOCATED = frozenset({"segment", "mix", "rate", "volume", "new_or_gone"})


@dataclass(kw_only=True)
class Story:
    """What moved, where, and by how much of the metric.

    ``before`` and ``after`` are the figure said to have moved. ``effect`` is its part of the change. A ``structural``
    fault makes figures incomparable without having a size of its own. ``count`` and ``other_count`` are rows it speaks
    of, ``factor`` a multiple, ``since`` and ``until`` days, ``old`` the former name of a value.
    """

    kind: Kind
    segment: dict[str, str] = field(default_factory=dict[str, str])
    effect: float | None = None
    fault: FaultName | None = None
    before: float | None = None
    after: float | None = None
    z: float | None = None
    structural: bool = False
    side: int = 1
    count: float | None = None
    other_count: float | None = None
    factor: float | None = None
    since: int | None = None
    until: int | None = None
    old: str | None = None
    column: str | None = None
    table: str | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    rate_part: float | None = None
    rows_part: float | None = None
    opposite: bool = False
    merges: bool = False
