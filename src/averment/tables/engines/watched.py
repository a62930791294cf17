"""An engine whose every query is heard by someone, so that no look into the data goes unrecorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from averment.errors import AvermentError, RunCancelled, RunStopped
from averment.tables.engines.engine import MAX_ROWS, Engine, QueryResult
from averment.tables.guard.statement import GuardedQuery

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
