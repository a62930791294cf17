"""Each way to take a word for something else is caught, and what is only near to it is let through."""

from __future__ import annotations

from typing import Any

import pytest

from averment.plans.plan import Measure, Plan, Rank, Window
from averment.plans.statistics import statistic_of
from averment.reading.account.misplaced import misplaced
from averment.reading.lattice.spans import Span
from averment.reading.schema.schema_view import Schema, Table
from spoken import (
    AGE,
    ARRIVED,
    BILL,
    CLAIMS,
    COUNT,
    FEE,
    GUEST,
    JOIN,
    KIND,
    NAME,
    NIGHTS,
    PETS,
    PITCH,
    SCORE,
    STAY,
    TENTS,
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
    span,
    worked_out,
)

pytestmark = pytest.mark.thorough

RAIN = column("rain", "stays", "measure")
SPEED = column("speed", "stays", "measure")
RESULT = column("result", "stays", "measure")
TAX = column("tax_pct", "stays", "measure")
ODDS = column("age_frequency", "stays", "measure")
MONTH = column("arrival_month", "stays", kind="date")
PER_NIGHT = column("fee_per_night", "stays", "measure", expression=worked_out(FEE, "/", NIGHTS))
OWN = Table("stays", 40, [AGE, FEE, CLAIMS, SCORE, SPEED, RESULT, TAX, ODDS, PITCH], ("stay",), called=("visit",))
FINES, LAP = column("crimes", "guests", "measure"), column("lap", "guests", "measure")
WORLD = Schema([OWN, Table("guests", 40, [FINES, LAP], ("guest",))], [], None)
MANY = Schema([Table("stays", 200, [AGE], ("stay",))], [], None)

COMMON, WHICH, HOW_MANY, OVER = (
    grade("most common", "common"),
    cue("which"),
    cue("how many", "count"),
    cue("over", "gt"),
)
OLDEST = plan(show=(PITCH,), rank=Rank(by=AGE.value))
RAINY, WET_DAYS = named(RAIN, "rainy", 0.8), span("PART", "days", "day")
WET = plan(COUNT, where=(meets(RAIN, ">", 80),))
F, M = held(PITCH, "Elm"), held(PITCH, "Oak")
BOTH = figure("rows", where=(meets(PITCH, "in", "Elm", "Oak"),), over=COUNT)
WORST, BEST = cue("worst", "least"), cue("best", "most")
NEW = statistic_of("members", of=(PITCH.value, ARRIVED.value), method="new")
UNPAID = span("DENY", "unpaid", PETS)


def worst(of: Any, *, up: bool, **parts: Any) -> Plan:
    return plan(figure("sum", of), by=(PITCH,), rank=Rank(descending=up), **parts)


def fees(**parts: Any) -> Plan:
    return plan(figure("mean", FEE), **parts)


