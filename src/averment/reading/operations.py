"""Operations: small records of what a question may ask for, each proposing plans from the slots it needs.

All that apply propose side by side. Where words leave something open (a total or a mean, the highest row or the highest
group) each way is a plan with its own cost; accounting and the judge decide between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Combine, Measure, Plan, Rank, Sort, Statistic, Test, Value, Window
from averment.reading.parts import (
    Parts,
    label_values,
    number_measure,
    rows_measure,
    truth,
    usual,
)
from averment.reading.times import time_columns

if TYPE_CHECKING:
    from averment.reading.schema import Column
    from averment.reading.state import State

Proposal = tuple[float, Plan]
Build = Callable[[Parts], Iterator[Proposal]]


@dataclass(frozen=True)
class Operation:
    """What a question may ask for: when it applies, and the plans it makes of the slots."""

    name: str
    applies: Callable[[State], bool]
    build: Build


def propose(state: State) -> list[Proposal]:
    """Every plan that the slots allow, with its cost."""
    found: list[Proposal] = []
    for operation in OPERATIONS:
        if operation.applies(state):
            parts = Parts(state)
            found += [(state.cost + cost, plan) for cost, plan in operation.build(parts)]
    return found


def _figure(parts: Parts, measure: Measure, by: tuple[Value, ...], **more: Any) -> Plan:
    more.setdefault("where", parts.where)
    timed = any(parts.is_time(value) for value in by)
    more.setdefault("expects", "figure" if not by else "series" if timed and len(by) == 1 else "table")
    more.setdefault("having", parts.having)
    return Plan(table=parts.home, measures=(measure,), by=by, **more)


def _functions(parts: Parts, column: Column) -> list[tuple[float, str]]:
    asked = parts.state.aggregates
    return [(0.0, asked[0])] if asked else usual(column)


def _aggregate(parts: Parts) -> Iterator[Proposal]:
    """A figure of a number: total, average, median, percentile … for groups or over all."""
    state = parts.state
    columns = parts.numbers
    if not columns:
        yield from _implied(parts)
        return
    split = parts.split
    extra = 0.45 * (len(columns) - 1)
    plain = not state.aggregates and not split and not state.has("much", "count")
    for column in columns[:2]:
        if state.per is not None and column is state.per:
            continue
        for cost, function in _functions(parts, column):
            if state.has("count") and function not in {"sum"} and not state.aggregates:
                continue
            measure = number_measure(column, function, state.quantile)
            if state.per is not None:
                ratio = Value(kind="arithmetic", operation="/", operands=(column.value, state.per.value))
                yield 0.05, _figure(parts, Measure(function="mean", of=ratio), split)
                over = Measure(function="sum", of=state.per.value)
                yield 0.1, _figure(parts, Measure(function="sum", of=column.value, over=over), split)
                continue
            counted = 0.15 if state.has("count") and not state.aggregates else 0.0
            if counted and (state.counted == "row" or not column.additive):
                counted = 0.8
            yield cost + extra + counted + (0.25 if plain else 0.0), _figure(parts, measure, split)
            if state.adverb is not None and function == "mean":
                inner = "sum" if column.additive else "mean"
                yield (
                    -0.1,
                    Plan(
                        table=parts.home,
                        measures=(number_measure(column, inner, None),),
                        by=(state.adverb,),
                        where=parts.where,
                        over_groups="mean",
                        expects="figure",
                    ),
                )
        if len(columns) == 2 and not state.aggregates:
            break
    if len(state.aggregates) > 1 and len(columns) == 1 and state.per is None:
        several = tuple(number_measure(columns[0], f, state.quantile) for f in dict.fromkeys(state.aggregates))
        yield (
            -0.1,
            Plan(
                table=parts.home, measures=several, by=split, where=parts.where, expects="row" if not split else "table"
            ),
        )
    if len(columns) == 2 and (state.has("versus", "both") or state.aggregates):
        function = state.aggregates[0] if state.aggregates else usual(columns[0])[0][1]
        both = tuple(number_measure(column, function, state.quantile) for column in columns)
        yield (
            0.02,
            Plan(
                table=parts.home,
                measures=both,
                by=split,
                where=parts.where,
                expects="row" if not split else "table",
            ),
        )


def _implied(parts: Parts) -> Iterator[Proposal]:
    """A figure whose number nobody named: the table's only one, or the one it is called after."""
    state = parts.state
    if not state.aggregates or state.flags or state.has("count", "distinct"):
        return
    column = parts.implied
    if column is not None and not state.targets:
        yield 0.2, _figure(parts, number_measure(column, state.aggregates[0], state.quantile), parts.split)
    dates = [v for v in state.targets if parts.kind_of(v) == "date"]
    if dates and state.aggregates[0] in {"min", "max"}:
        yield 0.1, _figure(parts, Measure(function=state.aggregates[0], of=dates[0]), parts.split)  # pyright: ignore[reportArgumentType]
    if state.aggregates[0] == "sum" and (state.rows or state.groups) and not state.targets:
        yield 0.35, _figure(parts, rows_measure(parts), parts.split)


