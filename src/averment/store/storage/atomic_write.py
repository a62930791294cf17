"""One file made safely inside an open folder: a locked temporary file, synced, then given its name.

A writer holds a lock on its temporary file, and the kernel lets go of it when the writer dies, also by ``kill -9``. A
temporary file that nobody holds is therefore a leftover, whatever machine or container the writer ran in.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress

from averment.store.storage.disk_errors import writing

_TEMPORARY = re.compile(r"\.averment-[0-9a-f]{16}\.tmp")


@contextmanager
def temporary(folder: int, what: str) -> Generator[tuple[str, int]]:
    """The name and descriptor of a locked new file in the folder; it is removed unless it was renamed."""
    with writing(what):
        name, descriptor = _make(folder)
    try:
        yield name, descriptor
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        os.close(descriptor)


def write_all(descriptor: int, chunk: bytes, what: str) -> None:
    """Write every byte of the chunk, however many calls it takes."""
    rest = memoryview(chunk)
    with writing(what):
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def publish(folder: int, temporary_name: str, descriptor: int, name: str, what: str, *, replace: bool) -> bool:
    """Sync the temporary file and give it its name for good; False when the name is taken and may not be replaced."""
    with writing(what):
        os.fsync(descriptor)
        if replace:
            os.rename(temporary_name, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            # A hard link fails when the name is taken; a rename would replace it.
            try:
                os.link(temporary_name, name, src_dir_fd=folder, dst_dir_fd=folder)
            except FileExistsError:
                return False
        os.fsync(folder)
    return True


def sweep(folder: int, names: Iterable[str]) -> int:
    """Remove those temporary files in the folder that no living process holds; how many there were."""
    removed = 0
    for name in names:
        if _TEMPORARY.fullmatch(name) and _is_abandoned(folder, name):
            removed += 1
    return removed


def _make(folder: int) -> tuple[str, int]:
    while True:
        name = f".averment-{secrets.token_hex(8)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o644, dir_fd=folder)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        # A sweeper may have come between making and locking it; then it is gone, and another one is made.
        if os.fstat(descriptor).st_nlink:
            return name, descriptor
        os.close(descriptor)


def _is_abandoned(folder: int, name: str) -> bool:
    """Remove the temporary file if its lock is free; a file that vanished or is held meanwhile is left to its owner."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(name, dir_fd=folder)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
