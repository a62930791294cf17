"""Programs over a grid: which rows, which of them, and what of those; each knows the answer it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from averment.reading.rows.cell_links import CellLink
from averment.reading.rows.cells import Raw, View

TestKind = Literal["in", "not in", ">", ">=", "<", "<=", "between", "after", "before", "blank", "filled"]
Pick = Literal["all", "max", "min", "first", "last", "next", "previous", "nth"]
Form = Literal[
    "show", "line", "amount", "count", "distinct", "sum", "avg", "most", "least", "difference", "count difference",
    "column difference", "range", "same", "same count", "groups", "group count", "most summed", "least summed",
    "verdict",
]  # fmt: skip


VerdictOperator = Literal[">", ">=", "<", "<=", "="]


@dataclass(frozen=True)
class RowVerdict:
    """What is compared: values, places or numbers of rows, of two sides or of one with ``bound``.

    ``said`` is the answer where the comparison holds, and where it does not.
    """

    measure: Literal["value", "place", "rows"]
    operator: VerdictOperator
    said: tuple[str, str]
    bound: float | None = None


@dataclass(frozen=True)
class RowTest:
    """Rows that pass a test of one column, with the words of the question that ask for it."""

    kind: TestKind
    column: int
    rows: frozenset[int]
    links: tuple[CellLink, ...] = ()
    view: View | None = None
    bounds: tuple[float, ...] = ()
    places: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Program:
    """One way to answer: ``form`` of ``column`` over the rows that pass all tests and are picked.

    ``pair`` holds the two sides of a difference; ``other`` is the second column of a difference between columns, or
    the one that is the same; ``number`` is the place of the nth row or the least count of a group;
    ``verdict`` says what is compared and what that answers.
    """

    form: Form
    tests: tuple[RowTest, ...] = ()
    column: int | None = None
    view: View | None = None
    pick: Pick = "all"
    key: int | None = None
    key_view: View | None = None
    pair: tuple[RowTest, RowTest] | None = None
    other: int | None = None
    other_view: View | None = None
    number: int | None = None
    verdict: RowVerdict | None = None


@dataclass(frozen=True)
class ProgramCandidate:
    """A program with the rows it looks at and its answer."""

    program: Program
    rows: tuple[int, ...]
    answer: tuple[Raw, ...]
