"""What a plan demands of a query holds for the query that runs."""

from __future__ import annotations

import pytest

from averment.errors import PlanInvalid
from averment.tables.guard.invariants import check_invariants

FILTERED = (
    "SELECT region, SUM(amount) AS total FROM sales WHERE state = 'Arizona' AND date >= '2021-01-01' GROUP BY region"
)


@pytest.mark.parametrize(
    ("sql", "demand"),
    [
        (FILTERED, "filter before aggregate"),
        (FILTERED, "WHERE state='Arizona' AND date >= '2021-01-01'"),
        (FILTERED, "where state = 'Arizona'"),
        (FILTERED, "group by region before sum"),
        ('SELECT SUM("s"."amount") FROM "sales" AS "s" WHERE "s"."state" = \'Arizona\'', "WHERE state='Arizona'"),
        ("SELECT SUM(a) FROM (SELECT a FROM t WHERE b = 1) AS kept", "filter before aggregate"),
        ("WITH kept AS (SELECT a FROM t WHERE b = 1) SELECT SUM(a) FROM kept", "filter before aggregate"),
        ("SELECT SUM(a) FILTER (WHERE b = 1) FROM t", "filter before aggregate"),
        (
            "WITH base AS (SELECT SUM(a) AS s FROM t WHERE b = 1 UNION SELECT SUM(a) AS s FROM t WHERE b = 2), "
            "step AS (SELECT MAX(s) AS m FROM base) SELECT MAX(m) FROM step",
            "filter before aggregate",
        ),
        ("SELECT COUNT(*) FROM t WHERE a > (SELECT AVG(a) FROM t)", "filter before aggregate"),
        ("SELECT state FROM t WHERE a = (SELECT MAX(a) FROM t)", "filter before aggregate"),
        (
            "SELECT g, SUM(a) FROM t WHERE b = 1 GROUP BY g HAVING SUM(a) > (SELECT AVG(a) FROM t)",
            "filter before aggregate",
        ),
        ("WITH top AS (SELECT s FROM t WHERE a = (SELECT MIN(a) FROM t)) SELECT s FROM top", "filter before aggregate"),
        ("SELECT a FROM t", "filter before aggregate"),
        ("SELECT date_trunc('month', day) AS month, SUM(a) FROM t GROUP BY 1", "group by month before sum"),
    ],
)
def test_a_query_that_keeps_the_demand_passes(sql: str, demand: str) -> None:
    check_invariants(sql, [demand], "duckdb")


@pytest.mark.parametrize(
    ("sql", "demand"),
    [
        ("SELECT SUM(amount) FROM sales", "filter before aggregate"),
        ("SELECT SUM(amount) AS t FROM sales HAVING SUM(amount) > 3", "filter before aggregate"),
        ("SELECT SUM(amount) FROM sales WHERE state = 'Texas'", "WHERE state='Arizona'"),
        ("SELECT SUM(amount) FROM sales WHERE state = 'Arizona' OR 1 = 1", "WHERE state='Arizona'"),
        ("SELECT * FROM (SELECT SUM(amount) AS s FROM sales) AS x", "filter before aggregate"),
        ("SELECT SUM(amount) FROM sales", "group by region before sum"),
        (FILTERED, "be nice"),
    ],
)
def test_a_query_that_breaks_the_demand_or_a_demand_nobody_can_check_is_refused(sql: str, demand: str) -> None:
    with pytest.raises(PlanInvalid):
        check_invariants(sql, [demand], "duckdb")
