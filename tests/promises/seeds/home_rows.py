"""What a person finds in the databases of a home."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def rows(home: Path, query: str, *values: str, database: str = "averment") -> list[tuple[Any, ...]]:
    """Rows of a database of the home, as any program reads them."""
    with closing(sqlite3.connect(home / "db" / f"{database}.db")) as opened:
        return opened.execute(query, values).fetchall()


def kept(home: Path, run_id: str, kind: str) -> list[dict[str, Any]]:
    """What a run kept of one kind, in its order."""
    found = rows(home, "SELECT body FROM run_records WHERE run_id = ? AND kind = ? ORDER BY position", run_id, kind)
    return [json.loads(body) for (body,) in found]


def table(
    home: Path, name: str, where: str = "1 = 1", *values: str, database: str = "averment"
) -> list[dict[str, Any]]:
    """A table's rows with the names of their columns."""
    columns = [column[1] for column in rows(home, f'PRAGMA table_info("{name}")', database=database)]
    found = rows(home, f'SELECT * FROM "{name}" WHERE {where}', *values, database=database)
    return [dict(zip(columns, row, strict=True)) for row in found]