def _rate(parts: Parts) -> Iterator[Proposal]:
    """How often a yes/no column says yes, in percent, for groups or over all."""
    state = parts.state
    if not state.flags:
        return
    asked = state.has("rate", "share") or (state.aggregates[:1] == ["mean"] and not state.measures)
    if not asked and not parts.split:
        return
    column, positive = state.flags[0]
    rest = parts.where_without_flag(column)
    measure = Measure(function="rate", where=(truth(column, positive),))
    by = tuple(v for v in parts.split if v.column != column.name)
    cost = 0.0 if asked else 0.45
    yield cost, _figure(parts, measure, by, where=rest)


def _count(parts: Parts) -> Iterator[Proposal]:
    """How many rows, or how many different values, for groups or over all."""
    state = parts.state
    if state.measures and state.counted != "row":
        return
    asked = state.has("count")
    if state.aggregates and not (state.aggregates == ["sum"] and asked):
        return
    if asked and state.targets and not state.groups and (state.rows or state.counted_table):
        # "Show the city and the number of customers": what was asked for first is what is counted by.
        shown = tuple(v for v in state.targets if not parts.is_label(v) or v.table != parts.home)
        first = min((state.target_at.get(n, 99) for n in range(len(state.targets))), default=99)
        counting = next((n for n, item in enumerate(state.items) if item.cue("count")), 0)
        if shown and first < counting:
            yield 0.05, _figure(parts, rows_measure(parts), shown)
    # What stands first after "how many" is what is counted; what follows describes it.
    plain = [v for v in state.targets if not parts.is_label(v)]
    by = tuple(state.groups)
    split = parts.split if state.has("versus", "difference") or state.flags == [] else by
    measures_left = 0.5 * len(state.measures)
    if asked or state.rows or by or parts.where:
        cost = measures_left + (0.0 if asked else 0.25 if by and (state.rows or state.flags) else 0.5 if by else 0.9)
        cost += 0.25 if asked and not state.rows and not parts.where and not by else 0.0
        cost += 0.4 if state.has("which") and not asked and not by else 0.0
        if not plain or (asked and state.rows):
            cost += 0.35 * len(plain)
            yield cost, _figure(parts, rows_measure(parts), split)
            if split != by:
                yield cost + 0.1, _figure(parts, rows_measure(parts), by)
    for target in plain[:1]:
        if asked or by:
            said = state.has("distinct")
            cost = measures_left + (0.0 if said or not state.rows else 0.3) + 0.3 * (len(plain) - 1)
            cost += 0.0 if asked else 0.35
            yield cost, _figure(parts, Measure(function="distinct", of=target), by)
    if asked and not state.rows and not plain:
        labels = [v for v in state.targets if parts.is_label(v)]
        for target in labels[:1]:
            counted = Measure(function="rows", table=target.table)
            yield 0.05, _figure(parts, counted, split)


