"""A query that stays one is said in words, clause by clause: no SQL, and none of its writer's own names."""

import re

import pytest

from averment.plans.describe_query import describe_sql

RAW = re.compile(r"\b(SELECT|CASE|OVER|FILTER|WHERE|NULL|CAST|LIKE|BETWEEN|PARTITION)\b|[<>=]|\w\(|::")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELECT corr(price, size) FROM flats WHERE sold IS NOT NULL",
            "correlation of price and size, where sold is known, in flats",
        ),
        (
            "SELECT avg(tip) FILTER (WHERE waiter = 'Ben') > avg(tip) FILTER (WHERE waiter = 'Eve') FROM bills",
            "whether average tip where waiter is “Ben” is over average tip where waiter is “Eve”, in bills",
        ),
        (
            "SELECT CASE WHEN age < 18 THEN 'young' ELSE 'old' END, 100.0 * sum(paid) / sum(due) FROM fees GROUP BY 1",
            "“young” where age is under 18, otherwise “old”, total paid divided by total due, in"
            " percent, by “young” where"
            " age is under 18, otherwise “old”, in fees",
        ),
        (
            "WITH t AS (SELECT day, sum(kwh) AS k FROM meters GROUP BY day) SELECT day, k -"
            " lag(k) OVER (ORDER BY day) AS d"
            " FROM t ORDER BY d DESC LIMIT 1",
            "day, total kwh minus total kwh of the row before by day, sorted by total kwh minus"
            " total kwh of the row before"
            " by day descending, the first 1, in meters",
        ),
        (
            "SELECT a.city, b.rent - a.rent FROM rents a JOIN rents b ON a.city = b.city WHERE"
            " a.year = 2020 AND b.year = 2024",
            "city (rents 1), rent (rents 2) minus rent (rents 1), where year (rents 1) is 2020 and"
            " year (rents 2) is 2024, in rents",
        ),
        (
            "SELECT name FROM staff WHERE pay > 2 * (SELECT avg(pay) FROM staff WHERE left_on IS"
            " NULL) AND team NOT IN ('A', 'B')",
            "name, where pay is over 2 times [average pay, where left_on is missing, in staff]"
            " and team is not one of “A”,"
            " “B”, in staff",
        ),
        (
            "SELECT name, rank() OVER (PARTITION BY team ORDER BY pay DESC), sum(pay) OVER (ORDER BY hired) FROM staff",
            "name, place by highest pay within each team, total pay up to this row by hired, in staff",
        ),
        (
            "SELECT date_trunc('month', day), quantile_cont(wait, 0.9), coalesce(max(wait), 0) FROM calls GROUP BY 1",
            "month of day, 90th percentile of wait, highest wait, or 0 where it is missing, by month of day, in calls",
        ),
    ],
)
def test_a_query_is_said_in_words(sql: str, said: str) -> None:
    assert describe_sql(sql, "duckdb") == said
    assert not RAW.search(said)
