"""An analysis asked on the command line: what it takes, what it refuses, and what lies in the home afterwards."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from home_rows import kept, rows, table

from averment.workbench import Workbench

SALES = str(Path(__file__).parents[3] / "examples" / "sales.csv")
QUESTION = "total amount by region in 2024"
HASH = re.compile(r"[0-9a-f]{64}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


@pytest.fixture(scope="module")
def run(averment: Any) -> dict[str, Any]:
    # More than the default, so that a busy machine gets to the chart.
    return averment.json("analyze", QUESTION, "--source", SALES, "--timeout", "180")


@pytest.fixture(scope="module")
def request_kept(averment: Any, run: dict[str, Any]) -> dict[str, Any]:
    ((body,),) = rows(averment.home, "SELECT request FROM runs WHERE run_id = ?", run["id"])
    return json.loads(body)["request"]


@pytest.mark.seed("A-001", "A-008")
def test_the_request_is_kept_with_every_field_and_its_default(request_kept: dict[str, Any], run: Any) -> None:
    assert set(request_kept) == {
        "request_id", "intent", "data_sources", "constraints", "deliverables", "policy", "timestamp"
    }  # fmt: skip
    assert (request_kept["request_id"], request_kept["intent"]) == (run["id"], QUESTION)
    assert request_kept["constraints"] == {"row_limit": 200_000, "timeout_seconds": 180}
    assert request_kept["deliverables"] == ["tables", "charts", "reports", "summary"]
    assert request_kept["policy"] == {"allowed_columns": None, "blocked_patterns": []}


@pytest.mark.seed("A-003", "A-004")
def test_a_kept_source_says_where_it_lies_and_with_which_schema_it_was_read(request_kept: dict[str, Any]) -> None:
    (source,) = request_kept["data_sources"]
    assert set(source) == {"type", "connection_string", "file_path", "schema_fingerprint"}
    assert (source["type"], source["file_path"], source["connection_string"]) == ("csv", SALES, None)
    assert HASH.fullmatch(source["schema_fingerprint"])


@pytest.mark.seed("A-002", "A-005", "A-006")
def test_a_database_a_table_and_a_json_file_are_kept_as_the_three_types_with_the_usual_limits(
    workbench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "sales.json").write_text('[{"region": "West", "amount": 2}, {"region": "East", "amount": 3}]')
    import sqlite3

    with sqlite3.connect(tmp_path / "shop.sqlite") as shop:
        shop.execute("CREATE TABLE orders AS SELECT 'West' AS region, 2 AS amount UNION ALL SELECT 'East', 3")
    shop.close()
    types: set[str] = set()
    for place in (tmp_path / "sales.json", tmp_path / "shop.sqlite", SALES):
        ended = workbench.analyze("total amount by region", [place])
        ((body,),) = rows(workbench.settings.home, "SELECT request FROM runs WHERE run_id = ?", ended.id)
        request = json.loads(body)["request"]
        assert request["constraints"] == {"row_limit": 200_000, "timeout_seconds": 30}
        (source,) = request["data_sources"]
        assert HASH.fullmatch(source["schema_fingerprint"])
        types.add(source["type"])
    assert types == {"sql", "csv", "json"}


@pytest.mark.seed("A-007", "A-010", "A-011", "A-012", "A-013", "A-014")
@pytest.mark.parametrize(
    ("intent", "given", "code"),
    [
        ("  ", ("--source", SALES), "INTENT_EMPTY"),
        ("x" * 2001, ("--source", SALES), "INTENT_TOO_LONG"),
        (QUESTION, (), "NO_SOURCES"),
        (QUESTION, ("--source", SALES, "--row-limit", "0"), "ROW_LIMIT_OUT_OF_RANGE"),
        (QUESTION, ("--source", SALES, "--row-limit", "200001"), "ROW_LIMIT_OUT_OF_RANGE"),
        (QUESTION, ("--source", SALES, "--timeout", "0"), "TIMEOUT_OUT_OF_RANGE"),
        (QUESTION, ("--source", SALES, "--timeout", "181"), "TIMEOUT_OUT_OF_RANGE"),
        (QUESTION, ("--source", SALES, "--deliver", "pdf"), "UNKNOWN_DELIVERABLE"),
    ],
)
def test_what_may_not_be_asked_is_refused_with_its_code(
    averment: Any, intent: str, given: tuple[str, ...], code: str
) -> None:
    before = rows(averment.home, "SELECT count(*) FROM runs") if averment.home.exists() else [(0,)]
    refused = averment("analyze", intent, *given, "--json")
    assert json.loads(refused.stdout)["error"]["code"] == code
    assert refused.returncode != 0
    assert not averment.home.exists() or rows(averment.home, "SELECT count(*) FROM runs") == before


@pytest.mark.seed("A-018", "A-066", "A-070")
def test_limits_at_their_ends_are_kept_to_and_only_what_was_asked_for_is_delivered(averment: Any) -> None:
    limits = ("--row-limit", "1", "--timeout", "180", "--deliver", "tables")
    limited = averment.json("analyze", QUESTION, "--source", SALES, *limits)
    assert {artifact["artifact_type"] for artifact in limited["artifacts"]} == {"table"}
    (file,) = limited["artifacts"]
    assert file["metadata"]["row_count"] == 1
    assert len((averment.home / file["content_ref"]).read_text().splitlines()) == 2


@pytest.mark.seed("A-020", "A-021", "A-023", "A-041")
def test_the_plan_is_told_with_its_subtasks_and_their_sum(run: dict[str, Any]) -> None:
    plan = run["plan"]
    assert set(plan) == {"plan_id", "request_id", "subtasks", "total_estimated_seconds", "created_at", "reasoning"}
    assert plan["request_id"] == run["id"]
    for task in plan["subtasks"]:
        assert set(task) == {
            "task_id", "description", "tool_name", "dependencies", "invariants", "estimated_cost_seconds", "arguments"
        }  # fmt: skip
        assert task["tool_name"] in {"sql.run", "plot.render"}
    asked = plan["subtasks"][0]["arguments"]
    assert (asked["query"].count("?"), asked["params"], "2024" in asked["query"]) == (1, [2024], False)
    total = sum(task["estimated_cost_seconds"] for task in plan["subtasks"])
    assert plan["total_estimated_seconds"] == pytest.approx(total)


@pytest.mark.seed("A-031", "A-032", "A-042", "A-044", "A-046")
def test_each_call_and_what_came_back_of_it_is_kept(averment: Any, run: dict[str, Any]) -> None:
    calls, seen = (kept(averment.home, run["id"], kind) for kind in ("call", "observation"))
    assert [call["task_id"] for call in calls] == [task["task_id"] for task in run["plan"]["subtasks"]]
    for call, observation in zip(calls, seen, strict=True):
        assert set(call) == {"call_id", "task_id", "tool_name", "arguments", "timestamp", "attempt_number"}
        assert set(observation) == {
            "observation_id", "call_id", "status", "data", "error_message", "error_category",
            "execution_time_seconds", "row_count", "timestamp",
        }  # fmt: skip
        assert (observation["call_id"], observation["status"]) == (call["call_id"], "success")
        assert 1 <= call["attempt_number"] <= 3
        assert observation["data"]
        assert observation["execution_time_seconds"] > 0


@pytest.mark.seed("A-065", "A-066", "A-067", "A-068", "A-069")
def test_each_artifact_is_told_with_every_field_and_is_the_file_it_names(averment: Any, run: dict[str, Any]) -> None:
    assert {artifact["artifact_type"] for artifact in run["artifacts"]} == {"table", "chart", "report", "summary"}
    for artifact in run["artifacts"]:
        assert set(artifact) == {
            "artifact_id", "request_id", "artifact_type", "content_ref", "content_hash", "metadata", "size_bytes",
            "created_at",
        }  # fmt: skip
        assert artifact["request_id"] == run["id"]
        content = (averment.home / artifact["content_ref"]).read_bytes()
        assert artifact["content_hash"] == hashlib.sha256(content).hexdigest()
        assert artifact["size_bytes"] == len(content)
    assert kept(averment.home, run["id"], "artifact") == run["artifacts"]


@pytest.mark.seed("A-075", "A-076", "A-077", "A-078", "A-079", "A-080", "A-081", "A-082", "A-085", "A-088", "A-089")
def test_the_log_that_is_kept_is_the_chain_of_seed_000_over_every_step(averment: Any, run: dict[str, Any]) -> None:
    lines = (averment.home / "logs" / "data_agent_runs.jsonl").read_text().splitlines()
    log: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert [entry["sequence_number"] for entry in log] == list(range(1, len(log) + 1))
    before = "0" * 64
    for entry in log:
        assert set(entry) == {
            "entry_id", "request_id", "sequence_number", "parent_hash", "timestamp", "event_type", "event_data",
            "actor", "hash",
        }  # fmt: skip
        assert entry["actor"] in {"planner", "actor", "safety", "system"}
        assert entry["parent_hash"] == before
        data = json.dumps(entry["event_data"], sort_keys=True)
        payload = f"{before}{entry['timestamp']}{entry['event_type']}{data}"
        before = hashlib.sha256(payload.encode()).hexdigest()
        assert entry["hash"] == before
    own = [entry for entry in log if entry["request_id"] == run["id"]]
    kinds = [entry["event_type"] for entry in own]
    assert set(kinds) <= {
        "request_submitted", "plan_created", "tool_called", "observation_recorded", "artifact_generated",
        "policy_decision",
    }  # fmt: skip
    calls = {call["call_id"] for call in kept(averment.home, run["id"], "call")}
    called = {entry["event_data"]["call_id"] for entry in own if entry["event_type"] == "tool_called"}
    seen = [entry["event_data"]["call_id"] for entry in own if entry["event_type"] == "observation_recorded"]
    assert (kinds.count("request_submitted"), kinds.count("plan_created")) == (1, 1)
    assert calls <= called  # What the planner looked up is there as well.
    assert sorted(seen) == sorted(calls)
    assert kinds.count("artifact_generated") == len(run["artifacts"])
    for entry in own:
        if entry["event_type"] == "tool_called":
            assert {"call_id", "tool_name", "arguments"} <= set(entry["event_data"])
        if entry["event_type"] == "policy_decision":
            assert {"decision", "rule", "reason"} <= set(entry["event_data"])


@pytest.mark.seed("A-009")
def test_every_time_that_is_told_kept_or_sealed_is_utc_and_ends_with_z(
    averment: Any, run: Any, request_kept: Any
) -> None:
    log = (averment.home / "logs" / "data_agent_runs.jsonl").read_text().splitlines()
    observed = kept(averment.home, run["id"], "observation") + kept(averment.home, run["id"], "call")
    told = [moment for body in (run, request_kept, observed, *map(json.loads, log)) for moment in moments(body)]
    assert len(told) > 20
    assert all(MOMENT.fullmatch(moment) for moment in told)


def moments(body: Any) -> list[str]:
    """Every text under a name of a time, however deep it lies."""
    if isinstance(body, list):
        return [moment for one in body for moment in moments(one)]
    if not isinstance(body, dict):
        return []
    here = [value for name, value in body.items() if name in {"timestamp", "created_at"} and isinstance(value, str)]
    return here + [moment for value in body.values() for moment in moments(value)]


@pytest.mark.seed("A-015")
def test_a_run_goes_from_submitted_to_its_end_by_planning_and_executing(workbench: Workbench) -> None:
    seen: list[str] = []
    ended = workbench.analyze(
        QUESTION, [SALES], on_event=lambda event: seen.append(workbench.show(event.run_id).status)
    )
    assert list(dict.fromkeys(seen)) == ["submitted", "planning", "executing", "completed"]
    assert [one for one, other in pairwise([*seen, ""]) if one != other] == list(dict.fromkeys(seen))
    assert workbench.show(ended.id).status == "completed"


@pytest.mark.seed("A-050", "A-051", "A-052", "A-053", "A-055")
def test_what_worked_is_kept_as_a_recipe_that_counts_its_successes(averment: Any) -> None:
    home = averment.home
    planned = averment.json("analyze", QUESTION, "--source", SALES, "--timeout", "180", "--plan-only")
    assert averment.json("approve", planned["id"])["status"] == "completed"
    (before,) = table(home, "recipes", database="recipe_memory")
    assert set(before) == {
        "recipe_id", "schema_fingerprint", "intent_template", "intent_embedding", "plan_structure",
        "tool_argument_templates", "success_count", "created_at", "last_used_at",
    }  # fmt: skip
    assert all(value for value in before.values())
    assert HASH.fullmatch(before["schema_fingerprint"])
    assert re.search(r"\{\w+\}", before["intent_template"])
    again = averment.json("analyze", QUESTION.replace("2024", "2023"), "--source", SALES, "--timeout", "180")
    assert again["status"] == "completed"
    (after,) = table(home, "recipes", database="recipe_memory")
    assert after["success_count"] == before["success_count"] + 1 >= 2
    assert after["recipe_id"] == before["recipe_id"]
    assert after["last_used_at"] > before["last_used_at"]
