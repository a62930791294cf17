"""A median is followed as a mean whose value is the median in both periods, so that its parts sum to the change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from averment.agents.driller.data_model import read_investigation
from averment.errors import MetricUnreadable
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings
from averment.tables.cubes.cube_sql import cube_sql
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources


def rows(seed: int) -> list[tuple[str, str, float]]:
    """Days of two months; in the second the waits at one desk are longer."""
    random = np.random.default_rng(seed)
    found: list[tuple[str, str, float]] = []
    for number in range(800):
        month, desk = 1 + number % 2, str(random.choice(["front", "back"]))
        wait = random.lognormal(3.0, 0.7) * (1.5 if month == 2 and desk == "back" else 1.0)
        found.append((f"2024-{month:02d}-{1 + number % 28:02d}", desk, round(float(wait), 3)))
    return found


@pytest.mark.parametrize(
    ("metric", "place"),
    [
        ("MEDIAN(wait)", 0.5),
        ("QUANTILE_CONT(wait, 0.9)", 0.9),
        ("PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY wait)", 0.25),
    ],
)
def test_the_whole_is_the_percentile_of_each_period(tmp_path: Path, home: Settings, metric: str, place: float) -> None:
    made = rows(3)
    path = tmp_path / "waits.csv"
    path.write_text("day,desk,wait\n" + "".join(f"{day},{desk},{wait}\n" for day, desk, wait in made))
    request = DrillRequest.checked(
        data_sources=[str(path)],
        metric_sql=metric,
        baseline_period=("2024-01-01", "2024-01-31"),
        comparison_period=("2024-02-01", "2024-02-29"),
    )
    catalog = open_sources([str(path)], settings=home, cache_dir=tmp_path / "cache")
    with Engine(catalog, home) as engine:
        reading = read_investigation(engine, request, permits=lambda table, column: True)
        leaves = engine.run(cube_sql(reading.parsed_rows(), [])).table.to_pylist()[0]
    for side, month in (("before", "2024-01"), ("after", "2024-02")):
        wanted = np.quantile([wait for day, _, wait in made if day.startswith(month)], place)
        assert leaves[f"total_{side}"] / leaves[f"weight_{side}"] == pytest.approx(wanted, rel=1e-9)


def test_a_percentile_inside_other_arithmetic_is_refused(tmp_path: Path, home: Settings) -> None:
    path = tmp_path / "waits.csv"
    path.write_text("day,desk,wait\n2024-01-01,front,1\n2024-02-01,front,2\n")
    request = DrillRequest.checked(
        data_sources=[str(path)],
        metric_sql="MEDIAN(wait) / COUNT(*)",
        baseline_period=("2024-01-01", "2024-01-31"),
        comparison_period=("2024-02-01", "2024-02-29"),
    )
    catalog = open_sources([str(path)], settings=home, cache_dir=tmp_path / "cache")
    with Engine(catalog, home) as engine, pytest.raises(MetricUnreadable):
        read_investigation(engine, request, permits=lambda table, column: True)
