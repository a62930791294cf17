"""Statistics over more rows than the jail takes: by the engine over all rows, or over a sample that is stated."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from averment import Workbench

ROWS = 260_000


@pytest.fixture(scope="module")
def frame() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(11)
    height = draw.normal(170, 10, ROWS).round(3)
    weight = (height * 0.5 + draw.normal(0, 4, ROWS)).round(3)
    return {"height": height, "weight": weight}


@pytest.fixture
def people(tmp_path: Path, frame: dict[str, np.ndarray]) -> Path:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({**frame, "team": ["red", "blue"] * (ROWS // 2)}), path)
    return path


def test_a_statistic_of_a_long_table_is_that_of_all_its_rows(
    workbench: Workbench, people: Path, frame: dict[str, np.ndarray]
) -> None:
    run = workbench.analyze("What is the standard deviation of height?", [people])
    assert run.status == "completed"
    assert run.table is not None
    (value,) = run.table.column(run.table.num_columns - 1).to_pylist()
    assert value == pytest.approx(float(np.std(frame["height"], ddof=1)), rel=1e-9)
    assert "sample" not in (run.report or "").replace("(sample)", "")
    assert workbench.verify(run.id).ok


def test_a_correlation_of_a_long_table_is_that_of_all_its_rows(
    workbench: Workbench, people: Path, frame: dict[str, np.ndarray]
) -> None:
    run = workbench.analyze("What is the Pearson correlation between height and weight?", [people])
    assert run.status == "completed"
    assert run.table is not None
    first = run.table.column("correlation").to_pylist()[0]
    assert first == pytest.approx(float(np.corrcoef(frame["height"], frame["weight"])[0, 1]), rel=1e-9)
    assert workbench.verify(run.id).ok


def test_a_rank_correlation_of_a_long_table_is_that_of_all_its_rows(workbench: Workbench, people: Path) -> None:
    run = workbench.analyze("What is the Spearman correlation between height and weight?", [people])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.column("correlation").to_pylist()[0] == pytest.approx(0.77, abs=0.03)
    assert "sample" not in (run.answer or "")
    assert workbench.verify(run.id).ok


def test_a_test_that_depends_on_the_number_of_rows_is_not_made_on_a_part_of_them(
    workbench: Workbench, people: Path
) -> None:
    run = workbench.analyze("Is height normally distributed? Use the Shapiro-Wilk test.", [people])
    assert run.status in {"clarification_needed", "abstained"}
    assert run.findings == ()
