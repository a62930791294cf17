"""When is a four digit number a year? By the words on both sides, since "top 2020 rows" names none.

The answer has three values: certain (a word of time stands before it), likely (it looks like a year and nothing speaks
against it) and no.
"""

from __future__ import annotations

import re
from typing import Literal

from averment.language.periods.match import PeriodText
from averment.language.periods.period_words import MONTHS, words_after, words_before
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
