"""Copies of shared files on this machine, for readers that need a path: kept under the hash of their bytes.

A copy is held against its hash whenever it is handed out, and fetched again where it differs. Losing all of them loses
nothing. What nobody asked for in a day goes when the folder grows past its bound, the oldest first.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from averment.errors import SourceChanged
from averment.store.storage.base import CHUNK_BYTES, Files, StreamHash
from averment.store.storage.disk_errors import writing

MOST_BYTES = 4 * 1024**3
KEPT_SECONDS = 24 * 3600.0
"""A copy that was handed out less than so long ago is never taken away: a query may be reading it."""


def copies_in(cache_dir: Path) -> Path:
    """The folder of the copies beside what was read from them."""
    return cache_dir / "files"


class FileCache:
    """The copies in one folder."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES, kept_seconds: float = KEPT_SECONDS) -> None:
        self.folder = folder
        self._most = most_bytes
        self._kept = kept_seconds

    def get(self, files: Files, relative: str, *, name: str, sha256: str | None = None) -> Path:
        """The copy of a stored file, called by that name; fetched where it is not here or not whole.

        Raises:
            SourceNotFound: there is no such file.
            SourceChanged: the stored file does not have that hash.
            StorageError: it cannot be fetched or kept.
        """
        if sha256 is not None:
            place = self.folder / sha256 / name
            if _hash_of(place) == sha256:
                with suppress(OSError):
                    os.utime(place)
                return place
        return self._fetch(files, relative, name, sha256)

    def forget(self, sha256: str) -> None:
        """Take the copies of those bytes away."""
        with suppress(OSError):
            for place in (self.folder / sha256).iterdir():
                place.unlink(missing_ok=True)
            (self.folder / sha256).rmdir()

    @contextmanager
    def draft(self, what: str) -> Generator[Path]:
        """A place on this machine for bytes on their way; nothing is there yet, and what is left there goes."""
        with writing(what):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = self.folder / f".{secrets.token_hex(8)}"
        try:
            yield place
        finally:
            # Some file systems hand out a folder where they were asked for a file of that name.
            if place.is_dir():
                shutil.rmtree(place, ignore_errors=True)
            place.unlink(missing_ok=True)

    def _fetch(self, files: Files, relative: str, name: str, sha256: str | None) -> Path:
        what = f"a copy of {relative}"
        hashed = StreamHash()
        with self.draft(what) as draft:
            with files.open_file(relative) as source, writing(what), draft.open("xb") as copy:
                while chunk := source.read(CHUNK_BYTES):
                    hashed.add(chunk)
                    copy.write(chunk)
            found = hashed.stored(relative).sha256
            if sha256 is not None and found != sha256:
                raise SourceChanged(
                    f"The stored file {name} differs from its recorded content.",
                    hint="Restore it from a backup, or upload it again.",
                    details={"sha256_recorded": sha256, "sha256_found": found},
                )
            place = self.folder / found / name
            with writing(what):
                place.parent.mkdir(exist_ok=True)
                draft.replace(place)
        self._trim()
        return place

    def _trim(self) -> None:
        """Take the oldest away while there is too much, and drafts of fetchers that died."""
        now = time.time()
        copies: list[tuple[float, int, Path]] = []
        for place in (*self.folder.glob("*/*"), *self.folder.glob(".*")):
            with suppress(OSError):
                known = place.stat()
                copies.append((known.st_mtime, known.st_size, place))
        total = sum(size for _, size, _ in copies)
        for used, size, place in sorted(copies):
            dead = place.parent == self.folder
            if now - used < self._kept or (total <= self._most and not dead):
                continue
            total -= size
            with suppress(OSError):
                place.unlink()
                place.parent.rmdir()


def _hash_of(place: Path) -> str | None:
    digest = hashlib.sha256()
    try:
        with place.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()
