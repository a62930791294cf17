"""What a word asks for is done by some plans and not by others: each word over one row of plans of every kind."""

from __future__ import annotations

from typing import Any

import pytest

from averment.plans.operations import CUE
from averment.plans.plan import Combine, Plan, Rank, Sort, Value
from averment.reading.account.cue_traces import cue_traced, subtracts, time_traced
from averment.reading.lattice.phrases import MARK
from spoken import (
    AGE,
    ARRIVED,
    BILL,
    COUNT,
    FEE,
    GUEST,
    KIND,
    NIGHTS,
    PETS,
    PITCH,
    STAY,
    bar,
    column,
    figure,
    listed,
    meets,
    part,
    plan,
    some,
    statistic,
    window,
    worked_out,
)

pytestmark = pytest.mark.thorough

DATE, YEAR, VOTES = column("arrival_date", kind="date"), column("year"), column("votes")
SUM, MEAN = figure("sum", FEE), figure("mean", FEE)
LASTING = Value(kind="days", operands=(ARRIVED.value, DATE.value))


def kept(*tests: Any) -> Plan:
    return listed(where=tests)


PLANS: dict[str, Plan] = {
    **{f: plan(figure(f, FEE)) for f in ("count", "distinct", "sum", "mean", "median", "min", "max", "stddev")},
    "variance": plan(figure("variance", FEE)),
    "rows": plan(COUNT), "rate": plan(figure("rate")), "percentile": plan(figure("quantile", FEE, at=0.9)),
    "percent": plan(figure("max", FEE, over=figure("max", BILL), percent=True)),
    "ratio": plan(figure("max", FEE, over=figure("max", BILL))),
    "divided": plan(figure("max", worked_out(FEE, "/", NIGHTS))),
    "added": plan(figure("max", worked_out(FEE, "+", BILL))),
    "taken-off": plan(figure("max", worked_out(FEE, "-", BILL))), "lasting": plan(figure("max", LASTING)),
    "total-column": plan(figure("stddev", column("overall_fee"))),
    "share-column": plan(figure("stddev", column("fee_pct"))),
    "two": plan(figure("stddev", FEE), figure("stddev", BILL)),
    "list": listed(), "table": plan(show=(PITCH,)), "wide": listed(show=(PITCH, GUEST, KIND)),
    "once": listed(distinct=True),
    "dates": listed(show=(DATE,)), "groups": plan(figure("stddev", FEE), by=(PITCH,)),
    "months": plan(figure("stddev", FEE), by=(part(ARRIVED, "month"),)),
    "first": listed(rank=Rank(by=FEE.value)), "newest": listed(rank=Rank(by=DATE.value)),
    "voted": listed(rank=Rank(by=VOTES.value)), "next": listed(rank=Rank(skip=1)),
    "after-next": listed(rank=Rank(skip=2)),
    "sorted": listed(order=(Sort(at=0),)),
    **{f"groups-{f}": plan(figure("stddev", FEE), over_groups=f) for f in ("mean", "median", "max", "min")},
    **{f"w-{kind}": window(kind) for kind in ("share", "change", "running", "moving", "moving_total", "rank")},
    "w-log_return": window("log_return"),
    "w-growth": window("growth", span=(2023, 2024)), "w-within": window("rank", within=(0,)),
    **{f"s-{k}": statistic(k) for k in (
        "correlation", "independence", "difference_test", "distribution", "normality", "shape", "outliers", "trend",
        "retention", "model", "overview", "duplicates",
    )},
    "s-correlations": plan(statistic=some("correlation")),
    "bar": listed(having=(bar(figure("stddev", FEE), ">", 3),)), "count-bar": listed(having=(bar(COUNT, ">", 3),)),
    "rate-bar": listed(having=(bar(figure("rate"), ">", 3),)),
    "over": kept(meets(AGE, ">", 3)), "between": kept(meets(AGE, "between", 3, 5)),
    "equal": kept(meets(PITCH, "=", "Elm")),
    "unequal": kept(meets(PITCH, "!=", "Elm")), "negated": kept(meets(PITCH, "=", "Elm", negated=True)),
    "ruled-out": kept(meets(STAY, "not in", inner=listed())), "gap": kept(meets(AGE, "null")),
    "known": kept(meets(AGE, "null", negated=True)), "no": kept(meets(PETS, "=", "no")),
    "one-of": kept(meets(PITCH, "in", "Elm", "Oak")),
    "holding": kept(meets(PITCH, "contains", "l")), "starting": kept(meets(PITCH, "starts", "E")),
    "ending": kept(meets(PITCH, "ends", "m")), "of-year": kept(meets(YEAR, "in", 2024)),
    "two-tests": kept(meets(PITCH, "in", "Elm"), meets(AGE, "in", 3)),
    "as-the-highest": kept(meets(FEE, "in", inner=plan(figure("max", FEE)))),
    "as-the-mean": kept(meets(FEE, "in", inner=plan(MEAN))),
    "of-the-voted": kept(meets(FEE, "in", inner=listed(rank=Rank(by=VOTES.value)))),
    "each-other": kept(meets(FEE, "in", other=BILL.value)),
    "without": listed(combine=Combine(operation="except", other=listed())),
    "more": plan(figure("stddev", FEE), asks="more"), "any": listed(asks="any"),
}  # fmt: skip
EXTREME = (
    "min max percent ratio divided added taken-off lasting groups-max groups-min w-share w-change w-running w-moving "
)
EXTREME += "w-moving_total w-rank w-log_return w-growth w-within"
RANKED = f"{EXTREME} first newest voted next after-next as-the-highest of-the-voted"
ORDERED = "first newest voted next after-next sorted"
FIRST = f"{EXTREME} first newest voted next after-next"
COUNTED = "rows count distinct sum count-bar"
PERCENT = "rate percent share-column w-share rate-bar"
STATISTICS = "s-correlation s-independence s-difference_test s-distribution s-normality s-shape "
STATISTICS += "s-outliers s-trend s-retention s-model s-overview s-duplicates s-correlations"
BARS = "bar count-bar rate-bar over between"
TESTED = "over between equal unequal negated ruled-out gap known no one-of holding starting ending "
TESTED += "of-year two-tests as-the-highest as-the-mean of-the-voted each-other"
COMPARED = f"{BARS} equal negated no"
TURNED = "unequal negated ruled-out gap known no without"
GROUPS, SIDES = "groups months", "groups months two"
CHANGES = "w-growth w-change"
TIMED = "dates months newest"
ASKED = "more any"
HELD: dict[str, str] = {
    "mean": "mean rate groups-mean w-moving s-difference_test as-the-mean", "median": "median groups-median",
    "sum": f"{COUNTED} {PERCENT} total-column w-running w-moving_total", "stddev": "?", "variance": "variance",
    "min": RANKED, "max": RANKED, "top": RANKED, "bottom": RANKED, "least": RANKED, "most": f"{RANKED} s-correlations",
    "distinct": f"distinct once {GROUPS}", "count": f"{COUNTED} {STATISTICS} rate mean median percentile",
    "common": "voted next after-next of-the-voted", "rare": "voted next after-next of-the-voted",
    "rank_of": "w-rank w-within",
    "second": "next", "third": "after-next", "ascending": ORDERED, "descending": ORDERED, "sorted": ORDERED,
    "x_axis": ORDERED, "y_axis": ORDERED,
    "by": f"{GROUPS} first newest voted next after-next percent ratio divided added taken-off {STATISTICS}",
    "over_time": f"{TIMED} {CHANGES}", "when": TIMED, "versus": f"{SIDES} {STATISTICS}",
    "than": f"{SIDES} {BARS} {ASKED}",
    "more": f"{SIDES} {BARS} {STATISTICS} more", "less": f"{SIDES} {BARS} {STATISTICS} more",
    "difference": f"{SIDES} {STATISTICS} w-change", "other": f"{GROUPS} {STATISTICS} {TURNED}",
    "gt": f"{BARS} {ASKED} w-moving w-moving_total", "lt": f"{BARS} {ASKED}", "ge": BARS, "le": BARS, "eq": TESTED,
    "or_more": COMPARED, "or_less": COMPARED, "since": COMPARED, "after": COMPARED, "before": COMPARED,
    "between": f"{COMPARED} {STATISTICS} {CHANGES} {GROUPS} {ASKED}",
    "contains": "holding", "starts": "starting", "ends": "ending",
    "first_time": f"{FIRST} s-retention", "last_time": FIRST, "latest": f"{FIRST} {COMPARED}",
    "now_relative": "of-year w-growth", "future": "s-model", "share": PERCENT, "rate": PERCENT,
    "as_share": f"{PERCENT} w-growth",
    "growth": CHANGES, "change": CHANGES, "falling": CHANGES, "period_over_period": CHANGES,
    "running": "w-running", "moving": "w-moving w-moving_total", "moving_total": "w-moving_total",
    "within": f"{GROUPS} first newest voted next after-next w-within",
    "correlation": "s-correlation s-correlations s-independence s-difference_test",
    "rank_correlation": "s-correlation s-correlations", "test": "s-difference_test s-independence",
    "distribution": "s-distribution s-normality s-shape", "outliers": "s-outliers", "regression": "s-trend",
    "not": f"{TURNED} {STATISTICS}", "no": TURNED, "missing": "gap known ruled-out s-overview",
    "all_columns": "wide table", "both": f"{SIDES} without two-tests", "complete": "known", "apart": SIDES,
    "ratio": "percent ratio divided added taken-off", "subtract": "taken-off lasting each-other", "still": TESTED,
    "quantile 0.9": "percentile",
}  # fmt: skip
HELD["stddev"] = " ".join(name for name, made in PLANS.items() if any(m.function == "stddev" for m in made.measures))
ANYTHING = ("much", "which", "list", "either", "only", "known", "any", "in_time", "what nobody has heard of")


