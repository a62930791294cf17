"""Months as people write them: with a year, as numbers, or by name alone where a word of time stands by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.language.periods.match import Form, PeriodDraft, PeriodText, Recurring, placed
from averment.language.periods.period_words import (
    EDGE,
    MONTH,
    MONTH_NAMES,
    OF,
    YEAR,
    month_number,
    words_after,
    words_before,
    year_number,
)
from averment.language.periods.timeline import month_of

_CUES = frozenset(
    """
    in during since until till before after from to through thru for of by between and or vs versus on last this next
    previous each every early mid late month months throughout against past than beyond except excluding
    """.split()
)
_WEAK_CUES = frozenset("and or for to by than of on this last next each every".split())
_AFTER_VERB = frozenset("be have not also or i we you it the he she they need want help been".split())
_BESIDE = r"\s*(?:,\s*and|,|and|or|to|-|vs\.?|versus|through|/|&)\s*"


def _month_year(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    return placed(found, month_of(year_number(found["y"]), month_number(found["m"])))


def _numeric_month(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    return placed(found, month_of(int(found["y"]), int(found["m"])))


def _bare_month(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    month = month_number(found["m"])
    cue = _is_cued(reading, found)
    if not cue and not _reads_as_month(reading, found):
        return None
    return PeriodDraft(
        found.start(),
        found.end() - found.group().endswith("."),
        "month",
        at_year=lambda at: month_of(at, month),
        recurring=Recurring(months=(month,)),
        certain=cue,
    )


def _is_cued(reading: PeriodText, found: re.Match[str]) -> bool:
    """Whether a word of time or another month stands by; "may" asks for a firm one, being a verb far more often."""
    if found.group().startswith("the month") or _beside_month(reading, found):
        return True
    before = words_before(reading, found.start(), 1)
    if found["m"].strip(".") != "may":
        return bool(before) and before[0] in _CUES
    after = words_after(reading, found.end(), 1)
    return bool(before) and before[0] in _CUES - _WEAK_CUES and not (after and after[0] in _AFTER_VERB)


def _reads_as_month(reading: PeriodText, found: re.Match[str]) -> bool:
    """Whether a month's name without any cue may still be one: "March sales", "with May sales"."""
    name = found["m"].strip(".")
    if name not in MONTH_NAMES:
        return False
    written = reading.text[found.start("m") : found.start("m") + len(name)]
    titled = written[0].isupper() and written[1:].islower()
    after = words_after(reading, found.end(), 1)
    if name == "may":
        return titled and bool(words_before(reading, found.start(), 1)) and not (after and after[0] in _AFTER_VERB)
    return not (name == "march" and not titled and after and after[0] in {"on", "up", "down", "to", "into", "through"})


def _beside_month(reading: PeriodText, found: re.Match[str]) -> bool:
    before, after = reading.folded[: found.start()], reading.folded[found.end() :]
    return bool(re.search(rf"\b{MONTH}{_BESIDE}$", before[-24:]) or re.match(rf"{_BESIDE}{MONTH}", after))


def forms() -> Iterator[Form]:
    """Every month form, the more telling first."""
    year = rf"(?P<y>{YEAR})"
    for pattern, build in (
        (rf"(?:the\s+month\s+of\s+)?(?P<m>{MONTH})(?:{OF}|\s*[-/]\s*){year}", _month_year),
        (rf"(?P<m>{MONTH})[-/]'?(?P<y>[0-9]{{2}})\b(?!\s*[-/,]?\s*(?:[0-9]|{MONTH}))", _month_year),
        (rf"(?P<y>(?:1[0-9]|20|21)[0-9]{{2}})[\s,/-]+(?P<m>{MONTH})(?!\s*[0-9])", _month_year),
        (r"(?P<y>(?:1[89]|20|21)[0-9]{2})[-/.](?P<m>0[1-9]|1[0-2])(?![-/.]?[0-9])", _numeric_month),
        (r"(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)[0-9]{2})(?![\w/])", _numeric_month),
        (rf"(?:the\s+month\s+of\s+)?(?P<m>{MONTH})(?!\s*[-/]?\s*[0-9])", _bare_month),
    ):
        yield re.compile(EDGE + pattern), build
