"""A result column that comes from no source is named, however it is dressed; one that does passes."""

import pytest

from averment.errors import PlanInvalid
from averment.tables.guard.cell_origins import check_origins, origins

MADE_UP = [
    "SELECT 'North' AS region, 999999 AS swing",
    "SELECT 'North', 999999.5 FROM sales LIMIT 1",
    "SELECT region, 999999 AS total FROM sales",
    "SELECT region, SUM(amount) AS s FROM sales GROUP BY region UNION ALL SELECT 'North', 500000",
    "SELECT region, SUM(amount) AS s FROM sales GROUP BY region UNION SELECT region, 7000 FROM sales",
    "SELECT region, 0 * SUM(amount) + 999999 AS s FROM sales GROUP BY region",
    "SELECT region, SUM(amount) + 999999 AS s FROM sales GROUP BY region",
    "SELECT region, SUM(amount) * 1.37 AS s FROM sales GROUP BY region",
    "SELECT MAX(999999) AS m FROM sales",
    "SELECT AVG(42) AS m FROM sales",
    "SELECT COALESCE(NULL, 999999) AS m FROM sales",
    "SELECT GREATEST(amount, 999999) AS m FROM sales",
    "SELECT CASE WHEN amount > 0 THEN 999999 END AS m FROM sales",
    "SELECT SUM(CASE WHEN amount > 0 THEN 333333 END) AS m FROM sales",
    "SELECT IF(amount > 0, 5, 6) AS m FROM sales",
    "WITH made AS (SELECT 5 AS k) SELECT k FROM made",
    "WITH made AS (SELECT region, 5 AS k FROM sales) SELECT region, SUM(k) AS k FROM made GROUP BY region",
    "SELECT v FROM (VALUES (1), (2)) AS t(v)",
    "SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t(v)",
    "SELECT amount - amount + 7 AS z FROM sales",
    "SELECT (SELECT 17) AS z, region FROM sales",
    "SELECT CAST('17' AS INTEGER) AS z FROM sales",
    "SELECT ROUND(3.14159, 2) AS z FROM sales",
    "SELECT -5 AS z FROM sales",
    "SELECT 'No' || 'rth' AS region FROM sales",
    "SELECT true AS grew FROM sales",
]
SOUND = [
    "SELECT * FROM sales",
    "SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY 2 DESC LIMIT 5",
    "SELECT COUNT(*) AS n, COUNT(DISTINCT region) AS r, SUM(1) AS again FROM sales",
    "SELECT CASE WHEN amount > 3 THEN 'big' ELSE 'small' END AS size, COUNT(*) AS n FROM sales GROUP BY 1",
    "SELECT SUM(CASE WHEN amount > 3 THEN 1 ELSE 0 END) * 100.0 / COUNT(*) AS share FROM sales",
    "SELECT AVG(CASE WHEN amount > 3 THEN 1.0 ELSE 0.0 END) AS share FROM sales",
    "SELECT ROUND(AVG(amount), 2) AS r, date_trunc('month', day) AS m FROM sales GROUP BY 2",
    "SELECT (SELECT MAX(amount) FROM sales) - (SELECT MIN(amount) FROM sales) AS swing",
    "SELECT region, rank() OVER (ORDER BY SUM(amount) DESC) AS r FROM sales GROUP BY region",
    "SELECT SUM(amount) / SUM(SUM(amount)) OVER () AS share FROM sales GROUP BY region",
    "SELECT COALESCE(amount, 0) AS a, NULL AS nothing FROM sales",
    "SELECT amount / 60 AS hours, amount * 100 AS cents, amount + 1 AS next FROM sales",
    "WITH m AS (SELECT region, SUM(amount) AS s FROM sales GROUP BY region) "
    "SELECT region, s - LAG(s) OVER (ORDER BY region) AS d FROM m",
    "SELECT region FROM sales UNION SELECT region FROM shops",
    "SELECT quantile_cont(amount, 0.9) AS p90, substr(region, 1, 3) AS r FROM sales GROUP BY 2",
    "SELECT amount > 100 AS large FROM sales",
    "SELECT concat(region, ': ', amount) AS t FROM sales",
]


@pytest.mark.parametrize("sql", MADE_UP)
def test_a_made_up_column_is_refused_and_named(sql: str) -> None:
    with pytest.raises(PlanInvalid) as caught:
        check_origins(sql, "duckdb")
    assert caught.value.code == "PLAN_INVALID"


@pytest.mark.parametrize("sql", SOUND)
def test_a_column_that_comes_from_the_data_passes(sql: str) -> None:
    check_origins(sql, "duckdb")


def test_the_askers_own_words_are_labels_and_marked() -> None:
    found = origins("SELECT '2024' AS year, SUM(amount) AS s FROM sales", "duckdb", own=["sales", "in", "2024"])
    assert [(one.name, one.made_of) for one in found] == [("year", "label"), ("s", "source")]
    check_origins("SELECT amount * 1.19 AS gross FROM sales", "duckdb", own=["1.19"])


def test_an_alias_does_not_rename_what_a_column_is() -> None:
    (_, swing) = origins("SELECT region, SUM(quantity) AS swing FROM sales GROUP BY region", "duckdb")
    assert swing.expression == "SUM(quantity)"


def test_a_number_that_only_turns_the_days_of_a_week_is_no_statement() -> None:
    turned = "SELECT (CAST(strftime('%w', d) AS INTEGER) + 6) % 7 AS day, count(*) FROM t GROUP BY 1"
    check_origins(turned, "sqlite")
    with pytest.raises(PlanInvalid):
        check_origins("SELECT (sum(x) + 600) % 7 AS y FROM t", "sqlite")
    with pytest.raises(PlanInvalid):
        check_origins("SELECT (sum(x) + 600) % 99999 AS y FROM t", "sqlite")
