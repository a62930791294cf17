"""What the rounds and the report of an investigation must be, as seed 001 wants them."""

from __future__ import annotations

from pathlib import Path

import pytest
from made import BASELINE, COMPARISON
from stage import Stage

from averment.agents.driller.recall import recall
from averment.language.sentences import split_sentences
from averment.runtime.outcome import Run


@pytest.fixture(scope="module")
def run(stage: Stage, planted: list[Path]) -> Run:
    return stage.play(planted, "SUM(amount)", BASELINE, COMPARISON, investigation_prompt="Is it plan team?")


@pytest.mark.seed("B-037")
def test_tables_have_their_files_names_and_what_joins_and_divides_them_is_found(stage: Stage, run: Run) -> None:
    model = stage.work(run).state.reading["data_model"]
    assert [table["name"] for table in model["tables"]] == ["orders", "customers"]
    (link,) = model["relationships"]
    assert (link["from_table"], link["to_table"], link["relationship_type"]) == ("orders", "customers", "foreign_key")
    assert link["from_column"] == link["to_column"] == "customer_id"
    assert {"channel", "device", "plan"} <= {name.rpartition(".")[2] for name in model["recommended_dimensions"]}


@pytest.mark.seed("B-050")
def test_each_finding_says_in_two_or_three_sentences_what_was_tested_found_and_implied(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    assert work.state.rounds
    for round_, taken in zip(work.state.rounds, work.state.taken, strict=True):
        summary = taken["finding"]["summary"]
        assert 2 <= len(split_sentences(summary)) <= 3, summary
        if round_.state.get("hypothesis"):
            implied = ("is confirmed.", "is ruled out.", "do not decide the hypothesis.")
            assert summary.endswith(implied), summary


@pytest.mark.seed("B-053")
def test_each_decision_does_what_it_names(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    rounds = work.state.rounds
    assert {round_.decision for round_ in rounds} >= {"ANALYZE", "DRILL_DOWN", "CONCLUDE"}
    for at, round_ in enumerate(rounds):
        before = recall(work, rounds[:at])
        tested = round_.state.get("hypothesis")
        match round_.decision:
            case "ANALYZE":
                assert before.statuses[str(tested)] == "PENDING"
            case "PIVOT":
                assert before.undecided
                assert before.statuses[str(tested)] in {"PENDING", "INVESTIGATING"}
            case "DRILL_DOWN":
                assert before.statuses[str(round_.state["about"])] == "CONFIRMED"
            case _:
                assert round_ is rounds[-1]
                assert "PENDING" not in before.statuses.values()


@pytest.mark.seed("B-072")
def test_the_header_names_metric_periods_and_change(stage: Stage, run: Run) -> None:
    report = next(one for one in run.artifacts if Path(one.content_ref).name == "report.md")
    header = stage.services.store.artifacts.read(report).decode().partition("\n## ")[0]
    change = stage.work(run).table("attribution").slice(0, 1).to_pylist()[0]
    assert "SUM(amount)" in header.splitlines()[0]
    assert all(day in header for day in (*BASELINE, *COMPARISON))
    for side in ("before", "after"):
        assert f"{change[side]:,.2f}".rstrip("0").rstrip(".") in header
