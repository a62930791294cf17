"""A table as CSV that no spreadsheet will run."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(table: pa.Table) -> bytes:
    """The table with a header; a text that begins like a formula gets a quote before it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_guarded(name) for name in table.column_names])
    for row in table.to_pylist():
        writer.writerow([_guarded(value) for value in row.values()])
    return out.getvalue().encode()


def _guarded(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value
