"""The loop acts, repairs, skips, gives up and seals by its rules, whoever plans."""

from collections import Counter
from typing import Any

import pytest
from scripted import Scripted, Stage, sql

from averment.records.analysis import Subtask

GOOD = "SELECT region, sum(amount) AS total FROM t GROUP BY region ORDER BY region"


@pytest.mark.seed("A-088", "A-089")
def test_every_step_is_in_the_ledger_and_under_the_run_root(stage_on_each: Stage) -> None:
    row = stage_on_each.play(Scripted([sql("one", GOOD), sql("two", "SELECT count(*) AS n FROM t")]))
    assert row.status == "completed"
    kinds = Counter(entry.event_type for entry in stage_on_each.entries())
    assert kinds == {
        "request_submitted": 1,
        "plan_created": 1,
        "tool_called": 2,
        "observation_recorded": 2,
        "artifact_generated": 1,
        "policy_decision": 1,
    }
    assert row.sealed is not None
    assert row.sealed["entries"] == 7
    calls = stage_on_each.calls()
    assert len({call.call_id for call, _ in calls}) == 2
    assert all(observation.call_id == call.call_id for call, observation in calls)


@pytest.mark.seed("A-078", "A-079")
def test_calls_and_decisions_are_written_with_what_an_auditor_reads(stage: Stage) -> None:
    stage.play(Scripted([sql("one", GOOD)]))
    entries = stage.entries()
    ((call, _),) = stage.calls()
    (called,) = [entry.event_data for entry in entries if entry.event_type == "tool_called"]
    assert (called["call_id"], called["tool_name"], called["arguments"]["query"]) == (call.call_id, "sql.run", GOOD)
    (decided,) = [entry.event_data for entry in entries if entry.event_type == "policy_decision"]
    assert decided["decision"] and decided["rule"] and decided["reason"]


@pytest.mark.seed("A-045", "A-090", "A-092")
def test_a_failed_call_is_repaired_with_the_errors_category_and_message(stage: Stage) -> None:
    agent = Scripted([sql("one", "SELECT sum(amout) AS s FROM t")], [{"query": "SELECT sum(amount) AS s FROM t"}])
    row = stage.play(agent)
    assert row.status == "completed"
    ((failed, observation),) = agent.told
    assert failed.attempt_number == 1
    assert observation.error_category == "missing_column"
    assert observation.error_message
    assert observation.data is not None
    assert "amount" in observation.data["suggestion"]
    assert [call.attempt_number for call, _ in stage.calls()] == [1, 2]


@pytest.mark.seed("A-034", "A-093")
def test_after_three_attempts_a_failed_observation_remains(stage: Stage) -> None:
    bad = {"query": "SELECT nothing FROM t"}
    agent = Scripted([sql("one", "SELECT nope FROM t")], [bad, bad, bad, bad])
    row = stage.play(agent)
    assert row.status == "failed"
    calls = stage.calls()
    assert [call.attempt_number for call, _ in calls] == [1, 2, 3]
    assert {observation.status for _, observation in calls} == {"error"}
    assert len(agent.told) == 2


@pytest.mark.seed("A-091")
def test_arguments_that_do_not_validate_use_up_an_attempt_and_run_nothing(stage: Stage) -> None:
    agent = Scripted([sql("one", GOOD, timeout=999)], [{"query": GOOD}])
    row = stage.play(agent)
    assert row.status == "completed"
    ((_, observation),) = agent.told
    assert observation.status == "error"
    assert observation.error_category == "type_mismatch"


def test_a_repair_that_knows_nothing_ends_the_task_and_keeps_the_rest(stage: Stage) -> None:
    agent = Scripted([sql("good", GOOD), sql("bad", "SELECT nope FROM t")], [None])
    row = stage.play(agent)
    assert row.status == "partial_success"
    assert row.answer == "good"


def test_a_task_whose_input_failed_is_skipped_and_said_so(stage: Stage) -> None:
    chart = Subtask(
        task_id="chart",
        description="c",
        tool_name="plot.render",
        dependencies=("bad",),
        estimated_cost_seconds=0.1,
        arguments={"input": "bad", "type": "bar", "x_col": "region", "y_col": "total"},
    )
    row = stage.play(Scripted([sql("good", GOOD), sql("bad", "SELECT nope FROM t"), chart]))
    assert row.status == "partial_success"
    assert {call.task_id for call, _ in stage.calls()} == {"good", "bad"}
    decisions = [entry.event_data["decision"] for entry in stage.entries() if entry.event_type == "policy_decision"]
    assert decisions.count("skipped") == 1


@pytest.mark.seed("A-024", "A-025")
@pytest.mark.parametrize(
    ("tasks", "code"),
    [
        ([sql("a", GOOD, after=["b"]), sql("b", GOOD, after=["a"])], "PLAN_CYCLE"),
        ([sql("a", GOOD), sql("a", GOOD)], "PLAN_INVALID"),
        ([sql("a", GOOD, after=["nobody"])], "PLAN_INVALID"),
        ([], "PLAN_INVALID"),
    ],
)
def test_a_plan_that_must_not_run_does_not_run(stage: Stage, tasks: list[Subtask], code: str) -> None:
    row = stage.play(Scripted(tasks))
    assert row.status == "failed"
    assert row.error["code"] == code
    assert stage.calls() == []


