"""Ten million rows of CSV: five questions through whole runs, beside the engine's plain reader, with time and memory.

    python bench/big_csv.py [--rows 10000000] [--json]

The file is generated in chunks from a fixed seed under a temporary folder and taken away afterwards. The first question
pays for opening the file; every question runs under the default limit of 30 seconds. Memory is the peak of this process
and all it started, pages shared between them counted once.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROWS, CHUNK = 10_000_000, 500_000
LIMIT_SECONDS, LIMIT_MB = 30.0, 2_048
REGIONS = ("North", "South", "East", "West", "Centre")
PRODUCTS = tuple(f"Product {number:02d}" for number in range(40))
QUESTIONS = (
    "total amount by region",
    "monthly trend of total amount",
    "top 5 products by total amount",
    "how many orders for West in 2023",
    "share of total amount by region",
)
PLAIN = (
    "SELECT region, sum(amount) FROM orders GROUP BY region",
    "SELECT date_trunc('month', order_date), sum(amount) FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT product, sum(amount) FROM orders GROUP BY product ORDER BY 2 DESC LIMIT 5",
    "SELECT count(*) FROM orders WHERE region = 'West' AND order_date >= '2023-01-01' AND order_date < '2024-01-01'",
    "SELECT region, sum(amount) / sum(sum(amount)) OVER () FROM orders GROUP BY region",
)
SAMPLE_SECONDS = 0.1


def write_orders(path: Path, rows: int) -> None:
    """A table of orders, some forty bytes a row, in chunks."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    draw = np.random.default_rng(7)
    first_day = np.datetime64("2021-01-01")
    with path.open("wb") as file:
        for start in range(0, rows, CHUNK):
            count = min(CHUNK, rows - start)
            cents = draw.integers(100, 100_000, count)
            columns: dict[str, Any] = {
                "order_id": np.arange(start, start + count),
                "order_date": first_day + draw.integers(0, 1_461, count),
                "region": pa.array(REGIONS).take(pa.array(draw.integers(0, len(REGIONS), count))),
                "product": pa.array(PRODUCTS).take(pa.array(draw.integers(0, len(PRODUCTS), count))),
                "quantity": draw.integers(1, 20, count),
                "amount": pa.array(cents / 100),
            }
            options = arrow_csv.WriteOptions(include_header=start == 0, quoting_style="none")
            arrow_csv.write_csv(pa.table(columns), file, options)


class MemoryWatch:
    """The most memory that this process and its children held together while the block ran."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self.peak_mb = max(self.peak_mb, sum(map(_held_mb, _family(os.getpid()))))


def _family(root: int) -> set[int]:
    """A process and everything below it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, grown = {root}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found


def _held_mb(pid: int) -> float:
    """What a process holds by itself: memory of its own, and its share of what it shares; pages of files are left out.

    The kernel takes back pages of mapped files whenever it needs them, so they are no need of the process.
    """
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    values = {line.split(":")[0]: float(line.split()[1]) for line in text.splitlines()[1:] if "kB" in line}
    return (values.get("Pss_Anon", 0.0) + values.get("Pss_Shmem", 0.0) + values.get("Pss_File", 0.0)) / 1024


