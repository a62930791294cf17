"""A query of the common shape becomes a plan that gives the same rows; any other stays a query."""

from typing import Any

import pytest

from averment.plans.compile import compile_plan
from averment.plans.lift import lift_sql
from averment.plans.plan import Plan
from averment.plans.readback import read_back
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

ORDERS = [
    (n, n % 5, ("West", "East", "North")[n % 3], n * 7 % 50 + 0.5, f"202{3 + n % 2}-0{n % 9 + 1}-11") for n in range(60)
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("lift")
    for name, head, rows in (
        ("orders", "order_id,customer_id,region,amount,day", ORDERS),
        ("customers", "customer_id,name,city", [(n, f"C{n}", ("Bern", "Ulm")[n % 2]) for n in range(5)]),
    ):
        lines = [head, *(",".join(map(str, row)) for row in rows)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    settings = Settings(home=folder / "home")
    catalog = open_sources(
        [str(folder / "orders.csv"), str(folder / "customers.csv")], settings=settings, cache_dir=folder / "cache"
    )
    opened = Engine(catalog, settings)
    yield opened
    opened.close()


def rows(engine: Any, sql: str, params: Any = ()) -> list[list[str]]:
    table = engine.run(sql, params, timeout=30.0).table
    return sorted([str(value) for value in row.values()] for row in table.to_pylist())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(amount) FROM orders",
        "SELECT count(*) FROM orders WHERE region = 'West' AND amount > 20",
        "SELECT region, avg(amount) AS profit FROM orders GROUP BY region ORDER BY profit DESC",
        "SELECT region, count(DISTINCT customer_id) FROM orders GROUP BY 1 HAVING count(*) > 3",
        "SELECT c.city, sum(o.amount) FROM orders o JOIN customers c ON o.customer_id = c.customer_id GROUP BY c.city",
        "SELECT year(day) AS y, max(amount) FROM orders GROUP BY y",
        "SELECT region, sum(amount) FROM orders WHERE day BETWEEN DATE '2024-01-01' AND '2024-06-30' GROUP BY region",
        "SELECT order_id, amount FROM orders WHERE region IN ('West', 'East') ORDER BY amount DESC LIMIT 3",
        "SELECT DISTINCT region FROM orders WHERE NOT (region = 'North' OR amount < 3)",
        "SELECT region, sum(amount) AS s FROM orders GROUP BY region ORDER BY s DESC LIMIT 1",
        "SELECT sum(amount * 2) FROM orders WHERE day IS NOT NULL",
    ],
)
def test_a_query_of_the_common_shape_is_lifted_and_gives_the_same_rows(engine: Any, sql: str) -> None:
    body = lift_sql(sql, engine.catalog, "duckdb")
    assert body is not None
    plan = Plan.model_validate(body)
    assert read_back(plan)
    composed = compile_plan(plan).compose("duckdb")
    assert rows(engine, composed.sql, composed.params) == rows(engine, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH x AS (SELECT region FROM orders) SELECT count(*) FROM x",
        "SELECT count(*) FROM (SELECT DISTINCT region FROM orders) AS t",
        "SELECT region, row_number() OVER (ORDER BY region) FROM orders",
        "SELECT region FROM orders UNION SELECT city FROM customers",
        "SELECT region, sum(amount) / count(*) FROM orders GROUP BY region",
        "SELECT sum(amount) FROM orders GROUP BY region",
        "SELECT order_id FROM orders LIMIT 3",
        "SELECT region FROM orders WHERE amount > (SELECT avg(amount) FROM orders)",
        "SELECT o.region FROM orders o JOIN customers c ON o.customer_id > c.customer_id",
        "SELECT upper(region) FROM orders",
    ],
)
def test_any_other_query_stays_a_query(engine: Any, sql: str) -> None:
    assert lift_sql(sql, engine.catalog, "duckdb") is None
