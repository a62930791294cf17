"""A hundred million rows of Parquet through the driller on DuckDB, and ten million through a real Spark cluster.

    python bench/big_parquet.py [--rows 100000000] [--spark-rows 10000000] [--threads 2] [--keep FOLDER] [--json]

The table has a day, four dimensions and a whole-numbered amount; in the second year one segment's amounts are halved.
It is written in chunks from a fixed seed and taken away afterwards. Each engine runs in a process of its own: a whole
investigation with its report, then its verification from the data. Printed are time and the most memory that the
process and its children held together; the halved segment must be the first cause, and the verification must hold. On
Spark a door before the cluster counts the bytes that come out of it: they must be few, and as many for a tenth of the
rows. Without Java or ``make spark`` that part says that it was not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from big_csv import MemoryWatch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

ROWS, SPARK_ROWS, CHUNK = 100_000_000, 10_000_000, 2_000_000
MEMORY_MB = 4_096
SPARK = Path(__file__).resolve().parents[1] / ".venv" / "spark"
STATES = ("Texas", "Nevada", "Utah", "Ohio", "Maine", "Iowa", "Kansas", "Oregon")
VALUES = {
    "state": STATES,
    "product": tuple(f"Product {number:02d}" for number in range(12)),
    "channel": ("web", "store", "partner"),
    "plan": ("basic", "plus", "pro", "team"),
}
PERIODS: dict[str, Any] = {"baseline": ("2023-01-01", "2023-12-31"), "comparison": ("2024-01-01", "2024-12-30")}
PLANTED = {"state": "Texas", "channel": "web"}
MOST_OF_THE_DATA = 1 / 20
"""What may cross the wire, as a part of the data's size."""


