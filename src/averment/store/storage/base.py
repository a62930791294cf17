"""What every place for files promises, whether it is a folder of this machine or a store that several hosts share.

A file is published whole or not at all, hashed while it is written, and named by a path that cannot leave its place. A
reader that needs a path of this machine is given one, and an address means the same file on every host.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from averment.errors import FileTooLarge, InvalidRequest, SourceNotFound, StoreConflict

CHUNK_BYTES = 1 << 20
SHARED_FOLDERS = ("artifacts", "sessions", "uploads", "work")
"""The folders whose content belongs to all hosts: what runs left, sessions, uploads, and results between two steps."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFile:
    """A published file: its path relative to the root, and what its bytes hash and measure."""

    path: str
    sha256: str
    size: int


class Files(ABC):
    """All files of one place."""

    def write(self, relative: str, content: bytes, *, replace: bool = True) -> StoredFile:
        """Publish bytes under a relative path; without ``replace`` a file with other content is left as it is.

        Raises:
            InvalidRequest: the path is not a plain relative path.
            StorageError: it cannot be kept; nothing was left behind. DiskFull, HomeNotWritable, StoreUnavailable say
                why, where it is known.
            StoreConflict: ``replace`` is off and the file there holds something else.
        """
        return self.write_stream(relative, (content,), replace=replace)

    @abstractmethod
    def write_stream(
        self, relative: str, chunks: Iterable[bytes], *, replace: bool = True, max_bytes: int | None = None
    ) -> StoredFile:
        """Publish the joined chunks; as ``write``, and when the chunks raise nothing is left behind.

        Raises:
            FileTooLarge: there are more than ``max_bytes``.
        """

    def read(self, relative: str) -> bytes:
        """The whole content of a file.

        Raises:
            SourceNotFound: there is no such file.
        """
        with self.open_file(relative) as file:
            return file.read()

    @abstractmethod
    def open_file(self, relative: str) -> AbstractContextManager[BinaryIO]:
        """A file open for reading, for what is too large to hold.

        Raises:
            SourceNotFound: there is no such file.
        """

    @abstractmethod
    def exists(self, relative: str) -> bool:
        """Whether a regular file is there."""

    def hash(self, relative: str) -> StoredFile:
        """What a file's bytes hash and measure now.

        Raises:
            SourceNotFound: there is no such file.
        """
        hashed = StreamHash()
        with self.open_file(relative) as file:
            while chunk := file.read(CHUNK_BYTES):
                hashed.add(chunk)
        return hashed.stored(relative)

    def holds(self, relative: str, content: bytes) -> bool:
        """Whether a file is there with exactly this content."""
        try:
            return self.read(relative) == content
        except SourceNotFound:
            return False

    @abstractmethod
    def names(self, relative: str) -> list[str]:
        """The names in a folder, sorted; none when there is no such folder. Temporary files are not shown."""

    @abstractmethod
    def walk(self, relative: str) -> Iterator[str]:
        """The paths of all files under a folder, sorted; those with names that nobody could read again are left out."""

    @abstractmethod
    def delete(self, relative: str) -> bool:
        """Remove a file, or a folder with all it holds; whether there was one."""

    @abstractmethod
    def sweep(self) -> int:
        """Remove what dead writers left under temporary names; how many there were."""

    @abstractmethod
    def path(self, relative: str, sha256: str | None = None) -> Path:
        """Where this machine reads the file: its own place, or a copy that is held against the hash, if one is known.

        Raises:
            SourceNotFound: it must be fetched, and there is no such file.
            SourceChanged: what was fetched does not have that hash.
        """

    @abstractmethod
    def address(self, relative: str, name: str | None = None) -> str:
        """The file as a source that any host can open by the last part of ``name``, a path of its own under uploads.

        Raises:
            SourceNotFound: there is no such file.
        """

    @abstractmethod
    def shown(self, relative: str) -> str:
        """Where the file is, for a person to read; never with a credential."""

    @abstractmethod
    def bare(self, text: str) -> str:
        """The text without the place of these files: a client knows its files by their names alone."""


class StreamHash:
    """What goes by, hashed and counted."""

    def __init__(self, max_bytes: int | None = None) -> None:
        self._digest = hashlib.sha256()
        self._most = max_bytes
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Take the next bytes.

        Raises:
            FileTooLarge: they are more than there may be.
        """
        self.size += len(chunk)
        if self._most is not None and self.size > self._most:
            raise FileTooLarge(f"The file has more than {self._most:,} bytes.")
        self._digest.update(chunk)

    def stored(self, relative: str) -> StoredFile:
        """What went by, as the file of that path."""
        return StoredFile(path=relative, sha256=self._digest.hexdigest(), size=self.size)


def parts_of(relative: str) -> list[str]:
    """The names along a relative path.

    Raises:
        InvalidRequest: it is absolute, climbs, or has a name other than letters, digits, dots, dashes and underscores.
    """
    parts = relative.split("/")
    if not all(map(is_name, parts)):
        raise InvalidRequest(
            f"{relative[:200]!a} is not a path for a stored file.",
            hint="Use relative names of ASCII letters, digits, '.', '-' and '_', separated by '/'.",
        )
    return parts


def is_name(text: str) -> bool:
    """Whether a file may be called so."""
    return _NAME.fullmatch(text) is not None and not text.endswith(".")


def check_same(files: Files, stored: StoredFile) -> None:
    """Nothing, if the file there holds what was to be written.

    Raises:
        StoreConflict: it holds something else, or was taken away meanwhile.
    """
    try:
        there = files.hash(stored.path)
    except SourceNotFound:
        there = None
    if there != stored:
        raise StoreConflict(
            f"The file {stored.path} already exists with different content.", hint="A published file cannot be changed."
        )
