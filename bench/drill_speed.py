"""From a table of rows to ranked explanations: CPU seconds, wall seconds and memory for growing tables.

    python bench/drill_speed.py [--rows 100000 1000000 10000000] [--format csv parquet] [--json]

The table has a date over four weeks, six dimensions and an amount, with two causes planted: a segment that loses 40 %
of its rows, and one whose amounts rise by 30 %. Each size runs in a process of its own with nothing kept from before:
opening the file, column roles, dimensions, aggregation and search are all counted. Where wise-pizza is installed, it
explains the same table beside it, from rows already read into memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

BASELINE, COMPARISON = ("2025-03-03", "2025-03-16"), ("2025-03-17", "2025-03-30")
DIMENSIONS = ("channel", "device", "country", "plan", "category", "browser")
PLANTED = ({"channel": "ch1", "device": "mobile"}, {"country": "c3", "plan": "p2"})


def generate(rows: int, path: Path) -> None:
    """The table as a file, the same for the same number of rows."""
    import duckdb

    kind = "FORMAT parquet" if path.suffix == ".parquet" else "FORMAT csv, HEADER"
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SELECT setseed(0.42)")
        connection.execute(
            f"""CREATE TABLE drawn AS SELECT i AS event_id,
            DATE '2025-03-03' + CAST(floor(random() * 28) AS INTEGER) AS date,
            'ch' || CAST(floor(pow(random(), 2) * 6) AS INTEGER) AS channel,
            (['mobile', 'desktop', 'tablet'])[1 + CAST(floor(random() * 3) AS INTEGER)] AS device,
            'c' || CAST(floor(pow(random(), 2) * 20) AS INTEGER) AS country,
            'p' || CAST(floor(random() * 4) AS INTEGER) AS plan,
            'cat' || CAST(floor(random() * 10) AS INTEGER) AS category,
            'b' || CAST(floor(random() * 5) AS INTEGER) AS browser,
            round(exp(3 + random() * 1.5), 2)::DECIMAL(10, 2) AS amount, random() AS luck
            FROM range({rows}) AS r(i)"""
        )
        connection.execute(
            "COPY (SELECT event_id, date, channel, device, country, plan, category, browser, CASE WHEN country = 'c3' "
            "AND plan = 'p2' AND date >= DATE '2025-03-17' THEN (amount * 1.3)::DECIMAL(10, 2) ELSE amount END AS "
            "amount FROM drawn WHERE NOT (channel = 'ch1' AND device = 'mobile' AND date >= DATE '2025-03-17' "
            f"AND luck < 0.4)) TO '{path}' ({kind})"
        )


def drill(path: Path) -> dict[str, Any]:
    """One drill in this process, with its figures."""
    from drill_path import drill_files

    began = time.perf_counter()
    drilled = drill_files([path], "SUM(amount)", BASELINE, COMPARISON)
    found = [one.segment for one in drilled.found.explanations if one.segment]
    return {
        "cpu_seconds": {name: round(value, 2) for name, value in drilled.seconds.items()},
        "cpu_total": round(sum(drilled.seconds.values()), 2),
        "wall_seconds": round(time.perf_counter() - began, 2),
        "found": found,
        "both_causes": all(cause in found for cause in PLANTED) and len(found) == len(PLANTED),
    }


def explain_with_wise_pizza(path: Path) -> dict[str, Any]:
    """The peer on the same table, from rows in memory."""
    import pandas as pd
    from wise_pizza import explain_changes_in_totals

    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    later = pd.to_datetime(frame["date"]) >= COMPARISON[0]
    began = time.process_time()
    sums = [
        part.groupby(list(DIMENSIONS), as_index=False).agg(total=("amount", "sum"), size=("event_id", "count"))
        for part in (frame[~later], frame[later])
    ]
    for part in sums:
        part["total"] = part["total"].astype(float)
    answer = explain_changes_in_totals(
        df1=sums[0], df2=sums[1], dims=list(DIMENSIONS), total_name="total", size_name="size", max_depth=3
    )
    named = [str(segment.get("segment")) for segment in answer.segments]
    return {"cpu_total": round(time.process_time() - began, 2), "found": named[:6]}


def watched(arguments: list[str]) -> dict[str, Any]:
    """A measuring process's figures, with the peak of memory of it and all it started."""
    process = subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)
    peak = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            peak[0] = max(peak[0], _resident(process.pid))

    thread = threading.Thread(target=watch)
    thread.start()
    out, _ = process.communicate()
    done.set()
    thread.join()
    return {**json.loads(out.strip().split("\n")[-1]), "peak_mb": peak[0] // 1_000_000}


def _resident(root: int) -> int:
    """Bytes that a process and its descendants hold, pages shared between them counted once."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, [])
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += next((int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--format", choices=("csv", "parquet"), nargs="+", default=["csv", "parquet"])
    parser.add_argument("--json", action="store_true", help="print one JSON document a line")
    parser.add_argument("--drill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--peer", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.drill is not None:
        print(json.dumps(drill(args.drill)))
        return
    if args.peer is not None:
        print(json.dumps(explain_with_wise_pizza(args.peer)))
        return
    peer = importlib.util.find_spec("wise_pizza") is not None
    for form in args.format:
        for rows in args.rows:
            with tempfile.TemporaryDirectory(prefix="averment-speed-") as folder:
                path = Path(folder) / f"events.{form}"
                generate(rows, path)
                measured = {"rows": rows, "format": form, **watched(["--drill", str(path)])}
                if peer and rows <= 1_000_000:
                    measured["wise_pizza"] = watched(["--peer", str(path)])
            if args.json:
                print(json.dumps(measured), flush=True)
                continue
            parts = ", ".join(f"{name} {value}" for name, value in measured["cpu_seconds"].items())
            both = "both causes" if measured["both_causes"] else f"found {measured['found']}"
            print(
                f"{rows:>11,} rows {form:8} {measured['cpu_total']:6.2f} CPU s ({parts}), "
                f"{measured['wall_seconds']:6.2f} s, {measured['peak_mb']:5} MB, {both}",
                flush=True,
            )
            if "wise_pizza" in measured:
                other = measured["wise_pizza"]
                print(f"{'':11} wise-pizza    {other['cpu_total']:6.2f} CPU s, found {other['found']}", flush=True)
    if not peer:
        print("wise-pizza is not installed; its figures are left out.")


if __name__ == "__main__":
    main()
