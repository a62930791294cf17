"""The read-back: any plan in one plain English sentence that names every element of it.

It is what "Interpreted as" shows, for a person's, a reader's and a model's plan alike. It is made of the plan alone, so
two plans with the same read-back mean the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.names import (
    COMPARISONS,
    clock_time,
    is_time_of_day,
    measure_name,
    plain_number,
    sets_apart,
    value_name,
    way_of,
)
from averment.plans.registry import AGGREGATES, WINDOWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import GroupTest, Measure, Plan, Rank, Test, Value

_WORDS = {**COMPARISONS, "contains": "contains", "starts": "starts with", "ends": "ends with"}
_NEGATED = {"=": "is not", "contains": "does not contain", "starts": "does not start with", "ends": "does not end with"}
_COMBINED = {"union": "together with", "intersect": "that are also in", "except": "without"}


def read_back(plan: Plan) -> str:
    """The plan as one sentence, without a full stop."""
    said = _Speaker(plan).sentence()
    if plan.combine is not None:
        said = f"{said}; {_COMBINED[plan.combine.operation]}: {read_back(plan.combine.other)}"
    return said


def say_test(test: Test, *, qualified: bool = False) -> str:
    """A condition in words."""
    if test.any_of:
        said = " or ".join(say_test(each, qualified=qualified) for each in test.any_of)
        return f"not ({said})" if test.negated else f"({said})"
    if test.all_of:
        said = " and ".join(say_test(each, qualified=qualified) for each in test.all_of)
        return f"not ({said})" if test.negated else f"({said})"
    assert test.value is not None  # a plain test looks at a value
    name = value_name(test.value, qualified=qualified)
    if is_time_of_day(test.value):
        clock = tuple(clock_time(each) if isinstance(each, int | float) else each for each in test.to)
        test = test.model_copy(update={"to": clock})
    if test.operator == "null":
        return f"{name} is {'known' if test.negated else 'missing'}"
    if test.operator == "between":
        inside = f"is between {say_scalar(test.to[0])} and {say_scalar(test.to[1])}"
        return f"{name} {inside.replace('is', 'is not', 1) if test.negated else inside}"
    if test.inner is not None:
        found = read_back(test.inner)
        word = {"in": "is one of", "not in": "is none of"}.get(test.operator) or _WORDS[test.operator]
        return f"{name} {word} [{found}]"
    if test.operator in {"in", "not in"}:
        word = "is none of" if (test.operator == "not in") != test.negated else "is one of"
        return f"{name} {word} {', '.join(say_scalar(each) for each in test.to)}"
    word = _WORDS[test.operator]
    if test.negated:
        word = _NEGATED.get(test.operator) or word.replace("is", "is not", 1)
    if test.other is None:
        return f"{name} {word} {say_scalar(test.to[0])}"
    same = " the same as" if test.operator in {"=", "!="} else ""  # and no value that is called like the column
    return f"{name} {word}{same} {value_name(test.other, qualified=qualified)}"


def say_measure(measure: Measure, *, qualified: bool = False) -> str:
    """A figure in words, with its own conditions and what it is divided by."""
    said = measure_name(measure, qualified=qualified)
    if AGGREGATES[measure.function].end and measure.of is not None:
        # "highest" would read as a ranking.
        said = f"{AGGREGATES[measure.function].end} {value_name(measure.of, qualified=qualified)}"
    if measure.where:
        tests = " and ".join(say_test(each, qualified=qualified) for each in measure.where)
        said = f"{said} with {tests}"
    if measure.over is not None:
        said = _bracketed(said, measure, qualified=qualified)
        word = "in percent of" if measure.percent else "divided by"
        other = say_measure(measure.over, qualified=qualified)
        said = f"{said} {word} {_bracketed(other, measure.over, qualified=qualified)}"
    return said


def _bracketed(said: str, measure: Measure, *, qualified: bool) -> str:
    """One side of a division in words, with brackets around what is computed itself."""
    of = measure.of
    if of is None or of.kind != "arithmetic":
        return said
    name = value_name(of, qualified=qualified)
    return said.replace(name, f"({name})", 1)


def say_scalar(value: str | float | bool) -> str:
    """A literal as a person writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else plain_number(value)


