"""Sources as they are given in code: one or several, paths, URLs or tables in memory, with or without names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from averment.runtime.sources import absolute
from averment.store.storage.uploads import UPLOADS

Sources: TypeAlias = "str | Path | Sequence[Any] | Mapping[str, Any] | Any"
UNNAMED = "data"


def places_of(sources: Sources, home: Path) -> list[str]:
    """Where each source is; a table in memory is kept in the home first, under its name or as ``data``.

    Raises:
        UnsupportedSource, SourceUnreadable, SourceEmpty: one is neither a table nor the place of one.
    """
    return [_place(name, source, home) for name, source in _each(sources)]


def _each(sources: Sources) -> list[tuple[str, Any]]:
    from averment.tables.sources.frames import is_frame

    if isinstance(sources, Mapping):
        return [(str(name), source) for name, source in sources.items()]
    if isinstance(sources, (str, Path)) or is_frame(sources) or not isinstance(sources, Iterable):
        return [(UNNAMED, sources)]
    given = list(sources)
    several = sum(is_frame(source) for source in given) > 1
    return [(f"{UNNAMED}_{number}" if several else UNNAMED, source) for number, source in enumerate(given, start=1)]


def _place(name: str, source: Any, home: Path) -> str:
    if isinstance(source, (str, Path)):
        return absolute(source)
    from averment.tables.sources.frames import keep_frame

    return str(keep_frame(source, name, (home / UPLOADS).absolute()))
