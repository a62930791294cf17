"""Following runs that are carried out elsewhere: their kept events are read and told to those who listen here."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from averment.runtime.events import Listener, read_events, tell_listeners

if TYPE_CHECKING:
    from averment.runtime.services import Services

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