def _share(parts: Parts) -> Iterator[Proposal]:
    """A part in percent of the whole: of the rows, or of a total; or each group's part."""
    state = parts.state
    if state.descending is not None and not state.has("share"):
        return
    base = parts.without_last_test
    column = parts.numbers[0] if parts.numbers else None
    by = tuple(state.groups)
    if state.flags:
        flag, positive = state.flags[0]
        measure = Measure(function="rate", where=(truth(flag, positive),))
        if column is None:
            yield 0.0, _figure(parts, measure, by, where=parts.where_without_flag(flag))
            known = Measure(
                function="rows", where=(truth(flag, positive),), over=Measure(function="rows"), percent=True
            )
            yield 0.4, _figure(parts, known, by, where=parts.where_without_flag(flag))
    for cost, part, rest in base:
        if column is None:
            measure = Measure(function="rows", where=part, over=Measure(function="rows"), percent=True)
            yield cost, _figure(parts, measure, by, where=rest)
        elif column.additive or state.aggregates == ["sum"]:
            whole = Measure(function="sum", of=column.value)
            measure = Measure(function="sum", of=column.value, where=part, over=whole, percent=True)
            yield cost, _figure(parts, measure, by, where=rest)
    keys = (
        by or tuple(v for v in state.targets if not parts.is_label(v))[:1] or (parts.sides,)
        if parts.sides
        else by or tuple(v for v in state.targets if not parts.is_label(v))[:1]
    )
    keys = tuple(v for v in keys if v is not None)
    if keys and not state.flags:
        measure = (
            Measure(function="sum", of=column.value) if column is not None and column.additive else rows_measure(parts)
        )
        if column is None or column.additive:
            plain = [t for t in parts.where if t.value is not None and not parts.is_time(t.value)]
            yield (
                0.15 + 0.6 * bool(plain),
                _figure(parts, measure, keys, window=Window(kind="share"), expects="table"),
            )
            if len(keys) == 2:
                yield 0.25, _figure(parts, measure, keys, window=Window(kind="share", within=(1,)), expects="table")


def _growth(parts: Parts) -> Iterator[Proposal]:
    """How a figure grew or changed along time, or between two periods, for groups or over all."""
    state = parts.state
    time = parts.time_key(state.span_part if state.span is not None else parts.grain)
    if time is None:
        return
    column = parts.numbers[0] if parts.numbers else parts.implied if not state.rows else None
    if column is not None:
        function = state.aggregates[0] if state.aggregates else usual(column)[0][1]
        if state.span_part == "decade" and not state.aggregates:
            function = "mean"
        measure = number_measure(column, function, None)
    elif state.rows:
        measure = rows_measure(parts)
    else:
        return
    others = tuple(v for v in (*state.groups, *parts.entities) if not parts.is_time(v))
    others = tuple(dict.fromkeys(others))[:1]
    if parts.sides is not None and parts.sides not in others:
        others = (*others, parts.sides)
    kinds = ["growth", "change"] if state.has("growth", "period_over_period") else ["change", "growth"]
    down = state.has("falling") and not state.has("growth")
    span = state.span
    cost = 0.0
    if span is None and not state.has("period_over_period") and (state.descending is not None or not state.groups):
        span, cost = parts.whole_span, 0.12
    rank = None
    if state.descending is not None and others:
        descending = state.descending != down
        rank = Rank(descending=descending, limit=state.limit or 1)
    for extra, kind in zip((0.0, 0.3), kinds, strict=True):
        if span is not None:
            yield (
                cost + extra,
                Plan(
                    table=parts.home,
                    measures=(measure,),
                    by=(time, *others),
                    where=parts.where,
                    window=Window(kind=kind, along=0, span=span),  # pyright: ignore[reportArgumentType]
                    rank=rank,
                    expects="row" if rank is not None else "figure" if not others else "table",
                ),
            )
        if state.span is None and rank is None:
            yield (
                (0.0 if state.has("period_over_period") or state.groups else 0.25) + extra,
                _figure(parts, measure, (time, *others), window=Window(kind=kind, along=0)),  # pyright: ignore[reportArgumentType]
            )


def _along(parts: Parts) -> Iterator[Proposal]:
    """Running totals and moving averages along time."""
    state = parts.state
    time = next((v for v in state.groups if parts.is_time(v)), None) or parts.time_key(parts.grain)
    column = parts.numbers[0] if parts.numbers else parts.implied
    if time is None:
        return
    measure = rows_measure(parts) if column is None else number_measure(column, usual(column)[0][1], None)
    kind = "running" if state.has("running") else "moving"
    steps = 3 if kind == "moving" else 1
    yield 0.1, _figure(parts, measure, (time,), window=Window(kind=kind, along=0, steps=steps))


