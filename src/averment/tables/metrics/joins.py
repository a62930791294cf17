"""Where a metric's rows come from: one base table, and other tables joined so that no row of it is repeated.

A table is joined only where its key has one row a value; anything else would multiply the metric. Of two tables that a
ratio reads apart, the finer one is summed up by the key of the other first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.errors import JoinFansOut, MetricUnreadable
from averment.tables.engines.backend import quote
from averment.tables.metrics.parse import MetricForm, MetricPart

if TYPE_CHECKING:
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.relationships import TableRelation

_FARTHEST = 3
"""A table more joins away than this describes the metric's rows only from afar."""


@dataclass(frozen=True, kw_only=True)
class JoinStep:
    """A table joined by its unique key to one that is already there; ``inner`` drops rows without a match.

    With ``as_text`` one side is text and the other is numbers: both are compared as they are written.
    """

    left: str
    left_column: str
    right: str
    right_column: str
    inner: bool = False
    as_text: bool = False

    @property
    def on(self) -> str:
        """The condition that joins it."""
        left = f"{quote(self.left)}.{quote(self.left_column)}"
        right = f"{quote(self.right)}.{quote(self.right_column)}"
        return f"CAST({left} AS VARCHAR) = CAST({right} AS VARCHAR)" if self.as_text else f"{left} = {right}"


@dataclass(frozen=True, kw_only=True)
class SummedTable:
    """A finer table summed up by the key of the base before it is joined."""

    table: str
    column: str
    base_column: str
    value: str
    alias: str


@dataclass(frozen=True, kw_only=True)
class RowSource:
    """The base table of a metric, the tables joined to it, and what each of its rows adds."""

    base: str
    steps: tuple[JoinStep, ...]
    gathered: tuple[SummedTable, ...]
    numerator: MetricPart
    denominator: MetricPart | None
    repeating: tuple[str, ...] = ()
    """Tables that refer to the base and are left out, since joining them would repeat its rows."""
    text: str | None = None
    """What the base is where it is no table: the rows of two tables, one below the other."""

    def reaches(self, table: str) -> bool:
        """Whether columns of that table can be read beside the base's."""
        return table == self.base or any(step.right == table for step in self.steps)


def place_metric(engine: Engine, form: MetricForm, relations: Sequence[TableRelation]) -> RowSource:
    """The rows of a metric, with every table that describes them.

    Raises:
        JoinFansOut: the metric's own joins would repeat the rows it sums.
        MetricUnreadable: its tables have no key in common.
    """
    steps = [
        JoinStep(left=r.left, left_column=r.left_column, right=r.right, right_column=r.right_column, as_text=r.as_text)
        for r in relations
    ]
    own = _own_steps(engine, form)
    if form.joins:
        base = _base_of(form, own, form.tables)
        if base is None:
            raise _fan_out(form)
        path = _reach(base, own)
    else:
        base, path = _bare_base(form, steps), []
    numerator, denominator, gathered = form.numerator, form.denominator, ()
    if base is None:
        base, numerator, denominator, gathered = _sum_tables(form, steps)
    elif _multiplied(form, base):
        raise _fan_out(form)
    known = {base, *(step.right for step in path)}
    for step in _reach(base, steps):
        if step.left in known and step.right not in known and is_unique(engine, step.right, step.right_column):
            path.append(step)
            known.add(step.right)
    missing = [table for table in form.tables if table not in known and all(table != g.table for g in gathered)]
    if missing:
        raise MetricUnreadable(
            f"The metric reads {', '.join(form.tables)}, but no key relates {base} to {', '.join(missing)}.",
            hint="Join the tables in the metric's SELECT, or use a metric over one table.",
        )
    repeating = sorted({step.left for step in steps if step.right == base and step.left not in known})
    return RowSource(
        base=base,
        steps=tuple(path),
        gathered=gathered,
        numerator=numerator,
        denominator=denominator,
        repeating=tuple(repeating),
    )


