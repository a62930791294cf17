"""Plans that nobody asks for leave their word over: told what was said, added-up dates, ranked names, odd bars."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace

import pytest

from averment.plans.plan import Combine, Plan, Rank, Test, Value
from averment.plans.statistics import statistic_of
from averment.reading.account.meaningless import meaningless
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
    NAME,
    NIGHTS,
    PITCH,
    SCORE,
    STAY,
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
    said,
    span,
    worked_out,
)

pytestmark = pytest.mark.thorough

YEAR, DAY, SEASON = column("year", "stays", "year"), column("wet_day"), column("season_no", words=("season", "no"))
BORN = column("birth_date", kind="date")
MEAN_FEE = column("avg_fee", "stays", "measure")
BERTH = column("berth", kind="text", unique=True)
CLOCK, DATED = column("clock", kind="text", numeric_text=True), column("opened", "stays", "date", kind="text")
MONTH = column("month", "stays", "month", kind="text")
OWN = [STAY, GUEST, PITCH, ARRIVED, DEPARTED, NIGHTS, FEE, SCORE, AGE, YEAR, DAY]
BORN_IN = column("born_in", "guests", "year")
THEIRS = Table("guests", 40, [*GUESTS.columns, BORN_IN], ("guest",))
WORLD = Schema(
    [Table("stays", 40, [*OWN, SEASON, BORN, MEAN_FEE, BERTH, CLOCK, DATED, MONTH], ("stay",)), THEIRS], [], None
)

BY = cue("by")
TOP = plan(show=(PITCH,), rank=Rank(by=FEE.value))
OVERVIEW = statistic_of("overview")
ELM, OAK = held(PITCH, "Elm"), held(PITCH, "Oak")
SUM, MEAN = figure("sum", FEE), figure("mean", FEE)
FIGURED = plan(MEAN, expects="figure")


def year(of: int, grain: str = "year") -> Span:
    period = SimpleNamespace(start=date(of, 1, 1), grain=grain)
    return span("TIME", str(of), SimpleNamespace(period=period))


Cases = dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]]
AT_ELM = meets(PITCH, "=", "Elm")
NONSENSE: Cases = {
    # What is told is what was said.
    "the pitch, where it is elm": (plan(show=(PITCH,), where=(AT_ELM,)), (named(PITCH), ELM, OAK), ["elm"]),
    "by pitch, where it is elm": (plan(by=(PITCH,), where=(AT_ELM,)), (named(PITCH), ELM), ["elm"]),
    "the pitch and its fee": (plan(show=(PITCH, FEE), where=(AT_ELM,)), (named(PITCH), ELM), []),
    "the pitch of a year": (
        plan(show=(ARRIVED,), where=(meets(part(ARRIVED, "year"), "=", 2024),)), (year(2024),), ["2024"],
    ),
    "the day of a month": (plan(show=(ARRIVED,), where=(meets(part(ARRIVED, "month"), "=", 5),)), (year(2024),), []),
    "the pitch, where it is not elm": (
        plan(show=(PITCH,), where=(meets(PITCH, "=", "Elm", negated=True),)), (ELM,), [],
    ),
    "the pitch, where it is one of two": (plan(show=(PITCH,), where=(meets(PITCH, "=", "Elm", "Oak"),)), (ELM,), []),
    "the pitch over elm": (plan(show=(PITCH,), where=(meets(PITCH, ">", "Elm"),)), (ELM,), []),
    "the pitch that is found": (plan(show=(PITCH,), where=(meets(PITCH, "=", inner=TOP),)), (ELM,), []),
    "the guest at elm": (plan(show=(GUEST,), where=(AT_ELM,)), (ELM,), []),
    "the name of elm": (plan(show=(NAME,), where=(meets(column("name"), "=", "Elm"),)), (ELM,), []),
    "the first pitch": (plan(show=(PITCH,), where=(AT_ELM,), rank=Rank(by=FEE.value)), (ELM,), []),
    "is there a pitch elm": (plan(show=(PITCH,), where=(AT_ELM,), asks="any"), (ELM,), []),
    "how many pitches at elm": (plan(COUNT, by=(PITCH,), where=(AT_ELM,)), (ELM,), []),
    "the pitch and others": (
        plan(show=(PITCH,), where=(AT_ELM,), combine=Combine(operation="union", other=TOP)), (ELM,), [],
    ),
    "the pitch, looked over": (plan(show=(PITCH,), where=(AT_ELM,), statistic=OVERVIEW), (ELM,), []),
    "the pitch of a choice": (plan(show=(PITCH,), where=(Test(any_of=(AT_ELM, AT_ELM)),)), (ELM,), []),
    # Numbered days and averages are not added up.
    "all years together": (plan(figure("sum", YEAR)), (named(YEAR),), ["year"]),
    "all days together": (plan(figure("sum", DAY)), (named(DAY, "day"),), ["day"]),
    "all years of the guests": (plan(figure("sum", BORN_IN), joins=(JOIN,)), (named(BORN_IN),), ["born_in"]),
    "all years, of the plan's own table": (plan(figure("sum", Value(column="year"))), (named(YEAR),), ["year"]),
    "the mean year": (plan(figure("mean", YEAR)), (named(YEAR),), []),
    "the seasons' number": (plan(figure("sum", SEASON)), (named(SEASON),), []),
    "two years added": (plan(figure("sum", worked_out(YEAR, "+", DAY))), (named(YEAR),), []),
    "all years, and a fee": (plan(figure("sum", YEAR)), (named(FEE),), []),
    "days of no table": (plan(figure("sum", column("day", "tents"))), (named(DAY),), []),
    "all average fees": (plan(figure("sum", MEAN_FEE)), (named(MEAN_FEE, "fee"),), ["fee"]),
    "all average fees, so called": (plan(figure("sum", MEAN_FEE)), (named(MEAN_FEE, "average fee"),), []),
    "the mean of average fees": (plan(figure("mean", MEAN_FEE)), (named(MEAN_FEE, "fee"),), []),
    "all fees": (plan(SUM), (named(FEE),), []),
    "all average fees, and the age": (plan(figure("sum", MEAN_FEE)), (named(AGE),), []),
    # Nobody is born when the money is spent.
    "in 1975, of those born then": (plan(SUM, where=(meets(BORN, "=", "1975"),)), (named(FEE), year(1975)), ["1975"]),
    "in 1975, of those born then or elsewhere": (
        plan(SUM, where=(Test(any_of=(AT_ELM, meets(BORN, "=", "1975"))),)), (named(FEE), year(1975)), ["1975"],
    ),
    "born in 1975": (plan(SUM, where=(meets(BORN, "=", "1975"),)), (named(BORN, "born"), year(1975)), []),
    "births in 1975": (plan(SUM, where=(meets(BORN, "=", "1975"),)), ("by", cue("births", "by"), year(1975)), []),
    "in 1975": (plan(SUM, where=(meets(ARRIVED, "=", "1975"),)), (named(FEE), year(1975)), []),
    # The last of the alphabet is nothing great.
    "the greatest pitch": (plan(show=(PITCH,), rank=Rank(by=PITCH.value)), (grade("greatest", "great"),), ["greatest"]),
    "the greatest pitch, as a maximum": (plan(figure("max", PITCH)), (grade("greatest", "great"),), ["greatest"]),
    "the greatest town": (plan(show=(PITCH,), rank=Rank(by=TOWN.value)), (grade("greatest", "great"),), ["greatest"]),
    "a great pitch": (plan(show=(PITCH,), rank=Rank(by=PITCH.value)), (grade("great", "great", "plain"),), []),
    "the greatest fee": (TOP, (grade("greatest", "great"),), []),
    "the greatest clock": (
        plan(show=(PITCH,), rank=Rank(by=Value(table="stays", column="clock"))), (grade("greatest", "great"),), [],
    ),
    "the latest, written as a text": (plan(show=(PITCH,), rank=Rank(by=DATED.value)), (grade("latest", "late"),), []),
    "the latest month, as a text": (plan(show=(PITCH,), rank=Rank(by=MONTH.value)), (grade("latest", "late"),), []),
    "the longest pitch": (
        plan(show=(PITCH,), rank=Rank(by=Value(kind="length", table="stays", column="pitch"))),
        (grade("longest", "long"),), [],
    ),
    "the greatest of no table": (
        plan(show=(PITCH,), rank=Rank(by=column("pitch", "tents").value)), (grade("greatest", "great"),), [],
    ),
    "the greatest, counted": (
        plan(figure("count", PITCH), by=(PITCH,), rank=Rank()), (grade("greatest", "great"),), [],
    ),
    # Two numbers are held apart by "than" or "or".
    "does more fee bring more age": (
        plan(SUM, figure("sum", AGE), asks="more"), (cue("more"), named(FEE), cue("more")), ["more"],
    ),
    "is the fee older": (plan(SUM, figure("sum", AGE), asks="less"), (grade("older", "old", "more"),), ["older"]),
    "is the fee more than the age": (plan(SUM, figure("sum", AGE), asks="more"), (cue("more"), cue("than")), []),
    "is the fee or the age more": (
        plan(SUM, figure("sum", AGE), asks="more"), (span("AND", "or", "or"), cue("more")), [],
    ),
    "are the fee and the age more": (
        plan(SUM, figure("sum", AGE), asks="more"), (span("AND", "and", "and"), cue("more")), ["more"],
    ),
    "is it more at elm": (plan(SUM, figure("sum", AGE), by=(PITCH,), asks="more"), (cue("more"),), []),
    "is one figure more": (plan(SUM, asks="more"), (cue("more"),), []),
    "are there any more": (plan(SUM, figure("sum", AGE), asks="any"), (cue("more"),), []),
    # A bar on single rows, and a bar behind a bar.
    "a median for each berth": (
        plan(MEAN, by=(BERTH,), having=(bar(MEAN, ">", 5),)), (cue("median"), number(5), number(6)), ["5"],
    ),
    "a median for each guest": (plan(MEAN, by=(NAME,), having=(bar(MEAN, ">", 5),)), (cue("mean"), number(5)), ["5"]),
    "no median said": (plan(MEAN, by=(BERTH,), having=(bar(MEAN, ">", 5),)), (number(5), BY), []),
    "a median for each pitch": (plan(MEAN, by=(PITCH,), having=(bar(MEAN, ">", 5),)), (cue("median"), number(5)), []),
    "a count for each berth": (plan(MEAN, by=(BERTH,), having=(bar(COUNT, ">", 5),)), (cue("median"), number(5)), []),
    "of joined berths": (
        plan(MEAN, by=(BERTH,), joins=(JOIN,), having=(bar(MEAN, ">", 5),)), (cue("median"), number(5)), [],
    ),
    "no bar": (plan(MEAN, by=(BERTH,)), (cue("median", "by"), number(5)), []),
    "over 60 and over 30": (
        plan(COUNT, where=(meets(AGE, ">", 60), meets(AGE, ">=", 30))), (number(60), "and", number(30)), ["30"],
    ),
    "over 60 and over the mean": (
        plan(COUNT, where=(meets(AGE, ">", 60), meets(AGE, ">", inner=FIGURED))), (number(60), "and", cue("mean")),
        ["60"],
    ),
    "under 60 and over the mean": (
        plan(COUNT, where=(meets(AGE, "<", 60), meets(AGE, ">", inner=FIGURED))), (number(60), "and", cue("mean")), [],
    ),
    "over 60 and over another column": (
        plan(COUNT, where=(meets(AGE, ">", 60), meets(AGE, ">", other=FEE.value))), (number(60), named(FEE)), [],
    ),
    "over 30 and under 60": (
        plan(COUNT, where=(meets(AGE, ">", 30), meets(AGE, "<", 60))), (number(30), number(60)), [],
    ),
    "over 60 twice": (plan(COUNT, where=(meets(AGE, ">", 60), meets(AGE, ">", 60))), (number(60), number(60)), []),
    "over 60 and over 30 of another": (
        plan(COUNT, where=(meets(AGE, ">", 60), meets(FEE, ">", 30))), (number(60), number(30)), [],
    ),
    "over 60, and not over 30": (
        plan(COUNT, where=(meets(AGE, ">", 60), meets(AGE, ">", 30, negated=True))), (number(60), number(30)), [],
    ),
    "60 or 30": (plan(COUNT, where=(meets(AGE, "=", 60), meets(AGE, "=", 30))), (number(60), number(30)), []),
    # An average for each single row.
    "the mean of each berth": (plan(MEAN, by=(BERTH,)), (named(FEE), named(BERTH)), ["berth"]),
    "what is the mean of berths": (plan(MEAN, by=(BERTH,)), (cue("what is", "which"), named(BERTH)), ["berth"]),
    "the mean by berth": (plan(MEAN, by=(BERTH,)), (named(FEE), BY, named(BERTH)), []),
    "the mean of pitches": (plan(MEAN, by=(PITCH,)), (named(FEE), named(PITCH)), []),
    "the mean of guests": (plan(MEAN, by=(NAME,)), (named(FEE), named(NAME)), ["name"]),
    "the mean of what is worked out": (plan(MEAN, by=(worked_out(FEE, "-", AGE),)), (named(FEE),), []),
    "the sum of berths": (plan(SUM, by=(BERTH,)), (named(FEE), named(BERTH)), []),
    "the mean of berths over all": (plan(figure("mean", FEE, over=COUNT), by=(BERTH,)), (named(BERTH),), []),
    "the mean of berths and pitches": (plan(MEAN, by=(BERTH, PITCH)), (named(BERTH),), []),
    "the mean of joined berths": (plan(MEAN, by=(BERTH,), joins=(JOIN,)), (named(BERTH),), []),
    "the first mean of berths": (plan(MEAN, by=(BERTH,), rank=Rank()), (named(BERTH),), []),
    "the mean of the berths' letters": (
        plan(MEAN, by=(Value(kind="piece", piece="first_letter", table="stays", column="berth"),)), (named(BERTH),), [],
    ),
    "no mean of berths": (plan(by=(BERTH,)), (named(BERTH),), []),
}  # fmt: skip


@pytest.mark.parametrize("case", NONSENSE)
def test_a_plan_that_nobody_asks_for_leaves_its_word_over(case: str) -> None:
    made, words, lost = NONSENSE[case]
    assert meaningless(made, WORLD, *said(*words)) == lost
