"""A query typed where a question is asked runs as it is written; a question that begins like one is a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import MissingColumn, SqlRefused

RIDES = "city,driver,fare\nOslo,Ann,4\nOslo,Ben,6\nBergen,Ann,8\nBergen,Eva,8\nBergen,Ben,12\n"


@pytest.fixture
def rides(tmp_path: Path) -> Path:
    path = tmp_path / "rides.csv"
    path.write_text(RIDES)
    return path


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT city, count(*) AS n FROM rides GROUP BY city ORDER BY n", [("Oslo", 2), ("Bergen", 3)]),
        (
            "with x as (select driver, sum(fare) as s from rides group by driver) select driver, s from x where s > 8",
            [("Ann", 12), ("Ben", 18)],
        ),
        ("SELECT count(*) AS n FROM rides WHERE city LIKE 'B%'", [(3,)]),
    ],
)
def test_a_typed_query_gives_its_own_rows(tmp_path: Path, rides: Path, query: str, rows: list[tuple[object]]) -> None:
    with Workbench(home=tmp_path / "home") as workbench:
        run = workbench.analyze(query, sources=[str(rides)])
        assert sorted(tuple(row.values()) for row in run.table.to_pylist()) == sorted(rows)
        assert run.marks.interpretation.code == "given"
        assert workbench.verify(run.id).ok


def test_a_typed_query_that_cannot_run_is_an_error_and_no_question(tmp_path: Path, rides: Path) -> None:
    with Workbench(home=tmp_path / "home") as workbench:
        with pytest.raises(MissingColumn):
            workbench.analyze("SELECT sum(price) FROM rides", sources=[str(rides)])
        with pytest.raises(SqlRefused):
            workbench.analyze("SELECT * FROM read_csv('/etc/passwd')", sources=[str(rides)])


def test_a_question_that_begins_like_a_query_stays_a_question(tmp_path: Path, rides: Path) -> None:
    with Workbench(home=tmp_path / "home") as workbench:
        run = workbench.analyze("select the total fare from rides by city", sources=[str(rides)])
        assert run.marks.interpretation.code != "given"
        assert sorted(tuple(row.values()) for row in run.table.to_pylist()) == [("Bergen", 28), ("Oslo", 10)]
