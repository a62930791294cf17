"""Durable runs: DBOS remembers which steps of a run are done, so that a killed process can be taken over.

This is the only module that knows DBOS. A process has one open Durable. Its executor id is held by a file lock for as
long as the process lives; an executor whose lock can be taken is dead, and its runs are recovered.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from dbos import DBOS, DBOSConfig, SetWorkflowID, WorkflowHandle

from averment.errors import RunNotFound
from averment.records.base import new_id
from averment.settings import Settings
from averment.store.failures import translated

T = TypeVar("T")
Wait = Callable[[], None]
"""Returns when the run rests; raises what kept it from resting well."""

FLOW_VERSION = "averment-flow-1"
"""Changed whenever the order of a flow's steps changes: a half-done run is only taken over by the same flow."""

LIVE = frozenset({"PENDING", "ENQUEUED", "DELAYED"})


def _away_from_loops(function: Callable[[], T]) -> T:
    """Call a function where no event loop runs: DBOS refuses otherwise, and a notebook always has one running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(function).result()


class RunFlow(Protocol):
    """The flow of one run: gets the run's id and the means to make steps durable."""

    def __call__(self, run_id: str, steps: DurableSteps) -> Awaitable[None]:
        """Run it to its end."""
        ...


class DurableSteps:
    """Steps whose results DBOS keeps."""

    async def do(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        """The function's result, the recorded one if the step was done before."""
        return await DBOS.run_step_async({"name": name}, function, *arguments)


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

    def __init__(self, settings: Settings, flow: RunFlow) -> None:
        self.flow = flow
        self._settings = settings
        self._executor = f"{socket.gethostname()}-{os.getpid()}-{new_id()[:8]}"
        self._locks = settings.home / "db" / "executors"
        self._held: int | None = None
        self._unfinished: set[str] = set()
        self._broken: set[str] = set()

    def open(self) -> None:
        """Launch DBOS for this home; another home's is closed first."""
        _away_from_loops(self._open)

    def _open(self) -> None:
        with Durable._turn:
            if Durable.current is self:
                return
            if Durable.current is not None:
                Durable.current._close()
            self._locks.mkdir(parents=True, exist_ok=True)
            self._held = os.open(self._lock_file(self._executor), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._held, fcntl.LOCK_EX)
            Durable.current = self
            with translated("of durable runs"):
                DBOS(config=self._config())
                DBOS.launch()

    async def run(self, run_id: str) -> None:
        """Run a flow in this process; until it has ended well this executor counts as its owner."""
        self._unfinished.add(run_id)
        self._broken.discard(run_id)
        try:
            await self.flow(run_id, DurableSteps())
        except BaseException:
            self._broken.add(run_id)
            raise
        self._unfinished.discard(run_id)

    def start(self, run_id: str) -> Wait:
        """Begin a run, or one more generation of a run that ended without its answer; returns how to wait for it."""
        return _away_from_loops(lambda: self._start(run_id))

    def _start(self, run_id: str) -> Wait:
        with translated("of durable runs"), SetWorkflowID(self._next_id(run_id)):
            return self._waiting(DBOS.start_workflow(_run_workflow, run_id))

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
        if status.executor_id == self._executor:
            return run_id in self._unfinished and run_id not in self._broken
        owner = self._lock_file(str(status.executor_id))
        return owner.exists() and not self._is_dead(owner)

    def _waiting(self, handle: WorkflowHandle[Any]) -> Wait:
        def wait() -> None:
            with translated("of durable runs"):
                handle.get_result()

        return lambda: _away_from_loops(wait)

    def recover(self) -> int:
        """Take over the runs of processes that died; returns how many."""
        return _away_from_loops(self._recover)

    def _recover(self) -> int:
        count = 0
        for path in sorted(self._locks.glob("*.lock")):
            executor = path.name.removesuffix(".lock")
            if executor == self._executor or not self._is_dead(path):
                continue
            count += len(DBOS._recover_pending_workflows([executor]))  # pyright: ignore[reportPrivateUsage]  # DBOS offers no public way to recover another executor's runs
            path.unlink(missing_ok=True)
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

    def close(self) -> None:
        """Stop DBOS and give the lock back; the mark of an unfinished run stays, so that it can be recovered."""
        _away_from_loops(self._close)

    def _close(self) -> None:
        with Durable._turn:
            if Durable.current is not self:
                return
            DBOS.destroy()
            Durable.current = None
            if self._held is not None:
                if not self._unfinished:
                    self._lock_file(self._executor).unlink(missing_ok=True)
                os.close(self._held)
                self._held = None

    def _config(self) -> DBOSConfig:
        home = self._settings.home.resolve()
        return {
            "name": "averment",
            "system_database_url": self._settings.database_url or f"sqlite:///{home / 'db' / 'durable.db'}",
            "log_level": "CRITICAL",
            "application_version": FLOW_VERSION,
            "executor_id": self._executor,
            "notification_listener_polling_interval_sec": 0.05,
        }

    def _lock_file(self, executor: str) -> Path:
        return self._locks / f"{executor}.lock"

    def _is_dead(self, path: Path) -> bool:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)
        return True

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
