"""A quotient over two tables that no key relates is read over the days and columns they share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.agents.driller.data_model import read_investigation
from averment.agents.driller.reading import InvestigationSetup
from averment.errors import JoinFansOut
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings
from averment.tables.cubes.cube_sql import cube_sql
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

ORDERS = """order_no,ordered_at,store,channel,amount
1,2024-01-01 10:00:00,S1,web,10
2,2024-01-01 11:00:00,S1,app,20
3,2024-01-02 12:00:00,S2,web,30
4,2024-01-03 10:30:00,S2,app,5
"""
VISITS = """day,store,channel,visits
2024-01-01,S1,web,10
2024-01-01,S1,app,10
2024-01-02,S2,web,20
2024-01-03,S1,web,12
2024-01-03,S2,app,8
"""
STORES = "store,city\nS1,Lund\nS2,Oslo\n"


@pytest.fixture
def engine(tmp_path: Path, home: Settings) -> Iterator[Engine]:
    paths: list[str] = []
    for name, text in (("orders", ORDERS), ("visits", VISITS), ("stores", STORES)):
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        paths.append(str(path))
    catalog = open_sources(paths, settings=home, cache_dir=tmp_path / "cache")
    with Engine(catalog, home) as made:
        yield made


def read(engine: Engine, metric: str) -> InvestigationSetup:
    request = DrillRequest.checked(
        data_sources=["orders.csv"],
        metric_sql=metric,
        baseline_period=("2024-01-01", "2024-01-02"),
        comparison_period=("2024-01-03", "2024-01-03"),
    )
    return read_investigation(engine, request, permits=lambda table, column: True)


@pytest.mark.parametrize(
    ("metric", "before", "after"),
    [
        ("COUNT(orders.order_no) / SUM(visits.visits)", (3.0, 40.0), (1.0, 20.0)),
        ("SUM(orders.amount) / SUM(visits.visits)", (60.0, 40.0), (5.0, 20.0)),
    ],
)
def test_each_row_adds_to_one_side_and_shared_columns_cut_both(
    engine: Engine, metric: str, before: tuple[float, float], after: tuple[float, float]
) -> None:
    reading = read(engine, metric)
    assert {"channel"} < set(reading.names)
    leaves = engine.run(cube_sql(reading.parsed_rows(), [d.axis for d in reading.dimensions])).table
    sums = {name: sum(leaves.column(name).to_pylist()) for name in leaves.column_names if name not in reading.names}
    assert (sums["total_before"], sums["weight_before"]) == before
    assert (sums["total_after"], sums["weight_after"]) == after


def test_tables_that_share_only_days_are_refused(tmp_path: Path, home: Settings) -> None:
    paths: list[str] = []
    for name, text in (
        ("orders", "ordered_at,amount\n2024-01-01,10\n2024-01-03,12\n"),
        ("visits", "day,visits\n2024-01-01,5\n2024-01-03,6\n"),
    ):
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        paths.append(str(path))
    catalog = open_sources(paths, settings=home, cache_dir=tmp_path / "cache")
    with Engine(catalog, home) as made, pytest.raises(JoinFansOut):
        read(made, "SUM(orders.amount) / SUM(visits.visits)")
