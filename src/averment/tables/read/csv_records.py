"""From lines of a separated file to records, strictly first and with every plausible reading when that fails.

The strict reading is RFC 4180 with one or more characters as delimiter, an optional quote, and quotes escaped by
doubling or by a backslash. A line that does not obey is not guessed at here: it comes out as faulty, and ``readings``
lists the ways in which it could be meant.
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from averment.tables.types.cell_kinds import Kind, fine_shape, kind_of

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


OTHER_DELIMITERS = (";", "\t", "|", ", ", " ", ",")

MIN_TRAINING = 3

MARGIN = math.log(3.5)

FLOOR = math.log(0.004)

MAX_SPLIT_CELL = 2_000

MAX_WIDTH = 400

MAX_TOKENS = 120


@dataclass(frozen=True)
class Way:
    """A line as tokens: which stood in quotes, what joins them, and a toll for being far from the plain reading."""

    tokens: list[str]
    joiner: str
    toll: float = 0.0
    quoted: tuple[bool, ...] = ()


@dataclass(frozen=True)
class RepairedRow:
    """The cells of a row in the table's width, and how they were come by ("" when the row fitted as it was)."""

    cells: list[str]
    how: str = ""


@dataclass
class ColumnModel:
    """How often each shape and kind was seen in a column."""

    shapes: Counter[str] = field(default_factory=Counter[str])
    kinds: Counter[Kind] = field(default_factory=Counter[Kind])
    starts: Counter[str] = field(default_factory=Counter[str])

    def learn(self, cell: str) -> None:
        """Counts one cell that belongs to the column."""
        self.shapes[fine_shape(cell)] += 1
        self.kinds[kind_of(cell)] += 1
        self.starts[_start(cell)] += 1

    def score(self, cell: str) -> float:
        """The log of how likely the cell is in this column; a stray quote at its edge does not change its looks."""
        cell = cell.strip("\"'")
        total = max(1, self.kinds.total())
        shape = self.shapes[fine_shape(cell)] / total
        kind = self.kinds[kind_of(cell)] / total
        start = self.starts[_start(cell)] / total
        return math.log(0.55 * shape + 0.25 * kind * start + 0.15 * kind + 0.001)


def _start(cell: str) -> str:
    """The class of the first character: a digit, a capital, a small letter or the sign itself."""
    first = cell.strip()[:1]
    if first.isdigit():
        return "9"
    return ("A" if first.isupper() else "a") if first.isalpha() else first


