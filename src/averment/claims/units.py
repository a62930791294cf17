"""The unit of a column: what a person said it is, or what its heading says by itself ("weight (kg)", "area_m2").

A heading is read by a closed list. Behind a name, as in ``bill_length_mm``, only units that mean nothing else count;
single letters count where the name says what is measured (``body_mass_g``), and ``_min`` never does: it is a minimum.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.plans.columns import ResultColumn
    from averment.plans.plan import Value

_PLAIN = (
    "kg mg lb oz km cm mm ft km/h mph m/s ml cl kWh MWh GWh kW MW GW kB MB GB TB kJ kcal hPa kPa ms kHz MHz GHz "
    "USD EUR GBP CHF JPY CNY CAD AUD INR SEK NOK DKK PLN"
).split()
_OTHERS = {
    "lbs": "lb",
    "kmh": "km/h",
    "kph": "km/h",
    "m2": "m²",
    "sqm": "m²",
    "cm2": "cm²",
    "km2": "km²",
    "sqkm": "km²",
    "sqft": "sq ft",
    "m3": "m³",
    "cm3": "cm³",
    "meters": "m",
    "metres": "m",
    "kilometers": "km",
    "kilometres": "km",
    "miles": "miles",
    "grams": "g",
    "kilograms": "kg",
    "tonnes": "tonnes",
    "hectares": "ha",
    "litres": "l",
    "liters": "l",
    "minutes": "minutes",
    "seconds": "seconds",
    "hours": "hours",
    "months": "months",
    "dollars": "USD",
    "euros": "EUR",
    "celsius": "°C",
    "fahrenheit": "°F",
}
_BEHIND = {**{unit.casefold(): unit for unit in _PLAIN}, **_OTHERS}
"""What counts behind a name."""
_BRACKETED = {
    **_BEHIND,
    **{unit.casefold(): unit for unit in "m g t l h s min m² m³ km² ha W V A K °C °F € £ $ years days".split()},
    "c": "°C",
    "f": "°F",
}
"""What counts in brackets as well."""
_LETTERS = {
    "g": ("mass weight", "g"),
    "m": ("length height width depth distance altitude elevation", "m"),
    "c": ("temp temperature", "°C"),
    "f": ("temp temperature", "°F"),
    "l": ("volume capacity", "l"),
}
"""Letters that count behind a name with one of these words."""
_IN_BRACKETS = re.compile(r"[(\[]\s*(?:in\s+)?([^()\[\]]{1,12}?)\s*[)\]]\s*$", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]+\d?|\d+")
_SPELT = re.compile(r"(?<=[a-z])(?=[A-Z])")
LONGEST = 20


def heading_unit(heading: str) -> str:
    """The unit that a heading names, or nothing."""
    bracketed = _IN_BRACKETS.search(heading)
    if bracketed is not None:
        return _BRACKETED.get(bracketed.group(1).casefold(), "")
    words = [word.casefold() for word in _WORDS.findall(_SPELT.sub("_", heading))]
    if len(words) < 2:
        return ""
    *before, last = words
    if last in _LETTERS:
        named, unit = _LETTERS[last]
        return unit if set(named.split()) & set(before) else ""
    return _BEHIND.get(last, "")


def unit_of(value: Value | None, notes: Mapping[str, Any]) -> str:
    """The unit of a plain column: the one that ``notes`` (by ``table.column``) give it, else its heading's."""
    if value is None or value.kind not in {"column", "as_number"} or value.column is None:
        return ""
    said = " ".join(str((notes.get(f"{value.table}.{value.column}") or {}).get("unit") or "").split())
    if said:
        return said if len(said) <= LONGEST and not set(said) & set(":{}") else ""
    return heading_unit(value.column)


def column_unit(column: ResultColumn | None, notes: Mapping[str, Any]) -> str:
    """The unit of a column of a result, where it is that of the column it is taken of."""
    return unit_of(column.value, notes) if column is not None and column.unit == "same" else ""


def titled(title: str, unit: str) -> str:
    """An axis title with its unit, unless it says it already."""
    return f"{title} ({unit})" if unit and f"({unit.casefold()})" not in title.casefold() else title
