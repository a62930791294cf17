"""Arithmetic between columns, said in words or signs: "revenue minus cost", "(a - b) / a", "cost as a share of price".

A formula becomes a computed column of the lattice, so that whatever can be asked of a column can be asked of it. Where
signs leave the order open ("a - b / a") each order is a rival, and the judge offers them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from averment.plans.names import value_name
from averment.plans.plan import Value
from averment.reading.schema.schema_view import computed
from averment.reading.words import operations

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

Sign = Literal["+", "-", "*", "/"]

FIRM = 0.8
"""How strongly a word must name a column to stand in a formula."""

_LOOSE = 0.7
"""How strongly, where no other number is called so: "nights times rate", where there is one nightly rate."""

_OPENING = frozenset(["the"])
_DOUBTFUL = frozenset({"over", "less"})
_WRITTEN = re.compile(r"[\s)]*([-+*/×÷])[\s(]*")
_MEANT = re.compile(r"[\s)]+-[\s(]+|[\s)]*[*×÷][\s(]*")
"""Signs that mean nothing but arithmetic, as a stroke or a plus may."""
_NAMES = frozenset({"COLUMN", "ROW", "VALUE"})


@dataclass(frozen=True, slots=True)
class _Term:
    """Part of a formula: its value, where it ends, and how surely its words name columns."""

    value: Value
    columns: tuple[Column, ...]
    end: int
    strength: float
    sign: Sign | None = None


def formula_spans(lattice: Lattice, schema: Schema, *, numbers: bool = False) -> None:
    """Hypotheses that some words are arithmetic over columns, and over plain ``numbers`` where those can be meant."""
    _part_at_signs(lattice)
    reader = _FormulaReader(lattice, numbers=numbers)
    for start in range(len(lattice.words)):
        for term in reader.formulas(start):
            several = len(set(term.columns)) > 1 or (numbers and bool(term.columns))
            table = formula_table(term.value, schema) if several else None
            if table is not None:
                first = reader.named(start)
                if any(_MEANT.fullmatch(gap(lattice, n)) for n in range(start + 1, term.end)):
                    drop_parts(lattice, first, term.end)
                lattice.add(first, term.end, "COLUMN", min(1.0, term.strength), _column(term, table))


def drop_parts(lattice: Lattice, start: int, end: int) -> None:
    """What a sign takes from another number is asked for neither alone nor beside it."""
    lattice.spans = [
        s for s in lattice.spans if not (start <= s.start < end and is_number(s) and s.data.expression is None)
    ]


def _part_at_signs(lattice: Lattice) -> None:
    """No name goes across a sign between two numbers: "nights * rate" is no nightly rate."""
    numbers = [s for s in lattice.spans if is_number(s) and s.strength >= _LOOSE and s.data.expression is None]
    for place in range(1, len(lattice.words)):
        if _WRITTEN.fullmatch(gap(lattice, place)) is None:
            continue
        before = {(s.data.table, s.data.name) for s in numbers if s.end == place}
        after = {(s.data.table, s.data.name) for s in numbers if s.start == place}
        if before and after and len(before | after) > 1:
            lattice.spans = [s for s in lattice.spans if not (s.start < place < s.end and s.type in _NAMES)]


def is_number(span: Span) -> bool:
    """Whether a span names a number of the rows."""
    return span.type == "COLUMN" and span.data.has("measure") and not span.data.has("flag")


def gap(lattice: Lattice, place: int) -> str:
    """What stands between a word and the one before it."""
    begin = lattice.places[place - 1][1] if place else 0
    end = lattice.places[place][0] if place < len(lattice.words) else len(lattice.question)
    return lattice.question[begin:end]


def formula_table(value: Value, schema: Schema) -> str | None:
    """The table whose rows have a formula: the one of all columns, or whose rows point at those of the others.

    Only products reach into other tables: hours times a rate are of each row, and no rate is added up twice.
    """
    tables = {table for table, _ in value.columns()}
    root = schema.root(tables) if value.operation == "*" or len(tables) == 1 else None
    return root if root in tables else None


def adds_up(value: Value, first: Column) -> bool:
    """Whether what a formula gives for many rows is added up: a product of a price and how many is."""
    scaled = any(each.kind == "number" for each in value.operands)
    if scaled:
        return all(each.kind == "number" or adds_up(each, first) for each in value.operands)
    return value.operation == "*" or (value.operation != "/" and first.additive)


def _column(term: _Term, table: str) -> Column:
    first = next(column for column in term.columns if column.table == table)
    return computed(
        table,
        value_name(term.value),
        term.value,
        term.columns,
        rows=first.rows,
        filled=min(column.filled for column in term.columns),
        additive=adds_up(term.value, term.columns[0]),
        words=(),
    )


class _FormulaReader:
    """Reads formulas out of the words of a question and the signs between them."""

    def __init__(self, lattice: Lattice, *, numbers: bool) -> None:
        self.lattice = lattice
        self.numbers = numbers
        self.words = lattice.words
        self.named_columns: dict[int, list[Span]] = {}
        loose: dict[int, list[Span]] = {}
        for span in lattice.spans:
            if is_number(span) and span.strength >= _LOOSE:
                (self.named_columns if span.strength >= FIRM else loose).setdefault(span.start, []).append(span)
        for place, spans in loose.items():
            if place not in self.named_columns and len({(s.data.table, s.data.name) for s in spans}) == 1:
                self.named_columns[place] = spans

    def formulas(self, start: int) -> list[_Term]:
        """Every formula that begins at a word."""
        found = [*self._framed(start), *self._chains(start)]
        return [term for term in found if term.sign is not None]

    def named(self, start: int) -> int:
        """Where the formula begins with the name that it is given: "margin = …", "profit (…)"."""
        if start > 1 and self.words[start - 1] in {"=", "=="}:
            return start - 2
        if start and "(" in self._gap(start) and self.words[start - 1].isalpha() and self._is_name(start - 1):
            return start - 1
        return start

    def _is_name(self, place: int) -> bool:
        """Whether a word before a bracket can only be the formula's name."""
        here = [s for s in self.lattice.spans if s.start <= place < s.end]
        return not any(s.type in {"CUE", "STOP", "AND"} or (s.type in _NAMES and s.strength >= FIRM) for s in here)

    def _gap(self, place: int) -> str:
        return gap(self.lattice, place)

    def _atom(self, place: int) -> list[_Term]:
        """A column at a place, or a number where numbers are looked for."""
        if place >= len(self.words):
            return []
        compared = place > 0 and self.words[place - 1] == "over"  # "delay over 30" divides nothing
        if self.numbers and not compared and re.fullmatch(r"\d+(\.\d+)?", self.words[place]):
            return [_Term(Value(kind="number", number=float(self.words[place])), (), place + 1, 1.0)]
        if self.words[place] in _OPENING and place + 1 < len(self.words):
            return self._atom(place + 1)
        if place and "(" in self._gap(place) and (inner := self._bracketed(place)) is not None:
            return [inner]
        return self._columns(place)

    def _bracketed(self, place: int) -> _Term | None:
        """Two columns with a sign between them that stand in brackets of their own: "… by (end minus start)"."""
        for first in self._columns(place):
            operation = self._operation(first.end)
            for second in self._columns(operation[1]) if operation is not None else ():
                closed = second.end >= len(self.words) or ")" in self._gap(second.end)
                if operation is not None and closed and "(" not in self._gap(operation[1]):
                    return _joined(first, second, operation[0])
        return None

    def _columns(self, place: int) -> list[_Term]:
        """The columns that begin at a place, the surest first."""
        best: dict[tuple[str, str], _Term] = {}
        for span in self.named_columns.get(place, []):
            key = (span.data.table, span.data.name)
            term = _Term(span.data.value, (span.data,), span.end, span.strength)
            if key not in best or (term.strength, term.end) > (best[key].strength, best[key].end):
                best[key] = term
        return sorted(best.values(), key=lambda t: (-t.strength, -t.end))[:2]

    def _operation(self, place: int) -> tuple[Sign, int, bool] | None:
        """The sign before a word, the place after it, and whether it was written as a sign."""
        if place >= len(self.words):
            return None
        written = _WRITTEN.fullmatch(self._gap(place))
        if written is not None:
            return _SIGNS[written.group(1)], place, True
        for size in (2, 1):
            sign = operations().get(" ".join(self.words[place : place + size]))
            if sign is not None and place + size < len(self.words):
                return sign, place + size, False
        return None

    def _chains(self, start: int) -> list[_Term]:
        """ "a minus b", "(a - b) / c": columns with signs between them."""
        found: list[_Term] = []
        for first in self._atom(start):
            steps: list[tuple[Sign, _Term, bool, str]] = []
            place = first.end
            while (operation := self._operation(place)) is not None:
                sign, at, written = operation
                at += self.words[at : at + 1] == ["total"]  # "total a divided by total b"
                atoms = self._atom(at)
                # "Sold over asking" divides nothing, as "sold price over asking price" may.
                doubtful = self.words[place] in _DOUBTFUL and not written
                if not atoms or (doubtful and min(first.strength, atoms[0].strength) < FIRM):
                    break
                steps.append((sign, atoms[0], written, self._gap(place)))
                place = atoms[0].end
                if len(steps) == 3:
                    break
            if steps:
                found += _folded(first, steps, bracketed=_is_bracketed(self._gap(start), steps))
            elif first.sign is not None:
                found.append(first)  # all of it in brackets of its own
        return found

    def _framed(self, start: int) -> list[_Term]:
        """ "difference between a and b", "ratio of a to b", "product of a and b", "a as a percentage of b"."""
        found: list[_Term] = []
        for opening, middle, sign in _FRAMES:
            size = len(opening)
            if tuple(self.words[start : start + size]) != opening:
                continue
            for first in self._atom(start + size):
                if self.words[first.end : first.end + 1] != [middle]:
                    continue
                found += [_joined(first, second, sign) for second in self._atom(first.end + 1)[:1]]
        for first in self._atom(start):
            rest = self.words[first.end :]
            for frame in _PARTS:
                if tuple(rest[: len(frame)]) == frame:
                    for second in self._atom(first.end + len(frame))[:1]:
                        share = _joined(first, second, "/")
                        hundred = Value(kind="number", number=100.0)
                        times = Value(kind="arithmetic", operation="*", operands=(hundred, share.value))
                        found.append(_Term(times, share.columns, share.end, share.strength, "/"))
        return found


