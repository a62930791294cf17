"""Phrases and numbers: each is held by a plan with the very numbers that were said, and by no other."""

from __future__ import annotations

from typing import Any

import pytest

from averment.plans.plan import Across, Plan, Rank, Value
from averment.plans.statistics import statistic_of
from averment.reading.account.cue_traces import HOLDS, phrase_traced
from averment.reading.account.word_accounts import number_traced
from spoken import (
    AGE,
    ARRIVED,
    COUNT,
    FEE,
    GUEST,
    PETS,
    PITCH,
    STAY,
    bar,
    column,
    figure,
    listed,
    meets,
    number,
    part,
    plan,
    statistic,
    window,
)

pytestmark = pytest.mark.thorough

DATE = column("arrival_date", kind="date")
SUM, MEAN = figure("sum", FEE), figure("mean", FEE)


def kept(*tests: Any) -> Plan:
    return listed(where=tests)


KINDS = "correlation independence difference_test distribution normality shape outliers trend retention model overview"
KINDS = (*KINDS.split(), "duplicates", "members", "equal_groups")
BUCKETS = plan(COUNT, by=(Value(kind="bucket", table="stays", column="age", width=10),))
BEFORE = listed(where=(meets(DATE, "<", "2024"),))
IN_YEAR = meets(part(ARRIVED, "year"), "=", 2024)
CROSSED = plan(SUM, by=(PITCH, GUEST), across=Across(at=1, values=("Ann",)))
PHRASES: list[tuple[str, tuple[float, ...], Plan, bool]] = [
    ("quantiles", (0.9,), plan(figure("quantile", FEE, at=0.9)), True),
    ("quantiles", (0.9, 0.1), plan(figure("quantile", FEE, at=0.9)), False),
    ("quantiles", (0.0, 0.5, 1.0), plan(*(figure(f, FEE) for f in ("min", "median", "max"))), True),
    ("quantiles", (0.5,), plan(MEAN), False),
    ("spread", (), plan(*(figure(f, FEE) for f in ("min", "median", "max"))), True),
    ("spread", (), plan(*(figure(f, FEE) for f in ("min", "max"))), False),
    ("spread", (), statistic("overview"), True),
    ("spread", (), statistic("shape"), False),
    ("iqr", (), plan(figure("iqr", FEE)), True),
    ("iqr", (), plan(SUM), False),
    ("tukey", (), statistic("outliers", method="iqr"), True),
    ("tukey", (), statistic("outliers", method="z"), False),
    ("tukey", (), statistic("trend"), False),
    ("bins", (5,), statistic("distribution", bins=5), True),
    ("bins", (5,), statistic("distribution", bins=6), False),
    ("bins", (5,), statistic("equal_groups", bins=5), False),
    ("bins", (5,), plan(SUM), False),
    ("width", (10,), BUCKETS, True),
    ("width", (20,), BUCKETS, False),
    ("width", (10,), plan(COUNT, by=(AGE,)), False),
    ("binning", (), BUCKETS, True),
    ("binning", (), statistic("equal_groups"), True),
    ("binning", (), plan(COUNT, by=(AGE,)), False),
    ("tiles", (4,), statistic("equal_groups", bins=4), True),
    ("tiles", (4,), statistic("equal_groups", bins=5), False),
    ("tiles", (4,), statistic("distribution", bins=4), False),
    ("tiles", (4,), plan(SUM), False),
    ("entity_tiles", (4,), statistic("equal_groups", bins=4), False),
    ("entity_tiles", (4,), plan(by=(PITCH,), statistic=statistic_of("equal_groups", bins=4)), True),
    ("entity_tiles", (4,), plan(by=(PITCH,), statistic=statistic_of("equal_groups", bins=5)), False),
    ("matrix", (), statistic("correlation"), True),
    ("matrix", (), statistic("correlation", against=FEE.value), False),
    ("matrix", (), statistic("shape"), False),
    ("matrix", (), plan(SUM), False),
    ("with_all", (), statistic("correlation", against=FEE.value), True),
    ("with_all", (), statistic("correlation"), False),
    ("with_all", (), plan(SUM), False),
    ("z", (3,), statistic("outliers", method="z"), True),
    ("z", (2,), statistic("outliers", method="z"), False),
    ("z", (2,), statistic("outliers", method="z", reach=2), True),
    ("z", (3,), statistic("outliers", method="iqr"), False),
    ("z", (3,), statistic("trend"), False),
    ("z", (3,), plan(SUM), False),
    ("last_rows", (3,), listed(rank=Rank(by=DATE.value, limit=3)), True),
    ("last_rows", (2,), listed(rank=Rank(by=DATE.value, limit=3)), False),
    ("last_rows", (3,), listed(rank=Rank(limit=3)), False),
    ("last_rows", (3,), listed(rank=Rank(by=DATE.value, limit=3, descending=False)), False),
    ("last_rows", (3,), listed(), False),
    ("first_rows", (3,), listed(rank=Rank(by=DATE.value, limit=3, descending=False)), True),
    ("first_rows", (3,), listed(rank=Rank(by=DATE.value, limit=3)), False),
    ("new_members", (), statistic("members", method="new"), True),
    ("new_members", (), statistic("members", method="active"), False),
    ("new_members", (), kept(meets(GUEST, "not in", inner=BEFORE)), True),
    ("new_members", (), kept(meets(GUEST, "in", inner=BEFORE)), False),
    ("new_members", (), kept(meets(GUEST, "not in", inner=listed())), False),
    ("new_members", (), kept(meets(GUEST, "not in", "Ann")), False),
    ("new_members", (), plan(COUNT, where=(IN_YEAR,)), True),
    ("new_members", (), plan(MEAN, where=(IN_YEAR,)), False),
    ("new_members", (), plan(COUNT, by=(part(ARRIVED, "year"),)), True),
    ("new_members", (), plan(COUNT, by=(PITCH,)), False),
    ("new_members", (), kept(IN_YEAR), True),
    ("new_members", (), listed(where=(IN_YEAR,), distinct=True), False),
    ("returning_members", (), statistic("members", method="returning"), True),
    ("returning_members", (), statistic("members", method="new"), False),
    ("returning_members", (), kept(meets(GUEST, "in", inner=BEFORE)), True),
    ("returning_members", (), kept(meets(GUEST, "not in", inner=BEFORE)), False),
    ("active_members", (), statistic("members", method="active"), True),
    ("active_members", (), plan(COUNT, where=(IN_YEAR,)), False),
    ("until", (80,), plan(SUM, by=(PITCH,), rank=Rank(until=80)), True),
    ("until", (80,), plan(SUM, by=(PITCH,), rank=Rank(until=70)), False),
    ("until", (80,), plan(SUM, by=(PITCH,), rank=Rank()), False),
    ("until", (80,), plan(SUM), False),
    ("anova", (), statistic("difference_test", method="anova"), True),
    ("anova", (), statistic("difference_test", method="welch"), False),
    ("anova", (), plan(SUM), False),
    ("kendall", (), statistic("correlation", method="kendall"), True),
    ("kendall", (), statistic("correlation", method="pearson"), False),
    ("kendall", (), plan(SUM), False),
    ("log_return", (), window("log_return"), True),
    ("log_return", (), window("growth"), False),
    ("log_return", (), plan(SUM), False),
    *((head, (), plan(SUM, by=(PITCH, GUEST)), False) for head in ("pivot", "across", "down")),
    *((head, (), CROSSED, True) for head in ("pivot", "across", "down")),
    ("length", (), plan(figure("mean", Value(kind="length", table="stays", column="pitch"))), True),
    ("length", (), plan(MEAN, COUNT), False),
    ("domain", (), plan(COUNT, by=(Value(kind="piece", piece="domain", table="stays", column="guest"),)), True),
    ("area_code", (), plan(COUNT, by=(Value(kind="piece", piece="domain", table="stays", column="guest"),)), False),
    ("overview", (), statistic("overview"), True),
    ("overview", (), statistic("duplicates"), False),
    ("overview", (), plan(statistic=statistic_of("overview"), beside=(statistic("duplicates"),)), True),
    ("overview", (), plan(statistic=statistic_of("overview"), beside=(statistic("outliers"),)), False),
    ("overview", (), plan(statistic=statistic_of("overview"), beside=(window("share"),)), False),
    ("stands_out", (), plan(statistic=statistic_of("overview"), beside=(statistic("outliers"),)), True),
    ("stands_out", (), statistic("overview"), False),
    ("differs", (), plan(SUM), False),
    ("a phrase nobody knows", (), statistic("overview"), False),
]


