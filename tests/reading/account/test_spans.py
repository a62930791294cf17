"""What values, times and words that ask for something must have left in a plan."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from averment.plans.plan import Combine, GroupTest, Plan, Rank, Sort, Value, Window
from averment.reading.account.word_accounts import tables_of, unaccounted
from averment.reading.lattice.spans import Span
from spoken import (
    AGE,
    ARRIVED,
    BILL,
    COUNT,
    DEPARTED,
    FEE,
    GUEST,
    JOIN,
    PETS,
    PITCH,
    STAY,
    bar,
    column,
    cue,
    figure,
    grade,
    held,
    meets,
    named,
    part,
    plan,
    rows,
    said,
    some,
    span,
)

pytestmark = pytest.mark.thorough

SUM, MEAN = figure("sum", FEE), figure("mean", FEE)
PAID_BY = column("paid_by", kind="text", values=("Card", "Cash"))
CODE, FULL = column("guest_code", kind="text"), column("full_name", kind="text")
DATE, MURDERS = column("arrival_date", kind="date"), column("murder", "stays", "measure")
KILLED = column("killed", "stays", "measure", whole=True, additive=True)
ELM, ANN = held(PITCH, "Elm"), held(GUEST, "Ann")
AT_ELM, GAP, KNOWN = meets(PITCH, "=", "Elm"), meets(DEPARTED, "null"), meets(DEPARTED, "null", negated=True)
HOW_MANY, HOW_MUCH, BY, PER, WHO = (
    cue("how many", "count"),
    cue("how much", "much"),
    cue("by"),
    cue("per", "by"),
    cue("who", "which"),
)
EACH, BEST = cue("of each", "by"), cue("best", "top")
FIRST, LAST = cue("first", "first"), cue("last", "last")
MEMBERS = some("members")
INNER = meets(STAY, "in", inner=plan(show=(STAY,), where=(AT_ELM,)))
GROWTH = Window(kind="change", along=1, span=("Elm", "Oak"))
LASTING = Value(kind="hours", operands=(ARRIVED.value, DEPARTED.value))


def time(**more: Any) -> Span:
    return span("TIME", "in may", SimpleNamespace(recurring=SimpleNamespace(day_time=None, **more)))


def stands(answer: bool) -> Any:
    return SimpleNamespace(stands_in=lambda _: answer)


Cases = dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]]
HELD: Cases = {
    "elm, in another plan": (plan(COUNT, where=(INNER,)), (ELM,), []),
    "elm, of another table": (plan(COUNT, where=(meets(column("pitch", "tents"), "=", "Elm"),)), (ELM,), ["elm"]),
    "elm, as a side": (plan(SUM, by=(GUEST, PITCH), window=GROWTH), (ELM,), []),
    "ash, as a side": (plan(SUM, by=(GUEST, PITCH), window=GROWTH), (held(PITCH, "Ash"),), ["ash"]),
    "elm, as a side of another column": (plan(SUM, by=(PITCH, GUEST), window=GROWTH), (ELM,), ["elm"]),
    "elm, along nothing": (plan(SUM, by=(PITCH,), window=Window(kind="change", span=("Elm", "Oak"))), (ELM,), ["elm"]),
    "elm, of no span": (plan(SUM, by=(PITCH,), window=Window(kind="change", along=0)), (ELM,), ["elm"]),
    "elm, whose place is told": (plan(SUM, by=(PITCH,), window=Window(kind="rank", only=("Elm",))), (ELM,), []),
    "a test that stands": (plan(COUNT), (span("TEST", "late", stands(True)),), []),
    "a test that does not": (plan(COUNT), (span("TEST", "late", stands(False)),), ["late"]),
    "set aside": (plan(SUM), (span("ASIDE", "before tax", BILL),), []),
    "set aside, and used": (plan(SUM), (span("ASIDE", "before fee", FEE),), ["before fee"]),
    "set aside, and used inside": (
        plan(COUNT, where=(meets(STAY, "in", inner=plan(show=(FEE,))),)), (span("ASIDE", "before fee", FEE),),
        ["before fee"],
    ),
    "set aside, and used in a bar": (
        plan(COUNT, by=(PITCH,), having=(GroupTest(measure=COUNT, inner=plan(SUM)),)),
        (span("ASIDE", "before fee", FEE),),
        ["before fee"],
    ),
    "set aside, and used in what is combined": (
        plan(show=(PITCH,), combine=Combine(operation="union", other=plan(show=(FEE,)))),
        (span("ASIDE", "before fee", FEE),),
        ["before fee"],
    ),
    "denied": (plan(COUNT, where=(meets(PETS, "=", "no"),)), (span("DENY", "without pets", PETS),), []),
    "denied, and not used": (plan(COUNT), (span("DENY", "without pets", PETS),), ["without pets"]),
    "in may": (plan(COUNT, where=(meets(part(ARRIVED, "month"), "=", 5),)), (time(),), []),
    "in may, not looked at": (plan(COUNT, where=(AT_ELM,)), (time(),), ["in may"]),
    "in the morning, by a month": (
        plan(COUNT, where=(meets(part(ARRIVED, "month"), "=", 5),)),
        (span("TIME", "mornings", SimpleNamespace(recurring=SimpleNamespace(day_time=(6, 12)))),), ["mornings"],
    ),
    "months": (plan(SUM, by=(part(ARRIVED, "month"),)), (span("PART", "months"),), []),
    "months, of a year": (plan(SUM, where=(meets(column("year"), "=", 3),)), (span("PART", "months"),), []),
    "months, of members": (plan(statistic=MEMBERS), (span("PART", "months"),), []),
    "months, counted": (plan(COUNT), (span("PART", "months"),), []),
    "months, in a window": (plan(SUM, window=Window(kind="running")), (span("PART", "months"),), []),
    "hours, from one to another": (plan(figure("mean", LASTING)), (span("PART", "hours"),), []),
    "hours, ranked": (plan(show=(PITCH,), rank=Rank(by=LASTING)), (span("PART", "hours"),), []),
    "hours, shown": (plan(show=(LASTING,)), (span("PART", "hours"),), []),
    "months, added up": (plan(SUM), (span("PART", "months"),), ["months"]),
    "a quote": (plan(COUNT, where=(AT_ELM,)), (span("QUOTE", "elm", "ELM"),), []),
    "another quote": (plan(COUNT, where=(AT_ELM,)), (span("QUOTE", "oak", "OAK"),), ["oak"]),
}  # fmt: skip
ASKS: Cases = {
    "who paid, by card": (plan(SUM, by=(PAID_BY,)), (WHO, named(PAID_BY)), ["who"]),
    "who paid, shown by card": (plan(show=(PAID_BY,)), (WHO, named(PAID_BY)), ["who"]),
    "which paid, by card": (plan(SUM, by=(PAID_BY,)), (cue("which"), named(PAID_BY)), []),
    "who paid, by guest": (plan(SUM, by=(GUEST,)), (WHO, named(GUEST)), []),
    "who paid by card": (plan(SUM, by=(GUEST,), where=(meets(PAID_BY, "=", "Card"),)), (WHO, named(PAID_BY)), []),
    "who, on a date": (plan(show=(DATE,)), (WHO, named(DATE)), ["who"]),
    "who, of rows on a date": (plan(SUM, by=(DATE,)), (rows("who", None),), ["who"]),
    "who, with a date": (plan(show=(GUEST, DATE)), (WHO, named(DATE)), []),
    "who, by the last date": (plan(show=(GUEST, DATE), rank=Rank(by=DATE.value)), (WHO,), []),
    "who, only by the last date": (plan(show=(DATE,), rank=Rank(by=DATE.value)), (WHO,), []),
    "how much, counted": (plan(COUNT), (HOW_MUCH,), ["how much"]),
    "how much, different": (plan(figure("distinct", PITCH)), (HOW_MUCH,), ["how much"]),
    "how much, added up": (plan(SUM), (HOW_MUCH,), []),
    "how much, of both": (plan(COUNT, SUM), (HOW_MUCH,), []),
    "how much, of all": (plan(figure("rows", over=COUNT)), (HOW_MUCH,), []),
    "how much, as a share": (plan(COUNT, by=(PITCH,), window=Window(kind="share")), (HOW_MUCH,), []),
    "how much, looked over": (plan(COUNT, statistic=MEMBERS), (HOW_MUCH,), []),
    "the amount of something": (
        plan(COUNT), (cue("the amount of", "count"), named(PITCH, "rows")), ["the amount of", "rows"],
    ),
    "the amount of stays": (plan(COUNT), (cue("the amount of", "count"), rows()), []),
    "from the first to the last, as the last": (
        plan(show=(PITCH,), rank=Rank(by=DATE.value)), (FIRST, LAST), ["first"],
    ),
    "from the first to the last, as the first": (
        plan(show=(PITCH,), rank=Rank(by=DATE.value, descending=False)), (cue("first_time"), cue("last_time")),
        ["last_time"],
    ),
    "the last": (plan(show=(PITCH,), rank=Rank(by=DATE.value)), (LAST,), []),
    "the first, and no last": (plan(show=(PITCH,), rank=Rank(by=DATE.value)), (FIRST,), []),
    "from the first to the last": (plan(show=(PITCH,)), (FIRST, LAST), []),
    "together": (plan(SUM), (cue("pooled"),), []),
    "together, side by side": (plan(SUM, MEAN), (cue("pooled"),), ["pooled"]),
    "how many different": (plan(figure("distinct", PITCH)), (cue("how many different", "distinct", "count"),), []),
    "how many different, as rows": (
        plan(COUNT), (cue("how many different", "distinct", "count"),), ["how many different"],
    ),
    "the best, not ranked": (plan(SUM), (BEST,), ["best"]),
    "the best by its fee": (plan(show=(PITCH,), rank=Rank(by=FEE.value)), (BEST,), []),
    "the best by a sum": (plan(SUM, by=(PITCH,), rank=Rank()), (cue("worst", "bottom"),), []),
    "the best by a count": (
        plan(figure("count", FEE), by=(PITCH,), rank=Rank()), (cue("leading", "top"),), ["leading"],
    ),
    "the best by how many": (plan(COUNT, by=(PITCH,), rank=Rank()), (BEST, HOW_MANY), []),
    "the best that is old": (plan(COUNT, by=(PITCH,), rank=Rank()), (BEST, grade("oldest", "old")), []),
    "the best count": (plan(COUNT, by=(PITCH,), rank=Rank()), (cue("best", "top", "count"),), ["best"]),
    "the top by a count": (plan(COUNT, by=(PITCH,), rank=Rank()), (cue("top"),), []),
    "how many stays, in a bar": (plan(show=(PITCH,), having=(bar(COUNT, ">", 3),)), (HOW_MANY, rows()), []),
    "how many stays, in part": (plan(figure("sum", FEE, over=COUNT)), (HOW_MANY, rows()), []),
    "how many stays, of groups": (plan(SUM, by=(PITCH,), over_groups="count"), (HOW_MANY, rows()), []),
    "how many stays, of a mean of groups": (
        plan(SUM, by=(PITCH,), over_groups="mean"), (HOW_MANY, rows()), ["how many"],
    ),
    "how many stays, inside": (plan(SUM, where=(meets(STAY, "in", inner=plan(COUNT)),)), (HOW_MANY, rows()), []),
    "how many stays, added up": (plan(SUM), (HOW_MANY, rows()), ["how many"]),
    "how many stays, looked over": (plan(statistic=MEMBERS), (HOW_MANY, rows()), []),
    "how many people were killed": (plan(figure("sum", KILLED)), (HOW_MANY, rows("people", None), named(KILLED)), []),
    "how many stays were killed": (plan(figure("sum", KILLED)), (HOW_MANY, rows(), named(KILLED)), ["how many"]),
    "how many weak stays were killed": (
        plan(figure("sum", KILLED)), (HOW_MANY, rows(strength=0.89), named(KILLED)), [],
    ),
    "how many people, of fees": (plan(SUM), (HOW_MANY, rows("people", None), named(FEE)), ["how many"]),
    "how many people, of ages": (plan(figure("sum", AGE)), (HOW_MANY, rows("people", None), named(AGE)), ["how many"]),
    "how many people, averaged": (
        plan(figure("stddev", KILLED)), (HOW_MANY, rows("people", None), named(KILLED)), ["how many"],
    ),
    "how many people, of more": (
        plan(figure("sum", KILLED), SUM), (HOW_MANY, rows("people", None), named(KILLED)), ["how many"],
    ),
    "per stay": (plan(MEAN), (PER, rows()), []),
    "per stay, the median": (plan(figure("median", FEE)), (PER, rows("records", None)), []),
    "per stay, added up": (plan(SUM, by=(PITCH,)), (PER, rows()), ["stays"]),
    "per tent": (plan(MEAN), (PER, rows("tents", "tents", 0.5)), ["per", "tents"]),
    "by ann": (plan(COUNT, where=(meets(GUEST, "=", "Ann"),)), (BY, ANN), []),
    "by either ann": (plan(COUNT, where=(meets(GUEST, "=", "Ann"),)), (BY, cue("either"), ANN), []),
    "by a quote": (plan(COUNT, where=(AT_ELM,)), (BY, span("QUOTE", "elm", "Elm")), []),
    "by stays and ann": (plan(COUNT, where=(meets(GUEST, "=", "Ann"),)), (BY, cue("only"), ANN), ["by"]),
    "by in descending order": (plan(show=(PITCH,), order=(Sort(at=0),)), (BY, cue("descending")), []),
    "descending by": (plan(show=(PITCH,), order=(Sort(at=0),)), (cue("ascending"), cue("by the", "by")), []),
    "by, and far away an order": (
        plan(show=(PITCH,), order=(Sort(at=0),)), (BY, *[cue("only")] * 4, cue("descending")), ["by"],
    ),
    "by, and an order near": (
        plan(show=(PITCH,), order=(Sort(at=0),)), (BY, *[cue("only")] * 3, cue("descending")), [],
    ),
    "an order, and by later": (plan(show=(PITCH,), order=(Sort(at=0),)), (cue("descending"), cue("only"), BY), ["by"]),
    "per in descending order": (plan(show=(PITCH,), order=(Sort(at=0),)), (PER, cue("descending")), ["per"]),
    "by, unordered": (plan(show=(PITCH,)), (BY, cue("only")), ["by"]),
    "of each stay, listed": (plan(show=(PITCH,)), (EACH, rows()), []),
    "of each record, listed": (plan(show=(PITCH,)), (EACH, rows("records", None)), []),
    "of all stays, listed": (plan(show=(PITCH,)), (cue("of all", "by"), rows()), ["of all"]),
    "of each pitch, listed": (plan(show=(PITCH,)), (EACH, named(PITCH)), ["of each"]),
    "of each, figured": (plan(SUM, show=(PITCH,)), (EACH, rows()), ["of each"]),
    "of each, the first": (plan(show=(PITCH,), rank=Rank(by=FEE.value)), (EACH, named(PITCH)), ["of each"]),
    "of each, the first two": (plan(show=(PITCH,), rank=Rank(by=FEE.value, limit=2)), (EACH, named(PITCH)), []),
    "of each, the first within": (plan(show=(PITCH,), rank=Rank(by=FEE.value, within=(0,))), (EACH, named(PITCH)), []),
    "of each of the most": (plan(show=(PITCH,), rank=Rank(by=FEE.value)), (EACH, cue("most")), []),
    "the names of": (plan(show=(FULL,)), (cue("which"), cue("names of", "list")), []),
    "the names of, by code": (plan(show=(CODE,)), (cue("which"), cue("names of", "list")), ["names of"]),
    "names of first, by code": (plan(show=(CODE,)), (cue("names of", "list"),), []),
    "names of first, of a figure": (plan(SUM), (cue("names of", "list"),), ["names of"]),
    "names of first, of groups": (plan(SUM, by=(GUEST,)), (cue("names of", "list"),), []),
    "info of a fee": (plan(SUM), (named(FEE), cue("info", "all_columns")), []),
    "info of a fee, apart": (plan(SUM), (named(FEE), "and", cue("info", "all_columns")), ["info"]),
    "a murder rate": (plan(figure("mean", MURDERS)), (named(MURDERS), cue("rate")), []),
    "a fee rate": (plan(MEAN), (named(FEE), cue("rate")), ["rate"]),
    "an age rate": (plan(figure("mean", AGE)), (named(AGE), cue("rates", "rate")), ["rates"]),
    "a murder rate, not used": (plan(MEAN, figure("max", FEE)), (named(FEE), cue("rate")), ["rate"]),
    "leaving out what is missing": (plan(COUNT, where=(KNOWN,)), (cue("leaving out", "not"), cue("missing")), []),
    "leaving out elm, as what is known": (
        plan(COUNT, where=(KNOWN, AT_ELM)), (cue("leaving out", "not"), ELM), ["leaving out"],
    ),
    "leaving out elm": (plan(COUNT, where=(KNOWN, meets(PITCH, "!=", "Elm"))), (cue("leaving out", "not"), ELM), []),
    "leaving out elm, as a gap": (plan(COUNT, where=(GAP, AT_ELM)), (cue("leaving out", "not"), ELM), []),
    "leaving out, turned": (
        plan(COUNT, where=(meets(PITCH, "=", "Elm", negated=True),)), (cue("leaving out", "not"), ELM), [],
    ),
    "not elm, as what is known": (plan(COUNT, where=(KNOWN, AT_ELM)), (cue("not"), ELM), []),
    "pets more than those who are not": (
        plan(SUM, by=(PETS,)), (named(PETS), cue("more"), cue("than"), cue("not")), [],
    ),
    "pets, and those who are not": (plan(SUM, by=(PETS,)), (named(PETS), cue("not")), ["not"]),
    "pets more than those not at elm": (
        plan(SUM, by=(PETS,), where=(AT_ELM,)), (named(PETS), cue("more"), cue("than"), cue("not"), ELM), ["not"],
    ),
    "pets more than those who are not, rows": (
        plan(SUM, by=(PETS,)), (named(PETS), cue("more"), cue("than"), cue("not"), rows()), [],
    ),
    "pitches more than those not": (
        plan(SUM, by=(PITCH,)), (named(PITCH), cue("more"), cue("than"), cue("not")), ["not"],
    ),
    "pets more than not, by pitch": (
        plan(SUM, by=(PITCH,), where=(meets(PETS, "=", "yes"),)), (named(PETS), cue("more"), cue("than"), cue("not")),
        ["not"],
    ),
    "within elm": (plan(SUM, where=(AT_ELM,)), (cue("within"), ELM), []),
    "within oak": (plan(SUM, where=(AT_ELM,)), (cue("within"), held(PITCH, "Oak")), ["within", "oak"]),
    "within a fee": (plan(SUM, where=(AT_ELM,)), (cue("within"), named(FEE)), ["within"]),
    "within ann, at elm": (plan(SUM, where=(AT_ELM,)), (cue("within"), ANN), ["within", "ann"]),
    "one of two meanings": (plan(SUM), (cue("both so", "second", "sum"),), []),
    "neither of two meanings": (plan(MEAN), (cue("both so", "second", "third"),), ["both so"]),
    "a word without a meaning": (plan(MEAN), (span("CUE", "so", frozenset()),), []),
}  # fmt: skip
CASES: Cases = HELD | ASKS


@pytest.mark.parametrize("case", CASES)
def test_a_span_is_left_over_unless_the_plan_says_it(case: str) -> None:
    made, words, lost = CASES[case]
    assert unaccounted(made, said(*words)[0]) == lost


def test_tables_are_those_of_joins_conditions_and_plans_inside() -> None:
    inside = meets(STAY, "in", inner=plan(show=(column("kind", "tents"),), table="tents"))
    assert tables_of(plan(COUNT, joins=(JOIN,), where=(inside,))) == {"stays", "guests", "tents"}
