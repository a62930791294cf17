from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

import averment.errors as errors
from averment.errors import ErrorCategory, IllegalTransition, QueryTimeout, RowLimitExceeded
from averment.records.base import new_id
from averment.records.run import (
    CALL_STATES,
    DELIVERABLE_OF,
    Artifact,
    ArtifactType,
    BuiltInTool,
    Deliverable,
    Evidence,
    Observation,
    ObservationStatus,
    ToolCall,
)

HASH = "ab" * 32


def observation(**values: object) -> Observation:
    given = {"call_id": new_id(), "status": "success", "data": {"rows": []}, "execution_time_seconds": 0.1, **values}
    return Observation.model_validate(given)


def artifact(**values: object) -> Artifact:
    given = {
        "request_id": new_id(),
        "artifact_type": "table",
        "content_ref": "artifacts/tables/x/result.csv",
        "content_hash": HASH,
        "size_bytes": 10,
        **values,
    }
    return Artifact.model_validate(given)


@pytest.mark.seed("A-031")
def test_a_tool_call_has_its_fields_and_no_other():
    assert set(ToolCall.model_fields) == {
        "call_id",
        "task_id",
        "tool_name",
        "arguments",
        "timestamp",
        "attempt_number",
    }
    call = ToolCall(task_id="load", tool_name="sql.run", arguments={"query": "SELECT 1"})
    assert call.attempt_number == 1
    assert ToolCall.model_validate_json(call.model_dump_json()) == call


@pytest.mark.seed("A-022")
def test_the_tools_are_the_four_of_the_seed_and_python():
    assert set(get_args(BuiltInTool)) >= {"sql.run", "df.transform", "plot.render", "profiler.analyze", "python.run"}
    with pytest.raises(ValidationError):
        ToolCall.model_validate({"task_id": "load", "tool_name": "shell.run", "arguments": {}})


@pytest.mark.seed("A-032")
@pytest.mark.parametrize("attempt", [0, 4, -1])
def test_an_attempt_outside_one_to_three_is_refused(attempt: int):
    with pytest.raises(ValidationError):
        ToolCall(task_id="load", tool_name="sql.run", arguments={}, attempt_number=attempt)


@pytest.mark.seed("A-033")
def test_a_tool_call_takes_the_steps_of_its_table_alone():
    allowed = {
        ("pending", "executing"),
        ("executing", "succeeded"),
        ("executing", "failed"),
        ("failed", "pending"),
    }
    for current in CALL_STATES.states:
        for following in CALL_STATES.states:
            if (current, following) in allowed:
                assert CALL_STATES.step(current, following) == following
            else:
                with pytest.raises(IllegalTransition):
                    CALL_STATES.step(current, following)


@pytest.mark.seed("A-042")
def test_an_observation_has_its_fields_and_no_other():
    assert set(Observation.model_fields) == {
        "observation_id",
        "call_id",
        "status",
        "data",
        "error_message",
        "error_category",
        "execution_time_seconds",
        "row_count",
        "timestamp",
    }
    seen = observation(row_count=0)
    assert Observation.model_validate_json(seen.model_dump_json()) == seen


@pytest.mark.seed("A-043")
def test_an_observation_has_one_of_four_statuses():
    assert set(get_args(ObservationStatus)) == {"success", "error", "timeout", "resource_limit"}
    with pytest.raises(ValidationError):
        observation(status="done")


@pytest.mark.seed("A-044")
def test_a_success_without_data_is_refused():
    with pytest.raises(ValidationError):
        observation(data=None)


@pytest.mark.seed("A-045")
@pytest.mark.parametrize("status", ["error", "timeout", "resource_limit"])
@pytest.mark.parametrize("missing", ["error_message", "error_category"])
def test_a_failure_without_message_or_category_is_refused(status: str, missing: str):
    reasons = {"error_message": "no such column", "error_category": "missing_column"}
    assert observation(status=status, data=None, **reasons).error_category == "missing_column"
    with pytest.raises(ValidationError):
        observation(status=status, data=None, **{**reasons, missing: None})


@pytest.mark.seed("A-046")
@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_an_observation_that_took_no_time_is_refused(seconds: float):
    with pytest.raises(ValidationError):
        observation(execution_time_seconds=seconds)


@pytest.mark.seed("A-047")
def test_every_named_tool_error_has_one_of_the_four_categories():
    categories = set(get_args(ErrorCategory))
    assert categories == {"sql_syntax", "type_mismatch", "missing_column", "resource_exhausted"}
    named = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ToolError)]
    assert {kind.category for kind in named if kind is not errors.ToolError} == categories
    with pytest.raises(ValidationError):
        observation(status="error", data=None, error_message="?", error_category="network")


@pytest.mark.seed("A-048")
def test_timeout_and_row_limit_exhaust_a_resource():
    assert QueryTimeout.category == RowLimitExceeded.category == "resource_exhausted"


@pytest.mark.seed("A-065")
def test_an_artifact_has_its_fields_and_no_other():
    assert set(Artifact.model_fields) == {
        "artifact_id",
        "request_id",
        "artifact_type",
        "content_ref",
        "content_hash",
        "metadata",
        "size_bytes",
        "created_at",
    }
    made = artifact(metadata={"row_count": 2, "column_names": ["a"]}, size_bytes=0)
    assert Artifact.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("A-066")
def test_an_artifact_is_of_one_of_four_types_each_with_its_deliverable():
    assert set(get_args(ArtifactType)) == {"table", "chart", "report", "summary"} == set(DELIVERABLE_OF)
    assert set(DELIVERABLE_OF.values()) == set(get_args(Deliverable))
    with pytest.raises(ValidationError):
        artifact(artifact_type="video")


@pytest.mark.seed("A-067")
@pytest.mark.parametrize("ref", ["", "a\nb", "a\0b", "artifacts/../../etc/passwd", "s3://", "://bucket"])
def test_a_content_ref_that_is_no_path_or_uri_is_refused(ref: str):
    with pytest.raises(ValidationError):
        artifact(content_ref=ref)


@pytest.mark.seed("A-067")
@pytest.mark.parametrize(
    "ref", ["artifacts/charts/x/trend.png", "/srv/home/a.csv", "s3://bucket/a b.csv", "s3://bucket/a://b", "a..b.md"]
)
def test_a_content_ref_that_is_a_path_or_uri_is_taken(ref: str):
    assert artifact(content_ref=ref).content_ref == ref


@pytest.mark.seed("A-068")
@pytest.mark.parametrize("digest", ["", "ab" * 31, "AB" * 32, "zz" * 32, HASH + "\n"])
def test_a_content_hash_that_is_no_sha256_is_refused(digest: str):
    with pytest.raises(ValidationError):
        artifact(content_hash=digest)


def test_evidence_is_told_apart_by_its_kind():
    cell = {"kind": "cell", "observation_id": new_id(), "query_hash": HASH, "row": 0, "column": "n", "value": 3}
    assert TypeAdapter(Evidence).validate_python(cell).kind == "cell"
    with pytest.raises(ValidationError):
        TypeAdapter(Evidence).validate_python({**cell, "kind": "span"})
