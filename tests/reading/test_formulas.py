"""Arithmetic that a question spells out, several numbers as one, and two columns held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from averment.plans.readback import read_back
from averment.plans.text import parse_text, to_text
from averment.reading.reader import read
from averment.reading.slots.preamble import without_preamble

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

ADS = """campaign,channel,impressions,clicks,spend,revenue
Spring,Search,10000,400,200,900
Spring,Social,20000,300,150,300
Summer,Search,8000,500,260,1200
Summer,Social,30000,450,300,500
Autumn,Email,5000,350,50,700
"""
STAYS = """guest,room_type,nights,nightly_rate,cleaning_fee,city
Ada,single,3,80,20,Oslo
Ben,double,2,120,30,Oslo
Cia,suite,1,300,50,Rome
Dan,double,4,110,30,Rome
"""
PUPILS = """pupil,class,maths,english,science
Ann,7a,60,70,80
Bob,7a,90,50,70
Cal,7b,40,65,55
Dee,7b,85,80,95
"""
MATCHES = """match_id,played_on,home_team,away_team,home_goals,away_goals
1,2024-01-01,Reds,Blues,2,1
2,2024-01-08,Blues,Greens,0,0
3,2024-01-15,Greens,Reds,1,3
4,2024-02-01,Reds,Greens,1,1
5,2024-02-08,Blues,Reds,4,2
"""
HOUSES = """address,town,asking_price,sold_price,listed_on,sold_on
1 Elm,Ely,200,190,2023-01-10,2023-03-01
2 Oak,Ely,250,260,2023-02-11,2023-03-15
3 Ash,Diss,180,180,2023-02-20,2023-06-01
4 Fir,Diss,300,285,2023-03-05,2023-05-20
5 Yew,Ely,320,330,2023-04-01,2023-04-30
"""
REGIONS = """province,zone,pop_1966,pop_1971,schools_1966,schools_1971
North,A,100,120,10,12
South,A,300,280,30,25
East,B,250,250,22,24
West,B,400,390,41,40
"""
BUDGETS = """department,year,quarter,budget,actual
IT,2022,1,100,90
IT,2022,2,100,115
IT,2023,1,120,130
IT,2023,2,120,125
HR,2022,1,50,55
HR,2022,2,50,45
HR,2023,1,60,50
HR,2023,2,60,65
"""
DEPOT = {
    "warehouses": "wh_id,wh_name,country\n1,Hull,UK\n2,Lyon,France\n3,Graz,Austria\n",
    "parcels": (
        "parcel_id,wh_id,dest_country,promised_on,delivered_on,weight_kg\n"
        "1,1,UK,2024-01-05,2024-01-04,2.5\n2,1,France,2024-01-06,2024-01-08,1.0\n3,2,France,2024-01-07,2024-01-07,4.0\n"
        "4,2,Spain,2024-02-01,2024-02-03,3.0\n5,3,Austria,2024-02-02,2024-02-02,5.0\n"
    ),
}
WORK = {
    "clerks": "clerk_id,name,hourly_cost\n1,Ann,10\n2,Ben,20\n",
    "shifts": "shift_id,clerk_id,site,hours\n1,1,A,2\n2,1,B,3\n3,2,A,4\n",
}


@pytest.fixture(scope="module")
def tables(library: Callable[..., Library]) -> dict[str, Library]:
    """Tables of several walks of life, by what they hold."""
    single = {"ads": ADS, "stays": STAYS, "pupils": PUPILS, "matches": MATCHES, "houses": HOUSES}
    single |= {"regions": REGIONS, "budgets": BUDGETS}
    return {name: library(**{name: text}) for name, text in single.items()} | {
        "depot": library(**DEPOT),
        "work": library(**WORK),
    }


def _first(library: Library, question: str) -> list[list[Any]]:
    """What the best reading gives, after what the question defines; it must leave no word over."""
    text, schema = without_preamble(question, library.schema)
    best = read(text, schema)[0]
    assert best.left == (), (best.left, best.read_back)
    found = library.rows(best)
    return [[round(cell, 4) if isinstance(cell, float) else cell for cell in row] for row in found]


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        (
            "ads",
            "click through rate by channel (clicks / impressions)",
            [["Email", 0.07], ["Search", 0.05], ["Social", 0.015]],
        ),
        (
            "ads",
            "ctr per channel, i.e. clicks divided by impressions",
            [["Email", 0.07], ["Search", 0.05], ["Social", 0.015]],
        ),
        (
            "ads",
            "what is our ctr, clicks/impressions, per channel",
            [["Email", 0.07], ["Search", 0.05], ["Social", 0.015]],
        ),
        ("ads", "ctr of search in percent (clicks / impressions * 100)", [[5.0]]),
        ("ads", "total search profit (revenue minus spend)", [[1640]]),
        ("ads", "which channel has the best return: revenue / spend", [["Email", 14.0]]),
        ("stays", "total income by city (nights x rate)", [["Rome", 740], ["Oslo", 480]]),
        ("stays", "average of nights x nightly rate", [[305.0]]),
        ("stays", "average bill per city (nights * rate + cleaning fee)", [["Rome", 410.0], ["Oslo", 265.0]]),
        ("budgets", "average of budget - actual by department", [["HR", 1.25], ["IT", -5.0]]),
        ("work", "staff cost per site (hours times hourly cost)", [["A", 100], ["B", 30]]),
    ],
)
def test_a_formula_says_what_its_figure_is(
    tables: dict[str, Library], table: str, question: str, rows: list[list[Any]]
) -> None:
    assert _first(tables[table], question) == rows


def test_no_name_reaches_across_a_sign(tables: dict[str, Library]) -> None:
    said = [each.read_back for each in tables["stays"].read("average of nights * rate by city")]
    assert said[0] == "average nights times nightly_rate, by city, in stays"


def test_a_value_before_a_figure_is_no_part_of_its_name(tables: dict[str, Library]) -> None:
    text, schema = without_preamble("total search profit (revenue minus spend)", tables["ads"].schema)
    assert text == "total search profit"
    assert [meaning.word for meaning in schema.taught] == ["profit"]


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        ("pupils", "all three marks added up for each pupil", [["Dee", 260], ["Ann", 210], ["Bob", 210], ["Cal", 160]]),
        ("pupils", "which pupil has the highest total of maths, english and science", [["Dee", 260]]),
        ("pupils", "who has the best average of the three marks", [["Dee", 86.6667]]),
        ("pupils", "pupils with maths and english combined under 120", [["Cal"]]),
        ("pupils", "sum of maths and english by class", [["7a", 270], ["7b", 270]]),
        ("matches", "home and away goals together per month", [["2024-01-01", 7], ["2024-02-01", 8]]),
        ("matches", "total of home and away goals", [[15]]),
        ("matches", "average of home and away goals combined", [[3.0]]),
        ("matches", "how many matches had home and away goals added together above 3", [[2]]),
        (
            "stays",
            "nightly rate plus cleaning fee of each guest",
            [["Cia", 350], ["Ben", 150], ["Dan", 140], ["Ada", 100]],
        ),
    ],
)
def test_several_numbers_of_a_row_are_one(
    tables: dict[str, Library], table: str, question: str, rows: list[list[Any]]
) -> None:
    assert _first(tables[table], question) == rows


def test_totals_of_unlike_numbers_are_asked_about(tables: dict[str, Library]) -> None:
    assert tables["ads"].judged("total of clicks and impressions by channel").kind == "offer"


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        ("houses", "percentage of houses that sold above asking price", [[40.0]]),
        ("houses", "how many houses sold for less than the asking price", [[2]]),
        ("houses", "which house sold exactly at the asking price", [["3 Ash"]]),
        ("houses", "share of houses in Ely that sold over asking", [[66.6667]]),
        ("houses", "how many houses were sold below their asking price in March", [[1]]),
        ("pupils", "percentage of pupils whose maths mark is higher than their english mark", [[50.0]]),
        ("matches", "in how many matches were home goals and away goals the same", [[2]]),
        ("matches", "how many matches had home goals equal to away goals", [[2]]),
        ("depot", "how many parcels were delivered later than promised", [[2]]),
        ("depot", "share of parcels delivered after the promised date", [[40.0]]),
        ("depot", "how many parcels stayed within the same country as their warehouse", [[3]]),
        ("depot", "how many parcels were delivered exactly on the promised day", [[2]]),
    ],
)
def test_two_columns_of_a_row_are_held_against_each_other(
    tables: dict[str, Library], table: str, question: str, rows: list[list[Any]]
) -> None:
    assert _first(tables[table], question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("which provinces shrank in population between 1966 and 1971", [["South"], ["West"]]),
        ("how many provinces grew in population from 1966 to 1971", [[1]]),
        ("which province gained the most people between 1966 and 1971", [["North", 20]]),
        ("provinces with fewer schools in 1971 than in 1966", [["South"], ["West"]]),
        ("average increase in schools from 1966 to 1971 by zone", [["B", 0.5], ["A", -1.5]]),
        ("share of provinces that lost schools between 1966 and 1971", [[50.0]]),
    ],
)
def test_years_name_the_columns_that_are_called_by_them(
    tables: dict[str, Library], question: str, rows: list[list[Any]]
) -> None:
    assert _first(tables["regions"], question) == rows


def test_of_two_series_that_a_question_does_not_tell_apart_none_is_meant(tables: dict[str, Library]) -> None:
    assert tables["regions"].judged("which provinces shrank between 1966 and 1971").kind == "offer"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("departments that went over budget in 2023", [["IT", 15]]),
        ("which departments spent more than their budget in 2022", [["IT", 5]]),
        ("how many departments went over budget in 2023", [[1]]),
        ("departments that were ever over budget", [["HR"], ["IT"]]),
    ],
)
def test_what_many_rows_make_up_together_is_held_against_a_budget(
    tables: dict[str, Library], question: str, rows: list[list[Any]]
) -> None:
    assert _first(tables["budgets"], question) == rows


def test_two_columns_that_are_the_same_are_said_and_written_so(tables: dict[str, Library]) -> None:
    plan = tables["matches"].read("how many matches had home goals equal to away goals")[0].plan
    assert read_back(plan) == "number of rows, where home_goals is the same as away_goals, in matches"
    assert parse_text(to_text(plan)) == plan


def test_words_that_ask_for_something_do_not_describe_a_column(tables: dict[str, Library]) -> None:
    text, _ = without_preamble("highest click numbers (clicks)", tables["ads"].schema)
    assert text == "highest clicks"
