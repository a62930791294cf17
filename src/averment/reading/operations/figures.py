"""Operations that compute figures: totals, averages, rates, counts, shares, for groups or over all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Measure, Plan, Rank, Sort, Value, Window
from averment.reading.operations.membership import shared_party
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.parties import parties
from averment.reading.schema.usual_figures import number_measure, ratio_of, truth, usual
from averment.reading.words import is_plural

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Table


def figure_plan(parts: Parts, measure: Measure, by: tuple[Value, ...], **more: Any) -> Plan:
    """A plan of one figure, for groups or over all."""
    more.setdefault("where", parts.where)
    timed = any(parts.is_time(value) for value in by)
    more.setdefault("expects", "figure" if not by else "series" if timed and len(by) == 1 else "table")
    more.setdefault("having", parts.having)
    if parts.state.sort is not None and by and "window" not in more:
        wanted = parts.state.sorted_by
        at = next((n for n, v in enumerate(by) if wanted is not None and v == wanted.value), len(by))
        at = 0 if parts.state.axis == "x" else at
        more.setdefault("order", (Sort(at=at, descending=parts.state.sort == "down"),))
    return Plan(table=parts.home, measures=(measure,), by=by, **more)


def propose_functions(parts: Parts, column: Column) -> list[tuple[float, str]]:
    """The figure that was asked for, or the usual ones of a number."""
    asked = parts.state.aggregates
    return [(0.0, asked[0])] if asked else usual(column)


def aggregate(parts: Parts) -> Iterator[Proposal]:
    """A figure of a number: total, average, median, percentile … for groups or over all."""
    state = parts.state
    columns = parts.numbers
    if not columns:
        yield from propose_implied(parts)
        return
    split = parts.split
    extra = 0.45 * (len(columns) - 1) + 0.15 * (parts.yes_no and state.has("comparative", "than"))
    plain = not state.aggregates and not split and not state.has("much", "count")
    for column in columns[:2]:
        if state.per is not None and column is state.per:
            continue
        for cost, function in propose_functions(parts, column):
            if state.has("count") and function not in {"sum"} and not state.aggregates:
                continue
            measure = number_measure(column, function, state.quantile)
            if state.per is not None:
                ratio = Value(kind="arithmetic", operation="/", operands=(column.value, state.per.value))
                mean = 0.0 if "mean" in state.aggregates else 0.35
                yield mean, figure_plan(parts, Measure(function="mean", of=ratio), split)
                over = Measure(function="sum", of=state.per.value)
                yield 0.1, figure_plan(parts, Measure(function="sum", of=column.value, over=over), split)
                continue
            counted = 0.15 if state.has("count") and not state.aggregates else 0.0
            if counted and (state.counted == "row" or not column.additive):
                counted = 0.8
            yield cost + extra + counted + (0.25 if plain else 0.0), figure_plan(parts, measure, split)
            if function == "sum" and parts.sides in split and not parts.is_compared:
                # "in A and B" may be one total or one for each.
                yield cost + extra + counted, figure_plan(parts, measure, tuple(state.groups))
            own = len(state.targets) == 1 and parts.names_rows(tuple(state.targets)) and column.table == parts.home
            shown = bool(state.targets) and not split and not state.has("having") and not (own and parts.where)
            if shown and (state.aggregates or state.has("count")):
                # "Show game ids and the number of hours played": what is shown first is what it is taken by.
                alone = own and function in {"mean", "median"}  # The average of one row is no average.
                yield cost + extra + (0.6 if alone else 0.1), figure_plan(parts, measure, tuple(state.targets))
            if state.adverb is not None and function == "mean" and state.aggregates and column.additive:
                # "The daily average sales" is one figure of the days' totals, or a figure for each day.
                yield (
                    0.0,
                    Plan(
                        table=parts.home,
                        measures=(number_measure(column, "sum", None),),
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
    if len(columns) == len(state.aggregates) > 1 and len(set(state.aggregates)) > 1 and state.per is None:
        # "The maximum price and the average weight": each figure of its own number.
        pairs = tuple(number_measure(c, f, state.quantile) for c, f in zip(columns, state.aggregates, strict=True))
        shape = "row" if not split else "table"
        yield -0.1, Plan(table=parts.home, measures=pairs, by=split, where=parts.where, expects=shape)
    if state.has("count") and parts.counted is not None and len(columns) == len(state.aggregates) == 1 and split:
        # "The number of schools and total enrollment in each county".
        both = (rows_measure(parts), number_measure(columns[0], state.aggregates[0], state.quantile))
        yield -0.05, Plan(table=parts.home, measures=both, by=split, where=parts.where, expects="table")
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


def propose_implied(parts: Parts) -> Iterator[Proposal]:
    """A figure whose number nobody named: the table's only one, or the one it is called after."""
    state = parts.state
    said = state.has("count", "distinct", "ranking")
    if len(state.unknown) == 1 and not state.flags and not said and not state.targets:
        # "Profit by region" where no profit is held: the numbers that are held are nearer to it than a count of rows.
        for column in sorted(parts.table.measures, key=lambda each: not each.additive)[:2]:
            for cost, function in propose_functions(parts, column)[:1]:
                yield cost + 0.1, figure_plan(parts, number_measure(column, function, state.quantile), parts.split)
    if not state.aggregates or state.flags or state.has("count", "distinct"):
        return
    column = parts.implied
    if column is not None and not state.targets:
        yield 0.2, figure_plan(parts, number_measure(column, state.aggregates[0], state.quantile), parts.split)
    dates = [v for v in state.targets if parts.kind_of(v) == "date"]
    if dates and state.aggregates[0] in {"min", "max"}:
        yield 0.1, figure_plan(parts, Measure(function=state.aggregates[0], of=dates[0]), parts.split)  # pyright: ignore[reportArgumentType]
    if state.aggregates[0] == "sum" and (state.rows or state.groups) and not state.targets:
        yield 0.35, figure_plan(parts, rows_measure(parts), parts.split)


