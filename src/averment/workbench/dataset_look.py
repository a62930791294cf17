"""Looking into a dataset: its columns and rows, questions it invites, completions, and plans built from a form.

Everything is read-only and leaves no run behind. What was read once is kept in memory for as long as the files and the
notes on them stay the same.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.claims.units import heading_unit
from averment.errors import MissingColumn, MissingTable
from averment.records.dataset import ColumnNote, Dataset

if TYPE_CHECKING:
    from averment.plans.compile import CompiledPlan
    from averment.plans.meaning import Meaning
    from averment.plans.plan import Plan
    from averment.reading.completion import NameCompletion
    from averment.reading.schema.schema_view import Schema
    from averment.reading.suggestions import Suggestion
    from averment.runtime.services import Services
    from averment.tables.catalog import Catalog
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import Bar, ColumnProfile, TableProfile

SUGGESTIONS = 6
ROWS_A_PAGE = 50
MOST_KEPT = 16


@dataclass(frozen=True, slots=True)
class ColumnLook:
    """One column: what it holds, how it is spread, what was said of it."""

    place: str
    profile: ColumnProfile
    bars: tuple[Bar, ...]
    unique: bool
    note: ColumnNote
    role: str

    @property
    def unit(self) -> str:
        """The unit that answers name: the one that was said, else a measure's own by its heading."""
        return self.note.unit or (heading_unit(self.profile.name) if self.role == "measure" else "")

    @property
    def missing_percent(self) -> float:
        """How many in a hundred rows have no value."""
        return 100.0 * self.profile.nulls / self.rows if self.rows else 0.0

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self._rows

    _rows: int = 0


@dataclass(frozen=True, slots=True)
class TableLook:
    """One table: its rows, its columns, and what was noticed when it was read."""

    name: str
    source: str
    rows: int
    columns: tuple[ColumnLook, ...]
    notes: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(slots=True)
