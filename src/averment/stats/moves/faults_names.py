"""Names, keys and clocks that changed: a value under another name, keys that stop matching, hours that are shifted."""

from __future__ import annotations

import re

import numpy as np

from averment.stats.moves.facts import NONE, OTHER, Facts, Mask
from averment.stats.moves.faults_rows import values_of
from averment.stats.moves.story import Story

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
