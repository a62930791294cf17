"""Looks at a finished table for what a reader would not see.

Control characters, two spellings of one word, errors that a spreadsheet left behind, and rows that are no rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.tables.catalog import Note, TableInfo
from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MIN_COLUMNS = 3
MAX_COLUMNS = 200
_ERRORS = "'#REF!', '#N/A', '#VALUE!', '#DIV/0!', '#NAME?', '#NULL!', '#NUM!'"


def check_texts(connection: DuckDBPyConnection, table: TableInfo, *, odd_characters: bool) -> list[Note]:
    """Notes about the text columns; ``odd_characters`` says whether the file holds control characters at all."""
    texts = [column.name for column in table.columns if column.type == "VARCHAR"]
    relation = quote(table.name)
    if not texts:
        return []
    tests = ", ".join(
        f"count(*) FILTER (WHERE {name} IN ({_ERRORS})), "
        f"count(*) FILTER (WHERE strlen({name}) <> length({name}) AND {name} <> nfc_normalize({name}))"
        for name in (quote(text) for text in texts)
    )
    row = connection.execute(f"SELECT {tests} FROM {relation}").fetchone() or ()
    notes = _sparse_rows(connection, relation, table)
    for place, name in enumerate(texts):
        if row[2 * place]:
            message = f"{row[2 * place]} cell(s) hold a spreadsheet error such as #REF!."
            notes.append(Note(code="spreadsheet_errors", message=message, column=name))
        if row[2 * place + 1]:
            message = "Some words have separate accents (NFD); they do not equal the usual spelling in a join or group."
            notes.append(Note(code="unicode_forms", message=message, column=name))
    if odd_characters:
        notes += _control_notes(connection, relation, texts)
    return notes


def _sparse_rows(connection: DuckDBPyConnection, relation: str, table: TableInfo) -> list[Note]:
    """A note about rows with a single cell in a table of several columns: titles of sections, or footnotes."""
    if not MIN_COLUMNS <= len(table.columns) <= MAX_COLUMNS:
        return []
    filled = " + ".join(f"CAST({quote(column.name)} IS NOT NULL AS INTEGER)" for column in table.columns)
    found = connection.execute(
        f"SELECT n FROM (SELECT row_number() OVER () AS n, {filled} AS cells FROM {relation}) WHERE cells = 1 LIMIT 21"
    ).fetchall()
    rows = [int(row[0]) for row in found]
    if not rows or len(rows) > max(1, (table.row_count or 0) // 5):
        return []
    message = "Some rows have one cell only; they may be titles or footnotes, not data."
    return [Note(code="sparse_rows", message=message, rows=tuple(rows[:20]))]


def _control_notes(connection: DuckDBPyConnection, relation: str, texts: list[str]) -> list[Note]:
    pattern = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]"
    tests = ", ".join(f"count(*) FILTER (WHERE regexp_matches({quote(name)}, '{pattern}'))" for name in texts)
    row = connection.execute(f"SELECT {tests} FROM {relation}").fetchone() or ()
    return [
        Note(
            code="control_characters",
            message=f"{count} cell(s) hold control characters; they are escaped when shown.",
            column=name,
        )
        for name, count in zip(texts, row, strict=True)
        if count
    ]