def write_orders(folder: Path, rows: int) -> None:
    """The table as a folder of Parquet files, a chunk each; one that is there already is used again."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    if folder.is_dir():
        return
    folder.mkdir(parents=True)
    draw = np.random.default_rng(11)
    for number, start in enumerate(range(0, rows, CHUNK)):
        count = min(CHUNK, rows - start)
        days = draw.integers(0, 730, count, dtype=np.int32)
        codes = {name: draw.integers(0, len(values), count, dtype=np.int8) for name, values in VALUES.items()}
        amount = draw.integers(20, 200, count, dtype=np.int32)
        hit = days >= 365
        for name, value in PLANTED.items():
            hit &= codes[name] == VALUES[name].index(value)
        amount[hit] //= 2
        columns: dict[str, Any] = {"order_date": pa.array(days + 19_358, pa.int32()).cast(pa.date32())}
        for name, values in VALUES.items():
            columns[name] = pa.DictionaryArray.from_arrays(codes[name], pa.array(values))
        columns["amount"] = pa.array(amount)
        pq.write_table(pa.table(columns), folder / f"part-{number:03d}.parquet", store_schema=False)


def investigate(source: str, home: Path, threads: int) -> dict[str, Any]:
    """A whole investigation and its verification in this process, with their times and memory."""
    from averment.settings import Settings
    from averment.workbench import Workbench

    settings = Settings(home=home, model_provider="none", query_threads=threads, query_memory_mb=MEMORY_MB)
    with Workbench(settings=settings) as bench:
        with MemoryWatch() as watch:
            began = time.perf_counter()
            run = bench.drill([source], metric_sql="SUM(amount)", **PERIODS)
            seconds = time.perf_counter() - began
        with MemoryWatch() as again:
            began = time.perf_counter()
            verified = bench.verify(run.id).ok
            verify_seconds = time.perf_counter() - began
    first = run.findings[0].text if run.findings else ""
    return {
        "seconds": round(seconds, 1),
        "peak_mb": round(watch.peak_mb),
        "verify_seconds": round(verify_seconds, 1),
        "verify_peak_mb": round(again.peak_mb),
        "status": run.status,
        "verified": verified,
        "answer": run.answer,
        "findings": [finding.text for finding in run.findings],
        "planted_first": all(value in f"{run.answer}" for value in PLANTED.values()) and bool(first),
    }


def on_duckdb(folder: Path, rows: int, threads: int) -> dict[str, Any]:
    """The large table through the engine of files."""
    began = time.perf_counter()
    write_orders(folder / "orders", rows)
    written = time.perf_counter() - began
    found = _apart(str(folder / "orders"), folder / "home-duckdb", threads)
    return {"rows": rows, "megabytes": _megabytes(folder / "orders"), "generated_seconds": round(written, 1), **found}


def on_spark(folder: Path, rows: int, threads: int) -> dict[str, Any] | None:
    """A tenth of ``rows`` and then ``rows`` through a cluster of two workers; None when it cannot be started."""
    from counting_door import CountingDoor
    from spark_cluster import SparkCluster, spark_home

    home = spark_home(SPARK)
    if home is None:
        return None
    found: list[dict[str, Any]] = []
    with SparkCluster(home, executor_mb=1_024) as cluster, CountingDoor(cluster.port) as door:
        for part in (rows // 10, rows):
            place = folder / f"of-{part}" / "orders"
            write_orders(place, part)
            before = door.received
            one = _apart(f"sc://127.0.0.1:{door.port}/?folder={place}", folder / f"home-{part}", threads)
            found.append({"rows": part, "megabytes": _megabytes(place), "bytes": door.received - before, **one})
        tasks = [cluster.tasks(number) for number in range(2)]
    return {**found[-1], "tenth": found[0], "tasks_of_workers": tasks}


def _megabytes(folder: Path) -> float:
    return round(sum(file.stat().st_size for file in folder.iterdir()) / 1e6, 1)


def _apart(source: str, home: Path, threads: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--source", source, "--home", str(home), "--threads", str(threads)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def held(found: dict[str, Any]) -> bool:
    """Whether an investigation named the planted cause first and was verified."""
    return found["status"] == "completed" and found["verified"] and found["planted_first"]


def only_aggregates(found: dict[str, Any]) -> bool:
    """Whether far less than the data crossed the wire, and no more for ten times the rows."""
    few = found["bytes"] < found["megabytes"] * 1e6 * MOST_OF_THE_DATA
    return few and found["bytes"] < 1.5 * found["tenth"]["bytes"]


def show(name: str, found: dict[str, Any]) -> None:
    """One engine's figures on a line."""
    print(
        f"{name:7} {found['rows']:>11,} rows {found['megabytes']:8.1f} MB  run {found['seconds']:6.1f} s "
        f"{found['peak_mb']:5} MB  verify {found['verify_seconds']:6.1f} s {found['verify_peak_mb']:5} MB  "
        f"planted cause first: {found['planted_first']}  verified: {found['verified']}"
        + (f"  bytes from the cluster {found['bytes']:,}" if "bytes" in found else ""),
        flush=True,
    )


def main() -> int:
    """Measure, print, and say by the exit status whether everything held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS, help="for DuckDB; 0 leaves it out")
    parser.add_argument("--spark-rows", type=int, default=SPARK_ROWS, help="for Spark; 0 leaves it out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder to work in, keep and use again")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--source", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.source:
        print(json.dumps(investigate(args.source, args.home, args.threads)))
        return 0
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="averment-big-") as temporary:
        folder = args.keep or Path(temporary)
        if args.rows:
            found["duckdb"] = on_duckdb(folder, args.rows, args.threads)
        if args.spark_rows and (spark := on_spark(folder, args.spark_rows, args.threads)) is not None:
            found["spark"] = spark
    fine = all(held(one) for one in found.values()) and ("spark" not in found or only_aggregates(found["spark"]))
    if args.json:
        print(json.dumps({"load_average": os.getloadavg(), "fine": fine, **found}))
        return 0 if fine else 1
    print(f"load average {' '.join(f'{load:.1f}' for load in os.getloadavg())}")
    if "duckdb" in found:
        show("duckdb", found["duckdb"])
    if "spark" in found:
        show("spark", found["spark"]["tenth"])
        show("spark", found["spark"])
        print(f"tasks of the two workers: {found['spark']['tasks_of_workers']}")
    elif args.spark_rows:
        print("spark: not measured, Java or the cluster (make spark) is not here")
    print(f"all held: {fine}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
