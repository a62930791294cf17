"""The nouns of a question over one table: what is computed, by what it is split, for which rows."""

from __future__ import annotations

from datetime import date
from typing import Literal

from averment.agents.analyst.parts.formula import Formula
from averment.records.base import Record
from averment.tables.select_spec import ROWS, Condition, Term, aggregate, column

Aggregate = Literal["sum", "avg", "min", "max", "median", "count", "count_distinct"]
Grain = Literal["day", "week", "month", "quarter", "year"]
Operator = Literal["=", "<>", "<", "<=", ">", ">=", "null", "not null", "contains", "starts", "ends"]

AGGREGATE_WORDS: dict[Aggregate, str] = {
    "sum": "total",
    "avg": "average",
    "min": "minimum",
    "max": "maximum",
    "median": "median",
    "count": "count of",
    "count_distinct": "distinct count of",
}


TESTS: dict[str, str] = {
    "null": "is missing",
    "not null": "is given",
    "contains": "contains",
    "starts": "starts with",
    "ends": "ends with",
}
"""Tests that are no comparisons, in words."""


class Measure(Record):
    """What is computed: an aggregate of a column or of a formula, or the count of rows.

    A formula of its own name is headed by it. One that divides, with ``of_totals``, divides the totals.
    """

    aggregate: Aggregate
    column: str | None = None
    formula: Formula | None = None
    name: str | None = None
    of_totals: bool = False

    @property
    def label(self) -> str:
        """The measure in words, as a result's column is headed: ``total amount``."""
        if self.formula is not None:
            what = self.name or self.formula.text
            return what if self.of_totals else f"{AGGREGATE_WORDS[self.aggregate]} {what}"
        return "count" if self.column is None else f"{AGGREGATE_WORDS[self.aggregate]} {self.column}"

    @property
    def words(self) -> str:
        """The measure as a sentence names it."""
        return "number of rows" if self.counts_rows else self.label

    @property
    def counts_rows(self) -> bool:
        """Whether it is the number of rows."""
        return self.column is None and self.formula is None

    @property
    def method(self) -> str | None:
        """How a formula is computed, in words; None where there is none."""
        if self.formula is None:
            return None
        if self.of_totals:
            return f"{self.formula.text} of the totals; nothing where a divisor is zero"
        return f"{self.formula.text} in each row that has all of it, then the {AGGREGATE_WORDS[self.aggregate]}"

    @property
    def adds_up(self) -> bool:
        """Whether the values of parts make up the value of the whole."""
        return self.aggregate in {"sum", "count"} and not self.of_totals

    def term(self, table: str) -> Term:
        """The measure as a query computes it."""
        if self.formula is not None and self.of_totals:
            return self.formula.term(table, "sum")
        if self.column is None and self.formula is None:
            return ROWS
        inner = column(table, self.column or "") if self.formula is None else self.formula.term(table)
        if self.aggregate == "count_distinct":
            return aggregate("count", inner, distinct=True)
        return aggregate(self.aggregate, inner)


class Dimension(Record):
    """What the answer is split by; dates are cut to a grain."""

    column: str
    grain: Grain | None = None

    @property
    def label(self) -> str:
        """The dimension in words: ``region``, or ``month of order_date``."""
        return self.column if self.grain is None else f"{self.grain} of {self.column}"

    def term(self, table: str) -> Term:
        """The dimension as a query groups by it."""
        inner = column(table, self.column)
        return inner if self.grain is None else Term(kind="part", part=self.grain, arguments=(inner,))


class Filter(Record):
    """A condition the user set, with the words they set it in; with ``others`` any of the values will do."""

    column: str
    operator: Operator
    value: str | int | float | bool = ""
    words: str
    others: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The condition in words."""
        if self.operator in TESTS:
            return f"{self.column} {TESTS[self.operator]} {self.value}".rstrip()
        if self.others and self.operator == "<>":
            return f"{self.column} is none of {', '.join(map(str, (self.value, *self.others)))}"
        return f"{self.column} {self.operator} {' or '.join(map(str, (self.value, *self.others)))}"

    def condition(self, table: str) -> Condition:
        """The condition as a query tests it."""
        term = column(table, self.column)
        if self.operator in {"null", "not null"}:
            return Condition(term=term, operator=self.operator)
        if self.others:
            negated = self.operator == "<>"
            return Condition(term=term, operator="not in" if negated else "in", values=(self.value, *self.others))
        return Condition(term=term, operator=self.operator, values=(self.value,))


class Either(Record):
    """Conditions of which one must hold."""

    choices: tuple[Filter, ...]

    @property
    def said(self) -> str:
        """The conditions in words."""
        return " or ".join(each.said for each in self.choices)

    def condition(self, table: str) -> Condition:
        """The conditions as a query tests them."""
        return Condition(any_of=tuple(each.condition(table) for each in self.choices))


class Between(Record):
    """The period the user asked about; either end may be open."""

    column: str
    start: date | None
    end: date | None
    words: str

    @property
    def said(self) -> str:
        """The period in words, from its first day to its last."""
        start = self.start.isoformat() if self.start else "the beginning"
        end = self.end.isoformat() if self.end else "the end"
        return f"{self.column} from {start} to {end}"


def conditions(table: str, filters: tuple[Filter | Either, ...], *periods: Between | None) -> tuple[Condition, ...]:
    """Filters and periods as a query tests them."""
    found = [each.condition(table) for each in filters]
    for period in periods:
        if period is None:
            continue
        term = column(table, period.column)
        if period.start is not None:
            start = period.start.isoformat()
            found.append(Condition(term=term, operator=">=", values=(start,), is_date=True))
        if period.end is not None:
            # The day after, exclusive: a timestamp late on the last day belongs to the period.
            after = date.fromordinal(period.end.toordinal() + 1).isoformat()
            found.append(Condition(term=term, operator="<", values=(after,), is_date=True))
    return tuple(found)
