"""What is told, and in which order: faults, then what was to be expected, then causes, each through gates.

Nothing is told unless its own figures bear it out. A fault that carries the change voids causes; a season voids
segments that only moved with it; what is left is searched. Where a part is larger than the change or against it, the
rest is told too, so that the parts add up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from averment.stats.attribution import expected
from averment.stats.attribution.facts import CodedAxis, Facts
from averment.stats.attribution.faults_rows import duplicates, late_rows, missing_rows
from averment.stats.attribution.faults_values import (
    broken_keys,
    negative_sign,
    nulls,
    outlier,
    renames,
    shifted_clock,
    summed_level,
    unit_factor,
    unit_of,
)
from averment.stats.attribution.hygiene import clean_dimensions
from averment.stats.attribution.search import event_stories, panel_stories
from averment.stats.attribution.split import split_mix
from averment.stats.attribution.story import Attribution, Story, explained

_TESTS: tuple[Callable[[Facts, tuple[str, ...]], list[Story]], ...] = (
    broken_keys,
    summed_level,
    unit_factor,
    outlier,
    duplicates,
    missing_rows,
    late_rows,
    negative_sign,
    nulls,
    renames,
    shifted_clock,
)
MOST_STORIES = 6
_UNMOVED = 0.005
_LEAD = 0.3
_NOTHING = 0.02
_MULTIPLE = 0.4
_VOIDING = frozenset({"timezone", "definition"})


@dataclass(frozen=True, kw_only=True)
class Moves:
    """The stories that may be told, in order; the dimensions they may name, and those they may not."""

    stories: tuple[Story, ...]
    dimensions: tuple[str, ...]
    refused: dict[str, str]


def attribute(facts: Facts, leaves: Facts | None = None) -> Attribution:
    """Why the metric moved: what may be told of it, and what that leaves unexplained; as ``read_moves``."""
    moves = read_moves(facts, leaves)
    explanations = tuple(explained(facts, story) for story in moves.stories)
    cut = facts if leaves is None else leaves
    mix = split_mix(cut, clean_dimensions(cut)[0])
    return Attribution(
        baseline=facts.value(0),
        comparison=facts.value(1),
        change=facts.change,
        explanations=explanations,
        unexplained=facts.change - sum(one.contribution for one in explanations),
        paradox=mix.dimension if mix is not None and mix.paradox else None,
        exposure=expected.exposure(facts),
    )


def find_faults(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Every fault of the data, each with what the metric would have been without it; groups know no days, and none."""
    if facts.grouped:
        return []
    found = [story for test in _TESTS for story in test(facts, dimensions)]
    keys = {story.column for story in found if story.fault == "key_format"}
    # Keys that are written in another form are one fault, not as many new names.
    return [story for story in found if story.fault != "rename" or story.column not in keys]


def read_moves(facts: Facts, leaves: Facts | None = None) -> Moves:
    """The stories of a change.

    ``leaves`` are the facts in which causes are searched where the facts themselves hold only some dimensions.
    """
    dimensions, refused = clean_dimensions(facts)
    change = facts.change
    found = find_faults(facts, dimensions)
    # How a level is read is told after what moved it: it is averaged over its dates already.
    notes = [story for story in found if story.fault == "summed_level"]
    found = [story for story in found if story not in notes]
    strong = _ranked(found, change)
    for each in (facts, *([leaves] if leaves is not None else [])):
        _merge(each, strong)
    lost = {story.table for story in strong if story.fault == "key_format"}
    told = tuple(name for name in dimensions if facts.sources.get(name) not in lost)
    ahead = [story for story in strong if not _against(story, change)]
    voids = any(not story.structural or story.fault in _VOIDING for story in ahead)
    stories = ahead[:2]
    if not voids:
        stories += _expected_and_caused(facts, told, strong, leaves)
    for story in [one for one in strong if _against(one, change)][:1]:
        largest = max((abs(one.effect or 0.0) for one in stories), default=0.0)
        first = abs(story.effect or 0.0) > largest
        stories = [story, *stories[:2]] if first else [*stories[:2], story]
    if not stories:
        stories = [s for s in found if s.effect and abs(s.effect) >= 0.08 * abs(change)][:1]
    stories += notes if len(stories) < MOST_STORIES else []
    return Moves(stories=tuple(_with_rest(stories[:MOST_STORIES], change)), dimensions=told, refused=refused)


def merge_renamed(facts: Facts, dimensions: tuple[str, ...]) -> None:
    """A value that goes on under another name counts as one from here on."""
    _merge(facts, renames(facts, dimensions))


