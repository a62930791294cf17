"""Thirty tables and views of a small database are opened with little work, once; the time limit counts the opening."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.errors import QueryTimeout
from averment.runtime.run_queries import RunClock
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

TABLES = """
create table regions(region_id integer primary key, region_name text);
create table territories(territory_id integer primary key, territory_name text, region_id integer
    references regions(region_id));
create table clerks(clerk_id integer primary key, last_name text, first_name text, title text, hire_date text,
    town text, reports_to integer references clerks(clerk_id));
create table clerk_territories(clerk_id integer references clerks(clerk_id),
    territory_id integer references territories(territory_id), primary key(clerk_id, territory_id));
create table customers(customer_id text primary key, company_name text, contact_name text, town text, country text);
create table shippers(shipper_id integer primary key, shipper_name text, phone text);
create table suppliers(supplier_id integer primary key, supplier_name text, town text, country text);
create table categories(category_id integer primary key, category_name text, description text);
create table products(product_id integer primary key, product_name text,
    supplier_id integer references suppliers(supplier_id), category_id integer references categories(category_id),
    list_price real, units_in_stock integer, discontinued integer);
create table orders(order_id integer primary key, customer_id text references customers(customer_id),
    clerk_id integer references clerks(clerk_id), order_date text, shipped_date text,
    shipper_id integer references shippers(shipper_id), freight real, ship_town text, ship_country text);
create table order_lines(order_id integer references orders(order_id),
    product_id integer references products(product_id), unit_price real, quantity integer, discount real,
    primary key(order_id, product_id));
create table customer_groups(group_id integer primary key, group_name text);
create table customer_members(customer_id text references customers(customer_id),
    group_id integer references customer_groups(group_id), primary key(customer_id, group_id));
