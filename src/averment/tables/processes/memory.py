"""What a process holds and has mapped, as the kernel counts it."""

from __future__ import annotations

import resource
from pathlib import Path


def resident_bytes(pid: int) -> int:
    """The memory a process really holds now, shared pages included; 0 when it is gone."""
    return _pages(str(pid), 1)


def mapped_bytes() -> int:
    """The address space this process has taken, its libraries included; 0 where the kernel does not tell."""
    return _pages("self", 0)


def _pages(process: str, field: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[field])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * resource.getpagesize()