def _merge(facts: Facts, stories: Sequence[Story]) -> None:
    for story in stories:
        if story.merges and story.column in facts.axes and story.old is not None:
            facts.axes[story.column] = _merged(facts.axes[story.column], story.old, story.note)


def _ranked(found: Sequence[Story], change: float) -> list[Story]:
    """The faults that matter: those that void other readings and those that carry a good part of the change."""
    scored: list[tuple[float, Story]] = []
    for story in found:
        share = abs(story.effect) / abs(change) if story.effect is not None and change else None
        weight = 1.0 if story.structural and not story.effect else 0.9 if share is None else share
        weight = 1.5 if story.fault == "definition" else weight
        if story.structural or share is None or share >= 0.3:
            scored.append((weight, story))
    scored.sort(key=lambda pair: (_against(pair[1], change), -min(pair[0], 1.5)))
    return [story for _, story in scored]


def _against(story: Story, change: float) -> bool:
    """Whether a fault hides a part of the move instead of making it."""
    return bool(story.effect) and (story.effect or 0.0) * change < 0 and abs(story.effect or 0.0) < abs(change)


def _merged(axis: CodedAxis, old: str, new: str) -> CodedAxis:
    codes = np.where(axis.codes == axis.code(old), axis.code(new), axis.codes)
    return CodedAxis(codes=codes, labels=axis.labels)


def _expected_and_caused(
    facts: Facts,
    dimensions: tuple[str, ...],
    strong: Sequence[Story],
    leaves: Facts | None,
) -> list[Story]:
    change = facts.change
    usual = [] if facts.grouped else expected.expectations(facts)
    if leaves is not None:
        own = event_stories(leaves, clean_dimensions(leaves)[0], facts)
    else:
        own = (panel_stories if facts.panel else event_stories)(facts, dimensions)
    own = [s for s in own if not s.segment or facts.grouped or not _seasonal(facts, s)]
    rescaled = [
        unit_of(facts, s.segment) for s in own if s.segment and _multiplied(s) and set(s.segment) <= set(facts.axes)
    ]
    units = [story for story in rescaled if story is not None]
    if units and not facts.grouped:
        return units[:1]
    kinds = {story.kind for story in usual}
    if "seasonal" in kinds:
        own = []
    elif "calendar" in kinds:
        own = [s for s in own if s.segment and abs(s.effect or 0.0) >= _LEAD * abs(change)]
    elif usual:  # a trend: a segment that carries it comes first
        lead = [s for s in own if s.segment and (s.effect or 0.0) / change > 0.5]
        contrary = [s for s in own if s.segment and (s.effect or 0.0) / change < -0.35 and abs(s.z or 0.0) > 3]
        own = lead[:1] or contrary[:1]
        usual = [] if lead else usual
    if any(story.structural for story in strong):
        own = [s for s in own if s.segment and abs(s.effect or 0.0) > 0.3 * abs(change)]
    # A place whose figure moved says more than a calendar that was known before.
    lead = [story for story in own if "calendar" in kinds and (story.effect or 0.0) / change >= _LEAD]
    rest = [story for story in own if story not in lead]
    # What made the change comes before what worked against it.
    rest.sort(key=lambda story: (story.effect or 0.0) * change < 0)
    return [story for story in (*lead, *usual[:1], *rest) if _passes(story)]


def _seasonal(facts: Facts, story: Story) -> bool:
    """Whether a segment moves alike in other years."""
    known = set(story.segment) <= set(facts.axes)
    return known and expected.season(facts, facts.mask(story.segment)) is not None


def _multiplied(story: Story) -> bool:
    """Whether a figure became a multiple or a fraction of itself, as another unit would make it."""
    if story.kind not in ("rate", "segment") or not story.before or not story.after or story.before * story.after <= 0:
        return False
    return abs(float(np.log10(story.after / story.before))) >= _MULTIPLE


def _passes(story: Story) -> bool:
    """The last gate: the figure that is said to have moved did move."""
    if story.effect is not None and not np.isfinite(story.effect):
        return False
    if story.kind in ("rate", "volume", "segment", "mix") and story.segment:
        if story.before is None or story.after is None:
            return bool(story.effect)
        return bool(story.effect) and abs(story.after - story.before) >= _UNMOVED * abs(story.before)
    return True


def _with_rest(stories: list[Story], change: float) -> list[Story]:
    """The stories and, where one is larger than the change or against it, what they leave."""
    parts = [s.effect for s in stories if s.effect]
    if not parts or not change or all(-0.15 <= part / change <= 1.15 for part in parts):
        return stories
    rest = change - sum(parts)
    if abs(rest) < _NOTHING * abs(change):
        return stories
    return [*stories, Story(kind="noise", effect=rest)]
