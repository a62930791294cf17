"""What every engine behind the query process has in common: how it is opened, asked and answers, and how it fails.

Backends run inside the query process only. They raise ``BackendFailure``; the engine turns it into an error of the
tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

ArrowTable = Any
"""A ``pyarrow.Table``; that package carries no types."""

FailureKind = Literal[
    "sql_syntax",
    "type_mismatch",
    "missing_column",
    "missing_table",
    "memory",
    "timeout",
    "output",
    "refused",
    "source",
    "failed",
]


class BackendFailure(Exception):
    """A query failed in the engine, for a reason of the closed list."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.message = first_line(message)


@dataclass(frozen=True)
class TableSpec:
    """A table to be opened: its catalog name, its place in the source, and (name, original name) of its columns."""

    name: str
    origin: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SourceSpec:
    """A source to be attached."""

    attach: str
    path: str
    tables: tuple[TableSpec, ...]


@dataclass(frozen=True)
class EngineSpec:
    """Everything a query process needs to open its data."""

    dialect: str
    threads: int
    memory_mb: int
    sources: tuple[SourceSpec, ...]


class Backend(Protocol):
    """One open, locked engine."""

    def run(self, sql: str, params: Sequence[object], row_limit: int, timeout: float) -> ArrowTable:
        """At most ``row_limit + 1`` rows of the query's result.

        Raises:
            BackendFailure: the engine did not answer.
        """
        ...

    def close(self) -> None:
        """Let the sources go."""
        ...


def read_spec(body: dict[str, Any]) -> EngineSpec:
    """The specification that came over the wire."""
    return EngineSpec(
        dialect=body["dialect"],
        threads=body["threads"],
        memory_mb=body["memory_mb"],
        sources=tuple(
            SourceSpec(
                attach=source["attach"],
                path=source["path"],
                tables=tuple(
                    TableSpec(
                        name=table["name"],
                        origin=tuple(table["origin"]),
                        columns=tuple((name, original) for name, original in table["columns"]),
                    )
                    for table in source["tables"]
                ),
            )
            for source in body["sources"]
        ),
    )


def quote(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def first_line(message: str) -> str:
    """The first line of an engine's message, short enough to show."""
    lines = message.strip().splitlines()
    return lines[0][:300] if lines else "the engine gave no reason"


def unique_names(names: Sequence[str]) -> list[str]:
    """The names of a result's columns, with a number where one comes twice."""
    taken: set[str] = set()
    unique: list[str] = []
    for name in names:
        candidate, number = name, 1
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate)
        unique.append(candidate)
    return unique
