"""The witness: a second place that every signed checkpoint is sent to, so that a rollback of the first is noticed.

A home that is put back to an earlier state is whole in itself. Only someone who saw a later checkpoint knows better.
The witness may be any fsspec URL or a folder; a folder under git gets a commit for each checkpoint. Checkpoints are
added, never changed, one small file each, so that a store which keeps old versions, or forbids to delete, has them
all.
"""

from __future__ import annotations

import hashlib
import re
import socket
import subprocess
from pathlib import Path

from averment.errors import StorageError
from averment.settings import Settings
from averment.store.storage.base import Files
from averment.store.storage.local import FileStore

_GIT_SECONDS = 30
_NAME = re.compile(r"[0-9]{12}-[0-9a-f]{16}\.txt")


class Witness:
    """The checkpoints of one ledger as the witness knows them."""

    def __init__(self, files: Files, name: str, *, folder: Path | None = None) -> None:
        self._files = files
        self._name = name
        self._folder = folder

    @property
    def shown(self) -> str:
        """Where the checkpoints are, for a person."""
        return self._files.shown(self._name)

    def add(self, note: str, size: int) -> None:
        """Send a checkpoint; the same one again changes nothing.

        Raises:
            StorageError: the witness cannot be reached or written to.
        """
        content = note.encode()
        relative = f"{self._name}/{size:012d}-{hashlib.sha256(content).hexdigest()[:16]}.txt"
        if self._files.exists(relative):
            return
        self._files.write(relative, content)
        if self._folder is not None and (self._folder / ".git").exists():
            self._commit(relative, size)

    def notes(self) -> tuple[str, ...]:
        """Every checkpoint that was sent, the smallest first.

        Raises:
            StorageError: the witness cannot be reached.
        """
        names = [name for name in self._files.names(self._name) if _NAME.fullmatch(name)]
        return tuple(self._files.read(f"{self._name}/{name}").decode("utf-8", "replace") for name in sorted(names))

    def _commit(self, relative: str, size: int) -> None:
        identity = ["-c", "user.name=averment", "-c", "user.email=averment@localhost"]
        commit = [*identity, "commit", "--quiet", "-m", f"{size} entries", "--", relative]
        for command in (["add", "--", relative], commit):
            done = subprocess.run(
                ["git", "-C", str(self._folder), *command], capture_output=True, timeout=_GIT_SECONDS, check=False
            )
            if done.returncode != 0:
                raise StorageError(f"The checkpoint was written to {self.shown}, but git did not commit it.")


def open_witness(settings: Settings) -> Witness | None:
    """The witness of these settings, or None when none is set.

    Raises:
        InvalidSettings: the URL cannot be used.
    """
    from averment.store.storage.configured import shared_files

    url = settings.witness_url or ""
    if not url:
        return None
    name = settings.ledger_writer or _named_after(settings.ledger_path)
    if "://" not in url or url.startswith("file://"):
        folder = Path(url.removeprefix("file://")).expanduser()
        return Witness(FileStore(folder), name, folder=folder)
    return Witness(shared_files(url, settings), name)


def _named_after(log: Path) -> str:
    """A ledger's name at its witness: the host's, and a number that its place gives."""
    host = re.sub(r"[^a-z0-9.-]+", "-", socket.gethostname().lower()).strip("-.") or "host"
    return f"{host}-{hashlib.sha256(str(log.resolve()).encode()).hexdigest()[:12]}"
