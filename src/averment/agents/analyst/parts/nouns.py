"""The nouns of a question over one table: what is computed, by what it is split, for which rows."""

from __future__ import annotations

from datetime import date
from typing import Literal

from averment.records.base import Record
from averment.tables.select_spec import ROWS, Condition, Term, aggregate, column

Aggregate = Literal["sum", "avg", "min", "max", "median", "count", "count_distinct"]
Grain = Literal["day", "week", "month", "quarter", "year"]
Operator = Literal["=", "<>", "<", "<=", ">", ">="]

AGGREGATE_WORDS: dict[Aggregate, str] = {
    "sum": "total",
    "avg": "average",
    "min": "minimum",
    "max": "maximum",
    "median": "median",
    "count": "count of",
    "count_distinct": "distinct count of",
}


class Measure(Record):
    """What is computed: an aggregate of a column, or the count of rows."""

    aggregate: Aggregate
    column: str | None = None

    @property
    def label(self) -> str:
        """The measure in words, as a result's column is headed: ``total amount``."""
        return "count" if self.column is None else f"{AGGREGATE_WORDS[self.aggregate]} {self.column}"

    @property
    def words(self) -> str:
        """The measure as a sentence names it."""
        return "number of rows" if self.column is None else self.label

    @property
    def adds_up(self) -> bool:
        """Whether the values of parts make up the value of the whole."""
        return self.aggregate in {"sum", "count"}

    def term(self, table: str) -> Term:
        """The measure as a query computes it."""
        if self.column is None:
            return ROWS
        inner = column(table, self.column)
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
    value: str | int | float | bool
    words: str
    others: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The condition in words."""
        return f"{self.column} {self.operator} {' or '.join(map(str, (self.value, *self.others)))}"

    def condition(self, table: str) -> Condition:
        """The condition as a query tests it."""
        term = column(table, self.column)
        if self.others:
            negated = self.operator == "<>"
            return Condition(term=term, operator="not in" if negated else "in", values=(self.value, *self.others))
        return Condition(term=term, operator=self.operator, values=(self.value,))


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


def conditions(table: str, filters: tuple[Filter, ...], *periods: Between | None) -> tuple[Condition, ...]:
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
