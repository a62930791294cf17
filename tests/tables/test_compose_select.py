"""Typed selects become guarded SQL that computes what they say, in DuckDB and SQLite."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.settings import Settings
from averment.tables.compose.select import compose_select
from averment.tables.compose.select_spec import (
    PLACE,
    ROWS,
    Condition,
    Join,
    Order,
    Output,
    Select,
    Term,
    aggregate,
    column,
)
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources


@pytest.fixture
def csv_engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "races.csv"
    path.write_text('driver,laps,gap\nAnn,"1,204","+3 s"\nBo,900,"+12 s"\nCy,900,"+20 s"\n')
    engine = Engine(open_sources([path], settings=Settings(), cache_dir=tmp_path / "cache"), Settings())
    yield engine
    engine.close()


@pytest.fixture
def shop_engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, person_id INTEGER, day TEXT, price REAL);"
            "INSERT INTO people VALUES (1,'Ann'),(2,'Bo'),(3,'Cy');"
            "INSERT INTO orders VALUES (1,1,'2024-01-05',5),(2,1,'2024-02-06',7),(3,2,'2024-02-09',1);"
        )
    engine = Engine(open_sources([path], settings=Settings(), cache_dir=tmp_path / "cache"), Settings())
    yield engine
    engine.close()


def rows(engine: Engine, select: Select) -> list[tuple[object, ...]]:
    composed = compose_select(select, engine.catalog.dialect)
    table = engine.run(composed.sql, composed.params).table
    return list(zip(*(each.to_pylist() for each in table.columns), strict=True))


def shown(term: Term, alias: str) -> Output:
    return Output(term=term, alias=alias)


def test_a_value_never_becomes_sql(csv_engine: Engine) -> None:
    wanted = Select(
        table="races",
        outputs=(shown(column("races", "driver"), "driver"),),
        conditions=(Condition(term=column("races", "driver"), values=("x' OR '1'='1",)),),
    )
    assert rows(csv_engine, wanted) == []
    assert "OR" not in compose_select(wanted, "duckdb").sql


def test_the_first_number_of_a_text_can_be_summed(csv_engine: Engine) -> None:
    gap = Term(kind="number", arguments=(column("races", "gap"),))
    assert rows(csv_engine, Select(table="races", outputs=(shown(aggregate("sum", gap), "sum"),))) == [(35.0,)]


def test_the_row_after_another_is_found_by_its_place(csv_engine: Engine) -> None:
    anchor = Select(
        table="races",
        numbered=True,
        outputs=(shown(aggregate("max", PLACE), "place"),),
        conditions=(Condition(term=column("races", "driver"), values=("Ann",)),),
    )
    gap = Term(kind="arithmetic", operation="-", arguments=(PLACE, Term(kind="scalar", query=anchor)))
    after = Select(
        table="races",
        numbered=True,
        outputs=(shown(column("races", "driver"), "driver"),),
        conditions=(Condition(term=gap, operator="=", values=(1,)),),
    )
    assert rows(csv_engine, after) == [("Bo",)]


def test_groups_of_a_join_are_tested_and_sorted(shop_engine: Engine) -> None:
    select = Select(
        table="people",
        joins=(Join(left="people", left_column="id", right="orders", right_column="person_id"),),
        outputs=(shown(column("people", "name"), "name"), shown(ROWS, "count")),
        groups=(column("people", "id"), column("people", "name")),
        having=(Condition(term=ROWS, operator=">=", values=(1,)),),
        order=(Order(term=ROWS, descending=True),),
    )
    assert rows(shop_engine, select) == [("Ann", 2), ("Bo", 1)]


def test_rows_without_a_partner_are_left_by_not_in(shop_engine: Engine) -> None:
    inner = Select(table="orders", outputs=(shown(column("orders", "person_id"), "person_id"),))
    select = Select(
        table="people",
        outputs=(shown(column("people", "name"), "name"),),
        conditions=(Condition(term=column("people", "id"), operator="not in", query=inner),),
    )
    assert rows(shop_engine, select) == [("Cy",)]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("year_number", {2024}),
        ("month_name", {"Jan", "Feb"}),
        ("quarter", {"2024-01-01"}),
        ("weekday_name", {"Fri", "Tue"}),
    ],
)
def test_dates_are_cut_in_sqlite(shop_engine: Engine, part: str, expected: set[object]) -> None:
    term = Term.model_validate({"kind": "part", "part": part, "arguments": [column("orders", "day").model_dump()]})
    assert {row[0] for row in rows(shop_engine, Select(table="orders", outputs=(shown(term, "part"),)))} == expected


def test_parameters_come_in_the_order_of_the_text(shop_engine: Engine) -> None:
    price = column("orders", "price")
    select = Select(
        table="orders",
        outputs=(shown(Term(kind="constant", value=42), "mark"), shown(price, "price")),
        conditions=(
            Condition(any_of=(Condition(term=price, values=(5,)), Condition(term=price, values=(7,)))),
            Condition(term=column("orders", "day"), operator="starts", values=("2024-02",)),
        ),
    )
    assert rows(shop_engine, select) == [(42, 7.0)]
