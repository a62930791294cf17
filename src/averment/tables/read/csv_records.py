"""From lines of a separated file to records, strictly first and with every plausible reading when that fails.

The strict reading is RFC 4180 with one or more characters as delimiter, an optional quote, and quotes escaped by
doubling or by a backslash. A line that does not obey is not guessed at here: it comes out as faulty, and ``readings``
lists the ways in which it could be meant.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

MAX_CELL_LINES = 1_000
MAX_CELL_CHARS = 8_000_000


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How cells are kept apart; ``quote`` may be empty, ``escape`` is the quote itself (doubling) or a backslash."""

    delimiter: str
    quote: str = '"'
    escape: str = '"'

    @property
    def label(self) -> str:
        """The dialect in words for a note."""
        names = {"\t": "tab", " ": "space", ",": "comma", ";": "semicolon", "|": "pipe", "": "none"}
        return f"delimiter {names.get(self.delimiter, repr(self.delimiter))}, quote {self.quote or 'none'}"


class CsvRecord(NamedTuple):
    """One record: its cells, its text as in the file, its first line (1-based), and whether it breaks the dialect."""

    cells: list[str]
    raw: str
    line: int
    faulty: bool = False

    @property
    def blank(self) -> bool:
        """Whether no cell holds anything but white space."""
        cells = self.cells
        return not (cells[0].strip() or any(cell.strip() for cell in cells))


class _OpenCell:
    """A quoted cell that has not ended at the end of the line."""


class _Fault:
    """Text after a closing quote that is neither a delimiter nor the end."""


def physical_lines(text: str) -> list[str]:
    """The lines of a text with their ends: line feed, carriage return or both, and nothing else, end a line."""
    return list(io.StringIO(text, newline=""))


def read_records(lines: Iterable[str], dialect: Dialect) -> Iterator[CsvRecord]:
    """Records of the lines (each with its line end); quoted cells may span lines.

    A cell that never closes, or closes in a way the dialect does not allow, makes only its first line faulty: the lines
    after it are read afresh, so that one stray quote cannot swallow the rest of the file.
    """
    waiting = deque[str]()
    source = iter(lines)
    number = 0
    while True:
        line = waiting.popleft() if waiting else next(source, None)
        if line is None:
            return
        number += 1
        body = line.rstrip("\r\n")
        plain = not dialect.quote or dialect.quote not in body
        if plain and (dialect.escape != "\\" or "\\" not in body):
            yield CsvRecord(body.split(dialect.delimiter) if dialect.delimiter else [body], body, number)
            continue
        result = split_line(body, dialect)
        if isinstance(result, list):
            yield CsvRecord(result, body, number)
            continue
        taken: list[str] = []
        if isinstance(result, _OpenCell):
            joined = _join_lines(line, source, waiting, taken, dialect)
            if joined is not None:
                yield CsvRecord(joined[0], joined[1], number)
                number += len(taken)
                continue
        waiting.extendleft(reversed(taken))
        yield CsvRecord(readings(body, dialect)[0], body, number, faulty=True)


def _join_lines(
    line: str, source: Iterator[str], waiting: deque[str], taken: list[str], dialect: Dialect
) -> tuple[list[str], str] | None:
    """Cells and text of a record whose quoted cell goes on over further lines, or None when it never closes well."""
    parts, size = [line], len(line)
    while len(taken) < MAX_CELL_LINES and size < MAX_CELL_CHARS:
        more = waiting.popleft() if waiting else next(source, None)
        if more is None:
            return None
        taken.append(more)
        parts.append(more)
        size += len(more)
        if dialect.quote not in more:
            continue
        text = "".join(parts).rstrip("\r\n")
        result = split_line(text, dialect)
        if isinstance(result, list):
            return result, text
        if isinstance(result, _Fault):
            return None
    return None


def split_line(body: str, dialect: Dialect, quoted: list[bool] | None = None) -> list[str] | _OpenCell | _Fault:
    """The cells of one record's text, by the strict reading; ``quoted`` is filled with whether each stood in quotes."""
    delimiter, quote = dialect.delimiter, dialect.quote
    cells: list[str] = []
    position, end = 0, len(body)
    while True:
        start = _skip_spaces(body, position, delimiter)
        in_quotes = bool(quote) and body.startswith(quote, start)
        if quoted is not None:
            quoted.append(in_quotes)
        if in_quotes:
            closing = _closing(body, start + 1, dialect)
            if closing < 0:
                return _OpenCell()
            after = _skip_spaces(body, closing + 1, delimiter)
            if after < end and not body.startswith(delimiter, after):
                return _Fault()
            cells.append(_unescape(body[start + 1 : closing], dialect))
        else:
            after = _cell_end(body, position, dialect)
            cell = body[position:after]
            cells.append(_unescape(cell, dialect) if dialect.escape == "\\" else cell)
        if after >= end:
            return cells
        position = after + len(delimiter)


