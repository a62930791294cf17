"""A quotient over two tables that no key relates: the rows of both, one below the other, by what they share.

Orders and visits have days, stores and channels in common and nothing else. Each row adds to one side of the quotient
only, so nothing is repeated, and every dimension that both tables have cuts both sides alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.tables.cubes.cube_sql import FLOAT, day_of
from averment.tables.engines.backend import quote
from averment.tables.metrics.joins import JoinStep, RowSource, is_unique
from averment.tables.metrics.parse import MetricForm, MetricPart
from averment.tables.profile.profiler import ColumnProfile, TableProfile

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.relationships import TableRelation

ABOVE, BELOW = "added above", "added below"
"""The columns that hold what a row adds to the numerator and to the denominator."""


def stack_metric(
    engine: Engine, form: MetricForm, profiles: Sequence[TableProfile], relations: Sequence[TableRelation]
) -> tuple[RowSource, TableProfile] | None:
    """The rows of both tables and the profile of what they share; None where the metric is no such quotient."""
    top, bottom = form.numerator, form.denominator
    if bottom is None or form.unit or form.joins or form.where or len(top.tables) != 1 or len(bottom.tables) != 1:
        return None
    found = [next((p for p in profiles if p.table == part.tables[0]), None) for part in (top, bottom)]
    one, other = found
    if one is None or other is None or one.table == other.table:
        return None
    days = (_day(one, other), _day(other, one))
    shared = [(column, match) for column in one.columns if (match := _same(column, other)) is not None]
    if days[0] is None or days[1] is None or not shared:
        return None
    name = f"{one.table} and {other.table}"
    dialect = engine.catalog.dialect
    halves = [
        _half(dialect, table, days[0], day, [pair[at] for pair in shared], [pair[0] for pair in shared], adds)
        for at, (table, day, adds) in enumerate(
            ((one.table, days[0], (top.value, "0")), (other.table, days[1], ("0", bottom.value)))
        )
    ]
    steps = _steps(engine, name, {one.table, other.table}, [pair[0].name for pair in shared], relations)
    source = RowSource(
        base=name,
        text=" UNION ALL ".join(halves),
        steps=tuple(steps),
        gathered=(),
        numerator=MetricPart(value=f"{quote(name)}.{quote(ABOVE)}", tables=(name,)),
        denominator=MetricPart(value=f"{quote(name)}.{quote(BELOW)}", tables=(name,)),
    )
    dated = days[0].changed(data_type="date", inferred_type="timestamp")
    columns = [column.changed(cardinality=max(column.cardinality, match.cardinality)) for column, match in shared]
    return source, TableProfile(table=name, row_count=one.row_count + other.row_count, columns=(dated, *columns))


def _same(column: ColumnProfile, other: TableProfile) -> ColumnProfile | None:
    """The other table's column of the same name and kind, where both are categories or keys."""
    match = other.column(column.name)
    if match is None or match.data_type != column.data_type:
        return None
    return match if {match.inferred_type, column.inferred_type} <= {"dimension", "id"} else None


def _day(table: TableProfile, other: TableProfile) -> ColumnProfile | None:
    """The table's date, the one that the other table has as well first."""
    dates = [column for column in table.columns if column.inferred_type == "timestamp"]
    return next((column for column in dates if other.column(column.name) is not None), next(iter(dates), None))


def _half(
    dialect: Dialect,
    table: str,
    named: ColumnProfile,
    day: ColumnProfile,
    columns: Sequence[ColumnProfile],
    names: Sequence[ColumnProfile],
    adds: tuple[str, str],
) -> str:
    items = [f"{day_of(dialect, table, day.name)} AS {quote(named.name)}"]
    items += [
        f"{quote(table)}.{quote(column.name)} AS {quote(name.name)}"
        for column, name in zip(columns, names, strict=True)
    ]
    items += [
        f"CAST({value} AS {FLOAT[dialect]}) AS {quote(name)}" for value, name in zip(adds, (ABOVE, BELOW), strict=True)
    ]
    return f"SELECT {', '.join(items)} FROM {quote(table)}"


def _steps(
    engine: Engine, name: str, both: set[str], shared: Sequence[str], relations: Sequence[TableRelation]
) -> list[JoinStep]:
    """The tables that a shared key leads to, and those beyond them."""
    found: list[JoinStep] = []
    known = {name}
    waiting = [(name, relation) for relation in relations if relation.left in both and relation.left_column in shared]
    while waiting:
        left, relation = waiting.pop(0)
        if relation.right in known or relation.right in both:
            continue
        if is_unique(engine, relation.right, relation.right_column):
            known.add(relation.right)
            found.append(
                JoinStep(
                    left=left,
                    left_column=relation.left_column,
                    right=relation.right,
                    right_column=relation.right_column,
                )
            )
            waiting += [(next_.left, next_) for next_ in relations if next_.left == relation.right]
    return found
