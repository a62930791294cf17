"""Child processes: their environment, which is the same on every run, and waiting for what they write."""

from __future__ import annotations

import select
import sys
from pathlib import Path

CHILD_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    "PYTHONHASHSEED": "0",
    "MALLOC_ARENA_MAX": "2",
}

INTERPRETER = (sys.executable, "-P", "-s")
"""How child processes are begun: neither the working folder nor the user's own packages are on their path."""


def child_path() -> tuple[str, ...]:
    """The folders that child processes import from, as one of them says."""
    import json
    import subprocess

    command = [*INTERPRETER, "-c", "import json, sys; print(json.dumps(sys.path))"]
    told = subprocess.run(command, env=CHILD_ENVIRONMENT, cwd="/", capture_output=True, check=True).stdout
    return tuple(json.loads(told))


def is_readable(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read, or an end to see, within the time."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
