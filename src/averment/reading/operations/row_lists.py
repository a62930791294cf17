"""Operations over rows and pairs: comparisons, lists, things nothing points at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from averment.plans.plan import Combine, Measure, Plan, Sort, Test, Value, Window
from averment.plans.statistics import Correlation
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.usual_figures import number_measure, truth, usual
from averment.reading.words import is_plural


def propose_compare(parts: Parts) -> Iterator[Proposal]:
    """Whether one side has more than the other: two groups, yes against no, or two columns of the same rows."""
    state = parts.state
    asks: Any = state.asks if parts.yes_no else None
    columns = parts.numbers
    if parts.sides is not None:
        if len(columns) == 1:
            # "do A or B pay more" speaks of what is typical, "A versus B" of the figures themselves.
            # What we did ourselves is added up.
            typical = (parts.yes_no or state.has("comparative")) and not state.has("ours")
            likely = [(0.0, "mean"), (0.45, "sum")] if typical else usual(columns[0])
            functions = [(0.0, state.aggregates[0])] if state.aggregates else likely
            for cost, function in functions:
                if function == "sum" and not columns[0].additive:
                    continue
                by = (*parts.plain_groups, parts.sides)
                yield cost, _sided(parts, number_measure(columns[0], function, state.quantile), by, asks)
        elif state.flags and not columns:
            flag, positive = state.flags[0]
            rate = Measure(function="rate", where=(truth(flag, positive),))
            plan = _sided(parts, rate, (parts.sides,), asks, where=parts.where_without_flag(flag))
            yield 0.0, plan
        elif state.rows or state.has("count"):
            yield 0.1, _sided(parts, rows_measure(parts), (*parts.plain_groups, parts.sides), asks)
            yield from _done_more(parts, (*parts.plain_groups, parts.sides), asks)
        return
    flags = state.flags
    if len(flags) == 2 and not columns:
        (first, positive), (second, yes) = flags
        rate = Measure(function="rate", where=(truth(second, yes),))
        sides = _sided(parts, rate, (first.value,), _turned(asks, positive), where=parts.tests_only)
        yield 0.1, sides
    elif len(flags) == 1 and len(columns) == 1:
        flag, positive = flags[0]
        function = state.aggregates[0] if state.aggregates else "mean"
        measure = number_measure(columns[0], function, state.quantile)
        yield 0.1, _sided(parts, measure, (flag.value,), _turned(asks, positive), where=parts.tests_only)
    elif len(columns) == 2:
        if asks and not state.aggregates and not state.groups and not (state.has("than", "versus") or state.ors):
            # "Does spending more bring more votes": whether the one goes with the other.
            together = Correlation(of=tuple(column.value for column in columns), method="pearson")
            yield 0.0, Plan(table=parts.home, statistic=together, where=parts.where, expects="figure")
        function = state.aggregates[0] if state.aggregates else usual(columns[0])[0][1]
        both = tuple(number_measure(column, function, state.quantile) for column in columns)
        plan = Plan(table=parts.home, measures=both, where=parts.where, asks=asks, expects="yes_no" if asks else "row")
        yield 0.1, plan
        if state.has("versus") and not state.aggregates and not asks and not state.groups:
            # "Price vs carat" asks how they go together as much as how large they are.
            together = Correlation(of=tuple(column.value for column in columns), method="pearson")
            where = parts.tests_only
            yield 0.02, Plan(table=parts.home, statistic=together, where=where, expects="figure", chart="scatter")


def _done_more(parts: Parts, by: tuple[Value, ...], asks: Any) -> Iterator[Proposal]:
    """ "Did we harvest more": the rows are named by a verb, so that how much is meant as likely as how often."""
    said = [item for item in parts.state.items if item.type == "ROW" and item.data is not None]
    if parts.state.has("count") or not said or any(is_plural(item.text) for item in said):
        return
    for column in parts.table.measures:
        if column.expression is None and not column.has("category"):
            yield 0.1, _sided(parts, Measure(function="sum", of=column.value), by, asks)


def propose_difference(parts: Parts) -> Iterator[Proposal]:
    """How far one side lies above the other: one figure, with both sides beside it."""
    state = parts.state
    key = parts.sides
    test = next((t for t in parts.where if t.value == key and t.operator == "in" and len(t.to) == 2), None)
    span: tuple[Any, ...] = test.to if test is not None else ()
    if parts.both_ways is not None:
        span = (parts.both_ways.true_value, parts.both_ways.false_value)
    measured = state.has("much") and state.has("comparative", "than")
    if key is None or len(span) != 2 or None in span or parts.yes_no or not (state.has("difference") or measured):
        return
    columns = parts.numbers
    if columns:
        functions = [(0.0, state.aggregates[0])] if state.aggregates else usual(columns[0])
        figures = [(cost, number_measure(columns[0], function, state.quantile)) for cost, function in functions]
    else:
        figures = [(0.0, rows_measure(parts))] if state.rows or state.has("count") else []
    rest = tuple(t for t in parts.where if t is not test)
    others = parts.plain_groups[:1]
    for cost, measure in figures:
        window = Window(kind="change", along=0, span=(span[1], span[0]))
        shape = "table" if others else "figure"
        yield (
            cost - 0.15,
            Plan(table=parts.home, measures=(measure,), by=(key, *others), where=rest, window=window, expects=shape),
        )


def _turned(asks: Any, positive: bool) -> Any:
    if asks is None or positive:
        return asks
    return "less" if asks == "more" else "more"


def _sided(parts: Parts, measure: Measure, by: tuple[Value, ...], asks: Any, **more: Any) -> Plan:
    more.setdefault("where", parts.where)
    return Plan(
        table=parts.home,
        measures=(measure,),
        by=by,
        asks=asks,
        expects="yes_no" if asks else "table",
        **more,
    )


def existence(parts: Parts) -> Iterator[Proposal]:
    """Whether there is any row at all."""
    state = parts.state
    if not parts.where or (state.measures and not only_whether(parts)):
        return
    shown = tuple(state.targets[:1]) or parts.row_labels or tuple(column.value for column in state.measures[:1])
    plan = Plan(
        table=parts.home,
        show=shown or tuple(c.value for c in parts.table.columns[:6]),
        where=parts.where,
        asks="any",
        expects="yes_no",
    )
    yield 0.0 if only_whether(parts) else 0.1 + 0.3 * (not state.has("any")), plan


def only_whether(parts: Parts) -> bool:
    """Whether a yes or a no is all that is wanted: "did the lab ever go above 28?", but not "can you list …"."""
    more = parts.state.has("list", "which", "count", "share", "much", "sorted", "when")
    return parts.state.has("whether") or (parts.yes_no and not more)


def listing(parts: Parts) -> Iterator[Proposal]:
    """Rows that meet conditions, by their names; or the different values of a column."""
    unasked = 0.35 * only_whether(parts)
    yield from ((cost + unasked, plan) for cost, plan in _lists(parts))


def _lists(parts: Parts) -> Iterator[Proposal]:
    state = parts.state
    if state.aggregates or state.has("count", "share", "rate"):
        return
    if state.descending is not None:
        return
    targets = [v for v in state.targets if v not in state.groups]
    labels = parts.row_labels
    if state.groups and (targets or state.measures) and all(parts.is_label(v) for v in state.groups):
        # "The team and starting year of each technician": a row for each.
        rest = tuple(dict.fromkeys((*state.groups, *targets, *(c.value for c in state.measures))))
        sorts = (Sort(at=0, descending=state.sort == "down"),) if state.sort is not None else ()
        table = state.groups[0].table or parts.home
        if state.schema.root({table, *(value.table for value in rest if value.table)}) is not None:
            yield 0.05, Plan(table=table, show=rest, where=parts.where, expects="list", order=sorts)
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
    one_each = bool(state.having) and bool(labels) and parts.is_unique(labels) and parts.counted in {None, parts.home}
    if having and labels and not one_each:  # Of one row each there is nothing to count.
        yield (
            0.05,
            Plan(
                table=parts.home, by=labels, measures=(having[0].measure,), where=where, having=having, expects="list"
            ),
        )
        return
    if state.has("all_columns") and (state.rows or where) and not targets and not measures:
        name = next((n for n in state.rows if n is not None), parts.home)
        every = tuple(c.value for c in state.schema.tables[name].columns if c.expression is None)
        yield 0.0, Plan(table=name, show=every, where=where, expects="table")
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
        # Who asks for first names has said which part of the name is meant.
        told = any(v in labels for v in targets)
        shown = tuple(
            dict.fromkeys((*(identity if (state.rows and not told) or not targets else ()), *targets, *measures))
        )
        shown = shown or tuple(c.value for c in parts.table.columns[:12] if c.expression is None)
        if sorted_by is not None:
            shown = tuple(dict.fromkeys((*shown, sorted_by.value)))
            sort = {"order": (Sort(at=shown.index(sorted_by.value), descending=state.sort == "down"),)}
        elif state.sort is not None:
            at = len(shown) - 1 if state.axis == "y" else 0
            sort = {"order": (Sort(at=at, descending=state.sort == "down"),)}
        cost = (0.05 if where else 0.3) + 0.4 * state.has("over_time")
        cost += 0.25 * len(measures) if not state.has("list") else 0.0
        if measures and not targets and not state.has("list", "which"):
            cost += 0.55
        cost += 0.4 * (bool(measures) and state.has("much"))  # how much is no list
        if where or state.has("list", "which") or state.has("sorted") or sort:
            each = state.has("distinct")
            yield cost, Plan(table=parts.home, show=shown, where=where, distinct=each, expects="list", **sort)
    both = next((t for t in where if t.operator == "in" and t.inner is None and len(t.to) == 2), None)
    if state.has("both") or (both is not None and not state.ors):
        yield from _both(parts, both, tuple(targets) or labels)
    if plain and not measures and sorted_by is None:
        cost = (0.05 if state.has("distinct") or not state.rows else 0.25) + (
            0.0 if where or state.has("distinct", "list", "which") else 0.3
        )
        if state.sort is not None:
            sort = {"order": (Sort(at=0, descending=state.sort == "down"),)}
        yield cost, Plan(table=parts.home, show=tuple(plain), distinct=True, where=where, expects="list", **sort)
    if measures and state.has("distinct") and not plain and sorted_by is None:
        # Each price once.
        yield 0.05, Plan(table=parts.home, show=measures, distinct=True, where=where, expects="list")


def _both(parts: Parts, values: Test | None, shown: tuple[Value, ...]) -> Iterator[Proposal]:
    """What meets one condition and the other, each in a row of its own: teams with a defender and a midfielder."""
    state = parts.state
    if values is not None:
        sides = [values.model_copy(update={"operator": "=", "to": (value,)}) for value in values.to]
        rest = tuple(t for t in parts.where if t is not values)
    else:
        compared = [t for t in parts.where if t.operator in {"<", ">", "<=", ">="} and t.inner is None]
        if len(compared) != 2 or compared[0].value != compared[1].value:
            return
        sides, rest = compared, tuple(t for t in parts.where if t not in compared)
    column = parts.column_of(shown[0]) if shown else None
    if column is None or state.measures:
        return
    # One row has one value: only what several rows share can have both.
    own = column.is_unique and sides[0].value is not None and sides[0].value.table == column.table
    if own:
        return
    said = state.has("both")
    for cost, keys in [(0.0, shown), (0.05, shown[:1])] if len(shown) > 1 else [(0.0, shown)]:
        other = combined_side(parts, keys, (*rest, sides[1]))
        if other is not None:
            combine = Combine(operation="intersect", other=other)
            plan = Plan(
                table=parts.home, show=keys, distinct=True, where=(*rest, sides[0]), combine=combine, expects="list"
            )
            yield cost + (-0.2 if said else 0.1), plan


def combined_side(parts: Parts, shown: tuple[Value, ...], where: tuple[Test, ...]) -> Plan | None:
    """One side of a combination, with its own joins."""
    from averment.reading.resolve_joins import resolve_joins

    return resolve_joins(
        parts.state.schema, Plan(table=parts.home, show=shown, distinct=True, where=where, expects="list")
    )
