"""Words that ask nothing more of a plan are accounted for, and words that might change the question are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from averment.reading.judge.judging import judge
from averment.reading.words import DERIVED, derived, kinship

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

SWIMMERS = """swimmer,sex,lane,joined,quit,fee,How satisfied are you with the pool? (1-5),Would you come again?
Ada,F,A,2023-01-04,,20,5,Yes
Ben,M,B,2023-01-09,2023-06-09,30,4,No
Cia,F,C,2023-02-11,2023-03-13,20,,
Dan,M,A,2023-03-02,,40,3,Yes
Eva,F,B,2023-03-20,,30,2,
Fay,F,C,2023-04-14,2023-07-03,20,,Yes
Gus,M,A,2023-04-28,,40,1,No
Hal,M,B,2023-05-05,,20,5,Yes
"""
PLOTS = "day,plot,temp_max,temp_min,rain,blight\n" + "\n".join(
    f"{year}-0{month}-1{n},{plot},{10 + month + year - 2020 + n},{month + n},{month + n / 2},{month / 4 + n}"
    for year in (2021, 2022)
    for month in (3, 4)
    for n, plot in enumerate(("East", "West"))
)
SALES = """sale,item,shop,urgency,qty,unit price,discount %,paid by,state
S1,Lamp,North,P1 - Critical,2,10.0,0,Card,CX
S2,Desk,South,P2 - High,1,50.0,10,Cash,OK
S3,Lamp,West,P2 - High,4,10.0,5,Card,OK
S4,Mug,North,P3 - Normal,9,3.0,0,Card,CX
S5,Desk,West,P1 - Critical,2,50.0,0,Cash,OK
S6,Mug,South,P3 - Normal,5,3.0,10,Card,OK
"""
DEATHS = """name,sex,age,death_date,manner
Ada,F,30,2001-05-01,Death
Ben,M,50,2001-05-01,Homicide
Cia,F,70,2001-05-02,Homicide
Dan,M,40,2001-05-03,Death
"""


@pytest.fixture(scope="module")
def swimmers(library: Callable[..., Library]) -> Library:
    """Who swims, with dates that some lack and questions that some did not answer."""
    return library(swimmers=SWIMMERS)


@pytest.fixture(scope="module")
def plots(library: Callable[..., Library]) -> Library:
    """Weather of two plots."""
    return library(plots=PLOTS)


@pytest.fixture(scope="module")
def sales(library: Callable[..., Library]) -> Library:
    """What was sold, with codes, prices and discounts."""
    return library(sales=SALES)


@pytest.fixture(scope="module")
def deaths(library: Callable[..., Library]) -> Library:
    """The dead, each with a day, and a manner that may be called death."""
    return library(deaths=DEATHS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("average satisfaction with the pool", [[20 / 6]]),
        ("average satisfaction with the pool, leaving out anyone who didn't answer", [[20 / 6]]),
        ("average satisfaction with the pool of those who answered", [[20 / 6]]),
        ("what share of those who answered would come again?", [[400 / 6]]),
        ("how many swimmers have quit", [[3]]),
        ("how many swimmers haven't quit", [[5]]),
        ("average fee for men and women separately", [["M", 32.5], ["F", 22.5]]),
        ("average fee of women and men taken together", [[27.5]]),
        ("average fee across all three lanes", [[27.5]]),
        ("regardless of the lane, what is the average fee of women?", [[22.5]]),
    ],
)
def test_words_of_manner_and_of_gaps_have_their_place(swimmers: Library, question: str, rows: list[list[Any]]) -> None:
    assert sorted(map(repr, swimmers.first(question))) == sorted(map(repr, rows))


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total qty of P2 sales", [[5]]),
        ("how many P1 sales were there", [[2]]),
        ("total revenue ignoring discounts", [[252.0]]),
        ("total revenue before discounts", [[252.0]]),
        ("total revenue, never mind the discount", [[252.0]]),
        ("total revenue, discounts aside", [[252.0]]),
        ("how many sales were cancelled (CX)", [[2]]),
        ("total quantity of lamps", [[6]]),
        ("quantity of lamps and desks combined", [[9]]),
        ("how many sales per payment method", [["Card", 4], ["Cash", 2]]),
    ],
)
def test_codes_glosses_and_columns_set_aside_are_read(sales: Library, question: str, rows: list[list[Any]]) -> None:
    assert sales.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("is it getting warmer? average high by year", [[2021, 15.0], [2022, 16.0]]),
        ("average high and low of each plot", [["East", 15.0, 3.5], ["West", 16.0, 4.5]]),
        ("total rain on both plots put together", [[30.0]]),
        ("highest blight rate in 2021", [["2021-04-11", 2.0]]),
    ],
)
def test_highs_lows_and_comparatives_name_what_is_figured(plots: Library, question: str, rows: list[list[Any]]) -> None:
    assert sorted(map(repr, plots.first(question))) == sorted(map(repr, rows))


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("average age of the women who died", [[50.0]]),
        ("how many people died on 1 May 2001?", [[2]]),
        ("how many people have manner Death", [[2]]),
    ],
)
def test_who_died_is_told_by_the_day_and_not_by_a_cause(deaths: Library, question: str, rows: list[list[Any]]) -> None:
    assert deaths.first(question) == rows


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("average fee of profitable swimmers", "profitable"),
        ("average fee of active swimmers", "active"),
        ("how many recent swimmers are there", "recent"),
        ("average fee of loyal women", "loyal"),
        ("how many swimmers answered the phone", "phone"),
        ("how many swimmers were absent", "absent"),
    ],
)
def test_a_word_that_may_restrict_still_stops_the_answer(swimmers: Library, question: str, word: str) -> None:
    found = swimmers.read(question)[:3]
    assert found and all(word in " ".join(each.left) for each in found)


def test_sides_that_are_put_together_are_not_split(plots: Library) -> None:
    best = plots.read("total rain on both plots put together")[0]
    assert not best.plan.by


def test_revenue_is_asked_about_where_a_discount_goes_unsaid(sales: Library) -> None:
    def run(compiled: Any) -> Any:
        made = compiled.compose(sales.catalog.dialect)
        return sales.engine.run(made.sql, made.params).table

    def fits_alone(question: str) -> bool:
        verdict = judge(sales.read(question), run, schema=sales.schema, question=question)
        return verdict.record["gates"]["no other reading fits as well"]

    assert not fits_alone("total revenue")
    assert fits_alone("total revenue before any discounts")


def test_endings_alternate_on_one_stem() -> None:
    pairs = ("satisfaction satisfied", "subscription subscribed", "submission submitted", "production producer")
    assert all(kinship(*pair.split()) >= DERIVED for pair in (*pairs, "consumption consumed", "decision decided"))
    assert not derived("attention", "attained")
    assert kinship("complication", "comply") == 0.0


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many swimmers apart from those who quit", [[5]]),
        ("average fee not counting people who quit", [[30.0]]),
        ("how many swimmers except women", [[4]]),
        ("average fee of everyone but the men", [[22.5]]),
        ("how many swimmers are there without the women", [[4]]),
    ],
)
def test_who_is_left_out_is_left_out(swimmers: Library, question: str, rows: list[list[Any]]) -> None:
    assert swimmers.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("all shops but the north: total qty", [[12]]),
        ("total qty except for sales paid by card", [[3]]),
        ("total qty excluding lamps and desks", [[14]]),
        ("total qty excluding lamps in the north", [[9]]),
    ],
)
def test_values_are_left_out_behind_all_but_and_behind_their_rows(
    sales: Library, question: str, rows: list[list[Any]]
) -> None:
    assert sales.first(question) == rows


@pytest.mark.parametrize(
    "question",
    [
        "how many swimmers, not counting women who quit",
        "average fee, leaving out swimmers who have not quit",
        "average fee excluding women and lane B",
    ],
)
def test_an_exclusion_that_two_conditions_hang_on_is_not_guessed(swimmers: Library, question: str) -> None:
    found = swimmers.read(question)[:3]
    assert found and all(each.left for each in found)


def test_pieces_or_money_is_open_where_only_selling_is_said_and_nobody_is_called_card(sales: Library) -> None:
    assert all(each.left for each in sales.read("which shop did we sell the most in")[:3])
    assert all(each.left for each in sales.read("who paid the most?")[:3])
