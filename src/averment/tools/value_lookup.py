"""Where a value stands in tables: the columns that hold it, how often, and what is written most like it elsewhere."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from averment.tables.engines.backend import quote
from averment.tools.tool import Output

if TYPE_CHECKING:
    from averment.tables.engines.engine import Engine

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
