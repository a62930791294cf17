"""Counts, figures and lists of rows: what a frame asks for where it neither ranks nor compares.

Every operation looks at the slots of a frame alone and proposes as many plans as the slots leave open. Mentions that
a plan does not answer to are left over, so that no operation has to know about the words of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import GroupTest, Measure, Plan, Sort, Test, Value
from averment.reading.grammar.frames import (
    Draft,
    Frame,
    entities,
    labels_of,
    measures_of,
    mentions_of,
    persons,
    row_count,
    tells_rows,
    values_of,
)

if TYPE_CHECKING:
    from averment.plans.plan import Operator
    from averment.reading.grammar.conditions import Condition
    from averment.reading.schema.schema_view import Table

MOST_SHOWN = 14
"""Up to so many columns a row is listed with all of them."""

_PERCENT = frozenset({"pct", "percent", "percentage", "share", "rate", "ratio"})


def counts(frame: Frame) -> Iterator[Draft]:
    """How many rows there are, of each group where groups are named."""
    counted = frame.cues("count")
    if frame.order is not None or frame.cue("share", "rate", "growth", "correlation") is not None:
        return
    cost = 0.0 if counted else 0.1 if frame.keys else 0.55
    if frame.figures and not frame.keys and not counted:
        return
    table = frame.table_of_rows()
    used = mentions_of(counted, frame.rows, frame.keys, frame.cues("sum"))
    plan = Plan(table=table.name, where=frame.where, by=values_of(frame.keys), measures=(row_count(),), expects="table")
    for having, taken in _having(frame, row_count()):
        yield Draft(cost, plan.changed(having=having), used | taken)
    if not frame.bars:
        yield Draft(cost, plan, used)
        if counted and frame.named and not frame.keys:
            # "pipeline: how many at each stage" without its "each"
            spread = [key for key in frame.named if key.part or (key.column is not None and not key.column.is_unique)]
            if spread:
                yield Draft(cost + 0.3, plan.changed(by=values_of(spread)), used | mentions_of(spread))


def distinct_counts(frame: Frame) -> Iterator[Draft]:
    """How many different values a column has."""
    counted, different = frame.cues("count"), frame.cues("distinct")
    if (not counted and not different) or frame.order is not None:
        return
    if different and frame.keys:
        for at in frame.rows:
            if isinstance(frame.items[at].data, str):
                measure = Measure(function="rows", table=frame.items[at].data)
                plan = Plan(table=frame.home.name, where=frame.where, by=values_of(frame.keys), measures=(measure,))
                yield Draft(0.05, plan, mentions_of(counted, different, frame.rows, frame.keys))
    for key in frame.named:
        if key.column is None and key.part is None:
            continue
        asked = bool(key.at & frame.asked)
        cost = 0.0 if different and counted else 0.08 if asked and counted else 0.5
        cost += 0.4 * (key.column is not None and key.column.kind == "date" and not different)
        repeats = key.part is not None or (key.column is not None and not key.column.is_unique)
        measure = Measure(function="distinct", of=key.value)
        plan = Plan(table=frame.home.name, where=frame.where, by=values_of(frame.keys), measures=(measure,))
        used = mentions_of(key, counted, different, frame.rows, frame.keys)
        yield Draft(cost + 0.1 * (not repeats), plan, used)
        if different and not counted:
            shown = Plan(table=frame.home.name, where=frame.where, show=(key.value,), distinct=True, expects="list")
            yield Draft(0.1, shown, used)


def _having(frame: Frame, measure: Measure) -> Iterator[tuple[tuple[GroupTest, ...], frozenset[int]]]:
    """The bars on a figure of groups as conditions on them, where there are groups."""
    if not frame.bars or not frame.keys:
        return
    tests = tuple(group_test(bar, measure) for bar in frame.bars)
    yield tests, mentions_of(*(bar.used for bar in frame.bars))


def group_test(condition: Condition, measure: Measure) -> GroupTest:
    """A bar as a condition on a figure of groups."""
    bar = condition.bar
    assert bar is not None  # only bars come here
    if bar.op in {"between", "outside"}:
        return GroupTest(measure=measure, operator="between", to=(float(bar.low or 0), float(bar.high or 0)))
    signs: dict[str, Operator] = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "=", "ne": "!="}
    end = bar.high if bar.op in {"lt", "le"} else bar.low
    return GroupTest(measure=measure, operator=signs[bar.op], to=(float(end or 0),))


def passing_groups(frame: Frame) -> Iterator[Draft]:
    """Groups whose figure passes a bar: products with more than 30 releases."""
    once = frame.cue("once", "repeated")
    if not frame.bars and once is None:
        return
    keys = frame.keys or entities(frame)
    if not keys:
        return
    figures: list[tuple[float, Measure, frozenset[int]]] = [(0.05, row_count(), frozenset())]
    for figure in frame.figures[:1]:
        figures += [(cost, measure, figure.at) for cost, measure in measures_of(frame, figure)]
        figures[0] = (0.4, figures[0][1], figures[0][2])
    counted_rows = [n for bar in frame.bars for n in bar.used if isinstance(frame.items[n].data, str)]
    if counted_rows:
        rows = Measure(function="rows", table=frame.items[counted_rows[0]].data)
        figures = [(0.0, rows, frozenset()), *figures[1:]]
    for cost, measure, at in figures:
        if once is not None:
            sign: Operator = "=" if frame.items[once].cue("once") else ">"
            tests: tuple[GroupTest, ...] = (GroupTest(measure=measure, operator=sign, to=(1.0,)),)
        else:
            tests = tuple(group_test(bar, measure) for bar in frame.bars)
        used = mentions_of(keys, once, at, frame.rows, *(bar.used for bar in frame.bars))
        plan = Plan(table=frame.home.name, where=frame.where, by=values_of(keys), measures=(measure,), having=tests)
        counted = frame.cue("count")
        if counted is not None and not frame.keys:
            yield Draft(cost, plan.changed(over_groups="count"), used | {counted})
        else:
            yield Draft(cost, plan, used)


def figures(frame: Frame) -> Iterator[Draft]:
    """Totals, averages and other figures, of each group where groups are named."""
    shares = frame.cues("share", "rate")
    percent = any(_PERCENT & set(figure.column.words) for figure in frame.figures)
    if not frame.figures or frame.cue("correlation", "growth") is not None or (shares and not percent):
        return
    for cost, measures, used in _measure_sets(frame):
        for having, taken in _having(frame, measures[0]) or ():
            made = Plan(
                table=frame.home.name, where=frame.where, by=values_of(frame.keys), measures=measures, having=having
            )
            yield Draft(cost, made, used | taken | mentions_of(frame.keys, frame.rows))
        if frame.bars:
            continue
        plan = Plan(table=frame.home.name, where=frame.where, by=values_of(frame.keys), measures=measures)
        used = used | mentions_of(frame.keys, frame.rows, shares)
        extra = 0.0
        plain_keys = [key for key in frame.keys if not key.beside]
        if len(plain_keys) < len(frame.keys):
            leads = measures[0].function not in {"sum", "rows"}
            yield Draft(cost + 0.2 * (not leads), plan.changed(by=values_of(plain_keys)), used)
            extra = 0.2 * leads
        if frame.order is not None:
            extra += 0.6
        yield Draft(cost + extra + _unasked(frame), plan, used)
        spread = [key for key in frame.named if key.part or (key.column and not key.column.is_unique)]
        if spread and not frame.keys:
            yield Draft(cost + extra + 0.3, plan.changed(by=values_of(spread)), used | mentions_of(spread))


def _unasked(frame: Frame) -> float:
    """What it costs to compute a figure where rows are asked to be listed."""
    functions = any(figure.function for figure in frame.figures) or frame.functions
    listing = frame.cue("list") is not None and not frame.keys and not functions
    return 0.35 if listing else 0.0


def _measure_sets(frame: Frame) -> Iterator[tuple[float, tuple[Measure, ...], frozenset[int]]]:
    """The measures of all figures together, each way to read the first of them."""
    first, *others = frame.figures
    used = mentions_of(frame.figures, frame.cues("count") if first.column.additive else (), frame.cues("sum"))
    rest = tuple(measures_of(frame, figure)[0][1] for figure in others)
    for cost, measure in measures_of(frame, first):
        yield cost, (measure, *rest), used
    if len(frame.figures) == 2:
        by = frame.cues("by", "ratio")
        joint = frame.figures[1].at & by or frame.cues("ratio")
        if joint:
            total, other = (Measure(function="sum", of=figure.column.value) for figure in frame.figures)
            yield 0.0, (total.changed(over=other),), used | joint
            row = Value(kind="arithmetic", operation="/", operands=tuple(f.column.value for f in frame.figures))
            yield 0.3, (Measure(function="mean", of=row),), used | joint
        minus, times = frame.cue("minus", "difference"), frame.cue("times")
        sign = "-" if minus is not None else "*" if times is not None else None
        if sign is not None:
            values = tuple(figure.column.value for figure in frame.figures)
            of = Value(kind="arithmetic", operation=sign, operands=values)
            function = frame.figures[0].function or ("sum" if frame.figures[0].column.additive else "mean")
            yield 0.05, (Measure(function=function, of=of),), used | mentions_of(minus, times)


def figures_of_groups(frame: Frame) -> Iterator[Draft]:
    """A figure over groups: the average number of orders a customer, the average daily total."""
    if not frame.functions or not frame.keys:
        return
    function, at = frame.functions[0]
    counted = bool(frame.cues("count"))
    if function not in {"mean", "median", "max", "min"}:
        return
    figures = [(0.0, row_count(), frozenset[int]())]
    if frame.figures:
        figures = [(cost, measure, frame.figures[0].at) for cost, measure in measures_of(frame, frame.figures[0])]
    table = frame.table_of_rows()
    for cost, measure, taken in figures[:1]:
        grouped = Plan(
            table=table.name,
            where=frame.where,
            by=values_of(frame.keys[-1:]),
            measures=(measure,),
            over_groups=function,
        )
        used = mentions_of(frame.keys[-1], frame.cues("count"), frame.rows, at) | taken
        yield Draft(cost + (0.02 if counted else 0.4), grouped, used)


def row_lists(frame: Frame) -> Iterator[Draft]:
    """The rows that meet the conditions, or the different values of a column among them."""
    if frame.order is not None or frame.bars or frame.keys or frame.functions:
        return
    if frame.cue("count", "share", "rate", "growth", "correlation", "above_average", "below_average") is not None:
        return
    if any(figure.function for figure in frame.figures):
        return
    figures = [figure.column.value for figure in frame.figures]
    named = [key for key in frame.named if key.column is not None] or persons(frame)
    used = mentions_of(
        named, frame.rows, frame.named, frame.figures, frame.cues("sorted", "descending", "ascending", "distinct")
    )
    listing = frame.cue("list", "which") is not None or bool(frame.rows)
    cost = (0.05 if frame.where else 0.4) + 0.15 * (not listing)
    cost += 0.3 * (bool(figures) and frame.cue("list") is None)
    cost += 0.3 * frame.items[0].cue("any", "yes_no") if frame.items else 0.0
    asked = [key for key in named if key.at & frame.asked] or named
    barred = [each.test.value for each in frame.conditions if _is_bar(each) and each.test and each.test.value]
    repeating = [key for key in asked if key.column is not None and not tells_rows(frame, key)]
    if repeating and not figures and len(repeating) == len(asked):
        plan = Plan(table=frame.home.name, where=frame.where, show=values_of(asked), distinct=True, expects="list")
        yield Draft(cost + 0.15 * bool(barred), plan, used)
        if barred:
            with_bars = plan.changed(show=tuple(dict.fromkeys((*values_of(asked), *barred))), distinct=False)
            yield Draft(cost, with_bars, used)
    labels = labels_of(frame)
    tested = [test.value for test in frame.where if test.value is not None and test.value.kind == "column"]
    shown = tuple(dict.fromkeys((*labels, *values_of(named), *figures, *barred)))
    if not named and not figures:
        shown = _whole_row(frame.table_of_rows(), labels, tested)
    if not shown:
        return
    order = _sorting(frame, shown)
    plan = Plan(table=frame.home.name, where=frame.where, show=shown, order=order, expects="list")
    yield Draft(cost + 0.1 * bool(repeating and not figures), plan, used)
    if figures and not named and frame.where:
        yield Draft(cost + 0.25, plan.changed(show=tuple(figures), order=()), used)


def _is_bar(condition: Condition) -> bool:
    """Whether a condition holds a number of the rows against a bar."""
    test = condition.test
    return test is not None and test.operator in {"<", "<=", ">", ">=", "between"} and not condition.timed


def _whole_row(table: Table, labels: list[Value], tested: list[Value]) -> tuple[Value, ...]:
    own = [c.value for c in table.columns if c.expression is None and c.figure is None]
    shown = own if len(own) <= MOST_SHOWN else [*labels, *tested]
    return tuple(dict.fromkeys([*labels, *shown]))


def _sorting(frame: Frame, shown: tuple[Value, ...]) -> tuple[Sort, ...]:
    if frame.cue("sorted", "descending", "ascending") is None or not frame.figures:
        return ()
    value = frame.figures[-1].column.value
    down = frame.cue("descending") is not None
    return (Sort(at=shown.index(value), descending=down),) if value in shown else ()


def whether_any(frame: Frame) -> Iterator[Draft]:
    """Whether there is a row that meets the conditions."""
    first = frame.items[0] if frame.items else None
    asks = first is not None and (first.cue("yes_no", "any") and first.start == 0)
    if not asks or not frame.where or frame.figures or frame.order is not None or frame.keys:
        return
    plan = Plan(table=frame.home.name, where=frame.where, measures=(row_count(),), asks="any", expects="yes_no")
    used = mentions_of(frame.cues("yes_no", "any"), frame.rows, frame.named)
    yield Draft(0.05, plan, used)


def rows_without(frame: Frame) -> Iterator[Draft]:
    """The rows of one table that no row of another points at: customers without an order."""
    denied = frame.cue("not", "missing")
    if denied is None or len(frame.schema.tables) < 2:
        return
    home = frame.table_of_rows()
    for relation in frame.schema.relations:
        if relation.right != home.name:
            continue
        inner = tuple(t for t in frame.where if all(table == relation.left for table, _ in t.columns()))
        outer = tuple(t for t in frame.where if t not in inner)
        spoken = [n for n, i in enumerate(frame.items) if i.type == "ROW" and i.data == relation.left]
        pointing = Value(table=relation.left, column=relation.left_column)
        known = Test(value=pointing, operator="null", negated=True)
        pointed = Plan(table=relation.left, where=(known, *inner), show=(pointing,), distinct=True, expects="list")
        test = Test(value=Value(table=home.name, column=relation.right_column), operator="not in", inner=pointed)
        used = mentions_of(denied, frame.cues("not", "missing", "any", "count"), frame.rows, spoken)
        cost = 0.05 if spoken or inner else 0.3
        if frame.cue("count") is not None:
            yield Draft(cost, Plan(table=home.name, where=(*outer, test), measures=(row_count(),)), used)
            continue
        named = tuple(key.value for key in frame.named if key.column and key.column.table == home.name)
        shown = tuple(dict.fromkeys((*(c.value for c in home.identity[:3]), *named)))
        plan = Plan(table=home.name, where=(*outer, test), show=shown, expects="list")
        yield Draft(cost, plan, used | mentions_of([k for k in frame.named if k.value in shown]))


OPERATIONS = (counts, distinct_counts, passing_groups, figures, figures_of_groups, row_lists, whether_any, rows_without)
