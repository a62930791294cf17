"""Plans that use a word for what it does not speak of, or that nobody asks for, are asked about; their like are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

TRIPS = "trip_id,depot,line,zone,departure_date,delay_min,cancelled,n_drivers,lead_driver,fuel_l\n" + "\n".join(
    f"{n + 1},{('North', 'South', 'East')[n % 3]},{('Blue', 'Red')[n % 2]},{1 + n % 4},"
    f"202{2 + n % 2}-0{1 + n % 9}-1{n % 7},"
    f"{n * 7 % 23},{int(n % 5 == 0)},{1 + n % 3},{('Ann Lee', 'Bo Ray', 'Cy Orr')[n // 2 % 3]},{20 + n * 3 % 41}"
    for n in range(60)
)
GUESTS = "guest,sex,age,room_type,birth_date,spent_eur,nights\n" + "\n".join(
    f"G{n},{'FM'[n % 2]},{20 + n * 7 % 30},{('Suite', 'Twin', 'Single')[n % 3]},19{60 + n % 40}-0{1 + n % 9}-1{n % 7},"
    f"{80 + n * 13 % 300},{1 + n % 6}"
    for n in range(48)
)
RAIN = "year,day,wet,deaths,crashes\n" + "\n".join(
    f"{2018 + n % 4},{1 + n % 28},{int(n % 3 == 0)},{n * 5 % 7},{n * 11 % 13}" for n in range(56)
)
TOWNS = "town,side,people_poor,hardness,inflation_pct\n" + "\n".join(
    f"T{n},{('North', 'South')[n % 2]},{30 + n * 17 % 50},{n * 7 % 60},{n % 9}.5" for n in range(40)
)
PRICES = "year,month_no,index\n" + "\n".join(f"{1950 + n}.0,{1 + n % 12},{80 + n * 3 % 50}" for n in range(70))


@pytest.fixture(scope="module")
def opened(library: Callable[..., Library]) -> dict[str, Library]:
    """Each table by itself."""
    tables = {"trips": TRIPS, "guests": GUESTS, "rain": RAIN, "towns": TOWNS, "prices": PRICES}
    return {name: library(**{name: text}) for name, text in tables.items()}


NOT_TOLD = [
    # A frequency is no size.
    ("guests", "what is the most common age", "highest age"),
    ("guests", "the most frequent number of nights", "highest nights"),
    ("trips", "most common delay", "highest delay"),
    # The bar belongs to what follows it, and to what it can reach.
    ("trips", "how many zones had more than 3 cancelled trips", "zone is over 3"),
    ("towns", "how many sides had over half a million people", "number of rows is over 500000"),
    # Both sides of a ratio are not its one side.
    ("guests", "ratio of men to women", "number of rows with sex is one of"),
    # How many drivers there were names none of them.
    ("trips", "which driver led the largest number of trips", "n_drivers"),
    # The worst of what is bad is the most of it.
    ("rain", "worst year for deaths", "lowest"),
    ("rain", "which year was the worst for crashes", "lowest"),
    ("trips", "which depot has the worst cancelation rate", "lowest"),
    # Several sides that are to be told apart.
    ("towns", "average hardness separately for north and south", "average hardness, where"),
    # Days of the month are not added up, and nobody was born when the money was spent.
    ("rain", "how many days were wet in 2019", "total day"),
    ("guests", "total spent in december 1975", "birth_date is between"),
    # Who is asked about is known already.
    ("towns", "poverty in T3", "list of town, where town is T3"),
]


@pytest.mark.parametrize(("table", "question", "never"), NOT_TOLD)
def test_what_was_not_asked_is_not_told(opened: dict[str, Library], table: str, question: str, never: str) -> None:
    said = opened[table].told(question)
    assert never not in said


TOLD = [
    ("guests", "what is the most common age", "age with the highest number of rows"),
    ("guests", "most frequent number of nights", "nights with the highest number of rows"),
    ("rain", "worst year for deaths", "year with the highest total deaths"),
    ("trips", "which depot has the worst cancelation rate", "depot with the highest share of rows"),
    ("trips", "average delay per line, best first", "average delay_min, by line, sorted"),
    ("trips", "busiest departure month", "month of departure_date with the highest number of rows"),
    ("guests", "room type by sex", "number of rows, by room_type and sex"),
    ("prices", "average index per year since 2000", "average index, by year, where year is at least 2000"),
    ("prices", "in which year was the index highest", "year with the highest"),
    ("towns", "ratio of hardness to people poor", "total hardness divided by total people_poor"),
    ("guests", "guests born in 1975", "list of guest"),
]


@pytest.mark.parametrize(("table", "question", "said"), TOLD)
def test_what_is_asked_is_the_first_reading(opened: dict[str, Library], table: str, question: str, said: str) -> None:
    first = opened[table].read(question)[0]
    assert first.read_back.startswith(said) and not first.left


def test_a_ratio_by_a_column_nobody_speaks_of_is_asked_about(opened: dict[str, Library]) -> None:
    verdict = opened["towns"].judged("hardness rate of T3")
    divided = verdict.best is not None and "divided by" in verdict.best.candidate.read_back
    assert verdict.kind == "offer" or not divided
