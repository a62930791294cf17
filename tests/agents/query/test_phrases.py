"""Reading by phrases: lists, splits, rankings, definitions, spans of time, texts and what two readings say together."""

import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from averment.agents.analyst.query.build import Builder
from averment.agents.analyst.query.mentions import mark
from averment.agents.analyst.query.phrases.cut import Cutter
from averment.agents.analyst.query.phrases.defined import read_definitions
from averment.agents.analyst.query.phrases.read import read_phrases
from averment.agents.analyst.query.reading import describe
from averment.agents.analyst.query.understand import understand
from averment.agents.analyst.query.vocabulary import Vocabulary, vocabulary
from averment.agents.analyst.skill import Question
from averment.settings import Settings
from averment.tables.compose_select import compose_select
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.select_spec import Select
from averment.tables.sources import open_sources

SHOP = """
CREATE TABLE customers (id INTEGER, full_name TEXT, state TEXT, status TEXT, joined_at TEXT);
CREATE TABLE sales (id INTEGER, customer_id INTEGER, sale_price REAL, sale_date TEXT, paid_date TEXT);
CREATE TABLE reviews (id INTEGER, customer_id INTEGER, rating INTEGER);
INSERT INTO customers VALUES (1,'Ann Ash','CA','active','2024-01-05'),(2,'Bo Birch','CA','closed','2024-02-07'),
    (3,'Cy Cedar','NY','active','2024-02-20'),(4,'Di Dogwood','NY','active','2024-03-01');
INSERT INTO sales VALUES (10,1,100,'2024-11-01','2024-11-03'),(11,1,300,'2024-12-14','2024-12-18'),
    (12,2,50,'2024-12-15','2024-12-15'),(13,3,250,'2024-12-20','2024-12-26');
INSERT INTO reviews VALUES (20,1,5),(21,1,4),(22,3,2);
"""


class Shop:
    """A shop's tables, read by phrases alone."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.engine = Engine(open_sources([path], settings=Settings(), cache_dir=cache), Settings())
        self.profiles = tuple(profile(self.engine, table.name) for table in self.engine.catalog.tables)

    def question(self, text: str) -> Question:
        return Question(
            text=text,
            profiles=self.profiles,
            catalog=self.engine.catalog,
            engine=self.engine,
            anchor=date(2025, 1, 15),
        )

    @property
    def known(self) -> Vocabulary:
        return vocabulary(self.question("anything"))

    def select(self, text: str, notes: str = "") -> Select:
        read = read_phrases(
            mark(text, self.known), self.known, date(2025, 1, 15), read_definitions(notes, text, self.known)
        )
        assert read is not None
        return Builder(read.draft, self.known).build()

    def rows(self, text: str, notes: str = "") -> list[tuple[object, ...]]:
        composed = compose_select(self.select(text, notes), self.engine.catalog.dialect)
        table = self.engine.run(composed.sql, composed.params).table
        return list(zip(*(each.to_pylist() for each in table.columns), strict=True))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    home = tmp_path_factory.mktemp("shop")
    with sqlite3.connect(home / "shop.sqlite") as made:
        made.executescript(SHOP)
    opened = Shop(home / "shop.sqlite", home / "cache")
    yield opened
    opened.engine.close()


def test_a_list_of_what_to_return_decides_the_columns(shop: Shop) -> None:
    rows = shop.rows(
        "What are the top 2 states by total sale price? Return the state, number of sales and total sale price."
    )
    assert rows == [("CA", 3, 450.0), ("NY", 1, 250.0)]


def test_a_question_is_cut_into_items_splits_and_ranking(shop: Shop) -> None:
    text = "What is the average sale price for each state, ordered by average sale price in descending order?"
    asked = Cutter(mark(text, shop.known), shop.known.names).cut()
    assert asked is not None
    assert [(item.kind, item.words) for item in asked.items] == [("avg", ("sale", "price"))]
    assert [item.words for item in asked.splits] == [("state",)]
    assert [sort.down for sort in asked.sorts] == [True]


def test_the_past_days_reach_back_to_the_day_so_many_days_ago(shop: Shop) -> None:
    assert shop.rows("How many sales were there in the past 31 days?") == [(2,)]
    assert shop.rows("How many sales were there in the past 30 days?") == [(1,)]


def test_a_term_is_computed_as_its_note_defines_it(shop: Shop) -> None:
    notes = "ASP (average selling price) = total sale price / number of sales. To list customers, join the tables."
    assert shop.rows("What is the ASP for each state?", notes) == [("NY", 250.0), ("CA", 150.0)]


def test_a_defined_share_counts_each_side_under_its_own_conditions(shop: Shop) -> None:
    notes = "AR = (number of active customers / number of customers) * 100"
    assert sorted(shop.rows("What is the AR for each state?", notes)) == [("CA", 50.0), ("NY", 100.0)]


def test_a_rank_is_told_beside_what_it_ranks(shop: Shop) -> None:
    notes = "CR = customer rank by total sale price, with rank 1 being the highest"
    rows = shop.rows("Return the customer name, total sale price and CR for all customers", notes)
    assert [(row[0], row[2]) for row in rows] == [("Ann Ash", 1), ("Cy Cedar", 2), ("Bo Birch", 3)]


def test_a_change_is_taken_from_one_month_to_the_next(shop: Shop) -> None:
    notes = "MoM change = (current month value - previous month value)."
    rows = shop.rows("What is the total sale price per month? Also calculate the MoM change for each month.", notes)
    assert rows == [("2024-11-01", 100.0, None), ("2024-12-01", 600.0, 500.0)]


def test_the_days_between_two_dates_are_averaged(shop: Shop) -> None:
    assert shop.rows("What is the average number of days between the sale date and the paid date?") == [(3.0,)]


def test_a_text_is_tested_by_its_beginning_or_its_end(shop: Shop) -> None:
    found = shop.rows("How many customers have a full name that starts with 'A' or ends with 'birch'?")
    assert found == [(2,)]


def test_rows_without_a_partner_are_found(shop: Shop) -> None:
    assert shop.rows("Return the customer id and full name of customers who have not made any sales") == [
        (4, "Di Dogwood")
    ]


def test_a_part_of_a_count_is_counted_beside_it(shop: Shop) -> None:
    rows = shop.rows(
        "How many sales occurred in each of the last 5 weeks excluding the current week? "
        "How many of these happened on weekends?"
    )
    assert rows == [("2024-12-09", 2, 2), ("2024-12-16", 1, 0)]


def test_a_ratio_of_two_tables_takes_each_by_itself(shop: Shop) -> None:
    assert shop.rows("What is the ratio of sales to reviews in the database?") == [(pytest.approx(4 / 3),)]


def test_a_question_that_names_nothing_is_not_read(shop: Shop) -> None:
    text = "What is the weather in Lisbon?"
    assert read_phrases(mark(text, shop.known), shop.known, None) is None


def test_two_readings_of_one_result_are_one_and_say_that_they_agree(shop: Shop) -> None:
    found = understand(shop.question("How many customers are there in each state?"))
    assert len(found) == 1
    assert found[0].signs["readers_same"] == 1.0


def test_a_formula_is_shown_in_words(shop: Shop) -> None:
    words = describe(shop.select("What is the ASP for each state?", "ASP = total sale price / number of sales."))
    assert "ASP (total sale_price / distinct count of id)" in words


def test_the_same_question_is_read_the_same_way_twice(shop: Shop) -> None:
    text = "What are the top 2 states by total sale price? Return the state and number of sales."
    assert shop.select(text) == shop.select(text)
