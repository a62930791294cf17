"""A copy of the log with all that lies beside it, as they were at one moment, while others write."""

from __future__ import annotations

import os
from pathlib import Path

from averment.ledger.lines import snapshot

BESIDE = ("checkpoints", "pub", "frontier", "writer")
"""What lies beside a log under its name: its checkpoints, its key, the edge of its tree, its writer's name."""

_CHUNK = 1 << 20


def copy_log(log: Path, folder: Path) -> list[Path]:
    """Copy the log's complete lines and the files beside it into a folder; the copies. No log, no copies.

    Raises:
        OSError: it cannot be read, or the copy not written.
    """
    if not log.exists():
        return []
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    with snapshot(log, beside=[log.with_name(f"{log.name}.{kind}") for kind in BESIDE]) as seen:
        for path, content in seen.beside.items():
            made.append(folder / path.name)
            made[-1].write_bytes(content)
        made.append(folder / log.name)
        with made[-1].open("wb") as file:
            for offset in range(0, seen.size, _CHUNK):
                file.write(os.pread(seen.descriptor, min(_CHUNK, seen.size - offset), offset))
    return made
