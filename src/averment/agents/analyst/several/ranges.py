"""Ranges of a number: which steps a question asks for, and the sides they make."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.draft import Unclear
from averment.agents.analyst.parts.nouns import Filter
from averment.agents.analyst.several.reading import Side

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft
    from averment.tables.profile import ColumnProfile

MOST_RANGES = 60
USUAL_RANGES = 8
_KIND = r"(?:ranges?|buckets?|bins?|bands?|brackets?|intervals?|groups?|classes)"
_NUMBER = r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?k?"
_WIDTH = re.compile(
    rf"\s*{_KIND}?\s*,?\s*(?:each\s+)?(?:of|with|in steps of|in)\s+(?:an?\s+)?(?:widths?|sizes?|steps?)?\s*(?:of\s+)?"
    rf"(?P<w>{_NUMBER})\b(?!\s+{_KIND})(?:[- ]?(?:wide|each|years?|units?))?"
)
_STEPPED = re.compile(
    rf"\s+(?:into|in|by|using|with)\s+(?:equal(?:[- ]width)?\s+)?(?:{_KIND}|steps)\b"
    rf"(?:\s+of\s+(?:(?:width|size|steps?)\s+(?:of\s+)?)?(?P<w>{_NUMBER})\b(?:[- ]?(?:wide|each|years?|units?))?)?"
)
"""Ranges asked for behind the number itself: "amount in buckets of 100"."""
_AFTER = re.compile(rf"[- ]{_KIND}\b")
_COUNT_AFTER = re.compile(rf"\s+(?:into|in|by|using|with)\s+(?P<n>\d+)\s+(?:equal(?:[- ]width)?\s+)?{_KIND}\b")
_COUNT_BEFORE = re.compile(rf"\b(?P<n>\d+)\s+(?:equal(?:[- ]width)?\s+)?{_KIND}\s+of\s+(?:the\s+)?$")
_SPLIT = re.compile(r"\b(?:by|per|each|every|across|in|into|and)\s+(?:the\s+|different\s+)?$|,\s*$")
_IS_A_GROUP = re.compile(r"\b(?:groups?|classes|bands?|steps)$")
_ASKED = re.compile(r"\b(?:bin|bucket|group|cut|divide|split)\s+(?:the\s+|up\s+)?$")


def read_ranges(draft: Draft) -> tuple[str, tuple[Side, ...]] | Unclear | None:
    """The number whose ranges a question asks for, and the ranges; None when it asks for none."""
    links = [link for link in draft.links() if draft.column(link.target).inferred_type in {"measure", "dimension"}]
    draft.doubts.clear()
    for link in links:
        column = draft.column(link.target)
        if column.data_type not in {"integer", "float"}:
            continue
        before = draft.folded[: link.span[0]]
        asked = _ASKED.search(before)
        # "By price range" asks for ranges; "the price range" is how far prices go.
        after = _AFTER.match(draft.folded, link.span[1]) if _SPLIT.search(before) else None
        counted, ahead = _COUNT_AFTER.match(draft.folded, link.span[1]), _COUNT_BEFORE.search(before)
        stepped = _STEPPED.match(draft.folded, link.span[1])
        if stepped is not None and asked is None and stepped["w"] is None and _IS_A_GROUP.search(stepped.group()):
            stepped = None  # "salary by group" names something else than ranges
        if asked is None and after is None and counted is None and ahead is None and stepped is None:
            continue
        width = stepped if stepped is not None and stepped["w"] else _WIDTH.match(draft.folded, link.span[1])
        end = max([link.span[1], *(each.end() for each in (after, counted, stepped, width) if each is not None)])
        start = (
            min(found.start() for found in (asked, ahead) if found is not None) if (asked or ahead) else link.span[0]
        )
        said = counted or ahead
        steps = int(said["n"]) if said is not None else None
        draft.used.update(draft.places((start, end)))
        sides = make_ranges(column, _width(width["w"]) if width is not None else None, steps)
        return sides if isinstance(sides, Unclear) else (column.name, sides)
    return None


def make_ranges(column: ColumnProfile, width: float | None, count: int | None) -> tuple[Side, ...] | Unclear:
    """Ranges that hold every value; each holds its lower end and not its upper one, the last of a count both."""
    low, high = _real(column.minimum), _real(column.maximum)
    if low is None or high is None or low == high:
        return Unclear(f"{column.name} has no two different values, so there are no ranges.")
    if count is not None:
        if not 1 < count <= MOST_RANGES:
            return Unclear(f"Between two and {MOST_RANGES} ranges can be told apart. How many do you want?")
        edges = [low + (high - low) * place / count for place in range(count)] + [high]
        return _sides(column, edges, closed=True)
    step = width or _plain_step((high - low) / USUAL_RANGES)
    if step <= 0 or (high - low) / step > MOST_RANGES:
        return Unclear(f"That makes more than {MOST_RANGES} ranges of {column.name}. How wide shall they be?")
    first = math.floor(low / step)
    edges = [round(place * step, 10) for place in range(first, math.floor(high / step) + 2)]
    return _sides(column, edges, closed=False)


def _sides(column: ColumnProfile, edges: list[float], *, closed: bool) -> tuple[Side, ...]:
    sides: list[Side] = []
    for place, (low, high) in enumerate(pairwise(edges)):
        last = closed and place == len(edges) - 2
        words = f"{_number(low)} to {'' if last else 'under '}{_number(high)}"
        tests = (
            Filter(column=column.name, operator=">=", value=low, words=words),
            Filter(column=column.name, operator="<=" if last else "<", value=high, words=words),
        )
        sides.append(Side(words=words, tests=tests))
    return tuple(sides)


def _width(said: str) -> float:
    """A width as it is written: 10000, 10,000 or 10k."""
    return float(said.replace(",", "").rstrip("k")) * (1000 if said.endswith("k") else 1)


def _plain_step(rough: float) -> float:
    """The next step of one, two or five times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough)


def _real(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e6 else f"{value:.0f}"
