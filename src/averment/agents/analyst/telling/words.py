"""What a plan's figures and conditions are called in a sentence, in the words of its read-back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from averment.claims.speech import listed
from averment.plans.names import COMPARISONS, measure_name, plain_number, value_name
from averment.plans.readback import read_back, say_test
from averment.plans.registry import AGGREGATES

if TYPE_CHECKING:
    from averment.plans.plan import GroupTest, Measure, Plan, Test

_COMBINED = {"union": "together with", "intersect": "and also among", "except": "and not among"}


def figure_words(measure: Measure) -> str:
    """A figure as it stands after "the" in a sentence."""
    tests = " and ".join(say_test(each) for each in measure.where)
    if measure.function == "rate":
        said = f"share of rows where {tests}" if tests else "share of rows"
        tests = ""
    elif _is_share(measure):
        return f"share of rows where {tests}" if tests else "share of rows"
    else:
        said = _spaced(measure_name(measure))
    if tests:
        said = f"{said} where {tests}"
    if measure.over is not None:
        said = f"{said} {'in percent of' if measure.percent else 'divided by'} the {figure_words(measure.over)}"
    return said


def _is_share(measure: Measure) -> bool:
    """Whether rows that meet a condition are counted in percent of all rows."""
    whole = measure.over
    if whole is None or measure.function != "rows" or not measure.percent:
        return False
    return whole.function == "rows" and not whole.where and whole.table == measure.table


def _spaced(figure: str) -> str:
    """A figure whose column begins with the figure's own word: the total of total_bill."""
    word, _, rest = figure.partition(" ")
    return f"{word} of {rest}" if rest.casefold().startswith(word.casefold()) else figure


def grouped_words(plan: Plan, figure: str) -> str:
    """A figure over the groups' figures: the average, over each customer, of the number of rows."""
    if plan.over_groups == "count":
        return f"number of {listed([value_name(each) for each in plan.by])} groups"
    word = AGGREGATES[plan.over_groups or "mean"].words
    return f"{word} over each {listed([value_name(each) for each in plan.by])} of the {figure}"


def scope_words(plan: Plan, *, without: Iterable[Test] = ()) -> str:
    """The conditions that hold for all that is said; nothing where there are none."""
    left_out = list(without)
    tests = [say_test(each) for each in plan.where if each not in left_out]
    parts = [f"where {' and '.join(tests)}"] if tests else []
    if plan.having:
        groups = " and ".join(_group_words(each) for each in plan.having)
        parts.append(f"counting only groups whose {groups}")
    if plan.combine is not None:
        parts.append(f"{_COMBINED[plan.combine.operation]}: {read_back(plan.combine.other)}")
    return ", ".join(parts)


def _group_words(test: GroupTest) -> str:
    name = figure_words(test.measure)
    if test.inner is not None:
        return f"{name} {COMPARISONS.get(test.operator, test.operator)} [{read_back(test.inner)}]"
    if test.other is not None:
        return f"{name} {COMPARISONS.get(test.operator, test.operator)} their {value_name(test.other)}"
    if test.operator == "between":
        return f"{name} is from {plain_number(test.to[0])} to {plain_number(test.to[1])}"
    return f"{name} {COMPARISONS.get(test.operator, test.operator)} {plain_number(test.to[0])}"


def statistic_words(plan: Plan, column: str) -> str:
    """What a figure of a statistic's result is called."""
    statistic = plan.statistic
    if statistic is None:
        return column
    if statistic.kind == "equal_groups":
        return "number of rows" if column == "rows" else column
    if statistic.kind in {"retention", "members"}:
        member = value_name(statistic.of[0])
        known = {
            "active": f"number of active {member}",
            "new": f"number of new {member}",
            "returning": f"number of returning {member}",
            "size": f"size of the cohort of {member}",
            "retention in percent": f"retention of {member}",
        }
        return known.get(column, column)
    return column


def rows_of(plan: Plan, measure: Measure | None = None) -> str:
    """What the counted rows are rows of."""
    return (measure.table if measure is not None else None) or plan.table


def truthy(value: object) -> bool:
    """Whether a value of a yes/no column is its yes."""
    return str(value).casefold() in {"true", "yes", "y", "1", "1.0", "t"}


def falsy(value: object) -> bool:
    """Whether a value of a yes/no column is its no."""
    return str(value).casefold() in {"false", "no", "n", "0", "0.0", "f"}
