"""Opening sources: a path or URL becomes an entry of the catalog.

Files are read once into snapshots; Parquet, DuckDB, SQLite and Postgres stay where they are. Table names are made
unique over all sources, and the dialect of the catalog's queries follows from what was opened.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from averment.errors import (
    NoSources,
    SourceChanged,
    SourceEmpty,
    SourceNotFound,
    SourceUnreadable,
    SourceVanished,
    UnsupportedSource,
)
from averment.records.analysis.file_formats import FILE_FORMATS
from averment.settings import Settings
from averment.store.storage.addresses import is_stored, parse_address
from averment.store.storage.cache import FileCache, copies_in
from averment.store.storage.configured import open_files
from averment.store.storage.uploads import moved_upload
from averment.tables.catalog import (
    ADDED,
    Attach,
    Catalog,
    ColumnInfo,
    Dialect,
    Note,
    OpenedSource,
    TableInfo,
    is_elsewhere,
)
from averment.tables.engines.engine_kinds import engine_of_url
from averment.tables.processes.children import begin
from averment.tables.read.naming import file_table_name, table_name, unique_name
from averment.tables.sources.fingerprint import fingerprint_tables
from averment.tables.sources.locations import full_url, is_postgres, is_spark, is_url, remember_url
from averment.tables.sources.options import ReadOptions
from averment.tables.sources.snapshot import run_job, snapshot_of
from averment.tables.sources.source_kinds import Format, decide_format, is_added, kind_of_suffix

CHUNK = 1 << 20

MAX_PARQUET_FILES = 10_000

SPARK_SIZE = 30_000_000

"""A cluster may take its time to answer: as much as a file of so many bytes."""


@runtime_checkable
class DataSourceLike(Protocol):
    """A source as a request names it: a file path or a connection string, and the kind of file."""

    @property
    def type(self) -> str:
        """The kind of file: csv, json or sql."""
        ...

    @property
    def file_path(self) -> str | None:
        """Where the file is, for files."""
        ...

    @property
    def connection_string(self) -> str | None:
        """Where the database is, for databases."""
        ...


@dataclass(frozen=True)
class _Place:
    """A source before it is opened: what it is, where, and which files it consists of."""

    location: str
    format: Format | str
    path: Path | None = None
    files: tuple[Path, ...] = ()


def open_sources(
    specs: Sequence[str | Path | DataSourceLike],
    *,
    settings: Settings,
    cache_dir: Path,
    options: ReadOptions | None = None,
    seconds: float | None = None,
) -> Catalog:
    """The catalog of all the sources, each opened read-only, within ``seconds`` where they are given.

    Raises:
        QueryTimeout: they are over.
        NoSources: none were given.
        SourceError: one of them is not there, is not what its name says, or cannot be read for certain.
    """
    if not specs:
        raise NoSources("No source was given.")
    places = [_place(spec, settings, cache_dir) for spec in specs]
    dialect = _dialect(places)
    deadline = None if seconds is None else time.monotonic() + seconds
    begin()  # what reads the files gets ready while they are hashed
    opened: list[OpenedSource] = []
    taken: list[str] = []
    for place in places:
        source = _open(place, settings, cache_dir, options or ReadOptions(), dialect, deadline)
        source = _rename(source, place, taken)
        taken += [table.name for table in source.tables]
        opened.append(source)
    return Catalog(sources=tuple(opened), dialect=dialect)


def _place(spec: str | Path | DataSourceLike, settings: Settings, cache_dir: Path) -> _Place:
    hint = None
    if isinstance(spec, (str, Path)):
        text = str(spec)
    else:
        hint = spec.type
        text = spec.file_path or spec.connection_string or ""
    if not text.strip():
        raise SourceNotFound("A source has neither a path nor a connection string.")
    if is_stored(text):
        return _stored_place(text, settings, cache_dir, hint)
    if is_postgres(text):
        return _Place(remember_url(text), "postgres")
    if is_spark(text):
        return _Place(remember_url(text), "spark")
    if (engine := engine_of_url(text)) is not None:
        return _Place(remember_url(text, engine), engine)
    for scheme in ("sqlite:///", "duckdb:///", "file://"):
        if text.startswith(scheme):
            text = text[len(scheme) :]
            break
    else:
        if is_url(text):
            raise UnsupportedSource(
                f"Sources of the form {text.partition('://')[0]}:// are not supported.",
                hint="Give a local file, a folder of files, postgresql://user@host/database, or sc://host:port.",
            )
    try:
        return _file_place(Path(text).expanduser(), hint)
    except SourceNotFound:
        files = open_files(settings)
        moved = moved_upload(files, text)
        if moved is None:
            raise
    return _stored_place(files.address(moved), settings, cache_dir, hint)


def _stored_place(address: str, settings: Settings, cache_dir: Path, hint: str | None) -> _Place:
    """The run keeps the address, which any host can open; what is read here is a copy under the address's own hash."""
    found = parse_address(address)
    copies = FileCache(copies_in(cache_dir))
    copy = copies.get(open_files(settings), found.relative, name=found.name, sha256=found.sha256)
    return replace(_file_place(copy, hint), location=address)


