"""What one run costs, at three sizes, and what that makes of a thousand, a hundred thousand and ten million a day.

    python bench/scale.py [--rows 10000 100000 1000000]

Each kind of run is done at each size in a fresh process with a home of its own; its CPU seconds, those of its child
processes included, and what it leaves in the database, the ledger and the files are read off. Then follows arithmetic,
with every assumption printed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (10_000, 100_000, 1_000_000)
DAY = 86_400
RATES = (1_000, 100_000, 10_000_000)
MIX = {"analysis": 0.8, "drilldown": 0.1, "research": 0.1}
"""How many of all runs are of each kind; an assumption."""

PEAK = 5.0
"""The busiest hour against the mean one; an assumption."""

LEDGER_APPENDS = 2_300.0
"""Entries a second that many processes append to one file (bench/ledger.py)."""

POSTGRES_STEPS = 5_000.0
"""Small transactions a second of one ordinary Postgres server; an assumption."""


def make_table(path: Path, rows: int) -> None:
    """A Parquet file of orders."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    dice = np.random.default_rng(8)
    days = dice.integers(0, 366, rows)
    pq.write_table(
        pa.table(
            {
                "order_id": np.arange(rows),
                "day": pa.array(19_723 + days, pa.int32()).cast(pa.date32()),
                "region": np.array(["North", "South", "East", "West"])[dice.integers(0, 4, rows)],
                "product": np.array([f"product {n}" for n in range(20)])[dice.integers(0, 20, rows)],
                "amount": np.round(dice.gamma(2.0, 50.0, rows), 2),
            }
        ),
        path,
    )


def one_run(kind: str, rows: int, folder: Path) -> dict[str, float]:
    """A run of that kind in this process, and what it cost."""
    from averment.settings import Settings
    from averment.workbench import Workbench

    table = folder / "orders.parquet"
    make_table(table, rows)
    texts = folder / "texts"
    texts.mkdir()
    for number in range(max(3, rows // 2_000)):
        year = 1900 + number % 100
        (texts / f"{number}.md").write_text(
            f"# Bridge {number}\n\nBridge {number} was opened in {year}. It is {number + 7} metres long."
        )
    home = folder / "home"
    with Workbench(settings=Settings(home=home, model_provider="none")) as bench:
        if kind == "research":
            bench.add_sources(str(texts))
        bench.runs.list()
        before, began = _cpu(), time.perf_counter()
        if kind == "analysis":
            run = bench.analyze("total amount by region", [table], timeout_seconds=180)
        elif kind == "drilldown":
            periods = {"baseline": ("2024-01-01", "2024-06-30"), "comparison": ("2024-07-01", "2024-12-31")}
            run = bench.drill([table], metric_sql="SUM(amount)", **periods)
        else:
            run = bench.research("When was Bridge 2 opened?", depth="quick")
        seconds, events = time.perf_counter() - began, len(bench.runs.events(run.id))
        entries = len(bench.ledger.entries(run_id=run.id, count=10_000)[0])
    cost = {"wall_s": seconds, "events": events, "ledger_entries": entries, "status": run.status}
    cost["cpu_s"] = _cpu() - before
    cost["ledger_kb"] = _size(home / "logs") / 1024
    cost["files_kb"] = (_size(home / "artifacts") + _size(home / "work")) / 1024
    cost["peak_mb"] = (
        max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    )
    return cost


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def project(costs: dict[str, dict[str, float]]) -> None:
    """The arithmetic for each rate of runs a day, with the costs of the middle size."""
    mean = {
        name: sum(MIX[kind] * float(cost[name]) for kind, cost in costs.items())
        for name in costs["analysis"]
        if name != "status"
    }
    print(f"\nA mean run ({MIX}): " + ", ".join(f"{name} {value:.1f}" for name, value in mean.items()))
    for rate in RATES:
        peak = rate / DAY * PEAK
        cores = peak * mean["cpu_s"]
        appends, steps = peak * mean["ledger_entries"], peak * mean["events"] * 3
        kept = rate * (mean["ledger_kb"] + mean["files_kb"]) / 1024 / 1024
        full = {"one ledger file": appends / LEDGER_APPENDS, "one Postgres": steps / POSTGRES_STEPS}
        first = max(full, key=lambda name: full[name])
        print(
            f"{rate:>12,} a day: {peak:8.2f} runs/s at the peak, {cores:9.1f} cores, {appends:9.0f} ledger entries/s, "
            f"{steps:9.0f} transactions/s, {kept:9.1f} GB kept a day; fullest: {first} at {full[first]:.0%}"
        )


def main() -> int:
    """Measure, print, project."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--one", nargs=2, metavar=("KIND", "ROWS"))
    arguments = parser.parse_args()
    if arguments.one:
        with tempfile.TemporaryDirectory(prefix="averment-scale-") as folder:
            print(json.dumps(one_run(arguments.one[0], int(arguments.one[1]), Path(folder))))
        return 0
    middle: dict[str, dict[str, float]] = {}
    for rows in arguments.rows:
        for kind in MIX:
            command = [sys.executable, __file__, "--one", kind, str(rows)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            cost = json.loads(done.stdout.splitlines()[-1])
            print(
                f"{kind:10} {rows:>9,} rows  "
                + "  ".join(f"{k} {v:.2f}" if k != "status" else v for k, v in cost.items()),
                flush=True,
            )
            if rows == arguments.rows[len(arguments.rows) // 2]:
                middle[kind] = cost
    project(middle)
    return 0


if __name__ == "__main__":
    sys.exit(main())
