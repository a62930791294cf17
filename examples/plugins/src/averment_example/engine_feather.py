"""An engine: a folder of Arrow files, queried where it stands, named ``feather:///data/folder``.

It speaks DuckDB's dialect itself, so the guarded text runs as it comes. An engine with a language of its own would
translate it first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import duckdb
import pyarrow as pa

from averment.tables.catalog import ColumnInfo, TableInfo
from averment.tables.engines.backend import BackendFailure, EngineSpec
from averment.tables.engines.engine_kinds import EngineKind

MEMORY = ":memory:"


def _files(url: str) -> list[Path]:
    return sorted(Path(unquote(urlsplit(url).path)).glob("*.arrow"))


def _read(path: Path) -> pa.Table:
    with pa.memory_map(str(path), "rb") as source:
        return pa.ipc.open_file(source).read_all()


def inspect(url: str) -> list[TableInfo]:
    """One table for each file, with the types that DuckDB gives its columns."""
    tables: list[TableInfo] = []
    with duckdb.connect(MEMORY) as connection:
        for path in _files(url):
            relation = connection.from_arrow(_read(path))
            columns = tuple(
                ColumnInfo(name=name, type=str(kind), original_name=name)
                for name, kind in zip(relation.columns, relation.types, strict=True)
            )
            rows = len(relation)
            tables.append(TableInfo(name=path.stem, columns=columns, row_count=rows, source=url, origin=(path.name,)))
    return tables


class FeatherBackend:
    """One connection that sees the files as tables."""

    def __init__(self, spec: EngineSpec) -> None:
        (source,) = spec.sources
        folder = Path(unquote(urlsplit(source.path).path))
        self._connection = duckdb.connect(MEMORY)
        for table in source.tables:
            self._connection.register(table.name, _read(folder / table.origin[0]))

    def run(self, sql: str, params: Sequence[object], row_limit: int, timeout: float) -> Any:
        """At most one row more than the limit."""
        try:
            answer = self._connection.execute(sql, list(params))
            return answer.fetch_arrow_table().slice(0, row_limit + 1)
        except duckdb.Error as error:
            raise BackendFailure("failed", str(error)) from error

    def close(self) -> None:
        """Let the files go."""
        self._connection.close()


FEATHER = EngineKind(name="feather", inspect=inspect, open=FeatherBackend)
