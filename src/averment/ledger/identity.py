"""The name of a log among the logs of one database: one writer, one file, one chain, one key.

A name is only needed where several hosts share a database. It is kept beside the log, so that it stays with it.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
from contextlib import suppress
from pathlib import Path

from averment.errors import LedgerCorrupt
from averment.ledger.disk import refusal
from averment.ledger.keys import sync_folder

WRITER_PATTERN = r"[a-z0-9][a-z0-9._-]{0,99}"
"""What a writer may be called."""


def writer_of(log: Path, given: str | None = None) -> str:
    """The name of the log's writer: the given one, else the one kept beside the log, made of the host's name at first.

    Raises:
        LedgerCorrupt: the file beside the log holds no name.
        LedgerUnavailable, DiskFull: no name can be kept there.
    """
    if given is not None:
        return given
    path = log.with_name(f"{log.name}.writer")
    try:
        kept = _kept(path)
        return _made(path) if kept is None else kept
    except OSError as error:
        raise refusal(error, f"The file {path.name}") from error


def _kept(path: Path) -> str | None:
    try:
        name = path.read_text(encoding="utf-8", errors="replace").removesuffix("\n")
    except FileNotFoundError:
        return None
    if re.fullmatch(WRITER_PATTERN, name) is None:
        raise LedgerCorrupt(f"The file {path.name} does not contain a writer's name.", hint="Restore it from a backup.")
    return name


def _made(path: Path) -> str:
    host = re.sub(r"[^a-z0-9._-]+", "-", socket.gethostname().lower()).strip("-._")[:60] or "host"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with draft.open("x", encoding="utf-8") as file:
            file.write(f"{host}-{secrets.token_hex(4)}\n")
            file.flush()
            os.fsync(file.fileno())
        # A hard link appears whole and only if the name is free: of two processes that start together one wins.
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)
    name = _kept(path)
    assert name is not None
    return name
