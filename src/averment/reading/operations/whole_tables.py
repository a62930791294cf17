"""Operations over whole tables and texts: tables of two directions, overviews, duplicates, lengths and pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Across, Measure, Plan, Value, Window
from averment.plans.statistics import Correlation, Duplicates, Outliers, TableOverview
from averment.reading.operations.figures import figure_plan
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.usual_figures import number_measure, usual
from averment.reading.words import singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State

MOST_COLUMNS, MOST_ACROSS = 60, 30
PIECES = ("domain", "area_code", "first_letter", "first_word", "last_word")
_LOOKED_AT, _MOST_GROUPS = 3, 50


def pivot(parts: Parts) -> Iterator[Proposal]:
    """A figure with one key down and another across."""
    state = parts.state
    # What is counted is no key of the table.
    counted = [v for v in state.targets if state.has("count") and parts.is_label(v)]
    keys = [v for v in dict.fromkeys((*state.groups, *state.targets)) if v not in counted]
    numbers = [c for c in parts.numbers if c.value not in keys]
    if not 2 <= len(keys) <= 3 or len(numbers) > 1:
        return
    laid = _laid(parts, keys)
    if laid is None:
        return
    by = (*(key for key in keys if key != laid[0]), laid[0])
    across = Across(at=len(by) - 1, values=laid[1])
    if not numbers:
        yield 0.0, figure_plan(parts, rows_measure(parts), by, across=across, expects="table")
        return
    for cost, function in [(0.0, state.aggregates[0])] if state.aggregates else usual(numbers[0]):
        measure = number_measure(numbers[0], function, state.quantile)
        yield cost, figure_plan(parts, measure, by, across=across, expects="table")


def _laid(parts: Parts, keys: list[Value]) -> tuple[Value, tuple[Any, ...]] | None:
    """The key that goes across and its values: the one that is said to, else the last that has few."""
    items = parts.state.items
    said = next((n for n, item in enumerate(items) if item.cue("+across")), None)
    able = [(key, values) for key in keys if (values := _values(parts, key))]
    if said is not None:
        named = [c for at, c in parts.state.columns_at if at < said]
        able = [(key, values) for key, values in able if named and named[-1] is parts.column_of(key)]
    return able[-1] if able else None


def _values(parts: Parts, key: Value) -> tuple[Any, ...]:
    column = parts.column_of(key)
    if column is None or key.kind != "column" or column.kind not in {"text", "bool"}:
        return ()
    kept = next((t.to for t in parts.where if t.value == key and t.operator in {"=", "in"} and t.inner is None), None)
    values = kept or tuple(sorted(column.values, key=str))
    known = len(values) == column.distinct or kept is not None
    return values if known and len(values) <= MOST_ACROSS else ()


def overview(parts: Parts) -> Iterator[Proposal]:
    """Every column of a table: what it holds and what is missing; and what stands out, where that is asked."""
    state = parts.state
    if parts.where or state.groups or state.targets or parts.numbers or state.flags:
        return
    columns = [c for c in parts.table.columns if c.expression is None]
    if not columns or len(columns) > MOST_COLUMNS:
        return
    made = TableOverview(of=tuple(_named(c) for c in columns if c.kind == "number" and not c.numeric_text))
    beside = (
        Plan(table=parts.home, measures=(Measure(function="rows"),), expects="figure"),
        Plan(table=parts.home, statistic=Duplicates(of=tuple(_named(c) for c in columns)), expects="figure"),
        *(_notable(parts) if state.has("stands_out") else ()),
    )
    yield (
        -0.1,
        Plan(
            table=parts.home,
            show=tuple(_named(c) for c in columns),
            statistic=made,
            beside=beside,
            expects="table",
        ),
    )


def _named(column: Column) -> Value:
    return Value(table=column.table, column=column.name)


def _notable(parts: Parts) -> Iterator[Plan]:
    """What is looked at beside the columns: the course of the main number, its shares, correlations, outliers."""
    table = parts.table
    numbers = [c for c in table.measures if c.expression is None and not c.numeric_text]
    main = next((c for c in numbers if c.additive), None)
    measure = Measure(function="sum", of=main.value) if main is not None else Measure(function="rows")
    time = parts.time_key(parts.grain)
    if time is not None:
        yield Plan(table=parts.home, measures=(measure,), by=(time,), expects="series")
    signed = main is not None and isinstance(main.low, int | float) and main.low < 0
    groups = [c for c in table.columns if c.has("category") and c.kind == "text" and 2 < c.distinct <= _MOST_GROUPS]
    for column in groups[: 0 if signed else _LOOKED_AT]:
        share = Window(kind="share")
        yield Plan(table=parts.home, measures=(measure,), by=(column.value,), window=share, expects="table")
    if len(numbers) > 1:
        made = Correlation(of=tuple(c.value for c in numbers[:6]), method="pearson")
        yield Plan(table=parts.home, statistic=made, expects="table")
    for column in numbers[:_LOOKED_AT]:
        outliers = Outliers(of=(column.value,))
        shown = tuple(c.value for c in table.identity if c is not column)
        yield Plan(table=parts.home, statistic=outliers, show=shown, expects="list")


def duplicates(parts: Parts) -> Iterator[Proposal]:
    """How many rows repeat an earlier one, in every column or in those that are named."""
    state = parts.state
    if state.aggregates or state.groups:
        return
    named = tuple(dict.fromkeys((*state.targets, *(c.value for c in parts.numbers))))
    columns = named or tuple(_named(c) for c in parts.table.columns if c.expression is None)
    yield 0.0, Plan(table=parts.home, statistic=Duplicates(of=columns), where=parts.where, expects="figure")


def lengths(parts: Parts) -> Iterator[Proposal]:
    """How long texts are: the figure that is asked for, or the average, the least and the greatest."""
    state = parts.state
    texts = [v for v in state.targets if parts.kind_of(v) == "text"]
    if len(texts) != 1 or parts.numbers or any(_stands_for_rows(state, place, c) for place, c in state.columns_at):
        return
    of = Value(kind="length", table=texts[0].table, column=texts[0].column)
    functions = list(dict.fromkeys(state.aggregates)) or ["mean", "min", "max"]
    if state.descending is not None:
        functions = ["max" if state.descending else "min"]
    measures = tuple(Measure(function=each, of=of) for each in functions)  # pyright: ignore[reportArgumentType]
    by = tuple(state.groups)
    shape = "table" if by else "figure" if len(measures) == 1 else "row"
    yield 0.0, Plan(table=parts.home, measures=measures, by=by, where=parts.where, expects=shape)


def _stands_for_rows(state: State, place: int, column: Column) -> bool:
    """Whether a key is not spoken of but by its rows: the length of a visit is none of its visit_id."""
    return column.has("key") and not word_list("keyish") & {singular(word) for word in state.items[place].text.split()}


def pieces(parts: Parts) -> Iterator[Proposal]:
    """A figure by a piece of a text: the domain of an address, an area code, a first letter."""
    state = parts.state
    piece: Any = next(name for name in PIECES if state.has(name))
    named = [v for v in (*state.groups, *state.targets) if parts.kind_of(v) == "text" and v.kind == "column"]
    able = [v for v in named if (c := parts.column_of(v)) is not None and _holds(c, piece)]
    if not able and piece in {"domain", "area_code"}:
        able = [c.value for c in parts.table.columns if c.kind == "text" and _holds(c, piece)]
    if len(able) != 1 or len(parts.numbers) > 1:
        return
    made = Value(kind="piece", table=able[0].table, column=able[0].column, piece=piece)
    by = (made, *(v for v in state.groups if v != able[0]))
    if not parts.numbers:
        yield 0.0, figure_plan(parts, rows_measure(parts), by)
        return
    for cost, function in [(0.0, state.aggregates[0])] if state.aggregates else usual(parts.numbers[0]):
        yield cost, figure_plan(parts, number_measure(parts.numbers[0], function, state.quantile), by)


def _holds(column: Column, piece: str) -> bool:
    """Whether the texts of a column can have such a piece."""
    shown = [str(value) for value in column.values[:50]]
    if piece == "domain":
        return bool(shown) and all("@" in value for value in shown)
    if piece == "area_code":
        return bool(shown) and all(sum(c.isdigit() for c in value) >= 10 for value in shown)
    return True