@pytest.mark.parametrize("name", HELD)
def test_a_word_is_held_by_the_plans_that_do_what_it_asks_for_and_by_no_other(name: str) -> None:
    assert {each for each, made in PLANS.items() if cue_traced(made, name)} == set(HELD[name].split())


@pytest.mark.parametrize("name", ANYTHING)
def test_a_word_that_asks_for_nothing_of_its_own_is_held_by_every_plan(name: str) -> None:
    assert all(cue_traced(made, name) for made in PLANS.values())


@pytest.mark.parametrize(
    ("name", "made", "held"),
    [
        ("pooled", plan(SUM), True),
        ("pooled", plan(SUM, by=(PITCH,)), False),
        ("pooled", plan(SUM, by=(PITCH,), where=(meets(PITCH, "in", "Elm", "Oak"),)), False),
        ("pooled", plan(SUM, by=(PITCH,), where=(meets(GUEST, "in", "Ann", "Bo"),)), True),
        ("pooled", plan(figure("sum", worked_out(FEE, "+", BILL)), by=(PITCH,)), True),
        ("pooled", plan(figure("sum", worked_out(FEE, "-", BILL)), by=(PITCH,)), False),
        ("figure_told", plan(SUM), True),
        ("figure_told", listed(), False),
        ("figure_told", listed(rank=Rank()), False),
        ("figure_told", listed(rank=Rank(by=FEE.value)), True),
        ("one_row", plan(figure("max", FEE)), True),
        ("one_row", plan(SUM), False),
        ("one_row", plan(COUNT), False),
        ("quantile 0.5", plan(figure("quantile", FEE, at=0.9)), False),
        ("distribution", plan(COUNT, by=(PITCH,)), True),
        ("distribution", plan(COUNT), False),
        ("distribution", plan(COUNT, SUM, by=(PITCH,)), False),
        ("distribution", plan(*(figure(f, FEE) for f in ("min", "median", "max"))), True),
        ("distribution", plan(*(figure(f, FEE) for f in ("min", "max"))), False),
        ("unit km", plan(figure("sum", column("way_km"))), True),
        ("unit km", plan(figure("sum", column("way_m"))), False),
        (f"{MARK}tiles 4", statistic("equal_groups", bins=4), True),
        (f"{MARK}tiles 4", statistic("equal_groups", bins=5), False),
        (f"{CUE}overview", statistic("overview"), True),
        (f"{CUE}overview", statistic("shape"), False),
        (f"{CUE}overview", plan(SUM), False),
        ("contains", listed(combine=Combine(operation="union", other=kept(meets(PITCH, "contains", "l")))), True),
        ("contains", kept(meets(STAY, "in", inner=kept(meets(PITCH, "contains", "l")))), True),
        ("missing", kept(meets(STAY, "not in", "Elm")), False),
        ("share", plan(figure("max", column("share")), by=(PITCH,)), True),
    ],
)
def test_a_word_with_a_meaning_of_its_own_needs_more_than_one_part_of_a_plan(name: str, made: Plan, held: bool) -> None:
    assert cue_traced(made, name) is held


