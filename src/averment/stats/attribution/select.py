"""Which segments, together, explain what a factor did: greedy choice, joint refit, removal of what became redundant.

Every choice pays for its description (which cuboid, which cell) and for the rate of false alarms allowed; when nothing
pays for itself the choice is empty, and that is an answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from averment.stats.attribution.cube import Codes, Floats
from averment.stats.attribution.segment_comparison import Noise, SegmentComparison, leaf_members
from averment.stats.attribution.siblings import misfit, shared_parents

QUIET = Noise()
_SWEEPS = 3
_FIT_ROUNDS = 60


@dataclass(frozen=True, kw_only=True)
class SegmentChoice:
    """A chosen segment: its multiplier beside the others, and what its presence saves in nats."""

    place: int
    cell: int
    multiplier: float = 1.0
    gain: float = 0.0
    net: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The chosen segments, the multipliers they put on every leaf, and the noise they were judged by."""

    choices: tuple[SegmentChoice, ...]
    multipliers: Floats
    noise: Noise


@dataclass(frozen=True, kw_only=True)
class _Target:
    leaves: Codes
    base: Floats
    sum: float
    """What the model's exposure of the leaves must come to for the segment to fit."""


class Selector:
    """Chooses segments for one factor at a given rate of false alarms."""

    def __init__(self, comparison: SegmentComparison, *, alpha: float, limit: int, coverage: float = 0.0) -> None:
        self.comparison = comparison
        self.lattice = comparison.lattice
        self.limit = limit
        self.coverage = coverage
        self._prices = self.lattice.spread(self.lattice.costs) + math.log(1.0 / alpha)
        self._ones = np.ones(self.lattice.leaves)
        self._headline: SegmentChoice | None = None

    def select(self, common: float) -> Selection:
        """The selection; noise is estimated from what a first selection leaves: causes must not pass for noise."""
        selection = Selection(choices=(), multipliers=self._ones, noise=Noise(common=common))
        for _ in range(3):
            choices = self._start(selection.noise)
            self._headline = choices[0] if choices else None
            choices = self._refine(self._grow(choices, selection.noise), selection.noise)
            choices = self._merge(choices, selection.noise)
            _, multipliers = self.fit(choices)
            noise = self.comparison.estimate_noise(multipliers, common)
            settled = {(c.place, c.cell) for c in choices} == {(c.place, c.cell) for c in selection.choices}
            selection = Selection(choices=tuple(choices), multipliers=multipliers, noise=noise)
            if settled:
                break
        kept = self._prune(list(selection.choices), selection.noise)
        return replace(selection, choices=tuple(kept), multipliers=self.fit(kept)[1])

    def fit(self, choices: Sequence[SegmentChoice]) -> tuple[list[SegmentChoice], Floats]:
        """The choices with multipliers under which each of them sums to what was seen, and the leaf multipliers."""
        multipliers = self._ones.copy()
        targets = [self._target(choice) for choice in choices]
        factors = [1.0] * len(choices)
        for _ in range(_FIT_ROUNDS if len(choices) > 1 else 1):
            largest = 0.0
            for number, target in enumerate(targets):
                expected = float(target.base @ multipliers[target.leaves])
                if expected <= 0 or target.sum <= 0:
                    continue
                step = target.sum / expected
                multipliers[target.leaves] *= step
                factors[number] *= step
                largest = max(largest, abs(math.log(step)))
            if largest < 1e-6:
                break
        return [replace(c, multiplier=f) for c, f in zip(choices, factors, strict=True)], multipliers

    def _target(self, choice: SegmentChoice) -> _Target:
        comparison = self.comparison
        leaves = leaf_members(self.lattice, choice.place, choice.cell)
        base = comparison.factor.base_after[leaves]
        position = self._position(choice)
        before = float(comparison.before[position])
        if before <= 0:
            return _Target(leaves=leaves, base=base, sum=0.0)
        # What vanished keeps a trace, so that its multiplier stays a number.
        floor = 1e-12 * float(base.sum())
        seen = float(comparison.after[position]) * float(comparison.base[position]) / before
        return _Target(leaves=leaves, base=base, sum=max(seen, floor))

    def best(
        self, multipliers: Floats, noise: Noise, taken: Sequence[SegmentChoice], *, common: bool
    ) -> SegmentChoice | None:
        """The segment that describes best under these multipliers; None when nothing pays for itself."""
        ranked = self.rank(multipliers, noise, taken, common=common, count=1)
        return ranked[0] if ranked else None

    def rank(
        self, multipliers: Floats, noise: Noise, taken: Sequence[SegmentChoice], *, common: bool, count: int
    ) -> list[SegmentChoice]:
        """The ``count`` best of the segments that pay for themselves, best first."""
        k = self.comparison.expect(multipliers)
        gains = self.comparison.gains(k, noise, common=common)
        covering = self.coverage > 0 and gains[0] > self._prices[0]
        paying = gains > self._prices
        paying[[self._position(choice) for choice in taken]] = False
        paying[0] &= not covering
        positions = np.flatnonzero(paying)
        if not len(positions):
            return []
        # Noise decides what is significant; which of the significant describes best is the likelihood's to say.
        scores = self._covers(k) if covering else self.comparison.gains(k, QUIET, common=False) - self._prices
        ranked = positions[np.argsort(-scores[positions], kind="stable")[:count]]
        return [self._choice(int(position), float(gains[position])) for position in ranked]

    def _covers(self, k: Floats) -> Floats:
        """Information in a cell's change times how much of the whole's move it covers.

        Several nested levels describe one incident about equally well; the one worth naming covers the move.
        """
        after, expected = self.comparison.after, k * self.comparison.before
        cover = np.clip((after - expected) / float(after[0] - expected[0]), 0.0, 1.2)
        with np.errstate(all="ignore"):
            ratio = np.where((after > 0) & (expected > 0), after / expected, 1.0)
            information = np.where(after > 0, after * np.log(ratio), 0.0) - (after - expected)
        return np.maximum(information, 0.0) * cover**self.coverage

    def _position(self, choice: SegmentChoice) -> int:
        return int(self.lattice.starts[choice.place]) + choice.cell

    def _choice(self, position: int, gain: float) -> SegmentChoice:
        place, cell = self.lattice.place_of(position)
        return SegmentChoice(place=place, cell=cell, gain=gain, net=gain - float(self._prices[position]))

    def _start(self, noise: Noise) -> list[SegmentChoice]:
        """Where the level that covers a move is asked for: that level, or the whole when no segment beats it."""
        common = True
        whole = SegmentChoice(place=0, cell=0)
        if not self.coverage:
            return []
        gains = self.comparison.gains(self.comparison.expect(self._ones), noise, common=common)
        if gains[0] <= self._prices[0]:
            return []
        _, together = self.fit([whole])
        if self.best(together, noise, [whole], common=False) is None:
            return [whole]
        found = self.best(self._ones, noise, [], common=common)
        return [found] if found else []

    def is_headline(self, choice: SegmentChoice) -> bool:
        """Whether the choice was made for covering the whole's move; it then stays, whatever is found beside it."""
        headline = self._headline
        return headline is not None and (headline.place, headline.cell) == (choice.place, choice.cell)

    def _grow(self, choices: list[SegmentChoice], noise: Noise) -> list[SegmentChoice]:
        while len(choices) < self.limit:
            choices, multipliers = self.fit(choices)
            found = self.best(multipliers, noise, choices, common=not self._has_whole(choices))
            if found is None:
                break
            choices = self._prune([*choices, found], noise)
            if not any((c.place, c.cell) == (found.place, found.cell) for c in choices):
                break
        return choices

    def _refine(self, choices: list[SegmentChoice], noise: Noise) -> list[SegmentChoice]:
        """Each choice in turn gives way to a better one beside the others, until none does."""
        for _ in range(_SWEEPS):
            changed = False
            for number in range(len(choices)):
                if number >= len(choices):
                    break
                if self.is_headline(choices[number]):
                    continue
                others = choices[:number] + choices[number + 1 :]
                _, multipliers = self.fit(others)
                better = self.best(multipliers, noise, others, common=not self._has_whole(others))
                held = choices[number]
                if better is None or (better.place, better.cell) != (held.place, held.cell):
                    changed = True
                    choices = others if better is None else [*others[:number], better, *others[number:]]
            choices = self._grow(self._prune(choices, noise), noise)
            if not changed:
                break
        return choices

    def _merge(self, choices: list[SegmentChoice], noise: Noise) -> list[SegmentChoice]:
        """Siblings give way to their parent where the parent, with what then pays beside it, is the shorter tale."""
        merged = True
        while merged and len(choices) > 1:
            merged = False
            cells = [(c.place, c.cell) for c in choices if not self.is_headline(c)]
            for parent, children in shared_parents(self.lattice, cells):
                rest = [c for c in choices if (c.place, c.cell) not in children and (c.place, c.cell) != parent]
                told = self._grow([*rest, SegmentChoice(place=parent[0], cell=parent[1])], noise)
                if self._length(told, choices, noise) < self._length(choices, told, noise):
                    choices, merged = self._prune(told, noise), True
                    break
        return choices

    def _length(self, told: Sequence[SegmentChoice], other: Sequence[SegmentChoice], noise: Noise) -> float:
        """Nats to tell the data by these choices: their prices and what they leave, where the other choices cut too."""
        _, multipliers = self.fit(told)
        cells = sorted({(c.place, c.cell) for c in (*told, *other)})
        left = misfit(self.comparison, multipliers, cells, noise)
        return left + sum(float(self._prices[self._position(c)]) for c in told)

    def _prune(self, choices: list[SegmentChoice], noise: Noise) -> list[SegmentChoice]:
        """Drop, weakest first, whatever no longer pays for itself once the others are fitted without it."""
        while choices:
            scored = self._score(choices, noise)
            free = [number for number, choice in enumerate(scored) if not self.is_headline(choice)]
            weakest = min(free, key=lambda number: scored[number].net, default=None)
            if weakest is None or scored[weakest].net > 0:
                return scored
            choices = scored[:weakest] + scored[weakest + 1 :]
        return choices

    def _score(self, choices: Sequence[SegmentChoice], noise: Noise) -> list[SegmentChoice]:
        fitted, _ = self.fit(choices)
        scored: list[SegmentChoice] = []
        for number, choice in enumerate(fitted):
            others = [c for other, c in enumerate(fitted) if other != number]
            _, multipliers = self.fit(others)
            common = not self._has_whole(others)
            gains = self.comparison.gains(self.comparison.expect(multipliers), noise, common=common)
            fresh = self._choice(self._position(choice), float(gains[self._position(choice)]))
            scored.append(replace(fresh, multiplier=choice.multiplier))
        return scored

    def _has_whole(self, choices: Sequence[SegmentChoice]) -> bool:
        return any(choice.place == 0 for choice in choices)
