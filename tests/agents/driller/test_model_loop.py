"""A model proposes hypotheses in rounds; the engine tests each, and only what holds in the rows is told."""

import importlib.util
import json
import random
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from made import BASELINE, COMPARISON, FIRST, Row, orders, write_csv
from stage import Stage

from averment import Workbench
from averment.agents.driller.agent import Driller
from averment.agents.driller.model_loop.loop import HypothesisLoop
from averment.agents.driller.recall import recall
from averment.errors import ModelUnavailable
from averment.runtime.outcome import Run
from averment.runtime.verification.verify_run import verify_run
from averment.settings import Settings

SPEC = importlib.util.spec_from_file_location("model_server", Path(__file__).parents[2] / "llm" / "model_server.py")
assert SPEC is not None and SPEC.loader is not None
model_server = sys.modules.setdefault("model_server", importlib.util.module_from_spec(SPEC))
SPEC.loader.exec_module(model_server)

PROMPT = "Somebody said the young are to blame."
BINS = {"kind": "other_table", "table": "customers", "column": "age", "derive": "bins"}
LAG = {"kind": "lag", "table": "visits", "column": "people", "function": "sum", "days": 2}
DAYS = {"kind": "calendar", "first": "2024-03-25", "last": "2024-03-27"}
SEGMENT = {"kind": "segment", "segment": [{"dimension": "channel", "value": "web"}]}