def propose_rate(parts: Parts) -> Iterator[Proposal]:
    """How often a yes/no column says yes, in percent, for groups or over all."""
    state = parts.state
    if state.rated is not None:
        yield 0.0, figure_plan(parts, Measure(function="rate", where=(state.rated,)), parts.split)
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
    yield cost, figure_plan(parts, measure, by, where=rest)


def propose_count(parts: Parts) -> Iterator[Proposal]:
    """How many rows, or how many different values, for groups or over all."""
    state = parts.state
    if state.measures and state.counted != "row":
        return
    asked = state.has("count")
    if state.has("versus") and not asked and not state.rows and not state.groups:
        return  # "compare A and B" does not say in what
    if state.aggregates and not (state.aggregates == ["sum"] and asked):
        return
    if asked and state.targets and not state.groups and (state.rows or state.counted_table):
        # "Show the city and the number of customers": what was asked for first is what is counted by.
        shown = tuple(v for v in state.targets if not parts.is_label(v) or v.table != parts.home)
        first = min((state.target_at.get(n, 99) for n in range(len(state.targets))), default=99)
        counting = next((n for n, item in enumerate(state.items) if item.cue("count")), 0)
        if shown and first < counting:
            yield 0.05, figure_plan(parts, rows_measure(parts), shown)
    # What stands first after "how many" is what is counted; what follows describes it.
    plain = [v for v in state.targets if not parts.is_label(v)]
    by = tuple(state.groups)
    split = parts.split if state.has("versus", "difference") or state.flags == [] else by
    if state.ors and asked:
        split = by  # how many are in the one or the other, together
    measures_left = 0.5 * len(state.measures)
    if asked or state.rows or by or parts.where:
        cost = measures_left + (0.0 if asked else 0.25 if by and (state.rows or state.flags) else 0.5 if by else 0.9)
        cost += 0.25 if asked and not state.rows and not parts.where and not by else 0.0
        cost += 0.4 if state.has("which") and not asked and not by else 0.0
        cost += 0.4 if state.has("both") and not asked and not by else 0.0
        if not plain or (asked and state.rows):
            cost += 0.35 * len(plain) + (0.2 if asked and not plain and parts.people else 0.0)
            yield cost, figure_plan(parts, rows_measure(parts), split)
            if split != by:
                yield cost + 0.1, figure_plan(parts, rows_measure(parts), by)
    if state.chart is not None and asked and plain and not by:
        # A chart of one number is none: how many of each.
        yield measures_left - 0.05, figure_plan(parts, rows_measure(parts), tuple(plain[:1]))
    if asked and plain and plain[0] in by:
        yield measures_left, figure_plan(parts, rows_measure(parts), by)  # how many of each
    for target in plain[:1]:
        if asked or (by and not state.has("list", "which")):
            said = state.has("distinct")
            cost = measures_left + (0.0 if said or not state.rows else 0.3) + 0.3 * (len(plain) - 1)
            cost += 0.5 if parts.counted is not None and not said else 0.0
            cost += 0.0 if asked else 0.6
            one = not asked and not said and len(plain) == 1 and not _in_plural(parts, target)
            if one and target not in by and parts.kind_of(target) != "date":
                # "Membership by gender": how many of each, in each.
                yield cost - 0.3, figure_plan(parts, rows_measure(parts), (target, *by))
            cost += 0.6 if parts.kind_of(target) == "date" and not said else 0.0  # days are seldom counted
            yield cost, figure_plan(parts, Measure(function="distinct", of=target), by)
            if not said and any(test.operator == "null" for test in parts.where):
                # Books that came back: each loan counts, or each book once.
                yield cost + 0.1, figure_plan(parts, Measure(function="rows"), by)
    if asked and not plain and parts.people:
        # How many people gave: each of them once, and not each gift.
        yield 0.02, figure_plan(parts, Measure(function="distinct", of=parts.people[0]), by)
    first = parts.after_count
    if state.has("distinct") and asked and first is not None and parts.is_label(first):
        yield 0.0, figure_plan(parts, Measure(function="distinct", of=first), by)
    if asked and not state.rows and not plain:
        labels = [v for v in state.targets if parts.is_label(v)]
        for target in labels[:1]:
            counted = Measure(function="rows", table=target.table)
            yield 0.05, figure_plan(parts, counted, split)


