"""Files under one root: published whole or not at all, and never outside the root.

A file is written under a temporary name in its own folder, synced, and renamed; readers see the old content or the new.
Every folder on the way is opened by itself and without following links, so no name and no planted link leads elsewhere.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from averment.errors import SourceNotFound
from averment.store.storage.atomic_write import publish, sweep, temporary, write_all
from averment.store.storage.base import Files, StoredFile, StreamHash, check_same, is_name, parts_of
from averment.store.storage.disk_errors import missing, reading, writing

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

__all__ = ["FileStore", "StoredFile", "parts_of"]


class FileStore(Files):
    """All files under one folder of this machine, or of a disk that is mounted here."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._swept: set[str] = set()

    def write_stream(
        self, relative: str, chunks: Iterable[bytes], *, replace: bool = True, max_bytes: int | None = None
    ) -> StoredFile:
        """Publish the joined chunks; as ``Files.write_stream``."""
        *folders, name = parts_of(relative)
        what = f"the file {relative}"
        hashed = StreamHash(max_bytes)
        with writing(what):
            self._make_folders(folders)
            opened = self._open_folder(folders)
        with _closing(opened) as folder, temporary(folder, what) as (temporary_name, descriptor):
            self._sweep_once(relative.rpartition("/")[0], folder)
            for chunk in chunks:
                hashed.add(chunk)
                write_all(descriptor, chunk, what)
            published = publish(folder, temporary_name, descriptor, name, what, replace=replace)
        stored = hashed.stored(relative)
        if not published:
            check_same(self, stored)
        return stored

    @contextmanager
    def open_file(self, relative: str) -> Generator[BinaryIO]:
        """A file open for reading; as ``Files.open_file``."""
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

    def names(self, relative: str) -> list[str]:
        """The names in a folder, sorted; none when there is no such folder. Temporary files are not shown."""
        try:
            with reading(relative), _closing(self._open_folder(parts_of(relative))) as folder:
                with os.scandir(folder) as entries:
                    return sorted(entry.name for entry in entries if not entry.name.startswith("."))
        except SourceNotFound:
            return []

    def walk(self, relative: str) -> Iterator[str]:
        """The paths of all files under a folder, sorted; links are not followed, and are no files."""
        top = self.path(relative)
        if not top.is_dir() or top.is_symlink():
            return
        found: list[str] = []
        for folder, folders, names in os.walk(top, followlinks=False):
            folders[:] = [name for name in folders if is_name(name)]
            here = Path(folder)
            plain = (here / name for name in names if is_name(name))
            found += [str(one.relative_to(self.root)) for one in plain if one.is_file() and not one.is_symlink()]
        yield from sorted(found)

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

    def path(self, relative: str, sha256: str | None = None) -> Path:
        """The file itself, whether it is there or not: whoever opens it sees for themselves."""
        _ = sha256
        parts_of(relative)
        return self.root / relative

    def address(self, relative: str, name: str | None = None) -> str:
        """The absolute path of the file, under a second name of the same bytes where one is given."""
        stored, place = self.path(relative).absolute(), self.path(name or relative).absolute()
        if place == stored:
            return str(stored)
        with writing(f"the upload {place.name}"):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not place.exists():
                _link(stored, place)
        return str(place)

    def shown(self, relative: str) -> str:
        """The path of the file."""
        return str(self.path(relative))

    def bare(self, text: str) -> str:
        """The text without the path of the root."""
        return text.replace(f"{self.root.absolute()}/", "")

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


def _link(stored: Path, place: Path) -> None:
    try:
        os.link(stored, place)
    except FileExistsError:
        return
    except OSError:
        # A file system without hard links gets a copy, under its name only when it is whole.
        draft = place.with_name(f".{place.name}.{os.getpid()}")
        shutil.copyfile(stored, draft)
        draft.replace(place)


@contextmanager
def _closing(descriptor: int) -> Generator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)
