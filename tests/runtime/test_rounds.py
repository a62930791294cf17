"""Rounds: an agent that goes on from what it found, kept, told and resumed like everything else."""

from typing import Any

import pytest
from scripted import Scripted, Stage, sql

from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import Conclusion, Round
from averment.runtime.execution.restore import rounds_of, seen_work
from averment.runtime.run_json import KeptRound
from averment.runtime.verification.verify_run import verify_run


class Onward(Scripted):
    """Looks into the larger region that the first query shows, then stops; ``fails_in`` breaks one stock-taking."""

    def __init__(self, fails_in: int | None = None) -> None:
        super().__init__(
            [sql("first", "SELECT region, SUM(amount) AS total FROM t GROUP BY region ORDER BY total DESC")]
        )
        self.fails_in = fails_in
        self.asked: list[int] = []

    def next_round(self, work: Any, number: int) -> Round | None:
        self.asked.append(number)
        if number > 2:
            return None
        region = work.table("first").column("region")[number - 1].as_py()
        task = sql(f"round-{number}", f"SELECT COUNT(*) AS n FROM t WHERE region = '{region}'", after=("first",))
        return Round(number=number, decision="DRILL_DOWN", reason=f"look into {region}", tasks=(task,))

    def take_round(self, work: Any, round_: Round) -> KeptRound:
        if self.fails_in == round_.number:
            raise RuntimeError("power cut")
        return {"finding": {"rows": work.table(f"round-{round_.number}").column("n")[0].as_py()}}

    def conclude(self, work: Any) -> Conclusion:
        return Conclusion(
            answer=str([taken["finding"]["rows"] for taken in work.state.taken]), findings=(), status="completed"
        )

    def repair(self, work: Any, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        return None


def test_each_round_is_decided_by_what_was_found_before(stage_on_each: Stage) -> None:
    row = stage_on_each.play(Onward())
    assert (row.status, row.answer) == ("completed", "[2, 1]")
    rounds, taken = rounds_of(stage_on_each.services, row.run_id)
    assert [each.reason for each in rounds] == ["look into West", "look into East"]
    assert taken == [{"finding": {"rows": 2}}, {"finding": {"rows": 1}}]
    decided = [e.event_data["decision"] for e in stage_on_each.entries() if e.event_data.get("rule") == "NEXT-ROUND"]
    assert decided == ["DRILL_DOWN", "DRILL_DOWN"]


def test_a_run_broken_in_a_round_goes_on_there_and_decides_nothing_twice(stage_on_each: Stage) -> None:
    assert stage_on_each.play(Onward(fails_in=2)).status == "failed"
    again = Onward()
    row = stage_on_each.again(again)
    assert (row.status, row.answer) == ("completed", "[2, 1]")
    assert again.asked == [3]
    assert len(stage_on_each.calls()) == 3


def test_verifying_takes_every_round_again_and_sees_a_changed_one(stage_on_each: Stage) -> None:
    row = stage_on_each.play(Onward())
    verdict = verify_run(stage_on_each.services, Onward(), row.run_id)
    assert verdict.ok, verdict.faults
    assert {"round 1", "round 2", "rounds"} <= {check.subject for check in verdict.checks}

    class Otherwise(Onward):
        def take_round(self, work: Any, round_: Round) -> KeptRound:
            return {"finding": {"rows": 7}}

    assert {"round 1", "round 2"} <= {
        fault.subject for fault in verify_run(stage_on_each.services, Otherwise(), row.run_id).faults
    }


def test_a_run_can_be_looked_at_as_far_as_it_got(stage_on_each: Stage) -> None:
    stage_on_each.play(Onward(fails_in=2))
    work = seen_work(stage_on_each.services, stage_on_each.services.store.runs.get(stage_on_each.run_id))
    assert [each.number for each in work.state.rounds] == [1, 2]
    assert work.state.taken == [{"finding": {"rows": 2}}]
    with pytest.warns(DeprecationWarning, match=r"RunContext\.taken is deprecated .* Use state\.taken\."):
        assert work.taken is work.state.taken  # pyright: ignore[reportAttributeAccessIssue]
    work.close()
