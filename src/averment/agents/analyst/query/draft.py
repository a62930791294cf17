"""A draft: what has been understood of a question, before tables are joined and a query is made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from averment.agents.analyst.query.vocabulary import Place
from averment.tables.select_spec import Condition, Function, Operator, Scalar, Term

Chosen = Literal["output", "group", "measure", "order"]


@dataclass(frozen=True)
class Measure:
    """Something counted or computed: rows of a table, a function of a column, or a formula.

    A formula is a ``term`` of its own over ``tables``, headed ``name``; a ``plain`` one is computed from each row.
    """

    function: Function
    place: Place | None = None
    table: str | None = None
    distinct: bool = False
    term: Term | None = None
    tables: tuple[str, ...] = ()
    name: str = ""
    plain: bool = False


@dataclass(frozen=True)
class Split:
    """What an answer is split by: a column, or the rows of a table."""

    table: str
    column: str | None = None
    grain: str | None = None


@dataclass(frozen=True)
class Counted:
    """A test of how many rows of a table belong to each row of the answer, or of an aggregate of a column."""

    measure: Measure
    operator: Operator
    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class Sorting:
    """What the answer is sorted by; no measure and no place means its first column."""

    descending: bool
    place: Place | None = None
    measure: Measure | None = None


@dataclass
class Draft:
    """Everything a question was found to ask."""

    outputs: list[Place] = field(default_factory=list[Place])
    measures: list[Measure] = field(default_factory=list[Measure])
    splits: list[Split] = field(default_factory=list[Split])
    conditions: list[Condition] = field(default_factory=list[Condition])
    both: list[Condition] = field(default_factory=list[Condition])
    counted: list[Counted] = field(default_factory=list[Counted])
    absent: list[str] = field(default_factory=list[str])
    present: list[str] = field(default_factory=list[str])
    sorting: list[Sorting] = field(default_factory=list[Sorting])
    limit: int | None = None
    nth: int | None = None
    distinct: bool = False
    everything: bool = False
    tables: list[str] = field(default_factory=list[str])
    used: set[int] = field(default_factory=set[int])
    stamp: Place | None = None
    """The date that periods of the question are told by."""

    def see(self, table: str) -> None:
        """Remember that the question speaks of a table."""
        if table not in self.tables:
            self.tables.append(table)

    def needed(self) -> list[str]:
        """Every table the query computes with, the ones of its outputs first."""
        found: list[str] = [place.table for place in self.outputs]
        for measure in self.measures:
            found += measure.tables or [measure.place.table if measure.place else measure.table or ""]
        found += [split.table for split in self.splits]
        for condition in (*self.conditions, *self.both):
            found += _tables_of(condition)
        for test in self.counted:
            found.append(test.measure.place.table if test.measure.place else test.measure.table or "")
        for order in self.sorting:
            if order.place is not None:
                found.append(order.place.table)
            elif order.measure is not None:
                found.append(order.measure.place.table if order.measure.place else order.measure.table or "")
        return list(dict.fromkeys(name for name in found if name))


def _tables_of(condition: Condition) -> list[str]:
    own = [condition.term.table] if condition.term is not None and condition.term.table else []
    return own + [name for each in condition.any_of for name in _tables_of(each)]
