"""Proof to the rows: from a cell of a run's result to the rows of its source, each with its line in the file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import InvalidRequest, NotEnoughEvidence, SourceChanged
from averment.plans.behind import FIGURE, ROW, rows_behind
from averment.plans.plan import parse_plan
from averment.records.analysis import AnalysisRequest
from averment.records.base import iso_z, utc_now
from averment.runtime.execution.restore import catalog_of, request_of
from averment.runtime.policy import Gate

if TYPE_CHECKING:
    from averment.plans.query import Query
    from averment.runtime.outcome import Run
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow
    from averment.tables.catalog import Catalog, OpenedSource, TableInfo
    from averment.tables.engines.engine import Engine
    from averment.tables.sources.options import ReadOptions

MOST_A_PAGE = 500


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One row of a source: its place in the table, its line in the file where it has one, its cells."""

    place: int
    line: int | None
    cells: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RowsBehind:
    """A page of the rows behind a cell, and the figure computed of them again just now."""

    run_id: str
    row: int
    column: str
    value: Any
    again: Any
    same: bool | None
    source: str
    table: str
    in_words: str
    total: int
    table_rows: int | None
    page: int
    pages: int
    columns: tuple[str, ...]
    rows: tuple[SourceRow, ...]
    hidden: tuple[str, ...]
    computed_at: datetime
    source_sha256: str | None
    sql: str
    query_hash: str

    @property
    def told(self) -> str:
        """What was done and what came out, in a sentence or two."""
        rows = f"{self.total:,} of {self.table_rows:,} rows" if self.table_rows else f"{self.total:,} rows"
        narrowed = f", where {self.in_words}" if self.in_words else ""
        said = f"{rows} of {self.source}{narrowed}."
        if self.same is None:
            return f"{said} They were read from {self.source} just now."
        outcome = "and is the same" if self.same else f"and DIFFERS: {self.again}"
        return f"{said} {self.column} was recomputed from {self.source} just now {outcome}."

    def as_dict(self) -> dict[str, Any]:
        """The page as JSON."""
        return {
            "run_id": self.run_id,
            "row": self.row,
            "column": self.column,
            "value": plain_cell(self.value),
            "recomputed": {"value": plain_cell(self.again), "same": self.same, "at": iso_z(self.computed_at)},
            "told": self.told,
            "source": self.source,
            "source_sha256": self.source_sha256,
            "table": self.table,
            "where": self.in_words,
            "total": self.total,
            "page": self.page,
            "pages": self.pages,
            "columns": list(self.columns),
            "hidden_columns": list(self.hidden),
            "rows": [
                {"row": one.place, "line": one.line, "cells": [plain_cell(cell) for cell in one.cells]}
                for one in self.rows
            ],
            "sql": self.sql,
            "query_hash": self.query_hash,
        }


