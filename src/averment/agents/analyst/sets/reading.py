"""How a question about sets was read: whose values, and which rows they must and must not be among."""

from __future__ import annotations

from typing import Literal

from averment.agents.analyst.parts.nouns import Between, Filter
from averment.records.base import Record
from averment.tables.layers import Gathered, Layered, Sorting, Summarised
from averment.tables.select_spec import ROWS, Condition, Join, Order, Output, Select, aggregate, column

COUNT = "count"


class Placed(Record):
    """A condition on a column of a table."""

    table: str
    test: Filter


class Number(Record):
    """How many rows there must be of each."""

    operator: Literal["=", ">", ">="]
    value: int

    def condition(self) -> Condition:
        """The condition as a query tests it."""
        return Condition(term=ROWS, operator=self.operator, values=(self.value,))


class Member(Record):
    """Rows that somebody may be among: those of ``table``, joined to others, that meet all conditions."""

    table: str
    key: str
    joins: tuple[Join, ...] = ()
    tests: tuple[Placed, ...] = ()
    period_table: str | None = None
    period: Between | None = None
    number: Number | None = None

    @property
    def said(self) -> str:
        """The rows in words."""
        parts = [each.test.said for each in self.tests]
        if self.period is not None:
            parts.append(self.period.said)
        said = f"{self.table} rows with {' and '.join(parts)}" if parts else f"rows of {self.table}"
        return said if self.number is None else f"{said}, with {self.number.operator} {self.number.value} of them each"

    def select(self) -> Select:
        """The keys of the rows; missing ones are left out, since nobody is nobody."""
        tests = [each.test.condition(each.table) for each in self.tests]
        if self.period is not None:
            tests += _within(self.period_table or self.table, self.period)
        key = column(self.table, self.key)
        tests.append(Condition(term=key, operator="not null"))
        return Select(
            table=self.table,
            joins=self.joins,
            outputs=(Output(term=key, alias=self.key),),
            conditions=tuple(tests),
            groups=() if self.number is None else (key,),
            having=() if self.number is None else (self.number.condition(),),
        )


class SetReading(Record):
    """The values of a column whose key is in each of ``inside`` and in none of ``outside``.

    With ``also`` the column of that name of another table lends its values too.
    """

    table: str
    column: str
    key: str
    inside: tuple[Member, ...] = ()
    outside: tuple[Member, ...] = ()
    also: str | None = None
    counted: bool = False

    def in_words(self) -> str:
        """The reading as one sentence."""
        each = "different " if self.key == self.column else ""
        what = f"{'number of ' if self.counted else ''}{each}{self.column} of {self.table}"
        parts = [what if self.also is None else f"{what} and of {self.also}, all of them"]
        parts += [f"that is among {each.said}" for each in self.inside]
        parts += [f"that is not among {each.said}" for each in self.outside]
        return ", ".join(parts)

    @property
    def label(self) -> str:
        """The heading of the result."""
        return COUNT if self.counted else self.column

    def query(self) -> Select:
        """The query that answers it, in the order of the values."""
        key, shown = column(self.table, self.key), column(self.table, self.column)
        tests = [Condition(term=shown, operator="not null")]
        tests += [Condition(term=key, operator="in", query=each.select()) for each in self.inside]
        tests += [Condition(term=key, operator="not in", query=each.select()) for each in self.outside]
        if self.counted:
            term = aggregate("count", key, distinct=True)
            return Select(table=self.table, outputs=(Output(term=term, alias=COUNT),), conditions=tuple(tests))
        return Select(
            table=self.table,
            outputs=(Output(term=shown, alias=self.column),),
            conditions=tuple(tests),
            order=() if self.also is not None else tuple(Order(term=each) for each in dict.fromkeys((shown, key))),
            # Two people of one name are two people; two rows of one value are one value.
            distinct=self.key == self.column,
        )

    def united(self) -> Layered:
        """The query over both tables, where the values of two are asked for."""
        other = self.model_copy(update={"table": self.also, "counted": False}).query()
        mine = self.model_copy(update={"counted": False}).query()
        base = mine.model_copy(update={"set_operation": "union", "other": other, "order": ()})
        if self.counted:
            rows = Gathered(columns=(Summarised(function="rows", alias=COUNT),))
            return Layered(base=base, layers=(rows,), shown=(COUNT,))
        return Layered(base=base, shown=(self.column,), order=(Sorting(alias=self.column),))


def _within(table: str, period: Between) -> list[Condition]:
    from averment.agents.analyst.parts.nouns import conditions

    return list(conditions(table, (), period))
