"""DuckDB behind the query process: files, snapshots and mixed sources, attached read-only and then locked.

Once the sources are attached the engine can read no other file, reach no network, load no extension, see no Python
variable and change no setting; every table of the catalog is a view in the main schema.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from averment.tables.engines.backend import (
    ArrowTable,
    BackendFailure,
    EngineSpec,
    FailureKind,
    SourceSpec,
    TableSpec,
    quote,
    quote_text,
    unique_names,
)
from averment.tables.engines.extensions import Extension, load_extension

_BATCH_ROWS = 8_192
_SCANNERS: dict[str, Extension] = {"sqlite": "sqlite_scanner", "postgres": "postgres_scanner"}
_TYPE_TROUBLE = re.compile(
    r"No function matches|Could not choose a best candidate|Cannot compare values|Cannot mix values|"
    r"Cannot combine types|Could not convert|explicit type cast|must be of type|Unimplemented type for cast",
    re.IGNORECASE,
)
_MISSING_COLUMN = re.compile(
    r'Referenced column|does not have a column named|Column with name|column "?.*"? not found', re.IGNORECASE
)


class DuckDbBackend:
    """An in-memory DuckDB whose only data are the catalog's sources."""

    def __init__(self, spec: EngineSpec) -> None:
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": f"{max(64, spec.memory_mb * 9 // 10)}MB",
                "threads": spec.threads,
                "temp_directory": "",
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "allow_community_extensions": False,
                "python_enable_replacements": False,
            },
        )
        try:
            self._connection.execute("SET TimeZone = 'UTC'")
            allowed: list[str] = []
            for number, source in enumerate(spec.sources):
                allowed += self._attach(source, f"source_{number}")
            self._lock(allowed)
        except duckdb.Error as error:
            raise _failure(error) from error

    def run(self, sql: str, params: Sequence[object], row_limit: int, timeout: float) -> ArrowTable:
        """At most ``row_limit + 1`` rows; they are streamed, so that no larger result is ever held."""
        try:
            self._connection.execute(sql, list(params))
            kinds = [str(column[1]) for column in self._connection.description or ()]
            reader = self._connection.to_arrow_reader(_BATCH_ROWS)
            batches: list[pa.RecordBatch] = []
            wanted = row_limit + 1
            while wanted > 0:
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    break
                batches.append(batch.slice(0, wanted))
                wanted -= min(wanted, batch.num_rows)
            table = pa.Table.from_batches(batches, schema=reader.schema)
            return _plain_types(table, kinds)
        except duckdb.Error as error:
            raise _failure(error) from error
        except pa.ArrowInvalid as error:
            # An error in the middle of a stream comes through Arrow, the engine's own text inside.
            raise _failure(error) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _attach(self, source: SourceSpec, alias: str) -> list[str]:
        """Attach one source and make its views; the files that must stay readable afterwards."""
        if source.attach == "parquet":
            files = _parquet_files(source.path)
            listed = ", ".join(quote_text(path) for path in files)
            for table in source.tables:
                self._create_view(table, f"read_parquet([{listed}])")
            return files
        options = ["READ_ONLY"]
        if source.attach in _SCANNERS:
            load_extension(self._connection, _SCANNERS[source.attach])
            options.append(f"TYPE {source.attach}")
        self._connection.execute(f"ATTACH {quote_text(source.path)} AS {quote(alias)} ({', '.join(options)})")
        for table in source.tables:
            self._create_view(table, ".".join(quote(part) for part in (alias, *table.origin)))
        return []

    def _create_view(self, table: TableSpec, place: str) -> None:
        """A view of the catalog's name with the catalog's columns, whichever of its two names the source uses."""
        found = self._connection.execute(f"SELECT * FROM {place} LIMIT 0").description or ()
        stored = {str(column[0]) for column in found}
        items = [
            quote(name) if name in stored else f"{quote(original)} AS {quote(name)}" for name, original in table.columns
        ]
        self._connection.execute(f"CREATE VIEW {quote(table.name)} AS SELECT {', '.join(items) or '*'} FROM {place}")

    def _lock(self, allowed: list[str]) -> None:
        if allowed:
            self._connection.execute(f"SET allowed_paths = [{', '.join(quote_text(path) for path in allowed)}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")


def _parquet_files(path: str) -> list[str]:
    """The files of a Parquet path, folder or pattern, in one order."""
    if Path(path).is_dir():
        files = [str(found) for found in sorted(Path(path).rglob("*.parquet")) if found.is_file()]
    else:
        files = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else [path]  # noqa: PTH207  # whole pattern
    if not files:
        raise BackendFailure("source", f"There is no Parquet file at {path}")
    return files


def _plain_types(table: ArrowTable, kinds: Sequence[str]) -> ArrowTable:
    """Whole numbers as integers and enumerations as text, so that a reader need not know the engine's types."""
    columns: list[Any] = []
    for column, kind in zip(table.columns, kinds, strict=True):
        plain: Any = column
        if kind in {"HUGEINT", "UHUGEINT"}:
            # Where a number is too large for an integer the column stays an exact decimal.
            try:
                plain = pc.cast(column, pa.int64())
            except pa.ArrowInvalid:
                plain = column
        elif pa.types.is_dictionary(column.type):
            plain = pc.cast(column, column.type.value_type)
        columns.append(plain)
    return pa.table(columns, names=unique_names(table.column_names))


def _failure(error: Exception) -> BackendFailure:
    message = str(error)
    return BackendFailure(_failure_kind(error, message), message)


def _failure_kind(error: Exception, message: str) -> FailureKind:
    if isinstance(error, duckdb.OutOfMemoryException) or "Out of Memory" in message or "bad_alloc" in message:
        return "memory"
    if isinstance(error, duckdb.InterruptException):
        return "timeout"
    if isinstance(error, duckdb.CatalogException) and "Table with name" in message:
        return "missing_table"
    if isinstance(error, duckdb.PermissionException):
        return "refused"
    if isinstance(error, duckdb.IOException):
        return "source"
    if _MISSING_COLUMN.search(message):
        return "missing_column"
    conversions = (
        duckdb.ConversionException,
        duckdb.TypeMismatchException,
        duckdb.OutOfRangeException,
        duckdb.InvalidInputException,
        duckdb.InvalidTypeException,
        pa.ArrowInvalid,
    )
    if isinstance(error, conversions) or _TYPE_TROUBLE.search(message):
        return "type_mismatch"
    if isinstance(error, duckdb.ProgrammingError | duckdb.NotSupportedError | duckdb.DataError):
        return "sql_syntax"
    return "failed"
