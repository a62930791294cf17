"""The rows of a run's result as a client and a reply take them: whole where they are few, the first of them else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from averment.evidence.values import scalar

if TYPE_CHECKING:
    import pyarrow as pa

TOLD = 24
"""A result of so many rows is told whole."""
BEGINNING = 10
WIDEST = 8


@dataclass(frozen=True, slots=True)
class RowWindow:
    """Some rows of a result, from one on, and how many there are."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int


def rows_of(table: pa.Table | None, *, offset: int = 0, limit: int = TOLD) -> RowWindow | None:
    """Rows as plain values; None where there is no table."""
    if table is None:
        return None
    part = table.slice(offset, limit)
    return RowWindow(
        tuple(part.column_names),
        tuple(tuple(_plain(value) for value in row.values()) for row in part.to_pylist()),
        table.num_rows,
    )


def _plain(value: Any) -> Any:
    read = scalar(value)
    if isinstance(read, Decimal):
        return int(read) if read == read.to_integral_value() and abs(read) < 2**53 else float(read)
    if isinstance(read, datetime | date):
        return read.isoformat()
    return read if isinstance(read, bool | int | float | str) or read is None else str(read)


def as_text(columns: Sequence[str], rows: Sequence[Sequence[Any]], total: int) -> str:
    """Rows as a small table in Markdown; of a long result its beginning, and it is said so."""
    shown = rows if total <= TOLD else rows[:BEGINNING]
    wide = columns[:WIDEST]
    head = f"| {' | '.join(wide)} |\n|{'---|' * len(wide)}"
    lines = [f"| {' | '.join(said(value, first=at == 0) for at, value in enumerate(row[:WIDEST]))} |" for row in shown]
    more = "" if len(shown) == total else f"\n({len(shown)} of {total} rows)"
    return "\n".join([head, *lines]) + more


def tells(answer: str, rows: Sequence[Sequence[Any]], total: int) -> bool:
    """Whether an answer already names every row of a result."""
    if total > TOLD or not rows:
        return False
    plain = answer.casefold()
    return all(said(row[0], first=True).casefold() in plain and said(row[-1]).casefold() in plain for row in rows)


def said(value: Any, *, first: bool = False) -> str:
    """A value as a reply names it; the first of a row is a name, such as a year, and keeps its digits."""
    if value is None:
        return "\u2013"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if first or abs(value) < 10_000 else f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) >= 1 or not value else f"{value:.4g}"
    return str(value).replace("|", "\\|")
