"""The time and the queries of one run: what is left of its time, and trial queries under its policy, each a probe.

A probe proves nothing that is told. But whoever audits a run must be able to see what was looked at, so every query
outside a tool call is noted here, and each step of the run writes its probes as one ledger entry. That keeps them
cheap: the price is one line a step, however many queries it took.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import AvermentError, PolicyError, QueryTimeout, ToolError
from averment.runtime.execution.cancel import CancelToken
from averment.runtime.journal import Journal, brief, digest
from averment.runtime.policy import Gate

if TYPE_CHECKING:
    from averment.runtime.journal import Journal
    from averment.tables.engines.engine import Engine, QueryResult

_TELLING = 0.1


class RunClock:
    """Counts down the seconds that a request allows."""

    def __init__(self, seconds: int, *, opening: float = 0.0) -> None:
        """``opening`` is what it took to open the sources: who asked has waited for that already."""
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds - opening
        self._spent: dict[str, float] = {"opening the sources": opening} if opening else {}

    @property
    def seconds_left(self) -> float:
        """What is left of the time the request allows.

        Raises:
            QueryTimeout: nothing is.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            told = f": {self.account}" if self.account else ""
            raise QueryTimeout(
                f"The run was stopped after {self._seconds} seconds{told}.", details={"spent": self.spent}
            )
        return left

    @property
    def spent(self) -> dict[str, float]:
        """The seconds that went to what was measured, where they were many enough to tell."""
        return {name: round(seconds, 1) for name, seconds in self._spent.items() if seconds >= _TELLING}

    @property
    def account(self) -> str:
        """The same in words; empty where nothing took long."""
        return ", ".join(f"{seconds} s went to {name}" for name, seconds in self.spent.items())

    @contextmanager
    def spent_on(self, name: str) -> Generator[None]:
        """Count the time of the block under a name, for the message that tells where the time went."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.monotonic() - began

    @property
    def has_time(self) -> bool:
        """Whether anything is left of the time the request allows."""
        return time.monotonic() < self._deadline

    @contextmanager
    def stopped(self) -> Generator[None]:
        """While a model thinks the run's own time stands still; the model has a time of its own."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._deadline += time.monotonic() - began


LISTED = 100
"""Queries of one step that its entry spells out; of more it holds the number and one hash over them all."""

PROBE_ROWS = 1_000
"""Rows a probe returns unless it is asked for more."""

PROBE_SECONDS = 5.0
"""Time one probe may take unless it is given more."""


class Probes:
    """The probes of a run's present step, in the order they were made."""

    def __init__(self) -> None:
        self._noted: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def note(self, sql: str, params: Sequence[object], outcome: QueryResult | AvermentError) -> None:
        """Remember a query with how it ended: what it is named by and its number of rows, or the error's code."""
        said: dict[str, Any] = {"sql": brief(sql)}
        if params:
            said["params"] = [brief(value if isinstance(value, int | float | bool) else str(value)) for value in params]
        if isinstance(outcome, AvermentError):
            said["error"] = outcome.code
        else:
            said |= {"query_hash": outcome.query_hash, "rows": outcome.row_count}
        with self._lock:
            self._noted.append(said)

    def write(self, journal: Journal, step: str) -> None:
        """Write what was noted since the last time as one entry under the step's name; nothing where nothing was."""
        with self._lock:
            noted, self._noted = self._noted, []
        if not noted:
            return
        journal.write(
            f"probe/{step}",
            "tool_called",
            "planner",
            {
                "call_id": journal.entry_id(f"probes/{step}"),
                "tool_name": "sql.run",
                "kind": "probe",
                "step": step,
                "count": len(noted),
                "arguments": {"queries": noted[:LISTED]},
                "queries_sha256": digest(noted),
            },
        )


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
        from averment.tables.engines.engine import WatchedEngine

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
