"""A table on a page: one page of its rows, in the order of one of its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.faces.web.proofs import written

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 25


@dataclass(frozen=True)
class Column:
    """One column: its name, and whether it holds numbers."""

    name: str
    numeric: bool


@dataclass(frozen=True)
class GridPage:
    """Some rows of a table, and where they stand in it."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    row_count: int
    page: int
    pages: int
    sort: int | None
    descending: bool


def turn_to(table: pa.Table, *, page: int = 1, sort: int | None = None, descending: bool = False) -> GridPage:
    """One page of the table, ordered by the column of that number; numbers that do not fit are taken as the nearest."""
    import pyarrow as pa

    if sort is not None and not 0 <= sort < table.num_columns:
        sort = None
    if sort is not None:
        order = "descending" if descending else "ascending"
        # By position and not by name: two columns of a result may be called the same.
        numbered = pa.table({"key": table.column(sort), "row": pa.array(range(table.num_rows))})
        table = table.take(numbered.sort_by([("key", order), ("row", "ascending")]).column("row"))
    pages = max(1, -(-table.num_rows // ROWS))
    page = min(max(1, page), pages)
    part = table.slice((page - 1) * ROWS, ROWS)
    values: list[list[Any]] = [column.to_pylist() for column in part.columns]
    rows = tuple(tuple(written(column[index]) for column in values) for index in range(part.num_rows))
    columns = tuple(Column(field.name, _is_number(field.type)) for field in table.schema)
    return GridPage(columns, rows, table.num_rows, page, pages, sort, descending)


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
