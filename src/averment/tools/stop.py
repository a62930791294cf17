"""Stopping what is under way: a call whose caller gives up, or a run that is cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Stop:
    """Set once; whoever registered an ``on_cancel`` is called then, or at once if it is set already."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self.cancelled = False

    def cancel(self) -> None:
        """Ask to stop, and end what is under way."""
        with self._lock:
            self.cancelled = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call back when it is to stop."""
        with self._lock:
            if not self.cancelled:
                self._callbacks.append(callback)
                return
        callback()
