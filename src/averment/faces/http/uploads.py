"""Where uploads go: ``{home}/uploads/{an id made here}/{a name made here}``, and away again when they are refused."""

from __future__ import annotations

import errno
import re
import shutil
import unicodedata
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

from averment.errors import AvermentError, DiskFull, HomeNotWritable, InvalidFileType, StorageError
from averment.records.base import new_id
from averment.tables.sources.source_kinds import table_suffixes

MAX_STEM = 60
MAX_SHOWN = 80


def safe_name(given: str, taken: Iterable[str] = (), *, endings: Sequence[str] | None = None) -> str:
    """A file name of letters, digits, ``_`` and ``-`` that keeps what can be read of the given one, and is not taken.

    Without ``endings`` it must be a table's.

    Raises:
        InvalidFileType: its ending is not one of a kind that may be uploaded.
    """
    allowed = table_suffixes() if endings is None else endings
    last = re.split(r"[/\\]", given)[-1].strip()
    stem, dot, ending = last.rpartition(".")
    extension = f".{ending.lower()}"
    if not dot or extension not in allowed:
        raise InvalidFileType(
            f"{shown_name(given)} is not a kind of file that is read here.",
            hint=f"Choose files that end in {', '.join(allowed)}.",
        )
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    readable = re.sub(r"[^A-Za-z0-9_-]+", "_", plain).strip("_-")[:MAX_STEM].rstrip("_-") or "data"
    known = {name.casefold() for name in taken}
    name, number = f"{readable}{extension}", 2
    while name.casefold() in known:
        name, number = f"{readable}_{number}{extension}", number + 1
    return name


def shown_name(given: str) -> str:
    """A file's name as a person gave it, for a message: its last part, printable and short."""
    last = re.split(r"[/\\]", given)[-1].strip()
    return "".join(letter for letter in last if letter.isprintable())[:MAX_SHOWN] or "The file"


class UploadFolder:
    """The folder of one request's uploads; it is made when the first file comes."""

    def __init__(self, home: Path, *, endings: Sequence[str] | None = None) -> None:
        self._endings = endings
        self.path = home.resolve() / "uploads" / new_id()
        self._files: list[Path] = []
        self._made: set[Path] = set()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files in the order they came."""
        return tuple(self._files)

    def claim(self, given: str) -> Path:
        """The place for a file of that name; nothing is written yet.

        Raises:
            InvalidFileType: its ending is not one of a kind that may be uploaded.
        """
        place = self.path / safe_name(given, (path.name for path in self._files), endings=self._endings)
        self._files.append(place)
        return place

    def append(self, pieces: Iterable[tuple[Path, bytes]]) -> None:
        """Add bytes to claimed files; each is made by the first of them, and must not have been there.

        Raises:
            DiskFull, HomeNotWritable, StorageError: they cannot be kept.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for place, data in pieces:
                with place.open("ab" if place in self._made else "xb") as file:
                    file.write(data)
                self._made.add(place)
        except OSError as error:
            raise _storage_error(error) from error

    def discard(self) -> None:
        """Take the folder away with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)

    @contextmanager
    def unless_failed(self) -> Generator[None]:
        """Take the folder away if what its files are for fails or is cancelled; no error names its place."""
        try:
            yield
        except BaseException as error:
            self.discard()
            if isinstance(error, AvermentError):
                raise self.hide(error) from error
            raise

    def hide(self, error: AvermentError) -> AvermentError:
        """The error without the place of this folder: a client knows its files by their names alone."""
        error.message = self._bare(error.message)
        error.hint = self._bare(error.hint)
        error.details = {
            name: self._bare(value) if isinstance(value, str) else value for name, value in error.details.items()
        }
        return error

    def _bare(self, text: str) -> str:
        return text.replace(f"{self.path}/", "").replace(str(self.path), "the upload")


def _storage_error(error: OSError) -> StorageError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return DiskFull("The disk is full, so the upload cannot be stored.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR}:
        return HomeNotWritable("The upload cannot be stored: the home folder is not writable.")
    return StorageError("The upload cannot be stored.")