def _series(parts: Parts) -> Iterator[Proposal]:
    """A figure over time, for each of some things."""
    state = parts.state
    if any(parts.is_time(v) for v in state.groups):
        return
    time = parts.time_key(parts.grain)
    if time is None:
        return
    entities = tuple(v for v in (*state.groups, *parts.entities) if not parts.is_time(v))[:1]
    if parts.sides is not None and not entities:
        entities = (parts.sides,)
    column = parts.numbers[0] if parts.numbers else parts.implied if not state.rows and not state.has("count") else None
    if column is None:
        yield 0.1, _figure(parts, rows_measure(parts), (time, *entities))
        return
    for cost, function in _functions(parts, column):
        yield cost, _figure(parts, number_measure(column, function, state.quantile), (time, *entities))


def _ranking(parts: Parts) -> Iterator[Proposal]:
    """The first few by a figure: rows by a number, groups by an aggregate, a rate or a count."""
    state = parts.state
    rank = Rank(descending=bool(state.descending), limit=state.limit or 1, skip=state.skip)
    keys = parts.keys
    column = state.ranked or (state.measures[0] if state.measures else None)
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
    if state.ranked_distinct is not None:
        measure = Measure(function="distinct", of=state.ranked_distinct.value)
        for cost, key in keys:
            yield cost, _ranked(parts, measure, key, rank)
        return
    if column is None:
        if state.ranked_rows or state.adjective in {None, "busy", "popular"}:
            for cost, key in keys:
                if parts.names_rows(key) and rows_measure(parts).table is None:
                    continue  # Each row is one row: that is no ranking.
                extra = 0.0 if state.ranked_rows or state.has("count") else 0.1 if state.counts_most else 0.35
                yield cost + extra, _ranked(parts, rows_measure(parts), key, rank)
            column = parts.implied
            if column is not None and not state.ranked_rows and not state.has("count"):
                yield from _ranked_by(parts, column, keys, rank, 0.4 if state.counts_most else 0.15)
        return
    yield from _ranked_by(parts, column, keys, rank, 0.0)


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
                show=tuple(dict.fromkeys((*asked_for, *(shown or parts.row_identity)))) or (column.value,),
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
    for cost, key in grouped:
        functions = [(0.0, state.aggregates[0])] if state.aggregates else _ranked_functions(column, rank)
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
        yield extra + 0.3, _figure(parts, number_measure(column, function, None), tuple(state.groups))
    if state.groups and not grouped:
        function = "max" if rank.descending else "min"
        yield extra + 0.05, _figure(parts, number_measure(column, function, None), tuple(state.groups))


def _ranked_functions(column: Column, rank: Rank) -> list[tuple[float, str]]:
    found = usual(column)
    extreme = "max" if rank.descending else "min"
    return [*found, (0.3 if column.additive else 0.12, extreme)]


def _ranked(parts: Parts, measure: Measure, key: tuple[Value, ...], rank: Rank, **more: Any) -> Plan:
    state = parts.state
    within = tuple(v for v in state.groups if v not in key)
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


def _extreme_of_groups(parts: Parts) -> Iterator[Proposal]:
    """ "highest price of each stock": the greatest number of each group, not the first group."""
    state = parts.state
    column = state.ranked or (state.measures[0] if state.measures else None)
    if column is None or state.ranked_flag or state.limit is not None or state.targets or state.rows[1:]:
        return
    function = "max" if state.descending else "min"
    by = tuple(state.groups)
    cost = 0.0 if by else 0.2
    if not by and parts.row_labels and not state.has("much"):
        cost = 0.4
    yield cost, _figure(parts, number_measure(column, function, None), by)


def _average_of_groups(parts: Parts) -> Iterator[Proposal]:
    """ "average number of tracks per album": a figure over the groups' figures."""
    state = parts.state
    by = tuple(state.groups) or tuple(v for v in state.targets[:1])
    if not by:
        return
    function = state.aggregates[0]
    if function not in {"mean", "median", "max", "min"}:
        return
    yield (
        0.0,
        Plan(
            table=parts.home,
            measures=(rows_measure(parts),),
            by=by,
            where=parts.where,
            over_groups=function,  # pyright: ignore[reportArgumentType]
            expects="figure",
        ),
    )


