"""A warm zygote and the spare children it keeps ready, seen from outside.

One thread at a time talks to the zygote; a spare, once taken, belongs to the thread that took it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from averment.process_pool.children import is_readable

START_SECONDS = 60.0
"""Time for the interpreter to import its packages on a slow machine."""
END_SECONDS = 5.0

Launch = Callable[[int, int], tuple[list[str], dict[str, str]]]
"""From the control socket and the handle on this process, as descriptors, to the zygote's command and environment."""


@dataclass(frozen=True, kw_only=True)
class Spare:
    """A child that waits for one job: its socket, its two output pipes, its ending, and a handle on its process."""

    name: str
    job: socket.socket
    stdout: int
    stderr: int
    status: int
    handle: int

    @property
    def is_alive(self) -> bool:
        """Whether the child still runs."""
        return not is_readable(self.handle, 0)

    @property
    def pid(self) -> int:
        """The child's number as this process sees it, whatever namespaces it lives in; -1 once it was waited for."""
        for line in Path(f"/proc/self/fdinfo/{self.handle}").read_text(encoding="ascii").splitlines():
            if line.startswith("Pid:"):
                return int(line.split()[1])
        return -1

    def kill(self) -> None:
        """End the child now."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)

    def exit_code(self) -> int | None:
        """How the child ended, as the kernel told the zygote: its status, or a signal's number negated.

        Nothing when the zygote ended with it, or the child still runs.
        """
        told = os.read(self.status, 4) if is_readable(self.status, END_SECONDS) else b""
        return os.waitstatus_to_exitcode(int.from_bytes(told, "little")) if len(told) == 4 else None

    def close(self) -> None:
        """End the child, if it still lives, and let go of every descriptor."""
        self.kill()
        self.job.close()
        for descriptor in (self.stdout, self.stderr, self.status, self.handle):
            os.close(descriptor)


class ZygoteGone(Exception):
    """The zygote ended or never came up; the text says what it last wrote."""


class Zygote:
    """One zygote process and its waiting children. Not for several threads.

    It is started at once and waited for when the first spare is taken, so that it gets ready meanwhile.

    Raises:
        ZygoteGone: it does not start; from any method, when it has ended since.
    """

    def __init__(self, launch: Launch, names: itertools.count[int]) -> None:
        self._names = names
        self._waiting: deque[Spare] = deque()
        self._asked: deque[str] = deque()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process that writes it
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        caller = os.pidfd_open(os.getpid())
        self._handle: int | None = None
        try:
            command, environment = launch(theirs.fileno(), caller)
            self._process = subprocess.Popen(
                command,
                pass_fds=(theirs.fileno(), caller),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            self._control.close()
            raise ZygoteGone(str(error)) from error
        finally:
            theirs.close()
            os.close(caller)

    def ask(self, prepare: Callable[[str], None]) -> None:
        """Order one more spare; ``prepare`` makes what it needs on the host first."""
        name = str(next(self._names))
        prepare(name)
        try:
            self._control.send(name.encode())
        except OSError as error:
            raise ZygoteGone(self._last_words()) from error
        self._asked.append(name)

    @property
    def is_alive(self) -> bool:
        """Whether the zygote still runs; with it die its spares."""
        if self._handle is None:
            return self._process.poll() is None
        return not is_readable(self._handle, 0)

    @property
    def expected(self) -> int:
        """How many spares are ready or ordered."""
        return len(self._waiting) + len(self._asked)

    def take(self) -> Spare:
        """The next spare, waiting for it if none is ready."""
        if self._handle is None:
            _, greeting = self._receive()
            self._handle = greeting[0]
        while self._asked and (not self._waiting or is_readable(self._control.fileno(), 0)):
            message, descriptors = self._receive()
            self._asked.popleft()
            job, *others = descriptors
            self._waiting.append(
                Spare(
                    name=message.decode(),
                    job=socket.socket(fileno=job),
                    stdout=others[0],
                    stderr=others[1],
                    status=others[2],
                    handle=others[3],
                )
            )
        return self._waiting.popleft()

    def abandon(self) -> None:
        """Let go of the descriptors without touching the processes: they belong to the process we were forked from."""
        self._control.close()

    def close(self) -> None:
        """End the zygote and with it every child."""
        while self._waiting:
            self._waiting.popleft().close()
        self._control.close()
        if self._handle is not None:
            is_readable(self._handle, END_SECONDS)
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            os.close(self._handle)
            self._handle = None
        else:
            self._process.kill()  # it is still starting, and would look at the control socket only when ready
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def _receive(self) -> tuple[bytes, list[int]]:
        deadline = time.monotonic() + START_SECONDS
        while not is_readable(self._control.fileno(), 0.2):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise ZygoteGone(self._last_words())
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, 256, 8)
        except OSError as error:
            raise ZygoteGone(self._last_words()) from error
        if not message:
            raise ZygoteGone(self._last_words())
        return message, descriptors

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read(20_000).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"


class ProcessPool:
    """Spares for many threads, with a zygote that is started when first needed and again if it dies."""

    def __init__(self, launch: Launch, spares: int, prepare: Callable[[str], None]) -> None:
        self._launch = launch
        self._spares = spares
        self._prepare = prepare
        self._lock = threading.Lock()
        self._zygote: Zygote | None = None
        self._owner = 0
        self._names = itertools.count(1)

    def begin(self) -> None:
        """Start the zygote if there is none, without waiting for it; what goes wrong is told by ``take``."""
        with self._lock, contextlib.suppress(ZygoteGone):
            self._living()

    def take(self) -> Spare:
        """A child ready for a job; call ``refill`` when the job is over.

        Raises:
            ZygoteGone: no zygote can be started.
        """
        with self._lock:
            for attempt in (1, 2):
                try:
                    zygote = self._living()
                    if zygote.expected == 0:
                        zygote.ask(self._prepare)
                    spare = zygote.take()
                    if spare.is_alive:
                        return spare
                    spare.close()
                    raise ZygoteGone("its children died")
                except ZygoteGone:
                    self._drop()
                    if attempt == 2:
                        raise
        raise AssertionError("unreachable")

    def refill(self) -> None:
        """Order spares up to the number wanted.

        Not while the job runs: the zygote would be copying itself just when it should tell how the job ended.
        """
        with self._lock:
            zygote = self._zygote
            if zygote is None or self._owner != os.getpid():
                return
            try:
                while zygote.expected < self._spares:
                    zygote.ask(self._prepare)
            except ZygoteGone:
                self._drop()

    def close(self) -> None:
        """End the zygote; the next ``take`` starts another."""
        with self._lock:
            self._drop()

    def _living(self) -> Zygote:
        if self._zygote is not None and self._owner != os.getpid():
            self._zygote.abandon()  # we are a fork: the zygote is our parent's
            self._zygote = None
        if self._zygote is not None and not self._zygote.is_alive:
            self._drop()
        if self._zygote is None:
            self._zygote = Zygote(self._launch, self._names)
            self._owner = os.getpid()
            for _ in range(self._spares):
                self._zygote.ask(self._prepare)
        return self._zygote

    def _drop(self) -> None:
        zygote, self._zygote = self._zygote, None
        if zygote is not None and self._owner == os.getpid():
            zygote.close()
