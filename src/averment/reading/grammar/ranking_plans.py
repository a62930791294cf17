"""The first few by a figure, as rows or as groups, and what was first or last in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan, Rank
from averment.reading.grammar.frames import (
    Draft,
    Frame,
    Key,
    Order,
    entities,
    is_time_key,
    labels_of,
    mentions_of,
    row_count,
    tells_rows,
    values_of,
)
from averment.reading.grammar.times import time_columns

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column


def superlatives(frame: Frame) -> Iterator[Draft]:
    """The first few by a figure, as rows or as groups, or the extreme figure alone."""
    order = frame.order
    if order is None:
        return
    keys = frame.keys or entities(frame)
    skip = 1 if frame.cue("second") is not None else 2 if frame.cue("third") is not None else 0
    places = frame.cues("second", "third")
    limit = frame.limit or 1
    places |= mentions_of(*(each.used for each in frame.conditions if each.limit is not None))
    for column, down, cost, at, function in ranked_by(frame, order):
        rank = Rank(by=column.value, descending=down, limit=limit, skip=skip)
        used = mentions_of(order.at, at, places, frame.rows)
        alone = not keys or all(tells_rows(frame, key) for key in keys)
        alone = alone and all(key.column is None or key.column.table == column.table for key in keys)
        if function is None:
            shown = [*labels_of(frame, column), *values_of(keys), *values_of(frame.named), column.value]
            plan = Plan(
                table=frame.home.name,
                where=frame.where,
                show=tuple(dict.fromkeys(shown)),
                rank=rank,
                expects="row" if limit == 1 else "list",
            )
            asked = frame.cue("which", "top", "list") is not None or frame.rows or frame.limit is not None
            persons = order.graded and all(frame.items[n].cue("which") for key in keys for n in key.at)
            dear = 0.0 if alone and (keys or asked or order.graded) else 0.12 if alone else 0.05 if persons else 0.4
            if frame.keys:
                plan, dear = _within_groups(frame, plan, rank), 0.3
            yield Draft(cost + dear, plan, used | mentions_of(keys, frame.named))
        if not keys or frame.keys:
            extreme = Measure(function="max" if down else "min", of=column.value)
            plan = Plan(table=frame.home.name, where=frame.where, by=values_of(frame.keys), measures=(extreme,))
            if limit == 1 and not skip and function is None:
                dear = 0.0 if frame.keys else 0.05 + 0.1 * order.graded
                yield Draft(cost + dear, plan, used | mentions_of(frame.keys))
        if keys and not (alone and all(key.column is not None and key.column.is_unique for key in keys)):
            for dear, name in _functions_of(column, function, order, timed=any(map(is_time_key, keys))):
                measure = Measure(function=name, of=column.value)
                dear += 0.1 * bool(frame.keys)
                yield Draft(cost + dear, _ranked(frame, keys, measure, down, limit, skip), used | mentions_of(keys))
    inner = entities(frame) if frame.keys else []
    if inner and not any(key.value in values_of(frame.keys) for key in inner):
        yield from _first_of_each(frame, order, inner, limit)
    if keys and not order.measures:
        counted = bool(frame.cues("count")) or order.counts or not frame.figures
        measure, down = row_count(), order.descending
        table = frame.table_of_rows()
        used = mentions_of(order.at, keys, places, frame.rows, frame.cues("count"))
        if counted:
            plan = _ranked(frame, keys, measure, down, limit, skip)
            best = frame.items[order.at].text in {"best", "worst"}
            cost = (0.05 if order.counts or not frame.figures else 0.1) + 0.3 * best
            yield Draft(cost, plan.changed(table=table.name), used)


def _first_of_each(frame: Frame, order: Order, inner: list[Key], limit: int) -> Iterator[Draft]:
    """The first few of what is asked about within each group: the most active agent in every team."""
    keys = [*frame.keys, *inner]
    within = tuple(range(len(values_of(frame.keys))))
    figures: list[tuple[float, Measure, bool, frozenset[int]]] = []
    for column, down, cost, at, function in ranked_by(frame, order):
        for dear, name in _functions_of(column, function, order)[:1]:
            figures.append((cost + dear, Measure(function=name, of=column.value), down, at))
    if not figures:
        figures.append((0.05, row_count(), order.descending, frame.cues("count")))
    for cost, measure, down, at in figures:
        plan = _ranked(frame, keys, measure, down, limit, 0)
        assert plan.rank is not None  # as it was made
        plan = plan.changed(rank=plan.rank.changed(within=within))
        yield Draft(cost, plan, mentions_of(order.at, keys, frame.rows) | at)


def _ranked(frame: Frame, keys: list[Key], measure: Measure, down: bool, limit: int, skip: int) -> Plan:
    rank = Rank(descending=down, limit=limit, skip=skip)
    return Plan(table=frame.home.name, where=frame.where, by=values_of(keys), measures=(measure,), rank=rank)


def _within_groups(frame: Frame, plan: Plan, rank: Rank) -> Plan:
    """The first few of each group: the tallest of every species."""
    own = values_of(frame.keys)
    shown = (*own, *(value for value in plan.show if value not in own))
    return plan.changed(show=shown, rank=rank.changed(within=tuple(range(len(own)))), expects="table")


def ranked_by(frame: Frame, order: Order) -> Iterator[tuple[Column, bool, float, frozenset[int], str | None]]:
    """What a superlative ranks by: the column, the direction, the cost, its mentions, and a function of it."""
    for figure in frame.figures[:2]:
        yield figure.column, order.goes_down(figure.column), 0.0, figure.at, figure.function
    if not frame.figures and not order.counts:
        function = frame.functions[0] if frame.functions else None
        at = frozenset({function[1]}) if function else frozenset[int]()
        own = frame.table_of_rows().name if any(isinstance(frame.items[n].data, str) for n in frame.rows) else None
        for column, more, cost in order.measures[:4]:
            cost += 0.3 * (own is not None and column.table != own)
            yield column, order.descending == more, cost, at, function[0] if function else None


def _functions_of(
    column: Column, function: str | None, order: Order, *, timed: bool = False
) -> list[tuple[float, str]]:
    """By what figure of a group a superlative ranks."""
    if function is not None:
        return [(0.0, function)]
    end = "max" if order.descending else "min"
    if column.kind == "date":
        return [(0.2, end)]
    if column.additive and (timed or not order.graded):
        return [(0.05, "sum"), (0.3, "mean"), (0.35, end)]
    return [(0.1, "mean"), (0.2, end), (0.4, "sum")]


def first_and_last(frame: Frame) -> Iterator[Draft]:
    """When something was first or last, and the first or last row."""
    cues = frame.cues("first_time", "last_time")
    asks_when = frame.cue("when")
    if not cues and asks_when is None:
        return
    late = any(frame.items[at].cue("last_time") for at in cues)
    dated = [key for key in frame.named if key.column is not None and (key.column.kind == "date")]
    column = dated[0].column if dated else next(iter(time_columns(frame.home)), None)
    if column is None:
        return
    used = mentions_of(cues, asks_when, dated[:1], frame.rows)
    if cues:
        ask = 0.05 if asks_when is not None or (dated and not frame.figures) else 0.4
        ask += 0.25 * (frame.cue("which") is not None)
        end = Measure(function="max" if late else "min", of=column.value)
        plan = Plan(table=frame.home.name, where=frame.where, by=values_of(frame.keys), measures=(end,))
        yield Draft(ask, plan, used | mentions_of(frame.keys))
        rank = Rank(by=column.value, descending=late, limit=frame.limit or 1)
        figures = [figure.column.value for figure in frame.figures]
        shown = (*labels_of(frame, column), *values_of(frame.named), *figures, column.value)
        row = Plan(table=frame.home.name, where=frame.where, show=tuple(dict.fromkeys(shown)), rank=rank, expects="row")
        if frame.keys:
            row = _within_groups(frame, row, rank)
        yield Draft(0.15, row, used | mentions_of(frame.named, frame.figures, frame.keys))
    elif frame.order is None:
        shown = tuple(dict.fromkeys((column.value, *values_of([k for k in frame.named if k.column is not column]))))
        plan = Plan(table=frame.home.name, where=frame.where, show=shown, distinct=True, expects="list")
        yield Draft(0.15, plan, used | mentions_of(frame.named))
    elif asks_when is not None:
        for by, down, cost, at, _ in ranked_by(frame, frame.order):
            rank = Rank(by=by.value, descending=down, limit=frame.limit or 1)
            shown = tuple(dict.fromkeys((column.value, *labels_of(frame, by), by.value)))
            plan = Plan(table=frame.home.name, where=frame.where, show=shown, rank=rank, expects="row")
            yield Draft(cost, plan, used | at | {frame.order.at})


OPERATIONS = (superlatives, first_and_last)
