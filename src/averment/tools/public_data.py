"""Looking into tables over MCP: their schema, the profile of one, a guarded query; nothing here can change them.

Profile and query are the registry's own tools (``profiler.analyze``, ``sql.run``), run under the same guard and limits
as inside a run. Code is not offered: ``python.run`` computes inside a run, where its result is bound to evidence.
"""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from averment.errors import SandboxUnavailable
from averment.records.base import new_id
from averment.tables.engines.backend import quote
from averment.tools.public import Caller, PublicTool, ToolGroup
from averment.tools.tool import Annotations, Args, Output, ToolContext

if TYPE_CHECKING:
    from averment.sandbox.protocol import Jail
    from averment.settings import Settings
    from averment.tables.engines.engine import Engine
    from averment.tools.registry import Registry


MOST_HITS = 20
MOST_NEAR = 5
MOST_VALUES = 5_000
NEAR = 0.6


class FoundValue(Output):
    """A value as a column holds it."""

    table: str
    column: str
    value: str
    rows: int = Field(description="How many rows contain it.")
    exact: bool = Field(description="Whether it is the very value that was looked for.")


def look_up(engine: Engine, words: str, *, table: str | None = None, column: str | None = None) -> list[FoundValue]:
    """Values that are the words, hold them, or are written like them; the best first."""
    wanted = words.strip().casefold()
    found: list[tuple[float, FoundValue]] = []
    for each in engine.catalog.tables:
        if table is not None and each.name != table:
            continue
        for held in each.columns:
            if column is not None and held.name != column:
                continue
            found += [
                (
                    _score(wanted, value),
                    FoundValue(
                        table=each.name, column=held.name, value=value, rows=rows, exact=value.casefold() == wanted
                    ),
                )
                for value, rows in _values(engine, each.name, held.name, wanted)
            ]
    ranked = sorted((one for one in found if one[0] >= NEAR), key=lambda one: (-one[0], -one[1].rows, one[1].value))
    sure = [hit for score, hit in ranked if score > 1]
    return sure[:MOST_HITS] if sure else [hit for _, hit in ranked][:MOST_NEAR]


def _values(engine: Engine, table: str, column: str, wanted: str) -> list[tuple[str, int]]:
    text = f"CAST({quote(column)} AS VARCHAR)"
    counted = f"SELECT {text} AS held, COUNT(*) AS many FROM {quote(table)} WHERE {quote(column)} IS NOT NULL"
    holding = f"{counted} AND LOWER({text}) LIKE ? ESCAPE '\\' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_HITS}"
    pattern = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = _rows(engine, holding, [f"%{pattern}%"])
    return rows or _rows(engine, f"{counted} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_VALUES}", [])


def _rows(engine: Engine, sql: str, params: Sequence[Any]) -> list[tuple[str, int]]:
    return [(str(row["held"]), int(row["many"])) for row in engine.run(sql, params).table.to_pylist()]


def _score(wanted: str, value: str) -> float:
    """3: the value itself; 2: it begins with the words; 1.5: it holds them; below: how alike it is written."""
    plain = value.casefold()
    if plain == wanted:
        return 3.0
    if plain.startswith(wanted):
        return 2.0
    return 1.5 if wanted in plain else difflib.SequenceMatcher(None, wanted, plain[:80]).ratio()


MOST_ROWS = 1_000
MOST_CELLS = 20_000
MOST_LETTERS = 2_000
SECONDS = 60.0

Locate = Callable[[Sequence[str]], list[str]]
"""From the names a caller gave to the places they stand for."""


class Sources(Args):
    """The tables to look into."""

    sources: list[str] = Field(
        default_factory=list, max_length=20, description="What to open; without any, what the server was given."
    )


class OneTable(Sources):
    """One of the tables."""

    table: str = Field(min_length=1, max_length=255, description="Name of the table, as `schema` gives it.")


class Query(Sources):
    """One SELECT over the tables."""

    sql: str = Field(min_length=1, max_length=20_000, description="One read-only SELECT; ? stands for a parameter.")
    params: list[str | int | float | bool | None] = Field(
        default_factory=list, max_length=200, description="Values for the placeholders."
    )
    timeout: int = Field(default=30, ge=1, le=60, description="Seconds before the query is ended.")
    row_limit: int = Field(default=100, ge=1, le=MOST_ROWS, description="Rows to be given back.")


class ValueSearch(Sources):
    """A value to look for."""

    value: str = Field(min_length=1, max_length=255, description="The words or the number, as a person says them.")
    table: str | None = Field(default=None, max_length=255, description="Only in this table.")
    column: str | None = Field(default=None, max_length=255, description="Only in this column.")


class SourceSummary(Output):
    """A source as it was opened: what identifies its bytes, and the tables it holds."""

    name: str
    format: str
    sha256: str | None = Field(description="The hash of its bytes; none for a database that is asked where it is.")
    tables: list[str]


class OpenedSources(Output):
    """The sources that were opened, and what a reader should know about how they were read."""

    sources: list[SourceSummary]
    notes: list[str]


class FoundValues(Output):
    """Where a value stands, the best first; where it stands nowhere, what is written most like it."""

    values: list[FoundValue]


class ColumnSchema(Output):
    """A column: its name in queries and its type."""

    name: str
    type: str


