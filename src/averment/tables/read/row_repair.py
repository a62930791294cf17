"""Rows that do not fit their table, put right only where the other rows leave no doubt.

The rows that fit teach what each column looks like. A row that does not fit is read in every plausible way (a stray
quote as text, a missing or doubled delimiter, another delimiter on this one line), and the reading whose cells look
most like their columns is taken if it is clearly the best. Otherwise the row is padded or cut. Either way it is
flagged.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field

from averment.tables.read.csv_records import CsvRecord, Dialect, readings, split_line
from averment.tables.types.cell_kinds import Kind, fine_shape, kind_of

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