def find_rows(
    services: Services, run: Run, row: RunRow, catalog: Catalog, *, cell: tuple[int, str | None], page: int, size: int
) -> RowsBehind:
    """The rows behind one cell of a run's result; ``catalog`` are its sources, opened again just now.

    Raises:
        NotEnoughEvidence: the run has no plan or no result.
        InvalidRequest: there is no such cell, or no rows of one table stand behind it.
        SourceChanged: a source is no longer what the run saw.
    """
    from averment.tables.engines.engine import Engine
    from averment.tables.sources.options import ReadOptions

    request, table = request_of(row), run.table
    if not isinstance(request, AnalysisRequest) or table is None or run.plan is None or "version" not in run.plan:
        raise NotEnoughEvidence(
            "The run has no result that was computed from a plan.", hint="Only answers over tables have source rows."
        )
    if [one.content_sha256 for one in catalog.sources] != [one.content_sha256 for one in catalog_of(row).sources]:
        raise SourceChanged("A source changed since the run, so the rows behind its numbers are no longer available.")
    plan = parse_plan(run.plan)
    number, heading, cells = _cell(table, cell)
    behind = rows_behind(plan, cells, heading)
    gate = Gate(request.policy, catalog)
    info, source = catalog.table(plan.table), catalog.source_of(plan.table)
    shown = [one.name for one in info.columns if gate.permits(info.name, one.name)]
    hidden = tuple(one.name for one in info.columns if one.name not in shown)
    options = ReadOptions.from_dict(row.request["read"]) if row.request.get("read") else ReadOptions()
    size = min(max(1, size), MOST_A_PAGE)
    with Engine(catalog, services.settings) as engine:
        total = int(_first(engine, catalog, behind.count()))
        again = _first(engine, catalog, query) if (query := behind.figure()) is not None else None
        pages = max(1, -(-total // size))
        page = min(max(1, page), pages)
        start, placed = (page - 1) * size, source.content_sha256 is not None
        found, sql, digest = _page(engine, catalog, behind.page(shown, limit=size, offset=start, placed=placed))
        gate.check_values(found)
    body = found.to_pylist()
    places = [int(each[ROW]) if placed else start + number for number, each in enumerate(body, start=1)]
    lines = _lines(services, source, info, places, options)
    value = cells[heading]
    return RowsBehind(
        run_id=run.id,
        row=number,
        column=heading,
        value=value,
        again=again,
        same=None if behind.figure() is None else _is_same(value, again),
        source=source.label,
        table=info.name,
        in_words=behind.in_words,
        total=total,
        table_rows=info.row_count,
        page=page,
        pages=pages,
        columns=tuple(shown),
        rows=tuple(
            SourceRow(place, lines.get(place), tuple(each[name] for name in shown))
            for place, each in zip(places, body, strict=True)
        ),
        hidden=hidden,
        computed_at=utc_now(),
        source_sha256=source.content_sha256,
        sql=sql,
        query_hash=digest,
    )


def _cell(table: Any, cell: tuple[int, str | None]) -> tuple[int, str, dict[str, Any]]:
    number, heading = cell
    names: list[str] = list(table.column_names)
    if not 1 <= number <= table.num_rows:
        raise InvalidRequest(f"The result has {table.num_rows} rows; there is no row {number}.")
    if heading is not None and heading not in names:
        raise InvalidRequest(f"The result has no column {heading!a}.", hint=f"Columns: {', '.join(names)}.")
    cells: dict[str, Any] = table.slice(number - 1, 1).to_pylist()[0]
    return number, heading if heading is not None else names[-1], cells


def _first(engine: Engine, catalog: Catalog, asked: Query) -> Any:
    query = asked.write(catalog.dialect)
    return engine.run(query.sql, query.params).table.column(FIGURE)[0].as_py()


def _page(engine: Engine, catalog: Catalog, asked: Query) -> tuple[Any, str, str]:
    query = asked.write(catalog.dialect)
    result = engine.run(query.sql, query.params)
    return result.table, result.sql, result.query_hash


def _lines(
    services: Services, source: OpenedSource, info: TableInfo, places: list[int], options: ReadOptions
) -> dict[int, int]:
    from averment.store.storage.addresses import is_stored, parse_address
    from averment.store.storage.cache import FileCache, copies_in
    from averment.tables.read.csv_lines import find_lines

    if source.attach != "snapshot":
        return {}
    path = Path(source.location)
    if is_stored(source.location):
        found = parse_address(source.location)
        copies = FileCache(copies_in(services.store.cache_dir / "tables"))
        path = copies.get(services.store.files, found.relative, name=found.name, sha256=found.sha256)
    return find_lines(source, info, path, places, settings=services.settings, options=options)


def _is_same(value: Any, again: Any) -> bool:
    if isinstance(value, int | float) and isinstance(again, int | float) and not isinstance(value, bool):
        return math.isclose(value, again, rel_tol=1e-9, abs_tol=1e-12)
    return str(value) == str(again) or (value is None and again is None)


def plain_cell(value: Any) -> Any:
    """A cell as JSON holds it: what JSON has no form for as its text."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
