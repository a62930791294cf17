"""Stopping a run: one token that every step looks at, and that ends what is under way at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

from averment.errors import RunStopped


class CancelToken:
    """Set once; whoever registered an ``on_cancel`` is called then, or at once if it is set already."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether the run is to stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask the run to stop, and end what is under way."""
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call back when the run is to stop."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def check(self) -> None:
        """Go on only if nobody asked to stop.

        Raises:
            RunStopped: somebody did.
        """
        if self.cancelled:
            raise RunStopped("The run was cancelled.")
