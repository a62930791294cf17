"""How values are written, by kind, in one place: a year is 1960, a share is 74.2 %, a small p-value is < 0.001.

A kind is a word, with the number of decimals after a colon where a sentence needs more of them to tell two values
apart (``number:4``), and ``abs`` before it where the sentence's verb says the sign (``abs percentage``: fell by 3.1 %).
A number and an amount of money may be in a unit (``number in kg``), which is then written behind them.
What is written is decided by the value and the kind alone, so it can be written again and compared.
"""

from __future__ import annotations

import datetime as dt
import decimal
import re
from collections.abc import Callable
from decimal import Decimal

Scalar = str | int | float | bool | None

MISSING = "no value"
IN = " in "
"""What stands between a kind and its unit."""
MEASURED = frozenset({"number", "money"})
"""The kinds that may be in a unit."""
_PLURALS = frozenset({"years", "months", "weeks", "days", "hours", "minutes", "seconds", "miles", "tonnes"})
_EXACT = decimal.Context(prec=400, rounding=decimal.ROUND_HALF_EVEN)
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}


def write(value: Scalar | Decimal, kind: str) -> str:
    """The value as a reader sees it; a missing one is called ``no value`` whatever its kind.

    Raises:
        KeyError: no kind has that name.
    """
    bare, _, places = kind.removeprefix("abs ").partition(":")
    name, _, unit = bare.partition(IN)
    writer = KINDS[name]
    if value is None:
        return MISSING
    number = _number(value)
    if kind.startswith("abs ") and number is not None:
        value = number.copy_abs()
    said = writer(value, int(places) if places else None)
    if not unit or number is None:
        return said
    return f"{said} {unit[:-1] if unit in _PLURALS and abs(number) == 1 else unit}"


def is_kind(kind: str | None) -> bool:
    """Whether values of that kind are written here."""
    name, _, unit = (kind or "").removeprefix("abs ").partition(":")[0].partition(IN)
    return name in KINDS and (not unit or name in MEASURED)


def _number(value: Scalar | Decimal) -> Decimal | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return Decimal(value) if _PLAIN.fullmatch(value) else None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return number if number.is_finite() else None


def rounded(number: Decimal, places: int) -> Decimal:
    """The number to so many decimals, half to even; zeros at its end stay where the number goes on behind them."""
    short = number.quantize(Decimal(1).scaleb(-places), context=_EXACT)
    if short == 0:
        short = short.copy_abs()
    if short != number:
        return short
    return short.quantize(Decimal(1), context=_EXACT) if short == short.to_integral_value() else short.normalize(_EXACT)


def sensible(number: Decimal) -> int:
    """How many decimals tell enough of a number: two, and for small ones three figures that are not zero."""
    size = abs(number)
    if size >= 1 or size == 0:
        return 2
    return min(2 - size.adjusted(), 12)


def _plain(value: Scalar | Decimal, places: int | None, *, separated: bool = True) -> str:
    number = _number(value)
    if number is None:
        return str(value)
    if places is None and isinstance(value, int):
        return f"{value:,d}" if separated else str(value)
    if number != 0 and not Decimal("1e-9") <= number.copy_abs() < Decimal("1e18"):
        return f"{number:.{2 if places is None else places}e}"
    short = rounded(number, sensible(number) if places is None else places)
    return f"{short:,f}" if separated else f"{short:f}"


def _count(value: Scalar | Decimal, places: int | None) -> str:
    number = _number(value)
    if places is None and number is not None and number == number.to_integral_value():
        return f"{int(number):,d}"
    return _plain(value, places)


def _year(value: Scalar | Decimal, places: int | None) -> str:
    day = _DAY.match(value) if isinstance(value, str) else None
    if day is not None:
        return str(int(day.group(1)[:4]))
    return _plain(value, 1 if places is None and not isinstance(value, int) else places, separated=False)


def _label(value: Scalar | Decimal, places: int | None) -> str:
    """A name, also where it is made of digits: no separators, and no decimals that are not there."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _date(value, None) if _DAY.match(value) else value
    return _plain(value, places, separated=False)


def _model_label(value: Scalar | Decimal, places: int | None) -> str:
    """A name that a model's query gave."""
    return f"the model's label “{_label(value, places)}”"


