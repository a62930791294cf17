"""A query of the common shape becomes a plan that gives the same rows; any other stays a query."""

from collections import Counter
from decimal import Decimal
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


def rows(engine: Any, sql: str, params: Any = ()) -> tuple[list[str], list[dict[str, Any]]]:
    table = engine.run(sql, params, timeout=30.0).table
    return table.column_names, table.to_pylist()


def said(value: Any) -> str:
    return f"{float(value):.6g}" if isinstance(value, float | int | Decimal) else str(value).removesuffix(" 00:00:00")


def holds(engine: Any, body: Any, sql: str) -> bool:
    """Whether a plan gives every row and every column of a query; it may show what it groups or ranks by as well."""
    composed = compile_plan(Plan.model_validate(body)).compose("duckdb")
    (_, planned), (_, wanted) = rows(engine, composed.sql, composed.params), rows(engine, sql)
    given = [Counter(map(said, row.values())) for row in planned]
    asked = [Counter(map(said, row.values())) for row in wanted]
    return len(given) == len(asked) and all(any(not one - other for other in given) for one in asked)


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
        # Steps and inner queries
        "WITH x AS (SELECT region FROM orders) SELECT count(*) FROM (SELECT region FROM x GROUP BY region)",
        "WITH t AS (SELECT region, sum(amount) AS s FROM orders GROUP BY region) SELECT region, s FROM t WHERE s > 400",
        "SELECT count(*) FROM (SELECT DISTINCT region FROM orders) AS t",
        "SELECT avg(s) FROM (SELECT customer_id, sum(amount) AS s FROM orders GROUP BY customer_id)",
        "SELECT order_id FROM orders WHERE amount > (SELECT avg(amount) FROM orders WHERE region = 'West')",
        "SELECT order_id, amount FROM orders WHERE amount = (SELECT max(amount) FROM orders)",
        "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders WHERE amount > 49)",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id"
        " AND o.amount > 49)",
        "SELECT region, avg(amount) FROM orders GROUP BY region HAVING avg(amount) > (SELECT avg(amount) FROM orders)",
        # Conditions of a figure, and arithmetic over figures
        "SELECT region, 100.0 * count(*) FILTER (WHERE amount > 20) / count(*) FROM orders GROUP BY region",
        "SELECT avg(CASE WHEN amount > 20 THEN 1.0 ELSE 0 END) FROM orders",
        "SELECT sum(CASE WHEN region = 'West' THEN amount END) / sum(amount) FROM orders",
        "SELECT count_if(amount > 20), sum(amount) / 60, median(amount) FROM orders",
        "SELECT region, quantile_cont(amount, 0.9) FROM orders GROUP BY region",
        "SELECT region, sum(amount) * 1.0 / count(DISTINCT customer_id) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        # The first few, of all and of each group
        "SELECT region, count(*) FROM orders GROUP BY region ORDER BY sum(amount) DESC LIMIT 1 OFFSET 1",
        "SELECT region, customer_id, sum(amount) FROM orders GROUP BY 1, 2"
        " QUALIFY rank() OVER (PARTITION BY region ORDER BY sum(amount) DESC) = 1",
        "SELECT region, order_id FROM (SELECT *, row_number() OVER (PARTITION BY region ORDER BY order_id DESC) AS n"
        " FROM orders) WHERE n <= 2",
        "SELECT amount FROM orders ORDER BY order_id DESC LIMIT 1",
        # Parts of dates, texts and joins
        "SELECT count(*) FROM orders WHERE month(day) BETWEEN 3 AND 5 OR dayname(day) IN ('Monday', 'Sunday')",
        "SELECT date_trunc('month', day), sum(amount) FROM orders GROUP BY 1 ORDER BY 1",
        "SELECT order_id FROM orders WHERE region LIKE 'W%' AND NOT amount < 40",
        "SELECT city, count(*) FROM orders JOIN customers USING (customer_id) WHERE name LIKE '%3' GROUP BY city",
        "SELECT region FROM orders UNION SELECT city FROM customers",
    ],
)
def test_a_query_of_the_common_shape_is_lifted_and_gives_the_same_rows(engine: Any, sql: str) -> None:
    body = lift_sql(sql, engine.catalog, "duckdb")
    assert body is not None
    plan = Plan.model_validate(body)
    assert read_back(plan)
    assert holds(engine, body, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH x AS (SELECT region FROM orders LIMIT 5) SELECT count(*) FROM x",
        "SELECT region, row_number() OVER (ORDER BY region) FROM orders",
        "SELECT order_id FROM orders LIMIT 3",
        "SELECT a.order_id FROM orders a JOIN orders b ON a.order_id = b.customer_id",
        "SELECT o.region FROM orders o JOIN customers c ON o.customer_id > c.customer_id",
        "SELECT upper(region) FROM orders",
        "SELECT sum(amount) - count(*) FROM orders",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id > c.customer_id)",
        "SELECT region FROM orders UNION ALL SELECT city FROM customers",
    ],
)
def test_any_other_query_stays_a_query(engine: Any, sql: str) -> None:
    assert lift_sql(sql, engine.catalog, "duckdb") is None


def test_a_query_for_whether_there_is_a_row_asks_just_that(engine: Any) -> None:
    body = lift_sql("SELECT count(*) > 0 FROM orders WHERE region = 'West' AND amount > 49", engine.catalog, "duckdb")
    assert body is not None
    plan = Plan.model_validate(body)
    assert plan.asks == "any"
    assert "whether there are any" in read_back(plan)
    composed = compile_plan(plan).compose("duckdb")
    (_, found), (_, wanted) = (
        rows(engine, composed.sql, composed.params),
        rows(engine, "SELECT region, amount FROM orders WHERE region = 'West' AND amount > 49"),
    )
    assert found == wanted
