"""Runs that were told to go on, each waited for in a thread of its own, so that the answer need not wait."""

from __future__ import annotations

import logging
import threading

from averment.errors import AvermentError
from averment.workbench import Workbench

_log = logging.getLogger("averment.http")


class Resumptions:
    """Which runs are going on because a client asked; a run is never resumed twice at once."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def begin(self, run_id: str) -> None:
        """Let a run go on."""
        with self._lock:
            if run_id in self._threads:
                return
            thread = threading.Thread(target=self._resume, args=(run_id,), name=f"resume-{run_id}", daemon=True)
            self._threads[run_id] = thread
            thread.start()

    def under_way(self, run_id: str) -> bool:
        """Whether a run is going on."""
        with self._lock:
            return run_id in self._threads

    def _resume(self, run_id: str) -> None:
        try:
            self._workbench.runs.resume(run_id)
        except AvermentError:
            pass  # It is kept with the run, and told by its events.
        except Exception:  # noqa: BLE001  # The top of a thread: nobody above could catch it.
            _log.exception("resuming %s failed", run_id)
        finally:
            with self._lock:
                self._threads.pop(run_id, None)
