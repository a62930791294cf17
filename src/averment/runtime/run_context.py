"""One run in progress: its request, its open sources, its results so far, and its hands on store, ledger and events."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import AvermentError, PolicyError, QueryTimeout, ToolError
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import RULES
from averment.runtime.events import EventStream, Listener
from averment.runtime.execution.cancel import CancelToken
from averment.runtime.journal import Journal
from averment.runtime.model_disclosure import keep_sent
from averment.runtime.policy import Gate
from averment.runtime.probes import PROBE_ROWS, PROBE_SECONDS, Probes
from averment.tools.result_store import ResultStore
from averment.tools.tool import ToolContext

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.llm import FallbackNote, ModelCall
    from averment.records.analysis import Plan
    from averment.records.asked import RunRequest
    from averment.runtime.decisions import Round
    from averment.runtime.services import Services
    from averment.tables.catalog import Catalog
    from averment.tables.engines.engine import Engine, QueryResult

ProbeResults: TypeAlias = "list[QueryResult | AvermentError]"


class RunContext:
    """Everything a step of a run may touch; closed when the run rests."""

    def __init__(
        self,
        *,
        services: Services,
        request: RunRequest,
        catalog: Catalog,
        since_sequence: int,
        listeners: tuple[Listener, ...] = (),
        cancel: CancelToken | None = None,
        result_store: ResultStore | None = None,
        approval: bool = False,
        begun_by: str | None = None,
        read: dict[str, Any] | None = None,
        meaning: dict[str, Any] | None = None,
    ) -> None:
        self.services = services
        self.request = request
        self.catalog = catalog
        self.run_id = request.request_id
        self.cancel = cancel or CancelToken()
        self.gate = Gate(request.policy, catalog)
        self.events = EventStream(services.runs, self.run_id, listeners)
        self._since_sequence = since_sequence
        self._begun_by = begun_by
        self.result_store = result_store or ResultStore(services.files, f"work/{self.run_id}")
        self.plan: Plan | None = None
        self.reading: dict[str, Any] = {}
        self.reasoner = RULES
        self.rounds: list[Round] = []
        self.taken: list[dict[str, Any]] = []
        self.answered: dict[str, tuple[ToolCall, Observation]] = {}
        self.failed: dict[str, Observation] = {}
        self._deadline = time.monotonic() + request.constraints.timeout_seconds
        self._approval = approval
        self._read = read
        self.meaning: dict[str, Any] = meaning or {}
        self._engine: Engine | None = None
        self._probes = Probes()
        self._lock = threading.Lock()

    @cached_property
    def journal(self) -> Journal:
        """The run's hand on the ledger; who only looks at the run opens none, and needs no key."""
        services = self.services
        return Journal(
            services.ledger,
            self.run_id,
            since_sequence=self._since_sequence,
            gathering=services.gathering,
            begun_by=self._begun_by,
        )

    @property
    def seconds_left(self) -> float:
        """What is left of the time the request allows.

        Raises:
            QueryTimeout: nothing is.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise QueryTimeout(f"The run was stopped after {self.request.constraints.timeout_seconds} seconds.")
        return left

    @property
    def has_time(self) -> bool:
        """Whether anything is left of the time the request allows."""
        return time.monotonic() < self._deadline

    @contextmanager
    def clock_stopped(self) -> Generator[None]:
        """While a model thinks the run's own time stands still; the model has a time of its own."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._deadline += time.monotonic() - began

    def waits_for_approval(self) -> bool:
        """Whether the plan is to be seen and approved before it runs, and has not been yet."""
        runs = self.services.runs
        return self._approval and runs.record(self.run_id, "approved", "approved") is None

    def engine(self) -> Engine:
        """The run's query process, for looking around: every query through it is noted as a probe."""
        from averment.tables.engines.watched import WatchedEngine

        return WatchedEngine(self._query_process(), self._probes.note)

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
        self.cancel.check()
        engine = self.engine()
        try:
            self.gate.check_columns(engine.check(sql).columns)
        except AvermentError as error:
            self._probes.note(sql, params, error)
            raise
        result = engine.run(sql, params, timeout=min(timeout, self.seconds_left), row_limit=row_limit)
        self.gate.check_values(result.table)
        return result

    def probe_many(
        self, queries: Sequence[tuple[str, Sequence[object]]], *, row_limit: int = PROBE_ROWS
    ) -> ProbeResults:
        """What each of several trial queries gives, or the error that kept it from giving anything."""
        found: ProbeResults = []
        for sql, params in queries:
            self.cancel.check()
            try:
                found.append(self.probe(sql, params, row_limit=row_limit))
            except (PolicyError, ToolError) as error:
                found.append(error)
        return found

    def write_probes(self, step: str) -> None:
        """Write the probes made since the last time into the ledger, as one entry under the step's name."""
        self._probes.write(self.journal, step)

    def _query_process(self) -> Engine:
        """The run's query process itself, started when first needed and ended by a cancel."""
        from averment.tables.engines.engine import Engine
        from averment.tables.sources.reopen_sources import bring_here

        with self._lock:
            if self._engine is None:
                settings, cache = self.services.settings, self.services.cache_dir / "tables"
                here = bring_here(self.catalog, settings=settings, cache_dir=cache, read=self._read)
                self._engine = Engine(here, settings, halted=lambda: self.cancel.cancelled)
                self.cancel.on_cancel(self._engine.cancel)
            return self._engine

    def tool_context(self, call_id: str) -> ToolContext:
        """What a tool gets for one call."""
        return ToolContext(
            call_id=call_id,
            settings=self.services.settings,
            engine=self._query_process,
            jail=self.services.jail,
            result_store=self.result_store,
            seconds_left=self.seconds_left,
            row_limit=self.request.constraints.row_limit,
            check_columns=self.gate.check_columns,
            check_values=self.gate.check_values,
            corpus=lambda: self.services.corpus,
            halted=lambda: self.cancel.cancelled,
        )

    def invariants(self, task_id: str) -> tuple[str, ...]:
        """What the plan demands of a task."""
        planned = self.plan.subtasks if self.plan is not None else ()
        return next((task.invariants for task in planned if task.task_id == task_id), ())

    def keep_call(self, call: ModelCall) -> None:
        """Write down that a model was asked, and keep what left the machine, to be shown to whoever asks for it."""
        self.journal.keep_call(call)
        keep_sent(self.services, self.run_id, call)

    def tell_fallback(self, note: FallbackNote) -> None:
        """Write down that the rules answered in a model's place, and why."""
        self.journal.decide(
            f"fallback/{note.purpose}", decision="fallback", rule=note.code, reason=note.reason, purpose=note.purpose
        )
        self.events.tell("model_fell_back", note.purpose, code=note.code, reason=note.reason)

    def take(self, call: ToolCall, observation: Observation) -> bool:
        """Remember what a call came back with, for the tasks that wait for it; true when it succeeded."""
        if observation.status != "success":
            self.failed[call.task_id] = observation
            return False
        self.answered[call.task_id] = (call, observation)
        self.result_store.answer(call.task_id, call.call_id)
        self.result_store.expect(observation.data)
        return True

    def flush(self) -> None:
        """Make what was written into the ledger so far known to other hosts, before a record lets them skip it."""
        if (gathering := self.services.gathering) is not None:
            gathering.flush()

    def table(self, task_id: str) -> pa.Table:
        """The table a task was answered with."""
        return self.result_store.by_task(task_id)

    def close(self) -> None:
        """End the query process."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None
