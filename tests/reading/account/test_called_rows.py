"""What compared adjectives, names of rows and unknown words must have left in a plan."""

from __future__ import annotations

import pytest

from averment.plans.plan import Plan, Rank
from averment.reading.account.word_accounts import unaccounted
from averment.reading.lattice.spans import Span
from spoken import (
    AGE,
    ARRIVED,
    COUNT,
    FEE,
    GUEST,
    JOIN,
    NAME,
    NIGHTS,
    PETS,
    PITCH,
    SCORE,
    TOWN,
    bar,
    column,
    cue,
    figure,
    grade,
    held,
    meets,
    named,
    number,
    part,
    plan,
    rows,
    said,
    some,
    span,
)

pytestmark = pytest.mark.thorough

SUM, MEAN = figure("sum", FEE), figure("mean", FEE)
DATE = column("arrival_date", kind="date")
WARM = column("temperature", "stays", "measure")
ELM = held(PITCH, "Elm")
AT_ELM = meets(PITCH, "=", "Elm")
HOW_MANY, BY = cue("how many", "count"), cue("by")
AVERAGE = cue("average", "mean")
MEMBERS = some("members")


Cases = dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]]
GRADES: Cases = {
    "the oldest, ranked": (plan(show=(PITCH,), rank=Rank(by=AGE.value)), (grade("oldest", "old"),), []),
    "the oldest, as a maximum": (plan(figure("max", AGE)), (grade("oldest", "old"),), []),
    "older, asked whether": (plan(SUM, asks="more"), (grade("older", "old", "more"),), []),
    "older, looked over": (plan(statistic=MEMBERS), (grade("older", "old", "more"),), []),
    "older, over a bar": (plan(SUM, where=(meets(AGE, ">=", 3),)), (grade("older", "old", "more"),), []),
    "older, at a value": (plan(SUM, where=(meets(AGE, "=", 3),)), (grade("older", "old", "more"),), ["older"]),
    "old": (plan(SUM), (grade("old", "old", "plain"),), []),
    "getting warmer": (
        plan(figure("mean", WARM), by=(part(ARRIVED, "month"),)), (grade("warmer", "warm", "more"),), [],
    ),
    "getting warmest": (
        plan(figure("mean", WARM), by=(part(ARRIVED, "month"),)), (grade("warmest", "warm"),), ["warmest"],
    ),
    "warmer by pitch": (plan(figure("mean", WARM), by=(PITCH,)), (grade("warmer", "warm", "more"),), ["warmer"]),
    "fees getting warmer": (plan(MEAN, by=(part(ARRIVED, "month"),)), (grade("warmer", "warm", "more"),), ["warmer"]),
    "fees and warmth": (
        plan(figure("mean", WARM), MEAN, by=(part(ARRIVED, "month"),)), (grade("warmer", "warm", "more"),), ["warmer"],
    ),
    "stays getting warmer": (plan(COUNT, by=(part(ARRIVED, "month"),)), (grade("warmer", "warm", "more"),), ["warmer"]),
}  # fmt: skip
CALLED: Cases = {
    "guests, looked into": (plan(COUNT, joins=(JOIN,)), (rows("guests", "guests"),), []),
    "guests, named and not looked into": (plan(COUNT), (rows("guests", "guests", 0.9),), ["guests"]),
    "guests, hardly named": (plan(COUNT), (rows("guests", "guests", 0.89),), []),
    "the mean stay": (plan(MEAN), (AVERAGE, rows()), ["stays"]),
    "the mean stay fee": (plan(MEAN), (AVERAGE, rows(), named(FEE)), []),
    "the mean stay of a guest's town": (plan(MEAN, by=(TOWN,)), (AVERAGE, rows(), named(TOWN)), ["stays"]),
    "the mean stay at elm": (plan(MEAN, where=(AT_ELM,)), (AVERAGE, rows(), ELM), ["stays"]),
    "the best guest, by what it is": (
        plan(SUM, joins=(JOIN,), by=(NAME,), rank=Rank()), (cue("top"), rows("guests", "guests")), [],
    ),
    "the best guest, by its pitch": (
        plan(SUM, joins=(JOIN,), by=(PITCH,), rank=Rank()), (cue("top"), rows("guests", "guests")), ["guests"],
    ),
    "the best guest, by the town that is named": (
        plan(SUM, joins=(JOIN,), by=(TOWN,), rank=Rank()), (cue("top"), rows("guests", "guests"), named(TOWN)),
        ["guests"],
    ),
    "the best guest, as a maximum": (
        plan(figure("max", FEE), joins=(JOIN,)), (cue("top"), rows("guests", "guests")), ["guests"],
    ),
    "which guest, of a sum": (plan(SUM, joins=(JOIN,)), (cue("which"), rows("guests", "guests")), []),
    "the best stay": (plan(show=(PITCH,), rank=Rank(by=FEE.value)), (cue("top"), rows()), []),
    "the oldest guest, by its pitch": (
        plan(show=(PITCH,), joins=(JOIN,), rank=Rank(by=AGE.value)), (grade("oldest", "old"), rows("guests", "guests")),
        ["guests"],
    ),
    "older guests, by their pitch": (
        plan(show=(PITCH,), joins=(JOIN,), rank=Rank(by=AGE.value)),
        (grade("older", "old", "more"), rows("guests", "guests")), [],
    ),
    "the most guests, counted": (
        plan(figure("distinct", GUEST), joins=(JOIN,), by=(PITCH,), rank=Rank()),
        (cue("the most", "most"), rows("guests", "guests")), [],
    ),
    "the best guests, counted": (
        plan(figure("distinct", GUEST), joins=(JOIN,), by=(PITCH,), rank=Rank()),
        (cue("top"), rows("guests", "guests")), ["guests"],
    ),
    "the most guests, of pitches": (
        plan(figure("distinct", PITCH), joins=(JOIN,), by=(PITCH,), rank=Rank()),
        (cue("most"), rows("guests", "guests")), ["guests"],
    ),
    "the best of each pitch": (plan(figure("max", FEE), by=(PITCH,)), (cue("top"), rows()), ["stays"]),
    "the best of each pitch, shown": (plan(figure("max", FEE), by=(PITCH,), show=(GUEST,)), (cue("top"), rows()), []),
    "the best of each pitch, ranked": (plan(figure("max", FEE), by=(PITCH,), rank=Rank()), (cue("top"), rows()), []),
    "by stays": (plan(SUM, by=(PITCH,)), (BY, rows()), []),
    "by stays, of all": (plan(figure("mean", FEE, over=COUNT)), (BY, rows()), ["stays"]),
    "by stays, the first within": (plan(SUM, rank=Rank(within=(0,))), (BY, rows()), []),
    "by stays, shown beside its rank": (plan(show=(PITCH, FEE), rank=Rank(by=FEE.value, limit=2)), (BY, rows()), []),
    "by stays, only its rank": (plan(show=(FEE,), rank=Rank(by=FEE.value, limit=2)), (BY, rows()), ["stays"]),
    "seats seven people": (
        plan(COUNT, where=(meets(SCORE, ">=", 7),)), (HOW_MANY, rows("tents", None), number(7), rows("people", None)),
        ["people"],
    ),
    "seats seven or more people": (
        plan(COUNT, where=(meets(SCORE, ">=", 7),)),
        (HOW_MANY, rows("tents", None), number(7), cue("or more", "or_more"), rows("people", None)), ["people"],
    ),
    "seats seven, people": (
        plan(COUNT, where=(meets(SCORE, ">=", 7),)),
        (HOW_MANY, rows("tents", None), number(7), "so", "many", "big", rows("people", None)), [],
    ),
    "seven people, of groups": (
        plan(COUNT, by=(PITCH,), where=(meets(SCORE, ">=", 7),), having=(bar(COUNT, ">=", 7),)),
        (HOW_MANY, rows("tents", None), number(7), rows("people", None)), [],
    ),
    "seven people, and no other rows": (
        plan(COUNT, where=(meets(SCORE, ">=", 7),)), (number(7), rows("people", None)), [],
    ),
    "seven people, not held": (
        plan(COUNT, where=(meets(SCORE, ">=", 8),)), (HOW_MANY, rows("tents", None), number(7), rows("people", None)),
        ["7"],
    ),
    "elm people": (plan(COUNT, where=(AT_ELM,)), (HOW_MANY, rows("tents", None), ELM, rows("people", None)), []),
}  # fmt: skip
UNKNOWN: Cases = {
    "born, of a year": (plan(COUNT, where=(meets(column("year"), "=", 3),)), (span("UNKNOWN", "born"),), []),
    "born, by date": (plan(COUNT, by=(DATE,)), (span("UNKNOWN", "born"),), []),
    "born, of nothing": (plan(COUNT), (span("UNKNOWN", "born"),), ["born"]),
    "elm, as it stands": (plan(COUNT, where=(AT_ELM,)), (span("UNKNOWN", "elm"),), []),
    "oak": (plan(COUNT, where=(AT_ELM,)), (span("UNKNOWN", "oak"),), ["oak"]),
    "pets is yes": (
        plan(COUNT, where=(meets(PETS, "=", True),)), (named(PETS), cue("is", "eq"), span("UNKNOWN", "yes")), [],
    ),
    "pitch is yes, of pets": (
        plan(COUNT, by=(PITCH,), where=(meets(PETS, "=", True),)),
        (named(PITCH), cue("is", "eq"), span("UNKNOWN", "yes")), ["yes"],
    ),
    "pets only yes": (
        plan(COUNT, where=(meets(PETS, "=", True),)), (named(PETS), cue("only"), span("UNKNOWN", "yes")), ["yes"],
    ),
    "stays is yes": (
        plan(COUNT, where=(meets(PETS, "=", True),)), (rows(), cue("is", "eq"), span("UNKNOWN", "yes")), ["yes"],
    ),
    "pets is maybe": (
        plan(COUNT, where=(meets(PETS, "=", True),)), (named(PETS), cue("is", "eq"), span("UNKNOWN", "maybe")),
        ["maybe"],
    ),
    "something of no account": (plan(figure("sum", NIGHTS)), (span("UNIT", "euros"),), []),
}  # fmt: skip
CASES: Cases = GRADES | CALLED | UNKNOWN


@pytest.mark.parametrize("case", CASES)
def test_a_span_is_left_over_unless_the_plan_says_it(case: str) -> None:
    made, words, lost = CASES[case]
    assert unaccounted(made, said(*words)[0]) == lost
