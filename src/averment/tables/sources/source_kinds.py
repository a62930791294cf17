"""Kinds of files that plugins add: each says which endings it has and gives the file's rows.

A plugin reads in the same process with the same limits as every other format, and what it gives is typed by the same
rules: its cells are texts until the columns are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from averment import plugins
from averment.errors import AvermentError, NoRows, SourceUnreadable, UnsupportedSource
from averment.records.analysis.file_formats import FORMAT_OF_SUFFIX
from averment.tables.read.staging import StagedTable
from averment.tables.sources.file_format import BUILT_IN, UPLOADED

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = Mapping[str, object]
MAX_COLUMNS = 5_000


@dataclass(frozen=True, kw_only=True)
class SourceKind:
    """A kind of file: its name in the catalog, the endings it has, and what reads it.

    ``read`` gives the tables of a file, each by its name with its rows; a cell is a text, a number or None. A file
    with one table calls it ``data``. What it raises is told as the reason why the file cannot be read.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path], Mapping[str, Sequence[Row]]]


def kind_of_suffix(suffix: str) -> str | None:
    """The kind that a plugin adds for an ending of its own; endings that Averment reads itself are never given away."""
    if suffix in FORMAT_OF_SUFFIX:
        return None
    for name, kind in plugins.additions("sources", SourceKind, BUILT_IN).items():
        if suffix in kind.suffixes:
            return name
    return None


def table_suffixes() -> tuple[str, ...]:
    """How the names of tables end that people may send: those of our own formats, then those that plugins add."""
    added = plugins.additions("sources", SourceKind, BUILT_IN).values()
    found = sorted({suffix for kind in added for suffix in kind.suffixes} - FORMAT_OF_SUFFIX.keys())
    return (*UPLOADED, *found)


def is_added(kind: str) -> bool:
    """Whether a plugin adds that kind."""
    return kind in plugins.names("sources", BUILT_IN)


def cache_name(kind: str) -> str:
    """The kind with its plugin's hash, so that what another version of the plugin read is not taken from the cache."""
    owner = plugins.owner("sources", kind) if is_added(kind) else None
    return kind if owner is None else f"{kind}_{owner.sha256[:12]}"


def stage_added(connection: DuckDBPyConnection, path: Path, kind: str) -> list[StagedTable]:
    """The tables of a file as its plugin gives them, as text.

    Raises:
        PluginFailed: no plugin reads it.
        SourceUnreadable, NoRows: the plugin cannot read it, or finds nothing in it.
    """
    reader = plugins.load("sources", kind, SourceKind, BUILT_IN)
    try:
        found = reader.read(path)
    except AvermentError:
        raise
    except Exception as error:
        # A stranger's reader may raise anything at all over a broken file.
        raise SourceUnreadable(f"{path.name} cannot be read as {kind}: {str(error)[:200]}") from error
    return [_stage(connection, name, rows, place) for place, (name, rows) in enumerate(found.items())]


def _stage(connection: DuckDBPyConnection, name: str, rows: Sequence[Row], place: int) -> StagedTable:
    import pyarrow as pa

    headings = list(dict.fromkeys(key for row in rows for key in row))
    if not rows or not headings:
        raise NoRows(f"The table {name} has no rows.")
    if len(headings) > MAX_COLUMNS:
        raise UnsupportedSource(f"The rows have more than {MAX_COLUMNS} different columns.")
    cells = [[None if row.get(key) is None else str(row[key]) for row in rows] for key in headings]
    arrow = pa.table({f"c{at}": pa.array(values, pa.large_string()) for at, values in enumerate(cells)})
    relation = f"stage_{place}"
    connection.register("incoming", arrow)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {relation} AS SELECT * FROM incoming")
    connection.unregister("incoming")
    return StagedTable(name, relation, list(headings))
