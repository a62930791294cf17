"""One query process seen from outside: started clean, asked, watched, and killed when a limit is reached.

Time and memory are kept here and not by goodwill: an engine that does not answer in time, or holds too much memory, is
ended with SIGKILL, whatever it is doing.
"""

from __future__ import annotations

import select
import shutil
import signal
import socket
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any, Literal

from averment.process_pool.spares import ZygoteGone
from averment.tables.processes.children import Child
from averment.tables.processes.memory import resident_bytes
from averment.tables.processes.wire import pack_frame, receive_frame

_LOOK_MILLISECONDS = 20
_START_SECONDS = 120.0

Ending = Literal["timeout", "memory", "died"]


class ProcessEnded(Exception):
    """The process is gone: killed for a limit, or dead by itself."""

    def __init__(self, ending: Ending, message: str = "") -> None:
        super().__init__(message or ending)
        self.ending: Ending = ending
        self.message = message


class QueryProcess:
    """A child process that runs one query at a time.

    Raises:
        ProcessEnded: no process can be started.
    """

    def __init__(self, spec: dict[str, Any], memory_mb: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="averment-query-"))
        self._spec = spec
        self._memory = memory_mb * 1024 * 1024
        self._baseline: int | None = None
        own, child = socket.socketpair()
        self._channel = own
        places = {"HOME": str(self.folder), "TMPDIR": str(self.folder)}
        try:
            with child:
                self._process = Child("query", child.fileno(), place=self.folder, environment=places)
        except ZygoteGone as error:
            own.close()
            self.folder.rmdir()
            raise ProcessEnded("died", str(error)) from error
        # Whoever forgets to close leaves neither a process nor a folder behind.
        self._finalize = weakref.finalize(self, _clean, self._process, own, self.folder)

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.alive

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def open(self) -> dict[str, Any]:
        """Hand the process its data once; its answer says whether it is ready.

        Raises:
            ProcessEnded: it died, or did not get ready in time.
        """
        if self._baseline is not None:
            return {"ready": True}
        answer = self._ask({"open": self._spec}, _START_SECONDS)
        if answer.get("ready"):
            self._baseline = int(answer["resident"])
        return answer

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """The process's answer, which must come within ``timeout`` seconds.

        Raises:
            ProcessEnded: it did not come in time, took too much memory, or never will.
        """
        return self._ask(request, timeout)

    def kill(self) -> None:
        """End the process at once; safe from any thread and more than once."""
        self._process.kill()

    def close(self) -> None:
        """End the process, wait for it, and take its folder away."""
        self._finalize()

    def _ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        deadline = time.monotonic() + timeout
        try:
            self._channel.sendall(pack_frame(request))
        except OSError as error:
            raise self._death() from error
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                self.kill()
                raise ProcessEnded("timeout")
            if poll.poll(min(_LOOK_MILLISECONDS, max(1, left * 1000))):
                break
            if self._baseline is not None and resident_bytes(self.pid) > self._baseline + self._memory:
                self.kill()
                raise ProcessEnded("memory")
        answer = receive_frame(self._channel)
        if answer is None:
            raise self._death()
        return answer

    def _death(self) -> ProcessEnded:
        """Why the process is gone: an engine that cannot allocate aborts, and the kernel kills what takes too much."""
        self.kill()
        code = self._process.exit_code()
        words = _last_words(self.folder / "stderr")
        starved = any(word in words for word in ("bad_alloc", "MemoryError", "out of memory", "Out of memory"))
        if starved or code == -signal.SIGKILL:
            return ProcessEnded("memory" if starved else "died", words)
        return ProcessEnded("died", words.strip().splitlines()[-1] if words.strip() else f"exit status {code}")


def _last_words(log: Path) -> str:
    """What the process wrote at its end; one that died before it began has written nothing."""
    try:
        return log.read_text(encoding="utf-8", errors="replace")[-2_000:]
    except FileNotFoundError:
        return ""


def _clean(process: Child, channel: socket.socket, folder: Path) -> None:
    process.close()
    channel.close()
    shutil.rmtree(folder, ignore_errors=True)
