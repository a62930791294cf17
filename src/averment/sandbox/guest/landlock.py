"""The kernel's Landlock: which files this process may reach, whoever it is, and no TCP, foreign signal or socket."""

from __future__ import annotations

import contextlib
import os
import stat
import struct
from collections.abc import Iterable

from .kernel import syscall

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE = 1 << 14
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_TCP = 3
_SCOPES = 3

NEEDED_ABI = 3
"""From this version on truncation is governed too; below it a readable file could be emptied."""


def abi() -> int:
    """The kernel's Landlock version, 0 when it has none."""
    try:
        return syscall(_CREATE, None, 0, 1)
    except OSError:
        return 0


class Ruleset:
    """What may be read and what may be written; all else is refused once ``restrict`` was called."""

    def __init__(self) -> None:
        version = abi()
        if version < 1:
            raise OSError("the kernel has no Landlock")
        self._rights = _RIGHTS_BY_ABI[min(version, 5)]
        attributes = struct.pack("QQQ", self._rights, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
        size = 24 if version >= 6 else 16 if version >= 4 else 8
        self._descriptor = syscall(_CREATE, attributes, size, 0)

    def allow_reading(self, paths: Iterable[str]) -> None:
        """Let files and folders below the paths be read; paths that are not there are passed over."""
        self._allow(paths, _READ_FILE | _READ_DIR)

    def allow_writing(self, paths: Iterable[str]) -> None:
        """Let files be read, made, changed and removed below the paths, but never run nor made into devices."""
        devices = (1 << 6) | (1 << 9) | (1 << 10) | (1 << 11)  # character, socket, pipe, block
        self._allow(paths, self._rights & ~_EXECUTE & ~devices)

    def _allow(self, paths: Iterable[str], rights: int) -> None:
        for path in paths:
            with contextlib.suppress(FileNotFoundError, PermissionError, NotADirectoryError):
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
                try:
                    is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
                    granted = rights if is_folder else rights & _ON_FILES
                    syscall(_ADD, self._descriptor, 1, struct.pack("=Qi", granted & self._rights, descriptor), 0)
                finally:
                    os.close(descriptor)

    def restrict(self) -> None:
        """Bind this thread to the rules for good.

        Raises:
            OSError: the kernel said no.
        """
        syscall(_RESTRICT, self._descriptor, 0)
        os.close(self._descriptor)
