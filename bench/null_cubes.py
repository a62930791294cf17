"""Data sets in which nothing happened: how many of them are given a cause all the same.

    python bench/null_cubes.py [--count 200] [--json]

Each is a table of rows as a user would have it (a Parquet file with a date, five dimensions, a flag and an amount),
made from a fixed seed and taken through the driller's own road: column roles, dimensions, aggregation in the engine,
search. By turns they have weekdays alone, periods of other lengths, growth through both periods, noisy days and
overdispersed segments; every other one asks for a sum, the rest for a rate. The calendar's own part is no cause.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from drill_path import drill_files

KINDS = ("weekdays", "lengths", "growth", "noisy days", "overdispersed")
SIZES = (5, 3, 4, 6, 7)
ROWS_A_DAY = 800


def make(seed: int, folder: Path) -> tuple[Path, tuple[date, date], tuple[date, date]]:
    """One such table and the two periods it is asked about."""
    random = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    before, after = (int(n) for n in random.integers(7, 25, 2)) if kind == "lengths" else (14, 14)
    first = date(2025, 3, 3) + timedelta(days=int(random.integers(7)))
    days = [first + timedelta(days=number) for number in range(before + after)]
    level = np.array([0.45 if day.weekday() >= 5 else 1.0 for day in days])
    if kind == "growth":
        level = level * np.exp(np.linspace(0.0, random.uniform(0.05, 0.4), len(days)))
    if kind == "noisy days":
        level = level * np.exp(0.1 * random.standard_normal(len(days)))
    shares = [random.dirichlet(np.full(size, 4.0)) for size in SIZES]
    parts: list[np.ndarray] = []
    for number in range(len(days)):
        today = list(shares)
        if kind == "overdispersed":
            wobble = shares[0] * random.gamma(50.0, 1 / 50.0, SIZES[0])
            today[0] = wobble / wobble.sum()
        count = int(random.poisson(ROWS_A_DAY * level[number]))
        drawn = [random.choice(size, count, p=share) for size, share in zip(SIZES, today, strict=True)]
        parts.append(np.stack([np.full(count, number), *drawn]))
    rows = np.concatenate(parts, axis=1)
    hit = random.random(rows.shape[1]) < 0.1 + 0.05 * rows[2]
    amount = np.where(hit, np.round(np.exp(3.5 + 0.8 * random.standard_normal(rows.shape[1])), 2), 0.0)
    columns = {"row_id": np.arange(rows.shape[1]), "date": [days[n] for n in rows[0]]}
    columns |= {f"dim_{n}": [f"v{value}" for value in rows[n + 1]] for n in range(len(SIZES))}
    path = folder / f"rows_{seed}.parquet"
    pq.write_table(pa.table({**columns, "converted": hit.astype(np.int64), "amount": amount}), path)
    return path, (days[0], days[before - 1]), (days[before], days[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many data sets are made")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args()
    asked: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    seconds = 0.0
    for seed in range(args.count):
        with tempfile.TemporaryDirectory(prefix="averment-null-") as folder:
            path, baseline, comparison = make(seed, Path(folder))
            metric = ("SUM(amount)", "AVG(converted)")[seed // len(KINDS) % 2]
            drilled = drill_files([path], metric, baseline, comparison)
        kind = KINDS[seed % len(KINDS)]
        asked[kind] += 1
        alarms[kind] += bool(drilled.causes)
        seconds += sum(drilled.seconds.values())
    total = sum(alarms.values())
    summary = {
        "data_sets": args.count,
        "with_a_cause": total,
        "share": total / max(args.count, 1),
        "by_kind": {kind: f"{alarms[kind]} of {asked[kind]}" for kind in KINDS},
        "cpu_seconds_each": round(seconds / max(args.count, 1), 2),
    }
    if args.json:
        print(json.dumps(summary))
        return
    print(f"{args.count} data sets in which nothing happened: {total} are given a cause ({summary['share']:.1%})")
    for kind, text in summary["by_kind"].items():
        print(f"  {kind:14} {text}")
    print(f"  {summary['cpu_seconds_each']} CPU s each")


if __name__ == "__main__":
    main()
