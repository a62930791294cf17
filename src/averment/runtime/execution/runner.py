"""Running runs: keep a request, begin it durably, wait, resume, approve, cancel, recover; the same for every agent."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError, InvalidRequest, RunInterrupted, StoreConflict
from averment.records.analysis import ENDED, RUN_STATES
from averment.records.base import utc_now
from averment.runtime.agent import EndingAgent
from averment.runtime.events import Listener, read_events, tell_listeners
from averment.runtime.execution.cancel import CancelToken
from averment.runtime.execution.executors import Executors
from averment.runtime.execution.restore import delete_kept, open_work
from averment.runtime.outcome import Run
from averment.runtime.status import ANSWERED
from averment.runtime.verification.seal_check import require_held
from averment.store.runs.run_rows import RunKind, RunRow

if TYPE_CHECKING:
    from averment.records.asked import RunRequest
    from averment.runtime.agent import Agent
    from averment.runtime.execution.durable import Durable, DurableSteps, Role
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KnownBefore
    from averment.runtime.services import Services
    from averment.tables.catalog import Catalog

EVERY_SECONDS = 0.2
_log = logging.getLogger("averment.runtime")


class Follower:
    """Tells listeners of this process what happens in runs of another; one thread for all of them."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._followed: dict[str, tuple[int, tuple[Listener, ...]]] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def follow(self, run_id: str, listeners: tuple[Listener, ...]) -> None:
        """Tell the listeners everything that happens in a run from now on, until it is finished."""
        if not listeners:
            return
        past = read_events(self._services.store.runs, run_id)
        with self._lock:
            self._followed[run_id] = (past[-1].seq if past else 0, listeners)
            if self._thread is None or not self._thread.is_alive():
                self._stop.clear()
                self._thread = threading.Thread(target=self._watch, name="averment-follow", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop listening; the runs go on."""
        self._stop.set()

    def _watch(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            for run_id in list(self._followed):
                try:
                    self._look(run_id)
                except Exception:  # noqa: BLE001  # The top of a thread: the database may be back at the next look.
                    _log.warning("the run %s could not be followed", run_id, exc_info=True)

    def _look(self, run_id: str) -> None:
        seen, listeners = self._followed[run_id]
        finished = False
        for event in read_events(self._services.store.runs, run_id, after=seen):
            seen, finished = event.seq, event.type == "run_finished"
            tell_listeners(event, listeners)
        with self._lock:
            if finished:
                self._followed.pop(run_id, None)
            else:
                self._followed[run_id] = (seen, listeners)


_APPROVED = ("approved", "approved")
_BEGINS_WITHIN_SECONDS = 60
_MOST_ENDED = 1_000
REMEMBERED_HANDLES = 1_000
"""Runs begun here that nobody waited for yet; of more than these the oldest can only be looked at."""


class Runner:
    """The runs of one home in this process; ``agent_for`` says who answers a run."""

    def __init__(self, services: Services, agent_for: Callable[[RunRow], Agent], *, role: Role | None = None) -> None:
        self._services = services
        self._agent_for = agent_for
        self._role: Role = role or ("front" if services.settings.runs_on == "workers" else "alone")
        self._follower = Follower(services)
        self._durable: Durable | None = None
        self._listeners: dict[str, tuple[Listener, ...]] = {}
        self._cancels: dict[str, CancelToken] = {}
        self._handles: dict[str, Callable[[], None]] = {}
        self._lock = threading.RLock()

    def keep(
        self,
        kind: RunKind,
        request: RunRequest,
        catalog: Catalog | None,
        *,
        read: dict[str, Any] | None = None,
        replay_of: str | None = None,
        waits: bool = False,
        meaning: KnownBefore | None = None,
        opening_seconds: float = 0.0,
    ) -> str:
        """Keep a new run with its opened tables, None where it reads none, and return its id; nothing runs yet.

        ``opening_seconds`` is how long its tables took to open, which counts against its time.
        """
        from averment.tables.catalog import Catalog

        self._open()  # What takes long comes before there is a run that an interrupt could leave behind.
        tables = Catalog(sources=(), dialect="duckdb") if catalog is None else catalog
        body = {
            "request": _with_fingerprints(request.model_dump(mode="json"), tables),
            "catalog": tables.to_json(),
            "since_sequence": self._services.ledgers.own.tail()[0] + 1,
            "read": read,
            "replay_of": replay_of,
            "waits_for_approval": waits,
            **({"meaning": meaning} if meaning else {}),
            **({"opening_seconds": round(opening_seconds, 3)} if opening_seconds else {}),
            **({} if (replication := self._services.ledgers.replication) is None else {"writer": replication.writer}),
        }
        run_id = request.request_id
        self._services.store.runs.create(
            RunRow(run_id=run_id, kind=kind, status="submitted", intent=request.intent, request=body)
        )
        return run_id

    def start(self, run_id: str, *listeners: Listener) -> None:
        """Begin a kept run; where that is interrupted, the run is too."""
        try:
            self._begin(run_id, listeners, lambda durable: durable.start(run_id))
        except BaseException:
            self.cancel(run_id)
            self._interrupted(self._services.store.runs.get(run_id))
            raise

    def wait(self, run_id: str) -> Run:
        """The run, once it rests.

        Raises:
            AvermentError: the run failed or was cancelled; the error is the run's own.
        """
        handle = self._handles.pop(run_id, None)
        if handle is None:
            raise InvalidRequest(
                f"The run {run_id} was not started here, or its result was already collected.",
                hint="Look at it with `show`.",
            )
        try:
            handle()
        except KeyboardInterrupt:
            self.cancel(run_id)
            handle()
        run = self.show(run_id)
        run.raise_for_error()
        return run

    def begin_again(self, run_id: str, *listeners: Listener) -> bool:
        """Go on with a run that was interrupted, failed or cancelled; false when it has its answer already."""
        row = self._services.store.runs.get(run_id)
        if row.status in ANSWERED:
            return False
        self._services.store.runs.clear_cancel(row.run_id)
        self._services.store.runs.update(row.run_id, error=None)
        self._begin(row.run_id, listeners, lambda durable: durable.resume(row.run_id))
        return True

    def approve(self, run_id: str) -> str:
        """Mark a run that waits at its plan as approved, and return its whole id."""
        row = self._services.store.runs.get(run_id)
        self._services.store.runs.put(row.run_id, *_APPROVED, {})
        return row.run_id

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop, wherever it runs."""
        row = self._services.store.runs.get(run_id)
        self._services.store.runs.request_cancel(row.run_id)
        token = self._cancels.get(row.run_id)
        if token is not None:
            token.cancel()

    def recover(self) -> int:
        """Take over the runs of processes that died, and end those that were never begun; returns how many go on."""
        durable = self._open()
        recovered = durable.recover()
        for row in self._unfinished():
            age = (utc_now() - row.created_at).total_seconds()
            if age > _BEGINS_WITHIN_SECONDS and durable.is_lost(row.run_id):
                self._interrupted(row)
        return recovered

    def end_interrupted(self) -> None:
        """End the runs of processes that died, where no process is left that could go on with them.

        They become failed, as interrupted, and can be resumed. Where the state is shared others may take them over.
        """
        settings = self._services.settings
        if self._durable is not None or settings.database_url:
            return
        rows = self._unfinished()
        if rows and not Executors(settings.home / "db" / "executors", "", None).any_here():
            for row in rows:
                self._interrupted(row)

    def _unfinished(self) -> list[RunRow]:
        """The runs that are under way, or should be; one that waits for a yes to its plan is not."""
        runs = self._services.store.runs
        rows = [row for status in sorted(RUN_STATES.states - ENDED) for row in runs.list(_MOST_ENDED, status=status)]
        return [
            row
            for row in rows
            if not (row.request.get("waits_for_approval") and row.plan and not runs.record(row.run_id, *_APPROVED))
        ]

    def _interrupted(self, row: RunRow) -> None:
        runs = self._services.store.runs
        if runs.get(row.run_id).status != row.status or row.status in ENDED:
            return
        runs.update(row.run_id, error=RunInterrupted("The process ended before the run did.").as_dict())
        with suppress(StoreConflict):  # Somebody else went on with it, or ended it, in this moment.
            runs.set_status(row.run_id, "failed", expected=frozenset({row.status}))
        agent = self._agent_for(row)
        if isinstance(agent, EndingAgent):
            agent.ended_badly(self._services, row.run_id)

    def forget(self, run_id: str) -> bool:
        """Delete a resting run with its steps, records, events, artifacts and results; false while it is under way.

        Its ledger entries stay.
        """
        if not self._open().forget(run_id):
            return False
        delete_kept(self._services, run_id)
        return True

    def show(self, run_id: str) -> Run:
        """A run as it stands now.

        Raises:
            VerificationFailed: it is not what was sealed.
        """
        row = self._services.store.runs.get(run_id)
        require_held(self._services, row)
        return Run(self._services, row)

    def open(self) -> None:
        """Be ready to carry runs out; a worker begins to take them."""
        self._open()

    def close(self, *, drain_seconds: int = 0) -> None:
        """Stop what is running here, after at most ``drain_seconds`` to end it; what is unfinished can be resumed."""
        with self._lock:
            self._follower.close()
            if self._durable is not None:
                self._durable.close(drain_seconds=drain_seconds)
                self._durable = None

    def _begin(
        self, run_id: str, listeners: tuple[Listener, ...], start: Callable[[Durable], Callable[[], None]]
    ) -> None:
        with self._lock:
            if self._role == "front":
                self._follower.follow(run_id, listeners)
            else:
                self._listeners[run_id] = listeners
                self._cancels[run_id] = CancelToken()
            self._handles[run_id] = start(self._open())
            while len(self._handles) > REMEMBERED_HANDLES:
                self._handles.pop(next(iter(self._handles)))

    def _open(self) -> Durable:
        from averment.runtime.execution.durable import Durable

        with self._lock:
            if self._durable is None:
                shared = self._services.settings.database_url
                workers = self._services.store.workers if shared else None
                self._durable = Durable(self._services.settings, self._flow, role=self._role, workers=workers)
                if self._role != "front" and (replication := self._services.ledgers.replication) is not None:
                    # What a process of this home left when it died; if not now, then at the next step.
                    with suppress(AvermentError):
                        replication.flush()
            self._durable.open()
            return self._durable

    async def _flow(self, run_id: str, steps: DurableSteps) -> None:
        from averment.runtime.loop import run_loop
        from averment.runtime.replication import ReplicatedSteps

        def opened() -> tuple[RunRow, RunContext]:
            row = self._services.store.runs.get(run_id)
            cancel = self._cancels.setdefault(run_id, CancelToken())
            return row, open_work(self._services, row, listeners=self._listeners.get(run_id, ()), cancel=cancel)

        row, work = await asyncio.to_thread(steps.patiently, opened)
        replication = self._services.ledgers.replication
        replicated = steps if replication is None else ReplicatedSteps(steps, replication)
        try:
            await run_loop(work, lambda: self._agent_for(row), replicated)
        finally:
            self._listeners.pop(run_id, None)
            self._cancels.pop(run_id, None)


def _with_fingerprints(request: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    """A request whose sources say the schema they were opened with; a folder of several tables has none of its own."""
    named = request.get("data_sources", [])
    if len(named) == len(catalog.sources):
        for source, opened in zip(named, catalog.sources, strict=True):
            source["schema_fingerprint"] = opened.fingerprint
    return request
