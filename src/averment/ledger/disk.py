"""Writing so that it stays written: appends that happen whole or not at all, and files replaced in one step."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from averment.errors import AvermentError, DiskFull, LedgerUnavailable
from averment.ledger.keys import sync_folder

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def refusal(error: OSError, what: str) -> AvermentError:
    """The named error for a failed act on a file: no space left, or not available."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return DiskFull(f"{what} could not be written: {reason}.")
    return LedgerUnavailable(f"{what} cannot be used: {reason}.")


def open_for_appending(path: Path) -> int:
    """A descriptor of the file, which is made durable with its name when it is new."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        return os.open(path, flags)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes may both get here; without O_EXCL both open the same new file.
    descriptor = os.open(path, flags | os.O_CREAT, 0o600)
    sync_folder(path.parent)
    return descriptor


def append_durably(descriptor: int, data: bytes, size: int, what: str) -> None:
    """Append the bytes to a file of that size and wait until the disk has them; on failure leave the file as it was.

    Raises:
        DiskFull: no space is left.
        LedgerUnavailable: the disk refused otherwise.
    """
    try:
        written = os.write(descriptor, data)
        if written != len(data):
            # A regular file takes a part only when there is no room for the rest.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fdatasync(descriptor)
    except OSError as error:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
            os.fdatasync(descriptor)
        raise refusal(error, what) from error


def replace_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put the bytes into the file in one step: a reader sees the old content or the new one.

    Raises:
        OSError: it could not be done; the old content is still there.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    if durable:
        sync_folder(path.parent)