"""
ALL = (
    "orders o join order_lines l on l.order_id = o.order_id join products p on p.product_id = l.product_id "
    "join categories g on g.category_id = p.category_id join customers c on c.customer_id = o.customer_id "
    "join clerks e on e.clerk_id = o.clerk_id join shippers s on s.shipper_id = o.shipper_id"
)
AMOUNT = "l.unit_price * l.quantity * (1 - l.discount)"
VIEWS = {
    "invoices": f"select o.order_id, o.order_date, o.ship_town, o.ship_country, c.company_name, e.last_name as clerk, "
    f"s.shipper_name, p.product_name, l.quantity, {AMOUNT} as line_total, o.freight from {ALL}",
    "lines_extended": f"select l.*, p.product_name, {AMOUNT} as extended_price from order_lines l "
    "join products p on p.product_id = l.product_id",
    "order_subtotals": f"select l.order_id, sum({AMOUNT}) as subtotal from order_lines l group by l.order_id",
    "orders_with_customers": "select o.*, c.company_name, c.town, c.country from orders o "
    "join customers c on c.customer_id = o.customer_id",
    "customers_of_2023": "select distinct c.* from customers c join orders o on o.customer_id = c.customer_id "
    "where o.order_date between '2023-01-01' and '2023-12-31'",
    "alphabetical_products": "select p.*, g.category_name from products p "
    "join categories g on g.category_id = p.category_id where p.discontinued = 0",
    "current_products": "select product_id, product_name from products where discontinued = 0",
    "dear_products": "select product_name, list_price from products "
    "where list_price > (select avg(list_price) from products)",
    "products_by_category": "select g.category_name, p.product_name, p.units_in_stock from products p "
    "join categories g on g.category_id = p.category_id",
    "everybody": "select town, company_name, 'customer' as relationship from customers "
    "union select town, supplier_name, 'supplier' from suppliers",
    "sales_by_category": f"select g.category_id, g.category_name, p.product_name, sum({AMOUNT}) as product_sales "
    f"from {ALL} group by 1, 2, 3",
    "product_sales_2023": f"select g.category_name, p.product_name, sum({AMOUNT}) as product_sales from {ALL} "
    "where o.shipped_date between '2023-01-01' and '2023-12-31' group by 1, 2",
    "category_sales_2023": "select category_name, sum(product_sales) as category_sales "
    "from product_sales_2023 group by 1",
    "large_orders": "select t.subtotal as sale_amount, o.order_id, c.company_name from orders o "
    "join customers c on c.customer_id = o.customer_id join order_subtotals t on t.order_id = o.order_id "
    "where t.subtotal > 500",
    "summary_by_date": "select o.shipped_date, o.order_id, t.subtotal from orders o "
    "join order_subtotals t on t.order_id = o.order_id where o.shipped_date is not null",
    "clerk_sales": f"select e.last_name, e.first_name, sum({AMOUNT}) as clerk_revenue from {ALL} group by 1, 2",
}
QUESTION = "total freight by ship country"


@pytest.fixture(scope="module")
def trade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trading firm's database: 13 tables and 16 joined views, about 0.2 MB."""
    path, draw = tmp_path_factory.mktemp("trade") / "trade.db", random.Random(7)
    towns = [("Turku", "Finland"), ("Graz", "Austria"), ("Porto", "Portugal"), ("Ghent", "Belgium"), ("Ulm", "Germany")]
    parts = "ba lo mi ra ten vor sil kan dur pel os ter".split()

    def word(length: int = 3) -> str:
        return "".join(draw.choice(parts) for _ in range(length)).title()

    orders: list[tuple[Any, ...]] = []
    for number in range(830):
        day = date(2022, 7, 4) + timedelta(days=draw.randint(0, 660))
        sent = day + timedelta(days=draw.randint(1, 20))
        who, freight = (f"C{draw.randint(0, 90):03}", draw.randint(1, 9)), round(draw.uniform(1, 300), 2)
        town = draw.choice(towns)
        orders.append((10_248 + number, *who, str(day), str(sent), draw.randint(1, 3), freight, *town))
    rows: dict[str, list[tuple[Any, ...]]] = {
        "regions": [(n, name) for n, name in enumerate(("North", "South", "East", "West"), 1)],
        "territories": [(n, word(), draw.randint(1, 4)) for n in range(1, 51)],
        "clerks": [(n, word(), word(2), "Clerk", f"201{n}-03-1{n}", draw.choice(towns)[0], 1) for n in range(1, 10)],
        "clerk_territories": [(draw.randint(1, 9), n) for n in range(1, 51)],
        "customers": [(f"C{n:03}", f"{word()} Ltd", f"{word(2)} {word()}", *draw.choice(towns)) for n in range(91)],
        "shippers": [(n, f"{word()} Freight", f"0{draw.randint(10**6, 10**7)}") for n in range(1, 4)],
        "suppliers": [(n, f"{word()} Supplies", *draw.choice(towns)) for n in range(1, 30)],
        "categories": [
            (n, name, f"{name} of all kinds") for n, name in enumerate(("Drinks", "Sauces", "Cheese", "Bread"), 1)
        ],
        "products": [
            (
                n,
                word(4),
                draw.randint(1, 29),
                draw.randint(1, 4),
                round(draw.uniform(2, 90), 2),
                draw.randint(0, 120),
                0,
            )
            for n in range(1, 78)
        ],
        "orders": orders,
        "order_lines": [
            (order[0], product, round(draw.uniform(2, 90), 2), draw.randint(1, 60), draw.choice((0, 0, 0.05, 0.1)))
            for order in orders
            for product in draw.sample(range(1, 78), draw.randint(1, 4))
        ],
        "customer_groups": [(1, "Retail"), (2, "Wholesale")],
        "customer_members": [(f"C{n:03}", draw.randint(1, 2)) for n in range(91)],
    }
    with sqlite3.connect(path) as connection:
        connection.executescript(TABLES)
        for table, given in rows.items():
            connection.executemany(f"insert into {table} values ({', '.join('?' * len(given[0]))})", given)
        for name, query in VIEWS.items():
            connection.execute(f"create view {name} as {query}")
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every query that goes to a query process, as it was asked; each still runs."""
    queries: list[str] = []
    run = Engine.run

    def heard(engine: Engine, sql: str, *arguments: Any, **options: Any) -> Any:
        if type(engine) is Engine:
            queries.append(sql)
        return run(engine, sql, *arguments, **options)

    monkeypatch.setattr(Engine, "run", heard)
    return queries


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def workbench(home: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=home, model_provider="none")) as opened:
        yield opened


def reads_a_view(query: str) -> bool:
    return any(f'"{name}"' in query or f" {name} " in f" {query} " for name in VIEWS)


def test_a_question_about_tables_reads_no_view_and_asks_a_few_queries_a_table(
    workbench: Workbench, trade: Path, asked: list[str]
) -> None:
    run = workbench.analyze(QUESTION, [trade], timeout_seconds=180)
    assert run.status == "completed"
    assert run.table is not None
    with sqlite3.connect(trade) as connection:
        truth = dict(connection.execute("select ship_country, sum(freight) from orders group by 1").fetchall())
    assert {row[0]: row[1] for row in zip(*run.table.to_pydict().values(), strict=True)} == pytest.approx(truth)
    assert not [query for query in asked if reads_a_view(query)]
    assert len(asked) <= 5 * 13  # 988 when every view was profiled, and compared with every table and view.
    assert workbench.verify(run.id).ok


def test_a_second_question_over_the_same_bytes_opens_nothing_again(
    workbench: Workbench, trade: Path, asked: list[str]
) -> None:
    workbench.analyze(QUESTION, [trade], timeout_seconds=180)
    first = len(asked)
    asked.clear()
    assert workbench.analyze("average freight by ship country", [trade], timeout_seconds=180).status == "completed"
    assert len(asked) <= first // 2
    assert not [query for query in asked if "SELECT DISTINCT" in query]  # No keys are compared again.


def test_a_view_that_a_question_names_is_read(workbench: Workbench, trade: Path, asked: list[str]) -> None:
    run = workbench.analyze("total clerk revenue by last name", [trade], timeout_seconds=180)
    assert run.status == "completed"
    assert run.table is not None
    with sqlite3.connect(trade) as connection:
        truth = connection.execute("select sum(clerk_revenue) from clerk_sales").fetchone()[0]
    assert sum(list(run.table.to_pydict().values())[-1]) == pytest.approx(truth)
    others = [name for name in VIEWS if name != "clerk_sales"]
    assert not [query for query in asked if any(f'"{name}"' in query for name in others)]


def test_a_query_over_a_view_that_no_question_named_runs(workbench: Workbench, trade: Path) -> None:
    run = workbench.sql("select count(*) as n from large_orders", [trade])
    assert run.status == "completed"


def test_time_that_the_opening_took_is_gone_from_the_run_and_named_when_it_ends() -> None:
    assert RunClock(5, opening=1.0).seconds_left <= 4.0
    with pytest.raises(QueryTimeout) as stopped:
        _ = RunClock(5, opening=6.0).seconds_left
    assert stopped.value.details["spent"] == {"opening the sources": 6.0}


def test_a_query_that_outlasts_its_time_says_so_in_a_report_that_verifies(workbench: Workbench, trade: Path) -> None:
    long = (
        "select count(*) as n from order_lines a, order_lines b, order_lines c "
        "where a.quantity * b.quantity < c.discount"
    )
    try:
        run = workbench.sql(long, [trade], timeout_seconds=8)
    except QueryTimeout:
        return  # A busy machine needed all of the time to get there.
    assert run.status == "failed"
    assert [observation.status for _, observation in workbench.runs.calls(run.id)] == ["timeout"]
    assert workbench.verify(run.id).ok


def test_opening_that_takes_all_of_the_time_is_a_timeout_and_leaves_no_run(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "1,2\n" * 1000)
    settings = Settings(home=home, model_provider="none")
    with pytest.raises(QueryTimeout) as stopped:
        open_sources([path], settings=settings, cache_dir=home / "cache", seconds=0.0)
    assert stopped.value.code == "QUERY_TIMEOUT"
    assert open_sources([path], settings=settings, cache_dir=home / "cache", seconds=60.0).tables[0].row_count == 1000
