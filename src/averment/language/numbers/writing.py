"""Numbers as reports show them: exact, rounded only where asked, the same on every machine."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

from averment.errors import InvalidArguments

_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
# Wide enough that no value of a table is rounded unless decimals are asked for.
_WIDE = Context(prec=400)


def format_number(
    value: Decimal | int | float, *, decimals: int | None = None, thousands: bool = True, unit: str | None = None
) -> str:
    """A number as text: "1,234.50", "$3.00", "45%", "12 km".

    ``decimals`` rounds half up to that many places and shows them all; None shows the value exactly, without trailing
    zeros. A float is taken by its shortest decimal form. ``unit`` goes where readers expect it.

    Raises:
        InvalidArguments: the value is not a finite number, or the decimals are negative.
    """
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        raise InvalidArguments(f"{value} is not a finite number.")
    if decimals is not None:
        if decimals < 0:
            raise InvalidArguments("Decimals must not be negative.")
        number = number.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP, context=_WIDE)
    else:
        number = number.normalize(_WIDE)
    if number.is_zero():
        number = abs(number)  # No report shows "-0".
    digits = f"{abs(number):,f}" if thousands else f"{abs(number):f}"
    return ("-" if number < 0 else "") + _with_unit(digits, unit)


def _with_unit(digits: str, unit: str | None) -> str:
    if unit is None:
        return digits
    if unit in _SIGNS:
        return _SIGNS[unit] + digits
    if unit in {"percent", "%"}:
        return digits + "%"
    return f"{digits} {unit}"
