"""A query that takes too long is answered from a part of the rows where a part can stand for the whole, and says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.agents.analyst import repair, tasks
from averment.agents.analyst.agent import Analyst
from averment.agents.analyst.model import ModelReasoner
from averment.errors import ModelUnavailable
from averment.factory import AgentFactory
from averment.settings import Settings

ROWS = 400_000
LONG = "length(sha256(repeat(name, 6000)))"
"""Takes far more than a second for all rows, and next to nothing for one in a hundred."""


class Writer:
    """A model that writes one query and does nothing else."""

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        if purpose != "plan":
            raise ModelUnavailable("This model does nothing else.")
        return output_type.model_validate({"sql": self.sql, "in_words": "what was asked"})


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path_factory.mktemp("names") / "names.parquet"
    parquet.write_table(arrow.table({"name": [f"n{number % 10}" for number in range(ROWS)]}), path)
    return path


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Workbench(settings=Settings(home=tmp_path_factory.mktemp("home"))) as opened:
        yield opened


def ask(workbench: Workbench, names: Path, sql: str, seconds: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(AgentFactory, "analyst", lambda self, recorded=None: Analyst(ModelReasoner(Writer(sql))))
    return workbench.analyze("which galaxy shines brightest", [names], timeout_seconds=seconds)


def statuses(workbench: Workbench, run_id: str) -> list[str]:
    return [event.data["status"] for event in workbench.runs.events(run_id) if event.type == "call_observed"]


@pytest.mark.thorough
def test_an_average_that_takes_too_long_is_estimated_from_a_stated_sample(
    workbench: Workbench, names: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A first attempt of one second, whatever the machine: all rows take many, and a tenth has the time it needs.
    for module in (tasks, repair):
        monkeypatch.setattr(module, "attempt_seconds", lambda limit, attempt: 1 if attempt == 1 else limit)
    run = ask(workbench, names, f"SELECT avg({LONG}) AS average FROM names", 60, monkeypatch)
    assert run.status == "completed"
    seen = statuses(workbench, run.id)
    assert seen == ["timeout", "success"]
    assert run.table is not None
    assert run.table.column(0).to_pylist() == [64.0]
    for text in (run.answer, run.report):
        assert "a sample of 10 % of the rows" in (text or "")
    assert workbench.verify(run.id).ok
    lines = (workbench.settings.home / "logs" / "data_agent_runs.jsonl").read_text().splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["request_id"] == run.id]
    called = [entry["event_data"] for entry in entries if entry["event_type"] == "tool_called"]
    # Trial queries are tool calls too, and have no attempts.
    assert [each["attempt_number"] for each in called if "attempt_number" in each] == [1, 2]
    decided = [entry["event_data"] for entry in entries if entry["event_data"].get("rule") == "SELF-REPAIR"]
    assert {each["decision"] for each in decided} == {"retry"}


def test_a_total_that_takes_too_long_fails_and_is_not_guessed(
    workbench: Workbench, names: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(workbench, names, f"SELECT sum({LONG}) AS total FROM names", 2, monkeypatch)
    # The trial or the run is out of time; where some is left the readers are asked, who do not know the word.
    assert run.status in {"failed", "clarification_needed"}
    assert run.table is None
    assert set(statuses(workbench, run.id)) <= {"timeout"}


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 30, 180])
def test_the_attempts_together_take_no_longer_than_was_allowed(limit: int) -> None:
    shares = [tasks.attempt_seconds(limit, attempt) for attempt in (1, 2, 3)]
    assert all(share >= 1 for share in shares)
    assert sum(shares) <= max(3, limit)
    assert shares[0] >= limit // 3
