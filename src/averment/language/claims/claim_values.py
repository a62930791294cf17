"""Values a sentence states, in one normal form: amounts with units and margins, moments and periods, and names.

"$180B" and "180 billion dollars" are one amount; "about 180" has a margin; "2010 to 2012" is a period. ``compare`` says
whether two values agree, may both hold, or cannot both hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from averment.language.claims.names import same_name
from averment.language.numbers import Quantity, find_quantities
from averment.language.periods import PeriodMatch, find_periods
from averment.language.tokens import Span, fold, overlaps
from averment.language.word_lists import patterns

ValueKind = Literal["amount", "moment", "name"]
Agreement = Literal["same", "compatible", "different", "unrelated"]
"""Same: one says what the other says. Compatible: both may hold. Different: they cannot both hold. Unrelated: values of
different kinds or units, which say nothing about each other."""

_PATTERNS = patterns("claim_values", "averment.language")
_APPROXIMATE = re.compile(_PATTERNS["approximate"])
_AT_LEAST = re.compile(r"\b(?:over|more than|at least|in excess of|exceeding|above|no fewer than|no less than)\s+$")
_AT_MOST = re.compile(r"\b(?:under|less than|fewer than|below|at most|no more than|up to)\s+$")
_RANGE = re.compile(r"\s*(?:-|to|and)\s*$")
_YEAR = re.compile(r"(?<![\w.,$€£/-])(?P<year>1[0-9]{3}|20[0-9]{2})(?![\w%]|[.,][0-9])")
_BEFORE_CHRIST = re.compile(r"(?<![\w.,])(?P<year>[0-9]{1,4})\s?(?:bce?|b\.c\.(?:e\.)?)(?!\w)")
_SIZES: dict[str, tuple[str, Decimal]] = {
    "m": ("m", Decimal(1)),
    "km": ("m", Decimal(1000)),
    "cm": ("m", Decimal("0.01")),
    "mm": ("m", Decimal("0.001")),
    "mile": ("m", Decimal("1609.344")),
    "foot": ("m", Decimal("0.3048")),
    "inch": ("m", Decimal("0.0254")),
    "kg": ("kg", Decimal(1)),
    "g": ("kg", Decimal("0.001")),
    "lb": ("kg", Decimal("0.45359237")),
    "ton": ("kg", Decimal(1000)),
    "second": ("second", Decimal(1)),
    "minute": ("second", Decimal(60)),
    "hour": ("second", Decimal(3600)),
    "day": ("second", Decimal(86400)),
    "week": ("second", Decimal(604800)),
    "km/h": ("km/h", Decimal(1)),
    "mph": ("km/h", Decimal("1.609344")),
}
"""Measures brought to one unit, so that 5 miles and 8 km can be compared."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """One value as a text states it.

    An amount lies between ``low`` and ``high`` in ``unit``; a moment or period between two ISO dates (``first`` and
    ``last``; a missing side is open); a name is its ``text``. ``about`` marks a stated approximation. ``scale`` is the
    size of the unit as written: 1000 for km, whose amounts are in metres.
    """

    kind: ValueKind
    text: str
    span: Span
    low: Decimal | None = None
    high: Decimal | None = None
    unit: str | None = None
    first: str | None = None
    last: str | None = None
    grain: str | None = None
    about: bool = False
    scale: Decimal = Decimal(1)

    @property
    def normal(self) -> str:
        """The value in one spelling, for showing and for keys."""
        if self.kind == "amount" and self.low is not None and self.high is not None:
            low, high = f"{self.low.normalize():f}", f"{self.high.normalize():f}"
            return " ".join(filter(None, (low if low == high else f"{low}..{high}", self.unit)))
        if self.kind == "moment":
            return (self.first or "") if self.first == self.last else f"{self.first or ''}..{self.last or ''}"
        return self.text


def read_values(text: str) -> tuple[StatedValue, ...]:
    """The amounts and moments a text states, in order; digits of a date are no amount."""
    moments = read_moments(text)
    return tuple(sorted((*moments, *read_amounts(text, moments)), key=lambda value: value.span))


def read_moments(text: str) -> tuple[StatedValue, ...]:
    """The days, months, years and periods a text names, bare years included."""
    folded = fold(text)
    found = [
        _moment(match) for match in find_periods(text, anchor=None) if _is_moment(match, folded) and match.text.strip()
    ]
    taken = [value.span for value in found]
    for match in _BEFORE_CHRIST.finditer(folded):
        if not overlaps(match.span(), taken):
            year = f"-{int(match['year']):04d}"
            found.append(
                StatedValue("moment", text[slice(*match.span())], match.span(), first=year, last=year, grain="year")
            )
            taken.append(match.span())
    for match in _YEAR.finditer(folded):
        if not overlaps(match.span(), taken) and not _counts(folded, match.end()):
            found.append(_year(text, match.span("year"), folded))
    return tuple(sorted(found, key=lambda value: value.span))


_COUNTED = re.compile(_PATTERNS["counted"])


def _counts(folded: str, end: int) -> bool:
    return bool(_COUNTED.match(folded, end))


def _is_moment(match: PeriodMatch, folded: str) -> bool:
    if match.grain in {"weekday", "hour"} or (match.period is None and match.recurring is None):
        return False
    return not (match.grain == "year" and _counts(folded, match.span[1]))


def _moment(match: PeriodMatch) -> StatedValue:
    first, last = (day.isoformat() if day else None for day in (match.start, match.end))
    recurring = match.recurring
    if match.period is None and recurring and recurring.months:
        first = last = f"--{recurring.months[0]:02d}" + (f"-{recurring.day:02d}" if recurring.day else "")
    # "as of 2010" and "since 2010" name the year; the open side is a matter of the sentence, not of the value.
    if match.period is not None and match.bound != "range":
        first, last = first or last, last or first
        named = match.end or match.start
        if match.bound in {"until", "since"} and match.grain == "year" and named is not None:
            first, last = f"{named.year:04d}-01-01", f"{named.year:04d}-12-31"
    return StatedValue("moment", match.text, match.span, first=first, last=last, grain=match.grain)


def _year(text: str, span: Span, folded: str) -> StatedValue:
    year = text[slice(*span)]
    about = bool(_APPROXIMATE.search(folded, 0, span[0]))
    return StatedValue("moment", year, span, first=f"{year}-01-01", last=f"{year}-12-31", grain="year", about=about)


def read_amounts(text: str, moments: Sequence[StatedValue] = ()) -> tuple[StatedValue, ...]:
    """The amounts a text states with unit and margin; a range "10 to 12" is one amount."""
    folded = fold(text)
    found: list[StatedValue] = []
    for quantity in find_quantities(text, skip=[value.span for value in moments]):
        if quantity.kind == "ordinal":
            continue
        value = _amount(quantity, folded)
        if (
            found
            and _RANGE.fullmatch(folded[found[-1].span[1] : value.span[0]])
            and _is_range(found[-1], value, folded)
        ):
            found[-1] = _joined(found[-1], value, text)
        else:
            found.append(value)
    return tuple(found)


def _amount(quantity: Quantity, folded: str) -> StatedValue:
    unit, factor = _SIZES.get(quantity.unit or "", (quantity.unit, Decimal(1)))
    exact = quantity.value * factor
    low = high = exact
    before = folded[: quantity.span[0]][-40:]
    about = bool(_APPROXIMATE.search(before))
    if about:
        low, high = exact * Decimal("0.9"), exact * Decimal("1.1")
    elif _AT_LEAST.search(before):
        low, high = exact, exact * Decimal("1.5")
    elif _AT_MOST.search(before):
        low, high = exact * Decimal("0.5"), exact
    return StatedValue(
        "amount", quantity.text, quantity.span, low=low, high=high, unit=unit, about=low != high, scale=factor
    )


def _is_range(one: StatedValue, other: StatedValue, folded: str) -> bool:
    joint = folded[one.span[1] : other.span[0]].strip()
    if joint == "and" and not re.search(r"\bbetween\s+$", folded[: one.span[0]]):
        return False
    low, high = one.low or Decimal(0), other.high or Decimal(0)
    return (one.unit == other.unit or one.unit is None) and low < high


def _joined(one: StatedValue, other: StatedValue, text: str) -> StatedValue:
    span = (one.span[0], other.span[1])
    scale = other.scale
    return StatedValue(
        "amount", text[slice(*span)], span, one.low, other.high, other.unit, about=one.about, scale=scale
    )


def compare(one: StatedValue, other: StatedValue) -> Agreement:
    """Whether two values say the same, may both hold, or cannot both hold."""
    if one.kind != other.kind:
        return "unrelated"
    if one.kind == "amount":
        return _compare_amounts(one, other)
    if one.kind == "moment":
        return _compare_moments(one, other)
    return "same" if same_name(one.text, other.text) else "different"


def _compare_amounts(one: StatedValue, other: StatedValue) -> Agreement:
    if one.unit != other.unit or one.low is None or one.high is None or other.low is None or other.high is None:
        return "unrelated"
    if (one.low, one.high) == (other.low, other.high):
        return "same"
    if one.low <= other.high and other.low <= one.high:
        return "compatible"
    if one.scale != other.scale:
        agree = _converts_to(one.low, other.low / other.scale, other.scale)
        return "same" if agree or _converts_to(other.low, one.low / one.scale, one.scale) else "different"
    return "same" if _rounds_to(one.low, other.low) or _rounds_to(other.low, one.low) else "different"


def _rounds_to(exact: Decimal, shown: Decimal) -> bool:
    """Whether a value is another one rounded to the digits it shows, at least two: 3.56 million and 3.6 million."""
    digits = _digits(shown)
    return digits >= 2 and _digits(exact) > digits and _rounded(exact, digits) == shown


def _converts_to(exact: Decimal, shown: Decimal, scale: Decimal) -> bool:
    """Whether a number of other units is this value to the digits it shows, at least two: 5 miles are 8 km, not 10."""
    return _rounded(exact / scale, max(2, _digits(shown))) == shown


def _digits(number: Decimal) -> int:
    return len(number.normalize().as_tuple().digits)


def _rounded(number: Decimal, digits: int) -> Decimal:
    return number if number == 0 else number.quantize(Decimal(1).scaleb(number.adjusted() - digits + 1))


def _compare_moments(one: StatedValue, other: StatedValue) -> Agreement:
    if (one.first, one.last) == (other.first, other.last):
        return "same"
    years = [value for value in (one, other) if value.first and value.first.startswith("--")]
    if years:
        return _compare_recurring(one, other)
    if (one.first or "") > (other.last or "9999") or (other.first or "") > (one.last or "9999"):
        slack = one.about or other.about
        return "compatible" if slack and _years_apart(one, other) <= 5 else "different"
    return "compatible"


def _compare_recurring(one: StatedValue, other: StatedValue) -> Agreement:
    left, right = ((value.first or "").removeprefix("--") for value in (one, other))
    if (one.first or "").startswith("--") and (other.first or "").startswith("--"):
        return "compatible" if left.startswith(right) or right.startswith(left) else "different"
    day, whole = (left, other) if (one.first or "").startswith("--") else (right, one)
    if whole.first != whole.last:
        return "compatible"
    return "compatible" if (whole.first or "")[5:].startswith(day) else "different"


def _years_apart(one: StatedValue, other: StatedValue) -> int:
    return abs(int((one.first or "0")[:4] or 0) - int((other.first or "0")[:4] or 0))
