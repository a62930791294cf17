import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from pydantic import BaseModel, ValidationError

from averment.records.drilldown.api import (
    ChatRequest,
    ChatResponse,
    FileMetadataUpdate,
    FileUploadResponse,
    InvestigationRequest,
    InvestigationResponse,
    ReportResponse,
    SessionCreate,
    SessionResponse,
)

NOW = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
PERIOD = {"start": "2024-01-01", "end": "2024-01-31"}


def refuses(kind: type[BaseModel], values: dict[str, Any]) -> bool:
    try:
        kind.model_validate(values)
    except ValidationError:
        return True
    return False


@pytest.mark.seed("B-079")
def test_a_session_is_opened_with_an_empty_body():
    assert SessionCreate.model_validate({}).model_dump() == {}
    assert refuses(SessionCreate, {"status": "completed"})


@pytest.mark.seed("B-080")
def test_a_session_response_has_its_fields_and_defaults():
    response = SessionResponse(session_id=uuid4(), status="created", created_at=NOW, expires_at=NOW)
    body = json.loads(response.model_dump_json())
    assert set(body) == {"session_id", "status", "created_at", "expires_at", "file_count", "report_ready"}
    assert (body["file_count"], body["report_ready"]) == (0, False)
    assert body["created_at"] == "2026-01-23T10:30:00.000000Z"
    assert refuses(SessionResponse, {**body, "status": "done"})


@pytest.mark.seed("B-081")
def test_an_upload_response_has_its_fields():
    assert set(FileUploadResponse.model_fields) == {"file_id", "original_name", "row_count", "size_bytes"}
    assert refuses(FileUploadResponse, {"file_id": "x", "original_name": "a.csv", "row_count": 1, "size_bytes": 1})


@pytest.mark.seed("B-082")
def test_a_new_description_has_at_most_2000_characters():
    assert not refuses(FileMetadataUpdate, {"description": "x" * 2000})
    assert refuses(FileMetadataUpdate, {"description": "x" * 2001})
    assert refuses(FileMetadataUpdate, {})


@pytest.mark.seed("B-083")
@pytest.mark.parametrize(
    ("field", "most"), [("business_context", 5000), ("metric_sql", 2000), ("investigation_prompt", 2000)]
)
def test_an_investigation_request_has_five_inputs_with_their_limits(field: str, most: int):
    assert set(InvestigationRequest.model_fields) - {"groups", "metric_name", "metric_unit"} == {
        "business_context",
        "metric_sql",
        "baseline_period",
        "comparison_period",
        "investigation_prompt",
    }
    good = {"metric_sql": "SUM(amount)", "baseline_period": PERIOD, "comparison_period": PERIOD}
    assert not refuses(InvestigationRequest, {**good, field: "x" * most})
    assert refuses(InvestigationRequest, {**good, field: "x" * (most + 1)})
    assert refuses(InvestigationRequest, {**good, "comparison_period": None})


@pytest.mark.seed("B-084")
def test_an_investigation_response_has_one_of_three_statuses():
    for status in ("running", "completed", "failed"):
        assert not refuses(InvestigationResponse, {"status": status, "message": "x"})
    assert refuses(InvestigationResponse, {"status": "created", "message": "x"})


@pytest.mark.seed("B-085")
def test_a_report_response_has_its_fields():
    assert set(ReportResponse.model_fields) == {"content", "generated_at", "status"}
    for status in ("completed", "no_findings"):
        assert not refuses(ReportResponse, {"content": "#", "generated_at": NOW, "status": status})
    assert refuses(ReportResponse, {"content": "#", "generated_at": NOW, "status": "failed"})


@pytest.mark.seed("B-086")
def test_a_question_has_at_most_5000_characters():
    assert not refuses(ChatRequest, {"message": "x" * 5000})
    assert refuses(ChatRequest, {"message": "x" * 5001})


@pytest.mark.seed("B-087")
def test_an_answer_names_no_artifact_by_default():
    assert json.loads(ChatResponse(response="because").model_dump_json()) == {
        "response": "because",
        "artifacts_referenced": [],
    }
