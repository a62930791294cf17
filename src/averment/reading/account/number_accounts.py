"""Accounting for numbers: each number of the question must stand somewhere in the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.account.cue_traces import tests_of
from averment.reading.told_units import in_scale, in_unit, units_said
from averment.reading.words import lexicon, name_words, singular, word_list

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Test, Value
    from averment.reading.lattice.spans import Span


def _is_of_people(test: Test) -> bool:
    """Whether a column that is held against so many people is one of people, and not the room of a car."""
    named = {singular(word) for word in name_words(test.value.column or "")} if test.value is not None else set[str]()
    known = {*word_list("people"), *lexicon("words")["unit"]["person"].split()}
    return bool(named & {singular(word) for word in known})


def _in_unit_of(value: Value | None, number: float, unit: str) -> float | None:
    """A number as what it is held against has it, in its own unit or its thousands."""
    name = value.column or "" if value is not None else ""
    return in_unit(name, number, unit) if unit and units_said(unit) else in_scale(name, number)


def number_traced(plan: Plan, span: Span) -> bool:
    """Whether a number of the question stands in the plan: as a bar, a limit, a percentile, a side or a value."""
    number, unit = span.data
    if plan.rank is not None and (plan.rank.limit == number or (unit == "ordinal" and plan.rank.skip == number - 1)):
        return True
    if plan.window is not None and plan.window.span is not None and number in plan.window.span:
        return True
    if plan.window is not None and plan.window.kind in {"moving", "moving_total"} and plan.window.steps == number:
        return True
    if any(number in group.to or _in_unit_of(group.measure.of, number, unit) in group.to for group in plan.having):
        return True
    if any(m.at is not None and abs(m.at * 100 - number) < 1e-9 for m in plan.measures):
        return True
    for test in tests_of(plan):
        for each in test.to:
            if isinstance(each, bool):
                continue
            if isinstance(each, int | float) and (unit or each in {number, _in_unit_of(test.value, number, unit)}):
                return unit != "person" or _is_of_people(test)
            if isinstance(each, str) and each == span.text:
                return True
    return False
