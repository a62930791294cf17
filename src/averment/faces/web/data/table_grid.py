"""A table on a page: one page of its rows, in the order of one of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

from averment.evidence.formats import MISSING, write
from averment.evidence.values import scalar, show
from averment.faces.web.runs.proofs import written

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 25
MOST_DRAWN = 200
NAMING = frozenset({"id", "code", "zip", "number", "no", "key"})


@dataclass(frozen=True)
class GridRows:
    """The rows that a chart draws, as texts; ``left_out`` says how many more there are."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int


@dataclass(frozen=True)
class GridColumn:
    """One column: its name, and whether it holds numbers."""

    name: str
    numeric: bool


@dataclass(frozen=True)
class GridPage:
    """Some rows of a table, and where they stand in it."""

    columns: tuple[GridColumn, ...]
    rows: tuple[tuple[str | None, ...], ...]
    """The cells as texts; None where there is no value."""
    row_count: int
    page: int
    pages: int
    sort: int | None
    descending: bool
    places: tuple[int, ...] = ()
    """Each shown row's place in the result, counted from one, however the rows are sorted."""


def turn_to(
    table: pa.Table,
    *,
    page: int = 1,
    sort: int | None = None,
    descending: bool = False,
    rows: int = ROWS,
    kinds: Mapping[str, str],
) -> GridPage:
    """One page of the table, ordered by the column of that number; numbers that do not fit are taken as the nearest."""
    import pyarrow as pa

    if sort is not None and not 0 <= sort < table.num_columns:
        sort = None
    places = list(range(1, table.num_rows + 1))
    if sort is not None:
        order = "descending" if descending else "ascending"
        # By position and not by name: two columns of a result may be called the same.
        numbered = pa.table({"key": table.column(sort), "row": pa.array(range(table.num_rows))})
        sorted_rows = numbered.sort_by([("key", order), ("row", "ascending")]).column("row")
        table, places = table.take(sorted_rows), [row + 1 for row in sorted_rows.to_pylist()]
    pages = max(1, -(-table.num_rows // rows))
    page = min(max(1, page), pages)
    part = table.slice((page - 1) * rows, rows)
    columns = tuple(GridColumn(field.name, _is_number(field.type)) for field in table.schema)
    forms = [_form_of(table, place, column, kinds.get(column.name)) for place, column in enumerate(columns)]
    values: list[list[Any]] = [column.to_pylist() for column in part.columns]
    shown = tuple(
        tuple(
            None if column[index] is None else form(column[index]) for form, column in zip(forms, values, strict=True)
        )
        for index in range(part.num_rows)
    )
    seen = tuple(places[(page - 1) * rows : page * rows])
    return GridPage(columns, shown, table.num_rows, page, pages, sort, descending, seen)


def shown_cell(value: Any) -> str:
    """A cell as a person reads it: thousands apart, no noise behind the point, and said where there is no value."""
    return MISSING if value is None else show(value if isinstance(value, float) else scalar(value))


def _form_of(table: pa.Table, place: int, column: GridColumn, kind: str | None) -> Callable[[Any], str]:
    """How the cells of a column are written: years as years, months as months, fractions alike all the way down."""
    known = [value for value in table.column(place).to_pylist() if value is not None]
    words = set(column.name.casefold().replace("_", " ").split())
    if not column.numeric:
        is_month = (kind == "month" or "month" in words) and bool(known)
        first_days = is_month and all(isinstance(one, date) and one.day == 1 for one in known)
        return (lambda value: f"{value:%B %Y}") if first_days else str
    if kind == "year":
        return lambda value: write(scalar(value), "year")
    # A number that names its row is no amount.
    if (kind == "label" or words & NAMING) and all(isinstance(one, int) for one in known):
        return written
    if not any(isinstance(one, float) for one in known):
        return shown_cell
    if all(float(one).is_integer() for one in known if isfinite(one)):
        return shown_cell
    places = 2 if max((abs(one) for one in known if isfinite(one)), default=0.0) >= 1 else 4
    return lambda value: show(value, decimals=places) if isfinite(value) else str(value)


def drawn_rows(spec: Mapping[str, Any] | None) -> GridRows | None:
    """The rows in a chart's own document under the titles of its axes; None when it draws no plain rows."""
    data: Any = (spec or {}).get("data")
    values: Any = data.get("values") if isinstance(data, dict) else None
    if spec is None or not isinstance(values, list) or not values or not isinstance(values[0], dict):
        return None
    titles: dict[str, str] = dict(_titles(spec))
    first: dict[str, Any] = values[0]
    keys = [key for key in first if key in titles] or list(first)
    rows = tuple(tuple(_drawn_cell(row.get(key)) for key in keys) for row in values[:MOST_DRAWN])
    return GridRows(tuple(titles.get(key, key) for key in keys), rows, max(0, len(values) - MOST_DRAWN))


def _drawn_cell(value: Any) -> str:
    """A value of a chart's own rows: its names are texts there and stay as they are, its numbers are amounts."""
    if isinstance(value, str):
        # Moments are written in full there; a day is enough where it is midnight.
        return value.removesuffix("T00:00:00Z").removesuffix("T00:00:00")
    return shown_cell(value)


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
