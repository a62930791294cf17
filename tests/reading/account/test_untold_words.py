"""What is asked for and a plan does not tell is caught, and what is only near to it is let through."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from averment.plans.plan import Combine, Plan, Rank, Value
from averment.plans.statistics import statistic_of
from averment.reading.account.untold import untold
from averment.reading.lattice.spans import Span
from averment.reading.schema.schema_view import Schema, Table
from spoken import (
    AGE,
    ARRIVED,
    COUNT,
    DEPARTED,
    FEE,
    GUEST,
    GUESTS,
    JOIN,
    PITCH,
    SCORE,
    STAY,
    TENTS,
    column,
    cue,
    figure,
    grade,
    held,
    meets,
    named,
    number,
    plan,
    rows,
    said,
    span,
    worked_out,
)

pytestmark = pytest.mark.thorough

WEIGHT = column("weight_kg", "stays", "measure")
AFTER_2, TRIMESTER = (
    column("growth_2_days", "stays", "measure", words=("growth", "2", "days")),
    column("trimester_1", words=("trimester", "t1")),
)
YEAR = column("year", "stays", "year")
OWN = [STAY, GUEST, PITCH, ARRIVED, DEPARTED, FEE, SCORE, AGE, TENTS, WEIGHT, AFTER_2, TRIMESTER, YEAR]
WORLD = Schema([Table("stays", 40, OWN, ("stay",)), GUESTS], [], None)
OVEN, STEP = column("oven_id", "bakes", "key", distinct=9), column("month", "bakes", "month", distinct=5)
BAKES = Schema([Table("bakes", 40, [OVEN, STEP, column("kind", "bakes", kind="text")], ("bake",))], [], None)
FEW_BAKES = Schema([Table("bakes", 40, [column("oven_id", "bakes", "key", distinct=2), STEP], ("bake",))], [], None)

HOW_MANY, HOW_OLD = cue("how many", "count"), cue("how old", "much")
HIGHEST, LOWEST = cue("highest", "max", "most"), cue("lowest", "min", "least")
TOP, BOTTOM = (
    plan(show=(PITCH,), rank=Rank(by=FEE.value)),
    plan(show=(PITCH,), rank=Rank(by=FEE.value, descending=False)),
)
DAYS, OVERVIEW = span("PART", "days"), statistic_of("overview")
ELM, OAK = held(PITCH, "Elm"), held(PITCH, "Oak")
SUM = figure("sum", FEE)


def year(of: int, grain: str = "year") -> Span:
    period = SimpleNamespace(start=date(of, 1, 1), grain=grain)
    return span("TIME", str(of), SimpleNamespace(period=period))


Cases = dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]]
ENDS: Cases = {
    "the highest and the lowest, as the first": (TOP, (HIGHEST, "and", LOWEST, named(FEE)), ["lowest"]),
    "the highest and the lowest, as the last": (BOTTOM, (HIGHEST, "and", LOWEST, named(FEE)), ["highest"]),
    "the highest and the lowest, as a minimum": (plan(figure("min", FEE)), (HIGHEST, "and", LOWEST), ["highest"]),
    "the highest and the lowest, both": (plan(figure("min", FEE), figure("max", FEE)), (HIGHEST, "and", LOWEST), []),
    "which is the highest, and which the lowest": (
        TOP, (cue("which"), HIGHEST, rows(), cue("which"), LOWEST), ["lowest"],
    ),
    "the highest minimum": (TOP, (HIGHEST, LOWEST, named(FEE)), []),
    "the highest and the highest": (TOP, (HIGHEST, "and", HIGHEST, named(FEE)), []),
    "the highest, and something else between": (TOP, (HIGHEST, named(FEE), "and", LOWEST), []),
    "the highest and the lowest of nothing": (plan(SUM), (HIGHEST, "and", LOWEST), []),
    "the highest and the lowest, looked over": (plan(statistic=OVERVIEW, rank=Rank()), (HIGHEST, "and", LOWEST), []),
    "the highest with the lowest": (
        plan(show=(PITCH,), rank=Rank(by=FEE.value), combine=Combine(operation="union", other=BOTTOM)),
        (HIGHEST, "and", LOWEST), [],
    ),
    "the oldest and the youngest": (TOP, (grade("oldest", "old"), "and", grade("youngest", "young")), ["youngest"]),
    "the oldest and the least old": (
        TOP, (grade("oldest", "old"), "and", grade("least old", "old", "least")), ["least old"],
    ),
    "the oldest and the heaviest": (TOP, (grade("oldest", "old"), "and", grade("heaviest", "heavy")), []),
    "the oldest and the lightest": (TOP, (grade("oldest", "old"), "and", grade("lightest", "light")), []),
    "the oldest and the young": (TOP, (grade("oldest", "old"), "and", grade("young", "young", "plain")), []),
}  # fmt: skip
SIZES: Cases = {
    "how old, with its fee": (TOP, (HOW_OLD, rows()), ["how old"]),
    "how old, with its age": (plan(show=(AGE,)), (HOW_OLD, rows()), []),
    "how old, by its age": (plan(show=(PITCH,), rank=Rank(by=AGE.value)), (HOW_OLD, rows()), []),
    "how old, found by its age and figured": (plan(SUM, by=(PITCH,), rank=Rank(by=AGE.value)), (HOW_OLD,), ["how old"]),
    "how old, the mean age": (plan(figure("mean", AGE)), (HOW_OLD, rows()), []),
    "how old, by age": (plan(SUM, by=(AGE,)), (HOW_OLD, rows()), []),
    "how old, worked out": (plan(figure("mean", worked_out(FEE, "-", SCORE))), (HOW_OLD, rows()), []),
    "how old, in days": (
        plan(figure("mean", Value(kind="days", operands=(ARRIVED.value, DEPARTED.value)))), (HOW_OLD,), [],
    ),
    "how heavy, in a unit": (plan(figure("mean", WEIGHT)), (cue("how heavy", "much"),), []),
    "how heavy, its age": (plan(figure("mean", AGE)), (cue("how heavy", "much"),), ["how heavy"]),
    "how long": (TOP, (cue("how long", "much"), rows()), []),
    "how old, looked over": (plan(statistic=OVERVIEW), (HOW_OLD,), []),
    "so old": (TOP, (cue("ever so old", "much"),), []),
    "how many days, of rain": (plan(SUM), (HOW_MANY, DAYS), ["days"]),
    "how many days, counted": (plan(COUNT), (HOW_MANY, DAYS), []),
    "how many days, in part": (plan(figure("rate")), (HOW_MANY, DAYS), []),
    "how many days, over groups": (plan(SUM, by=(PITCH,), over_groups="count"), (HOW_MANY, DAYS), []),
    "how many days, from one to another": (
        plan(figure("mean", Value(kind="days", operands=(ARRIVED.value, DEPARTED.value)))), (HOW_MANY, DAYS), [],
    ),
    "how many days, shown": (plan(show=(PITCH,)), (HOW_MANY, DAYS), []),
    "how many days, looked over": (plan(SUM, statistic=OVERVIEW), (HOW_MANY, DAYS), []),
    "how many of the days": (plan(SUM), (HOW_MANY, "of", DAYS), []),
    "how many stays": (plan(SUM), (HOW_MANY, rows()), []),
    "number one": (plan(COUNT), ("number", "one"), ["one"]),
    "number one, at the place 1": (plan(COUNT, where=(meets(SCORE, "=", 1),)), ("number", "one"), []),
    "number one, at the text 1": (plan(COUNT, where=(meets(PITCH, "=", "1"),)), ("number", "one"), []),
    "number one, ranked": (TOP, ("number", "one"), []),
    "number one, at the place 2": (plan(COUNT, where=(meets(SCORE, "=", 2),)), ("number", "one"), ["one"]),
    "number one, as a number": (plan(COUNT), ("number", number(1, text="one")), []),
    "a one tent": (plan(COUNT), ("a", "one", named(TENTS)), ["one"]),
    "a one": (plan(COUNT), ("a", "one"), []),
    "a one stay": (plan(COUNT), ("a", "one", rows()), []),
    "this one tent": (plan(COUNT), ("this", "one", named(TENTS)), []),
    "one tent": (plan(COUNT), ("one", named(TENTS)), []),
    "from 1901 to 1910, the two": (
        plan(SUM, where=(meets(YEAR, "in", 1901, 1910),)), (year(1901), "to", year(1910)), ["to"],
    ),
    "from 1901 to 1910": (plan(SUM, where=(meets(YEAR, "between", 1901, 1910),)), (year(1901), "to", year(1910)), []),
    "1901 and 1910": (plan(SUM, where=(meets(YEAR, "in", 1901, 1910),)), (year(1901), "and", year(1910)), []),
    "1901 to another": (plan(SUM, where=(meets(YEAR, "in", 1901, 1910),)), (year(1901), "to", year(1911)), []),
    "1901 to elm": (plan(SUM, where=(meets(YEAR, "in", 1901, 1910),)), (year(1901), "to", ELM), []),
    "months": (plan(SUM, where=(meets(YEAR, "in", 1901, 1910),)), (year(1901, "month"), "to", year(1910, "month")), []),
}  # fmt: skip
LISTS: Cases = {
    "list the pitches with their number": (
        plan(COUNT), (cue("list the", "list"), named(PITCH), HOW_MANY, rows()), ["list the"],
    ),
    "list the pitches with theirs, by pitch": (
        plan(COUNT, by=(PITCH,)), (cue("list the", "list"), named(PITCH), HOW_MANY, rows()), [],
    ),
    "list the number": (plan(COUNT), (cue("list the", "list"), HOW_MANY, rows()), []),
    "list the pitches and stays": (plan(COUNT), (cue("list the", "list"), named(PITCH), rows()), []),
    "show the pitches with their number": (plan(COUNT), (cue("show", "list"), named(PITCH), HOW_MANY, rows()), []),
    "the pitches, listed": (plan(COUNT), (named(PITCH), cue("list the", "list"), HOW_MANY, rows()), []),
    "list them, looked over": (
        plan(COUNT, statistic=OVERVIEW), (cue("list", "list"), named(PITCH), HOW_MANY, rows()), [],
    ),
    "the number of pitches per guest, over pitches": (
        plan(COUNT, by=(PITCH,), over_groups="mean"), (HOW_MANY, named(PITCH), cue("per", "by"), named(GUEST)), ["per"],
    ),
    "the number of pitches per guest": (
        plan(figure("distinct", PITCH), by=(GUEST,), over_groups="mean"), (HOW_MANY, named(PITCH), cue("per", "by")),
        [],
    ),
    "the number of pitches per guest, of each": (
        plan(COUNT, by=(PITCH,)), (HOW_MANY, named(PITCH), cue("per", "by")), [],
    ),
    "the number of pitches of": (
        plan(COUNT, by=(PITCH,), over_groups="mean"), (HOW_MANY, named(PITCH), cue("of", "list")), [],
    ),
    "growth after 2 days, where it is 2": (
        plan(SUM, where=(meets(SCORE, "=", 2),)), (named(AFTER_2, "growth"), number(2)), ["2"],
    ),
    "growth after 2 days, as a fraction": (
        plan(SUM, where=(meets(SCORE, "=", 2.0),)), (named(AFTER_2, "growth"), number(2)), ["2"],
    ),
    "growth of 2 itself": (plan(SUM, where=(meets(AFTER_2, ">", 2),)), (named(AFTER_2, "growth"), "of", number(2)), []),
    "growth over 3": (plan(SUM, where=(meets(SCORE, "=", 3),)), (named(AFTER_2, "growth"), number(3)), []),
    "growth of 2": (plan(SUM, where=(meets(SCORE, "=", 2),)), (named(AFTER_2, "growth"), "of", number(2)), []),
    "growth 2, without a condition": (plan(SUM), (named(AFTER_2, "growth"), number(2)), []),
    "in the first trimester, where it is 1": (
        plan(SUM, where=(meets(TRIMESTER, "=", 1),)), (number(1, "ordinal", "first"), named(TRIMESTER)), ["first"],
    ),
    "trimester one, where it is 1": (
        plan(SUM, where=(meets(TRIMESTER, "=", 1),)), (named(TRIMESTER), number(1, "", "one")), ["one"],
    ),
    "in the first trimester, all of it": (
        plan(figure("sum", TRIMESTER)), (number(1, "ordinal", "first"), named(TRIMESTER)), [],
    ),
    "in the first long trimester": (
        plan(SUM, where=(meets(TRIMESTER, "=", 1),)), (number(1, "ordinal", "first"), "long", named(TRIMESTER)), [],
    ),
    "in the second trimester": (
        plan(SUM, where=(meets(TRIMESTER, "=", 2),)), (number(2, "ordinal", "second"), named(TRIMESTER)), [],
    ),
    "how many at elm and how many at oak": (plan(COUNT), (HOW_MANY, ELM, "and", HOW_MANY, OAK), ["how many"]),
    "how many at elm and at oak": (plan(COUNT), (HOW_MANY, ELM, "and", OAK), []),
    "how many and how many, by pitch": (plan(COUNT, by=(PITCH,)), (HOW_MANY, ELM, "and", HOW_MANY, OAK), []),
    "how many and how many, of two": (plan(COUNT, COUNT), (HOW_MANY, ELM, "and", HOW_MANY, OAK), []),
    "how many and how many, one over the other": (
        plan(figure("rows", over=COUNT)), (HOW_MANY, ELM, "and", HOW_MANY, OAK), [],
    ),
    "how many and how many, looked over": (plan(COUNT, statistic=OVERVIEW), (HOW_MANY, "and", HOW_MANY), []),
    "how many and the number": (plan(COUNT), (HOW_MANY, ELM, "and", cue("number of", "count"), OAK), []),
}  # fmt: skip
UNTOLD: Cases = ENDS | SIZES | LISTS


@pytest.mark.parametrize("case", UNTOLD)
def test_what_a_plan_does_not_tell_is_left_over(case: str) -> None:
    made, words, lost = UNTOLD[case]
    assert untold(made, WORLD, *said(*words)) == lost


def bakes(*measures: Any, **parts: Any) -> Plan:
    return plan(*measures, table="bakes", **parts)


@pytest.mark.parametrize(
    ("made", "schema", "lost"),
    [
        (bakes(COUNT), BAKES, ["racks"]),
        (bakes(figure("sum", OVEN)), BAKES, []),
        (bakes(COUNT, by=(STEP,)), BAKES, []),
        (bakes(COUNT, joins=(JOIN,)), BAKES, []),
        (bakes(COUNT), FEW_BAKES, []),
        (bakes(COUNT), WORLD, []),
        (plan(COUNT), WORLD, []),
    ],
)
def test_a_month_of_an_oven_is_no_oven(made: Plan, schema: Schema, lost: list[str]) -> None:
    racks = held(column("kind", "bakes", kind="text"), "rack", "racks")
    assert untold(made, schema, *said(HOW_MANY, racks)) == lost
    assert untold(made, schema, *said(HOW_MANY, rows("bakes", "bakes"))) == []
    assert untold(made, schema, *said(cue("which"), racks)) == []