def _has_each_once(table: Table) -> bool:
    """Whether each thing has one row in each period, so that the number of its rows says nothing of it."""
    times = [c for c in table.columns if c.has("date", "year")]
    things = [c for c in table.columns if c.has("category") and not c.has("measure")]
    return any(time.distinct * thing.distinct == table.rows for time in times for thing in things)


def propose_share(parts: Parts) -> Iterator[Proposal]:
    """A part in percent of the whole: of the rows, or of a total; or each group's part."""
    state = parts.state
    if state.descending is not None and not state.has("share"):
        return
    base = parts.without_last_test
    column = parts.numbers[0] if parts.numbers else None
    by = tuple(state.groups)
    if column is None and not state.flags and _has_each_once(parts.table):
        # A row for each source in each year: what counts is how much, and not that there is one.
        amounts = [c for c in parts.table.measures if c.expression is None]
        if len(amounts) != 1:
            return
        column = amounts[0]
    if state.flags:
        flag, positive = state.flags[0]
        measure = Measure(function="rate", where=(truth(flag, positive),))
        if column is None:
            yield 0.0, figure_plan(parts, measure, by, where=parts.where_without_flag(flag))
            known = Measure(
                function="rows", where=(truth(flag, positive),), over=Measure(function="rows"), percent=True
            )
            yield 0.4, figure_plan(parts, known, by, where=parts.where_without_flag(flag))
    told = [t for t in parts.where if t.other is None and t.operator != "null"]
    if by and len(told) == len(parts.where) and all(t.value is not None and parts.is_time(t.value) for t in told):
        base = []  # A period says of when the shares are, not what they are shares of.
    for cost, part, rest in base:
        if column is None:
            measure = Measure(function="rows", where=part, over=Measure(function="rows"), percent=True)
            yield cost, figure_plan(parts, measure, by, where=rest)
            if (who := shared_party(parts)) is not None and not any(
                t.operator == "=" and t.to == (0,) for t in part
            ):  # so many of the players, and not of the games
                each = Measure(function="distinct", of=who)
                among = each.model_copy(update={"where": part, "over": each, "percent": True})
                yield cost, figure_plan(parts, among, by, where=rest)
        elif state.aggregates in ([], ["sum"]) and ratio_of(column) is None:
            # Of what does not add up by its name ("share of the weight") no other share can be meant.
            whole = Measure(function="sum", of=column.value)
            measure = Measure(function="sum", of=column.value, where=part, over=whole, percent=True)
            more = 0.0 if column.additive or state.aggregates else 0.15
            yield cost + more, figure_plan(parts, measure, by, where=rest)
    keys = (
        by or tuple(v for v in state.targets if not parts.is_label(v))[:1] or (parts.sides,)
        if parts.sides
        else by or tuple(v for v in state.targets if not parts.is_label(v))[:1]
    )
    if keys and not state.flags:
        measure = (
            Measure(function="sum", of=column.value) if column is not None and column.additive else rows_measure(parts)
        )
        if column is None or column.additive:
            plain = [t for t in parts.where if t.value is not None and not parts.is_time(t.value)]
            if state.descending is not None:
                rank = Rank(descending=state.descending, limit=state.limit or 1)
                window = Window(kind="share")
                yield 0.0, figure_plan(parts, measure, keys[:1], window=window, rank=rank, expects="row")
                return
            if state.within in keys and len(keys) > 1:
                window = Window(kind="share", within=(keys.index(state.within),))
                yield 0.0, figure_plan(parts, measure, keys, window=window, expects="table")
                return
            yield (
                0.15 + 0.6 * bool(plain),
                figure_plan(parts, measure, keys, window=Window(kind="share"), expects="table"),
            )
            if len(keys) == 2:
                yield 0.5, figure_plan(parts, measure, keys, window=Window(kind="share", within=(1,)), expects="table")


