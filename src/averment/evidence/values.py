"""Values between a cell and a sentence: an exact form to keep, a readable form to show, the check that they agree."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from decimal import Decimal

from averment.evidence.formats import is_kind, write

Scalar = str | int | float | bool | None

_EXACT = decimal.Context(prec=400, rounding=decimal.ROUND_HALF_EVEN)
NUMBER = re.compile(r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
PERCENT = "percent"


def scalar(value: object) -> Scalar:
    """A cell's value as JSON keeps it: decimals and dates as exact text, everything else as it is."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def as_decimal(value: Scalar | Decimal) -> Decimal | None:
    """The value as an exact number, or None when it is none."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    text = value.strip().replace(",", "").replace("−", "-")
    if not NUMBER.fullmatch(text):
        return None
    return Decimal(text)


def show(value: Scalar | Decimal, *, unit: str | None = None, decimals: int | None = None) -> str:
    """The value as a reader sees it: thousands separated, exact decimals kept, long fractions rounded half to even."""
    number = as_decimal(value) if not isinstance(value, str) else None
    if isinstance(value, str) and NUMBER.fullmatch(value):
        number = Decimal(value)
    if number is None:
        return "no value" if value is None else str(value)
    if unit == PERCENT:
        places = 1 if decimals is None else decimals
        return f"{_rounded(number * 100, places):,f}%"
    if decimals is not None:
        return f"{_rounded(number, decimals):,f}"
    if isinstance(value, float):
        return f"{_shortened(number):,f}"
    return f"{number:,f}"


def _rounded(number: Decimal, places: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-places), context=_EXACT)


def _shortened(number: Decimal) -> Decimal:
    """A float without its noise: two places from a thousand up, four below, six below one."""
    size = abs(number)
    places = 2 if size >= 1000 else 4 if size >= 1 else 6
    short = _rounded(number, places)
    return short.quantize(Decimal(1)) if short == short.to_integral_value() else short.normalize(_EXACT)


def faithful(text: str, value: Scalar, *, unit: str | None = None) -> bool:
    """Whether a shown text says no more and no other than the value, to the places it shows.

    A unit that is a kind of value is held to the very text that its format writes.
    """
    if unit is not None and is_kind(unit):
        return text == write(value, unit)
    number = as_decimal(value)
    shown = as_decimal(text.removesuffix("%"))
    if number is None or shown is None:
        return text == show(value, unit=unit)
    if unit == PERCENT:
        if not text.endswith("%"):
            return False
        number = number * 100
    places = max(0, -int(shown.as_tuple().exponent))
    return _rounded(number, places) == shown


def same(left: Scalar, right: Scalar) -> bool:
    """Whether two kept values are the same value; 1 and True are not."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, float) and isinstance(right, float):
        return repr(left) == repr(right)
    return type(left) is type(right) and left == right
