"""Files under one root: published whole or not at all, and never outside the root.

A file is written under a temporary name in its own folder, synced, and renamed; readers see the old content or the new.
Every folder on the way is opened by itself and without following links, so no name and no planted link leads elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from averment.errors import FileTooLarge, InvalidRequest, SourceNotFound, StoreConflict, UnsupportedSource
from averment.settings import Settings
from averment.store.disk import missing, reading, writing
from averment.store.publish import publish, sweep, temporary, write_all

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
_CHUNK = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFile:
    """A published file: its path relative to the root, and what its bytes hash and measure."""

    path: str
    sha256: str
    size: int


class FileStore:
    """All files under one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._swept: set[str] = set()

    @classmethod
    def open(cls, settings: Settings) -> FileStore:
        """The files of these settings.

        Raises:
            UnsupportedSource: ``files_url`` names something other than a local folder.
        """
        url = settings.files_url or ""
        if not url:
            return cls(settings.home)
        if url.startswith("file:///"):
            return cls(Path(url.removeprefix("file://")))
        raise UnsupportedSource(
            f"Files cannot be kept at a {url.partition(':')[0]} URL.",
            hint="Set AVERMENT_FILES_URL to file:///a/folder, or leave it empty for the home folder.",
        )

    def write(self, relative: str, content: bytes, *, replace: bool = True) -> StoredFile:
        """Publish bytes under a relative path; without ``replace`` a file with other content is left as it is.

        Raises:
            InvalidRequest: the path is not a plain relative path.
            DiskFull: there is no space; nothing was left behind.
            HomeNotWritable: the folder cannot be written.
            StoreConflict: ``replace`` is off and the file there holds something else.
        """
        return self.write_stream(relative, (content,), replace=replace)

    def write_stream(
        self, relative: str, chunks: Iterable[bytes], *, replace: bool = True, max_bytes: int | None = None
    ) -> StoredFile:
        """Publish the joined chunks; as ``write``, and when the chunks raise nothing is left behind.

        Raises:
            FileTooLarge: there are more than ``max_bytes``.
        """
        *folders, name = parts_of(relative)
        what = f"the file {relative}"
        digest, size = hashlib.sha256(), 0
        with writing(what):
            self._make_folders(folders)
            opened = self._open_folder(folders)
        with _closing(opened) as folder, temporary(folder, what) as (temporary_name, descriptor):
            self._sweep_once(relative.rpartition("/")[0], folder)
            for chunk in chunks:
                size += len(chunk)
                if max_bytes is not None and size > max_bytes:
                    raise FileTooLarge(f"The file has more than {max_bytes:,} bytes.")
                digest.update(chunk)
                write_all(descriptor, chunk, what)
            stored = StoredFile(path=relative, sha256=digest.hexdigest(), size=size)
            published = publish(folder, temporary_name, descriptor, name, what, replace=replace)
        if not published and self.hash(relative) != stored:
            raise StoreConflict(
                f"The file {relative} is there already and differs.", hint="A published file is never changed."
            )
        return stored

    def read(self, relative: str) -> bytes:
        """The whole content of a file.

        Raises:
            SourceNotFound: there is no such file.
        """
        with self.open_file(relative) as file:
            return file.read()

    @contextmanager
    def open_file(self, relative: str) -> Generator[BinaryIO]:
        """A file open for reading, for what is too large to hold.

        Raises:
            SourceNotFound: there is no such file.
        """
        *folders, name = parts_of(relative)
        with reading(relative), _closing(self._open_folder(folders)) as folder:
            # Without O_NONBLOCK a pipe of that name would hold the reader for ever.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            opened = os.open(name, flags, dir_fd=folder)
        with _closing(opened) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise missing(relative)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                yield file

    def exists(self, relative: str) -> bool:
        """Whether a regular file is there."""
        try:
            with self.open_file(relative):
                return True
        except SourceNotFound:
            return False

    def hash(self, relative: str) -> StoredFile:
        """What a file's bytes hash and measure now.

        Raises:
            SourceNotFound: there is no such file.
        """
        digest, size = hashlib.sha256(), 0
        with self.open_file(relative) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
        return StoredFile(path=relative, sha256=digest.hexdigest(), size=size)

    def names(self, relative: str) -> list[str]:
        """The names in a folder, sorted; none when there is no such folder. Temporary files are not shown."""
        try:
            with reading(relative), _closing(self._open_folder(parts_of(relative))) as folder:
                with os.scandir(folder) as entries:
                    return sorted(entry.name for entry in entries if not entry.name.startswith("."))
        except SourceNotFound:
            return []

    def delete(self, relative: str) -> bool:
        """Remove a file, or a folder with all it holds; whether there was one."""
        *folders, name = parts_of(relative)
        try:
            with reading(relative), _closing(self._open_folder(folders)) as folder:
                if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                    shutil.rmtree(name, dir_fd=folder)
                else:
                    os.unlink(name, dir_fd=folder)
                os.fsync(folder)
        except SourceNotFound:
            return False
        return True

    def sweep(self) -> int:
        """Remove the temporary files of dead processes in the whole tree; how many there were."""
        if not self.root.is_dir():
            return 0
        return sum(sweep(folder, names) for _, _, names, folder in os.fwalk(self.root, follow_symlinks=False))

    def _sweep_once(self, key: str, folder: int) -> None:
        if key not in self._swept:
            self._swept.add(key)
            with os.scandir(folder) as entries:
                sweep(folder, [entry.name for entry in entries])

    def _make_folders(self, folders: list[str]) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        for depth in range(len(folders)):
            with _closing(self._open_folder(folders[:depth])) as above, suppress(FileExistsError):
                os.mkdir(folders[depth], dir_fd=above)
                os.fsync(above)

    def _open_folder(self, folders: list[str]) -> int:
        """The descriptor of a folder under the root, reached without following any link below it."""
        descriptor = os.open(self.root, _FOLDER)
        for name in folders:
            above = descriptor
            try:
                descriptor = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
            finally:
                os.close(above)
        return descriptor


def parts_of(relative: str) -> list[str]:
    """The names along a relative path.

    Raises:
        InvalidRequest: it is absolute, climbs, or has a name other than letters, digits, dots, dashes and underscores.
    """
    parts = relative.split("/")
    for part in parts:
        if not _NAME.fullmatch(part) or part.endswith("."):
            raise InvalidRequest(
                f"{relative[:200]!a} is not a path for a stored file.",
                hint="Use relative names of ASCII letters, digits, '.', '-' and '_', parted by '/'.",
            )
    return parts


@contextmanager
def _closing(descriptor: int) -> Generator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)
