"""A table of rows in memory, small enough to be looked at whole: its columns, their cells and the numbers in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from averment.reading.rows.cells import (
    Cell,
    Part,
    Raw,
    View,
    cut_part,
    read_cell,
    stem_of,
    view_number,
    words_of,
)

if TYPE_CHECKING:
    from averment.tables.profile.profiler import TableProfile

MOST_ROWS = 300
"""Longer tables hold records about things, not things one a row; they are asked with aggregates."""

MOST_COLUMNS = 40
MOST_PARTS = 8
_SHARE = 0.6
_CUT: tuple[Part, ...] = ("month", "tail", "head", "inside")


@dataclass(eq=False)
class CellColumn:
    """One column, or a part of each of its cells: its name's words and its cells, top to bottom."""

    place: int
    name: str
    data_type: str
    cells: tuple[Cell, ...]
    part: Part | None = None
    base: int | None = None
    """The place of the column that this one is a part of."""
    _views: dict[View, tuple[float | None, ...]] = field(default_factory=dict[View, "tuple[float | None, ...]"])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The name's words."""
        own = words_of(self.name.replace("_", " "))
        return (*own, "month") if self.part == "month" and "month" not in own else own

    @cached_property
    def stems(self) -> frozenset[str]:
        """The name's stems."""
        return frozenset(map(stem_of, self.words))

    @cached_property
    def filled(self) -> int:
        """How many cells say something."""
        return sum(not cell.is_empty for cell in self.cells)

    @cached_property
    def marks(self) -> tuple[Any, ...]:
        """One mark a cell, the same for cells that hold the same."""
        return tuple(cell.raw for cell in self.cells)

    @cached_property
    def distinct(self) -> int:
        """How many different cells there are."""
        return len({mark for mark in self.marks if mark is not None})

    @cached_property
    def is_unique(self) -> bool:
        """Whether nearly every row has a cell of its own here."""
        return self.distinct >= 0.9 * max(1, len(self.cells))

    def numbers(self, view: View) -> tuple[float | None, ...]:
        """The cells as numbers."""
        if view not in self._views:
            self._views[view] = tuple(view_number(cell.raw, view) for cell in self.cells)
        return self._views[view]

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The ways in which most of the cells are numbers, the plainest first."""
        if self.data_type in {"integer", "float"}:
            return ("value",)
        if self.data_type in {"date", "datetime"}:
            return ("value", "year")
        found: list[View] = []
        for view in ("seconds", "number", "year", "second"):
            known = sum(number is not None for number in self.numbers(view))
            if known >= max(2, _SHARE * self.filled) or (known == self.filled == 1):
                found.append(view)
        if "seconds" in found:
            return ("seconds",)
        return tuple(found)

    @cached_property
    def pairs(self) -> tuple[View, ...]:
        """How most of the cells are read by two numbers each: scores, and spans of years."""
        if self.data_type != "string" or self.part is not None or "seconds" in self.views:
            return ()
        known = sum(number is not None for number in self.numbers("second"))
        return ("margin", "both") if known >= max(2, _SHARE * self.filled) else ()

    @cached_property
    def is_numeric(self) -> bool:
        """Whether the cells are mainly numbers, not texts with a number in them."""
        if self.data_type in {"integer", "float"}:
            return True
        if not self.views or self.data_type != "string":
            return False
        lead = sum(bool(cell.words[0]) and cell.words[0][0][0].isdigit() for cell in self.cells)
        short = sum(len(cell.words[0]) <= 3 for cell in self.cells if not cell.is_empty)
        return min(lead, short) >= _SHARE * max(1, self.filled)

    @cached_property
    def is_time(self) -> bool:
        """Whether the cells say when."""
        if self.data_type in {"date", "datetime"}:
            return True
        if self.data_type == "integer":
            known = [n for n in self.numbers("value") if n is not None]
            return bool(known) and min(known) >= 1500 and max(known) <= 2100 and bool(self.stems & _TIMES)
        return "year" in self.views and self.filled > 0 and (bool(self.stems & _TIMES) or self.is_numeric)


SUMMED = (("total",), ("totals",), ("sum",), ("grand",))
"""How the first cells of a row that sums up the others begin."""

_TIMES = frozenset("year date season day month time period release open found bear die start end built tenure".split())


@dataclass(eq=False)
class CellGrid:
    """One table."""

    table: str
    columns: tuple[CellColumn, ...]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].cells)

    @cached_property
    def summing(self) -> frozenset[int]:
        """Rows that only sum up the others: their first cells say so."""
        found: set[int] = set()
        for row in range(self.size):
            head = [column.cells[row].words[0] for column in self.columns[:3]]
            if any(words[:1] in SUMMED for words in head):
                found.add(row)
        return frozenset(found) if len(found) <= 2 else frozenset()


def make_grid(table: str, names: list[str], types: list[str], columns: list[list[Raw]]) -> CellGrid:
    """A grid of columns as they come from the engine."""
    made = [
        CellColumn(place, name, data_type, tuple(map(read_cell, values)))
        for place, (name, data_type, values) in enumerate(zip(names, types, columns, strict=True))
    ]
    parts = [column for known in made for column in _parts(known)]
    return CellGrid(
        table, (*made, *(replace(part, place=len(made) + at) for at, part in enumerate(parts[:MOST_PARTS])))
    )


def _parts(known: CellColumn) -> list[CellColumn]:
    """Parts of a column that most of its cells have, and that say less than the whole."""
    if known.data_type not in {"string", "date", "datetime"}:
        return []
    found: list[CellColumn] = []
    for part in _CUT if known.data_type == "string" else _CUT[:1]:
        cut = [cut_part(cell.raw, part) for cell in known.cells]
        filled = [value for value in cut if value is not None]
        if len(filled) < max(3, _SHARE * known.filled) or len(set(filled)) < 2:
            continue
        if part != "month" and (known.is_time or sum(value[0].isdigit() for value in filled) > 0.5 * len(filled)):
            continue
        found.append(CellColumn(known.place, known.name, "string", tuple(map(read_cell, cut)), part, known.place))
    return found


def read_grid(
    profiles: Sequence[TableProfile], ask: Callable[[str, Sequence[Any]], list[dict[str, Any]]]
) -> CellGrid | None:
    """The one table's permitted columns, row by row; None when there are several tables or it is too long."""
    if len(profiles) != 1:
        return None
    profile = profiles[0]
    if not 1 <= profile.row_count <= MOST_ROWS or not 2 <= len(profile.columns) <= MOST_COLUMNS:
        return None
    from averment.tables.engines.backend import quote

    names = [column.name for column in profile.columns]
    rows = ask(f"SELECT {', '.join(map(quote, names))} FROM {quote(profile.table)}", ())
    columns = [[_raw(row[name]) for row in rows] for name in names]
    kinds = ["clock" if column.type == "TIME" else column.data_type for column in profile.columns]
    return make_grid(profile.table, names, kinds, columns)


def _raw(value: Any) -> Raw:
    """A cell as it is read; a length such as 3:40, which the engine holds as a time of day, as it was written."""
    if isinstance(value, time):
        return f"{value.hour}:{value.minute:02d}"
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if value is None or isinstance(value, str | int | float | date) else str(value)
