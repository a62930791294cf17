"""With a model in the loop the same checks hold, and without it the rules answer."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.agents.analyst.agent import Analyst
from averment.agents.analyst.model import ModelReasoner, ProposedQuery
from averment.settings import Settings

pytestmark = pytest.mark.xdist_group("flows")
QUESTION = "which galaxy shines brightest"
SPEC = importlib.util.spec_from_file_location("model_endpoint", Path(__file__).parents[1] / "llm" / "endpoint.py")


class Scripted:
    """A model that says what it is told to say, and remembers what it was asked."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        self.prompts.append(prompt)
        return output_type.model_validate(self.answers.pop(0))


def using(workbench: Workbench, model: Scripted, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    def analyst(self: Workbench, recorded: Any = None) -> Analyst:
        if recorded is not None:
            return original(self, recorded)
        return Analyst(ModelReasoner(model, **options))

    original = Workbench._analyst
    monkeypatch.setattr(Workbench, "_analyst", analyst)


def test_a_models_query_is_run_told_with_proof_and_replayed_without_it(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT region, max(amount) AS most FROM sales GROUP BY region ORDER BY most DESC, region"
    chart = {"type": "bar", "x_col": "region", "y_col": "most"}
    model = Scripted({"sql": sql, "in_words": "the highest amount by region", "chart": chart})
    using(workbench, model, monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed"
    assert run.answer == "The first row is: region West, most 10.50."
    assert workbench.verify(run.id).ok
    again, different = workbench.replay(run.id)
    assert different == ()
    assert again.status == "completed"
    assert len(model.prompts) == 1


def test_a_model_is_not_asked_what_the_rules_know(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted()
    using(workbench, model, monkeypatch)
    assert workbench.analyze("total amount by region in 2024", [sales]).status == "completed"
    assert model.prompts == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "DELETE FROM sales",
        "SELECT brightness FROM sales",
        "SELECT 1; SELECT 2",
        "not sql at all",
    ],
)
def test_a_models_refused_query_never_runs_and_the_rules_ask_back(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    using(workbench, Scripted({"sql": sql}), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "clarification_needed"
    fallbacks = [event for event in workbench.events(run.id) if event.type == "model_fell_back"]
    assert [event.data["code"] for event in fallbacks] == ["MODEL_NONSENSE"]
    ledger = (workbench.settings.home / "logs" / "data_agent_runs.jsonl").read_text()
    assert any(json.loads(line)["event_data"].get("decision") == "fallback" for line in ledger.splitlines())


def test_a_model_sees_only_what_the_policy_permits(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("contact,secret,amount\nann@example.com,k1,1\nbob@example.com,k2,2\n")
    model = Scripted({"question_back": "what?"})
    using(workbench, model, monkeypatch)
    policy = {"allowed_columns": ["contact", "amount"], "blocked_patterns": ["email"]}
    run = workbench.analyze(QUESTION, [path], policy=policy)
    assert run.status == "clarification_needed"
    (prompt,) = model.prompts
    assert "amount" in prompt
    assert "secret" not in prompt
    assert "ann@example.com" not in prompt
    assert "k1" not in prompt


def test_samples_can_be_kept_at_home(workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted({"question_back": "what?"})
    using(workbench, model, monkeypatch, samples=False)
    workbench.analyze(QUESTION, [sales])
    assert "West" not in model.prompts[0]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    assert SPEC is not None
    assert SPEC.loader is not None
    module = importlib.util.module_from_spec(SPEC)
    sys.modules[SPEC.name] = module
    SPEC.loader.exec_module(module)
    opened = module.Endpoint()
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", opened.url)
    yield opened
    opened.close()


@pytest.mark.parametrize("mode", ["good", "nonsense", "stalls", "cuts off", "500"])
def test_whatever_an_endpoint_does_the_run_ends_and_holds(
    endpoint: Any, tmp_path: Path, sales: Path, mode: str
) -> None:
    endpoint.script = [mode]
    settings = Settings(home=tmp_path / "home", model_timeout_seconds=2)
    with Workbench(settings=settings) as workbench:
        run = workbench.analyze(QUESTION, [sales])
        assert run.status == "clarification_needed"
        assert [event.type for event in workbench.events(run.id)].count("model_fell_back") == 1
        assert workbench.verify(run.id).ok


def test_a_proposal_has_a_closed_form() -> None:
    with pytest.raises(ValueError, match="extra"):
        ProposedQuery.model_validate({"sql": "SELECT 1", "total": 42})
