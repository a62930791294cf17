"""Durable runs: DBOS remembers which steps of a run are done, so that a killed process can be taken over.

This is the only module that knows DBOS. A process has one open Durable, in one of three roles: ``alone`` carries out
what it begins itself; a ``front`` only hands runs to the queue; a ``worker`` takes runs from the queue, and takes over
those of processes that died.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from averment.errors import RunCancelled, RunNotFound, RunStopped, StoreUnavailable
from averment.records.base import new_id
from averment.runtime.execution.executors import BEAT_SECONDS, Executors
from averment.runtime.execution.tracing import span, start_tracing, stop_tracing
from averment.runtime.lazy_import import imported_later
from averment.settings import Settings
from averment.store.db.database_errors import translated
from averment.store.runs.workers import WorkerStore

with imported_later("psycopg", "errors"):
    # DBOS brings Postgres's driver along, which a home on SQLite never calls.
    from dbos import DBOS, DBOSConfig, SetEnqueueOptions, SetWorkflowID, WorkflowHandle

T = TypeVar("T")
Role = Literal["alone", "front", "worker"]
Wait = Callable[[], None]
"""Returns when the run rests; raises what kept it from resting well."""

FLOW_VERSION = "averment-flow-1"
"""Changed whenever the order of a flow's steps changes: a half-done run is only taken over by the same flow."""

_log = logging.getLogger("averment.runtime")
LIVE = frozenset({"PENDING", "ENQUEUED", "DELAYED"})
RUNS = "averment-runs"
"""The queue that fronts put runs into and workers take them from; each tenant has a part of it."""

POLL_SECONDS = 0.1
LOOKS_UP_SECONDS = 0.2
"""After so long a wait is looked up from, for an interrupt that came before it."""
PATIENCE_SECONDS = 120.0
"""For so long a step is tried again while the shared database cannot be reached."""


def _away_from_loops(function: Callable[[], T]) -> T:
    """Call a function where no event loop runs: DBOS refuses otherwise, and a notebook always has one running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(function).result()


def _interruptibly(function: Callable[[], T]) -> T:
    """Call a function that waits where an interrupt is noticed.

    A signal that comes just before a lock is waited for does not end that wait, so another thread waits and this one
    looks up now and then.
    """
    outcome: Future[T] = Future()

    def call() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:  # noqa: BLE001  # It is raised where the call was made.
            outcome.set_exception(error)

    # A daemon: an interrupted process ends without it.
    threading.Thread(target=call, name="averment-wait", daemon=True).start()
    while not outcome.done():
        wait([outcome], timeout=LOOKS_UP_SECONDS)
    return outcome.result()


class RunFlow(Protocol):
    """The flow of one run: gets the run's id and the means to make steps durable."""

    def __call__(self, run_id: str, steps: DurableSteps) -> Awaitable[None]:
        """Run it to its end."""
        ...


