"""What one job may take, as the kernel counts it."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path

OPEN_FILES = 256
TASKS = 64
HEADROOM = 64 << 20
"""What threads, arenas and lazily imported libraries take beside the job's own data."""


@dataclass(frozen=True, kw_only=True)
class JobLimits:
    """The limits of one job."""

    seconds: float
    memory: int
    file_bytes: int
    tasks_are_own: bool
    """Whether the process count of this user is this job's alone (it has its own user namespace or its own uid)."""


def _pages() -> tuple[int, int]:
    fields = Path("/proc/self/statm").read_bytes().split()
    size = resource.getpagesize()
    return int(fields[0]) * size, int(fields[5]) * size


def apply(limits: JobLimits) -> None:
    """Set every limit for this process, hard and soft alike, so that none can be raised again."""
    virtual, data = _pages()
    cpu = int(limits.seconds) + 2
    hard: list[tuple[int, int]] = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_DATA, data + limits.memory + HEADROOM),
        # Reserved but untouched address space is no harm; this bound is for shared mappings, which are not data.
        (resource.RLIMIT_AS, virtual + limits.memory + (1 << 30)),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 256),
    ]
    if limits.tasks_are_own:
        hard.append((resource.RLIMIT_NPROC, TASKS))
    for kind, value in hard:
        resource.setrlimit(kind, (value, value))
