"""The answer to "why did it move": explanations with one verdict each, what they contribute, and the rest.

All records are frozen, serialise to JSON as they are, and depend on nothing but the input arrays.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from averment.records.base import Record
from averment.stats.attribution.factors import FactorName

Verdict = Literal[
    "volume",
    "rate",
    "value",
    "mix",
    "calendar",
    "seasonal",
    "trend",
    "outlier",
    "segment",
    "global_shock",
    "data_fault",
    "rest",
    "no_finding",
]
"""What kind of cause an explanation is; ``no_finding`` is the verdict of an attribution without any."""

FaultKind = Literal["missing_days", "duplicated_load", "null_surge", "unit_change", "late_data"]
"""The faults of loading and recording that look like a change of the metric."""

State = Literal["changed", "new", "vanished"]
"""Whether a segment changed, was not there before, or is not there any more."""

MetricKind = Literal["forecast", "sum", "ratio"]
"""What the cube holds: expected against observed, a sum over rows, or a total per weight."""

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Level(Record):
    """A nested segment beside an explanation: how much of the one's change sits in the other."""

    segment: dict[str, str]
    relation: Literal["inside", "around"]
    """``inside``: this part holds ``share`` of the explanation's change. ``around``: the explanation holds ``share`` of
    this wider segment's change."""
    share: Finite


class Fault(Record):
    """A fault of the data itself, found in the daily series."""

    kind: FaultKind
    days: tuple[str, ...]
    period: Literal["baseline", "comparison"]
    factor: Finite
    """By how much the period's rows (or its unit) are multiplied because of the fault."""
    sentence: str


class MixSplit(Record):
    """A ratio's change split exactly: what the shares did, what the rates inside did, and whether they disagree."""

    change: Finite
    mix: Finite
    rate: Finite
    paradox: bool
    """Every group of enough weight moved against the total, or not at all and against it at least once."""
    dimension: str | None = None
    """The dimension whose values are the groups, where the split was chosen among several."""
    groups: tuple[GroupSplit, ...] = ()


class GroupSplit(Record):
    """One group's part of a mix split."""

    group: str
    mix: Finite
    rate: Finite
    share_before: Finite
    share_after: Finite
    rate_before: Finite | None
    rate_after: Finite | None


class SegmentExplanation(Record):
    """One cause: a segment (empty for everything), what it did, and how much of the change it carries."""

    segment: dict[str, str]
    verdict: Verdict
    factor: FactorName | None = None
    effect: Finite = 0.0
    """Relative change of the factor inside the segment beside all other explanations; -0.4 is 40 % less."""
    state: State = "changed"
    contribution: Finite
    share_of_change: Finite | None = None
    evidence: Finite = 0.0
    """Minus the log of the probability of so much by chance, for this one segment."""
    significance: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    """A bound on the probability of so much by chance anywhere in the search."""
    before: Finite | None = None
    after: Finite | None = None
    levels: tuple[Level, ...] = ()
    alternatives: tuple[dict[str, str], ...] = ()
    """Other segments that describe the same change almost as well, best first."""
    fault: Fault | None = None
    kind: str | None = None
    """The kind of story it is, where it was read as one: segment, mix, rate, volume, seasonal, calendar, trend, noise,
    data_fault, new_or_gone or outlier."""
    details: dict[str, str | float | None] = Field(default_factory=dict)
    """The further figures of a story: days, counts, factors, names."""


class Attribution(Record):
    """Everything found about one change; the contributions and ``unexplained`` sum to ``change``."""

    metric: MetricKind
    baseline: Finite | None
    comparison: Finite | None
    change: Finite | None
    verdict: Verdict
    explanations: tuple[SegmentExplanation, ...]
    unexplained: Finite | None
    mix: MixSplit | None = None
    faults: tuple[Fault, ...] = ()
    segments_searched: int
    alpha: float
    exposure: Finite = 1.0
    """How many baselines the comparison period is worth by its days, weekdays, growth and missing or doubled days."""
    daily_growth: Finite = 0.0

    @property
    def segments(self) -> tuple[dict[str, str], ...]:
        """The distinct segments named, best first, without those that mean everything."""
        named: list[dict[str, str]] = []
        for explanation in self.explanations:
            if explanation.segment and explanation.segment not in named:
                named.append(explanation.segment)
        return tuple(named)
