"""How often the breakdown's 95 % intervals hold the true expected change, and how often quiet segments leave noise.

    python bench/breakdown_intervals.py [--sets 300] [--json FILE]

Each set is four segments of 60, 25, 8 and 2 rows a day over two periods, with a weekday pattern: counts of rows, sums
of skewed values, shares of rows and quotients of sums. Some have days that are busy for all, and days that resemble the
one before. The expected change of every segment is known, since the rows are drawn. In quiet sets nothing changes, so
what is "beyond noise" there is false.

Measures a part: averment.stats.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from averment.stats.attribution.breakdown import MovedValue, break_down
from averment.stats.attribution.facts import CodedAxis, Facts

SIZES = (60.0, 25.0, 8.0, 2.0)
MOVES = (0.0, 0.2, -0.3, 0.0)
WEEK = np.array([1.2, 1.1, 1.0, 1.0, 1.3, 0.6, 0.5])
LABELS = tuple("abcd")
START = 738_000


@dataclass(frozen=True)
class Kind:
    """What a set is drawn as: its metric, the lengths of both periods, and how its days scatter beyond chance."""

    metric: str
    days: tuple[int, int] = (28, 28)
    scatter: float = 0.0
    follows: float = 0.0
    moves: tuple[float, ...] = MOVES
    history: int = 0


KINDS = {
    "counts": Kind("count"),
    "counts, 31 and 30 days": Kind("count", (31, 30)),
    "counts, a week each": Kind("count", (7, 7)),
    "counts, 60 and 7 days": Kind("count", (60, 7)),
    "counts, a day each": Kind("count", (1, 1)),
    "counts, a day each, busy days": Kind("count", (1, 1), 0.1, history=40),
    "counts, busy days": Kind("count", scatter=0.1),
    "counts, days follow (0.3)": Kind("count", scatter=0.15, follows=0.3),
    "skewed sums": Kind("sum"),
    "skewed sums, 90 days": Kind("sum", (90, 90)),
    "skewed sums, days follow (0.3)": Kind("sum", scatter=0.15, follows=0.3),
    "shares": Kind("share"),
    "shares, a week each": Kind("share", (7, 7)),
    "shares, days follow (0.3)": Kind("share", scatter=0.15, follows=0.3),
    "quotients of sums": Kind("quotient"),
    "quiet counts": Kind("count", moves=(0.0,) * 4),
    "quiet skewed sums": Kind("sum", moves=(0.0,) * 4),
    "quiet counts, days follow (0.3)": Kind("count", scatter=0.15, follows=0.3, moves=(0.0,) * 4),
    "quiet shares": Kind("share", moves=(0.0,) * 4),
}


def draw(kind: Kind, random: np.random.Generator) -> tuple[Facts, dict[str, float]]:
    """The facts of one set, and the expected change of each segment."""
    first, second = kind.days
    days = np.arange(kind.history + first + second)
    side = np.where(days < kind.history, -1, np.where(days < kind.history + first, 0, 1))
    week = WEEK[(days + int(random.integers(7))) % 7]
    shared = _busy(kind, len(days), random)
    top, bottom = np.zeros((len(SIZES), 2)), np.zeros((len(SIZES), 2))
    columns: list[tuple[np.ndarray, ...]] = []
    for code, (size, move) in enumerate(zip(SIZES, kind.moves, strict=True)):
        rate = size * week * np.where(side == 1, 1 + move, 1.0)
        day = np.repeat(days, random.poisson(rate * shared * _busy(kind, len(days), random)))
        expected = np.array([rate[side == 0].sum(), rate[side == 1].sum()])
        values, weights, each, weight = _values(kind, code, side[day], random)
        top[code], bottom[code] = expected * each, expected * weight
        columns.append((day, np.full(len(day), code), values, weights))
    day, codes, num, den = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    ones, ratio = np.ones(len(day)), kind.metric in {"share", "quotient"}
    begin = START + kind.history
    facts = Facts(
        day=(day + START).astype(np.int64),
        num=num.astype(np.float64),
        den=den if ratio else ones,
        rows=ones,
        empty=0 * ones,
        squares=num**2.0,
        cross=num * den,
        weights=den**2.0,
        axes={"segment": CodedAxis(codes=codes.astype(np.int64), labels=LABELS)},
        how="ratio" if ratio else "sum",
        counts_rows=kind.metric == "count",
        periods=((begin, begin + first - 1), (begin + first, begin + first + second - 1)),
    )
    return facts, dict(zip(LABELS, _parts(top, bottom) if ratio else top[:, 1] - top[:, 0], strict=True))


def _busy(kind: Kind, count: int, random: np.random.Generator) -> np.ndarray:
    drawn = random.normal(size=count)
    for at in range(1, count):
        drawn[at] = kind.follows * drawn[at - 1] + (1 - kind.follows**2) ** 0.5 * drawn[at]
    return np.exp(kind.scatter * drawn - kind.scatter**2 / 2)


def _values(
    kind: Kind, code: int, side: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Numerator and weight of each row, and what a row is expected to add to both, in each period."""
    count = len(side)
    if kind.metric == "count":
        return np.ones(count), np.ones(count), np.ones(2), 1.0
    if kind.metric == "sum":
        return random.lognormal(3.0, 1.0, count), np.ones(count), np.full(2, np.exp(3.5)), 1.0
    if kind.metric == "share":
        chances = np.array([0.1, 0.12 if code == 1 and any(kind.moves) else 0.1])
        return (random.random(count) < chances[np.maximum(side, 0)]).astype(float), np.ones(count), chances, 1.0
    weights = random.integers(1, 6, count).astype(float)
    return weights * random.lognormal(0.0, 0.6, count), weights, np.full(2, 3.0 * np.exp(0.18)), 3.0


def _parts(top: np.ndarray, bottom: np.ndarray) -> list[float]:
    """Each segment's part of the change of a quotient: its own rate and its weight among all."""
    rate, weight = top / bottom, bottom / bottom.sum(axis=0)
    other = ((top.sum(axis=0) - top) / (bottom.sum(axis=0) - bottom)).mean(axis=1)
    moved = (rate[:, 1] - rate[:, 0]) * weight.mean(axis=1)
    return list(moved + (weight[:, 1] - weight[:, 0]) * (rate.mean(axis=1) - other))


def measure(kind: Kind, sets: int, random: np.random.Generator) -> dict[str, float]:
    """Rows of the breakdown, the share whose interval holds the expected change, and the share that is beyond noise."""
    rows: list[tuple[MovedValue, float]] = []
    for _ in range(sets):
        facts, expected = draw(kind, random)
        moved = break_down(facts, ("segment",))
        rows += [(one, expected[one.value]) for one in moved]
    held = [one.low is not None and one.high is not None and one.low <= true <= one.high for one, true in rows]
    return {"rows": len(rows), "held": float(np.mean(held)), "beyond": float(np.mean([one.beyond for one, _ in rows]))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=300, help="so many sets of each kind, four rows each")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    print(f"{'kind':34} {'rows':>5} {'in the interval':>16} {'beyond noise':>13}")
    for number, (name, kind) in enumerate(KINDS.items()):
        now = found[name] = measure(kind, asked.sets, np.random.default_rng([asked.seed, number]))
        print(f"{name:34} {now['rows']:5.0f} {now['held']:16.3f} {now['beyond']:13.3f}", flush=True)
    total = sum(one["rows"] for one in found.values())
    held = sum(one["rows"] * one["held"] for one in found.values()) / total
    print(f"{'all':34} {total:5.0f} {held:16.3f}")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