def _quote(value: Scalar | Decimal, places: int | None) -> str:
    """Words of a text, letter by letter."""
    return str(value)


def _percent(value: Scalar | Decimal, places: int | None) -> str:
    number = _number(value)
    if number is None:
        return str(value)
    fine = max(1, sensible(number) - 1) if abs(number) < Decimal("0.1") else 1
    return f"{rounded(number, fine if places is None else places):,f} %"


def _points(value: Scalar | Decimal, places: int | None) -> str:
    return _percent(value, places).replace(" %", " percentage points")


def _fraction(value: Scalar | Decimal, places: int | None) -> str:
    number = _number(value)
    return str(value) if number is None else _percent(number * 100, places)


def _money(value: Scalar | Decimal, places: int | None) -> str:
    number = _number(value)
    if number is None or isinstance(value, int):
        return _plain(value, places)
    if places is None and 0 < number.copy_abs() < Decimal("0.1"):
        return _plain(number, None)
    return f"{number.quantize(Decimal(1).scaleb(-(2 if places is None else places)), context=_EXACT):,f}"


def _p_value(value: Scalar | Decimal, places: int | None) -> str:
    number = _number(value)
    if number is None:
        return str(value)
    return "< 0.001" if number < Decimal("0.001") else f"= {rounded(number, places or 3):f}"


def _date(value: Scalar | Decimal, places: int | None) -> str:
    """A day, and the time of the day where it is not midnight."""
    found = _DAY.match(value) if isinstance(value, str) else None
    if found is None:
        return str(value)
    day, minute, second, zone = found.groups()
    if minute is None or (minute == "00:00" and second in {None, ":00"} and not zone):
        return day
    return f"{day} {minute}{second if second not in {None, ':00'} else ''}{zone or ''}"


def _month(value: Scalar | Decimal, places: int | None) -> str:
    day = _first_day(value)
    return _date(value, places) if day is None else f"{_MONTHS[day.month - 1]} {day.year}"


def _quarter(value: Scalar | Decimal, places: int | None) -> str:
    day = _first_day(value)
    return _date(value, places) if day is None else f"Q{(day.month + 2) // 3} {day.year}"


def _week(value: Scalar | Decimal, places: int | None) -> str:
    return f"the week of {_date(value, places)}"


def _first_day(value: Scalar | Decimal) -> dt.date | None:
    found = _DAY.match(value) if isinstance(value, str) else None
    try:
        return None if found is None else dt.date.fromisoformat(found.group(1))
    except ValueError:
        return None


def _decade(value: Scalar | Decimal, places: int | None) -> str:
    return f"the {_year(value, 0 if places is None else places)}s"


def _hour(value: Scalar | Decimal, places: int | None) -> str:
    number = _number(value)
    if number is None or number != number.to_integral_value() or not 0 <= number < 24:
        return _label(value, places)
    return f"{int(number):02d}:00"


def _duration(unit: str) -> Callable[[Scalar | Decimal, int | None], str]:
    """A length of time in its own unit; a long one also in the units people say it in."""

    def writer(value: Scalar | Decimal, places: int | None) -> str:
        number = _number(value)
        if number is None:
            return str(value)
        said = f"{_plain(value, places)} {unit if abs(number) != 1 else unit[:-1]}"
        spoken = _spoken(int((abs(number) * _SECONDS[unit]).to_integral_value())) if abs(number) >= 120 else ""
        sign = "−" if number < 0 else ""
        return f"{said} ({sign}{spoken})" if spoken and unit != "days" else said

    return writer


def _spoken(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    while parts and parts[0][0] == 0:
        parts.pop(0)
    return " ".join(f"{number} {unit}" for number, unit in parts[:2] if number)


Writer = Callable[[Scalar | Decimal, int | None], str]

KINDS: dict[str, Writer] = {
    "number": _plain,
    "count": _count,
    "label": _label,
    "model label": _model_label,
    "quote": _quote,
    "year": _year,
    "decade": _decade,
    "quarter": _quarter,
    "month": _month,
    "week": _week,
    "date": _date,
    "hour": _hour,
    "percentage": _percent,
    "points": _points,
    "fraction": _fraction,
    "money": _money,
    "p": _p_value,
    **{unit: _duration(unit) for unit in _SECONDS},
}
"""Every kind of value and how it is written."""
