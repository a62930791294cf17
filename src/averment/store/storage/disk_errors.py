"""How the operating system's errors become Averment's: a full disk, a place that cannot be written, a missing file."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

from averment.errors import DiskFull, HomeNotWritable, SourceNotFound, StorageError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_UNWRITABLE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ELOOP})
# A link where a folder or file should be is not followed: for a reader nothing is there.
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


def from_os_error(error: OSError, what: str) -> StorageError:
    """The storage error that an operating system's error means for something that was being written."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return DiskFull(f"No space is left for {what}.")
    if error.errno in _UNWRITABLE:
        return HomeNotWritable(f"Cannot write {what}: {reason}.")
    return StorageError(f"Cannot store {what}: {reason}.")


@contextmanager
def writing(what: str) -> Generator[None]:
    """Turn an operating system's error inside the block into a storage error."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, what) from error


@contextmanager
def reading(relative: str) -> Generator[None]:
    """Turn an operating system's error inside the block into SourceNotFound, or a storage error."""
    try:
        yield
    except OSError as error:
        if error.errno in _ABSENT:
            raise missing(relative) from error
        raise StorageError(f"The stored file {relative} cannot be used: {error.strerror or error}.") from error


def missing(relative: str) -> SourceNotFound:
    """The error for a stored file that is not there."""
    return SourceNotFound(f"There is no stored file {relative}.", hint="It may have been deleted from the home folder.")
