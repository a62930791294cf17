"""The query process of one run, and trial queries: bounded, under the run's policy, each noted as a probe."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from averment.errors import AvermentError, PolicyError, ToolError
from averment.runtime.execution.cancel import CancelToken
from averment.runtime.policy import Gate
from averment.runtime.probes import PROBE_ROWS, PROBE_SECONDS, Probes
from averment.runtime.run_clock import RunClock

if TYPE_CHECKING:
    from averment.runtime.journal import Journal
    from averment.tables.engines.engine import Engine, QueryResult

ProbeResults: TypeAlias = "list[QueryResult | AvermentError]"


class RunQueries:
    """What a run may ask of its tables while it looks around."""

    def __init__(self, start: Callable[[], Engine], *, gate: Gate, cancel: CancelToken, clock: RunClock) -> None:
        self._start = start
        self._gate = gate
        self._cancel = cancel
        self._clock = clock
        self._engine: Engine | None = None
        self._probes = Probes()
        self._lock = threading.Lock()

    def engine(self) -> Engine:
        """The run's query process, for looking around: every query through it is noted as a probe."""
        from averment.tables.engines.watched import WatchedEngine

        return WatchedEngine(self.process(), self._probes.note, lambda: self._clock.seconds_left)

    def probe(
        self,
        sql: str,
        params: Sequence[object] = (),
        *,
        row_limit: int = PROBE_ROWS,
        timeout: float = PROBE_SECONDS,
    ) -> QueryResult:
        """What a trial query gives, under the run's policy and within what is left of its time; noted as a probe.

        Nothing that is told may rest on it: what counts is planned as a task and runs again as a tool call.

        Raises:
            PolicyError, ToolError: the query is refused or fails; that is noted too.
        """
        self._cancel.check()
        engine = self.engine()
        try:
            self._gate.check_columns(engine.check(sql).columns)
        except AvermentError as error:
            self._probes.note(sql, params, error)
            raise
        result = engine.run(sql, params, timeout=min(timeout, self._clock.seconds_left), row_limit=row_limit)
        self._gate.check_values(result.table)
        return result

    def probe_many(
        self, queries: Sequence[tuple[str, Sequence[object]]], *, row_limit: int = PROBE_ROWS
    ) -> ProbeResults:
        """What each of several trial queries gives, or the error that kept it from giving anything."""
        found: ProbeResults = []
        for sql, params in queries:
            self._cancel.check()
            try:
                found.append(self.probe(sql, params, row_limit=row_limit))
            except (PolicyError, ToolError) as error:
                found.append(error)
        return found

    def write_probes(self, journal: Journal, step: str) -> None:
        """Write the probes made since the last time into the ledger, as one entry under the step's name."""
        self._probes.write(journal, step)

    def process(self) -> Engine:
        """The run's query process itself, started when first needed and ended by a cancel."""
        with self._lock:
            if self._engine is None:
                self._engine = self._start()
                self._cancel.on_cancel(self._engine.cancel)
            return self._engine

    def close(self) -> None:
        """End the query process."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None
