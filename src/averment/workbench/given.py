"""Sources as they are given in code: one or several, paths, URLs or tables in memory, with or without names."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from averment.errors import UnsupportedSource
from averment.records.analysis.file_formats import FILE_FORMATS
from averment.runtime.sources import absolute
from averment.store.storage.uploads import UPLOADS

Sources: TypeAlias = "str | Path | Sequence[Any] | Mapping[str, Any] | Any"
UNNAMED = "data"
MOST_FILES = 50
_PARQUET = frozenset(FILE_FORMATS["parquet"].suffixes)
_PROSE = frozenset({".txt", ".dat"})
"""Files of these names are mostly no tables; in a folder they are passed over."""
_OF_ROWS = (
    frozenset(each for form in FILE_FORMATS.values() if form.holds != "database" for each in form.suffixes) - _PROSE
)


def places_of(sources: Sources, home: Path) -> list[str]:
    """Where each source is; a table in memory is kept in the home first, under its name or as ``data``.

    Raises:
        UnsupportedSource, SourceUnreadable, SourceEmpty: one is neither a table nor the place of one.
    """
    return [place for name, source in _each(sources) for place in _places(name, source, home)]


def _each(sources: Sources) -> list[tuple[str, Any]]:
    from averment.tables.sources.frames import is_frame

    if isinstance(sources, Mapping):
        return [(str(name), source) for name, source in sources.items()]
    if isinstance(sources, (str, Path)) or is_frame(sources) or not isinstance(sources, Iterable):
        return [(UNNAMED, sources)]
    given = list(sources)
    several = sum(is_frame(source) for source in given) > 1
    return [(f"{UNNAMED}_{number}" if several else UNNAMED, source) for number, source in enumerate(given, start=1)]


def _places(name: str, source: Any, home: Path) -> list[str]:
    if isinstance(source, (str, Path)):
        place = absolute(source)
        return _files_in(place) or [place]
    from averment.tables.sources.frames import keep_frame

    return [str(keep_frame(source, name, (home / UPLOADS).absolute()))]


def _files_in(place: str) -> list[str]:
    """The files of rows that a folder or a pattern such as ``sales/*.csv`` stands for.

    None where it is neither, and none for Parquet, which is one table in many files and is opened as such.
    """
    path = Path(place)
    if glob.has_magic(path.name) and not path.exists() and path.parent.is_dir():
        found = sorted(each for each in path.parent.glob(path.name) if each.is_file())
    elif path.is_dir():
        found = sorted(each for each in path.iterdir() if each.suffix.lower() in _OF_ROWS and each.is_file())
    else:
        return []
    if any(each.suffix.lower() in _PARQUET for each in found):
        return []
    if len(found) > MOST_FILES:
        raise UnsupportedSource(
            f"{path.name} stands for {len(found)} files, of {MOST_FILES} at most.", hint="Name the files one by one."
        )
    return [str(each) for each in found]
