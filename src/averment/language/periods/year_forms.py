"""Years, fiscal years, decades, centuries, seasons and parts of a year as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Literal

from averment.language.periods.match import Form, PeriodDraft, PeriodText, placed
from averment.language.periods.period_words import (
    EDGE,
    FISCAL,
    MONTH,
    MONTHS,
    OF,
    YEAR,
    month_number,
    words_after,
    words_before,
    year_number,
)
from averment.language.periods.timeline import Period, fiscal_year_of, month_of, year_of
from averment.language.word_lists import word_lists

_PAIR = re.compile(r"\s*(?:and|to|-|through|until)\s*(?P<n>[0-9][0-9,]*)(?![\w.])")
YearReading = Literal["certain", "likely", "no"]

_LISTS = word_lists("periods.year")
_CUES = frozenset(_LISTS["cues"].split())
_TIME_CUES = frozenset(_LISTS["time_cues"].split())
_QUANTITY_BEFORE = frozenset(_LISTS["quantity_before"].split())
_THAN_TIME = frozenset("later earlier sooner newer older more_recent recently".split())
_UNITS_AFTER = frozenset(_LISTS["units_after"].split())


def read_year(reading: PeriodText, start: int, end: int) -> YearReading:
    """Whether the number at a place is a year, by its neighbours."""
    number = int(reading.folded[start:end])
    before = words_before(reading, start, 3)
    after = words_after(reading, end, 2)
    last = before[-1] if before else ""
    glued = reading.folded[start - 1 : start]
    if glued == "-" and _ends_with_year(last):
        return "certain"
    if _is_counted(after, reading.folded[end : end + 2]) and last not in {"year", "years"}:
        return "no"
    if last in {"between", "from"}:
        paired = _PAIR.match(reading.folded, end)
        if paired:
            return _read_pair(reading, number, paired)
    if last == "than" and len(before) > 1:
        return "likely" if _is_year_like(number) and _may_compare_years(before) else "no"
    if last in _QUANTITY_BEFORE and not (last in {"past", "previous"} and "since" in before):
        return "no"
    if last == "to" and before[-2:-1] and before[-2] in {"up", "equal", "close", "add", "round", "rounded"}:
        return "likely" if before[-2] == "up" and _is_year_like(number) else "no"
    if last in _TIME_CUES or last.rstrip(".") in MONTHS:
        return "certain"
    if last == "the" and len(before) > 1 and before[-2] in _TIME_CUES:
        return "certain"
    if not _is_year_like(number):
        return "certain" if last in {"to", "and", "or"} and _is_four_digits(before[-2:-1]) else "no"
    if last in _CUES:
        return "certain"
    return "likely"


def _read_pair(reading: PeriodText, first: int, paired: re.Match[str]) -> YearReading:
    """ "between 1500 and 2000 dollars" names amounts; "between 1500 and 1600" likely years."""
    second = int(paired["n"].replace(",", ""))
    after = words_after(reading, paired.end(), 2)
    if not 1000 <= second <= 2199 or _is_counted(after, reading.folded[paired.end() : paired.end() + 2]):
        return "no"
    return "certain" if _is_year_like(first) and _is_year_like(second) else "likely"


def _is_year_like(number: int) -> bool:
    return 1900 <= number <= 2099


def _is_counted(after: list[str], glued: str) -> bool:
    if glued.lstrip().startswith("%"):
        return True
    if not after:
        return False
    if after[0] in _UNITS_AFTER:
        return True
    return after[:2] in (["or", "more"], ["or", "less"], ["or", "fewer"], ["new", "points"])


def _may_compare_years(before: list[str]) -> bool:
    """ "higher in 2013 than 2012" compares years; "more than 2012" compares amounts."""
    return before[-2] in _THAN_TIME or before[-2] in {"other", "year"} or before[-2][:4].isdigit()


def _is_four_digits(words: list[str]) -> bool:
    return bool(words) and len(words[0]) == 4 and words[0].isdigit()


def _ends_with_year(word: str) -> bool:
    return word.rstrip("-")[-4:].isdigit()


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
