"""Where a model's query fails in the run, the readers' answer is told, with its own reading and the true reason."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings
from played_model import model_saying, submitting

ROWS = 400
POINTS = {team: [n % 7 for n in range(ROWS) if ("red", "blue")[n % 2] == team] for team in ("red", "blue")}
GAMES = "team,points\n" + "".join(f"{team},{each}\n" for team in POINTS for each in POINTS[team])
QUESTION = "average points by team"
TOO_MUCH = """
SELECT a.team, MEDIAN(a.points * 1000.0 + b.points * 100 + c.points)
FROM games a CROSS JOIN games b CROSS JOIN games c GROUP BY 1
"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.csv"
    path.write_text(GAMES)
    return path


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home", query_memory_mb=128)) as opened:
        yield opened


def test_the_readers_answer_where_a_models_query_takes_more_memory_than_there_is(
    workbench: Workbench, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting({"sql": TOO_MUCH}), monkeypatch):
        run = workbench.analyze(QUESTION, [games])
    assert run.status == "completed"
    assert run.table is not None
    told = {row["team"]: row["average points"] for row in run.table.to_pylist()}
    assert told == {team: pytest.approx(sum(each) / len(each)) for team, each in POINTS.items()}
    assert run.read_back == "average points, by team, in games"
    assert run.marks.interpretation.code != "model"
    assert "repaired" not in (run.report or "")
    fell = [event.data for event in workbench.runs.events(run.id) if event.type == "model_fell_back"]
    assert fell[0]["code"] == "MEMORY_EXCEEDED"
    assert workbench.verify(run.id).ok
    again, different = workbench.runs.replay(run.id)
    assert different == ()
    assert again.answer == run.answer


def test_a_model_alone_whose_query_fails_says_why(
    workbench: Workbench, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting({"sql": TOO_MUCH}), monkeypatch):
        run = workbench.analyze("which of them shines brightest", [games])
    assert run.status != "completed" or "estimate" in (run.answer or "")
    assert "another type" not in (run.answer or "")
    assert workbench.verify(run.id).ok
