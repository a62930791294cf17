"""A table on a page: one page of its rows, in the order of one of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.faces.web.proofs import written

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 25
MOST_DRAWN = 200


@dataclass(frozen=True)
class Drawn:
    """The rows that a chart draws, as texts; ``left_out`` says how many more there are."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int


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


def drawn_rows(spec: Mapping[str, Any] | None) -> Drawn | None:
    """The rows in a chart's own document under the titles of its axes; None when it draws no plain rows."""
    data: Any = (spec or {}).get("data")
    values: Any = data.get("values") if isinstance(data, dict) else None
    if spec is None or not isinstance(values, list) or not values or not isinstance(values[0], dict):
        return None
    titles: dict[str, str] = dict(_titles(spec))
    first: dict[str, Any] = values[0]
    keys = [key for key in first if key in titles] or list(first)
    rows = tuple(tuple(written(row.get(key)) for key in keys) for row in values[:MOST_DRAWN])
    return Drawn(tuple(titles.get(key, key) for key in keys), rows, max(0, len(values) - MOST_DRAWN))


def _titles(part: Any) -> Iterator[tuple[str, str]]:
    """Every field of a chart with the title it is shown under, however deep its layers go."""
    if isinstance(part, dict):
        field, title = part.get("field"), part.get("title")
        if isinstance(field, str):
            yield field, title if isinstance(title, str) and title else field
        for value in part.values():
            yield from _titles(value)
    elif isinstance(part, list):
        for value in part:
            yield from _titles(value)


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
