"""The engine: guarded queries over a catalog, run in a warm process that can be killed, and answered as Arrow.

A query that passed the guard is the only thing the process ever gets. Limits on time, memory and rows are kept from
outside; after a kill the next query simply starts a new process.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from averment.errors import (
    InvalidArguments,
    RowLimitOutOfRange,
    RunStopped,
    SourceUnreadable,
    TimeoutOutOfRange,
)
from averment.settings import Settings
from averment.tables.catalog import Catalog, is_elsewhere
from averment.tables.engines.backend import ArrowTable
from averment.tables.engines.query_errors import ended_error, failure_error
from averment.tables.guard.scopes import Read
from averment.tables.guard.statement import GuardedQuery, guard
from averment.tables.processes.children import begin
from averment.tables.processes.query_process import ProcessEnded, QueryProcess
from averment.tables.processes.wire import encode_value
from averment.tables.sources.signatures import check_unchanged, sign_sources

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
