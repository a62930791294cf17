"""What was opened, in frozen records: columns, tables, sources, and the catalog that holds them.

A catalog is all a query process needs to attach the data read-only. It is written to JSON with a run, so that a resumed
or verifying process works on exactly what the run saw. It never holds a password: a database's location is kept without
one, and the one who attaches it looks the full URL up by ``averment.tables.sources.locations``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from averment.errors import InvalidArguments, MissingTable
from averment.tables.sources.fingerprint import fingerprint_tables

Attach = str
"""How a source is attached: snapshot, parquet, duckdb, sqlite, postgres, spark, or ``ADDED`` and an engine's name."""

ADDED = "engine:"
"""What the way to attach an engine that a plugin adds begins with."""
Dialect = Literal["duckdb", "sqlite", "postgres"]

CATALOG_VERSION = 1


def is_elsewhere(attach: Attach) -> bool:
    """Whether a source is queried where it stands, by a URL, and is no file that we open."""
    return attach in {"postgres", "spark"} or attach.startswith(ADDED)


@dataclass(frozen=True, kw_only=True)
class ColumnInfo:
    """A column: its name in queries, its engine type as text, and the name its source gave it."""

    name: str
    type: str
    original_name: str


@dataclass(frozen=True, kw_only=True)
class TableInfo:
    """A table or view that queries may name.

    ``name`` is unique in the catalog. ``origin`` is where it lives inside the attached source: ("main", "data") in a
    snapshot, ("public", "orders") in Postgres; a Parquet source has the empty origin since the files are the table.
    ``view_sql`` is the text of a database view, for lineage.
    """

    name: str
    columns: tuple[ColumnInfo, ...]
    row_count: int | None
    source: str
    origin: tuple[str, ...] = ()
    view_sql: str | None = None

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> TableInfo:
        """The table that ``dataclasses.asdict`` took apart."""
        columns = tuple(ColumnInfo(**item) for item in body["columns"])
        fields: dict[str, Any] = {**body, "columns": columns, "origin": tuple(body["origin"])}
        return cls(**fields)

    def column(self, name: str) -> ColumnInfo | None:
        """The column of that name, letter case ignored, or None."""
        folded = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == folded), None)


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something a reader should know: what was flagged, coerced, renamed or left as text, and where.

    ``rows`` are 1-based data rows, at most the first twenty of them.
    """

    code: str
    message: str
    table: str | None = None
    column: str | None = None
    rows: tuple[int, ...] = ()

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> Note:
        """The note that ``dataclasses.asdict`` took apart."""
        fields: dict[str, Any] = {**body, "rows": tuple(body["rows"])}
        return cls(**fields)


@dataclass(frozen=True, kw_only=True)
class OpenedSource:
    """A source that has been read or inspected, with how a query process attaches it.

    ``attach_path`` is a snapshot file, a Parquet path or pattern, a database file, or a database URL without password.
    """

    label: str
    format: str
    location: str
    attach: Attach
    attach_path: str
    content_sha256: str | None
    size_bytes: int | None
    tables: tuple[TableInfo, ...]
    notes: tuple[Note, ...]
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """Every source of one run, and the dialect its queries are written in."""

    sources: tuple[OpenedSource, ...]
    dialect: Dialect

    @property
    def tables(self) -> tuple[TableInfo, ...]:
        """All tables, in the order the sources were given."""
        return tuple(table for source in self.sources for table in source.tables)

    @property
    def notes(self) -> tuple[Note, ...]:
        """All notes, in the order the sources were given."""
        return tuple(note for source in self.sources for note in source.notes)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the schemas of all tables; the order of the sources does not matter."""
        return fingerprint_tables([(column.name, column.type) for column in table.columns] for table in self.tables)

    def table(self, name: str) -> TableInfo:
        """The table of that name, letter case ignored.

        Raises:
            MissingTable: there is none.
        """
        folded = name.casefold()
        for table in self.tables:
            if table.name.casefold() == folded:
                return table
        known = ", ".join(table.name for table in self.tables)
        raise MissingTable(f"No open source has a table {name!r}.", suggestion=f"Use one of: {known}.")

    def source_of(self, name: str) -> OpenedSource:
        """The source that holds the table of that name.

        Raises:
            MissingTable: there is none.
        """
        wanted = self.table(name)
        return next(source for source in self.sources if wanted in source.tables)

    def schema(self) -> dict[str, dict[str, str]]:
        """Table → column → engine type, the shape SQL tools take."""
        return {table.name: {column.name: column.type for column in table.columns} for table in self.tables}

    def to_json(self) -> str:
        """The catalog as one JSON document that ``from_json`` reads back to an equal catalog."""
        body = {"version": CATALOG_VERSION, **asdict(self)}
        return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Catalog:
        """The catalog that ``to_json`` wrote.

        Raises:
            InvalidArguments: the text is not such a document.
        """
        try:
            body: dict[str, Any] = json.loads(text)
            if body.pop("version") != CATALOG_VERSION:
                raise ValueError("unsupported version of the catalog format")
            return cls(dialect=body["dialect"], sources=tuple(_source(item) for item in body["sources"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidArguments(f"The stored catalog cannot be read: {error}.") from error


def _source(body: dict[str, Any]) -> OpenedSource:
    tables = tuple(TableInfo.from_dict(item) for item in body.pop("tables"))
    notes = tuple(Note.from_dict(item) for item in body.pop("notes"))
    return OpenedSource(**body, tables=tables, notes=notes)
