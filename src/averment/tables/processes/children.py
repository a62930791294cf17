"""The tables' processes seen from outside: one warm interpreter in the background, and a fork of it for each order.

It is started when first needed, has nothing of this process's environment or open files, and ends with this process,
however that ends.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from averment.process_pool.children import CHILD_ENVIRONMENT, INTERPRETER, is_readable
from averment.process_pool.spares import END_SECONDS, ProcessPool, Spare

Role = Literal["query", "read"]

_ENVIRONMENT = {
    **CHILD_ENVIRONMENT,
    "PYTHONUTF8": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    # Whatever starts threads when it is imported would start them in the process that is forked.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def _launch(control: int, caller: int) -> tuple[list[str], dict[str, str]]:
    return [
        *INTERPRETER,
        "-m",
        "averment.tables.processes.forks",
        str(control),
        str(caller),
    ], _ENVIRONMENT


_process_pool = ProcessPool(_launch, 0, lambda _: None)
atexit.register(_process_pool.close)


def begin() -> None:
    """Start the warm interpreter now, without waiting for it: soon a process will be needed."""
    _process_pool.begin()


class Child:
    """A process of the tables, doing what it was ordered.

    Raises:
        ZygoteGone: no process can be started.
    """

    def __init__(self, role: Role, given: int, *, place: Path | None = None, environment: Mapping[str, str]) -> None:
        """``given`` is a descriptor that the child gets a copy of, ``place`` its working folder if not this one's."""
        self._spare: Spare = _process_pool.take()
        self.pid = self._spare.pid
        self.output = self._spare.stdout
        self._closing = threading.Lock()
        self._closed = False
        order = {"role": role, "environment": {**_ENVIRONMENT, **environment}}
        try:
            self._send(json.dumps(order).encode(), place or Path(), given)
        except BaseException:
            self._spare.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        with self._closing:
            return self._lives()

    def kill(self) -> None:
        """End the process and whatever it started, at once; safe from any thread and more than once."""
        with self._closing:
            # A process that has ended gives its number away, so only one that has not may be signalled by it.
            if self._lives() and self.pid > 1:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
                self._spare.kill()

    def exit_code(self) -> int | None:
        """How the process ended, once it has: its status, or a signal's number negated."""
        return self._spare.exit_code()

    def close(self) -> None:
        """End the process and wait until it is gone."""
        self.kill()
        if not self._closed:
            is_readable(self._spare.handle, END_SECONDS)
            with self._closing:
                self._closed = True
                self._spare.close()

    def _lives(self) -> bool:
        return not self._closed and self._spare.is_alive

    def _send(self, order: bytes, place: Path, given: int) -> None:
        folder = os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # whoever asks a dead child sees its end
                socket.send_fds(self._spare.job, [order], [folder, given])
        finally:
            os.close(folder)
