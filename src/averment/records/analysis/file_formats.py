"""The formats of source files that Averment reads itself: one record each, from which all else about a format is taken.

``averment.tables`` has the code that reads a format; how files are told apart, what is offered and what hints say comes
from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """A format of files.

    ``said`` is what hints call it. ``holds`` says what is in it, by the three types of the analyst's contract. A file
    of ``text`` has no bytes by which it is known; others begin with ``mark`` at ``at``, or are a ``zip``. What is
    ``copied`` is read once into a snapshot; the rest is queried where it stands.
    """

    name: str
    said: str
    suffixes: tuple[str, ...]
    holds: Literal["rows", "json", "database"] = "rows"
    text: bool = False
    zip: bool = False
    mark: bytes | None = None
    at: int = 0
    copied: bool = True


FILE_FORMATS: dict[str, FileFormat] = {
    form.name: form
    for form in (
        FileFormat(name="csv", said="CSV, TSV", suffixes=(".csv", ".tsv", ".tab", ".psv", ".txt", ".dat"), text=True),
        FileFormat(name="json", said="JSON", suffixes=(".json",), holds="json", text=True),
        FileFormat(name="jsonl", said="JSONL", suffixes=(".jsonl", ".ndjson"), holds="json", text=True),
        FileFormat(name="xlsx", said="Excel", suffixes=(".xlsx", ".xlsm"), zip=True),
        FileFormat(name="parquet", said="Parquet", suffixes=(".parquet", ".pq"), mark=b"PAR1", copied=False),
        FileFormat(
            name="duckdb",
            said="DuckDB",
            suffixes=(".duckdb", ".ddb"),
            holds="database",
            mark=b"DUCK",
            at=8,
            copied=False,
        ),
        FileFormat(
            name="sqlite",
            said="SQLite",
            suffixes=(".sqlite", ".sqlite3", ".db3"),
            holds="database",
            mark=b"SQLite format 3\x00",
            copied=False,
        ),
    )
}
"""By name, in the order in which they are told."""

FORMAT_OF_SUFFIX: dict[str, str] = {suffix: form.name for form in FILE_FORMATS.values() for suffix in form.suffixes}


def said_formats() -> str:
    """The formats in a sentence: "CSV, Excel or SQLite"."""
    *first, last = (form.said for form in FILE_FORMATS.values())
    return f"{', '.join(first)} or {last}"
