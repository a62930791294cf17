"""Measures the readers of tables: Pollock's dirty CSV files, JSONTestSuite, and the speed of a 50 MB file.

    python bench/tables_read.py pollock --data DIR --out preds.jsonl [--peer duckdb|pandas]
    python bench/tables_read.py json_test_suite --data DIR --out preds.jsonl
    python bench/tables_read.py speed

The first two write predictions and run the set's own scorer. A peer reads the same files in its own automatic mode.

Measures a part: averment.tables.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb

from averment.errors import AvermentError, NoHeaders, SourceUnreadable
from averment.settings import Settings
from averment.tables.catalog import Catalog
from averment.tables.read.json_read import parse_json
from averment.tables.sources.opening import open_sources
from averment.tables.sources.options import ReadOptions

Prediction = dict[str, Any]


def _cases(data_dir: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (data_dir / "cases.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()
    ]


def predict_pollock(data_dir: Path) -> Iterator[Prediction]:
    """Each file as text cells under its header, or the error with which it was refused.

    A file without a header is read again with generated names, which the set calls col_0, col_1 and so on.
    """
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        for case in _cases(data_dir):
            start = time.perf_counter()
            outcome = _read_text(data_dir / case["file"], Path(folder))
            yield {"id": case["id"], **outcome, "seconds": round(time.perf_counter() - start, 4)}


def _read_text(path: Path, cache_dir: Path) -> Prediction:
    try:
        try:
            catalog = _open(path, cache_dir, ReadOptions(types="text", allow_no_rows=True))
        except NoHeaders:
            catalog = _open(path, cache_dir, ReadOptions(types="text", allow_no_rows=True, header="none"))
    except AvermentError as error:
        return {"error": f"{error.code}: {error.message}"}
    if not catalog.tables:
        return {"rows": []}
    codes = {note.code for note in catalog.notes}
    table = catalog.tables[0]
    header = [column.original_name for column in table.columns]
    if "generated_names" in codes:
        header = [f"col_{place}" for place in range(len(header))]
    if "row_labels" in codes:
        header = header[1:]
    if "trailing_delimiter" in codes:
        header = header[:-1]
    with duckdb.connect(catalog.sources[0].attach_path, read_only=True) as connection:
        rows = connection.execute(f'SELECT * FROM "{table.origin[-1]}"').fetchall()
    return {"rows": [header, *(["" if cell is None else cell for cell in row] for row in rows)]}


def _open(path: Path, cache_dir: Path, options: ReadOptions) -> Catalog:
    return open_sources([str(path)], settings=Settings(), cache_dir=cache_dir, options=options)


def predict_json_test_suite(data_dir: Path) -> Iterator[Prediction]:
    """Whether the JSON reader's parser accepts each file."""
    for case in _cases(data_dir):
        try:
            parse_json((data_dir / case["file"]).read_bytes())
            outcome = "accept"
        except SourceUnreadable:
            outcome = "reject"
        except (ValueError, RecursionError, MemoryError):
            outcome = "crash"
        yield {"id": case["id"], "outcome": outcome}


def _peer_duckdb(path: Path) -> list[list[Any]]:
    with duckdb.connect() as connection:
        result = connection.execute("SELECT * FROM read_csv(?, all_varchar = true)", [str(path)])
        names = [column[0] for column in result.description or ()]
        return [names, *(["" if cell is None else cell for cell in row] for row in result.fetchall())]


def _peer_pandas(path: Path) -> list[list[Any]]:
    import pandas

    frame = pandas.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    return [list(map(str, frame.columns)), *frame.fillna("").values.tolist()]


PEERS: dict[str, Callable[[Path], list[list[Any]]]] = {"duckdb": _peer_duckdb, "pandas": _peer_pandas}


def predict_pollock_by(peer: str, data_dir: Path) -> Iterator[Prediction]:
    """The same files through another reader in its automatic mode."""
    for case in _cases(data_dir):
        try:
            yield {"id": case["id"], "rows": PEERS[peer](data_dir / case["file"])}
        except Exception as error:
            yield {"id": case["id"], "error": str(error)[:200]}


def measure_speed(rows: int = 900_000) -> dict[str, Any]:
    """Seconds to open a CSV file of about 50 MB, beside the engine's plain automatic reader in the same run."""
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        path = Path(folder) / "orders.csv"
        _write_orders(path, rows)
        start = time.perf_counter()
        catalog = _open(path, Path(folder) / "cache", ReadOptions())
        ours = time.perf_counter() - start
        start = time.perf_counter()
        _open(path, Path(folder) / "cache", ReadOptions())
        again = time.perf_counter() - start
        start = time.perf_counter()
        with duckdb.connect(str(Path(folder) / "plain.duckdb"), config={"threads": 2}) as connection:
            connection.execute("SET enable_progress_bar = false")
            connection.execute("CREATE TABLE orders AS SELECT * FROM read_csv_auto(?)", [str(path)])
        plain = time.perf_counter() - start
        types = {column.name: column.type for column in catalog.tables[0].columns}
        size = path.stat().st_size
    figures = {"megabytes": size / 1e6, "seconds": ours, "seconds_again": again, "plain_duckdb_seconds": plain}
    return {**{name: round(value, 2) for name, value in figures.items()}, "rows": rows, "types": types}


def _write_orders(path: Path, rows: int) -> None:
    draw = random.Random(1)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["order_id", "order_date", "region", "customer", "amount", "quantity", "note"])
        for number in range(rows):
            day = date(2020, 1, 1) + timedelta(days=number % 1500)
            region = draw.choice(("North", "South", "East", "West"))
            customer, amount = f"Customer {draw.randrange(100_000)}", f"{draw.random() * 1000:.2f}"
            writer.writerow(
                [number, day.isoformat(), region, customer, amount, draw.randrange(10), f"note {number % 13}"]
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=("pollock", "json_test_suite", "speed"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--peer", choices=sorted(PEERS))
    args = parser.parse_args()
    if args.name == "speed":
        print(json.dumps(measure_speed()))
        return
    if args.data is None or args.out is None:
        parser.error("--data and --out are needed")
    if args.name == "json_test_suite":
        found = predict_json_test_suite(args.data)
    else:
        found = predict_pollock_by(args.peer, args.data) if args.peer else predict_pollock(args.data)
    args.out.write_text("".join(json.dumps(item) + "\n" for item in found), encoding="utf-8")
    scorer = [sys.executable, str(args.data / "score.py"), "--pred", str(args.out), "--data", str(args.data)]
    raise SystemExit(subprocess.run(scorer, check=False).returncode)


if __name__ == "__main__":
    main()
