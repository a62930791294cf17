"""The engine: guarded queries over a catalog, run in a warm process that can be killed, and answered as Arrow.

A query that passed the guard is the only thing the process ever gets. Limits on time, memory and rows are kept from
outside; after a kill the next query simply starts a new process.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from averment.errors import (
    AvermentError,
    InvalidArguments,
    MemoryExceeded,
    MissingColumn,
    MissingTable,
    OutputExceeded,
    QueryTimeout,
    RowLimitOutOfRange,
    RunCancelled,
    RunStopped,
    SourceUnreadable,
    SqlRefused,
    SqlSyntax,
    TimeoutOutOfRange,
    ToolError,
    TypeMismatch,
)
from averment.settings import Settings
from averment.tables.catalog import Catalog, Dialect, is_elsewhere
from averment.tables.engines.backend import ArrowTable, FailureKind
from averment.tables.guard.lineage import Read
from averment.tables.guard.names import suggest_name
from averment.tables.guard.statement import GuardedQuery, guard
from averment.tables.processes.children import begin
from averment.tables.processes.query_process import ProcessEnded, QueryProcess
from averment.tables.processes.wire import encode_value
from averment.tables.sources.signatures import check_unchanged, sign_sources

_QUOTED = re.compile(r'"([^"]+)"|`([^`]+)`|no such (?:column|table): ([\w.]+)')

_CASTS: dict[Dialect, str] = {
    "duckdb": "convert with TRY_CAST(column AS type), for example TRY_CAST(amount AS DOUBLE)",
    "sqlite": "convert with CAST(column AS type), for example CAST(amount AS REAL)",
    "postgres": "convert with CAST(column AS type), for example CAST(amount AS double precision)",
}


def failure_error(
    kind: FailureKind, message: str, query: GuardedQuery, schema: Mapping[str, Mapping[str, str]], timeout: float
) -> AvermentError:
    """The error for a failure the engine reported."""
    details: dict[str, object] = {"engine": message}
    match kind:
        case "sql_syntax":
            return SqlSyntax(f"The engine does not accept the query: {message}", details=details)
        case "type_mismatch":
            return TypeMismatch(
                f"A value or column has the wrong type: {message}", suggestion=_CASTS[query.dialect], details=details
            )
        case "missing_column":
            known = [column for table in query.tables for column in schema.get(table, {})]
            wrong = _named(message)
            suggestion = suggest_name(wrong, known) if wrong else None
            return MissingColumn(f"A column is missing: {message}", suggestion=suggestion, details=details)
        case "missing_table":
            wrong = _named(message)
            suggestion = suggest_name(wrong, schema) if wrong else None
            return MissingTable(f"A table is missing: {message}", suggestion=suggestion, details=details)
        case "memory":
            return MemoryExceeded(
                f"The query needs more memory than allowed: {message}",
                suggestion="aggregate or filter earlier, or raise query_memory_mb",
                details=details,
            )
        case "timeout":
            return QueryTimeout(f"The query was ended after {timeout:g} s.", details=details)
        case "output":
            return OutputExceeded(
                f"The result is too large: {message}", suggestion="ask for fewer rows or columns", details=details
            )
        case "refused":
            return SqlRefused(f"The engine refused the query: {message}", details={"reason": "engine", **details})
        case "source":
            return SourceUnreadable(f"The source cannot be read: {message}", details=details)
        case "failed":
            return ToolError(f"The query failed: {message}", details=details)


def ended_error(end: ProcessEnded, timeout: float, memory_mb: int) -> AvermentError:
    """The error for a query process that is gone."""
    match end.ending:
        case "timeout":
            return QueryTimeout(f"The query was ended after {timeout:g} s.")
        case "memory":
            return MemoryExceeded(
                f"The query was ended when it took more than {memory_mb} MB.",
                suggestion="aggregate or filter earlier, or raise query_memory_mb",
            )
        case "died":
            return ToolError(
                f"The query process ended unexpectedly: {end.message}.",
                hint="Try again; a new query process starts automatically.",
            )


def _named(message: str) -> str | None:
    found = _QUOTED.search(message)
    return next((part for part in found.groups() if part), None) if found else None


MAX_ROWS = 200_000

MAX_SECONDS = 180.0

_GRACE_SECONDS = 0.25


@dataclass(frozen=True, kw_only=True)
class QueryResult:
    """A query's answer: the rows, the text that was run, and a hash that names exactly this question to these data.

    ``truncated`` says that the query had more rows than ``row_limit``; ``columns_read`` are the source columns it read.
    """

    table: ArrowTable
    sql: str
    query_hash: str
    row_count: int
    truncated: bool
    seconds: float
    columns_read: frozenset[Read]


class Engine:
    """Runs queries over one catalog, one at a time; a context manager."""

    def __init__(self, catalog: Catalog, settings: Settings, *, halted: Callable[[], bool] = lambda: False) -> None:
        self.catalog = catalog
        self.settings = settings
        self._schema = catalog.schema()
        self._views = {table.name: table.view_sql for table in catalog.tables if table.view_sql is not None}
        direct = catalog.dialect == "postgres"
        self._origins = {table.name: table.origin for table in catalog.tables if direct and len(table.origin) > 1}
        self._running = threading.Lock()
        self._process: QueryProcess | None = None
        self._signatures = sign_sources(catalog)
        self._cancelled = threading.Event()
        self._turning = threading.Lock()
        self._active = False
        self._halted = halted

    def __enter__(self) -> Engine:
        self.warm()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def warm(self) -> None:
        """Start what query processes come from in the background, so that the first query need not wait for it."""
        begin()

    def close(self) -> None:
        """End the query process; the engine can be used again."""
        process = self._process
        if process is not None:
            process.kill()
        with self._running:
            self._discard()

    def cancel(self) -> None:
        """End the query that is running now, from another thread; without one, nothing happens."""
        with self._turning:
            if not self._active:
                return  # What comes too late must not end the next query.
            self._cancelled.set()  # Before the process is looked for: one that is being started looks at this next.
            process = self._process
            if process is not None:
                process.kill()

    def check(self, sql: str) -> GuardedQuery:
        """The statement as the guard lets it pass, without running it.

        Raises:
            SqlRefused, SqlSyntax, MissingTable, MissingColumn: it does not pass.
        """
        return guard(sql, dialect=self.catalog.dialect, schema=self._schema, views=self._views, origins=self._origins)

    def run(
        self, sql: str, params: Sequence[object] = (), *, timeout: float = 30.0, row_limit: int = MAX_ROWS
    ) -> QueryResult:
        """The result of a guarded query, at most ``row_limit`` rows of it, within ``timeout`` seconds.

        Raises:
            SqlRefused, SqlSyntax, TypeMismatch, MissingTable, MissingColumn: the query cannot be run.
            QueryTimeout, MemoryExceeded, OutputExceeded: a limit ended it.
            SourceVanished, SourceChanged: the data are no longer what was opened.
            RunStopped: ``cancel`` was called.
        """
        if not 1 <= row_limit <= MAX_ROWS:
            raise RowLimitOutOfRange(f"A row limit of {row_limit} is not between 1 and {MAX_ROWS}.")
        if not 0 < timeout <= MAX_SECONDS:
            raise TimeoutOutOfRange(f"A timeout of {timeout} s is not between 0 and {MAX_SECONDS:.0f}.")
        query = self.check(sql)
        values = [encode_value(value) for value in params]
        if len(values) != query.parameters:
            raise InvalidArguments(f"The query has {query.parameters} parameters, but {len(values)} values were given.")
        with self._running:
            with self._turning:
                self._active = True
            try:
                began = time.perf_counter()
                table, truncated = self._run(query, values, timeout, row_limit)
                seconds = time.perf_counter() - began
            finally:
                with self._turning:
                    self._active = False
                    if self._cancelled.is_set():
                        self._discard()  # Killed, though its answer may have come before.
                        self._cancelled.clear()
        return QueryResult(
            table=table,
            sql=query.sql,
            query_hash=self._hash(query, values, row_limit),
            row_count=table.num_rows,
            truncated=truncated,
            seconds=seconds,
            columns_read=query.columns,
        )

    def _run(
        self, query: GuardedQuery, values: list[object], timeout: float, row_limit: int
    ) -> tuple[ArrowTable, bool]:
        check_unchanged(self._signatures)
        try:
            process = self._started()
        except ProcessEnded as end:
            if self._cancelled.is_set():
                raise RunStopped("The query was cancelled.") from end
            raise ended_error(end, timeout, self.settings.query_memory_mb) from end
        if self._halted() or self._cancelled.is_set():
            raise RunStopped("The query was cancelled.")
        path = process.folder / "result.arrow"
        request = {
            "sql": query.engine_sql,
            "params": values,
            "row_limit": row_limit,
            "timeout": timeout,
            "path": str(path),
        }
        try:
            opened = process.open()
            if "failure" in opened:
                self._discard()
                check_unchanged(self._signatures)
                raise SourceUnreadable(f"The data cannot be opened: {opened['message']}.")
            answer = process.ask(request, timeout + _GRACE_SECONDS)
        except ProcessEnded as end:
            self._discard()
            if self._cancelled.is_set():
                raise RunStopped("The query was cancelled.") from end
            raise ended_error(end, timeout, self.settings.query_memory_mb) from end
        except BaseException:
            # An interrupt from the keyboard: the answer would come later and be taken for the next query's.
            self._discard()
            raise
        if "failure" in answer:
            check_unchanged(self._signatures)
            raise failure_error(answer["failure"], str(answer["message"]), query, self._schema, timeout)
        return _read_result(path), bool(answer["truncated"])

    def _started(self) -> QueryProcess:
        if self._process is not None and not self._process.alive:
            self._discard()
        if self._process is None:
            self._process = QueryProcess(self._spec(), self.settings.query_memory_mb)
        return self._process

    def _discard(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _spec(self) -> dict[str, Any]:
        return {
            "dialect": self.catalog.dialect,
            "threads": self.settings.query_threads,
            "memory_mb": self.settings.query_memory_mb,
            "sources": [
                {
                    "attach": source.attach,
                    "path": _full_path(source.attach, source.attach_path),
                    "tables": [
                        {
                            "name": table.name,
                            "origin": table.origin,
                            "columns": [[column.name, column.original_name] for column in table.columns],
                        }
                        for table in source.tables
                    ],
                }
                for source in self.catalog.sources
            ],
        }

    def _hash(self, query: GuardedQuery, values: list[object], row_limit: int) -> str:
        contents = sorted(source.content_sha256 or source.fingerprint for source in self.catalog.sources)
        body = json.dumps([query.dialect, query.sql, values, row_limit, contents], separators=(",", ":"))
        return hashlib.sha256(body.encode("utf-8")).hexdigest()


def _full_path(attach: str, path: str) -> str:
    """Where to attach; a database's password is looked up at the last moment and goes to the query process only."""
    if not is_elsewhere(attach):
        return path
    from averment.tables.sources.locations import full_url

    return full_url(path)


