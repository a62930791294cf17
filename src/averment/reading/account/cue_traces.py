"""What a word that asks for something must have left in a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from averment.plans.operations import CUE
from averment.plans.registry import COUNTS
from averment.plans.statistics import (
    Cohorts,
    Correlation,
    DifferenceTest,
    Distribution,
    EqualGroups,
    Members,
    Model,
    Outliers,
)
from averment.reading.lattice.phrases import said_phrase
from averment.reading.operations.plugin_operations import added_traced
from averment.reading.times.time_conditions import is_period
from averment.reading.told_units import tells_in
from averment.reading.words import name_words, word_list

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Test, Value


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


Holds = Callable[["Plan"], bool]


def tests_of(plan: Plan) -> list[Test]:
    """Every plain condition of a plan, those of the plans inside it included."""
    found = list(plan.tests())
    for test in list(found):
        if test.inner is not None:
            found += tests_of(test.inner)
    if plan.combine is not None:
        found += tests_of(plan.combine.other)
    return found


_YEARS = 1800
"""From this number on a season is a year."""


def time_traced(plan: Plan) -> bool:
    """Whether a plan looks at a time."""
    if plan.window is not None and plan.window.span is not None:
        return True
    if isinstance(plan.statistic, Cohorts) and plan.statistic.span is not None:
        return True
    for test in tests_of(plan):
        value = test.value
        if value is None:
            continue
        name = (value.column or "").lower()
        dated = any(isinstance(each, str) and each[:4].isdigit() for each in test.to)
        dated = dated or any(word in word_list("time_verb") for word in name_words(value.column or ""))
        dated = dated or ("season" in name and any(isinstance(each, int) and each >= _YEARS for each in test.to))
        if (
            value.part is not None
            or dated
            or any(w in name for w in ("year", "month", "date", "day", "week", "quarter", "yr"))
        ):
            return True
    return False


def values_of(plan: Plan) -> Iterator[Value]:
    """Every value that a plan computes with, those inside of others included."""
    measures = [*plan.measures, *(group.measure for group in plan.having)]
    found = [*plan.by, *plan.show, *(m.of for m in (*measures, *(m.over for m in measures if m.over is not None)))]
    found += [plan.rank.by] if plan.rank is not None else []
    for test in tests_of(plan):
        found += [test.value, test.other]
        found += list(values_of(test.inner)) if test.inner is not None else []
    while found:
        value = found.pop()
        if value is not None:
            yield value
            found += value.operands


def subtracts(plan: Plan) -> bool:
    """Whether a plan takes one number of a row from another, or holds the two against each other."""
    held = any(test.other is not None for test in tests_of(plan))
    return held or any(value.operation == "-" or value.kind in _SPANS for value in values_of(plan))


_SPANS = frozenset({"days", "hours", "minutes", "seconds"})


def extreme(plan: Plan) -> bool:
    """Whether a plan takes a greatest or a least."""
    return any(m.function in {"min", "max"} for m in plan.measures) or plan.over_groups in {"min", "max"}


def takes(function: str) -> Holds:
    """Whether a plan takes a figure by this function."""
    return lambda plan: (
        any(m.function == function for m in plan.measures)
        or plan.over_groups == function
        or any(t.inner is not None and any(m.function == function for m in t.inner.measures) for t in plan.tests())
    )


def counts(plan: Plan) -> bool:
    """Whether a plan counts or adds up."""
    return any(
        m.function in {"rows", "count", "distinct"} for m in (*plan.measures, *(g.measure for g in plan.having))
    ) or any(m.function == "sum" for m in plan.measures)


def only_counts(plan: Plan) -> bool:
    """Whether all that a plan gives is how many there are of something."""
    plain = all(m.function in COUNTS and m.over is None for m in plan.measures)
    return bool(plan.measures) and plain and plan.window is None and plan.statistic is None


def ranks(plan: Plan) -> bool:
    """Whether a plan puts something first."""
    return plan.rank is not None or extreme(plan) or any(t.inner is not None and ranks(t.inner) for t in plan.tests())


def _window(*kinds: str) -> Holds:
    return lambda plan: plan.window is not None and plan.window.kind in kinds


def _statistic(*kinds: str) -> Holds:
    return lambda plan: plan.statistic is not None and plan.statistic.kind in kinds


def _percent(plan: Plan) -> bool:
    return (
        any(m.function == "rate" or m.percent for m in (*plan.measures, *(group.measure for group in plan.having)))
        or _window("share")(plan)
        or _columns_say(plan, ("percent", "pct", "share", "rate", "ratio", "fraction", "proportion"))
    )


def _columns_say(plan: Plan, words: tuple[str, ...]) -> bool:
    return any(word in name.lower() for _, name in plan.columns() for word in words)


_DENIALS = frozenset({(False,), (0,), ("no",), ("No",), ("N",), ("n",), ("F",), ("False",), ("false",)})


def _negates(plan: Plan) -> bool:
    return (
        any(
            t.negated or t.operator in {"!=", "not in", "null"} or (t.operator == "=" and t.to in _DENIALS)
            for t in tests_of(plan)
        )
        or plan.combine is not None
    )


def timed(plan: Plan) -> bool:
    """Whether a plan shows or ranks by a time."""
    return any(says_when(value) for value in (*plan.by, *plan.show)) or (
        plan.rank is not None and plan.rank.by is not None and says_when(plan.rank.by)
    )


def says_when(value: object) -> bool:
    """Whether a value is a time, by its part or its name."""
    name = (getattr(value, "column", None) or "").lower()
    return getattr(value, "part", None) is not None or any(
        w in name for w in ("year", "month", "date", "day", "week", "time", "yr")
    )


def _any(_: Plan) -> bool:
    return True


def _columns_tested(plan: Plan) -> int:
    return len({(t.value.table, t.value.column) for t in tests_of(plan) if t.value is not None})


def _compares(plan: Plan) -> bool:
    return _orders(plan) or any(t.operator == "=" for t in tests_of(plan))


def _orders(plan: Plan) -> bool:
    return bool(plan.having) or any(t.operator in {">", "<", ">=", "<=", "between"} for t in tests_of(plan))


def _ratio(plan: Plan) -> bool:
    return any(m.of is not None and m.of.kind == "arithmetic" for m in plan.measures)


_CUES: dict[str, Holds] = {
    "mean": lambda p: (
        _statistic("difference_test")(p)
        or _window("moving")(p)
        or takes("mean")(p)
        or any(m.function == "rate" for m in p.measures)
    ),
    "median": takes("median"),
    "sum": lambda p: (
        _window("moving_total", "running")(p)
        or takes("sum")(p)
        or counts(p)
        or _columns_say(p, ("total", "overall"))
        or _percent(p)
    ),
    "min": ranks,
    "max": ranks,
    "stddev": takes("stddev"),
    "variance": takes("variance"),
    "distinct": lambda p: takes("distinct")(p) or p.distinct or bool(p.by),
    "count": lambda p: (
        counts(p)
        or p.statistic is not None
        or any(m.function in {"rate", "mean", "median", "quantile"} for m in p.measures)
    ),
    "much": _any,
    "top": ranks,
    "bottom": ranks,
    "most": lambda p: ranks(p) or (_statistic("correlation")(p) and p.expects == "table"),
    "least": ranks,
    "common": lambda p: _ranks_by_number(p),
    "rare": lambda p: _ranks_by_number(p),
    "rank_of": _window("rank"),
    "second": lambda p: p.rank is not None and p.rank.skip == 1,
    "third": lambda p: p.rank is not None and p.rank.skip == 2,
    "ascending": lambda p: bool(p.order) or p.rank is not None,
    "descending": lambda p: bool(p.order) or p.rank is not None,
    "sorted": lambda p: bool(p.order) or p.rank is not None,
    "by": lambda p: (
        bool(p.by) or p.rank is not None or any(m.over for m in p.measures) or _ratio(p) or p.statistic is not None
    ),
    "over_time": lambda p: timed(p) or _window("growth", "change")(p),
    "versus": lambda p: len(p.by) > 0 or len(p.measures) > 1 or p.statistic is not None,
    "than": lambda p: p.asks is not None or len(p.by) > 0 or len(p.measures) > 1 or _orders(p),
    "more": lambda p: (
        p.asks in {"more", "less"} or _orders(p) or bool(p.by) or p.statistic is not None or len(p.measures) > 1
    ),
    "less": lambda p: (
        p.asks in {"more", "less"} or _orders(p) or bool(p.by) or p.statistic is not None or len(p.measures) > 1
    ),
    "difference": lambda p: bool(p.by) or len(p.measures) > 1 or p.statistic is not None or _window("change")(p),
    "other": lambda p: bool(p.by) or p.statistic is not None or _negates(p),
    "gt": lambda p: _orders(p) or p.asks is not None or _window("moving", "moving_total")(p),
    "lt": lambda p: _orders(p) or p.asks is not None,
    "ge": lambda p: _orders(p),
    "le": lambda p: _orders(p),
    "eq": lambda p: bool(tests_of(p)),
    "or_more": lambda p: _compares(p),
    "or_less": lambda p: _compares(p),
    "between": lambda p: (
        _compares(p) or p.statistic is not None or _window("growth", "change")(p) or bool(p.by) or p.asks is not None
    ),
    "contains": lambda p: any(t.operator == "contains" for t in tests_of(p)),
    "starts": lambda p: any(t.operator == "starts" for t in tests_of(p)),
    "ends": lambda p: any(t.operator == "ends" for t in tests_of(p)),
    "since": lambda p: _compares(p),
    "after": lambda p: _compares(p),
    "before": lambda p: _compares(p),
    "in_time": _any,
    "when": timed,
    "first_time": lambda p: p.rank is not None or extreme(p) or _statistic("retention")(p),
    "last_time": lambda p: p.rank is not None or extreme(p),
    "latest": lambda p: p.rank is not None or extreme(p) or _compares(p),
    "now_relative": time_traced,
    "future": _statistic("model"),
    "share": _percent,
    "rate": lambda p: _percent(p),
    "as_share": lambda p: _percent(p) or _window("growth")(p),
    "growth": _window("growth", "change"),
    "change": _window("growth", "change"),
    "falling": _window("growth", "change"),
    "period_over_period": _window("growth", "change"),
    "running": _window("running"),
    "moving": _window("moving", "moving_total"),
    "moving_total": _window("moving_total"),
    "within": lambda p: (p.window is not None and bool(p.window.within)) or p.rank is not None or bool(p.by),
    "correlation": _statistic("correlation", "independence", "difference_test"),
    "rank_correlation": _statistic("correlation"),
    "test": _statistic("difference_test", "independence"),
    "distribution": lambda p: _statistic("distribution", "normality", "shape")(p) or spreads(p),
    "outliers": _statistic("outliers"),
    "regression": _statistic("trend"),
    "not": lambda p: _negates(p) or p.statistic is not None,
    "missing": lambda p: (
        _statistic("overview")(p)
        or any(t.operator == "null" or (t.operator == "not in" and t.inner) for t in tests_of(p))
    ),
    "x_axis": lambda p: bool(p.order) or p.rank is not None,
    "y_axis": lambda p: bool(p.order) or p.rank is not None,
    "no": lambda p: _negates(p),
    "known": _any,
    "any": _any,
    "all_columns": lambda p: len(p.show) >= 3 or (bool(p.show) and p.expects == "table"),
    "which": _any,
    "list": _any,
    "both": lambda p: p.combine is not None or bool(p.by) or len(p.measures) > 1 or _columns_tested(p) > 1,
    "either": _any,
    "complete": lambda p: any(t.operator == "null" and t.negated for t in p.tests()),
    "apart": lambda p: bool(p.by) or len(p.measures) > 1,
    "pooled": lambda p: (
        not p.by
        or any(t.operator == "in" and t.value not in p.by for t in p.tests())
        or any(value.operation == "+" for value in values_of(p))
    ),
    "only": _any,
    "instead": _any,
    "same": _any,
    "chart": _any,
    "ratio": lambda p: any(m.over for m in p.measures) or _ratio(p),
    "around": _any,
    "subtract": subtracts,
    "still": lambda p: bool(tests_of(p)),
    "one_row": lambda p: not any(m.function in {"sum", "mean", "rows"} for m in p.measures),
    "figure_told": lambda p: bool(p.measures) or (p.rank is not None and p.rank.by is not None),
}


def cue_traced(plan: Plan, name: str) -> bool:
    """Whether a plan does what a word asks for."""
    if name.startswith(CUE):
        return added_traced(plan, name)
    if name.startswith("quantile "):
        at = float(name.split()[1])
        return any(m.function == "quantile" and m.at is not None and abs(m.at - at) < 1e-9 for m in plan.measures)
    if name.startswith("unit "):
        return tells_in(plan, name.removeprefix("unit "))
    phrase = said_phrase((name,))
    if phrase is not None:
        return phrase_traced(plan, *phrase)
    return _CUES.get(name, _any)(plan)


_LIKED = ("popular", "vote", "view", "follow", "rating", "sale", "sold", "download", "stream", "play", "fan", "like")


def _ranks_by_number(plan: Plan) -> bool:
    """Whether a ranking goes by how many, or by a number that says how much something is liked."""
    if plan.rank is None:
        return any(t.inner is not None and _ranks_by_number(t.inner) for t in plan.tests())
    return plan.rank.by is None or any(word in (plan.rank.by.column or "").lower() for word in _LIKED)
