"""How a question was read: a typed specification, shown in words and compiled to a query."""

from __future__ import annotations

from datetime import date
from typing import Literal

from averment.records.base import Record
from averment.tables.compose import (
    Aggregate,
    AggregateSpec,
    Condition,
    Grain,
    GroupSpec,
    MeasureSpec,
    Operator,
)

AGGREGATE_WORDS: dict[Aggregate, str] = {
    "sum": "total",
    "avg": "average",
    "min": "minimum",
    "max": "maximum",
    "median": "median",
    "count": "count",
    "count_distinct": "distinct count",
}


class Measure(Record):
    """What is computed: an aggregate of a column, or the count of rows."""

    aggregate: Aggregate
    column: str | None = None

    @property
    def label(self) -> str:
        """The measure in words, as a result's column is headed: ``total amount``."""
        return "count" if self.column is None else f"{AGGREGATE_WORDS[self.aggregate]} {self.column}"


class Dimension(Record):
    """What the answer is split by; dates are cut to a grain."""

    column: str
    grain: Grain | None = None

    @property
    def label(self) -> str:
        """The dimension in words: ``region``, or ``month of order_date``."""
        return self.column if self.grain is None else f"{self.grain} of {self.column}"


class Filter(Record):
    """A condition the user set, with the words they set it in."""

    column: str
    operator: Operator
    value: str | int | float | bool
    words: str


class Between(Record):
    """The period the user asked about; either end may be open."""

    column: str
    start: date | None
    end: date | None
    words: str


class Reading(Record):
    """One way to understand the question."""

    table: str
    measure: Measure
    dimensions: tuple[Dimension, ...] = ()
    filters: tuple[Filter, ...] = ()
    period: Between | None = None
    order: Literal["value_desc", "value_asc", "group"] = "group"
    limit: int | None = None
    unread: tuple[str, ...] = ()
    score: float = 0.0

    @property
    def over_time(self) -> bool:
        """Whether the answer is a series in time."""
        return any(dimension.grain is not None for dimension in self.dimensions)

    def in_words(self) -> str:
        """The reading as one sentence, so that a person sees at once whether it is theirs."""
        parts = [self.measure.label if self.measure.column else "count of rows"]
        parts += [f"{each.column} {each.operator} {each.value}" for each in self.filters]
        if self.period is not None:
            start = self.period.start.isoformat() if self.period.start else "the beginning"
            end = self.period.end.isoformat() if self.period.end else "the end"
            parts.append(f"{self.period.column} from {start} to {end}")
        if self.dimensions:
            parts.append("by " + " and ".join(dimension.label for dimension in self.dimensions))
        if self.limit is not None:
            parts.append(f"{'top' if self.order == 'value_desc' else 'bottom'} {self.limit}")
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> AggregateSpec:
        """The specification of the query that answers it."""
        return AggregateSpec(
            table=self.table,
            measures=(self._measure(),),
            groups=tuple(GroupSpec(column=d.column, alias=d.label, grain=d.grain) for d in self.dimensions),
            conditions=self._conditions(),
            order=self.order,
            limit=self.limit,
        )

    def total(self) -> AggregateSpec:
        """The same measure over everything the filters leave, without the split."""
        return AggregateSpec(table=self.table, measures=(self._measure(),), conditions=self._conditions())

    def _measure(self) -> MeasureSpec:
        return MeasureSpec(aggregate=self.measure.aggregate, column=self.measure.column, alias=self.measure.label)

    def _conditions(self) -> tuple[Condition, ...]:
        conditions = [Condition(column=f.column, operator=f.operator, value=f.value) for f in self.filters]
        if self.period is not None and self.period.start is not None:
            conditions.append(
                Condition(column=self.period.column, operator=">=", value=self.period.start.isoformat(), is_date=True)
            )
        if self.period is not None and self.period.end is not None:
            # The day after, exclusive: a timestamp late on the last day belongs to the period.
            after = date.fromordinal(self.period.end.toordinal() + 1)
            conditions.append(Condition(column=self.period.column, operator="<", value=after.isoformat(), is_date=True))
        return tuple(conditions)
