"""Tables as rows under headers, whatever they are drawn with; every row knows its place."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

Line = tuple[str, int]
"""A line without its margin, and where it begins in the text."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row and where it stands."""

    cells: list[str]
    start: int
    end: int


def read_drawn(lines: list[Line]) -> tuple[list[str], list[TableRow]]:
    """A table drawn with + and | or with rows of = signs: its header and its rows."""
    rows = _grid(lines) if "+" in lines[0][0] else _simple(lines)
    return (rows[0].cells, rows[1:]) if rows else ([], [])


def read_piped(lines: list[Line]) -> tuple[list[str], list[TableRow]]:
    """A Markdown table: its header and its rows."""
    rows = [TableRow(_piped_cells(text), at, at + len(text)) for text, at in lines]
    return rows[0].cells, rows[2:]


def read_csv(lines: list[Line], header: str | None) -> tuple[list[str], list[TableRow]]:
    """The rows of a ``csv-table``; its header is an option or its first row."""
    rows: list[TableRow] = []
    for text, at in lines:
        if text.strip():
            cells = next(csv.reader(io.StringIO(text.strip()), skipinitialspace=True), [])
            rows.append(TableRow(cells, at, at + len(text)))
    if header is not None:
        return next(csv.reader([header], skipinitialspace=True), []), rows
    return (rows[0].cells, rows[1:]) if rows else ([], [])


def read_listed(lines: list[Line]) -> tuple[list[str], list[TableRow]]:
    """The rows of a ``list-table``: lists in a list."""
    rows: list[TableRow] = []
    for text, at in lines:
        match = re.match(r"\s*(\*\s+)?-\s*(.*)$", text)
        end = at + len(text)
        if match and (match[1] or rows):
            if match[1]:
                rows.append(TableRow([], at, end))
            rows[-1] = TableRow([*rows[-1].cells, match[2]], rows[-1].start, end)
        elif rows and rows[-1].cells and text.strip():
            cells = [*rows[-1].cells[:-1], f"{rows[-1].cells[-1]} {text.strip()}"]
            rows[-1] = TableRow(cells, rows[-1].start, end)
    return (rows[0].cells, rows[1:]) if rows else ([], [])


def _grid(lines: list[Line]) -> list[TableRow]:
    rows: list[TableRow] = []
    fresh = True
    for text, at in lines:
        if re.match(r"^\s*\+[-=+]+", text):
            fresh = True
        elif "|" in text:
            cells = _piped_cells(text)
            if not fresh and rows and len(cells) == len(rows[-1].cells):
                joined = [f"{a} {b}".strip() for a, b in zip(rows[-1].cells, cells, strict=True)]
                rows[-1] = TableRow(joined, rows[-1].start, at + len(text))
            else:
                rows.append(TableRow(cells, at, at + len(text)))
            fresh = False
    return rows


def _simple(lines: list[Line]) -> list[TableRow]:
    cuts = [match.start() for match in re.finditer(r"=+", lines[0][0])]
    ends = [*cuts[1:], None]
    rows: list[TableRow] = []
    for text, at in lines:
        if re.match(r"^[\s=-]+$", text):
            continue
        cells = [text[first:last].strip() for first, last in zip(cuts, ends, strict=True)]
        if rows and not cells[0]:
            joined = [f"{a} {b}".strip() for a, b in zip(rows[-1].cells, cells, strict=True)]
            rows[-1] = TableRow(joined, rows[-1].start, at + len(text))
        else:
            rows.append(TableRow(cells, at, at + len(text)))
    return rows


def _piped_cells(text: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", text.strip().removeprefix("|").removesuffix("|"))]