@pytest.mark.parametrize(("head", "numbers", "made", "holds"), PHRASES)
def test_a_phrase_is_held_with_its_own_numbers(head: str, numbers: tuple[float, ...], made: Plan, holds: bool) -> None:
    assert phrase_traced(made, head, numbers) is holds


@pytest.mark.parametrize(
    ("head", "kinds"),
    [
        ("numeric", "correlation overview"), ("retention", "retention"), ("differs", "difference_test"),
        ("chi_square", "independence"), ("predict", "model"), ("from_features", "model"), ("normal", "normality"),
        ("shape", "shape normality"), ("duplicates", "duplicates"),
        ("independent", "independence difference_test correlation"),
    ],
)  # fmt: skip
def test_a_phrase_that_names_a_statistic_is_held_by_that_one_alone(head: str, kinds: str) -> None:
    assert {kind for kind in KINDS if HOLDS[head](statistic(kind), ())} == set(kinds.split())
    assert not HOLDS[head](plan(SUM), ())


NUMBERS: list[tuple[Any, Plan, bool]] = [
    (number(3), plan(SUM, by=(PITCH,), rank=Rank(limit=3)), True),
    (number(2, "ordinal"), plan(SUM, by=(PITCH,), rank=Rank(skip=1, limit=5)), True),
    (number(3, "ordinal"), plan(SUM, by=(PITCH,), rank=Rank(skip=1, limit=5)), False),
    (number(2), plan(SUM, by=(PITCH,), rank=Rank(skip=1, limit=5)), False),
    (number(7), window("moving", steps=7), True),
    (number(7), window("moving_total", steps=7), True),
    (number(7), window("growth", steps=7), False),
    (number(2024), window("change", span=(2023, 2024)), True),
    (number(2022), window("change", span=(2023, 2024)), False),
    (number(3), plan(SUM, by=(PITCH,), having=(bar(SUM, ">", 3),)), True),
    (number(4), plan(SUM, by=(PITCH,), having=(bar(SUM, ">", 3),)), False),
    (number(90), plan(figure("quantile", FEE, at=0.9)), True),
    (number(91), plan(figure("quantile", FEE, at=0.9)), False),
    (number(3), kept(meets(AGE, ">", 3)), True),
    (number(4), kept(meets(AGE, ">", 3)), False),
    (number(4), kept(meets(AGE, ">", 3), meets(FEE, ">", 4)), True),
    (number(1), kept(meets(PETS, "=", True)), False),
    (number(1), kept(meets(PETS, "=", True), meets(AGE, "=", 1)), True),
    (number(3), kept(meets(PITCH, "=", "3")), True),
    (number(3), kept(meets(PITCH, "=", "33")), False),
    (number(7, "person"), kept(meets(column("population"), ">", 7)), True),
    (number(7, "person"), kept(meets(column("seats"), ">", 7)), False),
    (number(7, "person"), kept(meets(column("guests"), ">", 7)), True),
    (number(7), kept(meets(column("seats"), ">", 7)), True),
    (number(5, "k"), kept(meets(AGE, ">", 5000)), True),
    (number(3), listed(), False),
    (number(3), kept(meets(STAY, "in", inner=kept(meets(AGE, ">", 3)))), True),
]  # fmt: skip


@pytest.mark.parametrize(("said", "made", "stands"), NUMBERS)
def test_a_number_stands_in_a_plan_as_what_it_is(said: Any, made: Plan, stands: bool) -> None:
    assert number_traced(made, said) is stands


def test_a_number_is_held_in_the_unit_of_its_column() -> None:
    metres = column("height_cm", "stays", "measure")
    two = number(2, "m")
    assert number_traced(plan(SUM, by=(PITCH,), having=(bar(figure("max", metres), ">", 200.0),)), two)
    assert not number_traced(plan(SUM, by=(PITCH,), having=(bar(figure("max", metres), ">", 20.0),)), two)
    assert not number_traced(plan(SUM, by=(PITCH,), having=(bar(figure("max", metres), ">", 200.0),)), number(2))
