"""A message that leaves out what was just asked ("and by month?", "only for Texas"), made whole with it.

The words of the question before stay, and the one part that the message gives anew takes the place of its like: a
grouping, a period, a statistic, a column or a name. What it was made into is told to the user, who sees how they were
understood; whether it means anything is for the analyst to say, who asks where it does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from averment.language.periods import find_periods
from averment.language.tokens import content_words, split_identifier, split_words
from averment.records.base import utc_now

MOST_WORDS = 6
_OPENING = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|now|then|also|what about|how about|what if|same(?: thing| again)?|the same|again|"
    r"do (?:it|that|this)|can you(?: do| show)?(?: (?:it|that|this|me))?|show (?:it|that|me)(?: (?:it|that|this))?|"
    r"give me (?:it|that|this)?|please|i want (?:it|that)|(?:it|that|this))\b[\s,:]*)+",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"(?:[\s,]+(?:please|instead|then|too|as well|though|now))*\s*[?.!]*$", re.IGNORECASE)
_BY = re.compile(
    r"^(?:(?:split|broken? down|break (?:it|that|this|them)? ?down|group(?:ed)?|separated?|divided?)\s+)?"
    r"(?:(?:it|that|this|them)\s+)?(?:by|per|for each|for every|in each)\s+(.+)$",
    re.IGNORECASE,
)
_NARROWS = re.compile(r"^(?:only|just)\b", re.IGNORECASE)
_FOR = re.compile(r"^(?:(?:only|just|for|in|with|at|from|of|on|the)\s+)+", re.IGNORECASE)
_ALONE = re.compile(r"\s+(?:only|alone|specifically)$", re.IGNORECASE)
_RELATIVE = re.compile(r"(?:last|this|next|yesterday|today|since|before|after|until)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_GRAINS = r"hour|day|week|weekday|month|quarter|year"
_STATISTICS = (
    r"average|mean|median|total|sum|minimum|min|maximum|max|smallest|largest|number|count|standard deviation|variance"
)
_STATISTIC = re.compile(rf"\b(?:{_STATISTICS})\b", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:what|which|who|why|when|where|how|is|are|was|were|does|do|did|can|could|will)\b", re.I)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the question before: its words, the tables' columns, and the names it was narrowed to."""

    question: str
    columns: tuple[tuple[str, bool], ...]
    """Each column with whether it holds numbers."""
    names: tuple[str, ...] = ()


def asked_anew(message: str, known: Known) -> str | None:
    """The message as a whole question, or None where it is none that leans on the one before."""
    said = message.strip()
    opened = _OPENING.match(said)
    rest = _CLOSING.sub("", said[opened.end() :] if opened else said).strip()
    leans = opened is not None or bool(_BY.match(rest) or _FOR.match(rest))
    if not rest or not leans or len(rest.split()) > MOST_WORDS or _ASKS.search(rest):
        return None
    grouping = _BY.match(rest)
    if grouping is not None:
        return _grouped(known, grouping.group(1))
    bare = _ALONE.sub("", _FOR.sub("", rest)).strip()
    if not bare:
        return None
    if _is_period(rest, bare):
        return _in_period(known, bare)
    if _STATISTIC.fullmatch(bare):
        return _with_statistic(known, bare)
    column = _column(bare, known.columns)
    if column is not None:
        name, counts = column
        return _with_column(known, name, bare) if counts else _grouped(known, bare)
    if len(content_words(bare)) > 3:
        return None
    return _with_name(known, bare, narrows=bool(_NARROWS.match(rest) or _ALONE.search(rest)))


def settled(answer: str, known: Known) -> str | None:
    """The question that was asked back about, with the number that the answer names; else None."""
    words = _CLOSING.sub("", _OPENING.sub("", answer.strip())).strip()
    bare = re.sub(r"^(?:by|the|use|with|of)\s+(?:the\s+)?", "", words, flags=re.IGNORECASE)
    column = _column(bare, known.columns)
    if column is None:
        return asked_anew(answer, known)
    return f"{_open(known.question)} by {bare}"


