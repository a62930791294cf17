"""Operations: small records of what a question may ask for, each proposing plans from the slots it needs.

All that apply propose side by side. Where words leave something open (a total or a mean, the highest row or the highest
group) each way is a plan with its own cost; accounting and the judge decide between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from averment.plans.plan import GroupTest, Measure, Plan, Rank, Sort, Test, Value
from averment.plans.statistics import Correlation, DifferenceTest, Independence, Model, Moments, Normality, Outliers
from averment.plans.steps import MOST_CORRELATED
from averment.reading.operations.entities import around, told_apart, without
from averment.reading.operations.figures import (
    aggregate,
    average_of_groups,
    figure_plan,
    per_group,
    propose_count,
    propose_places,
    propose_rate,
    propose_share,
)
from averment.reading.operations.members import fewest, is_moment, log_returns, members, retention, rows_at_an_end
from averment.reading.operations.membership import is_party, propose_membership, takes_membership
from averment.reading.operations.over_time import (
    growth,
    propose_along,
    propose_moving,
    propose_periods,
    propose_series,
    propose_when,
)
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.operations.plugin_operations import propose_added
from averment.reading.operations.rankings import extreme_of_groups, ranking
from averment.reading.operations.row_lists import existence, listing, only_whether, propose_compare, propose_difference
from averment.reading.operations.spread import bins, equal_groups, quantiles, steps, values_counted
from averment.reading.operations.whole_tables import PIECES, duplicates, lengths, overview, pieces, pivot
from averment.reading.schema.parties import parties
from averment.reading.schema.repeats import is_period_of
from averment.reading.schema.usual_figures import label_values, number_measure, usual
from averment.reading.times.time_conditions import step_of
from averment.reading.words import is_plural, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State


MOST_FEATURES = 10
MOST_GROUPS, MOST_VALUES = 12, 30
"""Groups that a test compares at most, and values of a category that a test of independence takes."""


def correlations(parts: Parts) -> Iterator[Proposal]:
    """How numbers go together: two of them, one with all others, or every two."""
    state = parts.state
    method: Any = "spearman" if state.has("rank_correlation") else "pearson"
    method = "kendall" if state.has("kendall") else method
    fixed = [test.value for test in parts.where if test.operator == "="]
    # What a condition fixes to one number goes together with nothing.
    numbers = [c.value for c in parts.numbers if c.value not in fixed]
    named = numbers + [flag.value for flag, _ in state.flags if flag.kind == "number"]
    every = [c.value for c in parts.table.measures if c.expression is None][:MOST_CORRELATED]
    if state.has("kendall"):
        if len(named) == 2:
            yield -0.1, _correlated(parts, tuple(named), method)
        return
    if state.has("with_all"):
        if len(named) == 1 and len(every) > 2:
            yield 0.0, _correlated(parts, tuple(every), method, against=named[0])
        return
    if state.has("matrix") and len(named) < 2:
        if not named and len(every) > 1:
            yield 0.0, _correlated(parts, tuple(every), method)
        return
    if len(named) >= 2:
        yield 0.0, _correlated(parts, tuple(named), method, against=_against(parts) if len(named) > 2 else None)


def _against(parts: Parts) -> Value | None:
    """The number that several others are held against: the one that alone stands behind "correlated with"."""
    items = parts.state.items
    cue = next(
        (n for n, item in enumerate(items) if item.cue("correlation") and item.text.endswith((" with", " to"))), None
    )
    if cue is None:
        return None
    behind = [c for at, c in parts.state.columns_at if at > cue and c in parts.numbers]
    return behind[0].value if len(behind) == 1 else None


def _correlated(parts: Parts, of: tuple[Value, ...], method: Any, against: Value | None = None) -> Plan:
    if against is not None and against not in of:
        of = (*of, against)
    made = Correlation(of=of, against=against, method=method)
    return Plan(table=parts.home, statistic=made, where=parts.tests_only, expects="figure" if len(of) == 2 else "table")


def _categories(parts: Parts) -> list[Value]:
    """Named things that rows repeat."""
    state = parts.state
    flags = [flag.value for flag, _ in state.flags]
    named = [v for v in (*state.targets, *state.groups, *flags) if not is_moment(parts, v) and not parts.is_label(v)]
    return list(dict.fromkeys(named))


def relation(parts: Parts) -> Iterator[Proposal]:
    """Whether two things have to do with each other, by a test that suits them: two categories, or a number by one."""
    state = parts.state
    categories = _categories(parts)
    numbers = [c for c in parts.numbers if c.value not in categories]
    where = parts.tests_only
    if len(categories) == 2 and not numbers:
        if all(2 <= parts.distinct_of(v) <= MOST_VALUES for v in categories):
            made = Independence(of=tuple(categories))
            yield 0.0, Plan(table=parts.home, statistic=made, where=where, expects="table")
    elif len(categories) == 1 and len(numbers) == 1 and not state.has("chi_square"):
        yield from _difference(parts, numbers[0], categories[0], 0.1)


def test_of_difference(parts: Parts) -> Iterator[Proposal]:
    """Whether a number differs between groups by more than chance."""
    state = parts.state
    if state.has("differs") and not (parts.yes_no or state.has("test", "anova")):
        return
    columns = list(parts.numbers)
    if len(columns) != 1:
        categories = _categories(parts)
        if not columns and len(categories) == 2 and state.has("test"):
            yield from relation(parts)
        return
    sides = parts.sides
    if sides is not None:
        yield from _difference(parts, columns[0], sides, 0.0)
        return
    for cost, value in enumerate(_categories(parts)[:2]):
        yield from _difference(parts, columns[0], value, 0.4 * cost)


test_of_difference.__test__ = False  # pyright: ignore[reportFunctionMemberAccess] - not a test of pytest's


def _difference(parts: Parts, column: Column, by: Value, cost: float) -> Iterator[Proposal]:
    if not 2 <= parts.distinct_of(by) <= MOST_GROUPS and parts.sides != by:
        return
    method = "anova" if parts.state.has("anova") else "welch"
    made = DifferenceTest(of=(column.value,), by=by, method=method)
    where = tuple(t for t in parts.where if t.value is None or t.value != by or t.operator == "in")
    yield cost, Plan(table=parts.home, statistic=made, where=where, expects="table")


def models(parts: Parts) -> Iterator[Proposal]:
    """A number or a category told from others: what stands first after "predict" from what follows."""
    state = parts.state
    places = {id(column): at for at, column in reversed(state.columns_at)}
    numbers = [c.value for c in parts.numbers]
    flags = [flag.value for flag, _ in state.flags]
    named = [v for v in (*numbers, *_categories(parts), *flags) if parts.column_of(v) is not None]
    named = sorted(dict.fromkeys(named), key=lambda v: places.get(id(parts.column_of(v)), 0))
    asked = next((n for n, item in enumerate(state.items) if item.cue("+predict")), 0)
    after = [v for v in named if places.get(id(parts.column_of(v)), 0) > asked]
    if len(named) < 2 or len(named) > MOST_FEATURES or state.aggregates or not after:
        return
    before = [v for v in named if v not in after]
    passive = before and state.items[asked].text.endswith("predicted")  # "can revenue be predicted from price"
    target = before[-1] if passive else after[0]
    features = tuple(v for v in named if v != target)
    category = parts.kind_of(target) != "number" or target in flags
    if any(parts.distinct_of(v) > MOST_VALUES for v in (*features, target) if parts.kind_of(v) != "number"):
        return
    made = Model(of=features, against=target, method="logistic" if category else "linear")
    yield -0.1, Plan(table=parts.home, statistic=made, where=parts.tests_only, expects="table")


def shapes(parts: Parts) -> Iterator[Proposal]:
    """Whether a number is normally distributed, or how far from it its shape is."""
    state = parts.state
    if len(parts.numbers) != 1 or state.groups or state.aggregates:
        return
    kind = Normality if state.has("normal") else Moments
    made = kind(of=(parts.numbers[0].value,))
    yield -0.1, Plan(table=parts.home, statistic=made, where=parts.where, expects="table")


def outliers(parts: Parts) -> Iterator[Proposal]:
    """The rows whose number lies far from the usual, over all or within each group."""
    state = parts.state
    columns = parts.numbers
    if len(columns) != 1 or state.aggregates not in ([], ["iqr"]):
        return
    z = state.said.get("z")
    reach = z[0] if z and z[0] != 3 else None
    within = tuple(v for v in state.groups if not is_moment(parts, v))
    if len(within) != len(state.groups):
        return
    made = Outliers(of=(columns[0].value,), within=within, method="z" if z else None, reach=reach)
    shown = tuple(dict.fromkeys((*within, *state.targets, *(parts.row_labels or parts.row_identity))))
    shown = tuple(v for v in shown if v != columns[0].value)
    yield 0.0, Plan(table=parts.home, statistic=made, show=shown, where=parts.where, expects="list")


_SAID = -0.35
"""What it is worth that the question says "in total", or holds what many rows have against what one row has."""

_ROW = 0.4
"""What it costs to add up rows that are a period each, where nobody says so."""


def propose_totals(parts: Parts) -> Iterator[Proposal]:
    """Those whose rows together lie above or below a limit, or how many they are."""
    state = parts.state
    if state.groups or state.aggregates not in ([], ["sum"]) or state.descending is not None:
        return
    for limit in parts.where:
        column = parts.column_of(limit.value) if limit.value is not None else None
        if column is None or limit.operator not in _LIMITS or limit.inner is not None or not column.has("measure"):
            continue
        rest = tuple(test for test in parts.where if test is not limit)
        if limit.other is not None:
            yield from _against_own(parts, limit, column, rest)
            yield from _against_beside(parts, limit, column, rest)
        elif limit.to and isinstance(limit.to[0], int | float):
            yield from _against_number(parts, limit, column, rest)


def _against_own(parts: Parts, limit: Test, column: Column, rest: tuple[Test, ...]) -> Iterator[Proposal]:
    """A number of many rows against a number of the one row that they all point at."""
    schema, owner = parts.state.schema, limit.other.table if limit.other is not None else None
    if owner is None or owner == column.table or owner not in schema.routes[column.table]:
        return
    if _first_named(parts) == column.table:
        return  # An employee who earns more than the department's average is one row.
    table = schema.tables[owner]
    by = told_apart(table, tuple(c.value for c in table.identity[:1]), schema)
    group = GroupTest(measure=_total(column), operator=limit.operator, other=limit.other)
    yield _SAID, _totals_plan(parts, column.table, by, group, rest)


def _against_beside(parts: Parts, limit: Test, column: Column, rest: tuple[Test, ...]) -> Iterator[Proposal]:
    """Two numbers of many rows, both added up for each thing that comes again in them: over budget in a whole year."""
    other = parts.column_of(limit.other) if limit.other is not None else None
    if other is None or other.table != column.table or not (column.additive and other.additive):
        return
    who = next((v for v in parts.state.targets if not parts.is_time(v) and not parts.names_rows((v,))), None)
    named = parts.column_of(who) if who is not None else None
    if who is None or named is None or named.table != column.table or named.kind != "text":
        return
    apart = Value(kind="arithmetic", operation="-", operands=(column.value, other.value))
    group = GroupTest(measure=Measure(function="sum", of=apart), operator=limit.operator, to=(0.0,))
    yield _SAID, _totals_plan(parts, parts.home, (who,), group, rest)


def _first_named(parts: Parts) -> str | None:
    """The table of the things that are asked for: what is named first."""
    for item in parts.state.items:
        if item.type == "COLUMN" and not item.data.has("measure"):
            return item.data.table
        if item.type == "ROW" and item.data:
            return item.data
    return None


def _against_number(parts: Parts, limit: Test, column: Column, rest: tuple[Test, ...]) -> Iterator[Proposal]:
    """A number of many rows, added up for each thing that comes again in them."""
    state, schema = parts.state, parts.state.schema
    said = state.aggregates == ["sum"]
    beyond = _is_beyond(limit, column)
    adds_up = _adds_up(column) or _is_counted(parts, column)
    if not said and not beyond and (not adds_up or state.has("count")):
        return
    cost = _SAID if said or beyond else 0.05
    group = GroupTest(measure=_total(column), operator=limit.operator, to=(float(limit.to[0]),))
    who = next((v for v in state.targets if is_party(parts, v) or _is_longer(parts, v)), None)
    if who is not None:
        things = parts.column_of(who)
        own = _ROW if not (said or beyond) and things is not None and is_period_of(parts.table, things) else 0.0
        yield cost + own, _totals_plan(parts, parts.home, (who,), group, rest)
    elif said:
        for name in dict.fromkeys(name for name in state.rows if name not in {None, column.table}):
            if name is None or name not in schema.routes[column.table] or state.targets:
                continue
            table = schema.tables[name]
            by = told_apart(table, tuple(c.value for c in table.identity[:1]), schema)
            yield cost, _totals_plan(parts, column.table, by, group, rest)


def _is_beyond(limit: Test, column: Column) -> bool:
    """Whether a bar lies above what any row has, of a number that counts something: only many rows come up to it."""
    number = limit.to[0]
    if not isinstance(column.high, int | float) or isinstance(number, str):
        return False
    above = (limit.operator == ">" and number >= column.high) or (limit.operator == ">=" and number > column.high)
    return above and _adds_up(column)


def _is_counted(parts: Parts, column: Column) -> bool:
    """Whether a number is said as so many things: "more than 5 nights", but not "a score over 95"."""
    return column.whole and any(
        one.type == "NUMBER" and two.type == "COLUMN" and two.data is column and is_plural(two.text.split()[-1])
        for one, two in pairwise(parts.state.items)
    )


def _is_longer(parts: Parts, value: Value) -> bool:
    """Whether a value is a period that has several rows: a month of days."""
    column = parts.column_of(value)
    if value.part is not None:
        return value.part != step_of(parts.table) and value.table == parts.home
    years = column is not None and column.has("year") and column.table == parts.home
    return years and column is not None and column.distinct < column.filled


def _adds_up(column: Column) -> bool:
    """Whether the numbers of several rows make one together, as amounts and counts do; marks and ages do not."""
    counts = column.whole and isinstance(column.low, int | float) and column.low >= 0
    return column.additive or (counts and column.low == 0 and not set(column.words) & word_list("not_additive"))


def _totals_plan(parts: Parts, table: str, by: tuple[Value, ...], group: GroupTest, rest: tuple[Test, ...]) -> Plan:
    plan = Plan(table=table, by=by, measures=(group.measure,), where=rest, having=(group,), expects="list")
    if parts.state.has("count"):
        return plan.model_copy(update={"over_groups": "count", "expects": "figure"})
    return plan


def _total(column: Column) -> Measure:
    return Measure(function="sum", of=column.value)


_LIMITS = frozenset({">", ">=", "<", "<="})
_IN_ORDER = frozenset({"year", "quarter", "month", "week", "day", "decade"})
"""Periods of which one comes before another; a weekday comes again."""


def passes_a_bar(state: State) -> bool:
    """Whether a first or a last time is asked for, and a bar stands in the question."""
    held = bool(state.having or state.having_of) or any(test.operator in _LIMITS for test in state.tests)
    return state.has("first", "last") and held and state.descending is None


def first_passing(parts: Parts) -> Iterator[Proposal]:
    """The first or the last period whose figure lies above or below the bar."""
    state = parts.state
    time = _period(parts)
    if time is None:
        return
    for group in parts.having_figures:
        yield 0.0, _plan(parts, time, group, parts.where)
    for operator, number in state.having:
        group = GroupTest(measure=rows_measure(parts), operator=operator, to=(number,))  # pyright: ignore[reportArgumentType]
        yield 0.05, _plan(parts, time, group, parts.where)
    rows = step_of(parts.table) == time.part and not state.aggregates  # Each row is one such period.
    if rows or state.having_of or state.having:
        return
    for limit in parts.where:
        yield from _of_each_period(parts, time, limit)


def _of_each_period(parts: Parts, time: Value, limit: Test) -> Iterator[Proposal]:
    """A bar on a number of the rows, held against what each period has of it."""
    column = parts.column_of(limit.value) if limit.value is not None else None
    plain = limit.operator in _LIMITS and limit.inner is None and limit.other is None and len(limit.to) == 1
    if column is None or not column.has("measure") or not plain or isinstance(limit.to[0], str):
        return
    rest = tuple(test for test in parts.where if test is not limit)
    asked = parts.state.aggregates
    for cost, function in [(0.0, asked[0])] if asked else usual(column)[:1]:
        measure = number_measure(column, function, None)
        group = GroupTest(measure=measure, operator=limit.operator, to=(float(limit.to[0]),))
        yield cost + 0.02, _plan(parts, time, group, rest)


def _period(parts: Parts) -> Value | None:
    """The period that is asked for: a month, a year, as a target, a group or an adverb."""
    state = parts.state
    named = [value for value in (*state.targets, *state.groups, state.adverb) if value is not None]
    return next((value for value in named if value.part in _IN_ORDER), None)


def _plan(parts: Parts, time: Value, group: GroupTest, where: tuple[Test, ...]) -> Plan:
    rank = Rank(by=time, descending=parts.state.has("last") and not parts.state.has("first"))
    return Plan(
        table=parts.home, by=(time,), measures=(group.measure,), where=where, having=(group,), rank=rank, expects="row"
    )


def counts_groups(state: State) -> bool:
    """Whether "how many" stands with a condition on groups."""
    return state.has("count") and bool(state.having or state.having_of) and state.descending is None


def groups_counted(parts: Parts) -> Iterator[Proposal]:
    """The number of groups whose figure meets the condition."""
    if parts.state.groups or parts.state.aggregates:
        return
    for cost, table, key in _counted_things(parts):
        having = tuple(_of_rows(test, table) for test in parts.having)
        plan = Plan(
            table=table,
            by=(key,),
            measures=(having[0].measure,),
            where=parts.where,
            having=having,
            over_groups="count",
            expects="figure",
        )
        yield cost, plan


def _of_rows(test: GroupTest, table: str) -> GroupTest:
    """A bar on how many rows, of the table that is grouped: each patient is one patient, but may have many visits."""
    measure = test.measure
    if measure.function != "rows" or measure.where or measure.table in {None, table}:
        return test
    return test.model_copy(update={"measure": Measure(function="rows")})


def _counted_things(parts: Parts) -> Iterator[tuple[float, str, Value]]:
    """What is counted: a column that is named, the rows of a table that others point at, or people of the table."""
    state, schema = parts.state, parts.state.schema
    if state.targets:
        named = parts.after_count or state.targets[0]
        yield (0.0, parts.home, named) if not parts.names_rows((named,)) else (0.5, parts.home, named)
        return
    counted = state.counted_table or parts.home
    for name in dict.fromkeys(state.rows):
        if name is None or name == counted:
            continue
        for one in schema.relations:
            if one.left == counted and one.right == name:
                column = schema.column(one.left, one.left_column)
                if column is not None:
                    yield 0.0, counted, column.value
    if None in state.rows:
        for order, column in enumerate(parties(schema.tables[counted], schema)):
            yield 0.1 + 0.15 * order, counted, column.value


def sorts_by_number(state: State) -> bool:
    """Whether what is listed is sorted by a figure, and no figure is named: "sorted by their frequency"."""
    figured = state.groups or state.measures or state.aggregates or state.flags
    return state.axis == "y" and state.sort is not None and bool(state.targets) and not figured


def sorted_by_number(parts: Parts) -> Iterator[Proposal]:
    """Each kind with its number of rows, sorted by that."""
    state = parts.state
    keys = [value for value in dict.fromkeys(state.targets) if not parts.is_label(value)]
    if len(keys) == 1 and state.descending is None:
        order = (Sort(at=1, descending=state.sort == "down"),)
        yield -0.1, figure_plan(parts, rows_measure(parts), tuple(keys), order=order, expects="table")


def names_with_number(state: State) -> bool:
    """Whether names of some rows are asked for, and how many others they have: "names of … and how many … they …"."""
    return len(state.schema.tables) > 1 and state.has("count") and _named_rows(state) is not None and not state.groups


def _named_rows(state: State) -> str | None:
    """The table whose rows' names are asked for first, before anything is counted."""
    for one, two in pairwise(state.items):
        if one.cue("count"):
            return None
        if one.cue("list") and one.text.endswith(("names of", "name of")) and two.type == "ROW" and two.data:
            return two.data
    return None