class Scripted:
    """Proposes what it is told to, one list each time it is asked; an empty list after that."""

    def __init__(self, *proposals: list[dict[str, Any]] | None) -> None:
        self.proposals = list(proposals)
        self.prompts: list[str] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        assert purpose == "hypotheses"
        self.prompts.append(prompt)
        said = self.proposals.pop(0) if self.proposals else []
        if said is None:
            raise ModelUnavailable("There is no model.")
        return output_type.model_validate({"hypotheses": said})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Customers under thirty buy less than half as much; age is no dimension by itself. Visits lead amounts by days."""
    folder = tmp_path_factory.mktemp("young")
    chance = random.Random(3)
    ages = {number: chance.randrange(18, 80) for number in range(400)}
    crowd = [chance.uniform(0.5, 2.0) for _ in range(40)]

    def change(row: Row, later: bool, chance: random.Random) -> Row:
        day = (FIRST.fromisoformat(row["date"]) - FIRST).days
        row["amount"] = round(row["amount"] * crowd[day + 8], 2)
        if later and ages[row["customer_id"]] < 30:
            row["amount"] = round(row["amount"] * 0.3, 2)
        return row

    people = [{"customer_id": n, "age": age, "note": f"n{n}", "joined": "2023-01-01"} for n, age in ages.items()]
    visits = [
        {"visited": (FIRST + timedelta(days=day - 10)).isoformat(), "people": round(1000 * crowd[day])}
        for day in range(38)
    ]
    return [
        write_csv(folder / "orders.csv", orders(change)),
        write_csv(folder / "customers.csv", people),
        write_csv(folder / "visits.csv", visits),
    ]


def play(stage: Stage, files: list[Path], model: Scripted, **options: Any) -> Run:
    agent = Driller(HypothesisLoop(model, **options))
    return stage.play(files, "SUM(amount)", BASELINE, COMPARISON, agent=agent, investigation_prompt=PROMPT)


def statuses(stage: Stage, run: Run) -> dict[str, str]:
    memory = recall(stage.work(run))
    return {one.title: memory.statuses[one.hypothesis_id] for one in memory.suspicions if one.kind == "proposed"}


def test_each_kind_of_hypothesis_is_tested_and_what_holds_is_told_with_proof(stage: Stage, files: list[Path]) -> None:
    model = Scripted([BINS, LAG], [SEGMENT])
    run = play(stage, files, model)
    assert statuses(stage, run) == {
        "Some bins of customers.age moved differently from the rest, as a model asks": "CONFIRMED",
        "The metric follows the sum of visits.people, as a model asks": "CONFIRMED",
        "channel = web, as a model asks": "RULED_OUT",
    }
    assert "was cut by bins of customers.age" in run.answer
    # What came of the first proposals is seen before the next, and a third time it is asked for more.
    assert len(model.prompts) == 3
    assert "bins of customers.age" not in model.prompts[0]
    assert "was cut by bins of customers.age" in model.prompts[1]
    # The verifier's driller has no model.
    checks = [check for check in verify_run(stage.services, Driller(), run.id).checks if check.subject != "seal"]
    assert [check for check in checks if not check.ok] == []


def test_days_that_stand_out_are_confirmed_and_others_are_not(
    stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def change(row: Row, later: bool, chance: random.Random) -> Row:
        sold_out = row["date"] in {"2024-03-25", "2024-03-26", "2024-03-27"}
        return {**row, "amount": round(row["amount"] * 0.4, 2)} if sold_out else row

    path = write_csv(tmp_path_factory.mktemp("days") / "orders.csv", orders(change))
    other = {**DAYS, "first": "2024-03-19", "last": "2024-03-21"}
    run = play(stage, [path], Scripted([DAYS], [other]))
    memory = recall(stage.work(run))
    found = [memory.statuses[one.hypothesis_id] for one in memory.suspicions if one.kind == "proposed"]
    assert found == ["CONFIRMED", "RULED_OUT"]
    assert "From 2024-03-25 to 2024-03-27" in run.answer


REFUSED = [
    ({**BINS, "column": "shoe_size"}, "customers"),
    ({**BINS, "table": "secrets"}, "orders"),
    ({**BINS, "column": "note", "derive": "first_word"}, "note"),
    ({**BINS, "column": "note"}, "note"),
    ({"kind": "derived", "table": "orders", "column": "amount", "derive": "bins"}, "amount"),
    ({"kind": "segment", "segment": [{"dimension": "channel", "value": "fax fell by 40 %"}]}, "channel"),
    ({"kind": "segment", "segment": [{"dimension": "mood", "value": "bad"}]}, "channel"),
    ({"kind": "lag", "table": "orders", "column": "amount", "function": "sum", "days": 0}, ""),
    ({**DAYS, "first": "2031-01-01", "last": "2031-01-02"}, ""),
    ({"kind": "other_table", "table": "visits", "column": "people"}, "visits"),
    ({**LAG, "table": "customers", "column": "note"}, "note"),
    (BINS, ""),
]


def test_what_cannot_be_tested_comes_back_with_the_reason_and_may_be_corrected(stage: Stage, files: list[Path]) -> None:
    wanted = [spec for spec, _ in REFUSED]
    model = Scripted(wanted[:3], wanted[3:6], wanted[6:9], [BINS], wanted[9:], [])
    run = play(stage, files, model)
    assert list(statuses(stage, run).values()) == ["CONFIRMED"]
    for at, (_, name) in enumerate(REFUSED):
        told = model.prompts[at // 3 + 1 if at < 9 else 5]
        reason = str(model_server.data_of(told, "steps")[-1]["observation"]["tests"][at % 3]["refused"])
        assert reason and name in reason
    assert "40 %" not in run.answer


def test_a_model_that_proposes_only_what_cannot_be_tested_is_given_up_and_nothing_changes(
    stage: Stage, files: list[Path]
) -> None:
    lies = Scripted(*([{**BINS, "column": f"shoe_size_{number}"}] for number in range(9)))
    run = play(stage, files, lies)
    plain = stage.play(files, "SUM(amount)", BASELINE, COMPARISON, investigation_prompt=PROMPT)
    assert len(lies.prompts) == 4
    assert run.status == "completed"
    assert run.answer == plain.answer


def test_a_model_that_fails_leaves_the_investigation_as_it_is(stage: Stage, files: list[Path]) -> None:
    run = play(stage, files, Scripted(None))
    plain = stage.play(files, "SUM(amount)", BASELINE, COMPARISON, investigation_prompt=PROMPT)
    assert run.answer == plain.answer


@pytest.mark.parametrize(("level", "sees"), [("names", False), ("profiles", False), ("values", True)])
def test_what_a_model_sees_is_bounded_by_the_privacy_that_is_set(
    stage: Stage, files: list[Path], level: Any, sees: bool
) -> None:
    model = Scripted([])
    play(stage, files, model, privacy=level)
    assert ('"laptop"' in model.prompts[0]) == sees
    assert ('"found": "The calendar' in model.prompts[0]) == sees


@pytest.mark.parametrize("provider", [pytest.param("openai", marks=pytest.mark.thorough), "anthropic"])
def test_over_the_wire_its_steps_are_in_the_ledger_and_what_it_was_told_is_kept(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    def reply(prompt: str) -> dict[str, Any]:
        left = model_server.data_of(prompt, "steps_left")
        return {"thoughts": "young?", "hypotheses": [BINS] if left == 3 else []}

    server = model_server.ModelServer(reply)
    reach(monkeypatch, provider, server)
    try:
        with Workbench(settings=Settings(home=tmp_path / "home", model_tape=tmp_path / "drill.tape")) as bench:
            first = drilled(bench, files)
            assert len(first.sent) == 2
        assert len(server.prompts) == 2
    finally:
        server.close()
    with Workbench(settings=Settings(home=tmp_path / "home", model_tape=tmp_path / "drill.tape")) as bench:
        again = drilled(bench, files)
        assert again.answer == first.answer
        assert "was cut by bins of customers.age" in again.answer
        assert bench.verify(again.id).ok
        steps = [event.data for event in bench.runs.events(again.id) if event.type == "model_stepped"]
        assert [(step["tool"], step["status"]) for step in steps] == [("hypotheses", "success")] * 2
        assert again.sent == []


def reach(patch: pytest.MonkeyPatch, provider: str, server: Any) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        patch.delenv(name, raising=False)
    patch.setenv(f"{provider.upper()}_API_KEY", "sk-test")
    patch.setenv(f"{provider.upper()}_BASE_URL", server.url if provider == "openai" else server.root)


def drilled(bench: Workbench, files: list[Path]) -> Any:
    return bench.drill(files, metric_sql="SUM(amount)", baseline=BASELINE, comparison=COMPARISON)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Arrr, forty-two!", marks=pytest.mark.thorough),
        "```json\n" + json.dumps({"hypotheses": [BINS], "reasoning": "the young"}) + "\n```",
        {"hypotheses": [{"kind": "prophecy"}]},
        pytest.param(503, marks=pytest.mark.thorough),
    ],
    ids=["nonsense", "fenced with extra keys", "wrong kind", "no room"],
)
def test_a_weak_model_is_understood_or_leaves_the_investigation_as_it_is(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    def said(_: str) -> Any:
        return answer

    server = model_server.ModelServer(said)
    reach(monkeypatch, "openai", server)
    try:
        with Workbench(settings=Settings(home=tmp_path / "home", model_timeout_seconds=4)) as bench:
            run = drilled(bench, files)
            assert run.status == "completed"
            assert bench.verify(run.id).ok
            assert ("bins of customers.age" in run.answer) == str(answer).startswith("```")
    finally:
        server.close()
