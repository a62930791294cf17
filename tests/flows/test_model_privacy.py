"""What of the data leaves for a model is what its level allows, and can be looked at afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.agents.analyst.agent import Analyst
from averment.agents.analyst.model import ModelReasoner
from averment.errors import ModelUnavailable
from averment.faces.cli.app import app
from averment.factory import AgentFactory
from averment.llm import ModelCall
from averment.llm.call import hash_prompt
from averment.settings import Settings, load

QUESTION = "which thing glows"
STAFF = """employee_name,city,hired,salary
Ada Adler,Bonn,2020-05-01,51234
Ben Bauer,Kiel,2021-06-02,62345
Ada Adler,Bonn,2022-07-03,73456
Cleo Carl,Kiel,2023-08-04,84567
"""


class Listening:
    """A model that looks around, submits, and remembers what it was told."""

    def __init__(self, *steps: dict[str, Any]) -> None:
        self.steps = list(steps)
        self.told = ""

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        self.told += prompt
        if purpose != "plan" or not self.steps:
            raise ModelUnavailable("This model has nothing more to say.")
        return output_type.model_validate(self.steps.pop(0))


LOOKS: tuple[dict[str, Any], ...] = (
    {"tool": "look_up_value", "text": "ada adle"},
    {"tool": "profile", "table": "staff", "column": "salary"},
    {"tool": "try", "sql": "SELECT employee_name, city, salary FROM staff ORDER BY salary"},
    {"sql": "SELECT city, sum(salary) FROM staff GROUP BY city"},
)


def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> str:
    path = tmp_path / "staff.csv"
    path.write_text(STAFF)
    model = Listening(*LOOKS)
    monkeypatch.setattr(AgentFactory, "analyst", lambda self, recorded=None: Analyst(ModelReasoner(model, **options)))
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        assert workbench.analyze(QUESTION, [path], deliverables=["tables"]).status == "completed"
    return model.told


@pytest.mark.parametrize(
    ("level", "seen", "unseen"),
    [
        ("names", ["employee_name", "salary"], ["51234", "84567", "Bonn", "Ada Adler", "2020-05-01"]),
        ("profiles", ["51234", "84567", "2020-05-01"], ["Bonn", "Ada Adler", "62345"]),
        ("values", ["Bonn", "62345"], ["Ada Adler", "Cleo"]),
        ("rows", ["Bonn", "62345", "Ada Adler"], []),
    ],
)
def test_a_model_sees_what_its_level_allows_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, seen: list[str], unseen: list[str]
) -> None:
    said = told(tmp_path, monkeypatch, privacy=level)
    assert [text for text in seen if text not in said] == []
    assert [text for text in unseen if text in said] == []


def test_a_table_or_column_can_be_set_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = told(tmp_path, monkeypatch, privacy="rows", exceptions={"staff.salary": "names", "STAFF.city": "profiles"})
    assert "Ada Adler" in said
    assert all(text not in said for text in ("51234", "84567", "Bonn"))


def test_levels_are_set_in_the_environment() -> None:
    environment = {"AVERMENT_MODEL_PRIVACY": "profiles", "AVERMENT_MODEL_PRIVACY_OF": "staff=names,sales.city=rows"}
    settings = load(environment=environment)
    assert settings.model_privacy == "profiles"
    assert settings.model_privacy_of == {"staff": "names", "sales.city": "rows"}


def test_what_was_sent_is_shown_and_its_hash_is_in_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text(STAFF)
    home = tmp_path / "home"
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        run = workbench.analyze("total salary by city", [path], deliverables=["tables"])
        from averment.runtime.model_log import keep_sent

        call = ModelCall(
            purpose="plan",
            provider="openai",
            model="m",
            prompt_sha256=hash_prompt("be brief", "what is it"),
            seconds=0.1,
            outcome="OK",
            attempt=1,
            system="be brief",
            prompt="what is it",
            answer='{"sql": "SELECT 1"}',
        )
        keep_sent(workbench.home.services, run.id, call)
        assert [each["prompt"] for each in workbench.show(run.id).sent] == ["what is it"]
    shown = CliRunner().invoke(app, ["--home", str(home), "show", run.id, "--sent"], standalone_mode=False)
    assert "what is it" in shown.output
    assert hash_prompt("be brief", "what is it") in shown.output
    as_json = CliRunner().invoke(app, ["--home", str(home), "show", run.id, "--sent", "--json"], standalone_mode=False)
    assert json.loads(as_json.output)["sent"][0]["answer"] == '{"sql": "SELECT 1"}'


def test_the_command_says_which_model_is_set_without_asking_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    home = ["--home", str(tmp_path / "home")]
    none = CliRunner().invoke(app, [*home, "models", "--json"], standalone_mode=False)
    assert json.loads(none.output)["model"] is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("AVERMENT_MODEL_NAME", "qwen")
    told = CliRunner().invoke(app, [*home, "models", "--no-ask"], standalone_mode=False)
    assert "qwen (openai, without a key, found by the environment)" in told.output
    assert "http://127.0.0.1:9/v1" in told.output
    asked = CliRunner().invoke(app, [*home, "models", "--json"], standalone_mode=False)
    found = json.loads(asked.output)
    assert found["answers"] is False
    assert found["code"] == "MODEL_UNAVAILABLE"


@pytest.mark.parametrize(("level", "seen"), [("names", ""), ("values", "51234"), ("rows", "Ben Bauer")])
def test_sample_rows_show_what_the_level_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, seen: str
) -> None:
    monkeypatch.setitem(globals(), "LOOKS", ({"tool": "sample_rows", "table": "staff"}, LOOKS[-1]))
    words = told(tmp_path, monkeypatch, privacy=level)
    assert '"row_count": 4' in words
    assert seen in words
    assert ("Ben Bauer" in words) == (level == "rows")
    assert ("51234" in words) == (level != "names")
