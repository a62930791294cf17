"""What two conditions leave out together: "not counting women who cancelled" leaves most women in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.reading.words import has_happened, word_phrases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.reading.lattice.spans import Span

_PREPOSITIONS = frozenset("in at from for on by during within of".split())


def unresolved(spans: Sequence[Span]) -> list[str]:
    """The words of exclusions that more than one column's condition hangs on; which rows go is not decided here.

    ``spans`` are all of a tiling's, filler included. What follows by a preposition or a comma is about the rest.
    """
    found: list[str] = []
    for place, span in enumerate(spans):
        if not (span.cue("not") and span.text in word_phrases("exclusion")):
            continue
        first: Any = None
        between: list[str] = []
        for after in spans[place + 1 :]:
            if after.cue("not", "missing", "no") and first is None and between:
                found.append(span.text)  # "leaving out members who have not paid" turns twice
                break
            if after.type == "CUE" and after.text != "who" and not after.cue("any", "either", "both", "eq"):
                break
            column = _tested(after)
            if column is None:
                between.append(after.text)
                continue
            if after.listed or _PREPOSITIONS & set(between):
                break
            if first is not None and column is not first:
                found.append(span.text)
                break
            first, between = column, []
    return found


def _tested(span: Span) -> Any:
    """The column that a span is a condition on, or None."""
    if span.type == "VALUE":
        return span.data[0]
    flag = span.type == "COLUMN" and (span.data.has("flag") or (span.data.kind == "date" and has_happened(span.text)))
    return span.data if flag or span.type == "DENY" else None