INNER = meets(FEE, ">", inner=fees())
CASES: dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]] = {
    "the most common age, ranked by age": (OLDEST, (COMMON, named(AGE)), ["most common"]),
    "the most common age, as the highest": (plan(figure("max", AGE)), (COMMON, named(AGE)), ["most common"]),
    "the most common age, counted": (plan(COUNT, by=(AGE,), rank=Rank()), (COMMON, named(AGE)), []),
    "a common age that is not compared": (OLDEST, (grade("common", "common", "plain"), named(AGE)), []),
    "another adjective": (OLDEST, (grade("oldest", "old"), named(AGE)), []),
    "the most common, where nothing is ranked": (fees(), (COMMON, named(AGE)), []),
    "a column of frequencies": (OLDEST, (COMMON, named(ODDS)), []),
    # The bar is that of the thing behind it.
    "pitches over 3 pets": (
        plan(COUNT, where=(meets(PITCH, ">", 3),)),
        (HOW_MANY, named(PITCH), "had", OVER, number(3), rows("pets", None)),
        ["3"],
    ),
    "pitches over 3": (plan(COUNT, where=(meets(PITCH, ">", 3),)), (HOW_MANY, named(PITCH), OVER, number(3)), []),
    "pitches over 3 in a place": (
        plan(COUNT, where=(meets(PITCH, ">", 3),)), (HOW_MANY, named(PITCH), OVER, number(3), "in", held(GUEST, "Ann")),
        [],
    ),
    "a bar on what follows": (
        plan(COUNT, where=(meets(CLAIMS, ">", 3),)), (HOW_MANY, named(PITCH), OVER, number(3), named(CLAIMS)), [],
    ),
    "the pitch that is 3": (
        plan(COUNT, where=(meets(PITCH, "=", 3),)), (HOW_MANY, named(PITCH), OVER, number(3), rows("pets", None)), [],
    ),
    "no bar before the number": (
        plan(COUNT, where=(meets(PITCH, ">", 3),)), (HOW_MANY, named(PITCH), cue("is", "eq"), number(3), rows()), [],
    ),
    "a cue behind the number": (
        plan(COUNT, where=(meets(PITCH, ">", 3),)), (HOW_MANY, named(PITCH), OVER, number(3), cue("only")), [],
    ),
    "which pitches over 3 pets": (
        plan(COUNT, where=(meets(PITCH, ">", 3),)), (WHICH, named(PITCH), OVER, number(3), rows("pets", None)), [],
    ),
    # More rows than there can be.
    "a thousand stays": (plan(COUNT, by=(PITCH,), having=(bar(COUNT, ">", 1000),)), (OVER, number(1000)), []),
    "one more": (plan(COUNT, by=(PITCH,), having=(bar(COUNT, ">=", 1001),)), (OVER, number(1001)), ["1001"]),
    "another number beside it": (
        plan(COUNT, by=(PITCH,), having=(bar(COUNT, ">", 1001),)), (number(2), OVER, number(1001)), ["1001"],
    ),
    "fewer than so many": (plan(COUNT, by=(PITCH,), having=(bar(COUNT, "<", 1001),)), (number(1001),), []),
    "an amount": (plan(COUNT, by=(PITCH,), having=(bar(figure("sum", FEE), ">", 1001),)), (number(1001),), []),
    "of joined rows": (plan(COUNT, by=(PITCH,), joins=(JOIN,), having=(bar(COUNT, ">", 1001),)), (number(1001),), []),
    "a bar that another plan finds": (
        plan(COUNT, by=(PITCH,), having=(bar(COUNT, ">", inner=fees()),)), (number(1001),), [],
    ),
    "a table that is not there": (
        plan(COUNT, table="tents", by=(PITCH,), having=(bar(COUNT, ">", 1001),)), (number(1001),), [],
    ),
    # Days are counted, and not the rain.
    "80 rainy days": (WET, (OVER, number(80), RAINY, WET_DAYS), ["80"]),
    "80 rainy days of groups": (
        plan(COUNT, by=(PITCH,), having=(bar(figure("sum", RAIN), ">", 80),)), (number(80), RAINY, WET_DAYS), ["80"],
    ),
    "80 of rain": (WET, (OVER, number(80), named(RAIN, "rain", 0.95), WET_DAYS), []),
    "80 mm": (WET, (OVER, number(80, "mm"), RAINY, WET_DAYS), []),
    "a rainy day": (WET, (OVER, number(80), RAINY, span("PART", "day", "day")), []),
    "80 rainy in days": (WET, (OVER, number(80), RAINY, "in", WET_DAYS), []),
    "80 of the rainy days": (WET, (OVER, number(80), "of", RAINY, WET_DAYS), []),
    "80 rainy days, without a bar": (plan(COUNT, where=(meets(RAIN, "=", 80),)), (number(80), RAINY, WET_DAYS), []),
    "80 rainy days that cue": (WET, (number(80), RAINY, cue("totals", "sum")), []),
    "a kind of days": (
        plan(COUNT, where=(meets(GUEST, ">", 80),)), (number(80), named(GUEST, "guested", 0.8), WET_DAYS), [],
    ),
    # Two sides of a ratio.
    "both to all": (plan(BOTH), (cue("ratio"), F, M), ["ratio"]),
    "both, without a ratio": (plan(BOTH), (F, M), []),
    "both beside another": (plan(BOTH), (cue("ratio"), F, held(PITCH, "Ash")), []),
    "values of another column": (plan(BOTH), (cue("ratio"), held(GUEST, "Elm"), held(GUEST, "Oak")), []),
    "one to the other": (
        plan(figure("rows", where=(meets(PITCH, "=", "Elm"),), over=figure("rows", where=(meets(PITCH, "=", "Oak"),)))),
        (cue("ratio"), F, M), [],
    ),
    "both, over nothing": (plan(figure("rows", where=(meets(PITCH, "in", "Elm", "Oak"),))), (cue("ratio"), F, M), []),
    # Which tent it was, a number of tents does not say.
    "which tent": (plan(show=(TENTS,)), (WHICH, named(TENTS, "tent")), ["tent"]),
    "what tent": (plan(show=(TENTS,)), (cue("what", "which"), named(TENTS, "tent")), ["tent"]),
    "which number of tents": (plan(show=(TENTS,)), (WHICH, named(TENTS, "number tents")), []),
    "in which tent": (plan(show=(TENTS,)), (cue("in which", "which"), named(TENTS, "tent")), []),
    "which of the tents": (plan(show=(TENTS,)), (WHICH, "of the", named(TENTS, "tent")), []),
    "which pitch": (plan(show=(PITCH,)), (WHICH, named(PITCH)), []),
    "a number that names": (plan(show=(PITCH,)), (WHICH, named(column("no_tents", "stays"), "tent")), []),
    # A month is no day.
    "the arrival month": (plan(COUNT, by=(ARRIVED,)), (named(ARRIVED, "arrived month"),), ["month"]),
    "the arrival, month by month": (plan(COUNT, by=(ARRIVED,)), (named(ARRIVED), span("PART", "month")), ["month"]),
    "a month that is shown": (plan(show=(ARRIVED,)), (named(ARRIVED, "arrived month"),), ["month"]),
    "the arrival day": (plan(COUNT, by=(ARRIVED,)), (named(ARRIVED), span("PART", "day")), []),
    "the arrival in a month": (plan(COUNT, by=(ARRIVED,)), (named(ARRIVED), "in", span("PART", "month")), []),
    "by its month": (plan(COUNT, by=(part(ARRIVED, "month"),)), (named(ARRIVED, "arrived month"),), []),
    "a column that is called so": (plan(COUNT, by=(MONTH,)), (named(MONTH, "arrival month"),), []),
    "a text of that name": (plan(COUNT, by=(PITCH,)), (named(PITCH, "pitch month"),), []),
    # The worst of bad things is the most of them.
    "the worst, with the fewest complaints": (worst(CLAIMS, up=False), (WORST, named(CLAIMS)), ["worst"]),
    "the worst, with the most complaints": (worst(CLAIMS, up=True), (WORST, named(CLAIMS)), []),
    "the best, with the most complaints": (worst(CLAIMS, up=True), (BEST, named(CLAIMS)), ["best"]),
    "the best, with the fewest complaints": (worst(CLAIMS, up=False), (BEST, named(CLAIMS)), []),
    "the worst guest, with the fewest crimes": (worst(FINES, up=False), (WORST, named(FINES)), ["worst"]),
    "the worst score": (worst(SCORE, up=False), (WORST, named(SCORE)), []),
    "the worst of what is not there": (worst(column("accidents"), up=False), (WORST,), []),
    "the worst row": (
        plan(show=(PITCH,), rank=Rank(by=CLAIMS.value, descending=False)), (WORST, named(CLAIMS)), ["worst"],
    ),
    "the fewest": (worst(CLAIMS, up=False), (cue("fewest", "least"), named(CLAIMS)), []),
    "worst, where nothing is ranked": (plan(figure("sum", CLAIMS)), (WORST, named(CLAIMS)), []),
    # Sides that are to be told apart.
    "separately": (fees(where=(meets(PITCH, "in", "Elm", "Oak"),)), ("separately", F, M), ["separately"]),
    "each of": (fees(where=(meets(PITCH, "in", "Elm", "Oak"),)), ("of", "each", "of", F, M), ["each of"]),
    "separately, by its side": (fees(where=(meets(PITCH, "in", "Elm", "Oak"),), by=(PITCH,)), ("separately", F, M), []),
    "separately, by another": (
        fees(where=(meets(PITCH, "in", "Elm", "Oak"),), by=(GUEST,)), ("separately", F, M), ["separately"],
    ),
    "one side": (fees(where=(meets(PITCH, "in", "Elm"),)), ("separately", F), []),
    "neither side": (fees(where=(meets(PITCH, "in", "Elm", "Oak", negated=True),)), ("separately", F, M), []),
    "together": (fees(where=(meets(PITCH, "in", "Elm", "Oak"),)), (F, M), []),
    # More than the average is a bar.
    "more than average": (fees(), (cue("more"), cue("than"), cue("average", "mean")), ["more than"]),
    "higher than the median": (fees(), (cue("higher than", "gt"), cue("median")), ["higher than median"]),
    "more, far from than": (
        fees(), (cue("more"), named(CLAIMS), named(FEE), cue("than"), cue("average", "mean")), ["than average"],
    ),
    "more, too far from than": (
        fees(), (cue("more"), named(FEE), named(BILL), named(AGE), named(PITCH), cue("than"), cue("mean")), [],
    ),
    "more than so many": (fees(), (cue("more"), cue("than"), number(3)), []),
    "more and the average": (fees(), (cue("more"), named(FEE), cue("average", "mean")), []),
    "than average, with a bar": (fees(where=(INNER,)), (cue("more"), cue("than"), cue("mean")), []),
    "than average, with a bar on groups": (
        fees(by=(PITCH,), having=(bar(COUNT, ">", 3),)), (cue("more"), cue("than"), cue("mean")), [],
    ),
    "than average, asked whether": (fees(asks="more"), (cue("more"), cue("than"), cue("mean")), []),
    "than average, in a window": (
        fees(by=(PITCH,), window=Window(kind="share")), (cue("more"), cue("than"), cue("mean")), [],
    ),
    "than average, by a statistic": (plan(statistic=NEW), (cue("more"), cue("than"), cue("mean")), []),
    # Each stay is new when it comes.
    "new stays": (plan(statistic=NEW), (cue("new"), rows()), ["new"]),
    "new visits": (plan(statistic=NEW), (cue("new"), rows("visits")), ["new"]),
    "new guests": (plan(statistic=NEW), (cue("new"), rows("guests", None)), []),
    "old stays": (plan(statistic=NEW), (cue("old"), rows()), []),
    "new stays, counted": (plan(COUNT), (cue("new"), rows()), []),
    "returning": (plan(statistic=NEW.model_copy(update={"method": "returning"})), (cue("new"), rows()), []),
    "new, of no table": (plan(table="tents", statistic=NEW), (cue("new"), rows()), []),
    # Two words side by side are one thing.
    "tax fee": (plan(figure("sum", TAX), figure("sum", FEE)), (named(TAX, "tax"), named(FEE)), ["tax"]),
    "tax, fee": (plan(figure("sum", TAX), figure("sum", FEE)), (named(TAX, "tax"), named(FEE, listed=True)), []),
    "tax and fee": (
        plan(figure("sum", TAX), figure("sum", FEE)), (named(TAX, "tax"), span("AND", "and"), named(FEE)), [],
    ),
    "tax pct fee": (plan(figure("sum", TAX), figure("sum", FEE)), (named(TAX, "tax pct"), named(FEE)), []),
    "tax fee, one of them": (plan(figure("sum", TAX)), (named(TAX, "tax"), named(FEE)), []),
    "tax fee, and others": (plan(figure("sum", TAX), figure("sum", AGE)), (named(TAX, "tax"), named(FEE)), []),
    "tax taxes": (plan(figure("sum", TAX), figure("mean", FEE)), (named(TAX, "tax"), named(TAX, "taxes")), []),
    # One of each is not one.
    "of each pitch": (plan(COUNT, by=(PITCH,), rank=Rank()), (cue("of each", "by"), named(PITCH)), ["of each"]),
    "per pitch": (plan(COUNT, by=(PITCH,), rank=Rank()), (cue("per", "by"), named(PITCH)), []),
    "of each, in each": (
        plan(COUNT, by=(PITCH,), rank=Rank(within=(0,))), (cue("of each", "by"), named(PITCH)), [],
    ),
    "two of each": (plan(COUNT, by=(PITCH,), rank=Rank(limit=2)), (cue("of each", "by"), named(PITCH)), []),
    "of each, up to half": (plan(COUNT, by=(PITCH,), rank=Rank(until=50)), (cue("of each", "by"), named(PITCH)), []),
    "of each, not ranked": (plan(COUNT, by=(PITCH,)), (cue("of each", "by"), named(PITCH)), []),
    "of each of two": (plan(COUNT, by=(PITCH, GUEST), rank=Rank()), (cue("of each", "by"), named(PITCH)), []),
    "of each, far from it": (plan(COUNT, by=(PITCH,), rank=Rank()), (cue("of each", "by"), "big", named(PITCH)), []),
    # Fast may be either way, and a percentage is no price.
    "the fastest result": (plan(show=(PITCH,), rank=Rank(by=RESULT.value)), (grade("fastest", "fast"),), ["fastest"]),
    "the fastest lap": (plan(show=(PITCH,), rank=Rank(by=LAP.value)), (grade("fastest", "fast"),), ["fastest"]),
    "the fastest speed": (plan(show=(PITCH,), rank=Rank(by=SPEED.value)), (grade("fastest", "fast"),), []),
    "the oldest result": (plan(show=(PITCH,), rank=Rank(by=RESULT.value)), (grade("oldest", "old"),), []),
    "a faster result": (plan(show=(PITCH,), rank=Rank(by=RESULT.value)), (grade("faster", "fast", "more"),), []),
    "the fastest, as a maximum": (plan(figure("max", RESULT)), (grade("fastest", "fast"),), ["fastest"]),
    "the fastest, as a mean": (plan(figure("mean", RESULT)), (grade("fastest", "fast"),), []),
    "the dearest tax": (plan(show=(PITCH,), rank=Rank(by=TAX.value)), (grade("dearest", "expensive"),), ["dearest"]),
    "the dearest fee": (plan(show=(PITCH,), rank=Rank(by=FEE.value)), (grade("dearest", "expensive"),), []),
    "the oldest tax": (plan(show=(PITCH,), rank=Rank(by=TAX.value)), (grade("oldest", "old"),), []),
    "the fastest of nothing known": (
        plan(show=(PITCH,), rank=Rank(by=column("lap").value)), (grade("fastest", "fast"),), [],
    ),
    # Per size and speed is by both.
    "fee per night and speed": (
        plan(figure("mean", PER_NIGHT), figure("mean", SPEED)),
        (named(PER_NIGHT, "fee per night"), "and", named(SPEED)),
        ["speed"],
    ),
    "fee per night, speed": (
        plan(figure("mean", PER_NIGHT), figure("mean", SPEED)),
        (named(PER_NIGHT, "fee per night"), "and", named(SPEED, listed=True)), [],
    ),
    "speed and fee per night": (
        plan(figure("mean", PER_NIGHT), figure("mean", SPEED)),
        (named(SPEED), "and", named(PER_NIGHT, "fee per night")),
        [],
    ),
    "nightly fee and speed": (
        plan(figure("mean", PER_NIGHT), figure("mean", SPEED)), (named(PER_NIGHT, "nightly fee"), "and", named(SPEED)),
        [],
    ),
    "fee per night by speed": (
        plan(figure("mean", PER_NIGHT), by=(SPEED,)), (named(PER_NIGHT, "fee per night"), "and", named(SPEED)), [],
    ),
    # What is denied twice.
    "no unpaid": (plan(COUNT, where=(meets(PETS, "=", "no"),)), (cue("no"), UNPAID), ["no"]),
    "not the unpaid": (plan(COUNT, where=(meets(PETS, "=", "no"),)), (cue("not"), "the", UNPAID), []),
    "no unpaid, that are paid": (plan(COUNT, where=(meets(PETS, "=", "Yes"),)), (cue("no"), UNPAID), []),
    "no unpaid, of another column": (plan(COUNT, where=(meets(PITCH, "=", "yes"),)), (cue("no"), UNPAID), ["no"]),
    "no unpaid, yes or no": (plan(COUNT, where=(meets(PETS, "in", "yes", "no"),)), (cue("no"), UNPAID), ["no"]),
    "no unpaid, ruled out": (
        plan(COUNT, where=(meets(STAY, "not in", inner=plan(show=(STAY,))),)), (cue("no"), UNPAID), [],
    ),
    "only unpaid": (plan(COUNT, where=(meets(PETS, "=", "no"),)), (cue("only"), UNPAID), []),
    # A relative of a value.
    "elm elms": (plan(COUNT), (held(PITCH, "Elm"), held(PITCH, "Elm", "elms", 0.8)), ["elms"]),
    "elm elm": (plan(COUNT), (held(PITCH, "Elm"), held(PITCH, "Elm", "elm", 0.8)), []),
    "elm or elms": (plan(COUNT), (held(PITCH, "Elm"), "or", held(PITCH, "Elm", "elms", 0.8)), []),
    "elm oak": (plan(COUNT), (F, M), []),
    # A phone number is no number of phones.
    "guest number": (plan(COUNT), (named(GUEST), cue("number of", "count")), ["guest number of"]),
    "elm number": (plan(COUNT), (F, cue("number", "count")), ["elm number"]),
    "guest count": (plan(COUNT), (named(GUEST), cue("count of", "count")), []),
    "guest, number of": (plan(COUNT), (named(GUEST), "and", cue("number of", "count")), []),
    "stays number": (plan(COUNT), (rows(), cue("number of", "count")), []),
    "guest number, shown": (plan(show=(GUEST,)), (named(GUEST), cue("number of", "count")), []),
    # Out of stock.
    "out of stock": (plan(COUNT), ("items", "out", "of", rows("stock")), ["out of"]),
    "out of stock, first": (plan(COUNT), ("out", "of", rows("stock")), ["out of"]),
    "of stock": (plan(COUNT), ("items", "full", "of", rows("stock")), []),
    "out of the stock": (plan(COUNT), ("out", "of", "the", rows("stock")), []),
    "out of elm": (plan(COUNT), ("out", "of", F), []),
    "out of stock, as a condition": (plan(COUNT, where=(meets(TENTS, "=", 0),)), ("out", "of", rows("stock")), []),
    "out of stock, as a bar": (
        plan(COUNT, by=(PITCH,), having=(bar(COUNT, "<", 1),)), ("out", "of", rows("stock")), [],
    ),
    "out of stock, in the figure": (plan(figure("rows", where=(meets(TENTS, "=", 0),))), ("out", "of", rows()), []),
    # A type of pitch is no pitch.
    "which pitches, by type": (plan(show=(KIND,)), (WHICH, named(KIND, "pitches")), ["pitches"]),
    "how many pitches, of types": (plan(figure("distinct", KIND)), (named(KIND, "pitches"),), ["pitches"]),
    "which pitch types": (plan(show=(KIND,)), (WHICH, named(KIND, "pitch types")), []),
    "pitches that are counted": (plan(figure("count", KIND)), (named(KIND, "pitches"),), []),
    "a column called type": (plan(show=(column("type"),)), (named(column("type"), "pitches"),), []),
    "each type once": (
        plan(show=(column("pitch_type", unique=True),)), (named(column("pitch_type", unique=True), "pitches"),), [],
    ),
    "which pitches, by name": (plan(show=(PITCH,)), (named(KIND, "pitches"), named(PITCH)), []),
    "a name of two words": (plan(show=(column("guest_name"),)), (named(column("guest_name"), "guests"),), []),
    "a joined name": (plan(show=(NAME,)), (WHICH, named(NAME)), []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_word_taken_for_something_else_is_left_over(case: str) -> None:
    made, words, lost = CASES[case]
    assert misplaced(made, WORLD, *said(*words)) == lost


@pytest.mark.parametrize(("most", "lost"), [(2000, []), (2001, ["2001"])])
def test_what_groups_can_reach_grows_with_the_table(most: int, lost: list[str]) -> None:
    made = plan(Measure(function="rows"), by=(PITCH,), having=(bar(COUNT, ">", most),))
    assert misplaced(made, MANY, *said(OVER, number(most))) == lost