def _cell_end(body: str, position: int, dialect: Dialect) -> int:
    """Where an unquoted cell ends: at the next delimiter that no backslash takes the meaning from."""
    while dialect.delimiter:
        found = body.find(dialect.delimiter, position)
        if found < 0:
            break
        if dialect.escape != "\\" or not _escaped(body, found):
            return found
        position = found + 1
    return len(body)


def _escaped(body: str, place: int) -> bool:
    """Whether an odd number of backslashes stands before the place."""
    slashes = 0
    while place - slashes - 1 >= 0 and body[place - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _skip_spaces(body: str, position: int, delimiter: str) -> int:
    if delimiter.startswith(" "):
        return position
    while position < len(body) and body[position] == " ":
        position += 1
    return position


def _closing(body: str, position: int, dialect: Dialect) -> int:
    """Where the quoted cell that began before ``position`` closes, or -1."""
    quote = dialect.quote
    while True:
        found = body.find(quote, position)
        if found < 0:
            return -1
        if dialect.escape == "\\":
            if _escaped(body, found):
                position = found + 1
                continue
        elif dialect.escape == quote and body.startswith(quote, found + 1):
            position = found + 2
            continue
        return found


def _unescape(cell: str, dialect: Dialect) -> str:
    if dialect.escape == "\\":
        meant = [mark for mark in (dialect.quote, dialect.delimiter, "\\") if mark]
        return re.sub(r"\\(" + "|".join(re.escape(mark) for mark in meant) + ")", r"\1", cell)
    return cell.replace(dialect.quote * 2, dialect.quote) if dialect.escape else cell


def readings(body: str, dialect: Dialect, *, restart: bool = False) -> list[list[str]]:
    """Every way to read a line whose quotes do not obey, the most literal first; duplicates are left out.

    With ``restart`` a quote after text, or text after a closing quote, begins a new cell: a delimiter is missing.
    """
    found: list[list[str]] = []
    for lazy in (False, True):
        cells = _read_loosely(body, dialect, lazy=lazy, restart=restart)
        if cells not in found:
            found.append(cells)
    return found


def _read_loosely(body: str, dialect: Dialect, *, lazy: bool, restart: bool) -> list[str]:
    """One loose reading.

    ``lazy``: a quoted cell ends only at a quote before a delimiter or the end; quotes inside are text. Otherwise an
    opening quote that does not close well is text. ``restart``: as in ``readings``.
    """
    delimiter, quote, end = dialect.delimiter, dialect.quote, len(body)
    cells: list[str] = []
    position = 0
    while True:
        start = _skip_spaces(body, position, delimiter)
        if body.startswith(quote, start):
            closing = _closing(body, start + 1, dialect)
            after = _skip_spaces(body, closing + 1, delimiter) if closing >= 0 else -1
            well = closing >= 0 and (after >= end or body.startswith(delimiter, after))
            if not well and lazy:
                closing, after = _lazy_closing(body, start + 1, dialect)
                well = closing >= 0
            if well or (restart and closing > start + 1):
                cells.append(_unescape(body[start + 1 : closing], dialect))
                if well and after >= end:
                    return cells
                position = after + len(delimiter) if well else closing + 1
                continue
        found = body.find(delimiter, position) if delimiter else -1
        stop = end if found < 0 else found
        inner = body.find(quote, position + 1, stop) if restart else -1
        if inner > 0 and body[position:inner].strip() and _closing(body, inner + 1, dialect) > 0:
            cells.append(body[position:inner])
            position = inner
            continue
        cells.append(body[position:stop])
        if stop >= end:
            return cells
        position = stop + len(delimiter)


def _lazy_closing(body: str, position: int, dialect: Dialect) -> tuple[int, int]:
    quote, end = dialect.quote, len(body)
    while True:
        found = body.find(quote, position)
        if found < 0:
            return -1, -1
        after = _skip_spaces(body, found + len(quote), dialect.delimiter)
        if after >= end or body.startswith(dialect.delimiter, after):
            return found, after
        position = found + 1
