"""What the pages need of the HTTP face's uploads, given to them when they are mounted: no face knows another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from averment.errors import AvermentError


class ReadForm(Protocol):
    """A form that was read: its texts by field name, and where its files are."""

    @property
    def texts(self) -> dict[str, list[str]]:
        """The texts."""
        ...

    @property
    def files(self) -> tuple[Path, ...]:
        """The files."""
        ...


class Folder(Protocol):
    """Where the files of one form go."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files in the order they came."""
        ...

    def claim(self, given: str) -> Path:
        """The place for a file of that name."""
        ...

    def append(self, pieces: Iterable[tuple[Path, bytes]]) -> None:
        """Add bytes to claimed files."""
        ...

    def discard(self) -> None:
        """Take the folder away."""
        ...

    def hide(self, error: AvermentError) -> AvermentError:
        """The error without the folder's place."""
        ...


@dataclass(frozen=True)
class Uploads:
    """How a form with files is read: streamed, limited, into a folder with names of the server's own."""

    open_folder: Callable[[], Folder]
    read_form: Callable[[str, AsyncIterator[bytes], Folder], Awaitable[ReadForm]]


class GoingOn(Protocol):
    """Runs that were told to go on."""

    def begin(self, run_id: str) -> None:
        """Let a run go on."""
        ...
