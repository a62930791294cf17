"""One at a time for each key: locks that are there only while somebody holds or awaits them."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager


class KeyedLocks:
    """Any number of locks, by key."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def held(self, key: str) -> Generator[None]:
        """Hold the lock of a key."""
        with self._guard:
            lock, waiting = self._held.get(key, (threading.Lock(), 0))
            self._held[key] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, waiting = self._held.pop(key)
                if waiting > 1:
                    self._held[key] = (lock, waiting - 1)
