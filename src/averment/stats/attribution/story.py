"""A story: one thing that moved the metric, with the figures that bear it out; and the form in which it is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from averment.records.base import Record
from averment.records.drilldown.results import ExplanationKind as Kind
from averment.stats.attribution.facts import Facts

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
Finite = Annotated[float, Field(allow_inf_nan=False)]
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


class Explanation(Record):
    """A story as it is kept: a segment (empty for everything), what it did, and its part of the change."""

    segment: dict[str, str]
    kind: Kind
    effect: Finite = 0.0
    """The relative change of the figure that moved; -0.4 is 40 % less."""
    state: Literal["changed", "new", "vanished"] = "changed"
    contribution: Finite
    share_of_change: Finite | None = None
    before: Finite | None = None
    after: Finite | None = None
    details: dict[str, str | float | None] = Field(default_factory=dict)
    """The further figures: days, counts, factors, names."""


class Attribution(Record):
    """Everything that was read of one change; the contributions and ``unexplained`` sum to ``change``."""

    baseline: Finite
    comparison: Finite
    change: Finite
    explanations: tuple[Explanation, ...]
    unexplained: Finite
    paradox: str | None = None
    """The dimension whose values all moved against the whole, which moved because their weights did."""
    exposure: Finite = 1.0
    """How many baselines the comparison is worth by its days and weekdays."""

    @property
    def segments(self) -> tuple[dict[str, str], ...]:
        """The distinct segments named, in their rank."""
        named: list[dict[str, str]] = []
        for one in self.explanations:
            if one.segment and one.segment not in named:
                named.append(one.segment)
        return tuple(named)


def explained(facts: Facts, story: Story) -> Explanation:
    """A story with its part of the change."""
    effect = story.effect or 0.0
    moved = story.after / story.before - 1.0 if story.before and story.after is not None else 0.0
    state = "changed" if story.kind != "new_or_gone" else "new" if _is_new(facts, story) else "vanished"
    return Explanation(
        segment=story.segment,
        kind=story.kind,
        effect=moved,
        state=state,
        contribution=effect,
        share_of_change=effect / facts.change if facts.change and story.effect is not None else None,
        before=story.before,
        after=story.after,
        details={
            "fault": story.fault,
            "side": "comparison" if story.side else "baseline",
            "count": story.count,
            "other_count": story.other_count,
            "multiple": story.factor,
            "since": _day(story.since),
            "until": _day(story.until),
            "old": story.old,
            "new": story.note or None,
            "column": story.column,
            "table": story.table,
            "low": story.low,
            "high": story.high,
            "sized": None if story.effect is None else 1.0,
        },
    )


def _is_new(facts: Facts, story: Story) -> bool:
    if set(story.segment) <= set(facts.axes):
        inside = [float(facts.rows[i & facts.mask(story.segment)].sum()) for i in facts.inside]
        return inside[0] < inside[1]
    return (story.before or 0.0) < (story.after or 0.0)


def _day(ordinal: int | None) -> str | None:
    return None if ordinal is None else date.fromordinal(ordinal).isoformat()
