"""What a model may submit when plugins are installed: their tools in tasks, and their kinds of charts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.plugins.conftest import Installed
from tests.plugins.test_installed import HOSTS, gini

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

ASK = """
import json, sys
from averment import Workbench, llm
from averment.errors import ModelUnavailable
from averment.settings import Settings
class Scripted:
    steps, prompts = json.loads(sys.argv[1]), []
    def propose(self, output_type, *, purpose, system, prompt, context=None):
        if purpose == "phrase" or not self.steps:
            raise ModelUnavailable("This model has said all it has to say.")
        self.prompts.append(prompt)
        return output_type.model_validate(self.steps.pop(0))
model = Scripted()
llm.open_proposer = lambda settings, small=False: model
with Workbench(settings=Settings(model_provider="openai")) as workbench:
    run = workbench.analyze("which galaxy shines brightest", ["hosts.csv"])
    checks = {check.subject: [check.ok, check.detail] for check in workbench.verify(run.id).checks}
    drawn = [json.loads((workbench.settings.home / each.content_ref).read_text()) for each in run.artifacts
             if each.content_ref.endswith("chart.vl.json")]
    print(json.dumps({"answer": run.answer, "read_back": run.read_back, "tasks": (run.tasks or {}).get("subtasks"),
                      "prompts": model.prompts, "checks": checks, "drawn": drawn, "report": run.report}))
"""
TOTALS = {"id": "loot", "tool": "sql.run", "arguments": {"query": "SELECT host, bytes AS fraud FROM hosts"}}


def ask(installed: Installed, *steps: dict[str, Any]) -> dict[str, Any]:
    """What came of a run whose model took those steps."""
    rows = [f"{host},{size}" for host, size in HOSTS.items()]
    (installed.folder / "hosts.csv").write_text("\n".join(["host,bytes", *rows]) + "\n")
    done = installed.run("-c", ASK, json.dumps(steps))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def submitted(**arguments: object) -> dict[str, Any]:
    """A plan whose answer a plugin's tool computes."""
    spread = {"id": "spread", "tool": "example.gini", "arguments": {"input": "loot", **arguments}}
    return {"tool": "submit", "tasks": [TOTALS, spread], "main": "spread"}


def test_a_task_uses_a_tool_of_a_plugin_and_the_run_verifies_and_names_it(installed: Installed) -> None:
    told = ask(installed, submitted(column="fraud"))
    assert [task["tool_name"] for task in told["tasks"]] == ["sql.run", "example.gini"]
    assert f"{gini(list(HOSTS.values())):.3f}".rstrip("0") in told["answer"]
    assert told["read_back"] == "example.gini of bytes over [host, bytes, in hosts]"
    assert not any(word in told["report"] for word in ("loot", "fraud"))
    assert all(ok for ok, _ in told["checks"].values())
    assert "tools example.gini" in told["checks"]["plugin averment-example"][1]


def test_a_model_is_told_of_the_tools_and_the_charts_of_plugins(installed: Installed) -> None:
    (prompt,) = ask(installed, submitted(column="fraud"))["prompts"]
    assert "Compute the Gini coefficient of a column of an earlier result." in prompt
    assert '"lollipop"' in prompt


def test_arguments_that_a_tool_does_not_take_are_refused_with_its_fields(installed: Installed) -> None:
    told = ask(installed, submitted(columns=["fraud"]), submitted(column="fraud"))
    assert "Fields of example.gini: input, column." in told["prompts"][1]
    assert [task["tool_name"] for task in told["tasks"]] == ["sql.run", "example.gini"]


def test_a_model_draws_a_chart_of_a_kind_that_a_plugin_adds(installed: Installed) -> None:
    chart = {"type": "lollipop", "x_col": "host", "y_col": "fraud"}
    query = "SELECT host, sum(bytes) AS fraud FROM hosts GROUP BY host ORDER BY host"
    told = ask(installed, {"tool": "submit", "sql": query, "chart": chart})
    (drawn,) = told["drawn"]
    assert [layer["mark"]["type"] for layer in drawn["layer"]] == ["bar", "circle"]
    assert all(ok for ok, _ in told["checks"].values())
    assert "charts lollipop" in told["checks"]["plugin averment-example"][1]
