"""Tables as text inside the engine, before their columns get types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from averment.tables.catalog import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Hint = Literal["number", "boolean", "string", "json", "date", "datetime", "time"]
"""What a source that has types of its own says about a column; a CSV file says nothing."""


@dataclass
class StagedTable:
    """A temporary table of text columns c0, c1 …, with the names its source gave them and what was noticed so far.

    A name is None where the header has no cell for a column that the rows have.
    """

    name: str
    relation: str
    originals: list[str | None]
    notes: list[Note] = field(default_factory=list[Note])
    hints: list[Hint | None] = field(default_factory=list["Hint | None"])
    delimiter: str | None = None
    odd_characters: bool = False

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.originals)


def count_rows(connection: DuckDBPyConnection, relation: str) -> int:
    """How many rows the relation has."""
    row = connection.execute(f"SELECT count(*) FROM {relation}").fetchone()
    return int(row[0]) if row else 0


def rows_note(code: str, text: str, rows: list[int], count: int) -> Note:
    """A note about some rows: how many, and which come first."""
    shown = ", ".join(str(row) for row in rows[:5])
    more = " …" if count > 5 else ""
    return Note(code=code, message=f"{count} row(s) {text} Rows: {shown}{more}.", rows=tuple(rows[:20]))