def _compare(parts: Parts) -> Iterator[Proposal]:
    """Whether one side has more than the other: two groups, yes against no, or two columns of the same rows."""
    state = parts.state
    asks: Any = state.asks if parts.yes_no else None
    columns = parts.numbers
    if parts.sides is not None:
        if len(columns) == 1:
            function = state.aggregates[0] if state.aggregates else "mean"
            yield 0.0, _sided(parts, number_measure(columns[0], function, state.quantile), parts.sides, asks)
            if columns[0].additive and not state.aggregates:
                yield 0.45, _sided(parts, number_measure(columns[0], "sum", None), parts.sides, asks)
        elif state.flags and not columns:
            flag, positive = state.flags[0]
            rate = Measure(function="rate", where=(truth(flag, positive),))
            plan = _sided(parts, rate, parts.sides, asks, where=parts.where_without_flag(flag))
            yield 0.0, plan
        elif state.rows or state.has("count"):
            yield 0.1, _sided(parts, rows_measure(parts), parts.sides, asks)
        return
    flags = state.flags
    if len(flags) == 2 and not columns:
        (first, positive), (second, yes) = flags
        rate = Measure(function="rate", where=(truth(second, yes),))
        sides = _sided(parts, rate, first.value, _turned(asks, positive), where=parts.tests_only)
        yield 0.1, sides
    elif len(flags) == 1 and len(columns) == 1:
        flag, positive = flags[0]
        function = state.aggregates[0] if state.aggregates else "mean"
        measure = number_measure(columns[0], function, state.quantile)
        yield 0.1, _sided(parts, measure, flag.value, _turned(asks, positive), where=parts.tests_only)
    elif len(columns) == 2:
        function = state.aggregates[0] if state.aggregates else usual(columns[0])[0][1]
        both = tuple(number_measure(column, function, state.quantile) for column in columns)
        plan = Plan(table=parts.home, measures=both, where=parts.where, asks=asks, expects="yes_no" if asks else "row")
        yield 0.1, plan


def _turned(asks: Any, positive: bool) -> Any:
    if asks is None or positive:
        return asks
    return "less" if asks == "more" else "more"


def _sided(parts: Parts, measure: Measure, side: Value, asks: Any, **more: Any) -> Plan:
    more.setdefault("where", parts.where)
    return Plan(
        table=parts.home,
        measures=(measure,),
        by=(side,),
        asks=asks,
        expects="yes_no" if asks else "table",
        **more,
    )


def _existence(parts: Parts) -> Iterator[Proposal]:
    """Whether there is any row at all."""
    state = parts.state
    if not parts.where or state.measures:
        return
    shown = parts.row_labels or tuple(state.targets[:1])
    plan = Plan(
        table=parts.home,
        show=shown or tuple(c.value for c in parts.table.columns[:6]),
        where=parts.where,
        asks="any",
        expects="yes_no",
    )
    yield 0.1 + 0.3 * (not state.has("any")), plan


def _when(parts: Parts) -> Iterator[Proposal]:
    """When something was first or last so, or when a figure was at its peak."""
    state = parts.state
    times = time_columns(parts.table)
    asked = next((v for v in state.targets if parts.is_time(v)), None)
    moment = asked or (times[0].value if times else None)
    if moment is None:
        return
    column = state.ranked or (parts.numbers[0] if parts.numbers else None)
    if state.descending is not None or state.has("ranking"):
        column = column or parts.implied
        if column is None:
            return
        rank = Rank(by=column.value, descending=state.descending is not False, limit=state.limit or 1)
        yield (
            0.0 if asked is None else 0.2,
            Plan(table=parts.home, show=(moment,), where=parts.where, rank=rank, expects="row"),
        )
        return
    if state.has("first", "last") and (parts.where or asked is not None or state.has("when")):
        rank = Rank(by=moment, descending=state.has("last") and not state.has("first"))
        shown = (moment, *(c.value for c in parts.numbers[:1]))
        yield 0.05, Plan(table=parts.home, show=shown, where=parts.where, rank=rank, expects="row")
        return
    if state.has("when") and parts.where:
        yield 0.2, Plan(table=parts.home, show=(moment,), where=parts.where, expects="list")