class TableSchema(Output):
    """A table that queries may name."""

    name: str
    row_count: int | None
    columns: list[ColumnSchema]


class SchemaOutput(Output):
    """Every table, and what a reader should know about how they were read."""

    dialect: str
    tables: list[TableSchema]
    notes: list[str]


class Profile(Output):
    """What a table holds: types, roles, cardinality, nulls, samples and ranges of its columns."""

    table: str
    row_count: int
    profile: dict[str, Any]


class QueryRows(Output):
    """A query's rows, the very SQL that ran, and the hash that names this question to these data."""

    columns: list[ColumnSchema]
    rows: list[list[Any]]
    row_count: int
    truncated: bool
    sql: str
    query_hash: str


def data_tools(
    *, settings: Settings, cache_dir: Path, registry: Registry, locate: Locate
) -> tuple[PublicTool[Any, Any], ...]:
    """The data tools; ``locate`` decides which sources a caller may name."""
    group = ToolGroup()
    looks = Annotations(cost_seconds=2.0)

    @contextmanager
    def opened(names: Sequence[str], seconds: float, rows: int) -> Generator[tuple[Engine, ToolContext]]:
        from averment.store.storage.local import FileStore
        from averment.tables.engines.engine import Engine
        from averment.tables.sources.opening import open_sources
        from averment.tools.result_store import ResultStore

        catalog = open_sources(locate(names), settings=settings, cache_dir=cache_dir)
        with tempfile.TemporaryDirectory(prefix="averment-look-") as folder, Engine(catalog, settings) as engine:
            yield (
                engine,
                ToolContext(
                    call_id=new_id(),
                    settings=settings,
                    engine=lambda: engine,
                    jail=_no_jail,
                    result_store=ResultStore(FileStore(Path(folder)), "look"),
                    seconds_left=seconds,
                    row_limit=rows,
                ),
            )

    @group.offer("Show tables", looks)
    def schema(args: Sources, caller: Caller) -> SchemaOutput:
        """The tables of the sources with their columns and types."""
        from averment.tables.sources import opening

        catalog = opening.open_sources(locate(args.sources), settings=settings, cache_dir=cache_dir)
        return SchemaOutput(
            dialect=catalog.dialect,
            tables=[
                TableSchema(
                    name=table.name,
                    row_count=table.row_count,
                    columns=[ColumnSchema(name=column.name, type=column.type) for column in table.columns],
                )
                for table in catalog.tables
            ],
            notes=[note.message for note in catalog.notes],
        )

    @group.offer("Open sources", looks)
    def open_sources(args: Sources, caller: Caller) -> OpenedSources:
        """Open files or databases and say what they hold: their tables, and the hash of their bytes."""
        from averment.tables.sources import opening

        catalog = opening.open_sources(locate(args.sources), settings=settings, cache_dir=cache_dir)
        return OpenedSources(
            sources=[
                SourceSummary(
                    name=source.label,
                    format=source.format,
                    sha256=source.content_sha256,
                    tables=[table.name for table in source.tables],
                )
                for source in catalog.sources
            ],
            notes=[note.message for note in catalog.notes],
        )

    @group.offer("Look up a value", looks)
    def look_up_value(args: ValueSearch, caller: Caller) -> FoundValues:
        """Find the columns that hold a value, or what is written most like it."""
        with opened(args.sources, SECONDS, MOST_ROWS) as (engine, _):
            return FoundValues(values=look_up(engine, args.value, table=args.table, column=args.column))

    @group.offer("Profile a table", looks, description=registry.get("profiler.analyze").description)
    def profile(args: OneTable, caller: Caller) -> Profile:
        with opened(args.sources, SECONDS, MOST_ROWS) as (_, context):
            tool = registry.get("profiler.analyze")
            found = tool.run(registry.validate(tool.name, {"table": args.table}), context)
            return Profile(table=found.table, row_count=found.row_count, profile=found.profile)

    @group.offer("Query tables", looks)
    def query(args: Query, caller: Caller) -> QueryRows:
        """Run one read-only SELECT over the sources and give its rows."""
        with opened(args.sources, float(args.timeout), args.row_limit) as (_, context):
            tool = registry.get("sql.run")
            given = {"query": args.sql, "params": args.params, "timeout": args.timeout, "row_limit": args.row_limit}
            found = tool.run(registry.validate(tool.name, given), context)
            table = context.result_store.by_call(context.call_id)
            width = max(1, table.num_columns)
            shown = table.slice(0, max(1, MOST_CELLS // width))
            columns = [ColumnSchema(name=field.name, type=str(field.type)) for field in table.schema]
            cells = [[_cell(value) for value in column.to_pylist()] for column in shown.columns]
            return QueryRows(
                columns=columns,
                rows=[list(row) for row in zip(*cells, strict=True)],
                row_count=shown.num_rows,
                truncated=found.truncated or shown.num_rows < table.num_rows,
                sql=found.sql,
                query_hash=found.query_hash,
            )

    return group.tools


def _no_jail() -> Jail:
    raise SandboxUnavailable("Inspecting tables does not run any code.")


def _cell(value: Any) -> Any:
    """A value as JSON has it; what JSON has no form for, as text, and long text cut."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}\u2026"
