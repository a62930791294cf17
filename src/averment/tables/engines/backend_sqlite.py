"""SQLite behind the query process: opened ``mode=ro``, with an authorizer that allows SELECT on the catalog's tables.

The authorizer sees every table, column and function a statement touches, after the engine has resolved all names: a
second guard that does not depend on the first one's parser.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote as url_quote

import pyarrow as pa

from averment.tables.engines.backend import ArrowTable, BackendFailure, EngineSpec, FailureKind, quote, unique_names
from averment.tables.guard.allowed import FUNCTIONS

_BATCH_ROWS = 8_192
_STEPS_BETWEEN_LOOKS = 20_000
_ROW_MAKERS = frozenset({"json_each", "json_tree"})
# Functions the engine calls for operators of its grammar.
_OPERATORS = frozenset({"->", "->>", "like", "glob"})


class SqliteBackend:
    """One SQLite file, open for reading only."""

    def __init__(self, spec: EngineSpec) -> None:
        (source,) = spec.sources
        try:
            self._connection = sqlite3.connect(
                f"file:{url_quote(source.path)}?mode=ro", uri=True, isolation_level=None, cached_statements=0
            )
            self._connection.execute("PRAGMA query_only = ON")
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._connection.execute(f"PRAGMA hard_heap_limit = {spec.memory_mb * 1024 * 1024}")
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(spec.memory_mb * 1024 * 512, 1_000_000_000))
            names = [table.origin[-1] if table.origin else table.name for table in source.tables]
            self._tables = {name.casefold() for name in names}
            self._below_views = self._tables_below_views(names)
            self._connection.set_authorizer(None)
            for name in sorted(_ROW_MAKERS):
                # Made once for each connection, by a statement the authorizer would not let pass.
                self._connection.execute(f"SELECT 1 FROM {name}('[]')").close()
        except sqlite3.Error as error:
            raise BackendFailure("source", str(error)) from error
        self._connection.set_authorizer(self._authorize)

    def run(self, sql: str, params: Sequence[object], row_limit: int, timeout: float) -> ArrowTable:
        """At most ``row_limit + 1`` rows, as columns of one type each."""
        deadline = time.monotonic() + timeout
        self._connection.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS_BETWEEN_LOOKS)
        values = {f"p{number}": _bindable(value) for number, value in enumerate(params, start=1)}
        try:
            cursor = self._connection.execute(sql, values)
            names = [column[0] for column in cursor.description or ()]
            pieces: list[list[tuple[Any, ...]]] = []
            wanted = row_limit + 1
            while wanted > 0:
                rows = cursor.fetchmany(min(_BATCH_ROWS, wanted))
                if not rows:
                    break
                pieces.append(rows)
                wanted -= len(rows)
            cursor.close()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise BackendFailure(_failure_kind(error), str(error)) from error
        except MemoryError as error:
            raise BackendFailure("memory", "the engine is out of memory") from error
        except OverflowError as error:
            raise BackendFailure("type_mismatch", str(error)) from error
        columns = zip(*(row for rows in pieces for row in rows), strict=True) if pieces else ([] for _ in names)
        return pa.table([_column(list(values)) for values in columns], names=unique_names(names))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _tables_below_views(self, names: list[str]) -> set[str]:
        """The tables that the catalog's views read, learnt from the engine itself."""
        kinds = {
            str(name).casefold()
            for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type='view'")
        }
        found: set[str] = set()

        def note(action: int, first: str | None, second: str | None, database: str | None, view: str | None) -> int:
            if action == sqlite3.SQLITE_READ and view is not None and first:
                found.add(first.casefold())
            return sqlite3.SQLITE_OK

        self._connection.set_authorizer(note)
        for name in names:
            if name.casefold() in kinds:
                self._connection.execute(f"SELECT * FROM {quote(name)} LIMIT 0").close()
        return found

    def _authorize(
        self, action: int, first: str | None, second: str | None, database: str | None, view: str | None
    ) -> int:
        if action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            name = (second or "").lower()
            known = name in FUNCTIONS["sqlite"] or name in _OPERATORS
            return sqlite3.SQLITE_OK if known else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ:
            name = (first or "").casefold()
            own = name in self._tables or name in _ROW_MAKERS
            below = view is not None and name in self._below_views
            return sqlite3.SQLITE_OK if own or below or name == "" else sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_DENY


def _bindable(value: object) -> Any:
    """A value as SQLite stores it: dates as ISO text, decimals as numbers."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    isoformat = getattr(value, "isoformat", None)
    return isoformat() if isoformat is not None else float(str(value))


def _column(values: list[Any]) -> Any:
    """One Arrow column; SQLite may mix kinds in a column, which then becomes text."""
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    if kinds == {int}:
        return pa.array(values, pa.int64())
    if kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    if kinds == {bytes}:
        return pa.array(values, pa.binary())
    texts = [v if v is None or isinstance(v, str) else v.hex() if isinstance(v, bytes) else str(v) for v in values]
    return pa.array(texts, pa.string())


def _failure_kind(error: Exception) -> FailureKind:
    message = str(error).lower()
    if "interrupted" in message:
        return "timeout"
    if "no such column" in message:
        return "missing_column"
    if "no such table" in message:
        return "missing_table"
    if "prohibited" in message or "not authorized" in message:
        return "refused"
    if "out of memory" in message or "too big" in message:
        return "memory"
    if any(word in message for word in ("datatype mismatch", "integer overflow", "malformed json", "bad json")):
        return "type_mismatch"
    if any(word in message for word in ("disk i/o", "unable to open", "malformed", "not a database", "locked")):
        return "source"
    if isinstance(error, sqlite3.DataError | sqlite3.IntegrityError):
        return "type_mismatch"
    return "sql_syntax" if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError) else "failed"
