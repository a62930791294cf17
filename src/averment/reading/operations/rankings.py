"""Operations that rank: rows by a number, groups by a figure, the extreme of each group."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Measure, Plan, Rank, Value
from averment.reading.operations.figures import figure_plan
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.usual_figures import number_measure, truth, usual
from averment.reading.words import COUNTING_ENDS, is_plural, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column

NAMED = 0.9
"""From this strength on a word names a table by itself."""
MOST_NUMBERS = 3
"""By how many numbers something is ranked where no word says by which."""


def ranking(parts: Parts) -> Iterator[Proposal]:
    """The first few by a figure: rows by a number, groups by an aggregate, a rate or a count."""
    state = parts.state
    rank = Rank(descending=bool(state.descending), limit=state.limit or 1, skip=state.skip)
    keys = parts.keys
    numbered = state.has("common") and not state.targets  # the most common age: its values are counted
    column = state.ranked or (state.measures[0] if state.measures and not numbered else None)
    if column is not None and state.ranked_flag:
        measure = Measure(function="rate", where=(truth(column, True),))
        for cost, key in keys:
            yield cost, _ranked(parts, measure, key, rank, where=parts.where_without_flag(column))
        return
    if state.flags and state.has("rate", "share") and column is None:
        flag, positive = state.flags[0]
        measure = Measure(function="rate", where=(truth(flag, positive),))
        for cost, key in keys:
            yield cost, _ranked(parts, measure, key, rank, where=parts.where_without_flag(flag))
        return
    if state.rated is not None and column is None:
        for cost, key in keys:
            yield cost - 0.1, _ranked(parts, Measure(function="rate", where=(state.rated,)), key, rank)
        return
    if state.ranked_distinct is not None:
        measure = Measure(function="distinct", of=state.ranked_distinct.value)
        for cost, key in keys:
            yield cost, _ranked(parts, measure, key, rank)
        return
    if column is None:
        rows = _by_rows(parts)
        if rows is not None:
            yield from ((cost, _ranked(parts, rows, key, rank)) for cost, key in keys if not _are_of(key, rows))
            return
        if state.ranked_rows or state.adjective in {None, "busy", "popular"}:
            for cost, key in keys:
                measure = rows_measure(parts)
                if measure.table is not None and all(value.table == measure.table for value in key):
                    measure = Measure(function="rows")  # the course that most enrolments are of
                if parts.names_rows(key) and measure.table is None:
                    continue  # Each row is one row: that is no ranking.
                counted = state.ranked_rows or state.has("count") or state.adjective is not None
                extra = 0.0 if counted else 0.1 if state.counts_most else 0.35
                extra += 0.8 * state.has("sized")
                yield cost + extra, _ranked(parts, measure, key, rank)
            if not state.ranked_rows and not state.has("count") and state.adjective is None:
                yield from _ranked_by_any(parts, keys, rank)
        return
    if state.adjective == "busy" and column not in state.measures:
        # The busiest stop has the most passengers, or the most trips: neither is more likely.
        for cost, key in keys:
            if not parts.names_rows(key):
                yield cost, _ranked(parts, Measure(function="rows"), key, rank)
    yield from _ranked_by(parts, column, keys, rank, 0.0)


def _by_rows(parts: Parts) -> Measure | None:
    """ "The top clients by invoices": by how many rows a table has that is named behind "by"."""
    for one, two in pairwise(parts.state.items):
        if one.cue("by") and two.type == "ROW" and two.data and two.strength >= NAMED:
            others = any(name not in {None, two.data} for name in parts.asked_rows)
            return Measure(function="rows", table=two.data) if others else None
    return None


def _are_of(key: tuple[Value, ...], rows: Measure) -> bool:
    return all(value.table == rows.table for value in key)


def _ranked_by_any(parts: Parts, keys: list[tuple[float, tuple[Value, ...]]], rank: Rank) -> Iterator[Proposal]:
    """By what "the best region" is best: the number a table is about, or each of its numbers, none likelier."""
    if parts.implied is not None:
        yield from _ranked_by(parts, parts.implied, keys, rank, 0.4 if parts.state.counts_most else 0.15)
        return
    for column in sorted(parts.table.measures, key=lambda each: not each.additive)[:MOST_NUMBERS]:
        yield from _ranked_by(parts, column, keys, rank, 0.5)


def _ranked_by(
    parts: Parts, column: Column, keys: list[tuple[float, tuple[Value, ...]]], rank: Rank, extra: float
) -> Iterator[Proposal]:
    state = parts.state
    others = [c for c in state.measures if c is not column]
    extra += 0.4 * len(others)
    grouped = [(cost, key) for cost, key in keys if not parts.names_rows(key)]
    shown = parts.row_labels
    if not state.aggregates or state.aggregates[0] in {"max", "min"}:
        named = [key for _, key in keys if parts.names_rows(key)]
        mine = any(name in {None, column.table} for name in state.rows)
        row_cost = 0.0 if named or not grouped or mine else 0.35
        shown = named[0] if named else shown
        asked_for = tuple(v for v in state.targets if v not in shown and not parts.names_rows((v,)))
        own = not shown or shown[0].table == column.table
        if own and (shown or not grouped or state.rows):
            plan = Plan(
                table=column.table if not shown else parts.home,
                show=tuple(dict.fromkeys((*asked_for, *(shown or (() if asked_for else parts.row_identity)))))
                or (column.value,),
                where=parts.where,
                rank=rank.model_copy(update={"by": column.value}),
                expects="list" if rank.limit > 1 else "row",
            )
            within = tuple(state.groups)
            if within and state.has("ranking"):
                plan = plan.model_copy(
                    update={
                        "show": tuple(dict.fromkeys((*within, *plan.show))),
                        "rank": plan.rank and plan.rank.model_copy(update={"within": tuple(range(len(within)))}),
                    }
                )
            if not (within and grouped and not shown):
                yield extra + row_cost, plan
    named = [c for c in others if any(at < _end(parts) for at, each in state.columns_at if each is c)]
    if len(named) == 1 and len(others) == 1 and not state.targets and not state.aggregates and not state.groups:
        # "The age with the highest use": the number that stands before is asked for.
        top = rank.model_copy(update={"by": column.value})
        shape = "list" if rank.limit > 1 else "row"
        yield extra - 0.35, Plan(table=parts.home, show=(named[0].value,), where=parts.where, rank=top, expects=shape)
    for cost, key in grouped:
        functions = [(0.0, state.aggregates[0])] if state.aggregates else _ranked_functions(parts, column, rank)
        for more, function in functions:
            yield extra + cost + more, _ranked(parts, number_measure(column, function, state.quantile), key, rank)
        unique = parts.is_unique(key)
        if not state.aggregates and not unique:
            # The highest single row, shown by what it was asked by.
            yield (
                extra + cost + 0.25,
                Plan(
                    table=parts.home,
                    show=key,
                    where=parts.where,
                    rank=rank.model_copy(update={"by": column.value}),
                    expects="row" if rank.limit == 1 else "list",
                ),
            )
    if not grouped and not shown and not state.rows:
        function = "max" if rank.descending else "min"
        yield extra + 0.3, figure_plan(parts, number_measure(column, function, None), tuple(state.groups))
    if state.groups and not grouped:
        function = "max" if rank.descending else "min"
        yield extra + 0.05, figure_plan(parts, number_measure(column, function, None), tuple(state.groups))


def _end(parts: Parts) -> int:
    """Where the superlative stands."""
    items = parts.state.items
    return next((n for n, i in enumerate(items) if i.type == "GRADE" or i.cue("most", "least", "top", "bottom")), 0)


def _ranked_functions(parts: Parts, column: Column, rank: Rank) -> list[tuple[float, str]]:
    extreme = "max" if rank.descending else "min"
    if column.has("year"):
        return [(0.0, extreme)]  # Of years one asks for the first or the last; their average is of no use.
    summed = _is_counted_up(parts, column) or _is_done(parts, column)
    found = [(0.0, "sum"), (0.3, "mean")] if summed else usual(column)
    if parts.state.adjective == "busy":  # What is busy has much of it altogether.
        found = [(0.0, "sum"), (0.3, "mean")]
    return [*found, (0.3 if column.additive else 0.12, extreme)]


def _is_counted_up(parts: Parts, column: Column) -> bool:
    """Whether things are counted together, as in "the most yellow cards": whole numbers of what is named in plural."""
    counting = any(item.text in COUNTING_ENDS and item.cue("most", "least") for item in parts.state.items)
    whole = bool(column.whole) and isinstance(column.low, int | float) and column.low >= 0
    named = bool(column.words) and is_plural(column.words[-1]) and not set(column.words) & word_list("not_additive")
    return counting and whole and named and column.expression is None


def _is_done(parts: Parts, column: Column) -> bool:
    """Whether a verb names the number, as in "who invested the most": what was done more than once adds up."""
    spans = [item for item in parts.state.items if item.type == "COLUMN" and item.data is column]
    return any(s.text.endswith("ed") and s.text.split()[-1] not in column.words for s in spans)


def _ranked(parts: Parts, measure: Measure, key: tuple[Value, ...], rank: Rank, **more: Any) -> Plan:
    state = parts.state
    within = tuple(v for v in dict.fromkeys(state.groups) if v not in key)
    if within:
        rank = rank.model_copy(update={"within": tuple(range(len(within)))})
    more.setdefault("where", parts.where)
    return Plan(
        table=parts.home,
        measures=(measure,),
        by=(*within, *key),
        rank=rank,
        having=parts.having,
        expects="row" if rank.limit == 1 and not within else "list",
        **more,
    )


def extreme_of_groups(parts: Parts) -> Iterator[Proposal]:
    """ "highest price of each stock": the greatest number of each group, not the first group."""
    state = parts.state
    column = state.ranked or (state.measures[0] if state.measures else None)
    if column is None or state.ranked_flag or state.limit is not None or state.targets or state.rows[1:]:
        return
    function = "max" if state.descending else "min"
    by = tuple(state.groups)
    if by and any(item.type == "ROW" for item in state.items[: _end(parts)]) and not state.has("much"):
        return  # "The visit with the highest amount in each country" is a visit.
    cost = 0.0 if by else 0.2
    if by and state.rows and parts.row_labels and parts.row_labels[0] not in by:
        cost = 0.5  # Which of the rows it is was asked, and not how much it has.
    if not by and parts.row_labels and not state.has("much"):
        cost = 0.4
    yield cost, figure_plan(parts, number_measure(column, function, None), by)
