"""The sources under a run: still there, and still as large as they were when the run began.

A run computes on what was read and hashed at its beginning, so a change in the middle cannot mix two states; it is
noticed here so that nobody gets an answer about data that are gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import InvalidRequest, SourceChanged, SourceVanished
from averment.store.storage.addresses import is_stored, parse_address
from averment.store.storage.uploads import moved_upload

if TYPE_CHECKING:
    from averment.store.storage.base import Files
    from averment.tables.catalog import Catalog


def check_sources(catalog: Catalog, files: Files) -> None:
    """Look whether every file is in its place with its size; a stored one cannot change, so it need only be there.

    Raises:
        SourceVanished: a source is gone.
        SourceChanged: a source is not what it was.
    """
    for source in catalog.sources:
        if source.content_sha256 is None:
            continue
        path = Path(source.location)
        if is_stored(source.location):
            there = files.exists(parse_address(source.location).relative)
        else:
            there = path.exists() or moved_upload(files, source.location) is not None
        if not there:
            raise SourceVanished(f"The source {source.label} disappeared during the run.")
        if path.is_file() and path.stat().st_size != source.size_bytes:
            raise SourceChanged(f"The source {source.label} changed during the run.")


def absolute(source: str | Path) -> str:
    """A source that means the same from any folder; a URL means that already."""
    text = str(source)
    return text if "://" in text or not text.strip() else str(Path(text).expanduser().absolute())


READ_FIELDS = frozenset({"delimiter", "quote", "encoding", "header", "day_first", "decimal"})


def read_options(read: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """How to read the files, as plain values; nothing when the reader decides alone."""
    given = {name: value for name, value in (read or {}).items() if value is not None}
    unknown = sorted(set(given) - READ_FIELDS)
    if unknown:
        raise InvalidRequest(f"Unknown reading option: {unknown[0]}.", hint=f"Known: {sorted(READ_FIELDS)}.")
    return given or None
