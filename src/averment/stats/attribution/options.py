"""What an attribution may be told: how deep to look, how sure to be, and how the two periods compare."""

from __future__ import annotations

from dataclasses import dataclass

from averment.errors import InvalidArguments
from averment.stats.attribution.calendar import DailySeries, DaySpan
from averment.stats.attribution.verdict import MetricKind


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to attribute.

    ``alpha`` bounds the probability of naming any cause where there is none, over everything searched. ``scale``
    multiplies the totals of the baseline and the comparison (one over the days of each for a metric per day).
    ``daily``, with both periods, brings weekday weights, day noise and the tests for faults of the data; without it
    the comparison counts as ``exposure`` baselines. ``distinct_rows`` per day of the series shows double loads.
    """

    metric: MetricKind = "sum"
    alpha: float = 0.002
    max_dimensions: int = 3
    max_explanations: int = 8
    scale: tuple[float, float] = (1.0, 1.0)
    exposure: float = 1.0
    daily: DailySeries | None = None
    baseline: DaySpan | None = None
    comparison: DaySpan | None = None
    distinct_rows: tuple[float, ...] | None = None
    coverage: float = 1.5
    """How much a ratio's headline is drawn to the level that covers the move; 0 names the sharpest level."""

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise InvalidArguments("alpha must be between 0 and 1.")
        if self.max_dimensions < 1 or self.max_explanations < 1:
            raise InvalidArguments("A search needs at least one dimension and one explanation.")
        if self.exposure <= 0 or min(self.scale) <= 0:
            raise InvalidArguments("Exposure and scale must be positive.")
        if self.daily is not None and (self.baseline is None or self.comparison is None):
            raise InvalidArguments("A daily series needs both periods.")
