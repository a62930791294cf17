"""How a question was read: a typed specification, shown in words and compiled to a query."""

from __future__ import annotations

from typing import Literal

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.select_spec import Condition, Order, Output, Select


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
        parts += [each.said for each in self.filters]
        if self.period is not None:
            parts.append(self.period.said)
        if self.dimensions:
            parts.append("by " + " and ".join(dimension.label for dimension in self.dimensions))
        if self.limit is not None:
            parts.append(f"{'top' if self.order == 'value_desc' else 'bottom'} {self.limit}")
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> Select:
        """The query that answers it; ties are ordered by the groups' own values."""
        measure = self.measure.term(self.table)
        groups = tuple(dimension.term(self.table) for dimension in self.dimensions)
        order = [Order(term=group) for group in groups]
        if self.order != "group" and groups:
            order.insert(0, Order(term=measure, descending=self.order == "value_desc"))
        split = (Output(term=d.term(self.table), alias=d.label) for d in self.dimensions)
        return Select(
            table=self.table,
            outputs=(*split, Output(term=measure, alias=self.measure.label)),
            conditions=self._conditions(),
            groups=groups,
            order=tuple(order),
            limit=self.limit,
        )

    def total(self) -> Select:
        """The same measure over everything the filters leave, without the split."""
        output = Output(term=self.measure.term(self.table), alias=self.measure.label)
        return Select(table=self.table, outputs=(output,), conditions=self._conditions())

    def _conditions(self) -> tuple[Condition, ...]:
        return conditions(self.table, self.filters, self.period)
