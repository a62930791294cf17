"""Rows, days and dimensions of a metric over real files: joins that repeat nothing, leaves that sum to the whole."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from averment.agents.driller.data_model import read_investigation
from averment.agents.driller.reading import InvestigationSetup
from averment.errors import JoinFansOut, NoDateColumn, PeriodWithoutData
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings
from averment.tables.cubes.cube_sql import cube_sql, daily_sql
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

BASELINE, COMPARISON = ("2024-01-01", "2024-01-02"), ("2024-01-03", "2024-01-04")
ORDERS = """order_id,date,customer_id,channel,amount
1,2024-01-01,1,web,10
2,2024-01-01,2,app,20
3,2024-01-02,1,web,30
4,2024-01-03,2,app,5
5,2024-01-03,1,web,
6,2024-01-04,3,app,7
7,2024-01-04,9,shop,8
"""
CUSTOMERS = "customer_id,plan\n1,free\n2,team\n3,free\n4,team\n9,pro\n"
ITEMS = "order_id,sku\n1,a\n1,b\n2,a\n3,c\n4,a\n6,b\n7,c\n5,a\n"


@pytest.fixture
def engine(tmp_path: Path, home: Settings) -> Iterator[Engine]:
    paths: list[str] = []
    for name, text in (("orders", ORDERS), ("customers", CUSTOMERS), ("items", ITEMS)):
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        paths.append(str(path))
    catalog = open_sources(paths, settings=home, cache_dir=tmp_path / "cache")
    with Engine(catalog, home) as made:
        yield made


def read(engine: Engine, metric: str, **more: object) -> InvestigationSetup:
    request = DrillRequest.checked(
        data_sources=["orders.csv"],
        metric_sql=metric,
        baseline_period=more.get("baseline", BASELINE),
        comparison_period=more.get("comparison", COMPARISON),
    )
    return read_investigation(engine, request, permits=lambda table, column: True)


def whole(engine: Engine, reading: InvestigationSetup) -> dict[str, float]:
    leaves = engine.run(cube_sql(reading.parsed_rows(), [d.axis for d in reading.dimensions])).table
    return {name: sum(leaves.column(name).to_pylist()) for name in leaves.column_names if name not in reading.names}


def test_leaves_of_joined_tables_sum_to_the_metric(engine: Engine) -> None:
    reading = read(engine, "SUM(amount)")
    assert {"channel", "plan"} <= set(reading.names)
    sums = whole(engine, reading)
    assert (sums["total_before"], sums["total_after"]) == (60.0, 20.0)
    assert (sums["rows_before"], sums["rows_after"], sums["hits_after"]) == (3.0, 4.0, 3.0)
    assert reading.repeating == ("items",)


def test_distinct_things_are_counted_once_a_period(engine: Engine) -> None:
    sums = whole(engine, read(engine, "COUNT(DISTINCT customer_id)"))
    assert (sums["total_before"], sums["total_after"]) == (2.0, 4.0)


def test_a_filtered_join_keeps_its_meaning(engine: Engine) -> None:
    reading = read(
        engine,
        "SELECT SUM(o.amount) FROM orders o JOIN customers c ON o.customer_id = c.customer_id WHERE c.plan = 'free'",
    )
    sums = whole(engine, reading)
    assert (sums["total_before"], sums["total_after"]) == (40.0, 7.0)


def test_the_finer_table_is_the_base_where_its_rows_are_counted(engine: Engine) -> None:
    reading = read(engine, "SELECT COUNT(i.sku) FROM items i JOIN orders o ON i.order_id = o.order_id")
    assert (reading.base, reading.day_table) == ("items", "orders")
    sums = whole(engine, reading)
    assert (sums["total_before"], sums["total_after"]) == (4.0, 4.0)


def test_a_sum_over_repeated_rows_is_refused(engine: Engine) -> None:
    with pytest.raises(JoinFansOut):
        read(engine, "SELECT SUM(o.amount) FROM orders o JOIN items i ON i.order_id = o.order_id")


def test_a_ratio_of_two_files_is_gathered_by_their_key(engine: Engine) -> None:
    reading = read(engine, "COUNT(items.sku) / COUNT(orders.order_id)")
    sums = whole(engine, reading)
    assert (sums["total_before"], sums["weight_before"]) == (4.0, 3.0)


def test_days_count_rows_sums_and_missing_values(engine: Engine) -> None:
    reading = read(engine, "SUM(amount)")
    span = (date(2024, 1, 1), date(2024, 1, 4))
    days = engine.run(daily_sql(reading.parsed_rows(), span)).table.to_pydict()
    assert days["row_count"] == [2, 1, 2, 2]
    assert days["nulls"] == [0, 0, 1, 0]
    assert days["total"] == [30.0, 30.0, 5.0, 15.0]


def test_periods_outside_the_data_are_refused(engine: Engine) -> None:
    with pytest.raises(PeriodWithoutData):
        read(engine, "SUM(amount)", baseline=("2023-01-01", "2023-01-31"))


def test_a_table_without_any_date_is_refused(engine: Engine) -> None:
    with pytest.raises(NoDateColumn):
        read(engine, "COUNT(plan)")
