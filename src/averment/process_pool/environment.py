"""The environment of child processes: nothing of this process's own, and the same orders and times on every run."""

from __future__ import annotations

from pathlib import Path

CHILD_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    "PYTHONHASHSEED": "0",
    "MALLOC_ARENA_MAX": "2",
}
