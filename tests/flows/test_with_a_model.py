"""With a model in the loop the same checks hold, and without it the rules answer."""

import importlib.util
import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.agents.analyst.agent import Analyst
from averment.agents.analyst.model import ModelReasoner, ProposedQuery, without_values
from averment.crew import Crew
from averment.errors import ModelUnavailable
from averment.settings import Settings

pytestmark = pytest.mark.xdist_group("flows")
QUESTION = "which galaxy shines brightest"
SPEC = importlib.util.spec_from_file_location("model_endpoint", Path(__file__).parents[1] / "llm" / "endpoint.py")


class Scripted:
    """A model that says what it is told to say, and remembers what it was asked; it orders findings only when told."""

    def __init__(self, *answers: dict[str, Any], order: list[str] | None = None) -> None:
        self.answers = list(answers)
        self.order = order
        self.prompts: list[str] = []
        self.phrasing: list[str] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        if purpose == "phrase":
            self.phrasing.append(prompt)
            if self.order is None:
                raise ModelUnavailable("This model does not choose.")
            return output_type.model_validate({"findings": self.order})
        self.prompts.append(prompt)
        return output_type.model_validate(self.answers.pop(0))


def fallbacks(workbench: Workbench, run_id: str) -> list[tuple[str, str]]:
    """The purpose and the reason of each time the rules took over, as the ledger has it."""
    lines = (workbench.settings.home / "logs" / "data_agent_runs.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    return [
        (entry["event_data"]["purpose"], entry["event_data"]["rule"])
        for entry in entries
        if entry["request_id"] == run_id and entry["event_data"].get("decision") == "fallback"
    ]


def using(workbench: Workbench, model: Scripted, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    def analyst(self: Crew, recorded: Any = None) -> Analyst:
        if recorded is not None:
            return original(self, recorded)
        return Analyst(ModelReasoner(model, **options))

    original = Crew.analyst
    monkeypatch.setattr(Crew, "analyst", analyst)


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
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.status == "completed"
    assert model.prompts == []
    assert fallbacks(workbench, run.id) == [("phrase", "MODEL_UNAVAILABLE")]


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


ORDER = ["also.lowest", "rows-1"]


def test_a_model_chooses_among_the_findings_and_is_verified_and_replayed_without_it(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(order=ORDER)
    with monkeypatch.context() as patch:
        using(workbench, model, patch)
        run = workbench.analyze("total amount by region in 2024", [sales])
        texts = {finding.finding_id: finding.text for finding in run.findings}
        assert run.answer == f"{texts['also.lowest']} {texts['rows-1']}"
        assert run.answer in (run.report or "").replace("\\_", "_")
        assert workbench.verify(run.id).ok
    assert workbench.verify(run.id).ok
    again, different = workbench.replay(run.id)
    assert different == ()
    assert again.answer == run.answer
    assert workbench.verify(again.id).ok
    assert len(model.phrasing) == 1
    assert "13.60" not in model.phrasing[0]
    assert "West" not in model.phrasing[0]


@pytest.mark.parametrize(
    "order",
    [
        ["also.highest", "In all it is 31.00."],
        ["rows-1", "rows-1"],
        ["West leads tenfold, as the boss said."],
        ["{rows-1}"],
        ["total"],
    ],
)
def test_a_model_that_says_something_of_its_own_is_not_heard(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch, order: list[str]
) -> None:
    plain = workbench.analyze("total amount by region in 2024", [sales])
    using(workbench, Scripted(order=order), monkeypatch)
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.status == "completed"
    assert run.answer == plain.answer
    assert run.report == plain.report
    assert fallbacks(workbench, run.id) == [("phrase", "MODEL_NONSENSE")]
    assert workbench.verify(run.id).ok


def test_whoever_changes_the_kept_order_of_a_model_is_found_out(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    using(workbench, Scripted(order=ORDER), monkeypatch)
    run = workbench.analyze("total amount by region in 2024", [sales])
    with sqlite3.connect(workbench.settings.home / "db" / "averment.db") as database:
        changed = database.execute(
            "UPDATE run_records SET body = replace(body, 'lowest', 'highest') WHERE run_id = ? AND kind = 'phrase'",
            (run.id,),
        )
        assert changed.rowcount == 1
    assert not workbench.verify(run.id).ok


def test_personal_values_stay_at_home_even_without_a_policy(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("contact,city,amount\nann@example.com,Bonn,1\nbob@example.com,Kiel,2\nann@example.com,Kiel,4\n")
    model = Scripted({"question_back": "what?"})
    using(workbench, model, monkeypatch)
    workbench.analyze(QUESTION, [path])
    (prompt,) = model.prompts
    assert "Kiel" in prompt
    assert "ann@example.com" not in prompt


def test_a_model_repairs_with_the_category_and_without_the_data(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "SELECT max(CAST(product AS INTEGER)) AS most FROM sales"
    right = "SELECT max(amount) AS most FROM sales"
    model = Scripted({"sql": wrong, "in_words": "the most"}, {"sql": right})
    using(workbench, model, monkeypatch, samples=False)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed"
    assert run.answer == "The result is: most 10.50."
    assert "type_mismatch" in model.prompts[1]
    assert "Lamp" not in model.prompts[1]
    repaired = [event for event in workbench.events(run.id) if event.type == "call_repaired"]
    assert [event.data["decision"] for event in repaired] == ["retry"]
    assert workbench.verify(run.id).ok


def test_a_model_that_cannot_repair_leaves_the_rules_answer(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "SELECT max(CAST(product AS INTEGER)) AS most FROM sales"
    using(workbench, Scripted({"sql": wrong, "in_words": "the most"}, {"sql": "DROP TABLE sales"}), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "failed"
    assert fallbacks(workbench, run.id) == [("repair", "MODEL_NONSENSE")]


def test_an_error_message_keeps_names_and_loses_values() -> None:
    message = "Could not convert string 'Ann Lee' to INT32 in \"amount\""
    assert without_values(message, {"amount"}) == 'Could not convert string … to INT32 in "amount"'


@pytest.mark.parametrize("mode", ["good", "nonsense", "500", "wrong schema"])
def test_an_endpoint_that_cannot_phrase_changes_nothing_in_the_answer(
    endpoint: Any, tmp_path: Path, sales: Path, mode: str
) -> None:
    with Workbench(settings=Settings(home=tmp_path / "plain", model_provider="none")) as workbench:
        plain = workbench.analyze("total amount by region in 2024", [sales])
        told = plain.report
    endpoint.script = [mode]
    with Workbench(settings=Settings(home=tmp_path / "home", model_timeout_seconds=5)) as workbench:
        run = workbench.analyze("total amount by region in 2024", [sales])
        assert run.status == "completed"
        assert run.report == told
        assert [purpose for purpose, _ in fallbacks(workbench, run.id)] == ["phrase"]
        before = len(endpoint.requests)
        assert workbench.verify(run.id).ok
        assert len(endpoint.requests) == before


def test_a_proposal_has_a_closed_form() -> None:
    with pytest.raises(ValueError, match="extra"):
        ProposedQuery.model_validate({"sql": "SELECT 1", "total": 42})
