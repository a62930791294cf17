"""When a task that repeats is due the next time."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime, timedelta

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EVERY = re.compile(r"every (\d+) (days|weeks|months)")
_STEPS = {"daily": (1, "days"), "weekly": (1, "weeks"), "biweekly": (2, "weeks"), "monthly": (1, "months")}


def next_time(due: str | None, repeat: str, today: date) -> str:
    """The first time after ``due`` that does not lie before today; a time of day stays as it is."""
    day, clock = (today, "") if due is None else (datetime.fromisoformat(due).date(), due[10:])
    anchor = day.day
    day = _step(day, repeat, anchor)
    while day < today:
        day = _step(day, repeat, anchor)
    return f"{day.isoformat()}{clock}"


def first_time(repeat: str, today: date) -> date:
    """When a task is first due that says only how it repeats."""
    if repeat.startswith("weekly on "):
        return today + timedelta(days=(WEEKDAYS.index(repeat.split()[-1]) - today.weekday()) % 7)
    return today + timedelta(days=max(0, 7 - today.weekday()) if repeat == "weekdays" and today.weekday() > 4 else 0)


def _step(day: date, repeat: str, anchor: int) -> date:
    if repeat == "weekdays":
        return day + timedelta(days={4: 3, 5: 2}.get(day.weekday(), 1))
    if repeat.startswith("weekly on "):
        return day + timedelta(days=(WEEKDAYS.index(repeat.split()[-1]) - day.weekday() - 1) % 7 + 1)
    if repeat == "yearly":
        return _months(day, 12, anchor)
    found = _EVERY.fullmatch(repeat)
    many, unit = (int(found.group(1)), found.group(2)) if found else _STEPS[repeat]
    return _months(day, many, anchor) if unit == "months" else day + timedelta(**{unit: many})


def _months(day: date, many: int, anchor: int) -> date:
    """So many months on, on the day of the month it began with where the month has it."""
    year, month = divmod(day.year * 12 + day.month - 1 + many, 12)
    return date(year, month + 1, min(anchor, monthrange(year, month + 1)[1]))