def _listing(parts: Parts) -> Iterator[Proposal]:
    """Rows that meet conditions, by their names; or the different values of a column."""
    state = parts.state
    if state.aggregates or state.has("count", "share", "rate"):
        return
    if state.descending is not None:
        return
    targets = [v for v in state.targets if v not in state.groups]
    labels = parts.row_labels
    measures = tuple(c.value for c in state.measures)
    where = parts.where
    having = parts.having
    if having and targets:
        yield (
            0.05,
            Plan(
                table=parts.home,
                by=tuple(targets[:1]),
                measures=(having[0].measure,),
                where=where,
                having=having,
                expects="list",
            ),
        )
        return
    if having and labels:
        yield (
            0.05,
            Plan(
                table=parts.home, by=labels, measures=(having[0].measure,), where=where, having=having, expects="list"
            ),
        )
        return
    plain = [v for v in targets if not parts.is_label(v)]
    sort: dict[str, Any] = {}
    sorted_by = state.sorted_by
    if (
        state.rows
        or any(parts.is_label(v) for v in targets)
        or measures
        or (where and state.has("which") and not targets)
    ):
        identity = labels or (parts.row_identity if not targets and not measures else ())
        shown = tuple(dict.fromkeys((*(identity if state.rows or not targets else ()), *targets, *measures)))
        shown = shown or tuple(c.value for c in parts.table.columns[:12] if c.expression is None)
        if sorted_by is not None:
            shown = tuple(dict.fromkeys((*shown, sorted_by.value)))
            sort = {"order": (Sort(at=shown.index(sorted_by.value), descending=state.sort == "down"),)}
        elif state.sort is not None:
            sort = {"order": (Sort(at=0, descending=state.sort == "down"),)}
        cost = 0.05 if where else 0.3
        cost += 0.25 * len(measures) if not state.has("list") else 0.0
        if measures and not targets and not state.has("list", "which"):
            cost += 0.55
        if where or state.has("list", "which") or state.has("sorted"):
            yield cost, Plan(table=parts.home, show=shown, where=where, expects="list", **sort)
    both = next((t for t in where if t.operator == "in" and t.inner is None and len(t.to) == 2), None)
    if both is not None and state.has("both") and (targets or labels):
        # Both at once: what is in one list and in the other.
        shown = tuple(targets) or labels
        sides = [both.model_copy(update={"operator": "=", "to": (value,)}) for value in both.to]
        rest = tuple(t for t in where if t is not both)
        other = settled_side(parts, shown, (*rest, sides[1]))
        if other is not None:
            plan = Plan(
                table=parts.home,
                show=shown,
                distinct=True,
                where=(*rest, sides[0]),
                combine=Combine(operation="intersect", other=other),
                expects="list",
            )
            yield -0.2, plan
    if plain and not measures and sorted_by is None:
        cost = (0.05 if state.has("distinct") or not state.rows else 0.25) + (
            0.0 if where or state.has("distinct", "list", "which") else 0.3
        )
        yield cost, Plan(table=parts.home, show=tuple(plain), distinct=True, where=where, expects="list")


def settled_side(parts: Parts, shown: tuple[Value, ...], where: tuple[Test, ...]) -> Plan | None:
    """One side of a combination, with its own joins."""
    from averment.reading.settle import settle

    return settle(parts.state.schema, Plan(table=parts.home, show=shown, distinct=True, where=where, expects="list"))


def _without(parts: Parts) -> Iterator[Proposal]:
    """Things that nothing points at: customers without orders, products never sold."""
    state = parts.state
    schema = state.schema
    named = [name for name in state.rows if name is not None]
    for table in dict.fromkeys([*named, parts.home]):
        for one in schema.relations:
            if one.right != table or one.left == table:
                continue
            said = one.left in named
            if not said and one.left != schema.fact:
                continue
            inner = Plan(
                table=one.left,
                show=(Value(table=one.left, column=one.left_column),),
                where=(Test(value=Value(table=one.left, column=one.left_column), operator="null", negated=True),),
                expects="list",
            )
            test = Test(value=Value(table=table, column=one.right_column), operator="not in", inner=inner)
            labels = label_values(schema.tables[table]) or (Value(table=table, column=one.right_column),)
            where = (*(t for t in parts.where if t.operator != "null"), test)
            cost = 0.0 if said else 0.25
            if state.has("count"):
                yield cost, Plan(table=table, measures=(Measure(function="rows"),), where=where, expects="figure")
            else:
                yield cost, Plan(table=table, show=labels, where=where, expects="list")