def _cpu_seconds() -> float:
    """Processor time of this process and of the children that ended; on a busy machine it says more than the clock."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def ask_workbench(path: Path, home: Path) -> list[dict[str, Any]]:
    """Each question as a whole run with its report, and one verification at the end."""
    from averment import Workbench
    from averment.errors import AvermentError
    from averment.settings import Settings

    found: list[dict[str, Any]] = []
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        for question in QUESTIONS:
            with MemoryWatch() as watch:
                began, spent = time.perf_counter(), _cpu_seconds()
                try:
                    run = workbench.analyze(question, [path])
                    told = {"status": run.status, "read_as": (run.reading or {}).get("in_words"), "answer": run.answer}
                except AvermentError as error:
                    told = {"status": error.code}
                seconds = time.perf_counter() - began
            found.append(
                {
                    "question": question,
                    "seconds": round(seconds, 2),
                    "cpu_seconds": round(_cpu_seconds() - spent, 2),
                    "peak_mb": round(watch.peak_mb),
                    **told,
                }
            )
        with MemoryWatch() as watch:
            began = time.perf_counter()
            verified = workbench.verify(workbench.runs.list(limit=1)[0].id).ok
            seconds = time.perf_counter() - began
        found.append(
            {
                "question": "verify",
                "status": str(verified),
                "seconds": round(seconds, 2),
                "peak_mb": round(watch.peak_mb),
            }
        )
    return found


def ask_plainly(path: Path, folder: Path) -> list[dict[str, Any]]:
    """The engine's automatic reader into a table of its own, then the same five questions as SQL written by hand."""
    import duckdb

    found: list[dict[str, Any]] = []
    with MemoryWatch() as watch:
        began, spent = time.perf_counter(), _cpu_seconds()
        with duckdb.connect(
            str(folder / "plain.duckdb"), config={"threads": 2, "memory_limit": "1500MB"}
        ) as connection:
            connection.execute("SET enable_progress_bar = false")
            connection.execute("CREATE TABLE orders AS SELECT * FROM read_csv_auto(?)", [str(path)])
            took, spent = time.perf_counter() - began, _cpu_seconds() - spent
            found.append({"question": "read_csv", "seconds": round(took, 2), "cpu_seconds": round(spent, 2)})
            for question, sql in zip(QUESTIONS, PLAIN, strict=True):
                began = time.perf_counter()
                connection.execute(sql).fetchall()
                found.append({"question": question, "seconds": round(time.perf_counter() - began, 3)})
    found[0]["peak_mb"] = round(watch.peak_mb)
    return found


def measure(rows: int) -> dict[str, Any]:
    """Ours and the plain engine's figures over one generated file, each in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        path = Path(folder) / "orders.csv"
        began = time.perf_counter()
        write_orders(path, rows)
        written = time.perf_counter() - began
        size = path.stat().st_size / 1e6
        ours = _apart("ours", path, Path(folder))
        plain = _apart("plain", path, Path(folder))
    asked = [one for one in ours if one["question"] in QUESTIONS]
    return {
        "rows": rows,
        "load_average": [round(each, 1) for each in os.getloadavg()],
        "megabytes": round(size),
        "generated_seconds": round(written, 1),
        "ours": ours,
        "plain_duckdb": plain,
        "within_time": all(one["seconds"] <= LIMIT_SECONDS and one["status"] == "completed" for one in asked),
        "within_memory": all(one["peak_mb"] < LIMIT_MB for one in asked),
    }


def _apart(who: str, path: Path, folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, __file__, "--part", who, "--file", str(path), "--folder", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    """Measure, print, and say by the exit status whether the limits held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--part", choices=("ours", "plain"), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        part = (
            ask_workbench(args.file, args.folder / "home")
            if args.part == "ours"
            else ask_plainly(args.file, args.folder)
        )
        print(json.dumps(part))
        return 0
    found = measure(args.rows)
    if args.json:
        print(json.dumps(found))
    else:
        print(f"{found['rows']:,} rows, {found['megabytes']} MB")
        for who in ("ours", "plain_duckdb"):
            for one in found[who]:
                figures = (
                    f"{one['seconds']:8.2f} s {one.get('cpu_seconds', ''):>7} CPU s {one.get('peak_mb', ''):>6} MB"
                )
                print(f"{who:13} {figures}  {one['question']}  {one.get('status', '')}")
        print(f"within {LIMIT_SECONDS:g} s: {found['within_time']}; under {LIMIT_MB} MB: {found['within_memory']}")
    return 0 if found["within_time"] and found["within_memory"] else 1


if __name__ == "__main__":
    sys.exit(main())
