"""Quarters, halves and ISO weeks as people write them, with a year or without."""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.language.periods.match import Form, PeriodDraft, PeriodText, Recurring, placed, yearless
from averment.language.periods.period_words import EDGE, FISCAL, OF, ORDINALS, YEAR, YEAR_OR_SHORT, year_number
from averment.language.periods.timeline import half_of, quarter_of, week_of

_ORDINAL = r"(?:first|second|third|fourth|last|final|1st|2nd|3rd|4th)"
_QUARTER = (
    rf"(?:q\s?(?P<q>[1-4])|(?P<q2>[1-4])q|(?P<qo>{_ORDINAL})\s+(?:fiscal\s+)?(?:quarter|qtr)|"
    r"(?:quarter|qtr)\s+(?P<q3>[1-4]))"
)
_HALF = r"(?:h(?P<h>[12])|(?P<h2>[12])h|(?P<ho>first|second|1st|2nd|last)\s+half(?:[- ]year)?)"
_SPREAD = re.compile(r"iqr|quartile|percentile|median")


def _quarter(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    groups = found.groupdict()
    ordinal = groups.get("qo")
    number = groups.get("q") or groups.get("q2") or groups.get("q3")
    quarter = int(number) if number else 4 if ordinal in {"last", "final"} else ORDINALS[str(ordinal)]
    start_month = reading.fiscal_start_month if groups.get("fiscal") or "fiscal" in found.group() else 1
    year = groups.get("y")
    if year:
        return placed(found, quarter_of(year_number(year), quarter, start_month))
    if ordinal in {"last", "final"}:
        return None  # "last quarter" counts from the anchor.
    if number and _SPREAD.search(reading.folded):
        return None
    recurring = Recurring(quarters=(quarter,))
    return yearless(found, "quarter", lambda at: quarter_of(at, quarter, start_month), recurring, certain=bool(number))


def _half(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    groups = found.groupdict()
    ordinal = groups.get("ho")
    number = groups.get("h3") or groups.get("h") or groups.get("h2")
    half = int(number) if number else 2 if ordinal == "last" else ORDINALS[str(ordinal)]
    start_month = reading.fiscal_start_month if groups.get("fiscal") else 1
    year = groups.get("y")
    if year:
        return placed(found, half_of(year_number(year), half, start_month))
    first = 1 if half == 1 else 7
    recurring, certain = Recurring(months=tuple(range(first, first + 6))), bool(groups.get("h3"))
    return yearless(found, "half", lambda at: half_of(at, half, start_month), recurring, certain=certain)


def _week(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    week = int(found["w"])
    year = found.groupdict().get("y")
    if not 1 <= week <= 53:
        raise ValueError(week)
    if year:
        return placed(found, week_of(year_number(year), week), year_number(year))
    return yearless(found, "week", lambda at: week_of(at, week), Recurring(weeks=(week,)), certain=False)


def forms() -> Iterator[Form]:
    """Every quarter, half and week form, the more telling first."""
    year, of, joint = rf"(?P<y>{YEAR})", OF, rf"(?:{OF}|\s*[-/]\s*)"
    short = rf"(?P<y>{YEAR_OR_SHORT})"
    fiscal = rf"(?P<fiscal>{FISCAL})\s*"
    full = r"(?P<y>(?:19|20)[0-9]{2})"
    for pattern, build in (
        (rf"(?:the\s+)?{_QUARTER}{joint}(?:calendar\s+year\s+|cy\s*)?{year}", _quarter),
        (rf"(?:the\s+)?{_QUARTER}{joint}{fiscal}{short}", _quarter),
        (rf"{fiscal}{short}[\s,/-]*{_QUARTER}\b", _quarter),
        (r"(?:q(?P<q>[1-4])|(?P<q2>[1-4])q)\s?[-/]?'?(?P<y>[0-9]{2})\b(?!\s*%)", _quarter),
        (rf"{full}[\s,/-]*{_QUARTER}\b", _quarter),
        (rf"(?:the\s+)?{_HALF}{joint}{year}", _half),
        (rf"(?:the\s+)?{_HALF}{joint}{fiscal}{short}", _half),
        (r"(?:h(?P<h>[12])|(?P<h2>[12])h)\s?[-/]?'?(?P<y>[0-9]{2})\b", _half),
        (rf"{full}[\s,/-]*{_HALF}\b", _half),
        (rf"{full}[\s-]?w(?:eek\s?)?(?P<w>[0-9]{{1,2}})\b", _week),
        (
            rf"(?:(?:iso|calendar)\s+)?(?:week|wk|cw|kw|w)\s?(?:no\.?\s*|number\s*|#)?(?P<w>[0-9]{{1,2}}){joint}{year}",
            _week,
        ),
        (
            rf"(?:the\s+)?(?P<w>[0-9]{{1,2}})(?:st|nd|rd|th)\s+(?:iso\s+|calendar\s+)?week{of}{full}\b",
            _week,
        ),
        (r"(?:iso\s+|calendar\s+)?week\s+(?:no\.?\s*|number\s*|#)?(?P<w>[0-9]{1,2})\b", _week),
        (rf"(?:the\s+)?{_QUARTER}\b(?!-[a-z]|\s+of\s+the\s+(?:game|match))", _quarter),
        (rf"(?:the\s+)?{_HALF}\s+of\s+(?:the|that|each)\s+year\b|{EDGE}h(?P<h3>[12])\b", _half),
    ):
        yield re.compile(EDGE + pattern), build
