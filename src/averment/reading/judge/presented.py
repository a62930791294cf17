"""A question without how its answer is to be shown: the odds of a reading do not depend on the chart that is drawn."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.reading.lattice.tilings import worth
from averment.reading.words import tokens

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Span
    from averment.reading.reader import Candidate


def without_presentation(question: str, candidate: Candidate) -> tuple[str, Candidate]:
    """A question and a reading of it without the words that ask for a chart, its axes and their order."""
    spans = sorted(candidate.spans, key=lambda span: span.start)
    shown = [span for span in spans if span.cue("chart", "x_axis", "y_axis")]
    if not shown or any(one.end > two.start for one, two in pairwise(spans)):
        return question, candidate
    gone = [span for place, span in enumerate(spans) if span in shown or _belongs(spans, place)]
    kept = [span for span in spans if span not in gone]
    if not kept:
        return question, candidate
    words = [word for word, _, _ in tokens(question)]
    taken = {place for span in gone for place in range(span.start, span.end)}
    places = [n for n in range(kept[0].start, min(kept[-1].end, len(words))) if n not in taken]
    at = {place: n for n, place in enumerate(places)}
    moved = tuple(
        replace(s, start=at[s.start], end=at[s.end - 1] + 1) for s in kept if {s.start, s.end - 1} <= at.keys()
    )
    score = candidate.score - sum(map(worth, gone))
    return " ".join(words[place] for place in places), replace(candidate, spans=moved, score=score)


def _belongs(spans: list[Span], place: int) -> bool:
    """Whether a word only leads to the chart ("show me a pie chart"), or orders what is drawn in it."""
    span = spans[place]
    after = spans[place + 1] if place + 1 < len(spans) else None
    leads = span.cue("list") and after is not None and after.cue("chart")
    return leads or span.cue("ascending", "descending") or (span.cue("sorted") and not span.cue("most", "least"))