class RowRepairer:
    """Puts rows of one table right, once it has learned from the rows that fit."""

    def __init__(self, dialect: Dialect, width: int) -> None:
        self.dialect = dialect
        self.width = width
        self.columns = [ColumnModel() for _ in range(width)]
        self.learned = 0

    def learn(self, cells: list[str]) -> None:
        """Counts a row that fits."""
        if len(cells) == self.width and self.width <= MAX_WIDTH:
            self.learned += 1
            for model, cell in zip(self.columns, cells, strict=True):
                model.learn(cell)

    def repair(self, record: CsvRecord) -> RepairedRow:
        """The record in the table's width."""
        suspicious = record.faulty or (len(record.cells) == self.width and self._inner_quote(record))
        if len(record.cells) == self.width and not suspicious:
            return RepairedRow(record.cells)
        if self.width <= MAX_WIDTH and self.learned >= MIN_TRAINING and len(record.raw) < 200_000:
            best = self._best(record)
            if best is not None:
                if best != record.cells or record.faulty:
                    return RepairedRow(best, "mended")
                return RepairedRow(best, "quotes" if self._torn(best) else "")
        return self._fit(record)

    def _inner_quote(self, record: CsvRecord) -> bool:
        quote = self.dialect.quote
        return bool(quote) and quote in record.raw and any(quote in cell for cell in record.cells)

    def _torn(self, cells: list[str]) -> bool:
        """Whether two cells hold a lone quote: one quoted text may have been cut at its commas."""
        return sum(cell.count(self.dialect.quote) % 2 for cell in cells) >= 2

    def _fit(self, record: CsvRecord) -> RepairedRow:
        """The record padded or cut; among readings of a faulty line the first with the right width."""
        cells = record.cells
        if record.faulty:
            cells = next((way for way in readings(record.raw, self.dialect) if len(way) == self.width), cells)
        if len(cells) < self.width:
            return RepairedRow([*cells, *([""] * (self.width - len(cells)))], "short")
        extra = cells[self.width :]
        if len(cells) == self.width:
            return RepairedRow(cells, "quotes")
        return RepairedRow(cells[: self.width], "long" if any(cell.strip() for cell in extra) else "trailing")

    def _best(self, record: CsvRecord) -> list[str] | None:
        """The clearly best reading, or None."""
        ranked: dict[tuple[str, ...], tuple[float, list[str]]] = {}
        for way in self._ways(record):
            for cells, cost in self._arrange(way):
                value = self._value(cells) + _odd_toll(cells, self.dialect) + way.toll + cost
                key = tuple(cell.strip() for cell in cells)
                if key not in ranked or ranked[key][0] < value:
                    ranked[key] = (value, cells)
        if not ranked:
            return None
        order = sorted(ranked.values(), key=lambda item: -item[0])
        value, cells = order[0]
        clear = len(order) == 1 or value - order[1][0] >= MARGIN
        worst = min(model.score(cell) for model, cell in zip(self.columns, cells, strict=True))
        if clear and (worst >= FLOOR or record.faulty or cells == record.cells):
            return cells
        return record.cells if len(record.cells) == self.width and not record.faulty else None

    def _ways(self, record: CsvRecord) -> list[Way]:
        """The ways in which the line could be meant."""
        quote, joiner = self.dialect.quote, self.dialect.delimiter
        marks: list[bool] = []
        plain = split_line(record.raw, self.dialect, marks)
        ways = [Way(record.cells, joiner, quoted=tuple(marks) if plain == record.cells else ())]
        if quote and quote in record.raw:
            for toll, restart in ((0.0, False), (-2.0, True)):
                found = readings(record.raw, self.dialect, restart=restart)
                ways += [Way(cells, joiner, toll) for cells in found if cells != plain]
        if len(record.cells) < self.width:
            for delimiter in OTHER_DELIMITERS:
                if delimiter != joiner and delimiter in record.raw:
                    other = Dialect(delimiter=delimiter, quote=quote, escape=self.dialect.escape)
                    quoted: list[bool] = []
                    tokens = split_line(record.raw, other, quoted)
                    if isinstance(tokens, list) and self.width <= len(tokens) <= MAX_TOKENS:
                        ways.append(Way(tokens, delimiter, -2.0, tuple(quoted)))
        return ways

    def _arrange(self, way: Way) -> list[tuple[list[str], float]]:
        """Ways to make the table's width of the tokens, each with its cost."""
        count = len(way.tokens)
        if count == self.width:
            return [(way.tokens, 0.0)]
        if self.width < count <= min(MAX_TOKENS, 6 * self.width):
            return self._merge(way)
        return self._split(way.tokens) if count == self.width - 1 else []

    def _merge(self, way: Way) -> list[tuple[list[str], float]]:
        """The best two ways to drop empty tokens and join neighbours until the width fits."""
        tokens, spare = way.tokens, len(way.tokens) - self.width
        table: list[list[list[tuple[float, tuple[str, ...]]]]] = [
            [[] for _ in range(self.width + 1)] for _ in range(len(tokens) + 1)
        ]
        table[0][0] = [(0.0, ())]
        for taken in range(len(tokens)):
            for column in range(self.width + 1):
                for value, cells in table[taken][column]:
                    if not tokens[taken].strip():
                        _offer(table[taken + 1][column], value - 1.0, cells)
                    if column == self.width:
                        continue
                    for size in range(1, min(spare + 1, len(tokens) - taken) + 1):
                        group = tokens[taken : taken + size]
                        if size > 1 and (
                            any(way.quoted[taken : taken + size]) or not (group[0].strip() and group[-1].strip())
                        ):
                            continue
                        cell = way.joiner.join(group)
                        score = self.columns[column].score(cell) - 1.5 * (size > 1) - 0.3 * (size - 1)
                        _offer(table[taken + size][column + 1], value + score, (*cells, cell))
        ends = table[len(tokens)][self.width]
        return [(list(cells), value - self._value(list(cells))) for value, cells in ends]

    def _split(self, tokens: list[str]) -> list[tuple[list[str], float]]:
        """Every way to gain one cell: an empty one somewhere, or one token cut in two."""
        found: list[tuple[list[str], float]] = []
        for index in range(len(tokens) + 1):
            toll = -0.2 if index == len(tokens) else -2.5
            found.append(([*tokens[:index], "", *tokens[index:]], toll))
        quote = self.dialect.quote
        for index, token in enumerate(tokens):
            if len(token) > MAX_SPLIT_CELL:
                continue
            for left, right in _cuts(token, quote):
                found.append(([*tokens[:index], left, right, *tokens[index + 1 :]], -1.0))
        return found

    def _value(self, cells: list[str]) -> float:
        return sum(model.score(cell) for model, cell in zip(self.columns, cells, strict=True))


def _odd_toll(cells: list[str], dialect: Dialect) -> float:
    """Quotes left over as text, and delimiters at the edge of a cell, are signs of a wrong reading."""
    quotes = sum(cell.count(dialect.quote) for cell in cells) if dialect.quote else 0
    mark = dialect.delimiter.strip()
    edges = sum(cell.startswith(mark) or cell.endswith(mark) for cell in cells) if mark else 0
    return -1.5 * quotes - 3.0 * edges


def _offer(cell: list[tuple[float, tuple[str, ...]]], value: float, cells: tuple[str, ...]) -> None:
    if any(known == cells for _, known in cell):
        return
    cell.append((value, cells))
    cell.sort(key=lambda item: -item[0])
    del cell[2:]


def _cuts(token: str, quote: str) -> list[tuple[str, str]]:
    """Places where a token may be two cells run together: at a quote, or where the class of character changes."""
    cuts: list[tuple[str, str]] = []
    if quote:
        cuts = [
            (token[: m.start()], token[m.end() :].removesuffix(quote)) for m in re.finditer(re.escape(quote), token)
        ]
    if len(token) <= 200:
        cuts += [(token[:place], token[place:]) for place in range(1, len(token))]
    return [(left, right) for left, right in cuts if left.strip() and right.strip()]
