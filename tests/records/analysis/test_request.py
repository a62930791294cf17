from typing import Any, get_args

import pytest
from pydantic import ValidationError

from averment.errors import (
    AvermentError,
    IntentEmpty,
    IntentTooLong,
    InvalidRequest,
    NoSources,
    PlanInvalid,
    RowLimitOutOfRange,
    TimeoutOutOfRange,
    UnknownDeliverable,
    UnsupportedSource,
)
from averment.records.analysis import AnalysisRequest, Constraints, DataSource, Policy, PolicyFields, check_artifact
from averment.records.base import new_id
from averment.records.run import Artifact, ArtifactType, Deliverable


def request(**values: Any) -> AnalysisRequest:
    return AnalysisRequest.checked(**{"intent": "total amount by region", "data_sources": ["sales.csv"], **values})


def artifact(request_id: str, artifact_type: str) -> Artifact:
    return Artifact.model_validate(
        {
            "request_id": request_id,
            "artifact_type": artifact_type,
            "content_ref": "a/b",
            "content_hash": "ab" * 32,
            "size_bytes": 1,
        }
    )


@pytest.mark.seed("A-001")
def test_a_request_has_its_fields_and_reads_back_unchanged():
    assert set(AnalysisRequest.model_fields) == {
        "request_id",
        "intent",
        "data_sources",
        "constraints",
        "deliverables",
        "policy",
        "timestamp",
    }
    made = request()
    assert AnalysisRequest.model_validate_json(made.model_dump_json()) == made
    assert made.data_sources == (DataSource(type="csv", file_path="sales.csv"),)


@pytest.mark.seed("A-005", "A-006")
def test_the_limits_have_their_defaults():
    assert request().constraints == Constraints() == Constraints(row_limit=200_000, timeout_seconds=30)


@pytest.mark.seed("A-007")
def test_each_deliverable_is_kept_once_and_in_order():
    assert set(get_args(Deliverable)) == {"tables", "charts", "reports", "summary"}
    assert request(deliverables=["charts", "tables", "charts"]).deliverables == ("charts", "tables")
    assert request(deliverables="summary").deliverables == ("summary",)


@pytest.mark.seed("A-008")
def test_a_policy_has_columns_and_patterns():
    assert set(Policy.model_fields) == {"allowed_columns", "blocked_patterns"}
    assert Policy() == Policy(allowed_columns=None, blocked_patterns=())
    policy = request(policy={"allowed_columns": ["region"], "blocked_patterns": [r"\d{3}-\d{2}-\d{4}"]}).policy
    assert policy.allowed_columns == ("region",)


def test_a_policy_may_be_written_with_its_fields_alone():
    assert PolicyFields.__annotations__.keys() == Policy.model_fields.keys()
    with pytest.raises(InvalidRequest, match=r"^policy\.alowed_columns: there is no such field\.$"):
        request(policy={"alowed_columns": ["region"]})


@pytest.mark.seed("A-008")
@pytest.mark.parametrize("pattern", ["(", "[a-", ""])
def test_a_pattern_that_cannot_be_searched_for_is_refused(pattern: str):
    with pytest.raises(InvalidRequest):
        request(policy={"blocked_patterns": [pattern]})


@pytest.mark.seed("A-010")
@pytest.mark.parametrize("intent", ["", "   ", "\n\t", "\u200b", "\u00a0", None])
def test_an_empty_intent_is_refused(intent: object):
    with pytest.raises(IntentEmpty):
        request(intent=intent)


@pytest.mark.seed("A-011")
def test_an_intent_over_2000_characters_is_refused():
    assert request(intent="?").intent == "?"
    assert len(request(intent="é" * 2000).intent) == 2000
    with pytest.raises(IntentTooLong):
        request(intent="é" * 2001)


@pytest.mark.seed("A-012")
@pytest.mark.parametrize("sources", [[], (), None])
def test_a_request_without_sources_is_refused(sources: object):
    with pytest.raises(NoSources):
        request(data_sources=sources)


def test_one_text_is_one_source_and_a_bad_one_is_not_taken_for_none():
    assert request(data_sources="sales.csv").data_sources == (DataSource.of("sales.csv"),)
    with pytest.raises(InvalidRequest):
        request(data_sources="")


@pytest.mark.seed("A-013")
@pytest.mark.parametrize("limit", [0, -1, 200_001, 10**30, "10", 1.5, True, None, float("nan")])
def test_a_row_limit_out_of_range_is_refused(limit: object):
    with pytest.raises(RowLimitOutOfRange):
        request(row_limit=limit)


@pytest.mark.seed("A-013", "A-014")
def test_the_ends_of_both_ranges_are_allowed():
    assert request(row_limit=1, timeout_seconds=1).constraints.row_limit == 1
    assert request(row_limit=200_000, timeout_seconds=180).constraints.timeout_seconds == 180


@pytest.mark.seed("A-014")
@pytest.mark.parametrize("seconds", [0, -5, 181, "30", 2.5, False, None, float("inf")])
def test_a_timeout_out_of_range_is_refused(seconds: object):
    with pytest.raises(TimeoutOutOfRange):
        request(timeout_seconds=seconds)


@pytest.mark.seed("A-007")
@pytest.mark.parametrize("deliverable", ["table", "pdf", "", 3, None])
def test_an_unknown_deliverable_is_refused(deliverable: object):
    with pytest.raises(UnknownDeliverable):
        request(deliverables=["tables", deliverable])


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"data_sources": [{"type": "xml", "file_path": "a.xml"}]}, UnsupportedSource),
        ({"data_sources": [5]}, InvalidRequest),
        ({"intent": 5}, InvalidRequest),
        ({"policy": {"unknown": 1}}, InvalidRequest),
        ({"request_id": "not-a-uuid"}, InvalidRequest),
        ({"intent": "", "row_limit": 0}, IntentEmpty),
    ],
)
def test_any_other_bad_value_gets_its_error(values: dict[str, Any], error: type[AvermentError]):
    with pytest.raises(error):
        request(**values)


@pytest.mark.seed("A-012")
def test_a_record_made_directly_keeps_the_same_rules():
    with pytest.raises(ValidationError):
        AnalysisRequest(intent="total", data_sources=())
    with pytest.raises(NoSources):
        request(data_sources=[])


@pytest.mark.seed("A-070")
@pytest.mark.parametrize("kind", get_args(ArtifactType))
def test_an_artifact_that_was_asked_for_is_taken_and_any_other_refused(kind: str):
    asked = request(deliverables=[{"table": "tables", "chart": "charts", "report": "reports"}.get(kind, kind)])
    made = artifact(asked.request_id, kind)
    assert check_artifact(made, asked) is made
    others = request(deliverables=[], request_id=asked.request_id)
    with pytest.raises(PlanInvalid):
        check_artifact(made, others)


@pytest.mark.seed("A-070")
def test_an_artifact_of_another_request_is_refused():
    with pytest.raises(PlanInvalid):
        check_artifact(artifact(new_id(), "table"), request())