class DatasetFacts:
    """What was found out about a dataset as it is now."""

    catalog: Catalog
    profiles: tuple[TableProfile, ...]
    schema: Schema
    joins: tuple[str, ...]
    tables: tuple[TableLook, ...] | None = None
    suggestions: tuple[Suggestion, ...] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class DatasetLook:
    """What datasets hold."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._kept: dict[tuple[Any, ...], DatasetFacts] = {}
        self._lock = threading.Lock()

    def open(self, places: Sequence[str], read: Mapping[str, Any] | None) -> Catalog:
        """The catalog of places, opened read-only.

        Raises:
            SourceError: one of them cannot be read.
        """
        from averment.tables.sources.opening import open_sources
        from averment.tables.sources.options import ReadOptions

        return open_sources(
            list(places),
            settings=self._services.settings,
            cache_dir=self._services.store.cache_dir / "tables",
            options=ReadOptions.from_dict(dict(read)) if read else None,
        )

    def tables(self, dataset: Dataset) -> tuple[TableLook, ...]:
        """Every table with its columns."""
        known = self._known(dataset)
        with known.lock:
            if known.tables is None:
                with self._engine(known.catalog) as engine:
                    known.tables = tuple(_table_look(engine, known, profile, dataset) for profile in known.profiles)
        return known.tables

    def joins(self, dataset: Dataset) -> tuple[str, ...]:
        """How its tables belong together, each in words."""
        return self._known(dataset).joins

    def first_table(self, dataset: Dataset) -> str:
        """The name of the table that comes first."""
        return self._known(dataset).profiles[0].table

    def rows(self, dataset: Dataset, table: str, *, page: int = 1) -> tuple[list[str], list[list[Any]], int]:
        """One page of a table as it was read: its columns, its rows, and how many rows there are.

        Raises:
            MissingTable: the dataset has no such table.
        """
        from averment.tables.engines.backend import quote

        known = self._known(dataset)
        info = known.catalog.table(table)
        total = next((one.row_count for one in known.profiles if one.table == info.name), 0)
        start = (max(1, page) - 1) * ROWS_A_PAGE
        names = [column.name for column in info.columns]
        listed = ", ".join(quote(name) for name in names)
        with self._engine(known.catalog) as engine:
            sql = f"SELECT {listed} FROM {quote(info.name)} LIMIT {ROWS_A_PAGE} OFFSET {start}"
            found = engine.run(sql).table.to_pylist()
        return names, [[row[name] for name in names] for row in found], total

    def suggestions(self, dataset: Dataset) -> tuple[Suggestion, ...]:
        """Up to six questions made from the schema; each was read by the judge as it is meant, and answered."""
        from averment.reading.suggestions import answered

        known = self._known(dataset)
        with known.lock:
            if known.suggestions is None:
                with self._engine(known.catalog) as engine:

                    def run(compiled: CompiledPlan) -> Any:
                        query = compiled.compose(known.catalog.dialect)
                        return engine.run(query.sql, query.params).table

                    known.suggestions = answered(known.schema, run, most=SUGGESTIONS)
        return known.suggestions

    def complete(self, dataset: Dataset, text: str) -> tuple[NameCompletion, ...]:
        """Names of columns, values and taught words that the end of a text may begin."""
        from averment.reading.completion import complete

        return complete(text, self.schema(dataset))

    def schema(self, dataset: Dataset) -> Schema:
        """The dataset as the reader of questions sees it, notes and taught words included."""
        from averment.plans.meaning import Meaning

        schema = self._known(dataset).schema
        schema.taught = tuple(Meaning.model_validate(each) for each in dataset.meanings)
        return schema

    def understood(self, dataset: Dataset, word: str, means: str) -> Meaning | None:
        """What a word is said to mean here; None where that cannot be read."""
        from averment.reading.schema.dataset_words import understood

        return understood(word, means, self.schema(dataset))

    def place_of(self, dataset: Dataset, column: str) -> str:
        """A column as ``table.column``.

        Raises:
            MissingColumn, MissingTable: there is no such column, or several tables have one.
        """
        catalog = self._known(dataset).catalog
        table, dot, name = column.rpartition(".")
        if dot:
            try:
                found = catalog.table(table).column(name)
            except MissingTable:
                found = None
            if found is not None:
                return f"{catalog.table(table).name}.{found.name}"
        having = [one for one in catalog.tables if one.column(column) is not None]
        if len(having) != 1:
            known = ", ".join(f"{one.name}.{each.name}" for one in catalog.tables for each in one.columns)
            raise MissingColumn(
                f"The dataset has no single column {column!a}.", suggestion=f"Use one of: {known[:400]}."
            )
        hit = having[0].column(column)
        assert hit is not None  # it was just found
        return f"{having[0].name}.{hit.name}"

    def plan(self, dataset: Dataset, form: Mapping[str, Any]) -> Plan:
        """The plan that a form describes: a measure, groups, filters, an order, a limit.

        Raises:
            InvalidArguments: the form does not describe one.
        """
        from averment.reading.plan_builder import build_plan

        return build_plan(self.schema(dataset), form)

    def _known(self, dataset: Dataset) -> DatasetFacts:
        from averment.reading.schema.annotations import annotate
        from averment.reading.schema.gather import gather
        from averment.reading.schema.implied_joins import hang_together
        from averment.tables.profile.profiler import profile

        key = (dataset.dataset_id, dataset.updated_at, *map(_signature, dataset.places))
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        catalog = self.open(dataset.places, dataset.read)
        with self._engine(catalog) as engine:
            profiles = tuple(profile(engine, table.name) for table in catalog.tables if table.columns)

            def ask(sql: str, params: Sequence[Any]) -> list[dict[str, Any]]:
                return engine.run(sql, params, row_limit=6_000).table.to_pylist()

            relations = hang_together(engine, profiles)
            schema = gather(profiles, relations, ask)
        notes = {place: note.model_dump(mode="json", exclude_defaults=True) for place, note in dataset.columns.items()}
        annotate(schema, notes)
        joins = tuple(f"{one.left}.{one.left_column} = {one.right}.{one.right_column}" for one in relations)
        known = DatasetFacts(catalog=catalog, profiles=profiles, schema=schema, joins=joins)
        with self._lock:
            self._kept[key] = known
            while len(self._kept) > MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
        return known

    @contextmanager
    def _engine(self, catalog: Catalog) -> Generator[Engine]:
        from averment.tables.engines.engine import Engine

        with Engine(catalog, self._services.settings) as engine:
            yield engine


def _signature(place: str) -> Any:
    """What tells that a file is still the same without reading it; of a database nothing does."""
    path = Path(place)
    if "://" in place or not path.is_file():
        return place
    seen = path.stat()
    return (place, seen.st_size, seen.st_mtime_ns)


def _table_look(engine: Engine, known: DatasetFacts, profile: TableProfile, dataset: Dataset) -> TableLook:
    from averment.tables.profile.profiler import histogram

    info = known.catalog.table(profile.table)
    columns: list[ColumnLook] = []
    for column in profile.columns:
        place = f"{profile.table}.{column.name}"
        present = profile.row_count - column.nulls
        read = known.schema.column(profile.table, column.name)
        columns.append(
            ColumnLook(
                place=place,
                profile=column,
                bars=histogram(engine, profile, column),
                unique=present > 1 and column.cardinality == present == profile.row_count,
                note=dataset.columns.get(place, ColumnNote()),
                role=_role(read.roles if read is not None else set()),
                _rows=profile.row_count,
            )
        )
    notes = tuple(note.message for note in known.catalog.notes if note.table in {None, profile.table})
    keys = tuple(one.profile.name for one in columns if one.unique)
    return TableLook(profile.table, info.source, profile.row_count, tuple(columns), notes, keys)


def _role(roles: set[Any]) -> str:
    known = {
        "key": "key",
        "flag": "yes or no",
        "date": "date",
        "year": "year",
        "month": "month",
        "label": "names a row",
        "measure": "measure",
        "category": "category",
    }
    return next((said for role, said in known.items() if role in roles), "text")
