"""Scales, currencies and measures: how they are written and the one name each goes by here."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from averment.language.word_lists import word_lists

UnitKind = Literal["percent", "currency", "duration", "measure"]

SCALES: dict[str, Decimal] = {
    name: Decimal(10) ** power
    for power, names in {
        2: "hundred hundreds",
        3: "thousand thousands k",
        5: "lakh lakhs",
        6: "million millions mn mln mio mm m",
        7: "crore crores",
        9: "billion billions bn bln b",
        12: "trillion trillions tn trn t",
        15: "quadrillion quadrillions",
    }.items()
    for name in names.split()
}
"""What each scale word or letter multiplies by; letters count only when glued to digits or after a currency sign."""

SCALE_WORDS = frozenset(name for name in SCALES if len(name) > 3)
SCALE_SIGNS = frozenset(SCALES) - SCALE_WORDS

_LISTS = word_lists("numbers")
CURRENCY_SIGNS: dict[str, str] = _LISTS["currency_signs"]

_NAMES: dict[UnitKind, dict[str, str]] = _LISTS["units"]


def _spelled(names: str) -> list[str]:
    return names.split("|") if "|" in names else names.replace("per cent", "per_cent").split()


UNITS: dict[str, tuple[UnitKind, str]] = {
    name.replace("_", " "): (kind, unit)
    for kind, units in _NAMES.items()
    for unit, names in units.items()
    for name in _spelled(names)
}
"""Every written unit with its kind and its one name."""