class DurableSteps:
    """Steps whose results DBOS keeps; while a shared database is away, a step waits for it and is done again."""

    def __init__(self, patience: float = 0.0) -> None:
        self._patience = patience

    async def do(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        """The function's result, the recorded one if the step was done before."""
        with span("step", step=name):
            return await DBOS.run_step_async({"name": name}, self.patiently, function, *arguments)

    def patiently(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function that may be called twice, again and again while the shared database is away."""
        until, pause = time.monotonic() + self._patience, 0.2
        while True:
            try:
                return function(*arguments)
            except RunStopped as stop:
                raise RunCancelled("The run was cancelled.") from stop
            except StoreUnavailable:
                if time.monotonic() + pause > until:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 5.0)


@DBOS.workflow(name="averment.run")
async def _run_workflow(run_id: str) -> None:
    durable = Durable.current
    if durable is None:
        raise RunNotFound("No workbench is open in this process.")
    await durable.run(run_id)


class Durable:
    """Starts, waits for, resumes and recovers runs."""

    current: ClassVar[Durable | None] = None
    _turn: ClassVar[threading.RLock] = threading.RLock()

    def __init__(
        self, settings: Settings, flow: RunFlow, *, role: Role = "alone", workers: WorkerStore | None = None
    ) -> None:
        self.flow = flow
        self.role: Role = role
        self.patience = PATIENCE_SECONDS if settings.database_url else 0.0
        self._settings = settings
        mine = f"{socket.gethostname()}-{os.getpid()}-{new_id()[:8]}"
        self._executors = Executors(settings.home / "db" / "executors", mine, workers)
        self._unfinished: set[str] = set()
        self._broken: set[str] = set()
        self._stop = threading.Event()

    @property
    def running(self) -> int:
        """How many runs this process carries out now."""
        return len(self._unfinished) - len(self._broken)

    def open(self) -> None:
        """Launch DBOS for this home; another home's is closed first."""
        _away_from_loops(self._open)

    def _open(self) -> None:
        with Durable._turn:
            if Durable.current is self:
                return
            if Durable.current is not None:
                Durable.current._close()
            if self.role != "front":
                self._executors.arrive(self.role, self._settings.worker_concurrency)
            Durable.current = self
            start_tracing(self._settings)
            with translated("of durable runs"):
                DBOS(config=self._config())
                # An empty list: whoever is no worker leaves the queue alone.
                DBOS.listen_queues([RUNS] if self.role == "worker" else [])
                DBOS.launch()
                if self.role != "alone":
                    DBOS.register_queue(
                        RUNS,
                        worker_concurrency=self._settings.worker_concurrency,
                        partition_concurrency=self._settings.tenant_concurrency,
                        polling_interval_sec=POLL_SECONDS,
                        on_conflict="always_update",
                    )

            if self.role == "worker" or (self.role == "alone" and self._settings.database_url):
                self._stop.clear()
                threading.Thread(target=self._live, name="averment-heart", daemon=True).start()

    def _live(self) -> None:
        """Say again and again that this process lives; a worker also looks for the dead and takes over their runs."""
        while not self._stop.wait(BEAT_SECONDS):
            try:
                if not self._executors.beat(self.running):
                    if self.role == "worker":
                        # Its runs are somebody else's by now; whatever it still did would be done twice.
                        _log.error("this worker did not respond for too long and was replaced; it ends here")
                        os._exit(os.EX_TEMPFAIL)
                    self._executors.arrive("alone", self._settings.worker_concurrency)
                if self.role == "worker" and (taken := self._recover()):
                    _log.info("took over %d runs", taken)
            except Exception:  # noqa: BLE001  # The top of a thread: the database may be back at the next beat.
                _log.warning("no beat could be counted", exc_info=True)

    async def run(self, run_id: str) -> None:
        """Run a flow in this process; until it has ended well this executor counts as its owner."""
        self._unfinished.add(run_id)
        self._broken.discard(run_id)
        try:
            with span("run", run_id=run_id, tenant=self._settings.tenant):
                await self.flow(run_id, DurableSteps(self.patience))
        except BaseException:
            self._broken.add(run_id)
            raise
        self._unfinished.discard(run_id)

    def start(self, run_id: str) -> Wait:
        """Begin a run, or one more generation of a run that ended without its answer; returns how to wait for it."""
        return _away_from_loops(lambda: self._start(run_id))

    def _start(self, run_id: str) -> Wait:
        with translated("of durable runs"), SetWorkflowID(self._next_id(run_id)):
            if self.role == "alone":
                return self._waiting(DBOS.start_workflow(_run_workflow, run_id))
            with SetEnqueueOptions(queue_partition_key=self._settings.tenant):
                return self._waiting(DBOS.enqueue_workflow(RUNS, _run_workflow, run_id))

    def resume(self, run_id: str) -> Wait:
        """Go on with a run: take it over from a dead process, or begin a new generation that skips what is done."""
        return _away_from_loops(lambda: self._resume(run_id))

    def _resume(self, run_id: str) -> Wait:
        with translated("of durable runs"):
            self._recover()
            latest = self._latest_id(run_id)
            if latest is not None and self._is_under_way(run_id, latest):
                return self._waiting(DBOS.retrieve_workflow(latest))
        return self._start(run_id)

    def _is_under_way(self, run_id: str, workflow_id: str) -> bool:
        """Whether somebody alive runs it or will: a living executor, or a queue that it waits in."""
        status = DBOS.get_workflow_status(workflow_id)
        if status is None or status.status not in LIVE:
            return False
        if status.status != "PENDING":
            return True
        if status.executor_id == self._executors.mine:
            return run_id in self._unfinished and run_id not in self._broken
        return self._executors.is_alive(str(status.executor_id))

    def _waiting(self, handle: WorkflowHandle[Any]) -> Wait:
        def ended() -> None:
            with translated("of durable runs"):
                handle.get_result()

        return lambda: _interruptibly(ended)

    def is_lost(self, run_id: str) -> bool:
        """Whether nobody carries a run out and nobody will take it over: it was never begun here, or its flow ended."""

        def look() -> bool:
            with translated("of durable runs"):
                latest = self._latest_id(run_id)
                status = None if latest is None else DBOS.get_workflow_status(latest)
            return status is None or status.status not in LIVE

        return _away_from_loops(look)

    def recover(self) -> int:
        """Take over the runs of processes that died; returns how many."""
        return _away_from_loops(self._recover)

    def _recover(self) -> int:
        count = 0
        for executor in self._executors.dead():
            # First the runs, then the mark: one that dies in between leaves the mark for the next.
            count += len(DBOS._recover_pending_workflows([executor]))  # pyright: ignore[reportPrivateUsage]  # DBOS offers no public way to recover another executor's runs
            self._executors.remove(executor)
        return count

    def forget(self, run_id: str) -> bool:
        """Delete what is remembered of a run's steps and their results; false while it is still under way."""
        return _away_from_loops(lambda: self._forget(run_id))

    def _forget(self, run_id: str) -> bool:
        with translated("of durable runs"):
            latest = self._latest_id(run_id)
            if latest is None:
                return True
            status = DBOS.get_workflow_status(latest)
            if status is not None and status.status in LIVE:
                return False
            generations = int(latest.rsplit(".", 1)[1]) + 1
            DBOS.delete_workflows([f"{run_id}.{generation}" for generation in range(generations)])
        return True

    def close(self, *, drain_seconds: int = 0) -> None:
        """Stop DBOS, after at most ``drain_seconds`` for what is running; what stays unfinished can be taken over."""
        _away_from_loops(lambda: self._close(drain_seconds))

    def _close(self, drain_seconds: int = 0) -> None:
        with Durable._turn:
            if Durable.current is not self:
                return
            self._stop.set()
            DBOS.destroy(workflow_completion_timeout_sec=drain_seconds)
            Durable.current = None
            stop_tracing()
            self._executors.leave(unfinished=bool(self._unfinished))

    def _config(self) -> DBOSConfig:
        home = self._settings.home.resolve()
        return {
            "name": "averment",
            "system_database_url": self._settings.database_url or f"sqlite:///{home / 'db' / 'durable.db'}",
            "log_level": "CRITICAL",
            "application_version": FLOW_VERSION,
            "executor_id": self._executors.mine,
            "notification_listener_polling_interval_sec": 0.05,
        }

    def _latest_id(self, run_id: str) -> str | None:
        latest: str | None = None
        generation = 0
        while DBOS.get_workflow_status(f"{run_id}.{generation}") is not None:
            latest = f"{run_id}.{generation}"
            generation += 1
        return latest

    def _next_id(self, run_id: str) -> str:
        latest = self._latest_id(run_id)
        return f"{run_id}.{0 if latest is None else int(latest.rsplit('.', 1)[1]) + 1}"
