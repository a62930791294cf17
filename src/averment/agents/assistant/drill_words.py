"""The metric and the two periods of a question such as "why did revenue drop last week?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from averment.language.intents.vocabulary import CAUSE, MOVE
from averment.language.periods import Period, find_periods
from averment.language.word_lists import patterns

_PATTERNS = patterns("drill_words", "averment.agents.assistant")
_SMALL = re.compile(_PATTERNS["small"])


@dataclass(frozen=True, slots=True)
class DrillWords:
    """What a question about a movement names; a part that it does not name is None."""

    metric: str | None
    baseline: tuple[date, date] | None
    comparison: tuple[date, date] | None


def drill_words(text: str, anchor: date) -> DrillWords:
    """The metric and the periods that a question names, counted from ``anchor``.

    One period alone is set against the one before it, or, after "compared to", against the one behind it.
    """
    found = [match for match in find_periods(text, anchor=anchor) if match.start and match.end and not match.context]
    rest = text
    for match in sorted(found, key=lambda each: -each.span[0]):
        rest = f"{rest[: match.span[0]]} {rest[match.span[1] :]}"
    bare = _SMALL.sub(" ", MOVE.sub(" ", CAUSE.sub(" ", rest.casefold())))
    metric = " ".join(bare.split()) or None
    periods = sorted(
        (match.period for match in found if match.period is not None), key=lambda each: each.start or anchor
    )
    if len(periods) >= 2:
        return DrillWords(metric, _days(periods[0]), _days(periods[-1]))
    if len(periods) == 1:
        return DrillWords(metric, *_pair(periods[0], found[0].grain, text[: found[0].span[0]], found[0].text))
    return DrillWords(metric, None, None)


def _days(period: Period) -> tuple[date, date]:
    assert period.start is not None and period.end is not None  # Only closed periods are looked at.
    return period.start, period.end


def _pair(period: Period, grain: str, before_it: str, words: str) -> tuple[tuple[date, date], tuple[date, date]]:
    """The two periods that one phrase means."""
    days = _days(period)
    if grain not in {"week", "month", "quarter", "half", "year", "day"}:
        length = timedelta(days=(days[1] - days[0]).days + 1)
        return (days[0] - length, days[0] - timedelta(days=1)), days
    units = period.split(grain)  # pyright: ignore[reportArgumentType] - narrowed to a grain just above
    if len(units) > 1 and re.search(
        r"\b(?:from|between)\s*$|^(?:from|between)\b", f"{before_it}\n{words}", re.I | re.M
    ):
        return _days(units[0]), _days(units[-1])
    behind = re.search(r"\b(?:compared (?:to|with)|than|versus|vs\.?|against)\s*(?:in\s*)?$", before_it, re.IGNORECASE)
    other = _days(period.shift(1 if behind else -1, grain))  # pyright: ignore[reportArgumentType] - as above
    return (days, other) if behind else (other, days)
