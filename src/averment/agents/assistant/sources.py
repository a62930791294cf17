"""Which files a caller may name: anything on their own machine, or, from afar, only what was uploaded before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from averment.corpus.readers.kinds import KIND_OF_SUFFIX
from averment.errors import InvalidRequest, SourceNotFound
from averment.store.storage.base import Files
from averment.store.storage.local import FileStore
from averment.store.storage.uploads import UPLOADS

TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx"})
"""What is asked as a table even where it could be read as a document."""
DOCUMENTS = frozenset(KIND_OF_SUFFIX) - TABLES
PREFIX = "upload:"
GIVEN = "given:"
Locate = Callable[[Sequence[str]], list[str]]
"""From the names a caller gave to the places they stand for."""

_REFERENCE = re.compile(r"upload:([0-9a-f-]{36})/([A-Za-z0-9_-]{1,80}\.[a-z]{1,10})")


def is_document(name: str) -> bool:
    """Whether a file is a text to be cited, and no table."""
    return Path(name).suffix.lower() in DOCUMENTS


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
