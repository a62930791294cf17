"""What the pages need of the HTTP face's uploads, given to them when they are mounted: no face knows another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

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


class ChosenFiles:
    """The files of a form a person filled in: a field without a file is no file, as browsers send it."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._nothing = Path()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files in the order they came."""
        return self._folder.files

    def claim(self, given: str) -> Path:
        """The place for a file of that name; one without a name has none."""
        return self._folder.claim(given) if given else self._nothing

    def append(self, pieces: Iterable[tuple[Path, bytes]]) -> None:
        """Add bytes to claimed files."""
        real = [piece for piece in pieces if piece[0] != self._nothing]
        if real:
            self._folder.append(real)

    def discard(self) -> None:
        """Take the folder away."""
        self._folder.discard()

    def hide(self, error: AvermentError) -> AvermentError:
        """The error without the folder's place."""
        return self._folder.hide(error)


SomeFolder = TypeVar("SomeFolder", bound=Folder)


@dataclass(frozen=True)
class Uploads(Generic[SomeFolder]):
    """How a form with files is read: streamed, limited, into a folder with names of the server's own."""

    open_folder: Callable[[], SomeFolder]
    read_form: Callable[[str, AsyncIterator[bytes], SomeFolder], Awaitable[ReadForm]]


class RunResumer(Protocol):
    """Runs that were told to go on."""

    def begin(self, run_id: str) -> None:
        """Let a run go on."""
        ...
