"""Behind a cell of a result: which rows of the tables it was computed of, and the figure over just these rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from averment.errors import InvalidRequest
from averment.plans.compile import compile_plan
from averment.plans.expressions import PLACE, bound, column_sql, condition_sql, measure_sql, select, value_sql
from averment.plans.names import value_name
from averment.plans.plan import Test, Value
from averment.plans.query import Query
from averment.plans.readback import say_test
from averment.plans.registry import AGGREGATES

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Plan

ROW = "row"
"""The heading of a row's place in its table."""

FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class CellRows:
    """The rows behind a cell: queries for a page of them, for how many there are, and for the figure over them."""

    plan: Plan
    """The plan, with the conditions on its rows that the cell stands for."""
    conditions: tuple[exp.Expr, ...]
    """What tells the cell's row from the others."""
    in_words: str
    measure: Measure | None

    def page(self, columns: Sequence[str], *, limit: int, offset: int, placed: bool = True) -> Query:
        """Some of the rows in the order of their table, with their places in it.

        What is not ``placed``, as a database's table, has no order of its own: its rows are ordered by all columns.
        """
        place = column_sql(None, PLACE)
        shown = {name: column_sql(self.plan.table, name) for name in columns}
        outputs = {ROW: place, **shown} if placed else shown
        base = select(self.plan, outputs, where=self.conditions, order=[place] if placed else shown.values())
        return Query(base=base.limit(limit, copy=False).offset(offset, copy=False), shown=tuple(outputs))

    def count(self) -> Query:
        """How many rows there are."""
        return self._only(exp.Count(this=exp.Star()))

    def figure(self) -> Query | None:
        """The cell's figure over these rows alone; None where one query does not give it."""
        measure = self.measure
        if measure is None or AGGREGATES[measure.function].placed or self.plan.window is not None:
            return None
        if measure.over is not None and AGGREGATES[measure.over.function].placed:
            return None
        return self._only(measure_sql(measure))

    def _only(self, figure: exp.Expr) -> Query:
        return Query(base=select(self.plan, {FIGURE: figure}, where=self.conditions), shown=(FIGURE,))


def rows_behind(plan: Plan, row: Mapping[str, Any], heading: str) -> CellRows:
    """The rows that one cell of a plan's result was computed of.

    ``row`` are the cells of its row by their headings; ``heading`` is the cell's own. A cell of a ranked, ordered or
    shared result stands for the rows of its group; a statistic for all rows that it was taken over.

    Raises:
        InvalidRequest: the plan has no rows of one table behind its cells, such as rows of two plans together.
    """
    if plan.query is not None or plan.combine is not None or (plan.statistic is not None and not plan.statistic.of):
        raise InvalidRequest(
            "This result is not computed from the rows of one table, so a cell has no source rows to show."
        )
    if plan.statistic is not None:
        known = tuple(Test(value=value, operator="null", negated=True) for value in plan.statistic.of)
        return _made(plan, (*plan.where, *known), (), None)
    columns = compile_plan(plan).columns
    keys = [
        (each.value, row[each.name]) for each in columns if each.value and each.origin == "value" and each.name in row
    ]
    # A key stands for the whole group.
    measure = next((each.measure for each in columns if each.name == heading), None)
    return _made(plan, (*plan.where, *_narrowed(measure)), keys, measure)


def _narrowed(measure: Measure | None) -> tuple[Test, ...]:
    """What a measure itself asks of its rows: its own conditions, and that what it is taken of is known."""
    if measure is None:
        return ()
    if measure.over is not None:
        return _narrowed(measure.over)  # A share's rows are those of the whole.
    if measure.function == "rate":
        parts = [part for test in measure.where for part in test.parts() if part.operator != "null"]
        return tuple(Test(value=part.value, operator="null", negated=True) for part in parts)
    known = (Test(value=measure.of, operator="null", negated=True),) if measure.of is not None else ()
    return (*measure.where, *known)


def _made(plan: Plan, tests: Sequence[Test], keys: Sequence[tuple[Value, Any]], measure: Measure | None) -> CellRows:
    conditions: list[exp.Expr] = []
    said = [say_test(test) for test in tests if test.operator != "null" or not test.negated]
    for value, held in keys:
        conditions.append(_is(value, held))
        said.append(f"{value_name(value)} is {'missing' if held is None else _plain(held)}")
    known = [value_name(test.value) for test in tests if test.operator == "null" and test.negated and test.value]
    said += [f"{name} is known" for name in known]
    return CellRows(plan.changed(where=tuple(tests)), tuple(conditions), " and ".join(said), measure)


def _is(value: Value, held: Any) -> exp.Expr:
    if held is None:
        return condition_sql(Test(value=value, operator="null"))
    if isinstance(held, datetime) and held.time() != datetime.min.time():
        return exp.EQ(this=value_sql(value), expression=bound(held.replace(tzinfo=None).isoformat(sep=" ")))
    return condition_sql(Test(value=value, operator="=", to=(_plain(held),)))


def _plain(held: Any) -> str | int | float | bool:
    if isinstance(held, bool | int | float | str):
        return held
    if isinstance(held, datetime):
        return held.date().isoformat() if held.time() == datetime.min.time() else held.isoformat(sep=" ")
    if isinstance(held, date):
        return held.isoformat()
    if isinstance(held, Decimal):
        return int(held) if held == held.to_integral_value() else float(held)
    return str(held)
