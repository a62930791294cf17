"""Change attribution: which segments moved a metric, by how much, how surely, and how much stays unexplained.

``build_cube`` (or ``forecast_cube``) makes the input, ``attribute`` the answer; ``split_mix`` splits a ratio's change
into mix and rate, ``find_faults`` tests a daily series for faults of the data. Everything is arithmetic on arrays.
"""

from __future__ import annotations

from averment.stats.attribution.attribute import attribute
from averment.stats.attribution.calendar import DailySeries, Exposure, Period, estimate_exposure
from averment.stats.attribution.cube import CodedColumn, LeafCube, Side, build_cube, forecast_cube
from averment.stats.attribution.mix import split_mix
from averment.stats.attribution.options import Options
from averment.stats.attribution.quality import find_faults
from averment.stats.attribution.verdict import Attribution, Explanation, Fault, Level, MixSplit, Verdict

__all__ = [
    "Attribution",
    "CodedColumn",
    "DailySeries",
    "Explanation",
    "Exposure",
    "Fault",
    "LeafCube",
    "Level",
    "MixSplit",
    "Options",
    "Period",
    "Side",
    "Verdict",
    "attribute",
    "build_cube",
    "estimate_exposure",
    "find_faults",
    "forecast_cube",
    "split_mix",
]
