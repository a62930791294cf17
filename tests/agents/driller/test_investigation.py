"""Whole investigations over real files, in the real jail, without durability."""

import json
from pathlib import Path

import pytest
from made import BASELINE, COMPARISON, Row, customers, orders, write_csv
from stage import Stage

from averment.agents.driller.agent import Driller
from averment.agents.driller.conclude import explanations_of
from averment.agents.driller.recall import recall
from averment.records.drilldown.investigation import AnalysisPlan, DataModel
from averment.records.drilldown.loop import Finding, Hypothesis, IterationLog
from averment.records.drilldown.results import missing_sections
from averment.runtime.execution.restore import conclusion_of
from averment.runtime.outcome import Run
from averment.runtime.run_json import KeptReading, KeptRound
from averment.runtime.verification.verify_run import verify_run
from averment.sandbox.protocol import Job


@pytest.fixture(scope="module")
def run(stage: Stage, planted: list[Path]) -> Run:
    return stage.play(planted, "SUM(amount)", BASELINE, COMPARISON, investigation_prompt="Is it the app, or plan team?")


def artifact(stage: Stage, run: Run, name: str) -> bytes:
    found = next(one for one in run.artifacts if Path(one.content_ref).name == name)
    return stage.services.store.artifacts.read(found)


def segments(run: Run) -> list[str]:
    causes = [claim for claim in run.claims if claim.claim_id.startswith("cause_")]
    return [value.text for claim in causes for value in claim.values if value.role == "segment"]


def test_the_planted_segment_is_the_first_explanation(stage: Stage, run: Run) -> None:
    assert run.status == "completed"
    assert segments(run) == ["channel = app, device = phone"]
    work = stage.work(run)
    conclusion = conclusion_of(stage.services, run.id)
    assert conclusion is not None
    explanations = explanations_of(work, conclusion)
    assert [one.rank for one in explanations] == list(range(1, len(explanations) + 1))
    assert explanations[0].likelihood == "Most Likely"
    assert explanations[0].evidence


def test_the_report_has_its_six_parts_and_its_pictures(stage: Stage, run: Run) -> None:
    assert missing_sections(artifact(stage, run, "report.md").decode()) == ()
    names = {Path(one.content_ref).name for one in run.artifacts}
    assert {"waterfall.png", "segments.png", "days.png", "report_days.png", "explanations.json"} <= names


def test_every_number_is_found_again_from_the_sources(stage: Stage, run: Run) -> None:
    # Played outside a workbench the run has no checkpointed beginning, so the seal itself is not looked at here.
    checks = [check for check in verify_run(stage.services, Driller(), run.id).checks if check.subject != "seal"]
    assert not [check for check in checks if not check.ok]
    assert any(check.subject == "content of report.md" for check in checks)


