"""Operations over pairs and rows as statistics: correlations, tests of a difference or of independence, outliers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Plan, Value
from averment.plans.statistics import Correlation, DifferenceTest, Independence, Model, Moments, Normality, Outliers
from averment.reading.operations.members import is_moment
from averment.reading.operations.plan_parts import Parts, Proposal
from averment.tables.compose.layer_spec import MOST_CORRELATED

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column

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
