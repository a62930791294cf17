"""One run in progress: its request, its open sources, its results so far, and its hands on store, ledger and events."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from averment.deprecation import moved
from averment.records.run import Observation, ToolCall
from averment.runtime.events import EventStream, Listener
from averment.runtime.execution.cancel import CancelToken
from averment.runtime.journal import Journal
from averment.runtime.model_log import ModelLog
from averment.runtime.policy import Gate
from averment.runtime.run_queries import RunClock, RunQueries
from averment.runtime.run_state import RunState
from averment.tools.result_store import ResultStore
from averment.tools.tool import ToolContext

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.records.asked import RunRequest
    from averment.runtime.run_json import KnownBefore
    from averment.runtime.services import Services
    from averment.tables.catalog import Catalog
    from averment.tables.engines.engine import Engine


_IN_STATE = ("meaning", "reading", "reasoner", "plan", "rounds", "taken", "answered", "failed", "invariants")
_moved_name = moved(
    {name: f"state.{name}" for name in _IN_STATE}, owner="averment.runtime.RunContext", since="0.3.0", gone_in="0.4.0"
)


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
        first_writer: str | None = None,
        read: dict[str, Any] | None = None,
        meaning: KnownBefore | None = None,
        opening_seconds: float = 0.0,
    ) -> None:
        self.services = services
        self.request = request
        self.catalog = catalog
        self.run_id = request.request_id
        self.cancel = cancel or CancelToken()
        self.gate = Gate(request.policy, catalog)
        self.clock = RunClock(request.constraints.timeout_seconds, opening=opening_seconds)
        """What is left of the run's time."""
        self.queries = RunQueries(self._start_engine, gate=self.gate, cancel=self.cancel, clock=self.clock)
        """The run's query process, for looking around: ``engine``, ``probe``, ``probe_many``."""
        self.events = EventStream(services.store.runs, self.run_id, listeners)
        self.model_log = ModelLog(services, self.run_id, lambda: self.journal, self.events)
        """Where the run's model calls are written down."""
        self._since_sequence = since_sequence
        self._first_writer = first_writer
        self.result_store = result_store or ResultStore(services.store.files, f"work/{self.run_id}")
        self.state = RunState(meaning=meaning or {})
        """How far the run has got: reading, plan, rounds, answers."""
        self._approval = approval
        self._read = read

    if not TYPE_CHECKING:  # A type checker is to say of an old name that it is gone.
        __getattr__ = _moved_name

    @cached_property
    def journal(self) -> Journal:
        """The run's hand on the ledger; who only looks at the run opens none, and needs no key."""
        services = self.services
        return Journal(
            services.ledgers.own,
            self.run_id,
            since_sequence=self._since_sequence,
            replication=services.ledgers.replication,
            first_writer=self._first_writer,
        )

    def waits_for_approval(self) -> bool:
        """Whether the plan is to be seen and approved before it runs, and has not been yet."""
        runs = self.services.store.runs
        return self._approval and runs.record(self.run_id, "approved", "approved") is None

    def write_probes(self, step: str) -> None:
        """Write the probes made since the last time into the ledger, as one entry under the step's name."""
        self.queries.write_probes(self.journal, step)

    def _start_engine(self) -> Engine:
        from averment.tables.engines.engine import Engine
        from averment.tables.sources.opening import bring_here

        settings, cache = self.services.settings, self.services.store.cache_dir / "tables"
        here = bring_here(self.catalog, settings=settings, cache_dir=cache, read=self._read)
        return Engine(here, settings, halted=lambda: self.cancel.cancelled)

    def tool_context(self, call_id: str) -> ToolContext:
        """What a tool gets for one call."""
        return ToolContext(
            call_id=call_id,
            settings=self.services.settings,
            engine=self.queries.process,
            jail=self.services.tools.jail,
            result_store=self.result_store,
            seconds_left=self.clock.seconds_left,
            row_limit=self.request.constraints.row_limit,
            check_columns=self.gate.check_columns,
            check_values=self.gate.check_values,
            corpus=lambda: self.services.texts.corpus,
            halted=lambda: self.cancel.cancelled,
        )

    def take(self, call: ToolCall, observation: Observation) -> bool:
        """Remember what a call came back with, for the tasks that wait for it; true when it succeeded."""
        if observation.status != "success":
            self.state.failed[call.task_id] = observation
            return False
        self.state.answered[call.task_id] = (call, observation)
        self.result_store.answer(call.task_id, call.call_id)
        self.result_store.expect(observation.data)
        return True

    def flush(self) -> None:
        """Make what was written into the ledger so far known to other hosts, before a record lets them skip it."""
        if (replication := self.services.ledgers.replication) is not None:
            replication.flush()

    def table(self, task_id: str) -> pa.Table:
        """The table a task was answered with."""
        return self.result_store.by_task(task_id)

    def close(self) -> None:
        """End the query process."""
        self.queries.close()