_SIGNS: dict[str, Sign] = {"-": "-", "+": "+", "*": "*", "/": "/", "×": "*", "÷": "/"}
_FRAMES: tuple[tuple[tuple[str, ...], str, Sign], ...] = (
    (("difference", "between"), "and", "-"),
    (("the", "difference", "between"), "and", "-"),
    (("gap", "between"), "and", "-"),
    (("ratio", "of"), "to", "/"),
    (("ratio", "of"), "and", "/"),
    (("ratio", "between"), "and", "/"),
    (("product", "of"), "and", "*"),
    (("the", "product", "of"), "and", "*"),
)
_PARTS = (
    ("as", "a", "percentage", "of"),
    ("as", "a", "percent", "of"),
    ("as", "a", "share", "of"),
    ("as", "percentage", "of"),
    ("as", "percent", "of"),
    ("as", "a", "fraction", "of"),
    ("as", "a", "proportion", "of"),
    ("as", "%", "of"),
    ("as", "a", "%", "of"),
    ("in", "percent", "of"),
)


def _joined(first: _Term, second: _Term, sign: Sign) -> _Term:
    sides = (first.value, second.value)
    if sign == "*" and second.value.number == 100 and first.value.operation == "/":
        sides = (second.value, first.value)  # "a / b * 100" is a share in percent
    value = Value(kind="arithmetic", operation=sign, operands=sides)
    strength = min(first.strength, second.strength)
    return _Term(value, (*first.columns, *second.columns), second.end, strength, sign)


def _is_bracketed(before: str, steps: list[tuple[Sign, _Term, bool, str]]) -> bool:
    """Whether the first two columns stand in brackets of their own."""
    return "(" in before and len(steps) > 1 and ")" in steps[1][3]


def _folded(first: _Term, steps: list[tuple[Sign, _Term, bool, str]], *, bracketed: bool) -> list[_Term]:
    """The formula from left to right; another one where written signs bind otherwise and no bracket says."""
    left = first
    for sign, term, _, _ in steps:
        left = _joined(left, term, sign)
    low = {"+", "-"}
    mixed = len(steps) == 2 and steps[0][0] in low and steps[1][0] not in low
    if not mixed or bracketed or not all(written for _, _, written, _ in steps):
        return [left]
    bound = _joined(first, _joined(steps[0][1], steps[1][1], steps[1][0]), steps[0][0])
    return [left, bound]
