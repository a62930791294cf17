"""Files that were dropped on the page: tables go where uploads go, documents into memory until they are archived."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from averment.agents.assistant.sources import is_document
from averment.corpus.readers.kinds import kind_of_suffix
from averment.errors import RequestTooLarge
from averment.faces.web.shell.forms import ChosenFiles, Folder
from averment.operations import Operations, Upload

MOST_BYTES = 60_000_000
"""All documents of one form together; each is read whole."""
LONGEST_NAME = 120


class DroppedFiles(ChosenFiles):
    """The files of a form: its tables, and beside them its documents.

    What can be both, such as a workbook, is a document; or a table, where ``tables_first``.
    """

    def __init__(self, folder: Folder, *, tables_first: bool = False) -> None:
        super().__init__(folder)
        self._tables_first = tables_first
        self._texts: dict[Path, tuple[str, bytearray]] = {}
        self._held = 0

    @property
    def documents(self) -> list[Upload]:
        """The documents that hold something, in the order they came."""
        return [Upload(name, bytes(content)) for name, content in self._texts.values() if content]

    @property
    def empty(self) -> tuple[str, ...]:
        """The names of the files in which there is nothing."""
        tables = [file.name for file in self.files if not file.exists() or not file.stat().st_size]
        return (*tables, *(name for name, content in self._texts.values() if not content))

    def claim(self, given: str) -> Path:
        """The place for a file of that name; a document's is only a key, never a place on the disk."""
        name = _readable(given)
        if not name:
            return super().claim("")
        if not (is_document(name) if self._tables_first else kind_of_suffix(PurePosixPath(name).suffix.lower())):
            return super().claim(given)
        key = Path(f"document-{len(self._texts)}")
        self._texts[key] = (name, bytearray())
        return key

    def append(self, pieces: Iterable[tuple[Path, bytes]]) -> None:
        """Add bytes to claimed files.

        Raises:
            RequestTooLarge: the documents of one form are too much together.
        """
        tables: list[tuple[Path, bytes]] = []
        for place, data in pieces:
            if place not in self._texts:
                tables.append((place, data))
                continue
            self._held += len(data)
            if self._held > MOST_BYTES:
                raise RequestTooLarge(f"The documents of one form have at most {MOST_BYTES:,} bytes together.")
            self._texts[place][1].extend(data)
        super().append(tables)


def _readable(given: str) -> str:
    """The last part of a name, printable, with its ending."""
    last = given.replace("\\", "/").rsplit("/", 1)[-1].strip()
    plain = "".join(letter for letter in last if letter.isprintable())
    stem, dot, ending = plain.rpartition(".")
    return f"{stem[:LONGEST_NAME]}{dot}{ending}" if dot else plain[:LONGEST_NAME]


def keep_documents(archive: Operations, documents: list[Upload]) -> int:
    """Archive what can be read, and say how many; where nothing can, it is refused.

    Raises:
        AvermentError: none of them can be read; the error is the first one's.
    """
    added = archive.add_documents(documents)
    refused = [one.error for one in added if one.error is not None]
    if refused and len(refused) == len(added):
        raise refused[0]
    return len(added) - len(refused)
