"""What is computed of a date passes the check of origins; what is written in beside it does not."""

from __future__ import annotations

import pytest

from averment.errors import PlanInvalid
from averment.tables.guard.cell_origins import check_origins

COMPUTED = [
    "SELECT EXTRACT(YEAR FROM d) FROM t",
    "SELECT EXTRACT(MONTH FROM d), EXTRACT(HOUR FROM d) FROM t",
    "SELECT FLOOR(EXTRACT(YEAR FROM d) / 10) * 10 FROM t",
    "SELECT d + INTERVAL 1 DAY FROM t",
    "SELECT date_trunc('month', d) + INTERVAL 1 MONTH - INTERVAL '1 day' FROM t",
    "SELECT time_bucket(INTERVAL 7 DAY, d) FROM t",
    "SELECT FLOOR(x / 250) * 250 FROM t",
    "SELECT CAST(FLOOR(x / 5) * 5 AS BIGINT) FROM t",
]
FORGED = [
    "SELECT MAX(d) + INTERVAL 37 DAY FROM t",
    "SELECT date_add(d, INTERVAL 37 DAY) FROM t",
    "SELECT year(d + INTERVAL 1000 YEAR) FROM t",
    "SELECT INTERVAL 1 DAY FROM t",
    "SELECT INTERVAL 999 DAY * x FROM t",
    "SELECT x + INTERVAL '1 day 900 hours' FROM t",
    "SELECT EXTRACT(YEAR FROM DATE '1066-10-14') FROM t",
    "SELECT EXTRACT(YEAR FROM (SELECT DATE '1066-10-14')) FROM t",
    "SELECT EXTRACT(YEAR FROM d) + 5 FROM t",
    "SELECT FLOOR(EXTRACT(YEAR FROM d) / 10) * 10 + 5 FROM t",
    "SELECT DATE '1066-10-14' + INTERVAL 1 DAY FROM t",
    "SELECT FLOOR(x / 5) * 6 FROM t",
    "SELECT FLOOR((x + 7) / 5) * 5 FROM t",
    "SELECT (FLOOR(x / 5) + 3) * 5 FROM t",
]


@pytest.mark.parametrize("sql", COMPUTED)
def test_what_is_computed_of_a_date_passes(sql: str) -> None:
    check_origins(sql, "duckdb")


@pytest.mark.parametrize("sql", FORGED)
def test_what_is_written_beside_a_date_is_refused(sql: str) -> None:
    with pytest.raises(PlanInvalid):
        check_origins(sql, "duckdb")


def test_a_length_of_time_that_the_asker_wrote_is_the_askers_own() -> None:
    check_origins("SELECT d + INTERVAL 30 DAY FROM t", "duckdb", own=["30"])


def test_a_value_of_a_placeholder_counts_as_written_in() -> None:
    check_origins("SELECT SUM(x) * ? / COUNT(CASE WHEN y = ? THEN 1 END) FROM t", "duckdb", params=[100.0, "A"])
    with pytest.raises(PlanInvalid):
        check_origins("SELECT SUM(x) + ? FROM t", "duckdb", params=[999999])
