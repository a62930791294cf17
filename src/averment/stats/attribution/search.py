"""Causes: the segments whose own move stands out most from their own noise, priced for the search.

Among events a superset of a cause is diluted and a subset has fewer rows, so the largest squared score, less the price
of looking, picks the right size. Conditions are dropped again as long as what they shut out moved alike. Rows of a told
cause are set aside before the next is sought, so that the parts are disjoint. A move in value that is gone once the mix
inside is held still is told as the mix. Of a panel, whose rows are one for each entity and date, an entity is held
against its own moves at other times.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import log, prod

import numpy as np

from averment.stats.attribution.facts import OTHER, Codes, Facts, Floats, Mask, Segment
from averment.stats.attribution.faults_rows import stays_away
from averment.stats.attribution.split import (
    ChangeParts,
    GroupSums,
    Scatter,
    scatter_of,
    scores,
    split,
    sum_groups,
    sums_of,
)
from averment.stats.attribution.story import Story

LEAST_SCORE = 13.0
"""The squared score, less the price of looking, from which a segment is named."""
WHOLE = 3.0
_BULK, _OF_ALL, _STANDS_OUT, _LITTLE = 0.15, 0.03, 25.0, 0.05
"""What a cause must carry: so much of the change or of the metric, or less where it stands out so clearly."""
_STILL_REST = 0.4
"""Where the rest moved by less than this part of the move of all, all did not move alike."""
_MOST_CELLS = 4_000
_TOLD = 3.3
_FEW, _MAIN = 0.1, 0.6
_EVEN = 0.5
"""Where one segment moved against the change, another that stands out nearly as much and made it is told first."""
GONE = 0.03
"""A segment with so few of its rows on one side is new or gone."""
LEAST_PAST = 5
_CLEAR = 3.5
_QUIET_MOVE = 0.03
_STILL_PART = 0.1
_SLIGHT, _LARGE, _HALF = 1.4, 0.1, 0.5
_WENT_OVER = 0.02


@dataclass(frozen=True, kw_only=True)
class MoveCandidate:
    """A segment and a figure of it that moved."""

    score: float
    z: float
    figure: str
    segment: Segment


def event_stories(
    facts: Facts, dimensions: tuple[str, ...], dated: Facts | None = None, *, most: int = 6
) -> list[Story]:
    """The segments that carry the change, or the whole where it moved alike; none where nothing stands out.

    ``dated`` are the facts whose days tell the scatter, where the facts themselves know no days.
    """
    scatter = scatter_of(facts if dated is None else dated, dimensions)
    whole = sums_of(facts)
    live = facts.both
    found: list[Story] = []
    for turn in range(most):
        if facts.rows[live].sum() < 40 or not (facts.inside[0] & live).any() or not (facts.inside[1] & live).any():
            break
        story = _next_story(facts, dimensions, live, scatter, whole, turn)
        if story is None:
            break
        if not story.segment and turn == 0:
            lead = _ahead_of_all(facts, dimensions, scatter, whole)
            return [lead, story] if lead is not None else [story]
        found.append(story)
        if not story.segment:
            break
        if story.opposite:
            found.append(_twin(story))
        live = live & ~facts.mask(story.segment)
    return found[:most]


def _next_story(
    facts: Facts, dimensions: tuple[str, ...], live: Mask, scatter: Scatter, whole: GroupSums, turn: int
) -> Story | None:
    size = abs(facts.value(0)) or 1.0
    contrary: tuple[MoveCandidate, Story] | None = None
    ranked = [one for one in candidates(facts, dimensions, live, scatter)[:30] if one.score >= LEAST_SCORE]
    best = next((one for one in ranked if one.segment), None)
    if best is not None and (turn or _rest_stays(facts, live, best, scatter)):
        ranked.sort(key=lambda one: not one.segment)  # The whole moved by what one segment, or several, did.
    for one in ranked:
        if contrary is not None and one.score < _EVEN * contrary[0].score:
            break
        segment = _grown(facts, live, one.segment, one.figure, scatter)
        story = story_of(facts, dimensions, segment, one.figure, one.z, whole, scatter)
        if story is None or story.effect is None or not np.isfinite(story.effect):
            continue
        bulk = abs(story.effect) / max(abs(facts.change), 1e-300)
        clear = one.score >= _STANDS_OUT
        if turn and (bulk < (_LITTLE if clear else _BULK) or (not segment and (turn > 1 or bulk < _MAIN))):
            continue
        if bulk < _BULK and abs(story.effect) < _OF_ALL * size and not clear:
            continue
        if contrary is None:
            if not segment or story.effect * facts.change > 0:
                return story
            contrary = (one, story)
        elif _is_other_side(contrary[1], story) and story.effect * facts.change > 0:
            return story
    return None if contrary is None else contrary[1]


def _rest_stays(facts: Facts, live: Mask, one: MoveCandidate, scatter: Scatter) -> bool:
    """Whether the rest hardly moved without a segment, beside the move of all."""
    if one.figure == "mix":
        return False
    _, rest = _relative(facts, live & ~facts.mask(one.segment), one.figure, scatter)
    _, whole = _relative(facts, live, one.figure, scatter)
    return abs(rest) < _STILL_REST * abs(whole)


def _is_other_side(one: Story, other: Story) -> bool:
    """Whether two segments are values of one dimension, of which the other moved more."""
    same = one.segment.keys() == other.segment.keys() and one.segment != other.segment
    return same and abs(other.effect or 0.0) > abs(one.effect or 0.0)


def candidates(
    facts: Facts,
    dimensions: tuple[str, ...],
    live: Mask,
    scatter: Scatter,
    *,
    order: int = 3,
    usual: float = 1.0,
    with_whole: bool = True,
) -> list[MoveCandidate]:
    """Every segment that stands out, the most telling first."""
    whole = sums_of(facts, live)
    found: list[MoveCandidate] = []
    if with_whole:
        for figure, z in scores(facts, whole, whole, scatter, usual).items():
            if figure != "mix":
                own = float(z[0])
                # The whole is one look, not a search; its days must bear it out beside its rows.
                apart = facts.grouped or (live is facts.both and scatter.days_agree)
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
            for figure, z in scores(facts, sums, whole, scatter, usual, beside=True).items():
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


def _relative(facts: Facts, live: Mask, figure: str, scatter: Scatter) -> tuple[float, float]:
    """The score and the relative move of one figure over some rows."""
    sums = sums_of(facts, live)
    z = scores(facts, sums, sums, scatter).get(figure)
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


def _grown(facts: Facts, live: Mask, segment: Segment, figure: str, scatter: Scatter) -> Segment:
    """The segment less each condition that shut out rows which moved alike."""
    if figure == "mix":
        return segment
    kept = dict(segment)
    while kept:
        own = live & facts.mask(kept)
        _, move = _relative(facts, own, figure, scatter)
        best: tuple[float, Segment] | None = None
        for name in kept:
            wider = {column: value for column, value in kept.items() if column != name}
            rest = live & facts.mask(wider) & ~own
            if facts.rows[rest].sum() < 10:
                continue
            z, other = _relative(facts, rest, figure, scatter)
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
    scatter: Scatter,
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
    moved = {name: float(values[0]) for name, values in scores(facts, own, whole, scatter).items()}
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


def _ahead_of_all(facts: Facts, dimensions: tuple[str, ...], scatter: Scatter, whole: GroupSums) -> Story | None:
    """In a move of all segments, the one that moved the same way clearly beyond the common move."""
    before, after = facts.value(0), facts.value(1)
    usual = after / before / (1.0 if facts.how == "ratio" else facts.days[1] / facts.days[0]) if before else 1.0
    if usual <= 0:
        return None
    for one in candidates(facts, dimensions, facts.both, scatter, order=2, usual=usual, with_whole=False)[:10]:
        if one.score < 9 or one.figure in ("mix", "each"):
            continue
        story = story_of(facts, dimensions, one.segment, one.figure, one.z, whole, scatter)
        if story and story.effect and facts.change and story.effect / facts.change > 0.1:
            return story
    return None


def mix_held_still(facts: Facts, dimensions: tuple[str, ...], mask: Mask, segment: Segment) -> tuple[float, str | None]:
    """How much of a move in value is left when the mix inside is held still: the least, and its dimension.

    Of dimensions that leave little, the one with the fewest values is named.
    """
    worst, name, few = 1.0, None, 10**6
    per = facts.den if facts.how == "ratio" else facts.rows
    inside = [facts.inside[k] & mask for k in (0, 1)]
    total = [float(per[i].sum()) for i in inside]
    if not all(total):
        return 1.0, None
    move = float(facts.num[inside[1]].sum()) / total[1] - float(facts.num[inside[0]].sum()) / total[0]
    if not move:
        return 0.0, None
    for each in dimensions:
        axis = facts.axes[each]
        if each in segment or len(axis.labels) > 40:
            continue
        tops = [np.bincount(axis.codes[i], facts.num[i], len(axis.labels)) for i in inside]
        pers = [np.bincount(axis.codes[i], per[i], len(axis.labels)) for i in inside]
        there = (pers[0] > 0) & (pers[1] > 0)
        rate = tops[1][there] / pers[1][there] - tops[0][there] / pers[0][there]
        kept = float((rate * (pers[0][there] / total[0] + pers[1][there] / total[1]) / 2).sum()) / move
        values = int((pers[0] + pers[1] > 0).sum())
        small = kept < 0.25 and worst < 0.25
        if (small and values < few) or (not small and kept < worst):
            worst, name, few = kept, each, values
    return worst, name


def mix_story(facts: Facts, name: str, whole: GroupSums, change: float) -> Story | None:
    """The value of each moved, but not within the values of this dimension: the value whose weight makes it."""
    best: tuple[float, Story] | None = None
    axis = facts.axes[name]
    for code in np.unique(axis.codes[facts.both]):
        segment = {name: axis.labels[code]}
        own = sums_of(facts, facts.mask(segment))
        parts = split(facts, own, whole)
        rows, everything = parts.rows, whole.rows[0]
        if facts.how == "ratio":
            pull = parts.mix
        else:
            share = [rows[k] / max(float(everything[k]), 1.0) for k in (0, 1)]
            mean = float(own.num.sum()) / max(sum(rows), 1.0)
            rest = float(whole.num.sum() - own.num.sum()) / max(float(everything.sum()) - sum(rows), 1.0)
            pull = (share[1] - share[0]) * (mean - rest) * float(everything.mean())
        if pull * np.sign(change) <= 0.4 * abs(change) or min(sum(rows), abs(rows[1] - rows[0])) < 5:
            continue
        fresh = min(rows) <= GONE * max(rows)
        effect = parts.mix if facts.how == "ratio" and not fresh else parts.change
        if effect * change <= 0:
            continue
        # Among equals, a segment and the rest of it, the smaller one is what happened.
        rank = abs(pull) * (1.3 if fresh else 1.0) / (0.2 + sum(rows) / float(everything.sum()))
        if best is None or rank > best[0]:
            weights = tuple(rows[k] / max(float(everything[k]), 1.0) for k in (0, 1))
            figures = (parts.before, parts.after) if fresh else weights
            kind = "new_or_gone" if fresh else "mix"
            best = (rank, Story(kind=kind, segment=segment, effect=effect, before=figures[0], after=figures[1]))
    return best[1] if best else None


def moves_elsewhere(facts: Facts, mask: Mask | None) -> Floats:
    """The changes over the same span and distance at other times; none of them touches the comparison."""
    chosen = np.ones(len(facts.day), dtype=bool) if mask is None else mask
    stamps, at = np.unique(facts.day[chosen], return_inverse=True)
    top = np.bincount(at, facts.num[chosen], len(stamps))
    if facts.how == "ratio":
        bottom = np.bincount(at, facts.den[chosen], len(stamps))
        line = np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom != 0)
    else:
        line = top
    before, after = max(facts.dates[0], 1), max(facts.dates[1], 1)
    away = max(round((facts.periods[1][0] - facts.periods[0][0]) / max(facts.step, 1.0)), 1)
    averaged = facts.how == "ratio" or facts.level
    found: list[float] = []
    for start in range(len(line) - away - after + 1):
        touches = stamps[start + away + after - 1] >= facts.periods[1][0] and stamps[start] <= facts.periods[1][1]
        if touches:
            continue
        one, two = line[start : start + before], line[start + away : start + away + after]
        found.append(float(two.mean() - one.mean()) if averaged else float(two.sum() - one.sum()))
    kept = np.array(found)
    return kept[np.isfinite(kept)]


def usual_moves(facts: Facts, mask: Mask | None) -> float:
    """The usual size of such a change; zero where there is too little past to tell."""
    past = moves_elsewhere(facts, mask)
    return _scatter(past) if len(past) >= LEAST_PAST else 0.0


def _scatter(past: Floats) -> float:
    middle = float(np.median(past))
    return max(1.4826 * float(np.median(np.abs(past - middle))), 0.25 * float(past.std()), 1e-300)


class _Row:
    def __init__(self, facts: Facts, name: str, value: str, whole: object) -> None:
        mask = facts.mask({name: value})
        self.value = value
        self.parts: ChangeParts = split(facts, sums_of(facts, mask), whole)  # pyright: ignore[reportArgumentType]
        there = self.parts.before is not None and self.parts.after is not None
        self.effect = self.parts.rate if facts.how == "ratio" and there else self.parts.change
        past = moves_elsewhere(facts, mask)
        if facts.how == "ratio" and len(past):
            past = past * (self.parts.weight[0] + self.parts.weight[1]) / 2
        self.z: float | None = None
        if len(past) >= LEAST_PAST:
            self.z = (self.effect - float(np.median(past))) / _scatter(past)
        self.t = _between_dates(facts, mask)
        before, after = self.parts.before, self.parts.after
        self.relative = abs(after / before - 1.0) if before and after is not None else float("inf")


def panel_stories(facts: Facts, dimensions: tuple[str, ...], most: int = 3) -> list[Story]:
    """The entities that carry the change, each beyond an even part of it and beyond its own usual moves."""
    change = facts.change
    if not change:
        return []
    chosen = _sharpest(facts, dimensions)
    if chosen is None:
        return []
    name, rows = chosen
    gross = sum(abs(row.effect) for row in rows)
    quiet = _is_quiet(facts)
    counted = _counts(facts)
    fair = 1.0 / len(rows)
    found: list[Story] = []
    for row in sorted(rows, key=lambda one: (-abs(one.effect), one.value)):
        share, parts = row.effect / change, row.parts
        if row.value == OTHER:
            continue
        if share < 0 and abs(share) < 0.35:
            continue
        if share > 0 and (share < 0.1 or abs(row.effect) / gross < 1.2 * fair):
            continue
        if quiet and (row.z is None or abs(row.z) < _CLEAR or abs(share) < 0.3 or row.relative < _QUIET_MOVE):
            continue
        if not _beyond(facts, row, share, len(rows)):
            continue
        if counted and row.effect**2 < 6 * ((parts.before or 0.0) + (parts.after or 0.0)):
            continue
        if parts.before and parts.after is not None and abs(parts.after - parts.before) < 0.005 * abs(parts.before):
            continue
        segment, parts, effect = _narrowed(facts, dimensions, {name: row.value}, parts, row.effect)
        gone = min(parts.rows) == 0
        found.append(
            Story(
                kind="new_or_gone" if gone else "rate" if facts.how == "ratio" else "segment",
                segment=segment,
                effect=effect,
                before=parts.before,
                after=parts.after,
                z=row.z,
            )
        )
        if len(found) == most:
            break
    found.sort(key=lambda s: ((s.effect or 0.0) * change < 0, -abs(s.effect or 0.0)))
    return found


def _narrowed(
    facts: Facts, dimensions: tuple[str, ...], segment: dict[str, str], parts: ChangeParts, effect: float
) -> tuple[dict[str, str], ChangeParts, float]:
    """The part of a segment that carries its whole move, where the rest of it stands still."""
    if facts.how == "ratio":
        return segment, parts, effect
    own = facts.mask(segment)
    whole = sums_of(facts)
    for name in dimensions:
        if name in segment:
            continue
        axis = facts.axes[name]
        for code in np.unique(axis.codes[facts.both & own]):
            if axis.labels[code] == OTHER:
                continue
            inner = own & (axis.codes == code)
            rest = own & ~inner
            if not (facts.inside[0] & rest).any():
                continue
            mine = split(facts, sums_of(facts, inner), whole)
            left = split(facts, sums_of(facts, rest), whole)
            still = abs(left.change) <= max(_STILL_PART * abs(effect), 1.5 * usual_moves(facts, rest))
            small = (mine.before or 0.0) <= 0.8 * (parts.before or 0.0)
            if still and small and mine.change / effect >= 1.0 - 2 * _STILL_PART:
                return {**segment, name: axis.labels[code]}, mine, mine.change
    return segment, parts, effect


def _beyond(facts: Facts, row: _Row, share: float, entities: int) -> bool:
    """Whether an entity moved by more than it does at other times, or carries a large move of the whole."""
    if row.relative < 0.02:
        return False
    if row.z is None:
        if row.t is not None:
            return abs(row.t) >= 3.0 and row.relative >= 0.03
        return row.relative >= 0.05
    if row.z**2 >= 4.0 + 2.0 * float(np.log(entities)):
        return True
    usual = usual_moves(facts, None)
    large = abs(facts.change) >= 1.3 * usual and abs(facts.change) >= _LARGE * abs(facts.value(0))
    apart = row.t is None or abs(row.t) >= 2.0 or row.relative >= _HALF
    return large and share >= _HALF and abs(row.z) >= _SLIGHT and apart


def _between_dates(facts: Facts, mask: Mask) -> float | None:
    """Welch's t of an entity's dates; None where a period has fewer than two."""
    sides: list[Floats] = []
    for inside in facts.inside:
        chosen = inside & mask
        stamps, at = np.unique(facts.day[chosen], return_inverse=True)
        if len(stamps) < 2:
            return None
        top = np.bincount(at, facts.num[chosen]).astype(np.float64)
        if facts.how == "ratio":
            bottom = np.bincount(at, facts.den[chosen])
            top = np.divide(top, bottom, out=np.zeros(len(top)), where=bottom != 0)
        sides.append(np.asarray(top, dtype=np.float64))
    error = sum(float(side.var(ddof=1)) / len(side) for side in sides) ** 0.5
    moved = float(sides[1].mean() - sides[0].mean())
    return moved / error if error > 0 else (float("inf") if moved else 0.0)


def _sharpest(facts: Facts, dimensions: tuple[str, ...]) -> tuple[str, list[_Row]] | None:
    """The dimension in which the change is most concentrated, beside an even split over its values."""
    best: tuple[float, str, list[_Row]] | None = None
    whole = sums_of(facts)
    for name in dimensions:
        if _is_changed_by(facts, name):
            continue
        total = total_value(facts, name)
        axis = facts.axes[name]
        present = {axis.labels[code] for code in np.unique(axis.codes[facts.both])}
        rows = [_Row(facts, name, value, whole) for value in sorted(present) if value != total]
        if len(rows) < 2:
            continue
        gross = sum(abs(row.effect) for row in rows)
        lead = max((row.effect * np.sign(facts.change) for row in rows if row.value != OTHER), default=0.0)
        focus = abs(lead) / gross * len(rows) ** 0.5 if gross else 0.0
        if best is None or focus > best[0]:
            best = (focus, name, rows)
    return None if best is None else (best[1], best[2])


def _is_changed_by(facts: Facts, name: str) -> bool:
    """Whether entities changed their value of a dimension: its values then move because entities went over."""
    if name in (facts.entity or ()):
        return False
    key, codes = facts.entity_codes, facts.axes[name].codes
    last = [dict(zip(key[inside].tolist(), codes[inside].tolist(), strict=True)) for inside in facts.inside]
    both = last[0].keys() & last[1].keys()
    return sum(last[0][one] != last[1][one] for one in both) > _WENT_OVER * len(both)


def _is_quiet(facts: Facts) -> bool:
    """Whether the whole moved no more than it does at other times."""
    usual = usual_moves(facts, None)
    if abs(facts.change) < usual and abs(facts.change) < 0.1 * abs(facts.value(0)):
        return True
    return _counts(facts) and abs(facts.change) < 2 * float(facts.num[facts.both].sum()) ** 0.5


def _counts(facts: Facts) -> bool:
    """Whether the numbers are counts of things, which scatter by counting alone."""
    inside = facts.num[facts.both]
    return facts.how == "sum" and not facts.level and bool((inside >= 0).all()) and bool((inside % 1 == 0).all())


def total_value(facts: Facts, name: str) -> str | None:
    """The value of a dimension that is the sum of all others on nearly every date."""
    axis = facts.axes[name]
    if facts.how != "sum" or not 3 <= len(axis.labels) <= 200:
        return None
    at = np.searchsorted(facts.stamps, facts.day)
    wide = np.zeros((len(facts.stamps), len(axis.labels)))
    np.add.at(wide, (at, axis.codes), facts.num)
    whole = wide.sum(axis=1)
    for code, label in enumerate(axis.labels):
        fits = np.abs(2 * wide[:, code] - whole) <= 0.01 * np.abs(whole)
        if fits[whole != 0].mean() > 0.9 if (whole != 0).any() else False:
            return label
    return None