def is_unique(engine: Engine, table: str, column: str) -> bool:
    """Whether a column has one row for each of its values."""
    name = quote(column)
    asked = f"SELECT count({name}) AS n, count(DISTINCT {name}) AS d FROM {quote(table)}"
    row = engine.run(asked, timeout=60.0).table.to_pylist()[0]
    return int(row["n"] or 0) == int(row["d"] or 0)


def _own_steps(engine: Engine, form: MetricForm) -> list[JoinStep]:
    """The joins that the metric's text makes, each in the directions in which it repeats nothing."""
    found: list[JoinStep] = []
    for join in form.joins:
        ends = ((join.left, join.left_column), (join.right, join.right_column))
        for (left, left_column), (right, right_column) in (ends, ends[::-1]):
            if is_unique(engine, right, right_column):
                found.append(
                    JoinStep(
                        left=left, left_column=left_column, right=right, right_column=right_column, inner=join.inner
                    )
                )
    return found


def _base_of(form: MetricForm, steps: Sequence[JoinStep], tables: Sequence[str]) -> str | None:
    """The table from which all others are reached without repeating; of several the one whose columns are summed."""
    reaching = [
        table for table in tables if set(tables) <= {table, *(step.right for step in _reach(table, list(steps)))}
    ]
    summed = form.numerator.tables
    return next((table for table in reaching if table in summed), next(iter(reaching), None))


def _bare_base(form: MetricForm, steps: list[JoinStep]) -> str | None:
    """The base of an expression without FROM, or None when its two parts stand in tables that must be gathered."""
    if len(form.tables) == 1:
        return form.tables[0]
    base = _base_of(form, steps, form.tables)
    return base if base is not None and not _multiplied(form, base) else None


def _multiplied(form: MetricForm, base: str) -> bool:
    """Whether some sum is over columns of a table that the base repeats."""
    parts = [form.numerator, *([form.denominator] if form.denominator else [])]
    return any(part.merge == "sum" and bool(part.tables) and base not in part.tables for part in parts)


def _sum_tables(
    form: MetricForm, steps: list[JoinStep]
) -> tuple[str, MetricPart, MetricPart | None, tuple[SummedTable, ...]]:
    """The coarser table as base, with the finer part summed up by its key."""
    parts = {"numerator": form.numerator, "denominator": form.denominator}
    for step in steps:
        for name, part in parts.items():
            other = form.denominator if name == "numerator" else form.numerator
            if part is None or other is None or part.merge != "sum" or part.tables != (step.left,):
                continue
            if set(other.tables) <= {step.right} and not form.where:
                alias = f"{step.left} by {step.left_column}"
                gathered = SummedTable(
                    table=step.left,
                    column=step.left_column,
                    base_column=step.right_column,
                    value=part.value,
                    alias=alias,
                )
                summed = MetricPart(value=f"{quote(alias)}.value", tables=(step.right,))
                changed = {"numerator": form.numerator, "denominator": form.denominator, name: summed}
                numerator = changed["numerator"] or form.numerator
                return step.right, numerator, changed["denominator"], (gathered,)
    raise _fan_out(form)


def _reach(base: str, steps: list[JoinStep]) -> list[JoinStep]:
    """The steps that lead from the base to every table it can reach, each table once, near ones first."""
    found: list[JoinStep] = []
    depth = {base: 0}
    queue = [base]
    while queue:
        table = queue.pop(0)
        for step in steps:
            if step.left == table and step.right not in depth and depth[table] < _FARTHEST:
                depth[step.right] = depth[table] + 1
                found.append(step)
                queue.append(step.right)
    return found


def _fan_out(form: MetricForm) -> JoinFansOut:
    return JoinFansOut(
        f"Joining {' and '.join(form.tables)} repeats rows, so {form.text} would count some of them several times.",
        details={"tables": list(form.tables)},
    )