class _Speaker:
    """Says one plan; columns carry their table where two tables of the plan have one of that name."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        names: dict[str, set[str]] = {}
        for table, column in plan.columns():
            names.setdefault(column.casefold(), set()).add(table)
        self.qualified = any(len(tables) > 1 for tables in names.values())

    def sentence(self) -> str:
        plan = self.plan
        if plan.query is not None:
            return f"a query that an earlier version composed, in {plan.table}"
        parts = [self._what()]
        if plan.by and not self._keys_said and plan.statistic is None:
            parts.append(f"by {self._list(plan.by)}")
        if plan.window is not None and plan.window.span is not None:
            first, last = (say_scalar(each) for each in plan.window.span)
            parts.append(f"between {last} and {first}" if sets_apart(plan) else f"from {first} to {last}")
        if plan.window is not None and plan.window.within:
            parts.append(f"within each {self._list([plan.by[at] for at in plan.window.within])}")
        if plan.window is not None and plan.window.only:
            parts.append(f"for {', '.join(say_scalar(each) for each in plan.window.only)}")
        if plan.where:
            said = " and ".join(say_test(each, qualified=self.qualified) for each in plan.where)
            parts.append(f"where {said}")
        parts += [f"only groups whose {self._group_test(each)}" for each in plan.having]
        if plan.order:
            every = [*(plan.by or plan.show), *plan.measures]
            sorted_by = ", ".join(
                f"{self._any(every[each.at])} {'down' if each.descending else 'up'}"
                for each in plan.order
                if each.at < len(every)
            )
            parts.append(f"sorted by {sorted_by}")
        if plan.across is not None and plan.across.at < len(plan.by):
            parts.append(f"{value_name(plan.by[plan.across.at], qualified=self.qualified)} across")
        if plan.chart is not None:
            parts.append(f"as a {plan.chart} chart")
        return f"{', '.join(part for part in parts if part)}, in {self._tables()}"

    def _tables(self) -> str:
        joined = [join.right + way_of(join) for join in self.plan.joins]
        return self.plan.table + (f" with {' and '.join(dict.fromkeys(joined))}" if joined else "")

    @property
    def _keys_said(self) -> bool:
        return (self.plan.rank is not None and self.plan.statistic is None) or (
            self.plan.over_groups is not None or self.plan.asks in {"more", "less"}
        )

    def _what(self) -> str:
        plan = self.plan
        if plan.statistic is not None:
            return plan.statistic.say(plan, qualified=self.qualified)
        if plan.asks == "any":
            # Three columns and more are there to be looked at; what is asked is whether a row exists.
            return f"whether there are any {self._list(plan.show) if 0 < len(plan.show) < 3 else 'rows'}"
        figures = " and ".join(self._measure(each) for each in plan.measures)
        if plan.window is not None:
            figures = self._window(figures)
        if plan.asks in {"more", "less"}:
            sides = f" between {self._list(plan.by)}" if plan.by else ""
            return f"whether {figures} is {'higher' if plan.asks == 'more' else 'lower'}{sides}"
        if plan.over_groups == "count":
            return f"number of different {self._list(plan.by)}"
        if plan.over_groups is not None:
            word = AGGREGATES[plan.over_groups].said
            return f"{word} over each {self._list(plan.by)} of the {figures}"
        if plan.rank is not None:
            return self._ranked(plan.rank, figures)
        if figures:
            return figures
        shown = self._list(plan.show or plan.by)
        return f"different {shown}" if plan.distinct else f"list of {shown}"

    def _measure(self, measure: Measure) -> str:
        return say_measure(measure, qualified=self.qualified)

    def _window(self, figures: str) -> str:
        window = self.plan.window
        assert window is not None  # only said where there is one
        if window.kind == "change" and sets_apart(self.plan):
            return f"difference of {figures}"
        said = WINDOWS[window.kind].said.format(figure=figures, steps=window.steps)
        back = window.kind == "growth" and window.span is None and window.steps > 1
        return f"{said} against {window.steps} periods before" if back else said

    def _ranked(self, rank: Rank, figures: str) -> str:
        plan = self.plan
        by = value_name(rank.by, qualified=self.qualified) if rank.by is not None else figures
        beside = ""
        if rank.by is None and plan.window is None and len(plan.measures) > 1:
            # What is only told beside has no part in the ranking.
            by = self._measure(plan.measures[0])
            beside = f" beside its {' and '.join(self._measure(each) for each in plan.measures[1:])}"
        keys = [each for place, each in enumerate(plan.by or plan.show) if place not in rank.within and each != rank.by]
        if rank.by is not None and rank.by in plan.by and plan.having and figures:
            # The time itself is asked for: the first year whose figure passes a bar.
            return f"{'last' if rank.descending else 'first'} {by} with its {figures}"
        end = "highest" if rank.descending else "lowest"
        count = f"{rank.limit} " if rank.limit > 1 else ""
        second = {1: "second ", 2: "third "}.get(rank.skip, f"{rank.skip + 1}th " if rank.skip else "")
        said = f"{self._list(keys)} with the {count}{second}{end} {by}" if keys else f"the {count}{second}{end} {by}"
        if rank.until is not None:
            said = f"{said} that make up {plain_number(rank.until)} percent of the whole"
        said += beside
        if rank.within:
            every = plan.by or plan.show
            said = f"{said} for each {self._list([every[at] for at in rank.within if at < len(every)])}"
        return said

    def _group_test(self, test: GroupTest) -> str:
        name = self._measure(test.measure)
        if test.inner is not None:
            return f"{name} {_WORDS[test.operator]} [{read_back(test.inner)}]"
        if test.other is not None:
            return f"{name} {_WORDS[test.operator]} their {value_name(test.other, qualified=self.qualified)}"
        if test.operator == "between":
            return f"{name} is between {plain_number(test.to[0])} and {plain_number(test.to[1])}"
        return f"{name} {_WORDS[test.operator]} {plain_number(test.to[0])}"

    def _any(self, part: Value | Measure | None) -> str:
        if part is None:
            return ""
        return self._measure(part) if hasattr(part, "function") else value_name(part, qualified=self.qualified)  # pyright: ignore

    def _list(self, values: Sequence[Value]) -> str:
        named = [value_name(each, qualified=self.qualified) for each in values]
        return " and ".join(named) if len(named) < 3 else f"{', '.join(named[:-1])} and {named[-1]}"
