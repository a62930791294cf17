"""A catalog on a host that did not open it: the sources are opened here, and must be what they were.

A run may be begun on one host and carried out on another, which has its own snapshots. What was opened there is opened
again here from where the catalog says it is, and held against the hashes and columns the catalog recorded.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from averment.errors import SourceChanged, SourceNotFound, SourceVanished
from averment.settings import Settings
from averment.tables.catalog import Catalog, OpenedSource, is_elsewhere
from averment.tables.sources.opening import open_sources
from averment.tables.sources.options import ReadOptions


def bring_here(catalog: Catalog, *, settings: Settings, cache_dir: Path, read: dict[str, Any] | None) -> Catalog:
    """The catalog with every file it attaches in reach of this host; itself, where that is so already.

    Raises:
        SourceVanished: a source is not to be found from here.
        SourceChanged: a source is not what was recorded.
    """
    if all(map(_is_here, catalog.sources)):
        return catalog
    try:
        now = open_sources(
            [source.location for source in catalog.sources],
            settings=settings,
            cache_dir=cache_dir,
            options=ReadOptions.from_dict(read) if read else None,
        )
    except SourceNotFound as error:
        raise SourceVanished(
            "The host that executes the run cannot find one of its sources.",
            hint="Upload the file, or give every host the same path to it.",
        ) from error
    for before, after in zip(catalog.sources, now.sources, strict=True):
        if (before.content_sha256, before.fingerprint) != (after.content_sha256, after.fingerprint):
            raise SourceChanged(f"The source {before.label} changed after the run started.")
    brought = zip(catalog.sources, now.sources, strict=True)
    return replace(catalog, sources=tuple(replace(old, attach_path=new.attach_path) for old, new in brought))


def _is_here(source: OpenedSource) -> bool:
    # What is asked where it lives is the same from every host.
    return is_elsewhere(source.attach) or Path(source.attach_path).exists()
