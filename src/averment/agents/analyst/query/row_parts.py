"""Row readings and what they are made of: filters of the cells that are named, pairs, and measures."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.facts import Cell, Facts
from averment.agents.analyst.query.words import NEGATIONS, NEUTRAL
from averment.tables.select_spec import (
    ROWS,
    Condition,
    Function,
    Operator,
    Order,
    Output,
    Select,
    Term,
    aggregate,
    column,
)

if TYPE_CHECKING:
    from averment.agents.analyst.query.mentions import Mention

_OPERATORS: dict[str, Operator] = {
    "gt": ">",
    "ge": ">=",
    "lt": "<",
    "le": "<=",
    "eq": "=",
    "ne": "<>",
    "between": "between",
}


@dataclass(frozen=True)
class RowReading:
    """A query over one table, how sure it is and which of the question's words it used."""

    select: Select
    sure: float
    used: frozenset[int]
    kind: str


class RowParts:
    """Knows the facts of one question over one table."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.words = facts.words
        self.table = facts.table
        self.used: set[int] = set()

    def _made(
        self,
        kind: str,
        sure: float,
        outputs: list[tuple[Term, str]],
        conditions: list[Condition] | None = None,
        *,
        order: tuple[Order, ...] = (),
        limit: int | None = None,
        groups: tuple[Term, ...] = (),
        distinct: bool = False,
    ) -> RowReading:
        numbered = any(o.term.kind == "place" for o in order) or any(_uses_place(c) for c in conditions or ())
        select = Select(
            table=self.table,
            outputs=tuple(Output(term=term, alias=alias) for term, alias in outputs),
            conditions=tuple(conditions or ()),
            groups=groups,
            order=order,
            limit=limit,
            distinct=distinct,
            numbered=numbered,
        )
        return RowReading(select, sure, frozenset(self.used | self.facts.used), kind)

    def _column(self, name: str) -> tuple[Term, str]:
        return column(self.table, name), name

    def _says(self, *words: str) -> bool:
        return any(word in self.words for word in words)

    def _filters(self, cells: list[Cell]) -> list[Condition]:
        conditions: list[Condition] = []
        by_column: dict[str, list[Cell]] = {}
        for cell in cells:
            self.used.update(cell.words)
            by_column.setdefault(cell.column, []).append(cell)
        for name, group in by_column.items():
            negated = any(self.words[p] in NEGATIONS for p in range(max(0, group[0].words[0] - 4), group[0].words[0]))
            values = tuple(dict.fromkeys(value for cell in group for value in cell.values))
            merged = Cell(name, values, (), 1.0, group[0].contains)
            conditions.append(merged.condition(self.table, negated=negated))
        return [*conditions, *self._comparisons()]

    def _comparisons(self) -> list[Condition]:
        found: list[Condition] = []
        for mention in self.facts.marked.mentions:
            comparison = mention.comparison
            if mention.kind != "comparison" or comparison is None or comparison.op not in _OPERATORS:
                continue
            name = self._compared(mention)
            if name is None:
                continue
            low, high = comparison.low, comparison.high
            bounds = [
                float(v)
                for v in ((low, high) if comparison.op == "between" else (low if low is not None else high,))
                if v is not None
            ]
            if not bounds:
                continue
            self.used.update(mention.words)
            found.append(
                Condition(term=self.facts.number(name), operator=_OPERATORS[comparison.op], values=tuple(bounds))
            )
        return found

    def _compared(self, mention: Mention) -> str | None:
        near = sorted(
            (abs(other.first - mention.first), profile.name, other.words)
            for other, known in self.facts.columns
            for profile in known[:2]
            if self.facts.numeric(profile)
        )
        if near:
            self.used.update(near[0][2])
            return near[0][1]
        numeric = [p.name for p in self.facts.profile.columns if self.facts.numeric(p)]
        return numeric[0] if len(numeric) == 1 else None

    def _pair(self) -> tuple[Cell, Cell] | None:
        """Two cells of one column, named side by side."""
        cells = self.facts.cells
        for one, two in itertools.pairwise(cells):
            if one.column == two.column and one.values != two.values:
                return one, two
        return None

    def _measure_for(self, cells: tuple[Cell, ...]) -> str | None:
        found = self.facts.measure(beyond={cell.column for cell in cells})
        if found is not None:
            self.used.update(found[1].words)
            return found[0]
        return None

    def _scalar(self, function: Function | None, name: str | None, cell: Cell) -> Term:
        term = ROWS if name is None else self.facts.number(name)
        if name is not None:
            term = aggregate(function or "sum", term)
        inner = Select(
            table=self.table, outputs=(Output(term=term, alias="value"),), conditions=(cell.condition(self.table),)
        )
        return Term(kind="scalar", query=inner)

    def unread(self, reading: RowReading) -> tuple[list[str], int]:
        """Words that carry meaning and were not used, and how many carry meaning."""
        tokens = self.facts.marked.tokens
        inside = {p for m in self.facts.marked.mentions if m.kind in {"column", "table"} for p in m.words}
        content = [
            p for p, t in enumerate(tokens) if t.normal not in NEUTRAL and t.stem not in NEUTRAL and not t.is_stop
        ]
        return [tokens[p].text for p in content if p not in reading.used and p not in inside], len(content)


def _uses_place(condition: Condition) -> bool:
    def inside(term: Term | None) -> bool:
        return term is not None and (term.kind == "place" or any(map(inside, term.arguments)))

    return inside(condition.term)
