"""Every decision and every exit of the memory loop, each brought about by data and not by a fixed order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from made import BASELINE, COMPARISON, Row, orders, write_csv
from stage import Stage

from averment.agents.driller.recall import recall
from averment.records.drilldown.loop import HYPOTHESIS_STATES, HypothesisStatus
from averment.runtime.run_context import RunContext


def play(stage: Stage, folder: Path, rows: list[Row], **more: str) -> RunContext:
    run = stage.play([write_csv(folder / "orders.csv", rows)], "SUM(amount)", BASELINE, COMPARISON, **more)
    return stage.work(run)


def decisions(work: RunContext) -> list[str]:
    return [round_.decision for round_ in work.state.rounds]


def tilted(*columns: tuple[str, object, object, float]) -> list[Row]:
    """Orders of which some of one value are missing later, and some of another before: weights differ, sums hardly."""

    def change(row: Row, later: bool, chance: random.Random) -> Row | None:
        draws = [chance.random() for _ in columns]
        for draw, (column, fewer, more, part) in zip(draws, columns, strict=True):
            if row[column] == (fewer if later else more) and draw < part:
                return None
        return row

    return orders(change)


def every_step_is_allowed(work: RunContext) -> None:
    """Each status that a round reports can be reached from the one before by the seed's table."""
    statuses: dict[str, HypothesisStatus] = {}
    for changes in recall(work).changes:
        for name, status in changes.items():
            before = statuses.get(name, "PENDING")
            if before == "PENDING" and status in {"CONFIRMED", "RULED_OUT"}:
                before = HYPOTHESIS_STATES.step(before, "INVESTIGATING")
            if before != status:
                HYPOTHESIS_STATES.step(before, status)
            statuses[name] = status


@pytest.mark.seed("B-058")
def test_a_cause_that_holds_is_drilled_into_and_the_loop_concludes(stage: Stage, tmp_path: Path) -> None:
    def dearer(row: Row, later: bool, chance: random.Random) -> Row:
        return {**row, "amount": row["amount"] * 2} if later and row["channel"] == "shop" else row

    work = play(stage, tmp_path, orders(dearer))
    assert "DRILL_DOWN" in decisions(work)
    assert "PIVOT" not in decisions(work)
    assert work.state.rounds[-1].state["exit_reason"] == "CONCLUDE"
    assert not recall(work).undecided
    every_step_is_allowed(work)


def test_a_look_that_decides_nothing_is_put_back_and_pivoted_from(stage: Stage, tmp_path: Path) -> None:
    work = play(stage, tmp_path, tilted(("channel", "app", "web", 0.14)))
    memory = recall(work)
    at = decisions(work).index("PIVOT")
    undecided = [name for name, status in memory.changes[at - 1].items() if status == "INVESTIGATING"]
    assert undecided
    assert all(memory.changes[at][name] in {"PENDING", "RULED_OUT"} for name in undecided)
    assert undecided[0] in work.state.rounds[at].reason
    every_step_is_allowed(work)


@pytest.mark.seed("B-058")
def test_looks_that_decide_nothing_one_after_the_other_are_a_stall(stage: Stage, tmp_path: Path) -> None:
    sides = (("channel", "app", "web", 0.12), ("device", "phone", "laptop", 0.07), ("converted", 1, 0, 0.1))
    work = play(stage, tmp_path, tilted(*sides))
    memory = recall(work)
    assert work.state.rounds[-1].state["exit_reason"] == "STALL_DETECTED"
    assert memory.verdicts[-4:-1] == [None, None, None]
    assert list(memory.statuses.values()).count("PENDING") == 3
    every_step_is_allowed(work)


@pytest.mark.seed("B-058")
def test_more_suspicions_than_rounds_end_at_the_last_round(stage: Stage, tmp_path: Path) -> None:
    def moved(row: Row, later: bool, chance: random.Random) -> Row | None:
        if later and row["channel"] == "app" and row["device"] == "phone":
            return {**row, "amount": row["amount"] * 3}
        return None if later and row["channel"] == "shop" and chance.random() < 0.6 else row

    prompt = "Look at web, app, shop, phone and laptop, and at city 1."
    rows = [{**row, "city": f"city {row['customer_id'] % 7}"} for row in orders(moved)]
    work = play(stage, tmp_path, rows, investigation_prompt=prompt)
    assert len(work.state.rounds) == 15
    assert work.state.rounds[-1].state["exit_reason"] == "MAX_ITERATIONS"
    assert "PENDING" in recall(work).statuses.values()
    every_step_is_allowed(work)


@pytest.mark.parametrize(("text", "asked"), [("investigation_prompt", True), ("business_context", False)])
def test_hypotheses_come_from_what_the_user_says(stage: Stage, tmp_path: Path, text: str, asked: bool) -> None:
    work = play(stage, tmp_path, orders(), **{text: "The laptop page was rebuilt."})
    titles = [one.title for one in recall(work).suspicions if one.kind == "suspect"]
    assert titles == [f"device = laptop, {'as the prompt suspects' if asked else 'which the background names'}"]
