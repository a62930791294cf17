"""Questions over tables answered directly: opened, profiled, read and run, without a durable run around each.

Shared by the adapters of the table sets; a set's adapter only maps formats.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from averment.agents.analyst.query.understand import SURE, Understood, understand

from averment.agents.analyst.skill import Question
from averment.errors import AvermentError
from averment.settings import Settings
from averment.tables.catalog import Catalog
from averment.tables.compose_select import compose_select
from averment.tables.engine import Engine
from averment.tables.profile import TableProfile, profile
from averment.tables.sources import open_sources


@dataclass(frozen=True)
class Opened:
    """One source, ready to be asked."""

    catalog: Catalog
    engine: Engine
    profiles: tuple[TableProfile, ...]


@dataclass(frozen=True)
class Answered:
    """A reading that was acted on, with what it returned."""

    reading: Understood
    columns: list[str]
    rows: list[list[Any]]


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """A source opened and profiled; its query process ends with the block."""
    settings = Settings()
    with tempfile.TemporaryDirectory() as cache:
        catalog = open_sources([path], settings=settings, cache_dir=Path(cache))
        engine = Engine(catalog, settings)
        try:
            yield Opened(catalog, engine, tuple(profile(engine, table.name) for table in catalog.tables))
        finally:
            engine.close()


def answer(source: Opened, text: str, *, anchor: date | None = None, chart: bool = False) -> Answered | None:
    """What the best sure reading returns; None when there is none, which is an abstention."""
    asked = Question(text=text, profiles=source.profiles, catalog=source.catalog, engine=source.engine, anchor=anchor)
    readings = understand(asked, chart=chart)
    if not readings or readings[0].score < SURE:
        return None
    composed = compose_select(readings[0].reading.select, source.catalog.dialect)
    try:
        table = source.engine.run(composed.sql, composed.params).table
    except AvermentError:
        return None
    columns = [column.to_pylist() for column in table.columns]
    return Answered(readings[0], list(table.column_names), [list(row) for row in zip(*columns, strict=True)])


def read_cases(data: Path) -> list[dict[str, Any]]:
    """The cases of a set."""
    return [json.loads(line) for line in (data / "cases.jsonl").read_text(encoding="utf8").splitlines() if line]


def ask_all(
    cases: list[dict[str, Any]], key: str, folder: Path, suffix: str
) -> Iterator[tuple[dict[str, Any], Opened | None]]:
    """Each case with its source, cases of one source together so that it is opened once."""
    by_source: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        by_source.setdefault(str(case[key]), []).append(case)
    for name, group in by_source.items():
        try:
            with opened(folder / f"{name}{suffix}") as source:
                for case in group:
                    yield case, source
        except AvermentError:
            # A source that cannot be opened answers nothing.
            for case in group:
                yield case, None


def plain(value: Any) -> Any:
    """A cell as JSON writes it."""
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def timed(began: float) -> float:
    """Seconds since a moment."""
    return round(time.perf_counter() - began, 4)
