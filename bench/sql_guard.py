"""The SQL guard on the guard's corpus, and what guarding and the separate query process cost.

    python bench/sql_guard.py [--data DIR] [--out preds.jsonl]

Decisions are scored by the set's own ``score.py``. Beside them stand the guard's time a statement, and the time of a
small query through the engine next to the same query in an in-process DuckDB without guard, limits or process.

Measures a part: averment.tables.
"""

from __future__ import annotations

import argparse
import json
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from averment.errors import AvermentError
from averment.settings import Settings
from averment.tables.catalog import Catalog, ColumnInfo, OpenedSource, TableInfo
from averment.tables.engines.engine import Engine
from averment.tables.guard.statement import guard
from averment.tables.sources.fingerprint import fingerprint_tables

DEFAULT = Path(__file__).resolve().parent.parent / "tests" / "hostile" / "data" / "sql_guard"
QUERIES = ("SELECT 1 AS one", "SELECT state, sum(amount) AS total FROM sales GROUP BY state ORDER BY state")
REPEATS = 200


def live_schema(data_dir: Path) -> dict[str, dict[str, str]]:
    """Table → column → type of the tables that the set's policy opens, read from the set's own fixture."""
    import duckdb

    with duckdb.connect() as connection:
        for statement in runpy.run_path(str(data_dir / "fixture.py"))["statements"]("duckdb"):
            connection.execute(statement)
        connection.execute("CREATE VIEW v_sales AS SELECT state, amount FROM sales")
        rows = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() "
            "WHERE NOT internal AND table_name <> 'customers_private' ORDER BY table_name, column_index"
        ).fetchall()
    schema: dict[str, dict[str, str]] = {}
    for table, column, kind in rows:
        schema.setdefault(table, {})[column] = kind
    return schema


def statements(data_dir: Path) -> Iterator[tuple[str, str, str]]:
    """(id, dialect, text) of every case."""
    for line in (data_dir / "cases.jsonl").read_text(encoding="utf-8").split("\n"):
        if line.strip():
            case = json.loads(line)
            text = case["sql"] if "sql" in case else "".join(part * times for part, times in case["sql_parts"])
            yield case["id"], case["dialect"], text.replace("@FIXTURE@", "/tmp/fixture")


def predict(data_dir: Path) -> Iterator[dict[str, object]]:
    """One decision for each case."""
    schema = live_schema(data_dir)
    for ident, dialect, text in statements(data_dir):
        began = time.perf_counter()
        try:
            guard(text, dialect=dialect, schema=schema)
            decision = "allow"
        except AvermentError:
            decision = "block"
        yield {"id": ident, "decision": decision, "seconds": time.perf_counter() - began}


def _median_ms(ask: Callable[[], object]) -> float:
    took: list[float] = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        ask()
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


def measure_queries(data_dir: Path) -> list[dict[str, Any]]:
    """Milliseconds of a warm query through the engine, and in process."""
    import duckdb

    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fixture.duckdb"
        with duckdb.connect(str(path)) as connection:
            for statement in runpy.run_path(str(data_dir / "fixture.py"))["statements"]("duckdb"):
                connection.execute(statement)
        columns = live_schema(data_dir)["sales"]
        table = TableInfo(
            name="sales",
            columns=tuple(ColumnInfo(name=name, type=kind, original_name=name) for name, kind in columns.items()),
            row_count=None,
            source="fixture",
            origin=("main", "sales"),
        )
        source = OpenedSource(
            label="fixture",
            format="duckdb",
            location=str(path),
            attach="duckdb",
            attach_path=str(path),
            content_sha256=None,
            size_bytes=None,
            tables=(table,),
            notes=(),
            fingerprint=fingerprint_tables([columns.items()]),
        )
        catalog = Catalog(sources=(source,), dialect="duckdb")
        began = time.perf_counter()
        with (
            Engine(catalog, Settings(home=Path(folder))) as engine,
            duckdb.connect(str(path), read_only=True) as connection,
        ):
            engine.run(QUERIES[0])
            first = time.perf_counter() - began
            for sql in QUERIES:
                found.append(
                    {
                        "query": sql,
                        "engine_ms": round(_median_ms(lambda sql=sql: engine.run(sql)), 2),
                        "guard_ms": round(_median_ms(lambda sql=sql: engine.check(sql)), 2),
                        "in_process_ms": round(_median_ms(lambda sql=sql: connection.execute(sql).to_arrow_table()), 2),
                        "first_query_seconds": round(first, 2),
                    }
                )
    return found


def main() -> None:
    """Predict, score, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    list(predict(args.data))  # warm
    rows = list(predict(args.data))
    with tempfile.TemporaryDirectory() as folder:
        out = args.out or Path(folder) / "preds.jsonl"
        out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        subprocess.run(
            [sys.executable, str(args.data / "score.py"), "--pred", str(out), "--data", str(args.data)], check=True
        )
    took = sorted(float(str(row["seconds"])) * 1e6 for row in rows)
    print(f"guard: median {took[len(took) // 2]:.0f} µs a statement, 95 % under {took[int(len(took) * 0.95)]:.0f} µs")
    for row in measure_queries(args.data):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
