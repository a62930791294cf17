"""Ordinary words over tables that were not made for them: rankings by participles, spellings, units, heads, denials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.reading.conftest import Library

CAFES = """cafe,guest_score,seats_fee,km_to_centre,opened,How,area_m2
Anchor,8.1,12.0,0.4,1998,card,40
Bluebell,9.3,15.5,2.2,2015,cash,55
Cedar,6.7,9.0,1.1,1971,card,80
Dune,7.9,30.0,3.5,2021,cash,35
"""

CRASHES = """ref,day,street,nbKilled,nbInjured,alcohol,vehicle_no,vehicle_type
1,2023-02-03,Mill Road,1,2,Y,17,van
2,2023-02-14,High Street,0,4,N,17,van
3,2023-05-30,Mill Road,2,0,,22,car
4,2024-01-09,Quay,0,1,N,31,car
"""

ARRIVALS = """Month,Residence,Visitors,spend_eur
Jan 2023,Norway,1200,
Feb 2023,Norway,1500,510000
Jan 2023,Peru,300,90000
Feb 2023,Peru,200,
"""

HARVEST = """Year,Crop,harvest_t,legal_limit,residue
2022,Oats,12.5,3.0,2.5
2022,Rye,7.0,3.0,3.6
2023,Oats,14.0,2.0,2.4
2023,Rye,9.5,2.0,1.1
"""

HOUSES = """Address,Agent,sale_price,sold_on
1 Elm Lane,Ida,420000,2023-03-01
2 Elm Lane,Ida,610000,2023-04-11
9 Oak Road,Per,505000,2023-04-20
3 Oak Road,Per,390000,2023-06-02
"""

INVOICES = """invoice_no,client,amount_due,phone
1,Acme,120,555
2,Birk,80,
3,Cole,300,777
"""


@pytest.fixture
def over(library: Callable[..., Library]) -> Callable[[str], Library]:
    texts = {"cafes": CAFES, "crashes": CRASHES, "arrivals": ARRIVALS, "harvest": HARVEST, "houses": HOUSES}
    texts["invoices"] = INVOICES
    return lambda name: library(**{name: texts[name]})


@pytest.mark.parametrize(
    ("table", "question", "first"),
    [
        ("cafes", "the best rated cafe", "Bluebell"),
        ("cafes", "which cafe is the worst rated", "Cedar"),
        ("cafes", "oldest cafe", "Cedar"),
        ("cafes", "what is the newest cafe", "Dune"),
        ("cafes", "which cafe is closest to the center", "Anchor"),
        ("houses", "priciest house", "2 Elm Lane"),
        ("crashes", "how many people were killed in 2023", 3),
        ("crashes", "number of people injured on Mill Road", 2),
        ("crashes", "how many crashes were there in Febuary", 2),
        ("crashes", "how many different vehicles were involved", 3),
        ("houses", "how many houses sold for over half a million", 2),
        ("harvest", "how many tonnes of oats were harvested in 2022", 12.5),
        ("arrivals", "how many rows have no spend recorded", 2),
        ("invoices", "who owes the most", "Cole"),
        ("invoices", "how many clients don't have a phone", 1),
    ],
)
def test_an_ordinary_question_is_read(over: Callable[[str], Library], table: str, question: str, first: Any) -> None:
    found = over(table).first(question)
    assert any(value == first or str(value) == str(first) for value in found[0]), found


def test_a_number_is_held_against_the_limit_in_its_own_row(over: Callable[[str], Library]) -> None:
    library = over("harvest")
    found = library.read("how many were above the legal limit")
    assert [2] in [row for each in found if not each.left for row in library.rows(each)]


def test_how_many_visitors_may_be_how_many_came(over: Callable[[str], Library]) -> None:
    library = over("arrivals")
    found = library.read("how many tourists came from Norway in 2023")
    assert [2700] in [row for each in found if not each.left for row in library.rows(each)]


def test_people_of_one_sex_are_not_all_the_rows(over: Callable[[str], Library]) -> None:
    found = over("invoices").read("how many women were invoiced")
    assert found and all(each.left for each in found)


def test_a_column_called_how_is_not_what_how_much_asks_for(over: Callable[[str], Library]) -> None:
    found = over("cafes").read("how much does Anchor charge")
    assert found and not [each for each in found if not each.left and "How" in each.read_back]


def test_what_is_written_down_nowhere_cannot_be_written_down_as_well(over: Callable[[str], Library]) -> None:
    said = [each.read_back for each in over("arrivals").read("how many rows have no spend recorded")]
    assert said and not [one for one in said if "is missing" in one and "is known" in one]
