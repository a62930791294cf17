"""With a model in the loop the same checks hold, and without it the rules answer."""

import importlib.util
import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from averment import Workbench
from averment.agents.analyst.agent import Analyst
from averment.agents.analyst.model import ModelReasoner
from averment.agents.analyst.model_loop.submission import Submit
from averment.agents.analyst.model_loop.tools import AnalystTools
from averment.errors import AvermentError, ModelUnavailable
from averment.factory import AgentFactory
from averment.llm import render
from averment.llm.toolsets import offered_tools, one_of
from averment.runtime.model_loop.privacy import without_values
from averment.settings import Settings

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
        if not self.answers:
            raise ModelUnavailable("This model has said all it has to say.")
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
    def analyst(self: AgentFactory, recorded: Any = None) -> Analyst:
        if recorded is not None:
            return original(self, recorded)
        return Analyst(ModelReasoner(model, **options))

    original = AgentFactory.analyst
    monkeypatch.setattr(AgentFactory, "analyst", analyst)


MOST = "SELECT region, max(amount) AS profit FROM sales GROUP BY region ORDER BY profit DESC, region"


def test_a_models_query_is_run_told_with_proof_and_replayed_without_it(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = {"type": "bar", "x_col": "region", "y_col": "profit"}
    model = Scripted({"sql": MOST, "chart": chart})
    using(workbench, model, monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed"
    assert run.answer == "The highest amount is 10.50 for West, 8.00 for North and 7.25 for East."
    assert run.marks.interpretation.code == "model"
    assert run.read_back == "region, highest amount, by region, sorted by highest amount descending, region, in sales"
    assert "profit" not in (run.report or "")
    assert "chart.png" in {Path(artifact.content_ref).name for artifact in run.artifacts}
    assert workbench.verify(run.id).ok
    again, different = workbench.runs.replay(run.id)
    assert different == ()
    assert again.status == "completed"
    assert len(model.prompts) == 1


def test_a_model_is_asked_first_and_the_readers_confirm_it(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT region, sum(amount) AS s, count(*) FROM sales WHERE year(order_date) = 2024 GROUP BY region"
    model = Scripted({"sql": sql})
    using(workbench, model, monkeypatch)
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.status == "completed"
    assert run.marks.interpretation.code == "sure"
    assert len(model.prompts) == 1
    assert workbench.verify(run.id).ok


@pytest.mark.parametrize("use", ["unsure", "never"])
def test_a_model_is_not_asked_what_the_readers_know_where_that_is_set(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch, use: str
) -> None:
    model = Scripted()
    using(workbench, model, monkeypatch, use=use)
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.status == "completed"
    assert model.prompts == []


ALL_YEARS = "SELECT region, sum(amount) FROM sales GROUP BY region"
IN_2024 = "SELECT region, sum(amount) FROM sales WHERE order_date >= DATE '2024-01-01' GROUP BY region"


def test_a_model_that_keeps_to_its_reading_against_the_readers_is_told_as_a_models_alone(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted({"sql": ALL_YEARS}, {"sql": ALL_YEARS})
    using(workbench, model, monkeypatch)
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.status == "completed"
    assert run.marks.interpretation.code == "model"
    assert "the_readers_come_to_another_result" in model.prompts[1]
    assert "total amount, by region, where" in model.prompts[1]
    assert any("2024" in each for each in (run.reading or {})["alternatives"])


def test_a_model_that_is_shown_the_readers_result_may_take_it(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    using(workbench, Scripted({"sql": ALL_YEARS}, {"sql": IN_2024}), monkeypatch)
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.marks.interpretation.code == "sure"
    assert run.table is not None
    assert sum(run.table.column("total amount").to_pylist()) == 30


def test_a_third_result_leaves_the_matter_to_the_person_with_both_readings(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    using(
        workbench,
        Scripted({"sql": ALL_YEARS}, {"sql": "SELECT region, max(amount) FROM sales GROUP BY 1"}),
        monkeypatch,
    )
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.status == "clarification_needed"
    assert run.offers[0].read_back == "maximum amount, by region, in sales"
    assert len(run.offers) == 2
    chosen = workbench.choose(run, 1)
    assert chosen.marks.interpretation.code == "chosen"
    assert workbench.verify(chosen.id).ok
    again = workbench.analyze("total amount by region in 2024", [sales])
    assert again.marks.interpretation.code == "chosen"


def test_a_models_question_reaches_the_person_with_readings_to_choose(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = [
        {"sql": "SELECT sum(amount) FROM sales"},
        {"sql": "SELECT nothing FROM nowhere"},
        {"plan": {"table": "x"}},
    ]
    model = Scripted({"tool": "ask", "question_back": "By which measure?", "choices": choices})
    using(workbench, model, monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "clarification_needed"
    assert (run.answer or "").startswith("A model asks: “By which measure?”")
    assert "1. total amount, in sales" in (run.answer or "")
    assert [offer.rows for offer in run.offers] == [((35.0,),)]
    assert workbench.choose(run, 1).answer == "The total amount is 35.00."


def test_a_models_question_with_a_number_of_its_own_is_not_repeated(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    using(workbench, Scripted({"question_back": "Sales fell by 40 %; which region do you mean?"}), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "clarification_needed"
    assert "40" not in (run.answer or "")


def test_a_refused_query_is_corrected_within_the_loop(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(
        {"sql": "SELECT brightness FROM sales"},
        {"sql": "SELECT to_char(order_date) FROM sales"},
        {"sql": "SELECT max(amount) FROM sales"},
    )
    using(workbench, model, monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.answer == "The highest amount is 10.50."
    assert "MISSING_COLUMN" in model.prompts[1]
    stepped = [event.data for event in workbench.runs.events(run.id) if event.type == "model_stepped"]
    assert [(each["step"], each["repair"], each["status"]) for each in stepped] == [
        (1, 0, "error"),
        (1, 1, "error"),
        (1, 2, "success"),
    ]


def test_a_model_looks_before_it_submits_and_each_look_is_in_the_ledger(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(
        {"tool": "schema", "table": "sales"},
        {"tool": "look_up_value", "text": "wset"},
        {"tool": "profile", "table": "sales", "column": "amount"},
        {"tool": "try", "sql": "SELECT region, sum(amount) AS s FROM sales GROUP BY region"},
        {
            "tool": "try",
            "code": "result = t.amount.median()",
            "inputs": [{"name": "t", "sql": "SELECT amount FROM sales"}],
        },
        {"sql": "SELECT sum(amount) FROM sales WHERE region = 'West'"},
    )
    using(workbench, model, monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.answer == "The total amount is 18.60 where region is West."
    assert '"value": "West"' in model.prompts[2]
    assert "18.6" in model.prompts[4]
    entries = ledger(workbench, run.id)
    looked = [
        entry["event_data"]["tool_name"]
        for entry in entries
        if entry["event_data"].get("kind") == "model_step" and entry["event_type"] == "tool_called"
    ]
    assert looked == ["schema", "look_up_value", "profile", "try", "try", "submit"]
    assert [event.data["task_id"] for event in workbench.runs.events(run.id) if event.type == "call_observed"] == [
        "query"
    ]


def ledger(workbench: Workbench, run_id: str) -> list[dict[str, Any]]:
    lines = (workbench.settings.home / "logs" / "data_agent_runs.jsonl").read_text().splitlines()
    return [entry for entry in map(json.loads, lines) if entry["request_id"] == run_id]


@pytest.mark.parametrize(
    "step",
    [
        {
            "plan": {
                "table": "sales",
                "measures": [{"function": "median", "of": {"table": "sales", "column": "amount"}}],
            }
        },
        {"sql": "SELECT median(amount) FROM sales"},
        {
            "code": "result = {'median': t.a.median()}",
            "inputs": [{"name": "t", "sql": "SELECT amount AS a FROM sales"}],
        },
        {
            "tasks": [
                {"id": "a", "tool": "sql.run", "arguments": {"query": "SELECT amount FROM sales"}},
                {
                    "id": "b",
                    "tool": "python.run",
                    "arguments": {
                        "code": "result = {'median amount': a.amount.astype(float).median()}",
                        "inputs": ["a"],
                    },
                },
                {"id": "c", "tool": "profiler.analyze", "arguments": {"table": "sales"}},
            ],
            "main": "b",
        },
    ],
)
def test_plans_queries_programs_and_tasks_are_submitted_alike(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch, step: dict[str, Any]
) -> None:
    using(workbench, Scripted(step), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed", run.answer
    assert run.table is not None
    assert float(run.table.column(0)[0].as_py()) == pytest.approx(6.12, abs=0.01)
    assert workbench.verify(run.id).ok


AMOUNTS = {"name": "t", "sql": "SELECT amount FROM sales"}


def test_tasks_of_the_seeds_tools_make_one_plan_with_a_picture(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [
        {
            "id": "sales_fell",
            "tool": "sql.run",
            "arguments": {"query": "SELECT region AS profit, amount AS loss FROM sales"},
        },
        {
            "id": "b",
            "tool": "df.transform",
            "arguments": {
                "input": "sales_fell",
                "operation": "group",
                "columns": ["profit"],
                "aggregation": "sum",
                "value_column": "loss",
            },
        },
        {
            "id": "c",
            "tool": "plot.render",
            "arguments": {"input": "b", "type": "bar", "x_col": "region", "y_col": "sum_amount"},
        },
    ]
    using(workbench, Scripted({"tasks": tasks, "main": "b"}), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed", run.answer
    assert [task["tool_name"] for task in (run.tasks or {})["subtasks"]] == ["sql.run", "df.transform", "plot.render"]
    assert all(word not in (run.report or "") for word in ("fell", "profit", "loss"))
    assert workbench.verify(run.id).ok


BOXES = """SELECT region, median(amount) AS m, min(amount) AS a, quantile_cont(amount, 0.25) AS b,
quantile_cont(amount, 0.75) AS c, max(amount) AS d FROM sales GROUP BY region ORDER BY region"""


def test_a_model_draws_boxes_over_the_quartiles_that_its_query_computes(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = {"type": "box", "x_col": "region", "y_col": "m", "box_cols": ["a", "b", "c", "d"]}
    using(workbench, Scripted({"sql": BOXES, "chart": chart}), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    (drawn,) = [task for task in (run.tasks or {})["subtasks"] if task["tool_name"] == "plot.render"]
    assert drawn["arguments"]["type"] == "box"
    document = next(each for each in run.artifacts if each.content_ref.endswith("chart.vl.json"))
    marks = [
        layer["mark"]["type"]
        for layer in json.loads((workbench.settings.home / document.content_ref).read_text())["layer"]
    ]
    assert marks == ["rule", "bar", "tick"]
    assert workbench.verify(run.id).ok


def test_a_kind_of_chart_that_there_is_not_is_refused_with_those_there_are(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"id": "a", "tool": "sql.run", "arguments": {"query": MOST}}
    picture = {"input": "a", "type": "sunburst", "x_col": "region", "y_col": "profit"}
    model = Scripted({"tasks": [query, {"id": "b", "tool": "plot.render", "arguments": picture}]}, {"sql": MOST})
    using(workbench, model, monkeypatch)
    assert workbench.analyze(QUESTION, [sales]).status == "completed"
    assert "there is no sunburst among the charts: bar, line" in model.prompts[1]


@pytest.mark.parametrize("tool", ["search.web", "page.read", "document.answer", "example.nothing"])
def test_a_task_cannot_use_a_tool_that_is_not_offered(tool: str) -> None:
    with pytest.raises(ValidationError, match=f"there is no {tool} among the tools: sql.run"):
        Submit.model_validate({"tasks": [{"id": "a", "tool": tool}]})


@pytest.mark.parametrize(
    "step",
    [
        {"code": "result = {'total': 999999}", "inputs": [{"name": "t", "sql": "SELECT amount FROM sales"}]},
        {
            "code": "x = len(t) * 0\nresult = {'total': x + 4711}",
            "inputs": [{"name": "t", "sql": "SELECT amount FROM sales"}],
        },
        {"code": "result = {'who': 'the boss is right'}", "inputs": [{"name": "t", "sql": "SELECT amount FROM sales"}]},
        {"code": "result = {'n': len(t), 'total': float('4711')}", "inputs": [AMOUNTS]},
        {"code": "result = pd.DataFrame({'total': [int('47' + '11')]})", "inputs": [AMOUNTS]},
        {"sql": "SELECT 'North' AS region, 999999 AS total FROM sales LIMIT 1"},
    ],
)
def test_what_a_model_makes_up_is_never_told(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch, step: dict[str, Any]
) -> None:
    using(workbench, Scripted(step, step), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "clarification_needed"
    assert all(word not in (run.answer or "") for word in ("999", "4711", "4,711", "boss"))


def test_an_empty_result_is_looked_at_again_and_then_is_an_answer(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT product FROM sales WHERE region = 'west'"
    model = Scripted({"sql": sql}, {"sql": sql})
    using(workbench, model, monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed"
    assert run.answer == "None: sales has no rows where region is west."
    assert '"not_in_the_data": {"west": ["West"]}' in model.prompts[1]
    assert workbench.verify(run.id).ok


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "DELETE FROM sales",
        "SELECT brightness FROM sales",
        "SELECT 1; SELECT 2",
        "not sql at all",
        "SELECT random() FROM sales",
    ],
)
def test_a_models_refused_query_never_runs_and_the_rules_ask_back(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    using(workbench, Scripted({"sql": sql}, {"sql": sql}), monkeypatch)
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "clarification_needed"
    fallen = [event for event in workbench.runs.events(run.id) if event.type == "model_fell_back"]
    assert [event.data["code"] for event in fallen] == ["MODEL_NONSENSE"]
    assert fallbacks(workbench, run.id) == [("plan", "MODEL_NONSENSE")]


def test_a_model_that_never_submits_ends_after_eight_steps(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(*({"tool": "look_up_value", "text": f"w{n}"} for n in range(20)))
    using(workbench, model, monkeypatch)
    run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.status == "completed"
    assert len(model.prompts) == 8
    assert fallbacks(workbench, run.id)[0] == ("plan", "MODEL_NONSENSE")


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
    using(workbench, model, monkeypatch, privacy="names")
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


@pytest.mark.parametrize(
    "mode",
    ["good", "stalls", *(pytest.param(mode, marks=pytest.mark.thorough) for mode in ("nonsense", "cuts off", "500"))],
)
def test_whatever_an_endpoint_does_the_run_ends_and_holds(
    endpoint: Any, tmp_path: Path, sales: Path, mode: str
) -> None:
    endpoint.script = [mode]
    settings = Settings(home=tmp_path / "home", model_timeout_seconds=2)
    with Workbench(settings=settings) as workbench:
        run = workbench.analyze(QUESTION, [sales])
        assert run.status == "clarification_needed"
        assert [event.type for event in workbench.runs.events(run.id)].count("model_fell_back") == 1
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
    again, different = workbench.runs.replay(run.id)
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
    using(workbench, Scripted(order=order), monkeypatch, use="unsure")
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
    model = Scripted({"sql": wrong}, {"sql": right})
    using(workbench, model, monkeypatch, privacy="names")
    run = workbench.analyze(QUESTION, [sales])
    assert run.status == "completed"
    assert run.answer == "The highest amount is 10.50."
    assert "type_mismatch" in model.prompts[1]
    assert "Lamp" not in model.prompts[1]
    assert workbench.verify(run.id).ok


def test_an_error_message_keeps_names_and_loses_values() -> None:
    message = "Could not convert string 'Ann Lee' to INT32 in \"amount\""
    assert without_values(message, {"amount"}) == 'Could not convert string … to INT32 in "amount"'


@pytest.mark.parametrize(
    "mode", ["good", "wrong schema", *(pytest.param(mode, marks=pytest.mark.thorough) for mode in ("nonsense", "500"))]
)
def test_an_endpoint_that_cannot_phrase_changes_nothing_in_the_answer(
    endpoint: Any, tmp_path: Path, sales: Path, mode: str
) -> None:
    with Workbench(settings=Settings(home=tmp_path / "plain", model_provider="none")) as workbench:
        plain = workbench.analyze("total amount by region in 2024", [sales])
        told = plain.report
    endpoint.script = [mode]
    settings = Settings(home=tmp_path / "home", model_timeout_seconds=5, model_use="unsure")
    with Workbench(settings=settings) as workbench:
        run = workbench.analyze("total amount by region in 2024", [sales])
        assert run.status == "completed"
        assert (run.report or "").partition("\n## Model")[0].rstrip() == (told or "").rstrip()
        assert [purpose for purpose, _ in fallbacks(workbench, run.id)] == ["phrase"]
        before = len(endpoint.requests)
        assert workbench.verify(run.id).ok
        assert len(endpoint.requests) == before


def test_a_resumed_run_asks_for_no_step_twice(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Scripted):
        def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
            if purpose == "plan" and not self.answers:
                raise RuntimeError("the process died here")
            return super().propose(output_type, purpose=purpose, system=system, prompt=prompt, context=context)

    first = Broken({"tool": "look_up_value", "text": "West"})
    using(workbench, first, monkeypatch)
    begun = workbench.runs.start.analysis(QUESTION, [sales])
    with pytest.raises(AvermentError):
        workbench.runs.wait(begun)
    second = Scripted({"sql": "SELECT max(amount) FROM sales"})
    using(workbench, second, monkeypatch)
    run = workbench.runs.resume(begun)
    assert run.answer == "The highest amount is 10.50."
    assert len(first.prompts) == len(second.prompts) == 1
    assert "look_up_value" in second.prompts[0]
    assert workbench.verify(run.id).ok


def test_a_follow_up_tells_the_model_what_was_asked_before(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    using(workbench, Scripted({"sql": "SELECT max(amount) FROM sales"}), monkeypatch)
    first = workbench.analyze(QUESTION, [sales])
    model = Scripted({"sql": "SELECT max(amount) FROM sales WHERE region = 'East'"})
    using(workbench, model, monkeypatch)
    run = workbench.analyze("and in the East?", [sales], after=first)
    assert run.answer == "The highest amount is 7.25 where region is East."
    assert QUESTION in model.prompts[0]
    assert '"function": "max"' in model.prompts[0]


def test_a_models_query_is_followed_up_by_the_readers_alone(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        using(workbench, Scripted({"sql": "SELECT region, max(amount) FROM sales GROUP BY region"}), patch)
        first = workbench.analyze(QUESTION, [sales])
    assert first.plan is not None
    run = workbench.analyze("only the West", [sales], after=first)
    assert run.answer == "The highest amount is 10.50 for West where region is West."


def test_of_several_candidates_the_result_that_comes_up_twice_stands(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(
        {"sql": "SELECT min(amount) FROM sales"},
        {"sql": "SELECT max(amount) FROM sales"},
        {"sql": "SELECT amount FROM sales ORDER BY amount DESC LIMIT 1"},
        {"sql": "SELECT sum(amount) FROM sales"},
    )
    using(workbench, model, monkeypatch, candidates=4)
    run = workbench.analyze(QUESTION, [sales])
    assert run.answer == "The highest amount is 10.50."
    assert len(model.prompts) == 3
    assert workbench.verify(run.id).ok


def test_a_step_passes_over_keys_of_the_models_own() -> None:
    call = one_of(Submit).model_validate({"reasoning": "first I think", "sql": "SELECT 1", "total": 42}).call
    assert isinstance(call, Submit)
    assert call.given() == {"tool": "submit", "sql": "SELECT 1"}


def test_a_model_may_see_the_whole_form_of_a_plan(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(
        {"tool": "plan_form"},
        {"tool": "plan_form", "part": "Window"},
        {"tool": "plan_form", "part": "Roof"},
        {"sql": "SELECT max(amount) FROM sales"},
    )
    using(workbench, model, monkeypatch)
    assert workbench.analyze(QUESTION, [sales]).answer == "The highest amount is 10.50."
    assert all(word in model.prompts[1] for word in ("over_groups", "statistic", "Measure", "Window"))
    assert "A plan has no part Roof." in model.prompts[3]


def test_what_a_model_is_told_before_any_question_is_short() -> None:
    tools = offered_tools(one_of(*AnalystTools(None, ()).uses()))  # type: ignore[arg-type]
    values = dict.fromkeys(
        ("further", "schema", "examples", "now", "meanings", "conversation", "values", "question"), ""
    )
    told = render("plan_analysis", **values, steps=[], steps_left=8)
    forms = [json.dumps(tool.schema, separators=(",", ":")) + tool.name + tool.description for tool in tools]
    assert len(told.system + told.prompt) + sum(map(len, forms)) < 5_000
