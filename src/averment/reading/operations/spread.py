"""Operations over the spread of a number: percentiles, both ends and the middle, bins, steps, groups of equal size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan, Value
from averment.plans.statistics import Distribution, EqualGroups
from averment.reading.operations.figures import figure_plan
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.usual_figures import number_measure, usual

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column

MOST_BINS, MOST_NUMBERS = 100, 3
_FIVE = ("min", 0.25, "median", 0.75, "max")


def quantiles(parts: Parts) -> Iterator[Proposal]:
    """Several percentiles side by side, or the least, the quartiles and the greatest, for groups or over all."""
    state = parts.state
    columns = [column for column in parts.numbers if not column.has("flag")]
    if not 1 <= len(columns) <= MOST_NUMBERS:
        return
    at = sorted(set(state.said.get("quantiles", ())))
    if len(at) > 1 and len(at) >= len(set(state.aggregates) - {"quantile"}):
        functions: tuple[str | float, ...] = tuple(0.5 if number == 0.5 else number for number in at)
        yield -0.1, _several(parts, columns, functions)
    elif state.has("spread"):
        yield 0.0, _several(parts, columns, ("mean", *_FIVE), counted=True)
    elif len(columns) == 1 and state.has("distribution") and _splits(parts) and "bins" not in state.said:
        # By groups a spread is told by its ends and quartiles, which can be set side by side.
        yield 0.0, _several(parts, columns[:1], _FIVE, counted=True)


def _several(
    parts: Parts, columns: Sequence[Column], functions: tuple[str | float, ...], *, counted: bool = False
) -> Plan:
    made = [measure for column in columns for measure in _taken(column.value, functions, counted=counted)]
    by = _splits(parts)
    return Plan(table=parts.home, measures=tuple(made), by=by, where=parts.where, expects="table" if by else "row")


def _taken(of: Value, functions: tuple[str | float, ...], *, counted: bool) -> list[Measure]:
    made = [
        Measure(function=each, of=of) if isinstance(each, str) else Measure(function="quantile", of=of, at=each)  # pyright: ignore[reportArgumentType]
        for each in functions
    ]
    if counted:
        made.insert(0, Measure(function="count", of=of))
    return made


def _splits(parts: Parts) -> tuple[Value, ...]:
    named = parts.split or tuple(v for v in parts.state.targets if not parts.is_label(v) and not parts.is_time(v))
    return tuple(v for v in named if v.column not in {c.name for c in parts.numbers})


def _column(parts: Parts) -> Column | None:
    """The number that is looked at: the one that is named."""
    return parts.numbers[0] if len(parts.numbers) == 1 else None


def bins(parts: Parts) -> Iterator[Proposal]:
    """A number in so many bins of one width, each with its rows."""
    state = parts.state
    column = _column(parts)
    if column is None or state.groups or state.aggregates or column.has("flag"):
        return
    count = int(state.said["bins"][0]) if "bins" in state.said else 10
    if 2 <= count <= MOST_BINS:
        made = Distribution(of=(column.value,), bins=count)
        yield 0.0, Plan(table=parts.home, statistic=made, where=parts.where, expects="table")


def values_counted(parts: Parts) -> Iterator[Proposal]:
    """How the rows are spread over the values of a category."""
    state = parts.state
    if parts.numbers:
        return
    keys = tuple(state.targets[:2]) or tuple(flag.value for flag, _ in state.flags[:1])
    if keys:
        yield 0.0, figure_plan(parts, rows_measure(parts), keys, where=parts.tests_only)


def steps(parts: Parts) -> Iterator[Proposal]:
    """A number in steps of a width: how many rows each step has, or another number's figure in it."""
    state = parts.state
    width = state.said["width"][0]
    if width <= 0:
        return
    grouped = _grouped(parts)
    others = tuple(v for v in state.groups if all(v != value for value, _ in grouped))
    if len(grouped) == 1:
        column = grouped[0][1]
        yield from _in_steps(parts, column, width, others, -_charged(parts, grouped))
    elif not grouped and len(parts.numbers) == 1 and not state.aggregates:
        step = _step(parts.numbers[0], width)
        if _fits(parts.numbers[0], width):
            yield 0.0, figure_plan(parts, Measure(function="rows"), (step, *others), expects="table")