@pytest.mark.parametrize(
    ("made", "looks"),
    [
        (kept(meets(YEAR, "=", 2024)), True),
        (kept(meets(AGE, "=", 2024)), False),
        (kept(meets(ARRIVED, ">", "2024-01-01")), True),
        (kept(meets(PITCH, "=", "Elm")), False),
        (kept(meets(part(ARRIVED, "month"), "=", 5)), True),
        (kept(meets(column("season"), "=", 1800)), True),
        (kept(meets(column("season"), "=", 1799)), False),
        (kept(meets(column("place"), "=", 1900)), False),
        (kept(meets(column("opened_at"), "=", 3)), True),
        (kept(meets(STAY, "in", inner=kept(meets(YEAR, "=", 2024)))), True),
        (window("growth"), False),
        (statistic("members", span=("2023", "2024")), True),
        (statistic("members"), False),
        (listed(), False),
    ],
)
def test_a_time_is_looked_at_by_a_part_a_name_or_a_value(made: Plan, looks: bool) -> None:
    assert time_traced(made) is looks


def test_two_numbers_are_held_against_each_other_also_inside_a_plan() -> None:
    left = worked_out(FEE, "-", BILL)
    for made in (
        kept(meets(left, ">", 0)), listed(show=(left,)), listed(rank=Rank(by=left)), plan(SUM, by=(left,)),
        listed(having=(bar(figure("sum", left), ">", 0),)), plan(figure("sum", FEE, over=figure("sum", left))),
        kept(meets(STAY, "in", inner=listed(show=(left,)))),
        plan(figure("sum", Value(kind="arithmetic", operation="/", operands=(left, FEE.value)))),
    ):  # fmt: skip
        assert subtracts(made)
    assert not subtracts(listed(rank=Rank()))
