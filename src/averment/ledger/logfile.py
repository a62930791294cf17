"""The live file under its lock: which entry is the last, and how lines get in.

The lock is on the log itself, so that a reader can take it without leaving anything behind. A file that was removed or
replaced while open is noticed before anything is written to it.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from averment.errors import LedgerCorrupt, LedgerUnavailable
from averment.ledger.disk import append_durably, open_for_appending, refusal
from averment.ledger.entry import GENESIS, canonical
from averment.ledger.lines import parse_line, read_last_line


@dataclass(frozen=True, slots=True)
class Tail:
    """The last entry and where it ends: all that the next entry depends on."""

    sequence_number: int
    hash: str
    timestamp: str
    end: int
    raw: bytes


EMPTY_TAIL = Tail(0, GENESIS, "", 0, b"")


@dataclass(frozen=True, slots=True)
class TornTail:
    """Bytes behind the last line feed: a write that was never acknowledged."""

    data: bytes

    @property
    def sha256(self) -> str:
        """Their hash, by which the put-aside copy is found."""
        return hashlib.sha256(self.data).hexdigest()


class LogFile:
    """One log, written by whoever holds its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn_path = path.with_name(f"{path.name}.torn")
        self._descriptor: int | None = None
        self._closed = False
        self._tail = EMPTY_TAIL

    @contextmanager
    def exclusive(self) -> Generator[int]:
        """Hold the lock; gives the descriptor. Whatever the operating system refuses inside gets its name here.

        Raises:
            LedgerUnavailable: the file cannot be opened or locked, or the ledger is closed.
            DiskFull: no space is left.
        """
        try:
            descriptor = self._lock()
            try:
                yield descriptor
            finally:
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        except OSError as error:
            raise refusal(error, f"The ledger {self.path.name}") from error

    def read_tail(self, descriptor: int) -> tuple[Tail, TornTail | None]:
        """The last entry, checked by itself, and the torn bytes behind it.

        Raises:
            LedgerCorrupt: the last complete line is no entry, or entries known to this process are gone.
        """
        known = self._tail
        if known.end and os.pread(descriptor, len(known.raw) + 1, known.end - len(known.raw) - 1) != known.raw + b"\n":
            raise LedgerCorrupt(
                f"Entry {known.sequence_number} of {self.path.name} has changed since this process read it."
            )
        size = os.fstat(descriptor).st_size
        if size == known.end:
            return known, None
        last = read_last_line(descriptor, size)
        if last.end > known.end:
            line = parse_line(last.raw)
            self._tail = Tail(line.sequence_number, line.hash, line.timestamp, last.end, last.raw)
        return self._tail, TornTail(last.torn) if last.torn else None

    def write(self, descriptor: int, data: bytes, tail: Tail) -> None:
        """Append whole lines in one write and wait until the disk has them; ``tail`` is the tail they lead to.

        Raises:
            DiskFull: no space is left; the file is as before.
            LedgerUnavailable: the disk refused otherwise.
        """
        append_durably(descriptor, data, self._tail.end, f"The ledger {self.path.name}")
        self._tail = tail

    def put_torn_aside(self, descriptor: int, torn: TornTail) -> None:
        """Move the torn bytes to the ``.torn`` file and end the log at its last entry."""
        self.keep_aside(torn.data)
        os.ftruncate(descriptor, self._tail.end)
        os.fsync(descriptor)

    def keep_aside(self, data: bytes) -> None:
        """Keep bytes that are no entry and no checkpoint where a person can look at them.

        Raises:
            DiskFull: no space is left.
        """
        record = {
            "after_entry": self._tail.sequence_number,
            "base64": base64.b64encode(data).decode("ascii"),
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        descriptor = open_for_appending(self.torn_path)
        try:
            size = os.fstat(descriptor).st_size
            append_durably(descriptor, f"{canonical(record)}\n".encode(), size, f"The file {self.torn_path.name}")
        finally:
            os.close(descriptor)

    def reset_after_fork(self) -> None:
        """Let go of the descriptor a forked child shares with its parent: a lock on it would lock out neither."""
        self._drop()

    def close(self) -> None:
        """Let go of the file for good."""
        self._closed = True
        self._drop()

    def _lock(self) -> int:
        while True:
            if self._closed:
                raise LedgerUnavailable(f"The ledger {self.path.name} is closed.", hint="Open it again.")
            if self._descriptor is None:
                self._descriptor = open_for_appending(self.path)
            descriptor = self._descriptor
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            opened = os.fstat(descriptor)
            try:
                present = self.path.stat()
            except FileNotFoundError:
                present = None
            if present is not None and (present.st_dev, present.st_ino) == (opened.st_dev, opened.st_ino):
                return descriptor
            self._drop()

    def _drop(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None
