"""Cells of recorded tables as slots of a sentence: each number a reader sees is one of these."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from averment.evidence.bind import cell, slot
from averment.records.run import Slot

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.spine.work import Work


def places_of(value: object) -> int | None:
    """How many decimals a reader needs of a number of that size; None where all of them, or where it is no number."""
    if not isinstance(value, float) or math.isnan(value) or abs(value) >= 1e15 or value.is_integer():
        return None
    size = abs(value)
    return 0 if size >= 1_000 else 1 if size >= 100 else 2 if size >= 1 else None


class Cells:
    """The cells of the table that one task left."""

    def __init__(self, work: Work, task: str) -> None:
        self.table: pa.Table = work.table(task)
        _, observation = work.answered[task]
        data: dict[str, Any] = observation.data or {}
        self._observation_id = observation.observation_id
        self._hash = str(data.get("query_hash") or data["table"]["sha256"])

    def value(self, row: int, column: str) -> Any:
        """The plain value of a cell."""
        return self.table.column(column)[row].as_py()

    def has(self, row: int, column: str) -> bool:
        """Whether the cell is there and holds a value."""
        return column in self.table.column_names and row < self.table.num_rows and self.value(row, column) is not None

    def number(self, row: int, column: str) -> float:
        """The cell as a number; zero where it holds none."""
        found = self.value(row, column) if self.has(row, column) else None
        return float(found) if isinstance(found, int | float) else 0.0

    def slot(
        self, row: int, column: str, *, percent: bool = False, decimals: int | None = None, exact: bool = False
    ) -> Slot:
        """The cell as a slot, rounded as a reader needs it unless ``exact``."""
        evidence = cell(self.table, row, column, observation_id=self._observation_id, query_hash=self._hash)
        if decimals is None and not percent and not exact:
            decimals = places_of(self.value(row, column))
        return slot(evidence, unit="percent" if percent else None, decimals=decimals)

    def row_where(self, column: str, value: object) -> int:
        """The first row whose column holds that value; -1 when none does."""
        values = self.table.column(column).to_pylist()
        return values.index(value) if value in values else -1