@pytest.mark.seed("B-058")
def test_each_round_keeps_the_seeds_records(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    DataModel.model_validate(work.state.reading["data_model"])
    AnalysisPlan.model_validate(work.state.reading["analysis_plan"])
    taken = work.state.taken
    assert set(work.state.reading) <= KeptReading.__annotations__.keys()
    assert {key for body in taken for key in body} <= KeptRound.__annotations__.keys()
    assert len(taken) == len(work.state.rounds) <= 15
    for body in taken:
        log = IterationLog.model_validate(body["iteration"])
        finding = Finding.model_validate(body["finding"])
        assert log.compressed_summary == finding.summary
        assert log.code_executed
        assert log.raw_output
        assert [Hypothesis.model_validate(one) for one in body["hypotheses"]]
    assert taken[-1]["exit_reason"] == "CONCLUDE"
    assert {log["iteration"]["decision"] for log in taken} >= {"ANALYZE", "DRILL_DOWN", "CONCLUDE"}


def test_what_the_user_suspects_is_tested_and_told_apart(stage: Stage, run: Run) -> None:
    memory = recall(stage.work(run))
    suspects = {one.title: memory.statuses[one.hypothesis_id] for one in memory.suspicions if one.kind == "suspect"}
    assert suspects == {
        "channel = app, as the prompt suspects": "CONFIRMED",
        "plan = team, as the prompt suspects": "RULED_OUT",
    }


def test_a_round_decided_again_from_the_same_results_is_the_same_round(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    rounds = work.state.rounds
    for number, decided in enumerate(rounds, start=1):
        work.state.rounds = rounds[: number - 1]
        assert Driller().next_round(work, number) == decided
    work.state.rounds = rounds
    assert Driller().next_round(work, len(rounds) + 1) is None


def test_the_code_of_an_iteration_run_again_by_hand_prints_what_was_recorded(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    tool = stage.services.tools.registry.get("python.run")
    body = work.state.taken[0]
    arguments = stage.services.tools.registry.validate("python.run", work.state.rounds[0].tasks[-1].arguments)
    output = tool.run(arguments, work.tool_context("00000000-0000-0000-0000-000000000001"))
    assert output.stdout == body["iteration"]["raw_output"]


def test_nothing_that_happened_is_no_finding(stage: Stage, tmp_path: Path) -> None:
    files = [write_csv(tmp_path / "orders.csv", orders()), write_csv(tmp_path / "customers.csv", customers())]
    run = stage.play(files, "SUM(amount)", BASELINE, COMPARISON)
    assert run.status == "completed"
    assert json.loads(artifact(stage, run, "explanations.json")) == []
    report = next(one for one in run.artifacts if Path(one.content_ref).name == "report.md")
    assert report.metadata["status"] == "no_findings"


def test_missing_days_are_blamed_on_the_data(stage: Stage, tmp_path: Path) -> None:
    rows = [row for row in orders() if row["date"] not in {"2024-03-20", "2024-03-21"}]
    run = stage.play([write_csv(tmp_path / "orders.csv", rows)], "SUM(amount)", BASELINE, COMPARISON)
    explained = json.loads(artifact(stage, run, "explanations.json"))
    assert [one["source_hypotheses"] for one in explained] == [["hyp_001"]]


def test_a_rate_that_fell_inside_a_segment_is_told_from_its_volume(stage: Stage, tmp_path: Path) -> None:
    def worse(row: Row, later: bool, chance: object) -> Row:
        lost = later and row["channel"] == "shop" and row["order_id"] % 4
        return {**row, "converted": 0 if lost else row["converted"]}

    run = stage.play([write_csv(tmp_path / "orders.csv", orders(worse))], "AVG(converted)", BASELINE, COMPARISON)
    assert segments(run) == ["channel = shop"]
    work = stage.work(run)
    assert work.table("attribution").column("kind").to_pylist()[1] == "rate"


@pytest.mark.parametrize("gone", [True, False])
def test_a_segment_that_is_gone_or_new_is_told(stage: Stage, tmp_path: Path, gone: bool) -> None:
    rows = orders(lambda row, later, chance: None if row["channel"] == "shop" and later == gone else row)
    run = stage.play([write_csv(tmp_path / "orders.csv", rows)], "SUM(amount)", BASELINE, COMPARISON)
    explained = json.loads(artifact(stage, run, "explanations.json"))
    assert [(one["kind"], one["segment"]) for one in explained[:1]] == [("new_or_gone", {"channel": "shop"})]
    assert ("is no longer there" if gone else "was not there before") in (run.answer or "")


@pytest.mark.seed("B-058")
def test_the_loop_ends_at_fifteen_rounds_and_says_so(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    work.state.rounds = work.state.rounds[:2]
    last = Driller().next_round(work, 15)
    assert last is not None
    assert (last.decision, last.state["exit_reason"]) == ("CONCLUDE", "MAX_ITERATIONS")
    assert Driller().next_round(work, 16) is None


@pytest.mark.seed("B-058")
def test_rounds_that_settle_nothing_are_a_stall(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    rounds = [one for one in work.state.rounds if one.state.get("hypothesis")][:3]
    for round_ in rounds:
        work.state.answered.pop(str(round_.state["task"]))
    work.state.rounds = rounds
    stalled = Driller().next_round(work, 4)
    assert stalled is not None
    assert stalled.state["exit_reason"] == "STALL_DETECTED"


def test_the_code_of_each_round_run_by_hand_prints_what_was_recorded(stage: Stage, run: Run, tmp_path: Path) -> None:
    work = stage.work(run)
    jail = stage.services.tools.jail()
    for decided, body in zip(work.state.rounds, work.state.taken, strict=True):
        log = IterationLog.model_validate(body["iteration"])
        task = next(one for one in decided.tasks if one.task_id == decided.state["task"])
        assert task.arguments["code"] in log.code_executed
        given = {}
        for name in task.arguments["inputs"]:
            given[f"{name}.arrow"] = tmp_path / f"{name}.arrow"
            given[f"{name}.arrow"].write_bytes(work.result_store.bytes_of(name))
        out = tmp_path / f"out-{decided.number}"
        out.mkdir()
        ended = jail.run(Job(code=log.code_executed, inputs=given), out)
        assert ended.status == "ok"
        assert ended.stdout + ended.stderr == log.raw_output
    work.close()
