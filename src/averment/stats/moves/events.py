"""Causes among events: the segments whose own move stands out most from their own noise, priced for the search.

A superset of a cause is diluted and a subset has fewer rows, so the largest squared score, less the price of looking,
picks the right size. Conditions are dropped again as long as what they shut out moved alike. Rows of a told cause are
set aside before the next is sought, so that the parts are disjoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, prod

import numpy as np

from averment.stats.moves.facts import OTHER, Codes, Facts, Mask, Segment
from averment.stats.moves.faults_rows import stays_away
from averment.stats.moves.mix_story import GONE, mix_held_still, mix_story
from averment.stats.moves.split import (
    GroupSums,
    daily_move,
    day_error,
    scores,
    share_spread,
    split,
    spread,
    sum_groups,
    sums_of,
)
from averment.stats.moves.story import Story

LEAST_SCORE = 16.0
WHOLE = 3.0
SUGGESTED, LEAST_BULK = 3.0, 0.05
_DAYS_AGREE, _DAYS_SURE = 1.2, 2.8
_AGAIN = 6.0
_MOST_CELLS = 4_000
_TOLD = 3.3
_OVERLAP = 0.4
_FEW, _MAIN = 0.1, 0.6
_EVEN = 0.5
"""Where one segment moved against the change, another that stands out nearly as much and made it is told first."""


@dataclass(frozen=True, kw_only=True)
class MoveCandidate:
    """A segment and a figure of it that moved."""

    score: float
    z: float
    figure: str
    segment: Segment


def event_stories(facts: Facts, dimensions: tuple[str, ...], most: int = 3) -> list[Story]:
    """The segments that carry the change, or the whole where it moved alike; none where nothing stands out."""
    over = spread(facts)
    whole = sums_of(facts)
    live = facts.both
    found: list[Story] = []
    for turn in range(most):
        if facts.rows[live].sum() < 40 or not (facts.inside[0] & live).any() or not (facts.inside[1] & live).any():
            break
        story = _next_story(facts, dimensions, live, over, whole, turn)
        if story is None:
            break
        if not story.segment and turn == 0:
            lead = _ahead_of_all(facts, dimensions, over, whole)
            return [lead, story] if lead is not None else [story]
        found.append(story)
        if not story.segment:
            break
        if story.opposite:
            found.append(_twin(story))
        live = live & ~facts.mask(story.segment)
    return found[:most]


def suggested_stories(
    facts: Facts, dimensions: tuple[str, ...], suggested: Sequence[tuple[Segment, str]], told: Sequence[Story]
) -> list[Story]:
    """Those of the suggested segments and figures that pass every gate and share few rows with what is told.

    Another search may see what this one does not; it is held to the same gates.
    """
    over = spread(facts)
    whole = sums_of(facts)
    beside = share_spread(facts, dimensions)
    taken = np.zeros(len(facts.day), dtype=bool)
    for story in told:
        taken |= facts.mask(story.segment)
    found: list[Story] = []
    for segment, figure in suggested:
        if not segment or not set(segment) <= set(dimensions) or OTHER in segment.values():
            continue
        mask = facts.mask(segment)
        mine = float(facts.rows[mask & facts.both].sum())
        if not mine or float(facts.rows[mask & taken & facts.both].sum()) > _OVERLAP * mine:
            continue
        z = scores(facts, sums_of(facts, mask), whole, over, beside=beside)
        score = float(z[figure][0]) if figure in z else 0.0
        if abs(score) < SUGGESTED:
            continue
        story = story_of(facts, dimensions, segment, figure, score, whole, over)
        if story is None or story.effect is None or abs(story.effect) < LEAST_BULK * abs(facts.change):
            continue
        found.append(story)
        taken |= mask
    return found


def _next_story(
    facts: Facts, dimensions: tuple[str, ...], live: Mask, over: tuple[float, float], whole: GroupSums, turn: int
) -> Story | None:
    size = abs(facts.value(0)) or 1.0
    contrary: tuple[MoveCandidate, Story] | None = None
    for one in candidates(facts, dimensions, live, over)[:30]:
        if one.score < LEAST_SCORE + (_AGAIN if turn else 0.0):
            break
        if contrary is not None and one.score < _EVEN * contrary[0].score:
            break
        segment = _grown(facts, live, one.segment, one.figure, over)
        story = story_of(facts, dimensions, segment, one.figure, one.z, whole, over)
        if story is None or story.effect is None or not np.isfinite(story.effect):
            continue
        bulk = abs(story.effect) / max(abs(facts.change), 1e-300)
        if turn and (bulk < 0.15 or (not segment and (turn > 1 or bulk < _MAIN))):
            continue
        if bulk < 0.15 and abs(story.effect) < 0.03 * size:
            continue
        if contrary is None:
            if not segment or story.effect * facts.change > 0:
                return story
            contrary = (one, story)
        elif _is_other_side(contrary[1], story) and story.effect * facts.change > 0:
            return story
    return None if contrary is None else contrary[1]


def _is_other_side(one: Story, other: Story) -> bool:
    """Whether two segments are values of one dimension, of which the other moved more."""
    same = one.segment.keys() == other.segment.keys() and one.segment != other.segment
    return same and abs(other.effect or 0.0) > abs(one.effect or 0.0)


def candidates(
    facts: Facts,
    dimensions: tuple[str, ...],
    live: Mask,
    over: tuple[float, float],
    *,
    order: int = 3,
    usual: float = 1.0,
    with_whole: bool = True,
) -> list[MoveCandidate]:
    """Every segment that stands out, the most telling first."""
    whole = sums_of(facts, live)
    beside = share_spread(facts, dimensions)
    found: list[MoveCandidate] = []
    if with_whole:
        for figure, z in scores(facts, whole, whole, over, usual).items():
            if figure != "mix":
                own = float(z[0])
                # The whole is one look, not a search; its days must bear it out beside its rows.
                apart = facts.grouped or (live is facts.both and _days_agree(facts))
                sure = figure != "each" and abs(own) >= WHOLE and live is facts.both and apart
                if not sure and figure != "each" and live is facts.both:
                    continue
                score = own**2 + (LEAST_SCORE - WHOLE**2 if sure and abs(own) < LEAST_SCORE**0.5 else 0.0)
                found.append(MoveCandidate(score=score, z=own, figure=figure, segment={}))
    for size in range(1, order + 1):
        looked, batch = 0, list[tuple[float, str, tuple[str, ...], int]]()
        for chosen in list(combinations(dimensions, size))[:80]:
            if size > 1 and prod(len(facts.axes[name].labels) for name in chosen) > _MOST_CELLS:
                continue
            keys, sums = _grouped(facts, chosen, live)
            enough = sums.rows.max(axis=1) >= (8 if size < 3 else 20)
            looked += int(enough.sum())
            for figure, z in scores(facts, sums, whole, over, usual, beside=beside).items():
                telling = np.where(enough, z, 0.0)
                for at in np.argsort(-np.abs(telling), kind="stable")[:4]:
                    if abs(telling[at]) > 3:
                        batch.append((float(telling[at]), figure, chosen, int(keys[at])))
        price = 2 * log(max(looked, 1)) + 2 * (size - 1)
        for z, figure, chosen, key in batch:
            segment = _decoded(facts, chosen, key)
            if OTHER not in segment.values():
                found.append(MoveCandidate(score=z * z - price, z=z, figure=figure, segment=segment))
    return sorted(found, key=lambda c: (-c.score, c.figure, sorted(c.segment.items())))


def _days_agree(facts: Facts) -> bool:
    """Whether the scatter of whole days leaves room for a move of the whole."""
    error = day_error(facts)
    if facts.how == "ratio":
        return error > 0 and abs(facts.change) >= _DAYS_AGREE * error
    return error > 0 and abs(daily_move(facts)) >= _DAYS_SURE * error


def _grouped(facts: Facts, chosen: tuple[str, ...], live: Mask) -> tuple[Codes, GroupSums]:
    key = np.zeros(int(live.sum()), dtype=np.int64)
    for name in chosen:
        key = key * len(facts.axes[name].labels) + facts.axes[name].codes[live]
    keys, at = np.unique(key, return_inverse=True)
    return keys, sum_groups(facts, at, len(keys), live)


def _decoded(facts: Facts, chosen: tuple[str, ...], key: int) -> Segment:
    found: Segment = {}
    for name in reversed(chosen):
        key, code = divmod(key, len(facts.axes[name].labels))
        found[name] = facts.axes[name].labels[code]
    return dict(sorted(found.items()))


def _relative(facts: Facts, live: Mask, figure: str, over: tuple[float, float]) -> tuple[float, float]:
    """The score and the relative move of one figure over some rows."""
    sums = sums_of(facts, live)
    z = scores(facts, sums, sums, over).get(figure)
    longer = facts.days[1] / facts.days[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        if figure == "rows":
            move = sums.rows[0, 1] / sums.rows[0, 0] / longer - 1
        elif figure == "sum":
            move = sums.num[0, 1] / sums.num[0, 0] / longer - 1
        else:
            rate = sums.num[0] / (sums.den[0] if facts.how == "ratio" else sums.rows[0])
            move = rate[1] / rate[0] - 1
    return (0.0 if z is None else float(z[0])), float(move) if np.isfinite(move) else 0.0


def _grown(facts: Facts, live: Mask, segment: Segment, figure: str, over: tuple[float, float]) -> Segment:
    """The segment less each condition that shut out rows which moved alike."""
    if figure == "mix":
        return segment
    kept = dict(segment)
    while kept:
        own = live & facts.mask(kept)
        _, move = _relative(facts, own, figure, over)
        best: tuple[float, Segment] | None = None
        for name in kept:
            wider = {column: value for column, value in kept.items() if column != name}
            rest = live & facts.mask(wider) & ~own
            if facts.rows[rest].sum() < 10:
                continue
            z, other = _relative(facts, rest, figure, over)
            alike = other * move > 0 and 0.5 < abs(other) / abs(move) < 2.0 and abs(z) > 3
            # Nearly all rows are all rows, unless the few others went another way.
            few = facts.rows[rest].sum() < _FEW * facts.rows[live & facts.mask(wider)].sum()
            alike = alike or (len(kept) == 1 and few and z * move > -1.0)
            if alike and (best is None or abs(z) > best[0]):
                best = (abs(z), wider)
        if best is None:
            return kept
        kept = best[1]
    return kept


def _twin(story: Story) -> Story:
    """The other side of a segment whose rows and values moved against each other."""
    other = "volume" if story.kind == "rate" else "rate"
    effect = story.rows_part if other == "volume" else story.rate_part
    figures = (story.count, story.other_count) if other == "volume" else (story.low, story.high)
    return Story(kind=other, segment=story.segment, effect=effect, z=story.z, before=figures[0], after=figures[1])


def story_of(
    facts: Facts,
    dimensions: tuple[str, ...],
    segment: Segment,
    figure: str,
    z: float,
    whole: GroupSums,
    over: tuple[float, float],
) -> Story | None:
    """A candidate as a story with its kind and its exact part; None where a gate closes."""
    mask = facts.mask(segment)
    own = sums_of(facts, mask)
    parts = split(facts, own, whole)
    fresh = min(parts.rows) <= GONE * max(parts.rows)
    change = facts.change
    if facts.how == "ratio":
        return _ratio_story(facts, dimensions, segment, figure, z, whole, mask)
    if segment and fresh:
        return Story(
            kind="new_or_gone", segment=segment, effect=parts.change, before=parts.before, after=parts.after, z=z
        )
    if segment and not facts.grouped and (since := stays_away(facts, mask)) is not None:
        return Story(
            kind="new_or_gone",
            fault="missing_rows",
            segment=segment,
            effect=parts.change,
            before=parts.before,
            after=parts.after,
            z=z,
            since=since,
        )
    moved = {name: float(values[0]) for name, values in scores(facts, own, whole, over).items()}
    longer = facts.days[1] / facts.days[0]
    uneven = abs(longer - 1) > 0.03
    rows_moved = abs(moved["rows"]) > _TOLD
    each_moved = abs(moved.get("each", 0.0)) > _TOLD and not facts.counts_rows
    opposite = rows_moved and each_moved and moved["rows"] * moved.get("each", 0.0) < 0
    each = parts.each
    total = parts.change if not uneven else (parts.after or 0.0) - longer * (parts.before or 0.0)
    if each is not None and (figure == "each" or (each_moved and not rows_moved)):
        kind, effect, figures = "rate", parts.rate, each
    elif each is not None and (figure == "rows" or (rows_moved and not each_moved) or facts.counts_rows):
        effect = (parts.rows[1] - longer * parts.rows[0]) * (each[0] + each[1]) / 2 if uneven else parts.rows_part
        kind, figures = "volume", parts.rows
    else:
        kind, effect, figures = "segment", total, (parts.before, parts.after)
    if rows_moved and each_moved and not opposite and segment:
        kind, effect, figures = "segment", total, (parts.before, parts.after)
    if kind == "rate":
        if each is None or abs(each[1] - each[0]) < 0.01 * abs(each[0]):
            return None
        kept, name = mix_held_still(facts, dimensions, mask, segment)
        if kept < 0.45:
            return mix_story(facts, name, whole, change) if name and not segment else None
    if kind == "segment" and effect * parts.change < 0:
        return None
    if kind in ("segment", "volume") and effect * z < 0:
        return None  # it moved against the rest, but not by itself
    return Story(
        kind=kind,  # pyright: ignore[reportArgumentType] - one of three kinds
        segment=segment,
        effect=effect,
        before=figures[0],
        after=figures[1],
        z=z,
        opposite=opposite,
        rate_part=parts.rate,
        rows_part=parts.rows_part,
        count=parts.rows[0],
        other_count=parts.rows[1],
        low=each[0] if each else None,
        high=each[1] if each else None,
    )


def _ratio_story(
    facts: Facts, dimensions: tuple[str, ...], segment: Segment, figure: str, z: float, whole: GroupSums, mask: Mask
) -> Story | None:
    parts = split(facts, sums_of(facts, mask), whole)
    change = facts.change
    if figure == "mix":
        fresh = min(parts.rows) <= GONE * max(parts.rows)
        effect = parts.change if fresh else parts.mix
        if not fresh and abs(parts.weight[1] - parts.weight[0]) < 0.01:
            return None
        if not change or effect / change < 0.3:
            return None
        if fresh:
            return Story(
                kind="new_or_gone", segment=segment, effect=effect, before=parts.before, after=parts.after, z=z
            )
        return Story(kind="mix", segment=segment, effect=effect, before=parts.weight[0], after=parts.weight[1], z=z)
    if parts.before is None or parts.after is None or abs(parts.after - parts.before) < 0.01 * abs(parts.before):
        return None
    if not facts.stacked:
        kept, name = mix_held_still(facts, dimensions, mask, segment)
        if kept < 0.45:
            return mix_story(facts, name, whole, change) if name and not segment else None
    return Story(kind="rate", segment=segment, effect=parts.rate, before=parts.before, after=parts.after, z=z)


def _ahead_of_all(
    facts: Facts, dimensions: tuple[str, ...], over: tuple[float, float], whole: GroupSums
) -> Story | None:
    """In a move of all segments, the one that moved the same way clearly beyond the common move."""
    before, after = facts.value(0), facts.value(1)
    usual = after / before / (1.0 if facts.how == "ratio" else facts.days[1] / facts.days[0]) if before else 1.0
    if usual <= 0:
        return None
    for one in candidates(facts, dimensions, facts.both, over, order=2, usual=usual, with_whole=False)[:10]:
        if one.score < 9 or one.figure in ("mix", "each"):
            continue
        story = story_of(facts, dimensions, one.segment, one.figure, one.z, whole, over)
        if story and story.effect and facts.change and story.effect / facts.change > 0.1:
            return story
    return None
