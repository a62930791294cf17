"""Scales, currencies and measures: how they are written and the one name each goes by here."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

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

CURRENCY_SIGNS = {
    "$": "USD",
    "us$": "USD",
    "a$": "AUD",
    "c$": "CAD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₩": "KRW",
}

_NAMES: dict[UnitKind, dict[str, str]] = {
    "percent": {
        "percent": "% percent per cent pct percentage",
        "percentage point": "percentage point|percentage points|ppt|ppts",
        "basis point": "basis point|basis points|bp|bps",
    },
    "currency": {
        "USD": "usd dollar dollars bucks",
        "EUR": "eur euro euros",
        "GBP": "gbp pound pounds sterling",
        "JPY": "jpy yen",
        "INR": "inr rupee rupees",
        "CNY": "cny yuan rmb renminbi",
        "CHF": "chf francs",
        "CAD": "cad",
        "AUD": "aud",
        "cent": "cent cents",
    },
    "duration": {
        "second": "second seconds sec secs",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks wk wks",
        "month": "month months",
        "quarter": "quarters",
        "year": "year years yr yrs",
        "decade": "decades",
    },
    "measure": {
        "km": "km kilometer kilometers kilometre kilometres",
        "m": "meter meters metre metres",
        "cm": "cm centimeter centimeters centimetre centimetres",
        "mm": "millimeter millimeters millimetre millimetres",
        "mile": "mile miles",
        "foot": "ft foot feet",
        "inch": "inch inches",
        "kg": "kg kilogram kilograms kilo kilos",
        "g": "gram grams",
        "lb": "lb lbs",
        "ton": "ton tons tonne tonnes",
        "litre": "liter liters litre litres",
        "byte": "byte bytes",
        "KB": "kb",
        "MB": "mb",
        "GB": "gb",
        "TB": "tb",
        "kWh": "kwh",
        "degree": "degrees degree °",
        "km/h": "kph km/h",
        "mph": "mph",
        "x": "times",
    },
}


def _spelled(names: str) -> list[str]:
    return names.split("|") if "|" in names else names.replace("per cent", "per_cent").split()


UNITS: dict[str, tuple[UnitKind, str]] = {
    name.replace("_", " "): (kind, unit)
    for kind, units in _NAMES.items()
    for unit, names in units.items()
    for name in _spelled(names)
}
"""Every written unit with its kind and its one name."""
