"""When something was published, as far as it says so itself: an ISO date, or the year and month that are known.

Metadata comes first; in running text only the head of a document is looked at, and only a date that stands as one.
"""

from __future__ import annotations

import re
from datetime import date
from email.utils import parsedate_to_datetime

_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|"
        "november nov|december dec".split("|"),
        start=1,
    )
    for name in names.split()
}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_ISO = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?(?!\d)")
_PDF = re.compile(r"^D:(?P<year>(?:19|20)\d\d)(?P<number>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])")
_DAY_FIRST = re.compile(
    rf"\b(?P<day>[0-3]?\d)(?:st|nd|rd|th)?[\s-]+(?:of\s+)?{_MONTH},?[\s-]+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
)
_MONTH_FIRST = re.compile(
    rf"\b{_MONTH}\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
)
_MARKED = re.compile(
    r"^\W*(?:published|posted|updated|last updated|date|dated|release date|publication date)\b[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 1_500


def read_date(text: str | None) -> str | None:
    """The date a metadata value means: ISO, PDF, e-mail or plain English; None for anything else."""
    if not text:
        return None
    text = text.strip()[:200]
    for pattern in (_PDF, _ISO, _DAY_FIRST, _MONTH_FIRST):
        found = pattern.search(text)
        if found and (made := _date(found)):
            return made
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def date_in(text: str) -> str | None:
    """The date at the head of a document: on a line that is marked as one, or alone on its line; None otherwise."""
    head = text[:_HEAD]
    for line in _MARKED.findall(head):
        if made := _first(line):
            return made
    for line in head.split("\n"):
        stripped = line.strip(" *_#|-–—.,()[]")
        if len(stripped) <= 40 and (made := _first(stripped)) and _fills(stripped):
            return made
    return None


def _first(text: str) -> str | None:
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        found = pattern.search(text)
        if found and (made := _date(found)):
            return made
    return None


def _fills(line: str) -> bool:
    """Whether a line is little more than its date."""
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        found = pattern.search(line)
        if found:
            return len(found[0]) * 2 >= len(line)
    return False


def _date(found: re.Match[str]) -> str | None:
    parts = found.groupdict()
    month = int(parts["number"]) if parts.get("number") else _MONTHS[parts["month"].lower()]
    if not parts.get("day"):
        return f"{parts['year']}-{month:02d}"
    try:
        return date(int(parts["year"]), month, int(parts["day"])).isoformat()
    except ValueError:
        return None
