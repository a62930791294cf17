"""The records of seed 000, the analyst: their fields and limits as one table, and what a table cannot hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from table import HASH, NO_HASH, Limit, Shape, among, between, limit, rows, shape, taken

from averment import errors
from averment.errors import PlanCycle, PlanInvalid
from averment.records import analysis, run
from averment.records.analysis import AnalysisRequest, DataSource, Plan, Policy, Recipe, Subtask
from averment.records.base import new_id
from averment.records.refusal import checked
from averment.records.run import Artifact, ArtifactType, Observation, ToolCall

NAN, INF = float("nan"), float("inf")
MADE = datetime(2025, 9, 15, 10, 30, tzinfo=UTC)
TOOLS = frozenset(get_args(run.BuiltInTool))


def request(**values: Any) -> AnalysisRequest:
    good: dict[str, Any] = {"intent": "total amount by region", "data_sources": ["sales.csv"]}
    return AnalysisRequest.checked(**(good | values))


# fmt: off
TABLE: list[Shape | Limit] = [
    shape("A-001 A-005 A-006", AnalysisRequest, {"intent": "total amount", "data_sources": ["sales.csv"]},
          "request_id constraints deliverables policy timestamp", make=lambda values: request(**values),
          constraints=analysis.Constraints(row_limit=200_000, timeout_seconds=30), policy=Policy(allowed_columns=None),
          data_sources=(DataSource(type="csv", file_path="sales.csv"),)),
    limit("A-010", AnalysisRequest, "intent", ["?"], ["", "   ", "\n\t", "\u200b", "\u00a0", None], "INTENT_EMPTY"),
    limit("A-011", AnalysisRequest, "intent", ["é" * 2000], ["é" * 2001], "INTENT_TOO_LONG"),
    limit("A-012", AnalysisRequest, "data_sources", [], [[], (), None], "NO_SOURCES"),
    limit("A-013", AnalysisRequest, "row_limit", [1, 200_000],
          [0, -1, 200_001, 10**30, "10", 1.5, True, None, NAN], "ROW_LIMIT_OUT_OF_RANGE"),
    limit("A-014", AnalysisRequest, "timeout_seconds", [1, 180],
          [0, -5, 181, "30", 2.5, False, None, INF], "TIMEOUT_OUT_OF_RANGE"),
    limit("A-007", AnalysisRequest, "deliverables", [["tables", "charts", "reports", "summary"], ["charts"], []],
          [["tables", wrong] for wrong in ("table", "pdf", "", 3, None)], "UNKNOWN_DELIVERABLE"),
    limit("A-008", AnalysisRequest, "policy", [{"allowed_columns": ["region"], "blocked_patterns": [r"\d{3}-\d{2}"]}],
          [{"blocked_patterns": [wrong]} for wrong in ("(", "[a-", "")] + [{"unknown": 1}]),
    limit("A-001", AnalysisRequest, "", [], [{"request_id": "not-a-uuid"}, {"intent": 5}, {"data_sources": [5]},
          {"data_sources": ""}]),
    limit("A-010", AnalysisRequest, "", [], [{"intent": "", "row_limit": 0}], "INTENT_EMPTY"),
    limit("A-002", AnalysisRequest, "data_sources", [], [[{"type": "xml", "file_path": "a"}]], "UNSUPPORTED_SOURCE"),
    shape("A-008", Policy, {}, "allowed_columns blocked_patterns", allowed_columns=None, blocked_patterns=()),
    shape("A-003", DataSource, {"type": "csv"}, "connection_string file_path schema_fingerprint",
          make=lambda values: checked(DataSource, {"file_path": "a.csv", **values}), schema_fingerprint=None),
    limit("A-002", DataSource, "type", ["json"], ["parquet", "", None]),
    limit("A-003", DataSource, "", [{"type": "sql", "connection_string": "postgresql://db/shop", "file_path": None}],
          [{"file_path": None}, {"file_path": ""}, {"file_path": None, "connection_string": "postgresql://db/shop"},
           {"type": "json", "file_path": None, "connection_string": "x"}, {"type": "sql"},
           {"type": "json", "connection_string": "x"}, {"connection_string": "postgresql://db/shop"}]),
    limit("A-004", DataSource, "schema_fingerprint", [HASH], NO_HASH),
    shape("A-020", Plan, {"request_id": new_id(), "subtasks": [], "total_estimated_seconds": 0, "reasoning": "so"},
          "plan_id created_at"),
    shape("A-021", Subtask, {"task_id": "a", "description": "d", "tool_name": "sql.run", "estimated_cost_seconds": 1.0},
          "dependencies invariants arguments", dependencies=(), invariants=(), arguments={}),
    limit("A-021", Subtask, "task_id", ["x" * 100], ["", "x" * 101]),
    limit("A-021", Subtask, "estimated_cost_seconds", [0.0], [-1, NAN, INF]),
    limit("A-021 A-022", Subtask, "tool_name", TOOLS, ["shell.run", ""]),
    shape("A-031", ToolCall, {"task_id": "load", "tool_name": "sql.run", "arguments": {"query": "SELECT 1"}},
          "call_id timestamp attempt_number", attempt_number=1),
    limit("A-022", ToolCall, "tool_name", ["sql.run", "df.transform", "plot.render", "profiler.analyze", "python.run"],
          ["shell.run", ""]),
    limit("A-031", ToolCall, "task_id", ["a"], [""]),
    between("A-032", ToolCall, "attempt_number", 1, 3, [-1]),
    shape("A-042", Observation, {"call_id": new_id(), "status": "success", "execution_time_seconds": 0.1},
          "observation_id data error_message error_category row_count timestamp",
          make=lambda values: checked(Observation, {"data": {"rows": []}, **values}), row_count=None),
    limit("A-043", Observation, "status", ["success"], ["done", "", None]),
    limit("A-043 A-045", Observation, "", [
        {"status": status, "data": None, "error_message": "no such column", "error_category": "missing_column"}
        for status in ("error", "timeout", "resource_limit")]),
    limit("A-044", Observation, "data", [{}], [None]),
    limit("A-045 A-047", Observation, "", [], [
        {"status": status, "data": None, "error_message": "?", "error_category": "missing_column", **wrong}
        for status in ("error", "timeout", "resource_limit")
        for wrong in ({"error_message": None}, {"error_category": None}, {"error_category": "network"})]),
    limit("A-046", Observation, "execution_time_seconds", [0.001], [0, -1, NAN, INF]),
    limit("A-042", Observation, "row_count", [0], [-1]),
    shape("A-050", Recipe, {
        "schema_fingerprint": HASH, "intent_template": "Analyze {time_range} {place} sales",
        "plan_structure": {"subtasks": [{"task_id": "load", "tool_name": "sql.run", "arg_template": "{start}"}]},
        "tool_argument_templates": [{"query": "SELECT {measure}"}], "intent_embedding": b"\x00\x01\xff",
    }, "recipe_id success_count created_at last_used_at", success_count=1),
    limit("A-051", Recipe, "schema_fingerprint", [HASH], NO_HASH),
    limit("A-050", Recipe, "intent_embedding", [b"x"], [b""]),
    limit("A-052", Recipe, "success_count", [1], [0]),
    limit("A-053", Recipe, "intent_template", ["{a}", "total sales", "{{a}}"],
          ["", "sales in {", "sales in }", "in {}", "in {1st}", "in {a.b}", "in {a:>3}"]),
    limit("A-050", Recipe, "plan_structure", [],
          [{}, {"subtasks": []}, {"subtasks": "load"}, {"subtasks": [{"task_id": "a"}]}]),
    limit("A-050", Recipe, "", [{"created_at": MADE, "last_used_at": MADE}],
          [{"created_at": MADE, "last_used_at": MADE - timedelta(seconds=1)}]),
    shape("A-065", Artifact, {"request_id": new_id(), "artifact_type": "table", "content_ref": "artifacts/tables/x.csv",
                              "content_hash": HASH, "size_bytes": 10}, "artifact_id metadata created_at", metadata={}),
    among("A-066", Artifact, "artifact_type", "table chart report summary"),
    limit("A-067", Artifact, "content_ref", ["artifacts/charts/x/trend.png", "/srv/home/a.csv", "s3://bucket/a b.csv",
          "s3://bucket/a://b", "a..b.md"], ["", "a\nb", "a\0b", "artifacts/../../etc/passwd", "s3://", "://bucket"]),
    limit("A-068", Artifact, "content_hash", [HASH], NO_HASH),
    limit("A-065", Artifact, "size_bytes", [0], [-1]),
]
# fmt: on


@rows(TABLE)
def test_a_record_takes_what_the_seed_gives_it_and_refuses_the_rest(row: Any) -> None:
    row.check()


@pytest.mark.seed("A-002")
def test_the_words_of_a_seed_are_these() -> None:
    assert get_args(DataSource.model_fields["type"].annotation) == ("sql", "csv", "json")
    assert set(get_args(Observation.model_fields["status"].annotation)) == {
        "success", "error", "timeout", "resource_limit"
    }  # fmt: skip
    assert {"sql.run", "df.transform", "plot.render", "profiler.analyze", "python.run"} <= TOOLS
    assert set(get_args(run.Deliverable)) == {"tables", "charts", "reports", "summary"}
    assert set(get_args(run.Deliverable)) == set(run.DELIVERABLE_OF.values())
    assert set(get_args(ArtifactType)) == set(run.DELIVERABLE_OF)


@pytest.mark.seed("A-047")
def test_every_named_tool_error_has_one_of_the_four_categories() -> None:
    categories = set(get_args(errors.ErrorCategory))
    assert categories == {"sql_syntax", "type_mismatch", "missing_column", "resource_exhausted"}
    named = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ToolError)]
    assert {kind.category for kind in named if kind is not errors.ToolError} == categories
    assert errors.QueryTimeout.category == errors.RowLimitExceeded.category == "resource_exhausted"


def test_one_text_is_one_value_and_a_value_given_twice_is_kept_once() -> None:
    assert request(deliverables=["charts", "tables", "charts"]).deliverables == ("charts", "tables")
    assert request(deliverables="summary").deliverables == ("summary",)
    assert request(data_sources="sales.csv").data_sources == (DataSource.of("sales.csv"),)
    limits = request(row_limit=1, timeout_seconds=180).constraints
    assert (limits.row_limit, limits.timeout_seconds) == (1, 180)
    with pytest.raises(ValidationError):
        AnalysisRequest(intent="total", data_sources=())


def test_a_policy_may_be_written_with_its_fields_alone() -> None:
    assert analysis.PolicyFields.__annotations__.keys() == Policy.model_fields.keys()
    with pytest.raises(errors.InvalidRequest, match=r"^policy\.alowed_columns: there is no such field\.$"):
        request(policy={"alowed_columns": ["region"]})


def artifact(request_id: str, kind: str) -> Artifact:
    given_values = {"request_id": request_id, "artifact_type": kind, "content_ref": "a/b", "content_hash": HASH}
    return Artifact.model_validate({**given_values, "size_bytes": 1})


@pytest.mark.seed("A-070")
@pytest.mark.parametrize("kind", get_args(ArtifactType))
def test_an_artifact_that_was_asked_for_is_taken_and_any_other_refused(kind: str) -> None:
    asked = request(deliverables=[{"table": "tables", "chart": "charts", "report": "reports"}.get(kind, kind)])
    made = artifact(asked.request_id, kind)
    assert analysis.check_artifact(made, asked) is made
    for other in (request(deliverables=[], request_id=asked.request_id), request()):
        with pytest.raises(PlanInvalid):
            analysis.check_artifact(made, other)


@pytest.mark.seed("A-002")
@pytest.mark.parametrize(
    ("kind", "precisely", "texts"),
    [
        ("csv", "csv", ["sales.csv", "SALES.CSV", "data/sales.csv.gz", "C:\\data\\a.csv"]),
        ("csv", "tsv", ["sales.tsv"]),
        ("csv", "parquet", ["year=2024/*.parquet", "s3://bucket/a.parquet?x=1"]),
        ("csv", "xlsx", ["book.xlsx"]),
        ("csv", "unknown", ["folder", "notes.doc", ".gz"]),
        ("json", "json", ["a.json"]),
        ("json", "jsonl", ["a.ndjson.zst"]),
        ("sql", "duckdb", ["shop.duckdb"]),
        ("sql", "sqlite", ["shop.sqlite3", "sqlite:///shop.bin"]),
        ("sql", "postgres", ["postgresql+psycopg://u@h/db", "POSTGRES://h/db.csv"]),
        ("sql", "spark", ["spark://cluster:7077", "sc://host:15002"]),
    ],
)
def test_a_path_or_url_tells_type_and_format(kind: str, precisely: str, texts: list[str]) -> None:
    for text in texts:
        source = DataSource.of(text)
        assert (source.type, source.format, source.place) == (kind, precisely, text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ann:s3cret@db:5432/shop", "postgresql://ann:***@db:5432/shop"),
        ("postgresql://db/shop?user=ann&password=s3cret", "postgresql://db/shop?user=ann&password=***"),
        ("snowflake://ann:s3cret@acc/db?token=s3cret", "snowflake://ann:***@acc/db?token=***"),
        ("sales.csv", "sales.csv"),
    ],
)
def test_a_password_is_never_shown(text: str, shown: str) -> None:
    source = DataSource.of(text)
    assert (source.label, source.place, "s3cret" in repr(source)) == (shown, text, False)
    with pytest.raises(ValidationError):
        DataSource.of("  ")


def test_an_ended_run_moves_only_where_it_is_resumed() -> None:
    steps = {tuple(step.split(">")) for step in taken(analysis.RUN_STATES)}
    assert analysis.RUN_STATES.states == set(get_args(analysis.RunStatus))
    seeds = {"submitted>planning", "planning>executing", "executing>completed", "executing>failed"}
    assert seeds | {"executing>partial_success"} <= taken(analysis.RUN_STATES)
    resumed = {(current, following) for current, following in steps if current in analysis.ENDED}
    assert {current for current, _ in resumed} == {"failed", "cancelled"}
    assert {following for _, following in resumed} == {"planning", "executing"}
    assert all(following != "submitted" for _, following in steps)
    cancelled = {current for current, following in steps if following == "cancelled"}
    assert cancelled == analysis.RUN_STATES.states - analysis.ENDED


def test_evidence_is_told_apart_by_its_kind() -> None:
    cell = {"kind": "cell", "observation_id": new_id(), "query_hash": HASH, "row": 0, "column": "n", "value": 3}
    assert TypeAdapter(run.Evidence).validate_python(cell).kind == "cell"
    with pytest.raises(ValidationError):
        TypeAdapter(run.Evidence).validate_python({**cell, "kind": "span"})


@pytest.mark.seed("A-055")
def test_a_reuse_counts_and_is_dated() -> None:
    shaped = next(row for row in TABLE if isinstance(row, Shape) and row.kind is Recipe)
    made = Recipe.model_validate({**shaped.needed, "created_at": MADE})
    later = MADE + timedelta(days=12)
    again = made.reused(later)
    assert made.last_used_at == MADE
    assert (again.success_count, again.last_used_at, again.created_at) == (2, later, MADE)
    assert again.reused(MADE).last_used_at == later
    assert analysis.placeholders("{b} by {a} and {b}, {{literal}}") == ("b", "a")


def task(task_id: str, *dependencies: str, cost: float = 1.0, tool: run.ToolName = "sql.run") -> Subtask:
    needed: dict[str, Any] = {"task_id": task_id, "description": f"do {task_id}", "tool_name": tool}
    return Subtask(**needed, dependencies=dependencies, estimated_cost_seconds=cost)


def plan(*subtasks: Subtask) -> Plan:
    return Plan.of(request_id=new_id(), subtasks=subtasks, reasoning="because")


@pytest.mark.seed("A-023")
def test_a_total_that_is_not_the_sum_is_refused() -> None:
    made = plan(task("a", cost=2.5), task("b", cost=0.5), task("c", cost=1.0))
    assert made.total_estimated_seconds == 4.0
    with pytest.raises(ValidationError):
        made.changed(total_estimated_seconds=3.9)


@pytest.mark.seed("A-024", "A-025", "A-026", "A-027")
@pytest.mark.parametrize(
    ("subtasks", "error"),
    [
        ((task("a", "a"),), PlanCycle),
        ((task("a", "b"), task("b", "a")), PlanCycle),
        ((task("start"), task("a", "start", "c"), task("b", "a"), task("c", "b")), PlanCycle),
        ((task("a"), task("a")), PlanInvalid),
        ((task("a", "missing"),), PlanInvalid),
        ((), PlanInvalid),
        ((task("a", tool="python.run"),), PlanInvalid),
        ((task("a", cost=1.0), task("b", cost=0.01)), errors.PlanTooCostly),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(subtasks: tuple[Subtask, ...], error: type[errors.AvermentError]) -> None:
    seconds = 1 if error is errors.PlanTooCostly else 100
    with pytest.raises(error):
        analysis.validate_plan(plan(*subtasks), timeout_seconds=seconds, known_tools=TOOLS - {"python.run"})
    if error is PlanCycle:
        with pytest.raises(PlanCycle):
            analysis.execution_order(plan(*subtasks))


@pytest.mark.seed("A-026")
def test_a_plan_may_take_all_of_the_time() -> None:
    exact = plan(*(task(f"t{number}", cost=0.1) for number in range(10)))
    assert analysis.validate_plan(exact, timeout_seconds=1, known_tools=TOOLS) is exact


@pytest.mark.seed("A-029")
def test_independent_subtasks_share_a_wave_in_the_plans_order() -> None:
    steps = (task("plot", "sum"), task("load"), task("profile"), task("sum", "load"), task("report", "sum", "profile"))
    waves = [[step.task_id for step in wave] for wave in analysis.execution_order(plan(*steps))]
    assert waves == [["load", "profile"], ["sum"], ["plot", "report"]]


@st.composite
def acyclic(draw: st.DrawFn) -> Plan:
    """A plan of up to 12 tasks, each waiting for some of the earlier ones, then shuffled."""
    tasks = [
        task(f"t{number}", *(f"t{earlier}" for earlier in range(number) if draw(st.booleans())), cost=0.25)
        for number in range(draw(st.integers(1, 12)))
    ]
    return plan(*draw(st.permutations(tasks)))


@pytest.mark.seed("A-029", "A-024")
@given(acyclic(), st.data())
def test_every_subtask_runs_after_its_dependencies_and_no_circle_is_run(made: Plan, data: st.DataObject) -> None:
    waves = analysis.execution_order(made)
    done: set[str] = set()
    for wave in waves:
        assert wave
        assert all(done.issuperset(step.dependencies) for step in wave)
        done.update(step.task_id for step in wave)
    assert sorted(step.task_id for wave in waves for step in wave) == sorted(step.task_id for step in made.subtasks)
    assert analysis.execution_order(made) == waves
    first = data.draw(st.sampled_from(made.subtasks))
    closed = [
        step.changed(dependencies=(*step.dependencies, "last")) if step is first else step for step in made.subtasks
    ]
    with pytest.raises(PlanCycle):
        analysis.execution_order(plan(*closed, task("last", first.task_id)))
