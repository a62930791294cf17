"""Behind a cell of a result: which rows of the tables it was computed of, and the figure over just these rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from averment.errors import InvalidRequest
from averment.plans.compile import compile_plan
from averment.plans.names import headings, value_name
from averment.plans.plan import Test, Value
from averment.plans.readback import say_test
from averment.plans.registry import AGGREGATES
from averment.plans.terms import condition, measure_term, term
from averment.tables.compose.select_spec import PLACE, ROWS, Condition, Order, Output, Select, column

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Plan

ROW = "row"
"""The heading of a row's place in its table."""

FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class CellRows:
    """The rows behind a cell: queries for a page of them, for how many there are, and for the figure over them."""

    table: str
    conditions: tuple[Condition, ...]
    plan: Plan
    in_words: str
    measure: Measure | None

    def page(self, columns: Sequence[str], *, limit: int, offset: int, placed: bool = True) -> Select:
        """Some of the rows in the order of their table, with their places in it.

        What is not ``placed``, as a database's table, has no order of its own: its rows are ordered by all columns.
        """
        shown = tuple(Output(term=column(self.table, name), alias=name) for name in columns)
        return Select(
            table=self.table,
            joins=self.plan.joins,
            outputs=(Output(term=PLACE, alias=ROW), *shown) if placed else shown,
            conditions=self.conditions,
            order=(Order(term=PLACE),) if placed else tuple(Order(term=output.term) for output in shown),
            limit=limit,
            offset=offset,
            numbered=placed,
        )

    def count(self) -> Select:
        """How many rows there are."""
        return self._only(Output(term=ROWS, alias=FIGURE))

    def figure(self) -> Select | None:
        """The cell's figure over these rows alone; None where one query does not give it."""
        measure = self.measure
        if measure is None or AGGREGATES[measure.function].placed or self.plan.window is not None:
            return None
        if measure.over is not None and AGGREGATES[measure.over.function].placed:
            return None
        return self._only(Output(term=measure_term(measure), alias=FIGURE))

    def _only(self, output: Output) -> Select:
        return Select(table=self.table, joins=self.plan.joins, outputs=(output,), conditions=self.conditions)


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
    keys = _keys(plan, row)
    measure = _measure(plan, heading)
    return _made(plan, (*plan.where, *_narrowed(measure)), keys, measure)


def _keys(plan: Plan, row: Mapping[str, Any]) -> tuple[tuple[Value, Any], ...]:
    """What tells the row from the others, as far as the result shows it."""
    if plan.over_groups is not None:
        return ()
    names, _ = headings(plan)
    values = plan.by if plan.measures or not plan.show else plan.show
    found = [(value, row[name]) for value, name in zip(values, names, strict=True) if name in row]
    if plan.show and plan.rank is not None and plan.rank.by is not None and plan.rank.by not in plan.show:
        extra = compile_plan(plan).figures[0]
        found += [(plan.rank.by, row[extra])] if extra in row else []
    return tuple(found)


def _measure(plan: Plan, heading: str) -> Measure | None:
    if not plan.measures:
        return None
    keys, figures = headings(plan)
    if heading in keys:
        return None  # A key stands for the whole group.
    return plan.measures[figures.index(heading) if heading in figures else 0]


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
    conditions = [condition(test) for test in tests]
    said = [say_test(test) for test in tests if test.operator != "null" or not test.negated]
    for value, held in keys:
        conditions.append(_is(value, held))
        said.append(f"{value_name(value)} is {'missing' if held is None else _plain(held)}")
    known = [value_name(test.value) for test in tests if test.operator == "null" and test.negated and test.value]
    said += [f"{name} is known" for name in known]
    return CellRows(plan.table, tuple(conditions), plan, " and ".join(said), measure)


def _is(value: Value, held: Any) -> Condition:
    if held is None:
        return Condition(term=term(value), operator="null")
    if isinstance(held, datetime) and held.time() != datetime.min.time():
        return Condition(term=term(value), operator="=", values=(held.replace(tzinfo=None).isoformat(sep=" "),))
    return condition(Test(value=value, operator="=", to=(_plain(held),)))


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