def numbered_names(parts: Parts) -> Iterator[Proposal]:
    """Each of the named things with the number of the other rows that it has."""
    state = parts.state
    table = _named_rows(state)
    labels = label_values(state.schema.tables[table]) if table is not None else ()
    if labels and parts.counted not in {None, table} and not parts.numbers and state.descending is None:
        yield 0.0, figure_plan(parts, rows_measure(parts), tuple(labels), expects="table")


Build = Callable[[Parts], Iterator[Proposal]]


@dataclass(frozen=True)
class QuestionOperation:
    """What a question may ask for: when it applies, and the plans it makes of the slots."""

    name: str
    applies: Callable[[State], bool]
    build: Build


def propose(state: State) -> list[Proposal]:
    """Every plan that the slots allow, with its cost."""
    found: list[Proposal] = []
    parts = Parts(state)
    for operation in OPERATIONS:
        if operation.applies(state):
            found += [(state.cost + cost, plan) for cost, plan in operation.build(parts)]
    return [*found, *((state.cost + cost, plan) for cost, plan in propose_added(state))]


def _may_be_figure(state: State) -> bool:
    """Whether a figure may be meant: "has any sailing …" is answered by yes or no, and by no total."""
    return bool(state.aggregates) or state.has("comparative", "than", "versus") or not only_whether(Parts(state))


