"""What a reading process does: one job, whose outcome is one document.

Files may be broken or hostile, so they are never read in the process that asks: this one has limits and can be killed.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import (
    AvermentError,
    NoRows,
    SourceChanged,
    SourceEmpty,
    SourceNotFound,
    SourceUnreadable,
    UnsupportedSource,
)
from averment.tables.catalog import Note, TableInfo
from averment.tables.engines.engine_kinds import inspect_added
from averment.tables.processes.memory import mapped_bytes
from averment.tables.read.encoding import scan_file
from averment.tables.read.staging import StagedTable
from averment.tables.read.text_checks import check_texts
from averment.tables.sources.options import ReadOptions
from averment.tables.types.infer_types import type_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

HEADROOM_MB = 1_424
"""Address space beyond the libraries and the allowed memory: an engine reserves more than it uses."""


def do_job(job: dict[str, Any]) -> dict[str, Any]:
    """The outcome of the one job, for refusals too; the process is limited for good."""
    tasks = {
        "snapshot": build_snapshot,
        "inspect": inspect_in_place,
        "spark": inspect_cluster,
        "engine": inspect_added,
        "lines": find_lines,
    }
    if job["task"] not in {"spark", "engine"}:
        # The client of a cluster or of an added engine reserves more than it uses, and opens no file of ours.
        _limit(int(job["memory_mb"]))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return tasks[job["task"]](job)
    except AvermentError as error:
        return {
            "error": {
                "type": type(error).__name__,
                "message": error.message,
                "hint": error.hint,
                "details": error.details,
            }
        }
    except MemoryError:
        return {"error": {"type": "SourceUnreadable", "message": "Reading the file needs too much memory."}}


def _limit(memory_mb: int) -> None:
    allowed = mapped_bytes() + (memory_mb + HEADROOM_MB) * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def inspect_cluster(job: dict[str, Any]) -> dict[str, Any]:
    """Tells the tables of a Spark cluster."""
    from averment.tables.sources.spark_cluster import inspect

    label = job["label"]
    try:
        return {"tables": inspect(job["path"], label), "notes": []}
    except ImportError as error:
        raise UnsupportedSource(
            f"Spark's client is not installed, so {label} cannot be queried.", hint="pip install averment[spark]"
        ) from error
    except Exception as error:
        # The client raises what the transport, the server or the JVM raised; its words may hold a token.
        raise SourceNotFound(
            f"The cluster {label} did not respond ({type(error).__name__}).",
            hint="Check the host, the port and the folder, and that the cluster can read the folder.",
        ) from error


def build_snapshot(job: dict[str, Any]) -> dict[str, Any]:
    """Reads the file into the database file ``target`` and tells its tables and notes."""
    import duckdb

    path, target = Path(job["path"]), Path(job["target"])
    options = ReadOptions.from_dict(job["options"])
    null_words = tuple(options.null_words if options.null_words is not None else job["null_words"])
    tables: list[TableInfo] = []
    notes: list[Note] = []
    with tempfile.TemporaryDirectory(prefix="averment-read-", dir=target.parent) as folder:
        work = Path(folder)
        connection = _connect(target, work, int(job["memory_mb"]))
        try:
            for staged in _stage(connection, path, job, options, work):
                table, found = type_table(connection, staged, options, null_words, job["label"])
                if not table.row_count and not options.allow_no_rows:
                    raise NoRows(f"{path.name} has a header but no rows.")
                if options.types == "infer":
                    found += check_texts(connection, table, odd_characters=staged.odd_characters)
                tables.append(table)
                notes += [note if note.table else replace(note, table=table.name) for note in staged.notes + found]
            connection.execute("CHECKPOINT")
        except duckdb.OutOfMemoryException as error:
            raise SourceUnreadable(f"Reading {path.name} needs too much memory.") from error
        except duckdb.Error as error:
            raise SourceUnreadable(f"{path.name} cannot be read: {str(error).splitlines()[0]}") from error
        finally:
            connection.close()
    return {"tables": [asdict(table) for table in tables], "notes": [asdict(note) for note in notes]}


def _connect(target: Path, work: Path, memory_mb: int) -> DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(
        str(target),
        config={
            "memory_limit": f"{max(256, memory_mb * 3 // 4)}MB",
            "temp_directory": str(work / "spill"),
            "threads": 2,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
        },
    )
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def _stage(
    connection: DuckDBPyConnection, path: Path, job: dict[str, Any], options: ReadOptions, work: Path
) -> list[StagedTable]:
    scan = scan_file(path)
    if scan.sha256 != job["sha256"]:
        raise SourceChanged(f"{path.name} changed while it was being opened.")
    try:
        if job["format"] == "csv":
            from averment.tables.read.csv_read import stage_csv

            return stage_csv(connection, path, scan, options, work)
        if job["format"] == "xlsx":
            from averment.tables.read.excel_read import stage_excel

            return stage_excel(connection, path, options)
        if job["format"] in ("json", "jsonl"):
            from averment.tables.read.json_read import stage_json

            return stage_json(connection, path, lines=job["format"] == "jsonl")
        from averment.tables.sources.source_kinds import stage_added

        return stage_added(connection, path, job["format"])
    except SourceEmpty:
        if options.allow_no_rows:
            return []
        raise


def find_lines(job: dict[str, Any]) -> dict[str, Any]:
    """On which lines of a text file some of its rows begin; none where that is not certain."""
    from averment.tables.read.csv_lines import lines_of_rows

    path = Path(job["path"])
    scan = scan_file(path)
    if scan.sha256 != job["sha256"]:
        raise SourceChanged(f"{path.name} changed while it was being looked into.")
    with tempfile.TemporaryDirectory(prefix="averment-lines-") as folder:
        found = lines_of_rows(
            path,
            scan,
            ReadOptions.from_dict(job["options"]),
            Path(folder),
            lines_of_json=job["format"] == "jsonl",
            rows=frozenset(job["rows"]),
            row_count=int(job["row_count"]),
        )
    return {"lines": {str(row): line for row, line in found.items()}}


def inspect_in_place(job: dict[str, Any]) -> dict[str, Any]:
    """The tables of a Parquet source or a database file, which stay where they are."""
    from averment.tables.sources.attached import inspect_duckdb, inspect_parquet, inspect_sqlite

    label = str(job["label"])
    if job["format"] == "parquet":
        tables = inspect_parquet(job["files"], label)
    elif job["format"] == "duckdb":
        tables = inspect_duckdb(Path(job["path"]), label)
    elif job["format"] == "sqlite":
        tables = inspect_sqlite(Path(job["path"]), label, by_engine=bool(job["by_engine"]))
    else:
        raise UnsupportedSource(f"{label} is {job['format']}, which cannot be queried in place.")
    return {"tables": [asdict(table) for table in tables], "notes": []}
