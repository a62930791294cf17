"""Time in words: which periods a text names, and how sure that reading is.

``timeline`` is the arithmetic of periods, ``match`` what is found, the ``…_forms`` modules the absolute phrases,
``relative_forms`` those that need an anchor, ``ranges`` how they combine.
"""

from __future__ import annotations

from averment.language.periods.finder import find_periods
from averment.language.periods.match import Ambiguity, DayTime, PeriodMatch, Recurring
from averment.language.periods.timeline import Grain, Period

__all__ = [
    "Ambiguity",
    "DayTime",
    "Grain",
    "Period",
    "PeriodMatch",
    "Recurring",
    "find_periods",
]
