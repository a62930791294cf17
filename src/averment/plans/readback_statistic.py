"""The read-back of statistics: correlations, tests, outliers, groups of equal size, cohorts, overviews."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.plans.names import measure_name, plain_number, value_name
from averment.plans.operations import added_operation

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Statistic, Value

_TESTS = {"anova": "analysis of variance of"}
_MEMBERS = {"new": "new", "returning": "returning"}


def say_statistic(plan: Plan, statistic: Statistic, *, qualified: bool) -> str:
    """A plan's statistic in words."""

    def name(value: Value) -> str:
        return value_name(value, qualified=qualified)

    def listed(values: Sequence[Value]) -> str:
        names = [name(value) for value in values]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""

    of = listed(statistic.of)
    match statistic.kind:
        case "correlation":
            rank = {"spearman": "rank ", "kendall": "Kendall "}.get(statistic.method or "", "")
            if statistic.against is not None:
                rest = listed([value for value in statistic.of if value != statistic.against])
                return f"{rank}correlation of {name(statistic.against)} with each of {rest}"
            return f"{rank}correlation of {of}" if len(statistic.of) == 2 else f"{rank}correlation of every two of {of}"
        case "difference_test":
            said = f"{_TESTS.get(statistic.method or '', 'test of the difference in')} {of}"
            return f"{said} between {name(statistic.by)}" if statistic.by is not None else said
        case "independence":
            return f"test whether {listed(statistic.of)} are independent"
        case "distribution":
            return f"distribution of {of}" + (f" in {statistic.bins} bins" if statistic.bins != 10 else "")
        case "trend":
            return f"straight trend of {name(statistic.of[0])} along {name(statistic.of[1])}"
        case "outliers":
            said = f"outliers of {of}{_reach(statistic)}"
            return f"{said}, within each {listed(statistic.within)}" if statistic.within else said
        case "equal_groups":
            return _equal_groups(plan, statistic, qualified=qualified)
        case "retention":
            return f"retention of {name(statistic.of[0])}, {_since(statistic)}"
        case "members":
            word = _MEMBERS.get(statistic.method or "", "active")
            return f"{word} {name(statistic.of[0])} by {_step(statistic, statistic.of[1])}, {_since(statistic)}"
        case "duplicates":
            return f"number of rows that repeat an earlier one in {of}"
        case "model":
            told = name(statistic.against) if statistic.against is not None else ""
            return f"{statistic.method or 'linear'} model of {told} on {of}"
        case "normality":
            return f"test whether {of} is normally distributed"
        case "shape":
            return f"skewness and kurtosis of {of}"
        case "overview":
            kinds = {each.statistic.kind for each in plan.beside if each.statistic is not None}
            looks = kinds - {"duplicates"} or any(each.window is not None for each in plan.beside)
            looked = " and what stands out" if looks else ""
            return f"overview of every column{looked}"
        case _:
            return added_operation(statistic.kind).say(plan)


def _reach(statistic: Statistic) -> str:
    if statistic.method == "z":
        return f" beyond {plain_number(statistic.reach or 3)} standard deviations from the mean"
    if statistic.reach is not None:
        return f" beyond {plain_number(statistic.reach)} interquartile ranges from the quartiles"
    return ""


def _step(statistic: Statistic, value: Value) -> str:
    return f"{statistic.step or 'month'} of {value_name(value)}"


def _since(statistic: Statistic) -> str:
    told = f", shown from {statistic.span[0]} to {statistic.span[1]}" if statistic.span is not None else ""
    return f"{_began(statistic)}{told}"


def _began(statistic: Statistic) -> str:
    when = statistic.of[1]
    if statistic.by is not None:
        began = f"each new in the {_step(statistic, statistic.by)}"
    else:
        began = f"each new in its first {_step(statistic, when)}"
    if statistic.kind == "members":
        return began
    return f"by cohort in {statistic.step or 'month'}s of {value_name(when)}, {began}"


def _equal_groups(plan: Plan, statistic: Statistic, *, qualified: bool) -> str:
    groups = f"{statistic.bins} groups of equal size"
    if plan.by:
        who = " and ".join(value_name(value, qualified=qualified) for value in plan.by)
        return f"{who} in {groups} by {measure_name(plan.measures[0], qualified=qualified)}"
    of = value_name(statistic.of[0], qualified=qualified)
    if plan.measures:
        return f"{measure_name(plan.measures[0], qualified=qualified)} by {groups} of {of}"
    return f"number of rows by {groups} of {of}"
