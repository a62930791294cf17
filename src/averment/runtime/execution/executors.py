"""Who carries runs out, and who of them is dead.

A process on this home's disk holds a lock file for as long as it lives: the kernel lets go of it when it dies, so its
death is known at once. Where the state lies in a shared database, every process also counts its beats there; a process
that cannot be seen by its lock, because it runs elsewhere, is dead once its count has stood still for long enough.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from pathlib import Path

from averment.store.runs.workers import WorkerRole, WorkerStore

BEAT_SECONDS = 2.0
DEAD_AFTER_SECONDS = 15.0
"""A process elsewhere whose beats stand still for so long is given up."""


class Executors:
    """The processes that carry out the runs of one database, seen from one of them."""

    def __init__(self, folder: Path, mine: str, beats: WorkerStore | None) -> None:
        self.mine = mine
        self._folder = folder
        self._beats = beats
        self._held: int | None = None
        self._last_seen: dict[str, tuple[int, float]] = {}

    def arrive(self, role: WorkerRole, concurrency: int) -> None:
        """Be there: hold the lock, and begin to count."""
        if self._held is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._held = os.open(self._lock_file(self.mine), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._held, fcntl.LOCK_EX)
        if self._beats is not None:
            self._beats.arrive(self.mine, host=socket.gethostname(), role=role, concurrency=concurrency)

    def beat(self, running: int) -> bool:
        """Count one beat; false when the others gave this process up."""
        return self._beats is None or self._beats.beat(self.mine, running=running)

    def leave(self, *, unfinished: bool) -> None:
        """Be gone; the mark of one that leaves runs ``unfinished`` stays, so that they are taken over."""
        if self._held is None:
            return
        if not unfinished:
            self.remove(self.mine)
        os.close(self._held)
        self._held = None

    def remove(self, executor: str) -> None:
        """Take a process off the lists: it left well, or its runs were taken over."""
        self._lock_file(executor).unlink(missing_ok=True)
        self._last_seen.pop(executor, None)
        if self._beats is not None:
            self._beats.leave(executor)

    def is_alive(self, executor: str) -> bool:
        """Whether a process still carries its runs out, as far as can be known now."""
        if executor == self.mine:
            return True
        lock = self._lock_file(executor)
        if lock.exists():
            return not _is_free(lock)
        return self._beats is not None and any(row.worker_id == executor for row in self._beats.list())

    def any_here(self) -> bool:
        """Whether a process of this disk carries runs out, this one included."""
        return any(not _is_free(path) for path in self._folder.glob("*.lock"))

    def dead(self) -> list[str]:
        """Those whose runs want taking over."""
        locks = {path.name.removesuffix(".lock"): path for path in self._folder.glob("*.lock")}
        found = {name for name, path in locks.items() if name != self.mine and _is_free(path)}
        now = time.monotonic()
        for row in self._beats.list() if self._beats is not None else ():
            if row.worker_id == self.mine or row.worker_id in locks:
                continue
            beats, since = self._last_seen.get(row.worker_id, (-1, now))
            if beats != row.beats:
                self._last_seen[row.worker_id] = (row.beats, now)
            elif now - since > DEAD_AFTER_SECONDS:
                found.add(row.worker_id)
        return sorted(found)

    def _lock_file(self, executor: str) -> Path:
        return self._folder / f"{executor}.lock"


def _is_free(path: Path) -> bool:
    """Whether nobody holds a lock file; one that is gone meanwhile counts as held, for its process left well."""
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
