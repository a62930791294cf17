"""Plans over MCP: a plan is carried out in either form, and a reading that was offered can be chosen by number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.settings import Settings
from averment.workbench import Workbench

ORDERS = """id,customer,city,amount,tax
1,Ada,Oslo,10,2
2,Ben,Oslo,20,4
3,Cia,Moss,30,6
4,Dan,Moss,25,5
"""
LINE = "from orders by city take sum(amount)"
JSON = {
    "table": "orders",
    "by": [{"table": "orders", "column": "city"}],
    "measures": [{"function": "sum", "of": {"table": "orders", "column": "amount"}}],
}


class Tools:
    """The tools of a home over one file."""

    def __init__(self, workbench: Workbench, source: Path) -> None:
        self.workbench, self.source, self.calls = workbench, str(source), 0

    def __call__(self, name: str, **arguments: Any) -> Any:
        self.calls += 1
        return self.workbench.assistant.call(name, arguments, key=f"plans-{self.calls}")


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    folder = tmp_path_factory.mktemp("plans")
    source = folder / "orders.csv"
    source.write_text(ORDERS, encoding="utf-8")
    with Workbench(settings=Settings(home=folder / "home")) as workbench:
        yield Tools(workbench, source)


@pytest.mark.parametrize("plan", [LINE, JSON], ids=["its line", "its JSON"])
def test_a_plan_is_carried_out_in_either_form(tools: Tools, plan: Any) -> None:
    done = tools("run_plan", plan=plan, sources=[tools.source]).result
    assert done["status"] == "completed"
    assert sorted(done["rows"]) == [["Moss", 55], ["Oslo", 30]]
    assert done["read_back"] == "total amount, by city, in orders"
    assert done["marks"]["interpretation"]["code"] == "given"
    assert done["meaning"]["measures"] == JSON["measures"]
    assert tools.workbench.verify(done["run_id"]).ok


def test_what_is_no_plan_is_refused_and_no_run_begins(tools: Tools) -> None:
    before = len(tools.workbench.runs.list())
    for plan in ("from orders take middle(amount)", {"table": "orders"}, "select 1"):
        assert tools("run_plan", plan=plan, sources=[tools.source]).result is None
    assert len(tools.workbench.runs.list()) == before


def test_an_offered_reading_is_shown_with_a_preview_and_chosen_by_number(tools: Tools) -> None:
    asked = tools("analyze", question="which city is doing best", sources=[tools.source]).result
    assert asked["status"] == "clarification_needed", asked
    offers = asked["offers"]
    assert offers and all(each["read_back"] and each["rows"] and each["columns"] for each in offers)
    chosen = tools("choose", run_id=asked["run_id"], number=1).result
    assert chosen["status"] == "completed"
    assert chosen["marks"]["interpretation"]["code"] == "chosen"
    assert chosen["read_back"] == offers[0]["read_back"]
    assert chosen["meaning"] == offers[0]["plan"] | {"version": "averment.plan/1"}
    assert tools("choose", run_id=asked["run_id"], number=9).result is None


def test_the_same_plan_is_the_same_from_python_and_over_mcp(tools: Tools) -> None:
    run = tools.workbench.run_plan(LINE, [tools.source])
    done = tools("show", run_id=run.id).result
    assert done["meaning"] == run.plan
    assert done["read_back"] == run.read_back
    assert done["offers"] == []