def _file_place(path: Path, hint: str | None) -> _Place:
    try:
        if path.is_dir():
            files = tuple(sorted(found for found in path.rglob("*.parquet") if found.is_file()))
            if not files or len(files) > MAX_PARQUET_FILES:
                raise UnsupportedSource(
                    f"The folder {path.name} contains {len(files) or 'no'} Parquet files.",
                    hint="Name the files one by one.",
                )
            return _Place(str(path), "parquet", path, files)
        if not path.is_file():
            raise SourceNotFound(f"There is no file {path}.")
        with path.open("rb") as file:
            head = file.read(4096)
    except PermissionError as error:
        raise SourceUnreadable(f"{path.name} cannot be read: permission denied.") from error
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"{path.name[:100]!r} cannot be opened: {error}.") from error
    if not head and path.suffix.lower() not in (".csv", ".tsv", ".txt", ".json", ".jsonl"):
        raise SourceEmpty(f"{path.name} has 0 bytes.")
    form = kind_of_suffix(path.suffix.lower()) or decide_format(path, head, hint)
    return _Place(str(path), form, path, (path,))


def _dialect(places: list[_Place]) -> Dialect:
    kinds = [place.format for place in places]
    if kinds == ["postgres"]:
        return "postgres"
    if any(place.path is None for place in places) and len(kinds) > 1:
        raise UnsupportedSource(
            "A database server or a cluster cannot be combined with other sources.",
            hint="Use it alone, or export its table to Parquet first.",
        )
    return "sqlite" if kinds == ["sqlite"] else "duckdb"


def _open(
    place: _Place,
    settings: Settings,
    cache_dir: Path,
    options: ReadOptions,
    dialect: Dialect,
    deadline: float | None,
) -> OpenedSource:
    label = place.location if place.path is None else place.path.name
    if place.path is None and place.format != "postgres":
        added = place.format != "spark"
        job = {"task": "engine" if added else "spark", "path": full_url(place.location), "label": label}
        found = run_job({**job, "engine": place.format}, settings, size=SPARK_SIZE, deadline=deadline)["tables"]
        if not found:
            raise SourceEmpty(f"{label} contains no tables.")
        elsewhere = [TableInfo.from_dict(body) for body in found]
        attached = f"{ADDED}{place.format}" if added else "spark"
        return _source(label, place, attached, place.location, None, None, elsewhere, [])
    if place.path is None:
        tables = inspect_postgres(place.location, label)
        return _source(label, place, "postgres", place.location, None, None, tables, [])
    sha256, size = _hash_files(place)
    if is_added(place.format) or FILE_FORMATS[place.format].copied:
        target, outcome = snapshot_of(
            place.path,
            place.format,
            sha256,
            label=label,
            settings=settings,
            options=options,
            cache_dir=cache_dir,
            deadline=deadline,
        )
        attach: Attach = "snapshot"
    else:
        job = {"task": "inspect", "format": place.format, "path": str(place.path), "label": label}
        job |= {"files": [str(file) for file in place.files], "by_engine": dialect == "duckdb"}
        outcome = run_job(job, settings, size=size, deadline=deadline)
        target = place.path
        attach = place.format
    tables = [replace(TableInfo.from_dict(body), source=label) for body in outcome["tables"]]
    notes = [Note.from_dict(body) for body in outcome["notes"]]
    if not tables and attach != "snapshot":
        raise SourceEmpty(f"{label} contains no tables.")
    return _source(label, place, attach, str(target.resolve()), sha256, size, tables, notes)


