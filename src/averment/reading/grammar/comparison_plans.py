"""Changes over time, shares, and figures held against each other or against the average."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import GroupTest, Measure, Plan, Test, Window
from averment.plans.statistics import Correlation
from averment.reading.grammar.frames import (
    Draft,
    Frame,
    entities,
    labels_of,
    measures_of,
    mentions_of,
    row_count,
    tells_rows,
    values_of,
)
from averment.reading.grammar.ranking_plans import ranked_by
from averment.reading.grammar.times import time_columns, time_key

if TYPE_CHECKING:
    from averment.plans.plan import Operator
    from averment.reading.grammar.conditions import Condition
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Table


def changes(frame: Frame) -> Iterator[Draft]:
    """Growth and change from period to period, between two of them, running totals, a figure over time."""
    grown, changed = frame.cue("growth"), frame.cue("change")
    running, moving, over = frame.cue("running"), frame.cue("moving"), frame.cue("over_time")
    if all(each is None for each in (grown, changed, running, moving, over)):
        return
    figures = [(0.3 * bool(frame.figures), row_count(), frozenset[int]())]
    for figure in frame.figures[:1]:
        figures = [(cost, measure, figure.at) for cost, measure in measures_of(frame, figure)] + figures
    timed = [key for key in (*frame.keys, *frame.named) if key.part is not None]
    others = [key for key in frame.keys if key.part is None]
    part = next((each.part for each in timed if each.part), "year" if _spans_years(frame.home) else "month")
    key = timed[0].value if timed else time_key(frame.home, part or "year")
    if key is None:
        return
    settled = timed or over is not None or sum(each.timed for each in frame.conditions) > 1
    kind = "growth" if grown is not None else "running" if running is not None else "moving" if moving else "change"
    span, where, conditions = _span(frame)
    for cost, measure, at in figures:
        cues = frame.cues("growth", "change", "running", "moving", "over_time", "count", "by")
        used = mentions_of(cues, timed, others, frame.rows) | at
        by = (*values_of(others), key)
        plan = Plan(table=frame.home.name, where=frame.where, by=by, measures=(measure,), expects="series")
        cost += 0.0 if settled or grown is not None or running is not None else 0.5
        yield Draft(cost + (0.0 if over is not None else 0.25), plan, used)
        if over is not None and grown is None and changed is None and running is None:
            continue
        if span is not None and kind in {"growth", "change"}:
            year = time_key(frame.home, "year")
            if year is None:
                continue
            window = Window(kind=kind, along=len(others), span=span)
            two = plan.changed(where=where, by=(*values_of(others), year), window=window)
            yield Draft(cost + 0.05, two, used | conditions)
        else:
            yield Draft(cost + 0.1, plan.changed(window=Window(kind=kind, along=len(others))), used)


def _span(frame: Frame) -> tuple[tuple[int, int] | None, tuple[Test, ...], frozenset[int]]:
    """The two years that a change is between, and the conditions without them."""
    years: list[int] = []
    rest: list[Test] = []
    for condition in frame.conditions:
        test = condition.test
        if test is not None and condition.timed and test.operator in {"=", "between"}:
            ends = [each for each in test.to if isinstance(each, int) and 1000 < each < 2200]
            if len(ends) == len(test.to):
                years += ends
                continue
        if test is not None:
            rest.append(test)
    if len(years) != 2:
        return None, (), frozenset()
    return (min(years), max(years)), tuple(rest), frozenset()


def _spans_years(table: Table) -> bool:
    column = next(iter(time_columns(table)), None)
    return column is not None and str(column.low)[:4] != str(column.high)[:4]


def shares(frame: Frame) -> Iterator[Draft]:
    """The share of rows that meet a condition, of a total that a part makes up, or of each group in the whole."""
    cue = frame.cue("share", "rate")
    if cue is None or frame.order is not None:
        return
    used = mentions_of(cue, frame.cues("share", "rate", "count", "sum"), frame.rows, frame.keys)
    by = values_of(frame.keys)
    tested = [each for each in frame.conditions if each.test is not None]
    figure = frame.figures[0] if frame.figures else None
    flagged = figure is not None and figure.column.has("flag")
    if figure is not None and not flagged:
        total = Measure(function="sum", of=figure.column.value)
        for cost, part, whole in _split(frame, tested):
            over = Measure(function="sum", of=figure.column.value)
            measure = total.changed(where=part, over=over, percent=True)
            plan = Plan(table=frame.home.name, where=whole, by=by, measures=(measure,))
            yield Draft(cost + 0.05, plan, used | figure.at)
        positive = Test(value=figure.column.value, operator=">", to=(0,))
        if not tested and isinstance(figure.column.low, int | float) and figure.column.low == 0:
            rate = Measure(function="rate", where=(positive,))
            yield Draft(0.2, Plan(table=frame.home.name, by=by, measures=(rate,)), used | figure.at)
        if len(frame.figures) == 2:
            other = Measure(function="sum", of=frame.figures[1].column.value)
            plan = Plan(
                table=frame.home.name, where=frame.where, by=by, measures=(total.changed(over=other, percent=True),)
            )
            yield Draft(0.1, plan, used | mentions_of(frame.figures))
    elif tested:
        for cost, part, whole in _split(frame, tested):
            rate = Measure(function="rate", where=part)
            if any(each.operator == "null" for test in part for each in test.parts()):
                rate = Measure(function="rows", where=part, over=row_count(), percent=True)
            yield Draft(cost, Plan(table=frame.home.name, where=whole, by=by, measures=(rate,)), used)
    for key in frame.named:
        if key.column is not None and key.column.kind == "date" and key.column.filled < key.column.rows:
            happened = Test(value=key.value, operator="null", negated=True)
            measure = Measure(function="rows", where=(happened,), over=row_count(), percent=True)
            plan = Plan(table=frame.home.name, where=frame.where, by=by, measures=(measure,))
            yield Draft(0.1, plan, used | key.at)
    grouped = frame.keys or entities(frame)
    if grouped and not any(tells_rows(frame, key) and key not in frame.keys for key in grouped):
        measure = Measure(function="sum", of=figure.column.value) if figure is not None and not flagged else row_count()
        plan = Plan(
            table=frame.home.name,
            where=frame.where,
            by=values_of(grouped),
            measures=(measure,),
            window=Window(kind="share"),
        )
        taken = used | mentions_of(grouped) | (figure.at if figure is not None else frozenset())
        yield Draft(0.1 + 0.25 * bool(tested), plan, taken)
    if figure is not None and flagged:
        for cost, measure in measures_of(frame, figure)[:1]:
            yield Draft(
                cost, Plan(table=frame.home.name, where=frame.where, by=by, measures=(measure,)), used | figure.at
            )


def _split(frame: Frame, tested: list[Condition]) -> Iterator[tuple[float, tuple[Test, ...], tuple[Test, ...]]]:
    """Ways to part the conditions into those that make up the share and those that hold for the whole.

    Periods hold for the whole; of the others the one that is said last makes up the share where rows or other
    conditions come first ("of the women, what share survived"), or the one right behind the word for a share.
    """
    able = [each for each in tested if not each.timed]
    always = tuple(each.test for each in tested if each.timed and each.test is not None)
    if not able:
        if always:
            yield 0.2, always, ()
        return
    by_place = sorted(able, key=lambda each: min(each.used))
    cue = frame.cue("share", "rate") or 0
    for n, chosen in enumerate(by_place):
        rest = tuple(each.test for each in by_place if each is not chosen and each.test is not None)
        assert chosen.test is not None  # as they were chosen
        last = n == len(by_place) - 1
        right_behind = min(chosen.used) == cue + 1
        cost = 0.0 if len(by_place) == 1 else 0.05 if last and not right_behind else 0.15 if right_behind else 0.25
        yield cost, (chosen.test,), (*always, *rest)
    if len(by_place) > 1:
        yield 0.3, tuple(each.test for each in by_place if each.test is not None), always


def comparisons(frame: Frame) -> Iterator[Draft]:
    """Two or more values of one column side by side, or what lies between them."""
    several = [each for each in frame.conditions if each.test is not None and len(each.test.to) > 1]
    several = [each for each in several if each.test is not None and each.test.operator == "in"]
    if not several:
        return
    condition = several[0]
    assert condition.test is not None and condition.test.value is not None  # as they were chosen
    key = condition.test.value
    figures = [(0.05 + 0.4 * bool(frame.figures), row_count(), frame.cues("count"))]
    for figure in frame.figures[:1]:
        figures += [(cost, measure, figure.at) for cost, measure in measures_of(frame, figure)]
    if frame.order is not None:
        for column, _, cost, at, function in ranked_by(frame, frame.order):
            name = function or ("sum" if column.additive else "mean")
            figures.append((cost + 0.02, Measure(function=name, of=column.value), at))
    compares = frame.cues("versus", "more", "less", "difference")
    ordered = mentions_of(frame.order.at) if frame.order is not None else frozenset[int]()
    for cost, measure, at in figures:
        used = at | compares | ordered | mentions_of(frame.rows, frame.cues("count"))
        by = tuple(dict.fromkeys((*values_of(frame.keys), key)))
        plan = Plan(table=frame.home.name, where=frame.where, by=by, measures=(measure,))
        used, cost = used | mentions_of(frame.keys), cost + 0.2 * bool(frame.keys)
        either = bool(compares or ordered or any(item.cue("versus", "both") for item in frame.items))
        yield Draft(cost + (0.0 if either else 0.35), plan, used)
        if frame.cue("difference") is not None and not frame.keys and len(condition.test.to) == 2:
            first, second = condition.test.to
            rest = tuple(test for test in frame.where if test != condition.test)
            window = Window(kind="change", along=0, span=(second, first))
            yield Draft(cost, plan.changed(where=rest, window=window), used)


def sides_of_a_flag(frame: Frame) -> Iterator[Draft]:
    """A figure for each side of a flag or few values that a question asks about: do members pay more?"""
    compared = frame.cue("more", "less", "versus", "difference")
    if compared is None or frame.keys or not frame.figures:
        return
    for condition in frame.conditions:
        column = condition.value_of
        if column is None or condition.test is None or len(condition.test.to) != 1 or column.distinct > 3:
            continue
        rest = tuple(test for test in frame.where if test != condition.test)
        for cost, measure in measures_of(frame, frame.figures[0]):
            if measure.function == "sum" and frame.cue("sum") is None:
                continue
            plan = Plan(table=frame.home.name, where=rest, by=(column.value,), measures=(measure,))
            used = frame.figures[0].at | frame.cues("more", "less", "versus", "difference") | mentions_of(frame.rows)
            yield Draft(cost + 0.1, plan, used)


def against_average(frame: Frame) -> Iterator[Draft]:
    """Rows or groups whose figure lies above or below the average of all."""
    cue = frame.cue("above_average", "below_average")
    if cue is None:
        return
    sign: Operator = ">" if frame.items[cue].cue("above_average") else "<"
    used = mentions_of(cue, frame.rows, frame.cues("more", "less", "mean", "versus", "count"))
    columns: list[tuple[Column, float, frozenset[int]]] = [(f.column, 0.0, f.at) for f in frame.figures[:1]]
    if not columns and frame.order is not None:
        columns = [(column, cost, frozenset({frame.order.at})) for column, _, cost in frame.order.measures[:2]]
    if not columns:
        columns = [(column, 0.4, frozenset()) for column in frame.home.measures[:1]]
    for column, cost, at in columns:
        mean = Plan(table=column.table, measures=(Measure(function="mean", of=column.value),), expects="figure")
        test = Test(value=column.value, operator=sign, inner=mean)
        keys = frame.keys or [key for key in entities(frame) if key.column is None or not tells_rows(frame, key)]
        taken = used | at | mentions_of(keys, frame.named)
        counted = frame.cue("count") is not None
        if not keys or counted:
            where = (*frame.where, test)
            if counted:
                yield Draft(cost, Plan(table=frame.home.name, where=where, measures=(row_count(),)), taken)
                continue
            shown = (*labels_of(frame, column), *values_of(frame.named), column.value)
            plan = Plan(table=frame.home.name, where=where, show=tuple(dict.fromkeys(shown)), expects="list")
            yield Draft(cost, plan, taken)
        else:
            group = Measure(function="mean", of=column.value)
            having = (GroupTest(measure=group, operator=sign, inner=mean),)
            plan = Plan(table=frame.home.name, where=frame.where, by=values_of(keys), measures=(group,), having=having)
            yield Draft(cost + 0.05, plan, taken)


def correlations(frame: Frame) -> Iterator[Draft]:
    """How two numbers go together."""
    cue = frame.cue("correlation")
    if cue is None or len(frame.figures) < 2:
        return
    pair = frame.figures[:2]
    of = tuple(figure.column.value for figure in pair)
    plan = Plan(table=frame.home.name, where=frame.where, statistic=Correlation(of=of))
    yield Draft(0.0, plan, mentions_of(cue, pair, frame.rows, frame.cues("versus")))


OPERATIONS = (changes, shares, comparisons, sides_of_a_flag, against_average, correlations)
