"""A table as CSV that no spreadsheet will run: the one way in which a result leaves as CSV."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_UNSEEN = (
    "\\x00-\\x20\\x7f\\u0085\\u00a0\\u00ad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u2064\\u3000\\ufeff"
)
"""What a spreadsheet may pass over at the start of a cell: control characters, blanks of all widths, marks."""

_STARTS = "=+\\-@\\uff1d\\uff0b\\uff0d\\uff20"
_FORMULA = re.compile(f"^[{_UNSEEN}]*[{_STARTS}]|^[\\t\\r\\n]")
# The same for Arrow's own expressions, which spell a character by its number in braces.
_ARROW_FORMULA = re.sub(r"\\u([0-9a-f]{4})", r"\\x{\1}", _FORMULA.pattern)


def to_csv(table: pa.Table) -> bytes:
    """The table with a header; a text that a spreadsheet would take for a formula gets a quote before it."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    columns = [_defused(column) for column in table.columns]
    names = [f"'{name}" if _FORMULA.match(name) else name for name in table.column_names]
    out = io.BytesIO()
    arrow_csv.write_csv(pa.table(columns, names=names), out, arrow_csv.WriteOptions(quoting_style="needed"))
    return out.getvalue()


def _defused(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.types as pat

    pc: Any = pyarrow.compute  # Its functions are made at import, which no type checker can see.
    if pat.is_integer(column.type) or pat.is_floating(column.type) or pat.is_boolean(column.type):
        return column
    if pat.is_nested(column.type) or pat.is_binary(column.type):
        texts = [None if value is None else str(value) for value in column.to_pylist()]
        column = pa.chunked_array([pa.array(texts, pa.string())])
    if not (pat.is_string(column.type) or pat.is_large_string(column.type)):
        return column.cast(pa.string())
    formulas = pc.match_substring_regex(column, _ARROW_FORMULA)
    if not pc.any(formulas).as_py():
        return column  # the usual case; making a value of a plain text, as below, loads pandas
    guarded = pc.binary_join_element_wise("'", column, "")
    return pc.if_else(formulas, guarded, column)
