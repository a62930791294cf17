"""What a word is said to mean is read like a question, and the word is then a span of every question that says it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.reading.conftest import AUTHORS, BOOKS, Library

from averment.reading.understand import understand

SHOPS = """shop,region,status,opened,revenue,cost,visitors,orders
Anton,North,active,2019-04-02,120,80,60,12
Berta,North,closed,2020-07-15,90,95,45,9
Cilly,South,active,2023-02-01,200,120,50,20
Doro,South,active,2024-03-09,60,30,40,4
Emil,West,paused,2021-11-30,75,50,25,5
Frida,East,active,2024-01-12,150,100,100,30
"""
FLIGHTS = """carrier,origin,delay,distance,cancelled
AA,Oslo,12,500,no
BB,Oslo,-3,300,no
CC,Rome,95,1200,yes
AA,Rome,45,900,no
DD,Bonn,0,200,no
BB,Bonn,130,2000,yes
"""


@pytest.fixture(scope="module")
def shops(library: Callable[..., Library]) -> Library:
    """Shops with what they take in and spend."""
    return library(shops=SHOPS)


@pytest.fixture(scope="module")
def flights(library: Callable[..., Library]) -> Library:
    """Flights with their delays."""
    return library(flights=FLIGHTS)


@pytest.fixture(scope="module")
def lent_books(library: Callable[..., Library]) -> Library:
    """Books and their authors."""
    return library(authors=AUTHORS, books=BOOKS)


@pytest.fixture(autouse=True)
def forget(shops: Library, flights: Library, lent_books: Library) -> Iterator[None]:
    """Nothing is taught before a test."""
    for each in (shops, flights, lent_books):
        each.schema.taught = ()
    yield


def teach(library: Library, word: str, means: str) -> str:
    meaning = understand(word, means, library.schema)
    assert meaning is not None, means
    taught = (*library.schema.taught, meaning)
    library.schema.taught = tuple(sorted(taught, key=lambda each: -len(each.word.split())))
    return f"{meaning.kind}: {meaning.in_words()}"


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ("revenue", "column: revenue"),
        ("the column visitors", "column: visitors"),
        ("revenue minus cost", "formula: revenue minus cost"),
        ("revenue - cost", "formula: revenue minus cost"),
        ("(revenue - cost) / revenue", "formula: (revenue minus cost) divided by revenue"),
        ("revenue times 0.19", "formula: revenue times 0.19"),
        ("cost / 12", "formula: cost divided by 12"),
        ("average revenue", "formula: average revenue"),
        ("total revenue divided by total orders", "formula: total revenue divided by total orders"),
        ("number of shops", "formula: number of rows of shops"),
        ("status = 'active' and opened after 2022", "condition: status is active and opened is at least 2023-01-01"),
        ("revenue above 100", "condition: revenue is over 100"),
        ("more than 30 visitors", "condition: visitors is over 30"),
        ("status is closed or paused", "condition: status is one of closed, paused"),
        ("Anton, Berta and Cilly", "list: shop is one of Anton, Berta, Cilly"),
        ("North, South", "list: region is one of North, South"),
    ],
)
def test_what_a_word_means_is_read_as_one_of_four_kinds(shops: Library, means: str, said: str) -> None:
    assert teach(shops, "zork", means) == said


@pytest.mark.parametrize("means", ["blue cheese", "by region", "revenue by region", "", "the best shops"])
def test_what_cannot_be_a_meaning_is_none(shops: Library, means: str) -> None:
    assert understand("zork", means, shops.schema) is None


@pytest.mark.parametrize(
    ("word", "means", "question", "rows"),
    [
        ("margin", "revenue minus cost", "total margin by status", [["active", 200], ["closed", -5], ["paused", 25]]),
        ("margin", "revenue minus cost", "which shop has the highest margin", [["Cilly", 80]]),
        ("margin", "revenue minus cost", "how many shops have a margin above 30", [[3]]),
        ("takings", "revenue", "what is the average takings in the South", [[130]]),
        ("basket", "total revenue divided by total orders", "basket by region", None),
        ("thriving shops", "status = 'active' and revenue above 100", "how many thriving shops are there", [[3]]),
        ("thriving shops", "status = 'active' and revenue above 100", "total cost of thriving shops by region", None),
        ("rich", "revenue above 100", "number of rich shops by region", [["North", 1], ["South", 1], ["East", 1]]),
        ("rich", "revenue above 100", "how many shops are not rich", [[3]]),
        ("newcomers", "opened after 2022", "list the newcomers", [["Cilly"], ["Doro"], ["Frida"]]),
        ("newcomers", "opened after 2022", "total revenue of newcomers", [[410]]),
        ("coast", "North, West", "total revenue on the coast", [[285]]),
        ("big three", "Anton, Cilly, Frida", "total visitors of the big three", [[210]]),
        ("big three", "Anton, Cilly, Frida", "revenue of the big three by shop", None),
    ],
)  # fmt: skip
def test_a_taught_word_is_used_wherever_it_is_said(
    shops: Library, word: str, means: str, question: str, rows: list[list[Any]]
) -> None:
    teach(shops, word, means)
    found = shops.first(question)
    meaning = shops.schema.taught[0]
    assert meaning.stands_in(shops.read(question)[0].plan)
    if rows is not None:
        assert sorted(found, key=str) == sorted(rows, key=str)


@pytest.mark.parametrize(
    ("word", "means", "question", "rows"),
    [
        ("lateness", "delay", "average lateness by carrier", [["AA", 28.5], ["BB", 63.5], ["CC", 95], ["DD", 0]]),
        ("late flights", "delay over 30", "how many late flights were there from Rome", [[2]]),
        (
            "late flights",
            "delay over 30",
            "share of late flights by origin",
            [["Oslo", 0], ["Bonn", 50], ["Rome", 100]],
        ),
        ("long haul", "distance of at least 900", "average delay of long haul flights", [[90]]),
        ("the alliance", "AA, BB", "how many flights of the alliance were cancelled", [[1]]),
        ("speediness", "distance / delay", "maximum speediness where delay is over 100", [[pytest.approx(2000 / 130)]]),
    ],
)
def test_taught_words_work_over_other_tables(
    flights: Library, word: str, means: str, question: str, rows: list[list[Any]]
) -> None:
    teach(flights, word, means)
    assert sorted(flights.first(question)) == sorted(rows)


def test_a_taught_word_may_lean_on_another(shops: Library) -> None:
    teach(shops, "margin", "revenue minus cost")
    assert (
        teach(shops, "margin rate", "margin divided by revenue") == "formula: (revenue minus cost) divided by revenue"
    )
    assert shops.first("margin rate of Anton") == [[pytest.approx(1 / 3)]]


def test_a_taught_word_inside_a_longer_name_is_left_alone(library: Callable[..., Library]) -> None:
    tables = library(orders="region,net_revenue,amount\nWest,1,5\nEast,2,7\nWest,4,9\n")
    teach(tables, "revenue", "amount")
    assert tables.first("total net revenue") == [[7]]
    assert tables.first("total revenue") == [[21]]


def test_a_taught_condition_reaches_over_joined_tables(lent_books: Library) -> None:
    teach(lent_books, "southern authors", "country is Chile or Peru")
    teach(lent_books, "stock value", "price times copies")
    assert lent_books.first("how many southern authors are there") == [[3]]
    assert lent_books.first("total stock value of southern authors") == [[890]]