def _read_result(path: Path) -> ArrowTable:
    """The result file as a table; the file itself is gone afterwards, its pages live as long as the table."""
    import pyarrow as pa

    with pa.memory_map(str(path), "rb") as source:
        table = pa.ipc.open_file(source).read_all()
    path.unlink()
    return table


QueryListener = Callable[[str, Sequence[object], QueryResult | AvermentError], None]

"""Told of a query: its text, its parameters, and what it gave or why it did not."""


class WatchedEngine(Engine):
    """The same engine, shared with whoever else uses it; ``heard`` is told of each query that goes through here.

    No query takes longer than ``seconds_left``, which raises ``QueryTimeout`` where nothing is left.
    """

    def __init__(self, inner: Engine, heard: QueryListener, seconds_left: Callable[[], float]) -> None:  # pyright: ignore[reportMissingSuperCall]  # it has no process of its own
        self.catalog = inner.catalog
        self.settings = inner.settings
        self._inner = inner
        self._heard = heard
        self._seconds_left = seconds_left

    def warm(self) -> None:
        """See ``Engine.warm``."""
        self._inner.warm()

    def close(self) -> None:
        """See ``Engine.close``."""
        self._inner.close()

    def cancel(self) -> None:
        """See ``Engine.cancel``."""
        self._inner.cancel()

    def check(self, sql: str) -> GuardedQuery:
        """See ``Engine.check``; checking reads no data, so nobody is told."""
        return self._inner.check(sql)

    def run(
        self, sql: str, params: Sequence[object] = (), *, timeout: float = 30.0, row_limit: int = MAX_ROWS
    ) -> QueryResult:
        """See ``Engine.run``."""
        seconds = min(timeout, self._seconds_left())
        try:
            result = self._inner.run(sql, params, timeout=seconds, row_limit=row_limit)
        except AvermentError as error:
            self._heard(sql, params, error)
            raise
        except RunStopped as stop:
            self._heard(sql, params, RunCancelled(str(stop)))
            raise
        self._heard(sql, params, result)
        return result