def names_column(message: str, known: Known) -> bool:
    """Whether a message speaks of a column of the tables that were asked."""
    said = {word.stem for word in content_words(message)}
    return any(_stems(name) <= said for name, _ in known.columns)


def _grouped(known: Known, by: str) -> str:
    """The question with its grouping in place of the old one, or with one."""
    names = "|".join(sorted((_phrase(name) for name, _ in known.columns), key=len, reverse=True))
    one = rf"(?:(?:the|each|every)\s+)?(?:{names}|(?:{_GRAINS})s?)" if names else rf"(?:{_GRAINS})s?"
    old = re.compile(rf"\s+(?:by|per|for each|for every|in each)\s+{one}(?:\s*(?:,|and|by)\s*{one})*\b", re.IGNORECASE)
    whole, times = old.subn(f" by {by}", known.question, count=1)
    return whole if times else f"{_open(known.question)} by {by}"


def _is_period(rest: str, bare: str) -> bool:
    found = find_periods(rest, anchor=utc_now().date())
    return len(found) == 1 and _FOR.sub("", found[0].text).strip() == bare


def _in_period(known: Known, period: str) -> str:
    """The question about another time, in place of its own; the year stays where none is given."""
    today = utc_now().date()
    found = [match for match in find_periods(known.question, anchor=today) if match.start is not None]
    lacks_year = any(match.ambiguity == "year_missing" for match in find_periods(f"in {period}", anchor=today))
    if len(found) != 1:
        return f"{_open(known.question)} {'' if _RELATIVE.match(period) else 'in '}{period}"
    years = _YEAR.findall(found[0].text)
    whole = f"{period} {years[0]}" if lacks_year and len(set(years)) == 1 else period
    start, end = found[0].span
    before = known.question[:start]
    if _RELATIVE.match(period):
        before = re.sub(r"\b(?:in|during)\s+$", "", before, flags=re.IGNORECASE)
    return f"{before}{whole}{known.question[end:]}"


def _with_statistic(known: Known, statistic: str) -> str | None:
    found = _STATISTIC.findall(known.question)
    return _STATISTIC.sub(statistic, known.question, count=1) if len(found) == 1 else None


def _with_column(known: Known, name: str, words: str) -> str | None:
    """The question about another number, in place of the one number it names."""
    others = [other for other, counts in known.columns if counts and other != name]
    there = [found for other in others if (found := re.search(rf"\b{_phrase(other)}\b", known.question, re.IGNORECASE))]
    if len(there) != 1:
        return None
    start, end = there[0].span()
    return f"{known.question[:start]}{words}{known.question[end:]}"


def _with_name(known: Known, name: str, *, narrows: bool) -> str:
    """The question about something else of its kind, or narrowed to it."""
    there = [
        found
        for old in known.names
        if (found := re.search(rf"(?<!\w){re.escape(old)}(?!\w)", known.question, re.IGNORECASE)) is not None
    ]
    if len(there) == 1 and not narrows:
        start, end = there[0].span()
        return f"{known.question[:start]}{name}{known.question[end:]}"
    return f"{_open(known.question)} for {name}"


def _column(words: str, columns: Sequence[tuple[str, bool]]) -> tuple[str, bool] | None:
    said = {word.stem for word in split_words(words)}
    return next(((name, counts) for name, counts in columns if _stems(name) == said), None)


def _stems(name: str) -> set[str]:
    return {word.stem for word in split_words(name)}


def _phrase(name: str) -> str:
    """A column's name as people write it: words with blanks between them, of one or of many."""
    return r"[\s_]+".join(re.escape(word) for word in split_identifier(name)) + "(?:s|es)?"


def _open(question: str) -> str:
    return question.rstrip(" ?.!")
