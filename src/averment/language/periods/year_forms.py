"""Years, fiscal years, decades, centuries, seasons and parts of a year as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from averment.language.periods.match import Form, PeriodDraft, PeriodText, placed
from averment.language.periods.period_words import (
    EDGE,
    FISCAL,
    MONTH,
    OF,
    YEAR,
    month_number,
    words_before,
    year_number,
)
from averment.language.periods.timeline import Period, fiscal_year_of, month_of, year_of
from averment.language.periods.year_reading import read_year

_DECADE_WORDS: dict[str, int] = dict(
    zip(
        "twenties thirties forties fifties sixties seventies eighties nineties".split(),
        range(1920, 2000, 10),
        strict=True,
    )
)
_SEASON_TAIL = r"(?P<season>\s+(?:[a-z]+\s+)?(?:season|academic year|school year))?"


def _bare_year(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    verdict = read_year(reading, found.start("y"), found.end("y"))
    if verdict == "no":
        return None
    return replace(placed(found, year_of(int(found["y"]))), certain=verdict == "certain")


def _named_year(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    return placed(found, year_of(year_number(found["y"])))


def _fiscal_year(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    year = year_number(found["y"])
    if found["y2"]:
        year += 1
    period = fiscal_year_of(year, reading.fiscal_start_month)
    return placed(found, period, year)


def _split_year(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    """2012-13 and 2008/09 season: two years named as one; 2008-09 alone is a month."""
    first, short = int(found["y"]), int(found["y2"])
    if short > max(12, (first + 1) % 100) and words_before(reading, found.start(), 1) in (
        ["from"],
        ["between"],
        ["years"],
    ):
        last = first // 100 * 100 + short
        return replace(placed(found, Period(date(first, 1, 1), date(last, 12, 31), "year"), first), bound="range")
    if (first + 1) % 100 != short or (short <= 12 and not found["season"] and found["sep"] == "-"):
        return None
    return placed(found, Period(date(first, 1, 1), date(first + 1, 12, 31), "year"), first)


def _decade(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    word = found.groupdict().get("word")
    if word:
        first = _DECADE_WORDS[str(word)]
    else:
        digits = found["d"]
        first = int(digits) if len(digits) == 4 else (1900 if int(digits) >= 30 else 2000) + int(digits)
    start, end = date(first, 1, 1), date(first + 9, 12, 31)
    part = found.groupdict().get("part")
    if part:
        offset = {"early": 0, "mid": 3, "late": 7}[part.strip("- ")]
        start, end = date(first + offset, 1, 1), date(first + min(offset + 3, 9), 12, 31)
    draft = placed(found, Period(start, end, "decade"), first)
    return replace(draft, ambiguity="vague") if part else draft


def _century(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    last = int(found["c"]) * 100
    if not 1000 < last <= 2200:
        return None
    return placed(found, Period(date(last - 99, 1, 1), date(last, 12, 31), "century"), last)


def _season(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    year = year_number(found["y"])
    first = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[found["s"]]
    end = month_of(year + (first == 12), 2 if first == 12 else first + 2).end
    return replace(placed(found, Period(date(year, first, 1), end, "quarter"), year), ambiguity="vague")


def _thirds(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    """early, mid and late of a year or month, by thirds."""
    part = {"early": 0, "mid": 1, "middle": 1, "late": 2}[found["part"]]
    year = year_number(found["y"])
    if found["m"]:
        month = month_number(found["m"])
        end = month_of(year, month).end
        assert end is not None
        period = Period(
            date(year, month, 1 + 10 * part), date(year, month, 10 * part + 10) if part < 2 else end, "month"
        )
    else:
        end = month_of(year, 4 * part + 4).end
        period = Period(date(year, 4 * part + 1, 1), end, "year")
    return replace(placed(found, period, year), ambiguity="vague")


def forms() -> Iterator[Form]:
    """Every year form, the more telling first."""
    year, of = rf"(?P<y>{YEAR})", OF
    plain = r"(?P<y>1[0-9]{3}|2[01][0-9]{2})"
    for pattern, build in (
        (
            rf"(?:(?:fiscal|financial)\s+)?{FISCAL}\s*'?(?P<y>[0-9]{{4}}|[0-9]{{2}})(?:\s?[/-]\s?(?P<y2>[0-9]{{2}}))?(?![\w-])",
            _fiscal_year,
        ),
        (rf"(?:calendar\s+years?|cy|years?)\s*(?:of\s+)?{year}(?!-[0-9]{{2}}\b)", _named_year),
        (r"(?P<y>(?:1[89]|20)[0-9]{2})(?P<sep>[-/])(?P<y2>[0-9]{2})(?![\w/-])" + _SEASON_TAIL, _split_year),
        (r"(?:the\s+)?(?P<part>early|mid|late)?[- ]?(?P<d>(?:1[0-9]|20)[0-9]0)'?s\b", _decade),
        (r"the\s+(?P<part>early|mid|late)?[- ]?'?(?P<d>[0-9]0)'?s\b", _decade),
        (rf"the\s+(?P<part>early\s+|mid\s+|late\s+)?(?P<word>{'|'.join(_DECADE_WORDS)})\b", _decade),
        (r"(?:the\s+)?(?P<c>1[0-9]|2[0-2])(?:th|st|nd)[\s-]century\b", _century),
        (rf"(?P<s>spring|summer|autumn|fall|winter)(?:\s+of|,)?\s+{year}(?!\s*olympic)", _season),
        (
            rf"(?:the\s+)?(?P<part>early|mid|middle|late)(?:\s+of|\s+in)?[\s-]+(?:(?P<m>{MONTH})(?:{of}))?{year}",
            _thirds,
        ),
        (rf"(?<![a-z]-)(?<![0-9]-){plain}(?![\w]|[.,:/][0-9]|-[0-9]{{1,2}}\b(?!-)|\s?%)", _bare_year),
        (rf"(?:(?<=pre-)|(?<=post-)){plain}(?![\w-])", _named_year),
        (rf"(?<=[0-9]{{4}}[-/]){plain}(?![\w]|[.,:/][0-9]|-[0-9])", _bare_year),
    ):
        yield re.compile(EDGE + pattern), build
