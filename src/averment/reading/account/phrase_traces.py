"""What a phrase with its numbers must have left in a plan: exactly these percentiles, this many bins, this width."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.plans.statistics import Correlation, DifferenceTest, Distribution, EqualGroups, Members, Model, Outliers
from averment.reading.times.time_conditions import is_period

if TYPE_CHECKING:
    from averment.plans.plan import Plan

Numbers = tuple[float, ...]


def phrase_traced(plan: Plan, head: str, numbers: Numbers) -> bool:
    """Whether the plan does what a phrase asks for, with the phrase's own numbers."""
    holds = HOLDS.get(head)
    return holds is not None and holds(plan, numbers)


def _kind(*kinds: str) -> Callable[[Plan, Numbers], bool]:
    return lambda plan, _: plan.statistic is not None and plan.statistic.kind in kinds


def _is_near(one: float | None, other: float) -> bool:
    return one is not None and abs(one - other) < 1e-9


def _quantiles(plan: Plan, numbers: Numbers) -> bool:
    at = [
        m.at if m.function == "quantile" else {"min": 0.0, "median": 0.5, "max": 1.0}.get(m.function)
        for m in plan.measures
    ]
    return all(any(_is_near(one, number) for one in at) for number in numbers)


def spreads(plan: Plan) -> bool:
    """Whether groups show how something is spread: by how many rows each has, or by the ends and the middle of each."""
    functions = [measure.function for measure in plan.measures]
    counted = bool(plan.by) and bool(functions) and set(functions) <= {"rows", "count", "distinct", "rate"}
    return counted or {"min", "median", "max"} <= set(functions)


def _spread(plan: Plan, _: Numbers) -> bool:
    """Both ends and the middle, or everything about the table."""
    functions = {measure.function for measure in plan.measures}
    return {"min", "median", "max"} <= functions or _kind("overview")(plan, ())


def _iqr(plan: Plan, _: Numbers) -> bool:
    outliers = isinstance(plan.statistic, Outliers) and plan.statistic.method != "z"
    return outliers or any(measure.function == "iqr" for measure in plan.measures)


def _bins(plan: Plan, numbers: Numbers) -> bool:
    return isinstance(plan.statistic, Distribution) and plan.statistic.bins == numbers[0]


def _width(plan: Plan, numbers: Numbers) -> bool:
    return any(value.kind == "bucket" and _is_near(value.width, numbers[0]) for value in plan.by)


def _binning(plan: Plan, _: Numbers) -> bool:
    return _kind("distribution", "equal_groups")(plan, ()) or any(value.kind == "bucket" for value in plan.by)


def _tiles(plan: Plan, numbers: Numbers) -> bool:
    return isinstance(plan.statistic, EqualGroups) and plan.statistic.bins == numbers[0]


def _all_pairs(plan: Plan, _: Numbers) -> bool:
    return isinstance(plan.statistic, Correlation) and plan.statistic.against is None


def _with_all(plan: Plan, _: Numbers) -> bool:
    return isinstance(plan.statistic, Correlation | Model) and plan.statistic.against is not None


def _z(plan: Plan, numbers: Numbers) -> bool:
    statistic = plan.statistic
    return isinstance(statistic, Outliers) and statistic.method == "z" and _is_near(statistic.limit, numbers[0])


def _rows_at(*, last: bool) -> Callable[[Plan, Numbers], bool]:
    """The rows at one end of time, so many of each group."""

    def holds(plan: Plan, numbers: Numbers) -> bool:
        rank = plan.rank
        return rank is not None and rank.by is not None and rank.descending == last and rank.limit == numbers[0]

    return holds


def _seen_before(plan: Plan, operator: str) -> bool:
    """Whether a plan keeps those with, or without, a row before its period."""
    return any(
        test.operator == operator and test.inner is not None and any(t.operator == "<" for t in test.inner.where)
        for test in plan.where
    )


def _begun(plan: Plan) -> bool:
    """Whether rows of a period are counted or listed as they are: new tickets in May are those of May."""
    counted = bool(plan.measures) and all(m.function in {"rows", "sum"} for m in plan.measures)
    dated = any(is_period(t, recurring=True) for t in plan.where) or any(value.part is not None for value in plan.by)
    return dated and (counted or (bool(plan.show) and not plan.distinct))


def _members(method: str) -> Callable[[Plan, Numbers], bool]:
    return lambda plan, _: isinstance(plan.statistic, Members) and plan.statistic.method == method


def _looks(plan: Plan) -> bool:
    """Whether an overview looks at more than the columns: at correlations, outliers, shares."""
    kinds = {each.statistic.kind for each in plan.beside if each.statistic is not None}
    return bool(kinds - {"duplicates"}) or any(each.window is not None for each in plan.beside)


def _piece(piece: str) -> Callable[[Plan, Numbers], bool]:
    return lambda plan, _: any(value.piece == piece for value in plan.by)


HOLDS: dict[str, Callable[[Plan, Numbers], bool]] = {
    "quantiles": _quantiles,
    "spread": _spread,
    "iqr": _iqr,
    "bins": _bins,
    "width": _width,
    "binning": _binning,
    "tiles": _tiles,
    "matrix": _all_pairs,
    "with_all": _with_all,
    "numeric": _kind("correlation", "overview"),
    "z": _z,
    "tukey": _iqr,
    "last_rows": _rows_at(last=True),
    "first_rows": _rows_at(last=False),
    "retention": _kind("retention"),
    "new_members": lambda p, n: _members("new")(p, n) or _seen_before(p, "not in") or _begun(p),
    "returning_members": lambda p, n: _members("returning")(p, n) or _seen_before(p, "in"),
    "active_members": _members("active"),
    "until": lambda plan, numbers: plan.rank is not None and _is_near(plan.rank.until, numbers[0]),
    "differs": _kind("difference_test"),
    "anova": lambda plan, _: isinstance(plan.statistic, DifferenceTest) and plan.statistic.method == "anova",
    "chi_square": _kind("independence"),
    "log_return": lambda plan, _: plan.window is not None and plan.window.kind == "log_return",
    "kendall": lambda plan, _: isinstance(plan.statistic, Correlation) and plan.statistic.method == "kendall",
    "predict": _kind("model"),
    "from_features": _kind("model"),
    "normal": _kind("normality"),
    "shape": _kind("shape", "normality"),
    "pivot": lambda plan, _: plan.across is not None,
    "across": lambda plan, _: plan.across is not None,
    "down": lambda plan, _: plan.across is not None,
    "overview": lambda plan, _: _kind("overview")(plan, ()) and not _looks(plan),
    "stands_out": lambda plan, _: _kind("overview")(plan, ()) and _looks(plan),
    "duplicates": _kind("duplicates"),
    "length": lambda plan, _: any(m.of is not None and m.of.kind == "length" for m in plan.measures),
    **{piece: _piece(piece) for piece in ("domain", "area_code", "first_letter", "first_word", "last_word")},
    "independent": _kind("independence", "difference_test", "correlation"),
    "entity_tiles": lambda plan, numbers: _tiles(plan, numbers) and bool(plan.by),
}
"""What each phrase asks for, held against a plan; a phrase that is not here is never explained."""
