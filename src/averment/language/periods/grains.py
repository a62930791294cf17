"""The grain a question asks for: "by month", "weekly", "year over year", "in each of the last 8 weeks"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from averment.language.periods.timeline import Grain
from averment.language.tokens import Span, fold

GrainKind = Literal["bucket", "part", "change", "asked"]
"""How a grain is meant.

``bucket``: group time in such steps. ``part``: group by the part of a cycle (day of the week, month of the year, hour
of the day). ``change``: compare each step with the one before (year over year). ``asked``: the answer is such a step
("which month had the most sales").
"""


@dataclass(frozen=True, slots=True)
class GrainMatch:
    """A grain found in a text, where and how it is meant."""

    grain: Grain
    kind: GrainKind
    text: str
    span: Span


_UNIT: dict[str, Grain] = {
    "hour": "hour",
    "day": "day",
    "date": "day",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "half-year": "half",
    "half year": "half",
    "year": "year",
    "decade": "decade",
    "weekday": "weekday",
    "century": "century",
}
_ADVERB: dict[str, Grain] = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "half-yearly": "half",
    "semiannual": "half",
    "semi-annual": "half",
    "semiannually": "half",
    "semi-annually": "half",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
    "annualized": "year",
    "per annum": "year",
}
_SHORT: dict[str, Grain] = {
    "yoy": "year",
    "y/y": "year",
    "qoq": "quarter",
    "q/q": "quarter",
    "mom": "month",
    "m/m": "month",
    "wow": "week",
    "w/w": "week",
    "dod": "day",
}

_U = r"(?P<u>half[- ]year|weekday|century|quarter|decade|month|week|hour|year|day)"
_KIND = r"(?:calendar\s+|fiscal\s+|financial\s+|iso\s+|single\s+|individual\s+|given\s+)?"
_EACH_OF = r"(?:for|in|of|during|over|per|by)?\s*(?:each|every)\s+(?:one\s+)?of\s+the\s+"
_GROUPED = (
    r"(?:group\w*|split|binn?\w*|bucket\w*|aggregat\w*|summari[sz]\w*|br[eo]ak(?:en)?\s+(?:\w+\s+)?down|roll\w*\s+up|"
    r"resampl\w*)\b[^.?!;]{0,60}?\b(?:by|into|to|on|per|in)\s+(?:the\s+|a\s+)?"
)
_STEP = r"(?:basis|level|granularity|grain|buckets?|bins?|intervals?|steps?)"
_LY = (
    r"(?P<a>per\s+annum|half-yearly|semi-?annual(?:ly)?|annuali[sz]ed|annually|annual|hourly|daily|weekly|monthly|"
    r"quarterly|yearly)\b"
)
_PREVIOUS = r"(?:versus|vs\.?|compared\s+(?:to|with)|against|from)\s+(?:the\s+)?(?:previous|prior|preceding)\s+"
_FORMS: tuple[tuple[GrainKind, str], ...] = (
    ("part", r"(?:the\s+)?(?P<p>days?\s+of\s+(?:the\s+|a\s+)?weeks?|weekdays?|day-of-week)(?:\s+(?:interval|bin)s?)\b"),
    ("part", r"(?:the\s+)?(?P<p>days?\s+of\s+(?:the\s+|a\s+)?weeks?|day-of-week)\b"),
    ("part", r"(?:the\s+)?(?P<p>months?\s+of\s+(?:the\s+|a\s+)?year|month-of-year)\b"),
    ("part", r"(?:the\s+)?(?P<p>hours?\s+of\s+(?:the\s+|a\s+)?day|hour-of-day)\b"),
    ("part", r"(?:by|per|each|every|into|for each|in each|of each|group\w*\s+by|the)\s+(?:the\s+)?(?P<p>weekdays?)\b"),
    ("change", rf"{_U}[\s-]+(?:over|on|to|vs\.?|versus)[\s-]+(?P=u)\b"),
    ("change", r"(?P<s>yoy|y/y|qoq|q/q|mom|m/m|wow|w/w|dod)\b"),
    ("change", rf"{_PREVIOUS}{_U}\b"),
    ("bucket", rf"{_U}[\s-]+(?:by|after)[\s-]+(?P=u)\b"),
    ("bucket", rf"{_EACH_OF}(?:last\s+|past\s+|previous\s+|next\s+)?(?:[0-9]+\s+|\w+\s+)?{_KIND}{_U}s?\b"),
    ("bucket", rf"(?:by|per|each|every)\s+(?:the\s+)?{_KIND}{_U}\b(?!\s+of\s+(?:birth|hire|release|founding))"),
    ("bucket", rf"(?:by|across)\s+(?:the\s+)?{_KIND}{_U}s\b(?!\s+(?:in\s+which|of|that|when|they))"),
    ("bucket", rf"{_GROUPED}{_KIND}{_U}s?\b(?!\s+of\b)"),
    ("bucket", rf"{_U}s?\s+(?:interval|bin|bucket|granularity|level|basis)s?\b"),
    ("bucket", rf"(?:over|through|throughout|across)\s+the\s+{_U}s\b"),
    ("bucket", rf"(?:on|at|with|in)\s+(?:a\s+|an\s+)?{_LY}\s+{_STEP}\b"),
    ("bucket", _LY),
    ("bucket", r"(?:and|,|or)\s+(?:then\s+)?by\s+(?P<u>month|week|quarter|year|day|hour|decade)\b"),
    ("asked", rf"(?:which|what|in\s+which|in\s+what|during\s+which)\s+{_KIND}{_U}s?\b(?!\s+of\s+(?:birth|hire))"),
    ("asked", rf"(?:best|worst|busiest|top|strongest|weakest|peak|slowest|highest[\s-]\w+|lowest[\s-]\w+)\s+{_U}s?\b"),
)
_COMPILED: list[tuple[GrainKind, re.Pattern[str]]] = [
    (kind, re.compile(r"(?<![\w/])" + pattern)) for kind, pattern in _FORMS
]
_RANK: dict[GrainKind, int] = {"bucket": 0, "part": 1, "change": 2, "asked": 3}


def find_grains(text: str) -> list[GrainMatch]:
    """Every grain a text asks for, in order of appearance; of overlapping readings the longer one."""
    folded = fold(text)
    found: list[GrainMatch] = []
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(folded):
            span = _trimmed(folded, match.span())
            grain = _grain(match)
            meant: GrainKind = "part" if grain == "weekday" and kind == "bucket" else kind
            found.append(GrainMatch(grain, meant, text[span[0] : span[1]], span))
    kept: list[GrainMatch] = []
    for one in sorted(found, key=lambda one: (one.span[0] - one.span[1], _RANK[one.kind], one.span[0])):
        if all(one.span[1] <= other.span[0] or other.span[1] <= one.span[0] for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.span)


def find_grain(text: str) -> Grain | None:
    """The grain a text asks for, None when it asks for none; groupings come before comparisons."""
    grains = find_grains(text)
    return min(grains, key=lambda one: (_RANK[one.kind], one.span)).grain if grains else None


def _grain(match: re.Match[str]) -> Grain:
    groups = match.groupdict()
    if groups.get("p"):
        part = str(groups["p"])
        return "month" if part.startswith("month") else "hour" if part.startswith("hour") else "weekday"
    if groups.get("s"):
        return _SHORT[str(groups["s"])]
    if groups.get("a"):
        return _ADVERB.get(" ".join(str(groups["a"]).replace("ised", "ized").split()), "year")
    return _UNIT[str(groups["u"])]


def _trimmed(folded: str, span: Span) -> Span:
    start, end = span
    while start < end and folded[start].isspace():
        start += 1
    return start, end