def _statistic(parts: Parts) -> Iterator[Proposal]:
    """Correlations, tests of a difference, distributions, outliers, trends."""
    state = parts.state
    columns = list(parts.numbers)
    flags = [flag for flag, _ in state.flags]
    if state.has("test"):
        by = parts.sides or (flags[0].value if flags and columns else None)
        by = by or next((v for v in (*state.groups, *state.targets) if parts.distinct_of(v) == 2), None)
        if by is not None and columns:
            statistic = Statistic(kind="difference_test", of=(columns[0].value,), by=by, method="welch")
            where = parts.tests_only if flags else parts.where
            yield 0.0, Plan(table=parts.home, statistic=statistic, where=where, expects="table")
        return
    if state.has("correlation", "rank_correlation"):
        values = [c.value for c in columns] + [f.value for f in flags if f.kind == "number"]
        method: Any = "spearman" if state.has("rank_correlation") else "pearson"
        if len(values) >= 2:
            statistic = Statistic(kind="correlation", of=tuple(values), method=method)
            plan = Plan(table=parts.home, statistic=statistic, where=parts.tests_only, expects="figure")
            yield 0.0, plan
        return
    if state.has("distribution"):
        if columns:
            statistic = Statistic(kind="distribution", of=(columns[0].value,))
            yield 0.0, Plan(table=parts.home, statistic=statistic, where=parts.where, expects="table")
        else:
            keys = tuple(state.targets[:2]) or tuple(f.value for f in flags[:1])
            if keys:
                yield 0.0, _figure(parts, rows_measure(parts), keys, where=parts.tests_only)
        return
    if state.has("outliers") and columns:
        statistic = Statistic(kind="outliers", of=(columns[0].value,))
        labels = parts.row_labels
        yield 0.0, Plan(table=parts.home, statistic=statistic, show=labels, where=parts.where, expects="list")


def _per_group(parts: Parts) -> Iterator[Proposal]:
    """Groups alone: how many rows each has."""
    state = parts.state
    if state.measures or state.aggregates or state.has("share", "rate"):
        return
    by = tuple(state.groups)
    if not by:
        return
    cost = 0.3 + 0.3 * len(state.targets) + (0.0 if state.rows or parts.where else 0.15)
    yield cost, _figure(parts, rows_measure(parts), by)


def _always(_: State) -> bool:
    return True


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "statistic", lambda s: s.has("test", "correlation", "rank_correlation", "distribution", "outliers"), _statistic
    ),
    Operation("growth", lambda s: s.has("growth", "change", "period_over_period"), _growth),
    Operation("along", lambda s: s.has("running", "moving"), _along),
    Operation("series", lambda s: s.has("over_time"), _series),
    Operation("compare", lambda s: s.has("comparative", "than", "versus", "difference"), _compare),
    Operation("existence", lambda s: Parts(s).yes_no, _existence),
    Operation("when", lambda s: s.has("when", "first", "last"), _when),
    Operation("ranking", lambda s: s.descending is not None, _ranking),
    Operation("extreme", lambda s: s.descending is not None, _extreme_of_groups),
    Operation("share", lambda s: s.has("share", "as_share"), _share),
    Operation("rate", lambda s: bool(s.flags) and s.descending is None, _rate),
    Operation("mean of groups", lambda s: bool(s.aggregates) and s.has("count"), _average_of_groups),
    Operation("count", lambda s: s.descending is None, _count),
    Operation("aggregate", lambda s: s.descending is None, _aggregate),
    Operation("per group", lambda s: s.descending is None, _per_group),
    Operation("without", lambda s: len(s.schema.tables) > 1 and s.has("not", "no", "missing"), _without),
    Operation("list", _always, _listing),
)
