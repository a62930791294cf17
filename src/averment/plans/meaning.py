"""What a word was taught to mean: a column, a formula, a condition or a list of values, as parts of a plan.

A meaning says itself in words, and tells whether it stands in a plan, so that a run can name the taught words it used
and whoever checks the run can do so again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, model_validator

from averment.plans.names import value_name
from averment.plans.plan import GroupTest, Measure, Plan, Test, Value
from averment.plans.readback import say_measure, say_test
from averment.records.base import Record

MeaningKind = Literal["column", "formula", "condition", "list"]


class Meaning(Record):
    """A word and what it means.

    A column is a ``value``; a formula a ``value`` that each row has, or a ``measure`` over many rows; a condition and a
    list are tests that rows meet (``where``).
    """

    word: str = Field(min_length=1, max_length=100)
    kind: MeaningKind
    value: Value | None = None
    measure: Measure | None = None
    where: tuple[Test, ...] = ()

    @model_validator(mode="after")
    def _means_something(self) -> Meaning:
        if (self.value is not None) + (self.measure is not None) + bool(self.where) != 1:
            raise ValueError("A word must mean a value, a measure or conditions.")
        return self

    @property
    def table(self) -> str:
        """The table that the meaning is about: the one of its first column."""
        return next((table for table, _ in self.columns()), self.measure.table if self.measure else None) or ""

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every column it speaks of."""
        if self.value is not None:
            yield from self.value.columns()
        if self.measure is not None:
            yield from self.measure.columns()
        for test in self.where:
            yield from test.columns()

    def to_json(self) -> dict[str, Any]:
        """The meaning as JSON, without what is not said."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def in_words(self) -> str:
        """What the word means, as a read-back says it."""
        if self.value is not None:
            return value_name(self.value)
        if self.measure is not None:
            return say_measure(self.measure)
        return " and ".join(map(say_test, self.where))

    def note(self) -> str:
        """The word with what it was taught to mean, as it stands beside a read-back."""
        return f"{self.word}, taught as {self.in_words()}"

    def stands_in(self, plan: Plan) -> bool:
        """Whether a plan, or a plan inside it, says what the word means."""
        plans = list(_plans(plan))
        if self.where:
            tests = [test for each in plans for test in each.tests()]
            groups = [group for each in plans for group in each.having]
            return all(
                any(_implies(test, each) for test in tests) or any(_adds_up(group, each) for group in groups)
                for whole in self.where
                for each in whole.parts()
            )
        return any(set(self.columns()) <= set(each.columns()) for each in plans)


def _plans(plan: Plan) -> Iterator[Plan]:
    """A plan and every plan inside it."""
    yield plan
    inner = [test.inner for test in (*plan.tests(), *plan.having)]
    for each in (*inner, plan.combine.other if plan.combine is not None else None, *plan.beside):
        if each is not None:
            yield from _plans(each)


def _adds_up(group: GroupTest, part: Test) -> bool:
    """Whether a group's totals are held against each other as the part holds two numbers of a row."""
    of = group.measure.of
    return (
        part.other is not None
        and group.measure.function == "sum"
        and of is not None
        and (of.operation, of.operands) == ("-", (part.value, part.other))
        and (group.operator, group.to) == (part.operator, (0.0,))
        and not part.negated
    )


def _implies(test: Test, part: Test) -> bool:
    """Whether a test of a plan says what the part says: the same, its opposite, or a set that others were added to."""
    if test.value != part.value:
        return False
    sets = {"=", "in"}
    if test.operator in sets and part.operator in sets:
        return set(part.to) <= set(test.to)
    return test.operator.removeprefix("!") == part.operator.removeprefix("!") and test.to == part.to
