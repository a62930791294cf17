"""A period as people write it: a month, a quarter, a year, a span of two, or words such as "last month".

Words that are relative are read from a given day; what comes out are two days, so that a request says the same later.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "|".join(f"{name}[a-z]*" for name in _MONTHS)
Span = tuple[date, date]


def read_period(text: str, today: date) -> Span | None:
    """The first and last day of the period that a text names, or None where it names none."""
    said = " ".join(text.casefold().replace(",", " ").split())
    for mark in ("..", " to ", " until "):
        left, found, right = said.partition(mark)
        if found:
            first, last = _one(left.strip(), today), _one(right.strip(), today)
            return None if first is None or last is None else (first[0], last[1])
    return _one(said, today)


def _one(said: str, today: date) -> Span | None:
    try:
        return _absolute(said) or _relative(said, today)
    except ValueError:
        return None


def _absolute(said: str) -> Span | None:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", said):
        day = date.fromisoformat(said)
        return day, day
    if found := re.fullmatch(r"(\d{4})[-/](\d{1,2})", said):
        return _month(int(found[1]), int(found[2]))
    if re.fullmatch(r"(?:1[7-9]|20|21)\d{2}", said):
        return _year(int(said))
    if found := re.fullmatch(r"(\d{4})[- ]?q([1-4])", said):
        return _quarter(int(found[1]), int(found[2]))
    if found := re.fullmatch(r"q([1-4])[- ]?(\d{4})", said):
        return _quarter(int(found[2]), int(found[1]))
    if found := re.fullmatch(rf"({_MONTH}) (\d{{4}})", said):
        return _month(int(found[2]), _number(found[1]))
    if found := re.fullmatch(rf"(\d{{4}}) ({_MONTH})", said):
        return _month(int(found[1]), _number(found[2]))
    if found := re.fullmatch(r"(\d{4})-?w(\d{1,2})", said):
        first = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return first, first + timedelta(days=6)
    return None


def _relative(said: str, today: date) -> Span | None:
    back = {"this": 0, "last": 1, "previous": 1}
    if said == "yesterday":
        return today - timedelta(days=1), today - timedelta(days=1)
    if said in {"year to date", "ytd"}:
        return date(today.year, 1, 1), today
    if found := re.fullmatch(r"(this|last|previous) (week|month|quarter|year)", said):
        return _calendar(found[2], back[found[1]], today)
    if found := re.fullmatch(r"(?:the )?(?:last|past) (\d{1,3}) (day|week|month)s?", said):
        days = int(found[1]) * {"day": 1, "week": 7, "month": 30}[found[2]]
        return today - timedelta(days=days), today - timedelta(days=1)
    if found := re.fullmatch(r"q([1-4])(?: (?:of )?(this|last|previous) year)?", said):
        return _quarter(today.year - back.get(found[2] or "this", 0), int(found[1]))
    if found := re.fullmatch(rf"({_MONTH}) (?:of )?(this|last|previous) year", said):
        return _month(today.year - back[found[2]], _number(found[1]))
    return None


def _calendar(unit: str, back: int, today: date) -> Span:
    match unit:
        case "week":
            first = today - timedelta(days=today.weekday() + 7 * back)
            return first, first + timedelta(days=6)
        case "month":
            number = today.year * 12 + today.month - 1 - back
            return _month(number // 12, number % 12 + 1)
        case "quarter":
            number = today.year * 4 + (today.month - 1) // 3 - back
            return _quarter(number // 4, number % 4 + 1)
        case _:
            return _year(today.year - back)


def _number(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _month(year: int, month: int) -> Span:
    first = date(year, month, 1)
    following = date(year + month // 12, month % 12 + 1, 1)
    return first, following - timedelta(days=1)


def _quarter(year: int, quarter: int) -> Span:
    return _month(year, 3 * quarter - 2)[0], _month(year, 3 * quarter)[1]


def _year(year: int) -> Span:
    return date(year, 1, 1), date(year, 12, 31)
