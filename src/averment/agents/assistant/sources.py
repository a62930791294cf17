"""Which files a caller may name: anything on their own machine, or, from afar, only what was uploaded before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from averment.corpus.readers.kinds import document_suffixes
from averment.errors import InvalidRequest, SourceNotFound
from averment.store.storage.base import Files
from averment.store.storage.local import FileStore
from averment.store.storage.uploads import UPLOADS
from averment.tables.sources.source_kinds import table_suffixes

PREFIX = "upload:"
GIVEN = "given:"
Locate = Callable[[Sequence[str]], list[str]]
"""From the names a caller gave to the places they stand for."""

_REFERENCE = re.compile(r"upload:([0-9a-f-]{36})/([A-Za-z0-9_-]{1,80}\.[a-z0-9_]{1,20})")


def is_document(name: str) -> bool:
    """Whether a file is a text to be cited; what can be asked as a table is one, even where it could be read."""
    suffix = Path(name).suffix.lower()
    return suffix in document_suffixes() and suffix not in table_suffixes()


def sent_suffixes() -> tuple[str, ...]:
    """How the names of files end that a message may bring: of tables, then of documents, which the researcher reads."""
    tables = table_suffixes()
    return (*tables, *(suffix for suffix in document_suffixes() if suffix not in tables))


def reference_to(place: Path) -> str:
    """The name under which an uploaded file is spoken of."""
    return f"{PREFIX}{place.parent.name}/{place.name}"


def uploads_only(
    home: Path,
    given: Sequence[str] = (),
    *,
    files: Files | None = None,
    owns: Callable[[str], bool] | None = None,
) -> Locate:
    """For callers from afar: a path or an address that they name never reaches the file system.

    ``given`` are the sources that whoever runs the server opened to them; they are spoken of by their names alone.
    ``files`` is where uploads are kept, unless that is the home; ``owns`` says whether an upload is the caller's.
    """
    kept = files or FileStore(home.resolve())

    def locate(names: Sequence[str]) -> list[str]:
        wanted = [_given(name, given) if name.startswith(GIVEN) else _uploaded(name, kept, owns) for name in names]
        return wanted or list(given)

    return locate


def anything(home: Path, given: Sequence[str] = (), *, files: Files | None = None) -> Locate:
    """For callers on this machine: uploads by reference, given ones by name, everything else as it is."""
    kept = files or FileStore(home.resolve())

    def one(name: str) -> str:
        if name.startswith(GIVEN):
            return _given(name, given)
        return _uploaded(name, kept) if name.startswith(PREFIX) else name

    def locate(names: Sequence[str]) -> list[str]:
        return [one(name) for name in names] or list(given)

    return locate


def _given(name: str, given: Sequence[str]) -> str:
    wanted = name.removeprefix(GIVEN)
    found = [place for place in given if wanted and Path(place).name == wanted]
    if len(found) != 1:
        raise SourceNotFound(
            "The server has no such source.", hint="Leave sources out to use all of the server's sources."
        )
    return found[0]


def _uploaded(name: str, files: Files, owns: Callable[[str], bool] | None = None) -> str:
    found = _REFERENCE.fullmatch(name)
    if found is None:
        raise InvalidRequest(
            "A remote request can only use uploaded sources.", hint="Upload it and give its reference."
        )
    relative = f"{UPLOADS}/{found.group(1)}/{found.group(2)}"
    if not files.exists(relative) or (owns is not None and not owns(found.group(1))):
        raise SourceNotFound("There is no such upload.", hint="Upload the file again.")
    return files.address(relative)