def _grouped(parts: Parts) -> list[tuple[Value, Column]]:
    """The numbers that are grouped by: "by age in steps of 10", "per age quartile"."""
    state = parts.state
    found = [(v, c) for v in state.groups if (c := parts.column_of(v)) is not None and c.has("measure")]
    return [*found, *([(state.per.value, state.per)] if state.per is not None else [])]


def _charged(parts: Parts, grouped: list[tuple[Value, Column]]) -> float:
    """What plain groupings by these numbers were charged when they were read."""
    return sum(0.3 if c.distinct <= 40 else 0.9 for _, c in grouped if c is not parts.state.per)


def _in_steps(
    parts: Parts, column: Column, width: float, others: tuple[Value, ...], refund: float
) -> Iterator[Proposal]:
    state = parts.state
    measures = [c for c in parts.numbers if c is not column]
    if not _fits(column, width) or len(measures) > 1:
        return
    by = (_step(column, width), *others)
    if not measures:
        yield refund, figure_plan(parts, Measure(function="rows"), by, expects="table")
        return
    functions = [(0.0, state.aggregates[0])] if state.aggregates else usual(measures[0])
    for cost, function in functions:
        yield (
            refund + cost,
            figure_plan(parts, number_measure(measures[0], function, state.quantile), by, expects="table"),
        )


def _step(column: Column, width: float) -> Value:
    return Value(kind="bucket", table=column.table, column=column.name, width=width)


def _fits(column: Column, width: float) -> bool:
    """Whether steps of this width are few enough to be read."""
    if not isinstance(column.low, int | float) or not isinstance(column.high, int | float) or column.numeric_text:
        return False
    return column.expression is None and (column.high - column.low) / width <= 2 * MOST_BINS


def equal_groups(parts: Parts) -> Iterator[Proposal]:
    """Rows by a number, or things by a figure of theirs, in so many groups of one size."""
    state = parts.state
    said = state.said.get("tiles") or state.said.get("entity_tiles") or ()
    if len(said) != 1 or not 2 <= said[0] <= MOST_BINS:
        return
    count = int(said[0])
    grouped = _grouped(parts)
    things = [v for v in (*state.targets, *state.groups) if not any(v == value for value, _ in grouped)]
    columns = list(dict.fromkeys([*(c for _, c in grouped), *parts.numbers]))
    refund = -_charged(parts, grouped)
    if len(things) == 1 and len(columns) == 1 and not parts.is_unique((things[0],)):
        # Things are put in groups by what they make together, where that can be added up.
        usually = [(0.0, "sum"), (0.6, "mean")] if columns[0].additive else usual(columns[0])
        for cost, function in [(0.0, state.aggregates[0])] if state.aggregates else usually:
            plan = Plan(
                table=parts.home,
                by=(things[0],),
                measures=(number_measure(columns[0], function, None),),
                statistic=EqualGroups(bins=count),
                where=parts.where,
                expects="table",
            )
            yield refund + cost, plan
        return
    if things and not all(parts.is_label(v) for v in things):
        return
    if "entity_tiles" in state.said and not state.rows and not things:
        return
    if len(columns) == 1 and not state.aggregates:
        made = EqualGroups(of=(columns[0].value,), bins=count)
        yield refund, Plan(table=parts.home, statistic=made, where=parts.where, expects="table")
    elif len(columns) == 2 and len(grouped) == 1:
        by, other = grouped[0][1], next(c for c in columns if c is not grouped[0][1])
        for cost, function in [(0.0, state.aggregates[0])] if state.aggregates else usual(other):
            made = EqualGroups(of=(by.value,), bins=count)
            measure = number_measure(other, function, None)
            yield (
                refund + cost,
                Plan(table=parts.home, statistic=made, measures=(measure,), where=parts.where, expects="table"),
            )
