"""Watching one job from outside: its output, its time, its memory, its tasks, its disk, and how it ended.

Everything said here comes from the kernel or the zygote. What the job writes is carried along as bytes and never read
for meaning.
"""

from __future__ import annotations

import os
import resource
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from averment.process_pool.children import is_readable
from averment.sandbox.guest.limits import HEADROOM, TASKS
from averment.sandbox.protocol import JailStatus, Job

SAMPLE_SECONDS = 0.01
DISK_SAMPLE_SECONDS = 0.05
END_SECONDS = 5.0
_PAGE = resource.getpagesize()
_CHUNK = 65_536

Excess = Callable[[], str | None]
"""Says which bound on files is passed, if one is."""


Verdict = tuple[JailStatus, int | None, str | None]
"""Status, exit code if the code ended by itself, and the reason if something else ended it."""


class Subject(Protocol):
    """A process that runs a job: its output pipes, a handle that becomes readable when it ends, and two acts."""

    @property
    def stdout(self) -> int:
        """Where its output is read."""
        ...

    @property
    def stderr(self) -> int:
        """Where its complaints are read."""
        ...

    @property
    def handle(self) -> int:
        """A descriptor of the process itself."""
        ...

    @property
    def is_the_job(self) -> bool:
        """Whether the process is the job itself, so that its memory and tasks are the job's."""
        ...

    def kill(self) -> None:
        """End it now; no harm if it has ended already."""
        ...

    def verdict(self, job: Job) -> Verdict:
        """How it ended, by the word of whoever waited for it."""
        ...


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a job ended, as seen from outside."""

    status: JailStatus
    exit_code: int | None
    reason: str | None
    stdout: bytes
    stderr: bytes
    seconds: float
    peak_memory_mb: float
    peak_tasks: int


@dataclass(kw_only=True)
class _Meter:
    """Samples of one process, read from the caller's own view of /proc."""

    path: str | None
    baseline: int | None = None
    memory: int = 0
    tasks: int = 0

    def sample(self) -> None:
        if self.path is None:
            return
        try:
            fields = Path(self.path).read_bytes().rpartition(b")")[2].split()
        except OSError:
            return
        resident = int(fields[21]) * _PAGE
        if self.baseline is None:
            self.baseline = resident
        self.memory = max(self.memory, resident - self.baseline)
        self.tasks = max(self.tasks, int(fields[17]))


def _meter(handle: int) -> _Meter:
    try:
        about = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="ascii")
        pid = next(int(line.split()[1]) for line in about.splitlines() if line.startswith("Pid:"))
    except (OSError, StopIteration):
        return _Meter(path=None)
    return _Meter(path=f"/proc/{pid}/stat" if pid > 0 else None)


class JobWatch:
    """One job on one process, from the moment this is made: before the job is sent, so that only growth counts."""

    def __init__(self, subject: Subject, job: Job, disk_excess: Excess | None = None) -> None:
        self.subject = subject
        self.job = job
        self._disk_excess = disk_excess
        self._output = {subject.stdout: bytearray(), subject.stderr: bytearray()}
        self._kept = 0
        for descriptor in self._output:
            os.set_blocking(descriptor, False)
        self._meter = _meter(subject.handle) if subject.is_the_job else _Meter(path=None)
        self._meter.sample()
        self._started = time.monotonic()

    def wait(self) -> Ending:
        """Stay with the job until it ends by itself or is ended for passing a limit."""
        stop = self._follow()
        if stop is not None:
            self.subject.kill()
        is_readable(self.subject.handle, END_SECONDS)
        seconds = time.monotonic() - self._started
        stop = self._drain() or stop
        status, exit_code, reason = self.subject.verdict(self.job) if stop is None else (stop[0], None, stop[1])
        return Ending(
            status=status,
            exit_code=exit_code,
            reason=reason,
            stdout=bytes(self._output[self.subject.stdout]),
            stderr=bytes(self._output[self.subject.stderr]),
            seconds=seconds,
            peak_memory_mb=round(self._meter.memory / (1 << 20), 1),
            peak_tasks=self._meter.tasks,
        )

    def _follow(self) -> tuple[JailStatus, str] | None:
        poll = select.poll()
        for descriptor in (self.subject.stdout, self.subject.stderr, self.subject.handle):
            poll.register(descriptor, select.POLLIN)
        deadline = self._started + self.job.timeout_seconds
        next_sample = self._started
        next_disk = self._started + DISK_SAMPLE_SECONDS
        while True:
            now = time.monotonic()
            if now >= deadline:
                return "timeout", f"ended after {self.job.timeout_seconds:g} seconds"
            if now >= next_sample:
                next_sample = now + SAMPLE_SECONDS
                if excess := self._sample():
                    return excess
            if self._disk_excess is not None and now >= next_disk:
                if excess := self._disk_excess():
                    return "killed", excess
                next_disk = time.monotonic() + DISK_SAMPLE_SECONDS
            for descriptor, _ in poll.poll(1000 * max(0.0, min(deadline, next_sample) - now) + 0.5):
                if descriptor == self.subject.handle:
                    return None
                if not self._read(descriptor):
                    poll.unregister(descriptor)
            if self._kept > self.job.output_bytes:
                return self._too_much_output()

    def _sample(self) -> tuple[JailStatus, str] | None:
        if self.job.halted():
            return "killed", "ended because nobody waits for it any more"
        self._meter.sample()
        if self._meter.memory > self.job.memory_mb * (1 << 20) + HEADROOM:
            return "memory", f"ended after taking more than {self.job.memory_mb} MB"
        if self._meter.tasks > TASKS:
            return "killed", f"ended after starting more than {TASKS} tasks"
        return None

    def _read(self, descriptor: int) -> bool:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return True
        room = self.job.output_bytes - self._kept
        self._output[descriptor] += chunk[: max(0, room)]
        self._kept += len(chunk)
        return bool(chunk)

    def _drain(self) -> tuple[JailStatus, str] | None:
        for descriptor in self._output:
            while is_readable(descriptor, 0) and self._kept <= self.job.output_bytes:
                if not self._read(descriptor):
                    break
        return self._too_much_output() if self._kept > self.job.output_bytes else None

    def _too_much_output(self) -> tuple[JailStatus, str]:
        return "output", f"ended after writing more than {self.job.output_bytes} bytes"