def _source(
    label: str,
    place: _Place,
    attach: Attach,
    attach_path: str,
    sha256: str | None,
    size: int | None,
    tables: list[TableInfo],
    notes: list[Note],
) -> OpenedSource:
    return OpenedSource(
        label=label,
        format=place.format,
        location=place.location,
        attach=attach,
        attach_path=attach_path,
        content_sha256=sha256,
        size_bytes=size,
        tables=tuple(tables),
        notes=tuple(notes),
        fingerprint=fingerprint_tables([(column.name, column.type) for column in table.columns] for table in tables),
    )


def _hash_files(place: _Place) -> tuple[str, int]:
    """SHA-256 of the bytes; of several files, over their sorted names and hashes. And their size together."""
    assert place.path is not None
    prints: list[tuple[str, str]] = []
    total = 0
    for file in place.files:
        digest = hashlib.sha256()
        with file.open("rb") as source:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                total += len(chunk)
        name = file.relative_to(place.path).as_posix() if place.path.is_dir() else file.name
        prints.append((name, digest.hexdigest()))
    if not place.path.is_dir():
        return prints[0][1], total
    return hashlib.sha256(json.dumps(sorted(prints)).encode()).hexdigest(), total


def _rename(source: OpenedSource, place: _Place, taken: list[str]) -> OpenedSource:
    """The source with table names that are safe and unique in the catalog; databases keep their own where possible."""
    stem = file_table_name(place.path.name) if place.path is not None else "data"
    names: dict[str, str] = {}
    for index, table in enumerate(source.tables):
        if source.attach in ("snapshot", "parquet"):
            single = len(source.tables) == 1 or (index == 0 and table.name == "data")
            suffix = table.name.removeprefix("data_") if source.format == "csv" else table_name(table.name)
            wanted = stem if single else f"{stem}_{suffix}"
        else:
            wanted = table.name
        names[table.name] = unique_name(wanted, [*taken, *names.values()])
    tables = tuple(replace(table, name=names[table.name]) for table in source.tables)
    notes = tuple(
        replace(note, table=names.get(note.table, note.table) if note.table else None) for note in source.notes
    )
    return replace(source, tables=tables, notes=notes)


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


CONNECT_SECONDS = 10

STATEMENT_MILLISECONDS = "20000"

_COLUMNS = """
SELECT n.nspname, c.relname, c.relkind::text, a.attname, format_type(a.atttypid, a.atttypmod),
       CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid, true) END,
       CASE WHEN c.relkind = 'r' AND c.reltuples >= 0 THEN c.reltuples::bigint END
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped AND NOT c.relispartition
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
ORDER BY n.nspname, c.relname, a.attnum
"""


def inspect_postgres(location: str, label: str) -> list[TableInfo]:
    """The tables and views that the role may read; row counts are the server's estimate rounded to none when unknown.

    Raises:
        SourceNotFound: no server answers, or the database or role is not there.
        SourceUnreadable: the server refuses.
    """
    import psycopg

    try:
        with psycopg.connect(full_url(location), connect_timeout=CONNECT_SECONDS, autocommit=False) as connection:
            connection.read_only = True
            connection.execute("SELECT set_config('statement_timeout', %s, true)", [STATEMENT_MILLISECONDS])
            rows = connection.execute(_COLUMNS).fetchall()
            first = connection.execute("SELECT current_schema()").fetchone()
    except psycopg.OperationalError as error:
        # The driver's own words may hold the connection string: only their kind is told.
        kind = "refused the role or the database" if error.sqlstate else "did not answer"
        raise SourceNotFound(
            f"The Postgres server of {label} {kind}.", hint="Check host, port, database, role and password."
        ) from None
    except psycopg.Error as error:
        raise SourceUnreadable(f"The schema of {label} cannot be read ({error.sqlstate or 'no code'}).") from None
    home = str(first[0]) if first and first[0] else "public"
    return _tables([tuple(row) for row in rows], home, label)


def _tables(rows: list[tuple[object, ...]], home: str, label: str) -> list[TableInfo]:
    columns: dict[tuple[str, str], list[ColumnInfo]] = {}
    views: dict[tuple[str, str], str | None] = {}
    for schema, table, _, column, kind, view, _ in rows:
        key = (str(schema), str(table))
        views[key] = str(view) if view is not None else None
        columns.setdefault(key, []).append(ColumnInfo(name=str(column), type=str(kind), original_name=str(column)))
    return [
        TableInfo(
            name=table if schema == home else f"{schema}.{table}",
            columns=tuple(items),
            row_count=None,
            source=label,
            origin=(schema, table),
            view_sql=views[schema, table],
        )
        for (schema, table), items in columns.items()
    ]