def propose_places(parts: Parts) -> Iterator[Proposal]:
    """ "rank the regions by amount": every group with its place; "where does Kenya rank": the place of one."""
    state = parts.state
    if any(item.cue("rank_of") for item in state.items):
        yield from _place_of_one(parts)
    keys = tuple(v for v in (*state.targets, *state.groups) if not parts.is_label(v) and not parts.is_time(v))[:1]
    column = state.sorted_by or state.ranked or (parts.numbers[0] if parts.numbers else None)
    if not keys or column is None or not column.has("measure") or parts.names_rows(keys):
        return
    down = not (state.sort == "up" and any(item.cue("ascending") for item in state.items))
    for cost, function in propose_functions(parts, column):
        measure = number_measure(column, function, state.quantile)
        window = Window(kind="rank") if down else None
        order = (Sort(at=1, descending=down),)
        yield cost - 0.1, figure_plan(parts, measure, keys, window=window, order=order, expects="table")


def _place_of_one(parts: Parts) -> Iterator[Proposal]:
    """The place of what is named among all of its kind, by a number that more is better of."""
    state = parts.state
    named = [t for t in parts.where if t.operator == "=" and not t.negated and t.value is not None and t.to]
    column = state.sorted_by or state.ranked or (parts.numbers[0] if parts.numbers else None)
    if column is None or column.has("flag") or set(column.words) & _LESS_IS_BETTER:
        return
    for order, test in enumerate(reversed(named)):
        key = parts.column_of(test.value) if test.value is not None else None
        if test.value is None or key is None or key.kind != "text":
            continue
        rest = tuple(each for each in parts.where if each is not test)
        window = Window(kind="rank", only=test.to)
        for cost, function in propose_functions(parts, column):
            measure = number_measure(column, function, state.quantile)
            plan = figure_plan(parts, measure, (test.value,), where=rest, window=window, expects="row", order=())
            yield cost + 0.2 * order - 0.1, plan


_LESS_IS_BETTER = frozenset("time seconds minutes rank place position standing duration errors faults".split())


def average_of_groups(parts: Parts) -> Iterator[Proposal]:
    """ "average number of tracks per album": a figure over the groups' figures."""
    state = parts.state
    by = tuple(state.groups) or tuple(v for v in state.targets[:1])
    if not by:
        return
    function = state.aggregates[0]
    if function not in {"mean", "median", "max", "min"}:
        return
    if not state.has("count"):
        yield from _amount_of_each(parts, by, function)
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


def _amount_of_each(parts: Parts, by: tuple[Value, ...], function: str) -> Iterator[Proposal]:
    """ "Average spend per customer": what each of them spent in all, averaged over them."""
    state = parts.state
    columns = [column for column in parts.numbers if column.additive]
    who = len(by) == 1 and by[0] in [c.value for c in parties(parts.table, state.schema)]
    if function not in {"mean", "median"} or len(columns) != 1 or len(by) != 1 or parts.is_time(by[0]):
        return
    plan = figure_plan(parts, Measure(function="sum", of=columns[0].value), by, order=())
    update = {"over_groups": function, "expects": "figure"}
    yield -0.05 if who else 0.4, plan.model_copy(update=update)


def per_group(parts: Parts) -> Iterator[Proposal]:
    """Groups alone: how many rows each has."""
    state = parts.state
    if state.measures or state.aggregates or state.has("share", "rate"):
        return
    by = tuple(state.groups)
    if not by:
        return
    cost = 0.3 + 0.3 * len(state.targets) + (0.0 if state.rows or parts.where else 0.15)
    yield cost, figure_plan(parts, rows_measure(parts), by)


def _in_plural(parts: Parts, target: Value) -> bool:
    """Whether the question names a column's values in the plural: cities, not the city."""
    named = [i.text for i in parts.state.items if i.type == "COLUMN" and i.data.value == target]
    return any(is_plural(text.split()[-1]) for text in named)
