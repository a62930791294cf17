"""Time in words: which periods a text names, how sure that reading is, and which grain it asks for.

``timeline`` is the arithmetic of periods, ``match`` what is found, the ``…_forms`` modules the absolute phrases,
``relative_forms`` those that need an anchor, ``ranges`` how they combine, ``grains`` the "by month" of a question.
"""

from __future__ import annotations

from averment.language.periods.finder import find_periods
from averment.language.periods.grains import GrainMatch, find_grain, find_grains
from averment.language.periods.match import Ambiguity, PeriodMatch, Recurring
from averment.language.periods.timeline import Grain, Period

__all__ = [
    "Ambiguity",
    "Grain",
    "GrainMatch",
    "Period",
    "PeriodMatch",
    "Recurring",
    "find_grain",
    "find_grains",
    "find_periods",
]
