"""Telling: sentences about the rows of a task's table, every number a cell of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.skill import QUERY, own_words
from averment.evidence.bind import bind, cell, result, slot
from averment.records.run import Finding, Slot

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.spine.work import Work


class Teller:
    """Makes the findings of one task's table, all by one method."""

    def __init__(self, work: Work, method: str, *, task: str = QUERY) -> None:
        self._work = work
        self._method = method
        self._call, self._observation = work.answered[task]
        self._words = own_words(work)
        self.table: pa.Table = work.table(task)

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        return self.table.column(name).to_pylist()

    def say(self, finding_id: str, template: str, row: int, **columns: str | tuple[str, int]) -> Finding:
        """A sentence about one row; each slot names its column, and perhaps how many decimals are shown."""
        return self.say_rows(finding_id, template, **{name: (row, column) for name, column in columns.items()})

    def say_rows(self, finding_id: str, template: str, **cells: tuple[int, str | tuple[str, int]]) -> Finding:
        """A sentence about cells of several rows."""
        slots = {name: self._slot(row, column) for name, (row, column) in cells.items()}
        return self._bind(finding_id, template, slots)

    def count_rows(self, finding_id: str, template: str = "The result has {count} rows.") -> Finding:
        """A sentence about how many rows the table has."""
        evidence = result(self._call.call_id, "table.row_count", self.table.num_rows)
        return self._bind(finding_id, template, {"count": slot(evidence)})

    def extremes(self, name: str) -> tuple[int, int] | None:
        """The rows with the highest and the lowest value of a column; None where it has none."""
        values = [(value, row) for row, value in enumerate(self.column(name)) if value is not None]
        if not values:
            return None
        high = max(values, key=lambda pair: (pair[0], -pair[1]))
        return high[1], min(values)[1]

    def known(self, names: Iterable[str]) -> list[int]:
        """The rows in which none of the columns is missing."""
        columns = [self.column(name) for name in names]
        return [row for row in range(self.table.num_rows) if all(column[row] is not None for column in columns)]

    def _slot(self, row: int, column: str | tuple[str, int]) -> Slot:
        name, decimals = column if isinstance(column, tuple) else (column, None)
        query_hash = str((self._observation.data or {})["query_hash"])
        evidence = cell(self.table, row, name, observation_id=self._observation.observation_id, query_hash=query_hash)
        return slot(evidence, decimals=decimals)

    def _bind(self, finding_id: str, template: str, slots: dict[str, Slot]) -> Finding:
        return bind(finding_id=finding_id, template=template, slots=slots, method=self._method, own_words=self._words)
