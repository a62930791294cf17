"""The sources under a run: still there, and still as large as they were when the run began.

A run computes on what was read and hashed at its beginning, so a change in the middle cannot mix two states; it is
noticed here so that nobody gets an answer about data that are gone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import SourceChanged, SourceVanished

if TYPE_CHECKING:
    from averment.tables.catalog import Catalog


def check_sources(catalog: Catalog) -> None:
    """Look whether every file is in its place with its size.

    Raises:
        SourceVanished: a source is gone.
        SourceChanged: a source is not what it was.
    """
    for source in catalog.sources:
        if source.content_sha256 is None:
            continue
        path = Path(source.location)
        if not path.exists():
            raise SourceVanished(f"The source {source.label} disappeared while the run was under way.")
        if path.is_file() and path.stat().st_size != source.size_bytes:
            raise SourceChanged(f"The source {source.label} changed while the run was under way.")
