"""Whether there is any of something, or none: zeros, gaps and yes/no columns in the words that people use for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

CLERKS = """clerk,office,times_late,sick_days,complaints,bonus,score,phone,weight_kg
Ann,Bonn,0,2,1,100,7,0228-1,61
Ben,Bonn,3,0,0,0,5,,82
Cid,Ulm,0,0,4,250,9,0731-2,
Dee,Ulm,5,1,2,0,6,0731-3,70
Eva,Ulm,1,0,0,50,8,,
Fay,Kiel,0,4,0,0,4,0431-9,55
"""
HOMES = """home_id,town,price,bedrooms,garage_places,carports,air_conditioning,furnished
1,Ely,200,2,0,0,yes,yes
2,Ely,310,3,1,0,no,no
3,Rye,450,4,2,2,yes,no
4,Rye,150,1,0,0,no,yes
5,Rye,520,5,3,0,yes,no
6,Ware,275,3,1,1,yes,no
7,Ware,330,3,2,0,no,yes
"""
WEATHER = """date,station,rain_mm,snow_cm,tmax
2024-01-01,Hill,0,0,5
2024-01-02,Hill,3.2,0,6
2024-01-03,Hill,0,4,1
2024-01-04,Hill,12.5,1.5,2
2024-01-05,Dale,0,0,7
2024-02-01,Dale,0.4,0,8
2024-02-02,Dale,0,0,9
2024-02-03,Dale,7,0,6
"""
STAYS = """stay_id,guest,nights,review_score,first_timer,repeat_customer,paid,gender,refund_eur
1,Al,2,8,yes,no,yes,M,0
2,Bo,3,,no,yes,no,F,
3,Cy,1,9,yes,no,yes,,20
4,Di,5,,no,yes,yes,F,5
5,Ed,2,7,yes,no,no,,
6,Flo,4,10,no,yes,yes,M,0
"""
TRIPS = """trip_id,driver,depot,km,breakdowns,tickets
1,Abe,East,120,0,0
2,Abe,East,80,1,0
3,Bo,East,95,0,0
4,Bo,West,60,0,0
5,Cy,West,200,2,1
6,Cy,West,30,0,0
7,Di,North,75,0,2
8,Di,North,90,0,0
"""


@pytest.fixture(scope="module")
def clerks(library: Callable[..., Library]) -> Library:
    """Clerks with what they did and got how often, some of it never."""
    return library(clerks=CLERKS)


@pytest.fixture(scope="module")
def homes(library: Callable[..., Library]) -> Library:
    """Homes for sale, with and without garages."""
    return library(homes=HOMES)


@pytest.fixture(scope="module")
def weather(library: Callable[..., Library]) -> Library:
    """Days at two stations."""
    return library(weather=WEATHER)


@pytest.fixture(scope="module")
def stays(library: Callable[..., Library]) -> Library:
    """Stays of guests, some of whom left a review."""
    return library(stays=STAYS)


@pytest.fixture(scope="module")
def trips(library: Callable[..., Library]) -> Library:
    """Trips of drivers, several each."""
    return library(trips=TRIPS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many clerks were never late", [[3]]),
        ("was anybody never late? how many", [[3]]),
        ("who never took a sick day", [["Ben"], ["Cid"], ["Eva"]]),
        ("who got no bonus", [["Ben"], ["Dee"], ["Fay"]]),
        ("how many clerks didn't get a bonus", [[3]]),
        ("how many clerks had at least one sick day", [[3]]),
        ("how many clerks got a bonus", [[3]]),
        ("how many clerks were late at least once", [[3]]),
        ("who was ever late", [["Ben"], ["Dee"], ["Eva"]]),
        ("how many clerks have a phone number", [[4]]),
        ("how many have no weight on file", [[2]]),
        ("for how many clerks do we not know the phone number", [[2]]),
    ],
)
def test_none_is_zero_and_some_is_more_where_a_number_counts(
    clerks: Library, question: str, rows: list[list[Any]]
) -> None:
    assert clerks.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many homes have air conditioning and a garage", [[3]]),
        ("how many homes have no garage", [[2]]),
        ("average price of homes with a carport", [[362.5]]),
        ("share of homes with a garage", [[pytest.approx(500 / 7)]]),
        ("how many unfurnished homes have a garage", [[4]]),
        ("which towns have no homes with a carport", [["Ely"]]),
    ],
)
def test_what_a_home_has_is_there_at_least_once(homes: Library, question: str, rows: list[list[Any]]) -> None:
    assert homes.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many days did it rain", [[4]]),
        ("how many days with snow", [[2]]),
        ("how many dry days", [[4]]),
        ("how many rainy days were there in February", [[2]]),
        ("how many days had no rain and no snow", [[3]]),
        ("when did it last rain", [["2024-02-03"]]),
        ("which stations never had snow", [["Dale"]]),
    ],
)
def test_rain_is_there_where_any_fell(weather: Library, question: str, rows: list[list[Any]]) -> None:
    assert weather.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many left a review", [[4]]),
        ("what proportion of guests left a review", [[pytest.approx(200 / 3)]]),
        ("how many guests didn't leave a review", [[2]]),
        ("for how many stays do we not know the guest's gender", [[2]]),
        ("what percentage were doing it for the first time", [[50.0]]),
        ("average nights of first timers", [[pytest.approx(5 / 3)]]),
        ("repeat customers vs new ones", [[False, 3], [True, 3]]),
        ("how many unpaid stays are there", [[2]]),
        ("what share of unpaid stays got a review", [[50.0]]),
    ],
)
def test_what_may_be_left_empty_is_there_where_it_is_known(
    stays: Library, question: str, rows: list[list[Any]]
) -> None:
    assert stays.first(question) == rows


@pytest.mark.parametrize(
    "question", ["how many guests got a refund", "who never got a refund", "guests without a refund"]
)
def test_a_column_of_zeros_and_gaps_is_asked_about(stays: Library, question: str) -> None:
    assert stays.judged(question).kind == "offer"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("which drivers never had a breakdown", [["Bo"], ["Di"]]),
        ("how many drivers have no tickets", [[2]]),
        ("which depots had no tickets", [["East"]]),
        ("drivers with at least one ticket", [["Cy"], ["Di"]]),
        ("what percentage of drivers had a breakdown", [[50.0]]),
        ("total km of trips with a breakdown", [[280]]),
    ],
)
def test_who_has_none_has_none_in_any_row(trips: Library, question: str, rows: list[list[Any]]) -> None:
    assert trips.first(question) == rows


@pytest.mark.parametrize("question", ["is the phone number known for everyone", "do all clerks have a phone number"])
def test_some_are_not_all(clerks: Library, question: str) -> None:
    assert clerks.judged(question).kind == "offer"


@pytest.mark.parametrize("question", ["clerks with a score above 6", "which clerks have a bonus over 60"])
def test_a_bar_behind_the_name_is_what_is_meant(clerks: Library, question: str) -> None:
    assert len(clerks.first(question)) in {2, 3} and "over 0" not in clerks.read(question)[0].read_back


def test_a_number_that_is_only_named_beside_the_rows_is_asked_about(clerks: Library) -> None:
    assert clerks.judged("list clerks with complaints").kind == "offer"