@pytest.mark.seed("A-048")
def test_a_query_over_its_timeout_is_ended_as_an_exhausted_resource(stage: Stage) -> None:
    endless = "SELECT count(*) AS n FROM range(100000000000) a, range(100000) b"
    row = stage.play(Scripted([sql("one", endless)]), timeout_seconds=1)
    assert row.status == "failed"
    ((_, observation),) = stage.calls()
    assert observation.status == "timeout"
    assert observation.error_category == "resource_exhausted"


@pytest.mark.seed("A-016")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t",
        "SELECT region AS r FROM t",
        "WITH x AS (SELECT * FROM t) SELECT sum(amount) AS s, min(region) AS m FROM x",
        "SELECT sum(amount) AS s FROM t WHERE region = 'West'",
        "SELECT count(*) AS n FROM t GROUP BY region",
        "SELECT amount FROM t ORDER BY region",
        "SELECT a.amount FROM t a JOIN t b ON a.region = b.region",
    ],
)
def test_a_column_outside_the_allow_list_is_reached_by_no_detour(stage: Stage, query: str) -> None:
    row = stage.play(Scripted([sql("one", query)]), policy={"allowed_columns": ["amount"]})
    assert row.status == "failed"
    assert row.error["code"] == "COLUMN_NOT_ALLOWED"
    assert not list((stage.settings.home / "work").rglob("*.arrow"))
    refusals = [e for e in stage.entries() if e.event_data.get("rule") == "COLUMN_NOT_ALLOWED"]
    assert refusals


def test_an_allowed_column_is_read(stage: Stage) -> None:
    row = stage.play(Scripted([sql("one", "SELECT sum(amount) AS s FROM t")]), policy={"allowed_columns": ["amount"]})
    assert row.status == "completed"


@pytest.mark.seed("A-017")
@pytest.mark.parametrize("pattern", ["W.st", "(?i)region"])
def test_a_blocked_pattern_is_refused_in_values_and_in_names(stage: Stage, pattern: str) -> None:
    row = stage.play(Scripted([sql("one", GOOD)]), policy={"blocked_patterns": [pattern]})
    assert row.status == "failed"
    assert row.error["code"] == "PATTERN_BLOCKED"
    assert not list((stage.settings.home / "work").rglob("*.arrow"))


def test_a_run_that_is_repeated_after_its_end_changes_nothing(stage_on_each: Stage) -> None:
    agent = Scripted([sql("one", GOOD)])
    first = stage_on_each.play(agent)
    before = [entry.hash for entry in stage_on_each.entries()]
    second = stage_on_each.again(agent)
    assert [entry.hash for entry in stage_on_each.entries()] == before
    assert (second.status, second.answer, second.sealed["run_root"]) == (
        first.status,
        first.answer,
        first.sealed["run_root"],
    )


def test_an_artifact_of_a_kind_nobody_asked_for_is_refused(stage: Stage) -> None:
    row = stage.play(Scripted([sql("one", GOOD)]), deliverables=["tables"])
    assert row.status == "failed"
    assert row.error["code"] == "PLAN_INVALID"


def test_hostile_sql_from_a_planner_is_refused_and_not_retried(stage: Stage) -> None:
    agent = Scripted([sql("one", "SELECT * FROM read_csv('/etc/passwd')")], [{"query": GOOD}])
    row = stage.play(agent)
    assert row.status == "failed"
    assert row.error["code"] == "SQL_REFUSED"
    assert agent.told == []


def test_the_same_tasks_run_side_by_side_or_apart_with_one_result(stage_on_each: Stage) -> None:
    tasks: list[Any] = [sql(f"q{number}", GOOD) for number in range(6)]
    row = stage_on_each.play(Scripted(tasks))
    assert row.status == "completed"
    hashes = {observation.data["table"]["sha256"] for _, observation in stage_on_each.calls() if observation.data}
    assert len(hashes) == 1


@pytest.mark.seed("A-030")
def test_a_repair_cannot_lose_what_the_plan_demands(stage: Stage) -> None:
    task = sql("q", "SELECT SUM(amont) AS total FROM t WHERE region = 'West'").changed(
        invariants=("filter before aggregate",)
    )
    loose = {"query": "SELECT SUM(amount) AS total FROM t"}
    kept = {"query": "SELECT SUM(amount) AS total FROM t WHERE region = 'West'"}
    agent = Scripted([task], repairs=[loose, kept])
    assert stage.play(agent).status == "completed"
    assert [observation.status for _, observation in stage.calls()] == ["error", "error", "success"]
    assert (agent.told[1][1].data or {})["code"] == "PLAN_INVALID"
