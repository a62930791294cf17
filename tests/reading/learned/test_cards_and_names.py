"""Cards show what tables hold, and what a model writes gets names and values that exist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.reading.conftest import AUTHORS, BOOKS, RIDES, Library

from averment.plans.real_names import Names, with_real_names
from averment.reading.learned.cards import Card, card_of
from averment.reading.schema.gather import texts_of
from averment.reading.schema.implied_joins import hang_together
from averment.tables.profile.profiler import profile

NAMES = Names(
    {"rides": ["id", "City", "fare_eur", "helmet worn"], "bikes": ["bike_id", "ride_id", "order", "brand"]},
    {("rides", "City"): ["Oslo", "Bergen", "Sankt Pölten"], ("bikes", "brand"): ["O'Neill", "Hase"]},
)


def card(library: Library) -> Card:
    profiles = [profile(library.engine, table.name) for table in library.catalog.tables]

    def ask(sql: str, params: Any) -> list[dict[str, Any]]:
        return library.engine.run(sql, params).table.to_pylist()

    texts = {(each.table, name): values for each in profiles for name, values in texts_of(each, ask).items()}
    return card_of(profiles, hang_together(library.engine, profiles), texts)


def test_a_card_tells_each_columns_kind_range_values_and_gaps(library: Callable[..., Library]) -> None:
    text = card(library(rides=RIDES)).text
    assert text.startswith("rides [8 rows]: id int 1..8 unique; ")
    assert "city text 'Oslo'|'Bergen'|'Moss'; plan text " in text
    assert "started date 2023-01-04..2024-03-05" in text
    assert "fare num 2.25..12 1 missing" in text


def test_a_card_tells_what_joins_its_tables(library: Callable[..., Library]) -> None:
    assert card(library(authors=AUTHORS, books=BOOKS)).text.splitlines()[-1] == "books.author_id = authors.author_id"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("how many rides in Bergen", ["rides.city = 'Bergen'"]),
        ("rides in bergn", ["rides.city = 'Bergen'"]),
        ("which months", ["rides.plan = 'month'"]),
        ("the longest of all", []),
    ],
)
def test_values_are_found_as_they_stand_in_the_plural_and_spelt_nearly_so(
    library: Callable[..., Library], question: str, found: list[str]
) -> None:
    assert card(library(rides=RIDES)).found(question) == found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("SELECT AVG(fare) FROM ride", "SELECT AVG(fare_eur) FROM rides"),
        ("SELECT helmet_worn FROM rides", 'SELECT "helmet worn" FROM rides'),
        ("SELECT order FROM bikes", 'SELECT "order" FROM bikes'),
        ("SELECT b.City FROM rides AS r JOIN bikes AS b ON r.id = b.ride_id",
         "SELECT r.City FROM rides AS r JOIN bikes AS b ON r.id = b.ride_id"),
        ("SELECT id FROM rides WHERE city = 'oslo'", "SELECT id FROM rides WHERE City = 'Oslo'"),
        ("SELECT id FROM rides WHERE City IN ('Begen')", "SELECT id FROM rides WHERE City IN ('Bergen')"),
        ('SELECT id FROM rides WHERE City = "Oslo"', "SELECT id FROM rides WHERE City = 'Oslo'"),
        ("SELECT id FROM rides WHERE City = 'Rome'", "SELECT id FROM rides WHERE City = 'Rome'"),
        ("SELECT n FROM (SELECT COUNT(*) AS n FROM ride) t", "SELECT n FROM (SELECT COUNT(*) AS n FROM rides) AS t"),
        ("SELECT zzz FROM rides", "SELECT zzz FROM rides"),
    ],
)  # fmt: skip
def test_names_and_values_that_do_not_exist_become_the_nearest_that_do(written: str, meant: str) -> None:
    assert with_real_names(written, NAMES) == meant


STAFF = Names(
    {"payslips": ["slip_id", "staff_id", "net"], "staff": ["staff_id", "contract", "team_id"], "teams": ["id", "team"]},
    {("staff", "contract"): ["seasonal"]},
    [("payslips", "staff_id", "staff", "staff_id"), ("staff", "team_id", "teams", "id")],
)
ONE_KEY = "payslips JOIN staff ON payslips.staff_id = staff.staff_id"
TWO_KEYS = f"{ONE_KEY} JOIN teams ON staff.team_id = teams.id"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("SELECT SUM(net) FROM payslips WHERE contract = 'seasonals'",
         f"SELECT SUM(payslips.net) FROM {ONE_KEY} WHERE staff.contract = 'seasonal'"),
        ("SELECT team, COUNT(*) FROM payslips WHERE staff_id > 3 GROUP BY 1",
         f"SELECT teams.team, COUNT(*) FROM {TWO_KEYS} WHERE payslips.staff_id > 3 GROUP BY 1"),
        ("SELECT s FROM (SELECT net AS s FROM payslips) AS t", "SELECT s FROM (SELECT net AS s FROM payslips) AS t"),
        ("SELECT COUNT(net) FROM staff", "SELECT COUNT(net) FROM staff"),
    ],
)  # fmt: skip
def test_a_table_whose_columns_are_named_is_joined_where_a_key_leads_to_it(written: str, meant: str) -> None:
    assert with_real_names(written, STAFF) == meant


@pytest.mark.parametrize("written", ["NONE", "", "DROP TABLE rides", "SELECT FROM WHERE", "SELECT 1 FROM warehouse"])
def test_what_is_no_query_of_these_tables_is_nothing(written: str) -> None:
    assert with_real_names(written, NAMES) is None
