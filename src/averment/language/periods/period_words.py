"""The words of time as pattern pieces, and what each stands for.

Patterns are written for folded text (lower case, plain quotes and dashes). Each piece is a non-capturing group that
callers wrap in the name they want.
"""

from __future__ import annotations

import re

from averment.language.numbers.number_words import ONES, TENS
from averment.language.periods.match import PeriodText
from averment.language.periods.timeline import Grain

MONTH_NAMES = ("january february march april may june july august september october november december").split()
MONTHS = {name: number for number, name in enumerate(MONTH_NAMES, 1)}
MONTHS.update({name[:3]: number for number, name in enumerate(MONTH_NAMES, 1)})
MONTHS["sept"] = 9

WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAYS = {name: number for number, name in enumerate(WEEKDAY_NAMES)}

ORDINALS = {
    word: number
    for number, words in enumerate(
        "first,1st second,2nd third,3rd fourth,4th fifth,5th sixth,6th seventh,7th eighth,8th ninth,9th tenth,10th "
        "eleventh,11th twelfth,12th".split(),
        1,
    )
    for word in words.split(",")
}
COUNTS = {word: number for word, number in (ONES | TENS).items() if 1 <= number <= 20} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "several": 3,
    "thirty": 30,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
}
VAGUE_COUNTS = frozenset({"couple", "few", "several"})

UNITS: dict[str, Grain] = {
    "day": "day",
    "week": "week",
    "wk": "week",
    "month": "month",
    "mo": "month",
    "mth": "month",
    "quarter": "quarter",
    "qtr": "quarter",
    "half": "half",
    "half-year": "half",
    "half year": "half",
    "year": "year",
    "yr": "year",
    "decade": "decade",
    "century": "century",
}

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
YEAR = r"(?:1[0-9]{3}|2[01][0-9]{2}|'[0-9]{2})(?![\w]|[.,][0-9])"
YEAR_OR_SHORT = r"(?:1[0-9]{3}|2[01][0-9]{2}|'?[0-9]{2})(?![\w]|[.,][0-9])"
DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
DAY_ENDING = r"(?:st|nd|rd|th)"
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?"
FULL_WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
ORDINAL = r"(?:" + "|".join(ORDINALS) + r")"
COUNT = r"(?:[0-9]{1,4}|" + "|".join(sorted(COUNTS, key=len, reverse=True)) + r")"
UNIT = r"(?:half[- ]years?|days?|weeks?|wks?|months?|mths?|quarters?|qtrs?|halves|half|years?|yrs?|decades?)"
FISCAL = r"(?:fy|f\.y\.|fiscal(?:\s+year)?|financial\s+year)"
# The start of a phrase: not inside a word, a number or an identifier.
EDGE = r"(?<![\w$€£¥#.])"
OF = r"(?:\s*,\s*|\s+(?:of|in|for)\s+(?:the\s+)?(?:year\s+)?|\s+)"


def month_number(word: str) -> int:
    """The number of a month's name or short name."""
    key = word.strip(". ")
    return MONTHS[key] if key in MONTHS else MONTHS[key[:3]]


def year_number(word: str) -> int:
    """The year a two or four digit text stands for; two digits below 70 are of this century."""
    digits = word.strip("' ")
    number = int(digits)
    if len(digits) > 2:
        return number
    return number + (2000 if number < 70 else 1900)


def count_number(word: str) -> int:
    """The number of a digit or word count."""
    return COUNTS[word] if word in COUNTS else int(word)


def unit_grain(word: str) -> Grain:
    """The grain a unit word stands for, plural or not."""
    key = word.rstrip(".")
    if key == "halves":
        return "half"
    return UNITS[key] if key in UNITS else UNITS[key.removesuffix("s")]


def words_before(reading: PeriodText, place: int, count: int) -> list[str]:
    """Up to some words that stand directly before a place, nearest last; a full stop or bracket ends the look back."""
    stretch = re.split(r"[?!;()\[\]]|\.\s", reading.folded[max(0, place - 80) : place])[-1]
    return re.findall(r"[\w'%$€£=<>≥≤#-]+", stretch)[-count:]


def words_after(reading: PeriodText, place: int, count: int) -> list[str]:
    """Up to some words that stand directly after a place, nearest first; punctuation ends the look ahead."""
    stretch = re.split(r"[?!;,:()\[\]]|\.\s", reading.folded[place : place + 80])[0]
    return re.findall(r"[\w'%-]+", stretch)[:count]
