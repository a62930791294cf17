"""How a question was read: a typed specification, shown in words and compiled to a query."""

from __future__ import annotations

from typing import Any, Literal

from averment.agents.analyst.parts.nouns import Between, Dimension, Either, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.select_spec import Condition, Join, Order, Output, Select


class Home(Record):
    """Where a column of a joined table comes from, which the reading calls ``name``."""

    name: str
    table: str
    column: str


class Reading(Record):
    """One way to understand the question; with ``joins`` some columns come from other tables."""

    table: str
    measure: Measure
    dimensions: tuple[Dimension, ...] = ()
    filters: tuple[Filter | Either, ...] = ()
    period: Between | None = None
    order: Literal["value_desc", "value_asc", "group"] = "group"
    limit: int | None = None
    unread: tuple[str, ...] = ()
    score: float = 0.0
    joins: tuple[Join, ...] = ()
    homes: tuple[Home, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that rows are chosen and split by."""
        tested = [choice for each in self.filters for choice in (each.choices if isinstance(each, Either) else (each,))]
        return (*(each.column for each in self.dimensions), *(each.column for each in tested))

    @property
    def over_time(self) -> bool:
        """Whether the answer is a series in time."""
        return any(dimension.grain is not None for dimension in self.dimensions)

    def in_words(self) -> str:
        """The reading as one sentence, so that a person sees at once whether it is theirs."""
        parts = ["count of rows" if self.measure.counts_rows else self.measure.label]
        if self.measure.formula is not None:
            parts[0] = f"{parts[0]} ({self.measure.method})"
        parts += [each.said for each in self.filters]
        if self.period is not None:
            parts.append(self.period.said)
        if self.dimensions:
            parts.append("by " + " and ".join(dimension.label for dimension in self.dimensions))
        if self.limit is not None:
            parts.append(f"{'top' if self.order == 'value_desc' else 'bottom'} {self.limit}")
        tables = " with ".join((self.table, *(join.right for join in self.joins)))
        return f"{', '.join(parts)}, in {tables}"

    def query(self) -> Select:
        """The query that answers it; ties are ordered by the groups' own values."""
        measure = self.measure.term(self.table)
        groups = tuple(dimension.term(self.table) for dimension in self.dimensions)
        order = [Order(term=group) for group in groups]
        if self.order != "group" and groups:
            order.insert(0, Order(term=measure, descending=self.order == "value_desc"))
        split = (Output(term=d.term(self.table), alias=d.label) for d in self.dimensions)
        select = Select(
            table=self.table,
            outputs=(*split, Output(term=measure, alias=self.measure.label)),
            conditions=self._conditions(),
            groups=groups,
            order=tuple(order),
            limit=self.limit,
        )
        return self._placed(select)

    def total(self) -> Select:
        """The same measure over everything the filters leave, without the split."""
        output = Output(term=self.measure.term(self.table), alias=self.measure.label)
        return self._placed(Select(table=self.table, outputs=(output,), conditions=self._conditions()))

    def _placed(self, select: Select) -> Select:
        """The query with each column looked for in its own table."""
        if not self.joins:
            return select
        homes = {each.name: each for each in self.homes}

        def place(part: Any) -> Any:
            if isinstance(part, dict):
                body = {key: place(each) for key, each in part.items()}  # pyright: ignore[reportUnknownVariableType] - JSON
                home = homes.get(str(body.get("column"))) if body.get("kind") == "column" else None
                return body if home is None else {**body, "table": home.table, "column": home.column}
            return [place(each) for each in part] if isinstance(part, list) else part  # pyright: ignore[reportUnknownVariableType] - JSON

        placed = Select.model_validate(place(select.model_dump(mode="json")))
        return placed.model_copy(update={"joins": self.joins})

    def _conditions(self) -> tuple[Condition, ...]:
        return conditions(self.table, self.filters, self.period)
