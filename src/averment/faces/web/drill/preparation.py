"""Reading a drill's files before it starts: how the tables belong together, and what a metric gives day by day.

The same functions of the driller read them here as in the investigation, so that a preview promises what the run does.
What was read is kept for a while in this process; losing it only costs time.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from averment.errors import MetricUndefined, MetricUnreadable, MissingColumn, NoDateColumn, PeriodWithoutData
from averment.faces.web.drill.draft import DrillDraft, KeyLink
from averment.faces.web.drill.table_links import joined_metric, left_out
from averment.records.base import picked
from averment.records.drilldown.files import Column, ColumnRole, FileSchema, UploadedFile
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.agents.driller.reading import InvestigationSetup
    from averment.store.knowledge.corrections import Correction
    from averment.tables.engines.engine import Engine

ALWAYS = (date(1, 1, 1), date(9999, 12, 31))
"""Every day there is: a preview looks at all of them."""
SECONDS = 60.0
MOST_KEPT = 64

Value = TypeVar("Value")
_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class FileTable:
    """One file as a table."""

    name: str
    file: UploadedFile

    @property
    def columns(self) -> tuple[Column, ...]:
        """Its columns with their roles."""
        schema = self.file.schema
        return schema.columns if isinstance(schema, FileSchema) else ()


@dataclass(frozen=True)
class Model:
    """The tables and what relates them, as inferred."""

    tables: tuple[FileTable, ...]
    found: Mapping[KeyLink, float]
    """The links that the names and values of the files suggest, each with how sure that is."""

    def table(self, name: str) -> FileTable | None:
        """The table of that name."""
        return next((table for table in self.tables if table.name == name), None)

    def links(self, draft: DrillDraft) -> tuple[KeyLink, ...]:
        """The links in force: those that were confirmed, else all that were found."""
        return tuple(self.found) if draft.links is None else draft.links

    def outside(self, draft: DrillDraft, base: str | None = None) -> tuple[FileTable, ...]:
        """The tables that the links in force no longer lead to; their files do not take part."""
        names = left_out(tuple(self.found), self.links(draft), base)
        return tuple(table for table in self.tables if table.name in names)


@dataclass(frozen=True)
class Preview:
    """A metric over all days: how it was read, as what it will be sent, and its value on each day."""

    metric: str
    in_words: str
    sql: str
    base: str
    day: str
    days: tuple[tuple[date, float], ...]
    cut_by: tuple[str, ...]
    not_cut_by: tuple[tuple[str, str], ...]
    apart: tuple[str, ...] = ()
    """The files that take no part, by their ids."""

    @property
    def first(self) -> date:
        """The first day with data."""
        return self.days[0][0]

    @property
    def last(self) -> date:
        """The last day with data."""
        return self.days[-1][0]

    def total(self, start: date, end: date) -> int:
        """How many days of a period have data."""
        return sum(start <= day <= end for day, _ in self.days)


def read_model(settings: Settings, files: Sequence[UploadedFile], sources: Sequence[str]) -> Model:
    """How the files belong together.

    Raises:
        SourceError: one of them can no longer be read.
    """

    def read() -> Model:
        from averment.tables.profile.profiler import profile
        from averment.tables.profile.relationships import relate

        with _opened(settings, sources) as engine:
            profiles = [profile(engine, table.name, timeout=SECONDS) for table in engine.catalog.tables]
            relations = relate(engine, profiles)
            names = [table.name for table in engine.catalog.tables]
        found = {KeyLink(**picked(one, *KeyLink.model_fields)): one.confidence for one in relations}
        return Model(tuple(FileTable(name, file) for name, file in zip(names, files, strict=False)), found)

    return _keeping(("model", *sources), read)


def check_link(settings: Settings, sources: Sequence[str], link: KeyLink) -> bool:
    """Whether joining by the link repeats no row: its key has one row for each value."""

    def read() -> bool:
        from averment.tables.metrics.joins import is_unique

        with _opened(settings, sources) as engine:
            return is_unique(engine, link.right, link.right_column)

    return _keeping(("link", link.right, link.right_column, *sources), read)


def preview(
    settings: Settings, sources: Sequence[str], model: Model, draft: DrillDraft, taught: Sequence[Correction] = ()
) -> Preview:
    """The metric of a draft over its files, in the words that were taught.

    Raises:
        MetricUnreadable, MetricUndefined, JoinFansOut, NoDateColumn, MissingColumn, MissingTable: it cannot be
            followed over these files.
        MetricSqlRequired, InvalidRequest: it cannot be used at all.
    """
    links = model.links(draft)
    as_found = sorted(link.words for link in links) == sorted(link.words for link in model.found)

    def read() -> Preview:
        with _opened(settings, sources) as engine:
            try:
                found = _read(engine, sources, draft.metric, draft, taught)
            except NoDateColumn:
                return _undated(engine, sources, model, draft, taught)
            if as_found:
                return _told(engine, draft.metric, found, found.metric.in_words)
        apart = model.outside(draft, found.base)
        names = {table.name for table in apart}
        taken = [place for table, place in zip(model.tables, sources, strict=False) if table.name not in names]
        metric = joined_metric(draft.metric, found.metric.sql, found.base, links)
        with _opened(settings, taken) as engine:
            joined = _read(engine, taken, metric, draft, taught)
            return _told(engine, metric, joined, found.metric.in_words, tuple(table.file.file_id for table in apart))

    roles = tuple(sorted(draft.roles.items()))
    words = tuple((one.schema_fingerprint, one.word, one.in_words) for one in taught)
    return _keeping(("preview", draft.metric, draft.prompt, roles, links, words, *sources), read)


def roles_of(draft: DrillDraft, tables: Collection[str]) -> dict[str, ColumnRole]:
    """The roles that were given to columns of these tables; a table that takes no part has none."""
    return {name: role for name, role in draft.roles.items() if any(name.startswith(f"{one}.") for one in tables)}


def _undated(
    engine: Engine, sources: Sequence[str], model: Model, draft: DrillDraft, taught: Sequence[Correction]
) -> Preview:
    """A metric whose rows have no day: two groups of them can be compared, by any column with a few values.

    Raises:
        NoDateColumn: no column tells groups apart either.
    """
    for table in model.tables:
        for column in table.columns:
            if column.cardinality < 2 or column.cardinality > len(column.sample_values):
                continue
            groups = {"column": f"{table.name}.{column.name}"}
            groups |= dict(zip(("baseline", "comparison"), column.sample_values, strict=False))
            try:
                reading = _read(engine, sources, draft.metric, draft, taught, groups)
            except (MissingColumn, PeriodWithoutData, MetricUndefined):
                continue
            return Preview(
                metric=draft.metric,
                in_words=reading.metric.in_words,
                sql=reading.metric.sql,
                base=reading.base,
                day=f"{reading.day_table}.{reading.day_column}",
                days=(),
                cut_by=reading.names,
                not_cut_by=tuple((one.name, one.reason) for one in reading.left_out),
            )
    raise NoDateColumn("No column reads as dates, and none tells two groups of rows apart.")


def _read(
    engine: Engine,
    sources: Sequence[str],
    metric: str,
    draft: DrillDraft,
    taught: Sequence[Correction],
    groups: dict[str, str] | None = None,
) -> InvestigationSetup:
    from averment.agents.driller.data_model import read_investigation
    from averment.agents.driller.metric_reading import Unsure
    from averment.runtime.policy import Gate

    request = DrillRequest.checked(
        data_sources=list(sources),
        metric_sql=metric,
        baseline_period=ALWAYS if groups is None else None,
        comparison_period=ALWAYS if groups is None else None,
        groups=groups,
        investigation_prompt=draft.prompt or None,
        column_roles=roles_of(draft, [table.name for table in engine.catalog.tables]),
    )
    try:
        permits = Gate(request.policy, engine.catalog).permits
        return read_investigation(engine, request, permits=permits, timeout=SECONDS, taught=taught)
    except Unsure as unsure:
        raise MetricUnreadable(unsure.question, hint="Choose one of the examples, or write it as SQL.") from unsure


def _told(
    engine: Engine, metric: str, reading: InvestigationSetup, in_words: str, apart: tuple[str, ...] = ()
) -> Preview:
    from averment.tables.cubes.cube_sql import daily_sql

    asked = daily_sql(reading.parsed_rows(), (reading.first_day, reading.last_day))
    rows: list[dict[str, Any]] = engine.run(asked, timeout=SECONDS).table.to_pylist()
    is_ratio = reading.metric.kind == "ratio"
    days: list[tuple[date, float]] = []
    for row in rows:
        weight = float(row["weight"] or 0.0)
        if is_ratio and not weight:
            continue
        value = float(row["total"]) / weight if is_ratio else float(row["total"])
        if math.isfinite(value):
            days.append((_day(row["day"]), value))
    if not days:
        raise MetricUndefined(f"{reading.metric.text} has no value on any day.")
    return Preview(
        metric=metric,
        in_words=in_words,
        sql=reading.metric.sql,
        base=reading.base,
        day=f"{reading.day_table}.{reading.day_column}",
        days=tuple(days),
        cut_by=reading.names,
        not_cut_by=tuple((one.name, one.reason) for one in reading.left_out),
        apart=apart,
    )


def _day(value: object) -> date:
    return value if type(value) is date else date.fromisoformat(str(value)[:10])


@contextmanager
def _opened(settings: Settings, sources: Sequence[str]) -> Generator[Engine]:
    from averment.tables.engines.engine import Engine
    from averment.tables.sources.opening import open_sources

    catalog = open_sources(list(sources), settings=settings, cache_dir=settings.home / "cache" / "tables")
    with Engine(catalog, settings) as engine:
        yield engine


def _keeping(key: tuple[Any, ...], read: Callable[[], Value]) -> Value:
    """What was read under that key, or read now; files never change under their names, so a key stays true."""
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    value = read()
    with _lock:
        _kept[key] = value
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return value
