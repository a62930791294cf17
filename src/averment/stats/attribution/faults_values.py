"""Values, names, keys and clocks that are wrong.

Values in another unit, below zero, empty, or one that carries the change alone; a value under another name, keys that
stop matching, hours that are shifted, a stock that was summed.
"""

from __future__ import annotations

import re

import numpy as np

from averment.stats.attribution.facts import NONE, OTHER, Facts, Floats, Mask, Segment
from averment.stats.attribution.faults_rows import values_of
from averment.stats.attribution.story import Story

_LEAST_JUMP = 0.65
"""In powers of ten: a factor of four and a half. Less cannot be told from a price that rose."""
_FACTORS = (12.0, 24.0, 60.0, 3600.0, 25.4)
_UNIT_LEAST_ROWS = 4.0
_MOSTLY = 0.8
_OUTLIER_PART = 0.03
_NEAR, _FEW = 0.06, 40


def unit_factor(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Values times a fixed factor with the same shape from a sharp day on: another unit or currency."""
    if facts.counts_rows or facts.counts_units or facts.stacked:
        return []
    logs = _logs(facts)
    best: tuple[float, Story] | None = None
    for segment in [{}, *values_of(facts, dimensions, _UNIT_LEAST_ROWS)]:
        found = _rescaled(facts, segment, logs)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return [best[1]] if best else []


def unit_of(facts: Facts, segment: Segment) -> Story | None:
    """The change of unit of one segment, where there is one."""
    if facts.counts_rows or facts.counts_units or facts.stacked:
        return None
    found = _rescaled(facts, segment, _logs(facts))
    return None if found is None else found[1]


def _logs(facts: Facts) -> Floats:
    """The value of each row in powers of ten; not a number where it is not above zero."""
    value = facts.num if facts.plain_rows else facts.num / np.maximum(facts.rows - facts.empty, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if facts.how == "ratio" and facts.plain_rows and not (facts.den <= 1).all():
            value = np.where(facts.den != 0, facts.num / facts.den, 0.0)
        return np.where(value > 0, np.log10(np.abs(value)), np.nan)


def _rescaled(facts: Facts, segment: Segment, logs: Floats) -> tuple[float, Story] | None:
    mask = facts.mask(segment) & ~np.isnan(logs)
    base, comp = mask & facts.inside[0], mask & facts.inside[1]
    if base.sum() < (3 if facts.panel else 10) or comp.sum() < (1 if facts.panel else 4):
        return None
    middle = float(np.median(logs[base]))
    days, daily = _daily_medians(facts, comp, logs)
    daily = daily - middle
    _, own = _daily_medians(facts, base, logs)
    moved = np.abs(daily) > _LEAST_JUMP
    if not moved.any() or (moved.sum() < 2 and len(daily) > 3 and not facts.panel):
        return None
    if moved[np.argmax(moved) : len(moved) - np.argmax(moved[::-1])].mean() < _MOSTLY:
        return None  # a unit changes on one day and stays; it does not come and go
    hit = comp & np.isin(facts.day, days[moved])
    jump = float(np.median(logs[hit])) - middle
    steady = float(own.std()) if len(own) > 1 else 0.0
    vote = _sibling_vote(facts, mask & ~facts.inside[1], hit, jump, logs)
    uneven = float(daily[moved].std())
    # Days with few rows scatter; many rows at a round factor need not be as steady.
    precise = not facts.panel and hit.sum() >= 60 and abs(jump) > 0.8 and abs(jump - round(jump)) < 0.1
    if uneven > (0.4 if vote > 0 else 0.25) * abs(jump):
        return None
    if vote <= 0 and steady > (0.35 if precise else 0.22) * abs(jump):
        return None
    wide = [float(np.subtract(*np.percentile(logs[x], [75, 25]))) for x in (base, hit)]
    if not facts.panel and (abs(wide[1] - wide[0]) > 0.25 * abs(jump) or hit.sum() < 5):
        return None
    if facts.panel and vote == 0 and (steady > 0.12 * abs(jump) or (moved.sum() > 1 and uneven > 0.12 * abs(jump))):
        return None
    _, past = _daily_medians(facts, mask & (facts.day < facts.periods[1][0]), logs)
    sharp = vote > 0 or precise or len(past) <= 4 or float(np.abs(np.diff(past)).max()) < 0.75 * abs(jump)
    exact = not facts.panel and _is_usual(jump, 0.1)
    if (vote < 0 and not exact) or not sharp:
        return None
    if not (vote > 0 or _is_usual(jump, 0.12 if facts.panel else 0.2) or (not facts.panel and min(wide) > 0.1)):
        return None
    side = float(np.sign(jump))
    natural = float(((logs[base] - middle) * side < -abs(jump) / 2).mean())
    pure = float(((logs[hit] - middle) * side > abs(jump) / 2).mean()) / max(1 - natural, 0.5)
    if pure < 0.9:
        return None
    factor = _factor_of(jump, few=hit.sum() < _FEW)
    taken = float(facts.num[hit].sum()) * (1 - 1 / factor)
    per = facts.rescale[1] if facts.how == "sum" else 1.0 / max(float(facts.den[facts.inside[1]].sum()), 1e-300)
    story = Story(
        kind="data_fault",
        fault="unit_factor",
        segment=segment,
        effect=taken * per,
        factor=factor,
        since=int(days[moved].min()),
        until=int(days[moved].max()),
        count=float(facts.rows[hit].sum()),
        before=10.0**middle,
        after=10.0 ** float(np.median(logs[hit])),
    )
    # The largest set of rows that is moved throughout, not one of its parts.
    return float(facts.rows[hit].sum()) * (1.0 if pure > 0.97 else 0.3), story


def _factor_of(jump: float, *, few: bool) -> float:
    """The factor between units that a jump in powers of ten is nearest to; as measured where none is near."""
    known = [float(round(jump)), *(side * float(np.log10(each)) for each in _FACTORS for side in (1, -1))]
    nearest = min(known, key=lambda each: abs(each - jump))
    if abs(nearest - jump) < _NEAR:
        return 10.0**nearest
    return 10.0 ** round(jump) if few and abs(jump - round(jump)) < 0.25 else 10.0**jump


def _daily_medians(facts: Facts, mask: Mask, logs: Floats) -> tuple[np.ndarray, Floats]:
    days = np.unique(facts.day[mask])
    order = np.argsort(facts.day[mask], kind="stable")
    values = logs[mask][order]
    edges = np.searchsorted(facts.day[mask][order], days)
    return days, np.array([float(np.median(part)) for part in np.split(values, edges[1:])] if len(days) else [])


def _is_usual(jump: float, slack: float) -> bool:
    """Whether a jump, in powers of ten, is near a factor between units."""
    whole = abs(jump - round(jump)) < slack
    return abs(jump) > _LEAST_JUMP and (whole or any(abs(abs(jump) - np.log10(each)) < 0.03 for each in _FACTORS))


def _sibling_vote(facts: Facts, past: Mask, hit: Mask, jump: float, logs: Floats) -> int:
    """+1 if the outcome left the measures that told it until then, -1 if they jumped along, 0 if none tell it."""
    rest = _beside_siblings(facts, logs)
    if rest is None:
        return 0
    before, after = rest[past & np.isfinite(rest)], rest[hit & np.isfinite(rest)]
    if len(before) < 3 or not len(after) or before.std() >= 0.25 * abs(jump):
        return 0
    shift = float(np.median(after) - np.median(before))
    return 1 if abs(shift - jump) < 0.25 else -1 if abs(shift) < 0.25 * abs(jump) else 0


_CACHE = "_beside_siblings"


def _beside_siblings(facts: Facts, logs: Floats) -> Floats | None:
    """What the other measures of a row, taken together, leave of its outcome; None where they do not tell it."""
    if _CACHE in facts.__dict__:
        return facts.__dict__[_CACHE]
    columns: list[Floats] = []
    for values in facts.siblings.values():
        with np.errstate(invalid="ignore", divide="ignore"):
            other = np.where(values > 0, np.log10(np.where(values > 0, values, 1.0)), np.nan)
        if np.isfinite(other).mean() > 0.8 and np.nanstd(other) > 1e-9:
            columns.append(other)
    found: Floats | None = None
    if columns:
        design = np.stack([*columns, np.ones(len(logs))], axis=1)
        known = ~facts.inside[1] & np.isfinite(logs) & np.isfinite(design).all(axis=1)
        if known.sum() >= 8 + len(columns):
            weights, *_ = np.linalg.lstsq(design[known], logs[known], rcond=None)
            rest = logs - design @ weights
            if float(rest[known].std()) < 0.6 * float(logs[known].std()):
                found = rest
    facts.__dict__[_CACHE] = found
    return found


def outlier(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """One row that carries most of the change and lies far from all others."""
    change = facts.change
    few = min(int(i.sum()) for i in facts.inside) < 30
    if facts.counts_rows or facts.counts_units or facts.stacked or not facts.plain_rows or not change or few:
        return []
    if facts.panel and min(facts.dates) < 20:
        return []
    for side in (1, 0):
        at = np.flatnonzero(facts.inside[side])
        row = int(at[np.argmax(np.abs(facts.num[at] - np.median(facts.num[at])))])
        rest = np.abs(np.concatenate([facts.num[at[at != row]], facts.num[facts.inside[1 - side]]]))
        alone = np.zeros(len(facts.num), dtype=bool)
        alone[row] = True
        effect = (facts.value(side) - facts.value(side, ~alone)) * (1.0 if side else -1.0)
        largest, size = float(rest.max()), abs(float(facts.num[row]))
        matters = abs(effect) >= _OUTLIER_PART * abs(facts.value(0))
        if matters and effect / change > 0.45 and size > 1.7 * largest and size > 8 * float(rest.mean()):
            place = {name: facts.axes[name].labels[facts.axes[name].codes[row]] for name in dimensions[:4]}
            return [
                Story(
                    kind="outlier",
                    fault="outlier",
                    effect=effect,
                    side=side,
                    before=largest,
                    after=float(facts.num[row]),
                    since=int(facts.day[row]),
                    note=", ".join(f"{name} = {value}" for name, value in place.items()),
                )
            ]
    return []


def holder(facts: Facts, dimensions: tuple[str, ...], hit: Mask, side: int, order: int = 2) -> Segment:
    """The smallest segment that holds nearly all marked rows of a period, if it is clearly smaller than the whole."""
    inside = facts.inside[side]
    total = float(facts.rows[hit & inside].sum())
    best: tuple[Segment, float] = ({}, float(facts.rows[inside].sum()))
    frontier: list[tuple[Segment, Mask]] = [({}, inside)]
    for _ in range(order):
        grown: list[tuple[Segment, Mask]] = []
        for segment, rows in frontier:
            for name in dimensions:
                if name in segment or not (hit & rows).any():
                    continue
                axis = facts.axes[name]
                counts = np.bincount(axis.codes[hit & rows], facts.rows[hit & rows], len(axis.labels))
                code = int(np.argmax(counts))
                mask = rows & (axis.codes == code)
                holds = float(facts.rows[hit & mask].sum()) >= 0.95 * total
                if holds and facts.rows[mask].sum() < 0.8 * facts.rows[rows].sum():
                    grown.append(({**segment, name: axis.labels[code]}, mask))
        grown.sort(key=lambda one: (float(facts.rows[one[1]].sum()), sorted(one[0].items())))
        frontier = grown[:3]
        for segment, mask in frontier:
            size = float(facts.rows[mask].sum())
            if size < 0.8 * best[1]:
                best = (segment, size)
    return best[0]


def negative_sign(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Values below zero that the baseline hardly had: refunds or a flipped sign."""
    if facts.counts_rows or facts.counts_units or facts.stacked:
        return []
    low = facts.num < 0
    rows = [float(facts.rows[i].sum()) for i in facts.inside]
    share = [float(facts.rows[low & i].sum()) / max(n, 1.0) for i, n in zip(facts.inside, rows, strict=True)]
    gap = share[1] - share[0]
    if share[0] > 0.2 or gap < 0.005 or gap * rows[1] < 8 or share[1] < 4 * share[0]:
        return []
    marked = low & facts.inside[1]
    segment = holder(facts, dimensions, low, 1, 3)
    effect = facts.value(1) - facts.value(1, ~marked)
    if _is_flipped(facts, segment, marked):
        per = facts.rescale[1] if facts.how == "sum" else 1.0 / max(float(facts.den[facts.inside[1]].sum()), 1e-300)
        effect = 2.0 * float(facts.num[marked].sum()) * per
    return [
        Story(
            kind="data_fault",
            fault="negative_sign",
            segment=segment,
            effect=effect,
            count=float(facts.rows[marked].sum()),
            other_count=float(facts.rows[low & facts.inside[0]].sum()),
            since=int(facts.day[marked].min()),
            until=int(facts.day[marked].max()),
        )
    ]


def _is_flipped(facts: Facts, segment: Segment, marked: Mask) -> bool:
    """Whether rows below zero stand in place of others, and do not come on top of as many as there usually are."""
    mask = facts.mask(segment)
    first, last = int(facts.day[marked].min()), int(facts.day[marked].max())
    inside = mask & (facts.day >= first) & (facts.day <= last)
    usual = float(facts.rows[facts.inside[0] & mask].sum()) / facts.days[0] * (last - first + 1)
    there, low = float(facts.rows[inside].sum()), float(facts.rows[marked & mask].sum())
    return abs(there - usual) < abs(there - low - usual)


def nulls(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Rows that lost their value, or a dimension that lost its values, in one period."""
    found: list[Story] = []
    rows = [float(facts.rows[i].sum()) for i in facts.inside]
    share = [float(facts.empty[i].sum()) / max(n, 1.0) for i, n in zip(facts.inside, rows, strict=True)]
    for side in (1, 0):
        gap = share[side] - share[1 - side]
        if gap <= 0.03 or gap * rows[side] < 10 or facts.stacked:
            continue
        segment = holder(facts, dimensions, facts.empty > 0, side, 1)
        filled = facts.inside[1 - side] & facts.mask(segment) & (facts.empty == 0)
        each = float(facts.num[filled].sum() / max(facts.rows[filled].sum(), 1.0))
        hit = facts.inside[side] & (facts.empty > 0)
        found.append(
            Story(
                kind="data_fault",
                fault="nulls",
                segment=segment,
                effect=(-1.0 if side else 1.0) * gap * rows[side] * each * facts.rescale[side]
                if facts.how == "sum"
                else None,
                side=side,
                before=share[1 - side],
                after=share[side],
                count=float(facts.empty[facts.inside[side]].sum()),
                since=int(facts.day[hit].min()),
                until=int(facts.day[hit].max()),
            )
        )
    broken = {join.table for join in facts.joins if not join.matched[facts.inside[1]].all()}
    for name in dimensions:
        axis = facts.axes[name]
        code = axis.code("(none)")
        if code < 0 or facts.panel or facts.sources.get(name) in broken:
            continue
        none = axis.codes == code
        part = [float(facts.rows[none & i].sum()) / max(n, 1.0) for i, n in zip(facts.inside, rows, strict=True)]
        if part[0] < 0.002 and part[1] > 0.03:
            hit = none & facts.inside[1]
            found.append(
                Story(
                    kind="data_fault",
                    fault="nulls",
                    segment={name: "(none)"},
                    effect=0.0,
                    structural=True,
                    column=name,
                    before=part[0],
                    after=part[1],
                    count=float(facts.rows[hit].sum()),
                    since=int(facts.day[hit].min()),
                    until=int(facts.day[hit].max()),
                )
            )
    return found


_APART = 0.05
_LETTERS = re.compile(r"[^a-z0-9]+")


def bare(text: str) -> str:
    """A name without its dress: no case, blanks or punctuation."""
    return _LETTERS.sub("", text.lower())


def renames(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Values that leave as a twin arrives, or as another one grows by as much."""
    found: list[Story] = []
    columns = [*dimensions, *sorted(name for name in facts.axes if name in facts.inputs and name not in dimensions)]
    for name in columns:
        found += _renamed_in(facts, dimensions, name)
    return found


class _ValueDays:
    """When and how often each value of one dimension comes."""

    def __init__(self, facts: Facts, name: str) -> None:
        axis = facts.axes[name]
        self.facts, self.axis = facts, axis
        size = len(axis.labels)
        # Of a column that the metric's own condition reads, rows that are left out tell what became of the others.
        weight = np.ones(len(facts.rows)) if name in facts.inputs else facts.rows
        self.before = np.bincount(axis.codes[facts.inside[0]], weight[facts.inside[0]], size)
        self.after = np.bincount(axis.codes[facts.inside[1]], weight[facts.inside[1]], size)
        self.first = np.full(size, 10**9)
        self.last = np.full(size, -1)
        np.minimum.at(self.first, axis.codes[facts.both], facts.day[facts.both])
        np.maximum.at(self.last, axis.codes[facts.both], facts.day[facts.both])
        self.stop = int(facts.day[facts.both].max())
        self.values = [
            c for c in range(size) if self.before[c] + self.after[c] > 0 and axis.labels[c] not in (NONE, OTHER)
        ]

    def dates(self, code: int) -> int:
        """On how many dates a value has rows."""
        return len(np.unique(self.facts.day[self.facts.both & (self.axis.codes == code)]))

    def silence(self, code: int) -> int:
        """For how many days of the comparison, up to its end, a value is not there."""
        return self.stop - max(int(self.last[code]), self.facts.periods[1][0])


def _renamed_in(facts: Facts, dimensions: tuple[str, ...], name: str) -> list[Story]:
    seen = _ValueDays(facts, name)
    labels = seen.axis.labels
    events = not facts.panel
    clump = facts.clumping
    gone: list[int] = []
    new: list[int] = []
    for code in seen.values:
        rate = seen.before[code] / facts.days[0]
        silent = seen.silence(code)
        enough = seen.before[code] >= (8 * clump if events else 2)
        away = rate * silent > 12 * clump if events else (seen.after[code] == 0 or silent > 2 * facts.step)
        if enough and seen.last[code] < seen.stop and away:
            gone.append(code)
        fresh = seen.before[code] == 0 and seen.after[code] >= (8 * clump if events else 1)
        if fresh and (not events or seen.dates(code) >= 4):
            new.append(code)
    found: list[Story] = []
    used: set[int] = set()
    for code in new:
        twins = [c for c in seen.values if c != code and bare(labels[c]) == bare(labels[code]) and bare(labels[c])]
        pair = (
            twins[0] if twins else _successor(facts, dimensions, name, seen, code, [g for g in gone if g not in used])
        )
        if pair is not None:
            used.add(pair)
            found.append(_rename(facts, name, labels[pair], labels[code], int(seen.first[code]), named=labels[code]))
    if events:
        found += _absorbed(facts, name, seen, [code for code in gone if code not in used], gone)
    return found


def _successor(
    facts: Facts, dimensions: tuple[str, ...], name: str, seen: _ValueDays, code: int, gone: list[int]
) -> int | None:
    """The value that left when this one came, with as many rows and the same profile; none where two are as likely."""
    start = int(seen.first[code])
    fits: list[tuple[bool, float, int]] = []
    for other in gone:
        near = max(4.0, 1.5 * facts.step, 8 * facts.days[0] / float(seen.before[other]))
        if abs(start - int(seen.last[other])) > near:
            continue
        span = max(facts.periods[1][1] - start + 1, 1)
        size = (seen.after[code] / span) / (seen.before[other] / facts.days[0])
        codes = seen.axis.codes
        alike = (
            1.0
            if name in facts.inputs
            else _alike(facts, dimensions, name, facts.inside[0] & (codes == other), facts.inside[1] & (codes == code))
        )
        if 0.5 < size < 2 and (alike > 0.75 or len(dimensions) < 2):
            fits.append((_holds(seen.axis.labels[code], seen.axis.labels[other]), alike, other))
    fits.sort(key=lambda fit: (not fit[0], -fit[1], fit[2]))
    if len(fits) > 1 and fits[0][0] == fits[1][0] and fits[0][1] - fits[1][1] < _APART:
        return None
    return fits[0][2] if fits else None


def _holds(new: str, old: str) -> bool:
    """Whether the new name holds the old one, as D-0017 holds 17."""
    return bool(bare(old)) and re.fullmatch(rf"[a-z]*0*{re.escape(bare(old))}[a-z]*", bare(new)) is not None


def _alike(facts: Facts, dimensions: tuple[str, ...], skip: str, one: Mask, two: Mask) -> float:
    """How alike two sets of rows are over the other dimensions; 1 is the same profile."""
    found: list[float] = []
    for name in dimensions:
        if name == skip:
            continue
        axis = facts.axes[name]
        a, b = (np.bincount(axis.codes[m], facts.rows[m], len(axis.labels)) for m in (one, two))
        values = int(((a + b) > 0).sum())
        if not 2 <= values <= 30:
            continue
        chance = 0.4 * (values * (1 / a.sum() + 1 / b.sum())) ** 0.5
        found.append(1 - max(0.0, float(np.abs(a / a.sum() - b / b.sum()).sum()) / 2 - chance))
    return float(np.mean(found)) if found else 0.0


def _absorbed(facts: Facts, name: str, seen: _ValueDays, left: list[int], gone: list[int]) -> list[Story]:
    """Values that end while another grows by as much from then on."""
    found: list[Story] = []
    labels = seen.axis.labels
    ratio = facts.days[1] / facts.days[0]
    own = name in facts.inputs
    for code in left:
        if seen.dates(code) < 10 or seen.before[code] < 20:
            continue
        lost = seen.before[code] * seen.silence(code) / facts.days[0]
        moves: dict[int, float] = {}
        for other in seen.values:
            if other != code and other not in gone and seen.before[other]:
                gain = seen.after[other] - ratio * seen.before[other]
                error = ((ratio**2 * seen.before[other] + seen.after[other]) * facts.clumping) ** 0.5
                moves[other] = float(gain / error)
        for other, z in moves.items():
            gain = seen.after[other] - ratio * seen.before[other]
            if z <= 3.5 or not 0.45 < gain / lost < 2.0:
                continue
            one, two = bare(labels[code]), bare(labels[other])
            close = one in two or two in one
            rest = [abs(value) for which, value in moves.items() if which != other]
            if close or own or (z > 5 and (not rest or max(rest) < 0.6 * z)):
                found.append(
                    _rename(facts, name, labels[code], labels[other], int(seen.last[code]) + 1, named=labels[other])
                )
                break
    return found


def _rename(facts: Facts, name: str, old: str, new: str, since: int, *, named: str) -> Story:
    own = name in facts.inputs
    return Story(
        kind="data_fault",
        fault="definition" if own else "rename",
        segment={} if own else {name: named},
        effect=facts.change if own else 0.0,
        structural=True,
        column=name,
        old=old,
        note=new,
        since=since,
        merges=True,
    )


def broken_keys(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Joins whose keys match less than they did."""
    found: list[Story] = []
    for join in facts.joins:
        before, after = (_share(facts, join.matched, side) for side in (0, 1))
        rows = [float(facts.rows[inside].sum()) for inside in facts.inside]
        mean = (before + after) / 2
        error = (mean * (1 - mean) * sum(1 / max(count, 1.0) for count in rows)) ** 0.5
        if before - after > 0.04 and before > 0.5 and before - after > 5 * error:
            unmatched = facts.inside[1] & ~join.matched
            loosely = _share(facts, join.loosely, 1)
            found.append(
                Story(
                    kind="data_fault",
                    fault="key_format",
                    effect=0.0,
                    structural=True,
                    before=before,
                    after=after,
                    column=join.column,
                    table=join.table,
                    factor=loosely if loosely > after + 0.02 else None,
                    since=int(facts.day[unmatched].min()),
                )
            )
    return found


def _share(facts: Facts, matched: Mask, side: int) -> float:
    inside = facts.inside[side]
    return float(facts.rows[inside & matched].sum() / max(facts.rows[inside].sum(), 1.0))


def shifted_clock(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Hours of the day that are all shifted by the same number: another time zone."""
    if facts.hour is None or facts.stacked:
        return []
    for segment in [{}, *values_of(facts, dimensions, 400.0)]:
        mask = facts.mask(segment) & (facts.hour >= 0)
        profiles = [np.bincount(facts.hour[i & mask], facts.rows[i & mask], 24) for i in facts.inside]
        if min(p.sum() for p in profiles) < 150 or (profiles[0] > 0).sum() < 6:
            continue
        before, after = (p / p.sum() for p in profiles)
        apart = [float(np.abs(np.roll(before, by) - after).sum()) for by in range(24)]
        best = int(np.argmin(apart))
        if best and apart[0] > 0.3 and apart[best] < 0.5 * apart[0]:
            return [
                Story(
                    kind="data_fault",
                    fault="timezone",
                    segment=segment,
                    effect=facts.change if facts.times_matter else 0.0,
                    structural=True,
                    factor=float(best if best <= 12 else best - 24),
                )
            ]
    return []


def summed_level(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """A stock that was summed over different numbers of dates."""
    if not facts.level or facts.dates[0] == facts.dates[1]:
        return []
    return [
        Story(
            kind="data_fault",
            fault="summed_level",
            structural=True,
            before=float(facts.dates[0]),
            after=float(facts.dates[1]),
        )
    ]