def _always(_: State) -> bool:
    return True


OPERATIONS: tuple[QuestionOperation, ...] = (
    QuestionOperation(
        "correlations", lambda s: s.has("correlation", "rank_correlation", "matrix", "with_all"), correlations
    ),
    QuestionOperation("kendall", lambda s: s.has("kendall"), correlations),
    QuestionOperation("models", lambda s: s.has("predict"), models),
    QuestionOperation("shapes", lambda s: s.has("normal", "shape"), shapes),
    QuestionOperation("relation", lambda s: s.has("correlation", "independent", "chi_square"), relation),
    QuestionOperation("test", lambda s: s.has("test", "differs", "anova"), test_of_difference),
    QuestionOperation("outliers", lambda s: s.has("outliers", "z"), outliers),
    QuestionOperation("rows at an end", lambda s: bool(s.groups), rows_at_an_end),
    QuestionOperation("retention", lambda s: s.has("retention"), retention),
    QuestionOperation("members", lambda s: s.has("new_members", "returning_members", "active_members"), members),
    QuestionOperation("log returns", lambda s: s.has("log_return"), log_returns),
    QuestionOperation("the fewest", lambda s: s.has("until"), fewest),
    QuestionOperation("pivot", lambda s: s.has("pivot", "across"), pivot),
    QuestionOperation("overview", lambda s: s.has("overview", "stands_out"), overview),
    QuestionOperation("duplicates", lambda s: s.has("duplicates"), duplicates),
    QuestionOperation("lengths", lambda s: s.has("length"), lengths),
    QuestionOperation("pieces", lambda s: s.has(*PIECES), pieces),
    QuestionOperation(
        "quantiles", lambda s: s.has("quantiles", "spread", "distribution") or "quantiles" in s.said, quantiles
    ),
    QuestionOperation("bins", lambda s: s.has("bins", "distribution"), bins),
    QuestionOperation("values counted", lambda s: s.has("distribution"), values_counted),
    QuestionOperation("steps", lambda s: s.has("width"), steps),
    QuestionOperation("equal groups", lambda s: s.has("tiles", "entity_tiles"), equal_groups),
    QuestionOperation("growth", lambda s: s.has("growth", "change", "period_over_period"), growth),
    QuestionOperation("along", lambda s: s.has("running"), propose_along),
    QuestionOperation("moving", lambda s: s.has("moving"), propose_moving),
    QuestionOperation("periods", lambda s: len(s.periods) > 1 and bool(Parts(s).period_sides), propose_periods),
    QuestionOperation("series", lambda s: s.has("over_time"), propose_series),
    QuestionOperation("compare", lambda s: s.has("comparative", "than", "versus", "difference"), propose_compare),
    QuestionOperation("difference", lambda s: s.has("difference", "comparative", "than"), propose_difference),
    QuestionOperation("existence", lambda s: Parts(s).yes_no, existence),
    QuestionOperation("when", lambda s: s.has("when", "first", "last"), propose_when),
    QuestionOperation("first passing", passes_a_bar, first_passing),
    QuestionOperation("ranking", lambda s: s.descending is not None and not s.has("places"), ranking),
    QuestionOperation("extreme", lambda s: s.descending is not None, extreme_of_groups),
    QuestionOperation("places", lambda s: s.has("places"), propose_places),
    QuestionOperation("share", lambda s: s.has("share", "as_share"), propose_share),
    QuestionOperation("rate", lambda s: bool(s.flags or s.rated) and s.descending is None, propose_rate),
    QuestionOperation("groups counted", counts_groups, groups_counted),
    QuestionOperation("mean of groups", lambda s: bool(s.aggregates) and s.descending is None, average_of_groups),
    QuestionOperation("count", lambda s: s.descending is None, propose_count),
    QuestionOperation("aggregate", lambda s: s.descending is None and _may_be_figure(s), aggregate),
    QuestionOperation("per group", lambda s: s.descending is None and _may_be_figure(s), per_group),
    QuestionOperation("without", lambda s: len(s.schema.tables) > 1 and s.has("not", "no", "missing"), without),
    QuestionOperation("sets", takes_membership, propose_membership),
    QuestionOperation("totals", lambda s: bool(s.tests) and s.descending is None, propose_totals),
    QuestionOperation("names with their number", names_with_number, numbered_names),
    QuestionOperation("sorted by number", sorts_by_number, sorted_by_number),
    QuestionOperation("around", lambda s: len(s.schema.tables) > 1, around),
    QuestionOperation("list", _always, listing),
)
