"""Reading the log: complete lines in order, the last one, the one with a given number, and a settled view of it.

Only complete lines count; what follows the last line feed is a torn tail. Writers hold an exclusive lock while the end
of the file moves, so a reader takes a shared one for the moment in which it notes where the file ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from averment.errors import LedgerCorrupt
from averment.ledger.entry import MAX_LINE_BYTES, BadLine, CheckedLine, check_line

BLOCK_BYTES = 1 << 20
TAIL_BLOCK_BYTES = 1 << 14


@dataclass(frozen=True, slots=True)
class LastLine:
    """The last complete line, where it begins, where it ends, and the torn bytes after it."""

    raw: bytes
    offset: int
    end: int
    torn: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An open file whose first ``size`` bytes were settled when it was taken, and files read at the same moment."""

    descriptor: int
    size: int
    beside: Mapping[Path, bytes]


@contextmanager
def snapshot(path: Path, *, beside: Sequence[Path] = (), patience: float | None = None) -> Generator[Snapshot]:
    """A settled view of the file for reading.

    The files beside it that exist are read while no writer is at work. With ``patience`` it waits at most that many
    seconds for the writer and then reads all the same, so that neither a stuck writer nor a file system without locks
    keeps an auditor out.

    Raises:
        OSError: the file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        locked = _lock_shared(descriptor, patience)
        # First what speaks about the log, then the log: without a lock, too, it then holds all that is spoken of.
        read = read_present(beside)
        size = os.fstat(descriptor).st_size
        if locked:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        yield Snapshot(descriptor, size, read)
    finally:
        os.close(descriptor)


def read_present(paths: Sequence[Path]) -> dict[Path, bytes]:
    """The content of those files that exist."""
    found: dict[Path, bytes] = {}
    for path in paths:
        with suppress(FileNotFoundError):
            found[path] = path.read_bytes()
    return found


def iter_lines(descriptor: int, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Each complete line between two offsets with its own offset, without its line feed.

    A run of more than ``MAX_LINE_BYTES`` without a line feed is given as it is, and ends the reading.
    """
    position, begin, carry = start, start, b""
    while position < end:
        block = os.pread(descriptor, min(BLOCK_BYTES, end - position), position)
        if not block:
            return
        position += len(block)
        *whole, rest = (carry + block).split(b"\n")
        for raw in whole:
            yield begin, raw
            begin += len(raw) + 1
        if len(rest) > MAX_LINE_BYTES:
            yield begin, rest
            return
        carry = rest


def read_last_line(descriptor: int, size: int) -> LastLine:
    """The last complete line of the first ``size`` bytes; empty when there is none."""
    position, buffer = size, b""
    while position > 0:
        step = min(max(TAIL_BLOCK_BYTES, len(buffer)), position)
        position -= step
        buffer = os.pread(descriptor, step, position) + buffer
        close = buffer.rfind(b"\n")
        if close < 0:
            continue
        before = buffer.rfind(b"\n", 0, close)
        if before >= 0 or position == 0:
            return LastLine(
                buffer[before + 1 : close], position + before + 1, position + close + 1, buffer[close + 1 :]
            )
    return LastLine(b"", 0, 0, buffer)


def locate(descriptor: int, end: int, sequence_number: int) -> int:
    """The offset of the first line whose number is at least the one asked for, or ``end``.

    Halves the file until one block is left, so that a late line of a long file is found in a few reads. It relies on
    the numbers rising; on a file where they do not, the offset is that of some line.
    """
    low, high = 0, end
    while high - low > BLOCK_BYTES:
        middle = (low + high) // 2
        found = next(iter_lines(descriptor, _next_line(descriptor, middle, high), end), None)
        if found is None or found[0] >= high:
            break
        if _number(found[1]) <= sequence_number:
            low = found[0]
        else:
            high = found[0]
    for offset, raw in iter_lines(descriptor, low, end):
        if _number(raw) >= sequence_number:
            return offset
    return end


def parse_line(raw: bytes) -> CheckedLine:
    """The fields of a line of the live log.

    Raises:
        LedgerCorrupt: the line is no entry.
    """
    try:
        return check_line(raw)
    except BadLine as error:
        raise LedgerCorrupt(
            f"An entry of the ledger is not valid: {error.detail}", details={"reason": error.reason}
        ) from error


def _next_line(descriptor: int, position: int, end: int) -> int:
    while position < end:
        block = os.pread(descriptor, min(TAIL_BLOCK_BYTES, end - position), position)
        if not block:
            break
        found = block.find(b"\n")
        if found >= 0:
            return position + found + 1
        position += len(block)
    return end


def _number(raw: bytes) -> int:
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        return int(json.loads(raw)["sequence_number"])
    return 0


def _lock_shared(descriptor: int, patience: float | None) -> bool:
    if patience is None:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return True
    # A lock with a time limit: asking again and again would never get its turn among busy writers, so a thread queues
    # for it on a copy of the descriptor. Given up, the thread ends with the lock, which goes when the file is closed.
    copy, held, locked = os.dup(descriptor), threading.Event(), False

    def wait() -> None:
        nonlocal locked
        try:
            fcntl.flock(copy, fcntl.LOCK_SH)
            locked = True
        except OSError:
            locked = False
        finally:
            os.close(copy)
            held.set()

    threading.Thread(target=wait, name="averment-ledger-lock", daemon=True).start()
    return held.wait(patience) and locked
