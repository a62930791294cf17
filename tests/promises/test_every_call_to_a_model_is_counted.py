"""What a run says of its model counts every call: for the plan, for the summary, and where the readers answered."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings
from played_model import SERVING, model_saying, submitting

GROUPS = "team,points\nred,1\nred,2\nblue,5\nblue,8\ngreen,3\n"
BY_TEAM = {"sql": "SELECT team, AVG(points) FROM games GROUP BY team"}


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.csv"
    path.write_text(GROUPS)
    return path


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home")) as opened:
        yield opened


def summing_up(prompt: str) -> dict[str, Any] | str | int:
    if SERVING.data_of(prompt, "steps_left") is None:
        return {"findings": [SERVING.data_of(prompt, "findings")[0]["id"]]}
    return BY_TEAM


def test_the_call_for_the_summary_is_counted_with_its_tokens(
    workbench: Workbench, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(summing_up, monkeypatch) as model:
        run = workbench.analyze("average points by team", [games])
    assert len(model.prompts) == 2
    assert run.model is not None
    assert (run.model["calls"], run.model["tokens_in"], run.model["tokens_out"]) == (2, 240, 60)
    assert run.as_dict()["model"] == run.model
    assert "asked 2 times" in (run.report or "")
    assert workbench.verify(run.id).ok
    again, different = workbench.runs.replay(run.id)
    assert different == ()
    assert again.model == run.model


def test_calls_of_a_model_that_came_to_nothing_are_counted(
    workbench: Workbench, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting({"sql": "SELECT team, 42 FROM games"}), monkeypatch) as model:
        run = workbench.analyze("average points by team", [games])
    assert run.status == "completed"
    assert run.model is not None
    assert run.model["calls"] == len(run.sent) == len(model.prompts)
    assert run.model["calls"] > 1
    assert workbench.verify(run.id).ok
