"""What ``/openapi.json`` promises, and that requests made from it never break the server."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lazily import lazily

schemathesis = lazily("schemathesis")
openapi_checks = lazily("schemathesis.specs.openapi.checks")


ROUTES = {
    ("get", "/"),
    ("get", "/health"),
    ("get", "/metrics"),
    ("post", "/v1/analyses"),
    ("get", "/v1/meanings"),
    ("delete", "/v1/meanings/{meaning_id}"),
    ("post", "/v1/research"),
    ("get", "/v1/research/{run_id}"),
    ("get", "/v1/corpus"),
    ("post", "/v1/corpus"),
    ("put", "/v1/corpus/files/{name}"),
    ("get", "/v1/corpus/{document_id}"),
    ("delete", "/v1/corpus/{document_id}"),
    ("get", "/v1/datasets"),
    ("post", "/v1/datasets"),
    ("get", "/v1/datasets/{dataset}"),
    ("patch", "/v1/datasets/{dataset}"),
    ("delete", "/v1/datasets/{dataset}"),
    ("patch", "/v1/datasets/{dataset}/columns/{column}"),
    ("post", "/v1/datasets/{dataset}/meanings"),
    ("delete", "/v1/datasets/{dataset}/meanings/{word}"),
    ("get", "/v1/datasets/{dataset}/rows"),
    ("get", "/v1/datasets/{dataset}/suggestions"),
    ("get", "/v1/datasets/{dataset}/completions"),
    ("post", "/v1/datasets/{dataset}/plan"),
    ("get", "/v1/runs/{run_id}/rows"),
    ("get", "/v1/runs"),
    ("get", "/v1/runs/{run_id}"),
    ("delete", "/v1/runs/{run_id}"),
    ("get", "/v1/runs/{run_id}/events"),
    ("post", "/v1/runs/{run_id}/cancel"),
    ("post", "/v1/runs/{run_id}/resume"),
    ("post", "/v1/runs/{run_id}/verify"),
    ("post", "/v1/runs/{run_id}/choice"),
    ("get", "/v1/runs/{run_id}/report"),
    ("get", "/v1/runs/{run_id}/export"),
    ("get", "/v1/runs/{run_id}/artifacts/{name}"),
    ("get", "/v1/tools"),
    ("get", "/v1/sessions"),
    ("post", "/v1/sessions"),
    ("get", "/v1/sessions/{session_id}"),
    ("delete", "/v1/sessions/{session_id}"),
    ("get", "/v1/sessions/{session_id}/files"),
    ("post", "/v1/sessions/{session_id}/files"),
    ("patch", "/v1/sessions/{session_id}/files/{file_id}"),
    ("delete", "/v1/sessions/{session_id}/files/{file_id}"),
    ("post", "/v1/sessions/{session_id}/investigate"),
    ("get", "/v1/sessions/{session_id}/investigation"),
    ("get", "/v1/sessions/{session_id}/events"),
    ("get", "/v1/sessions/{session_id}/report"),
    ("get", "/v1/sessions/{session_id}/explanations"),
    ("get", "/v1/sessions/{session_id}/iterations"),
    ("get", "/v1/sessions/{session_id}/chat"),
    ("post", "/v1/sessions/{session_id}/chat"),
    ("post", "/v1/chat"),
    ("post", "/v1/agui"),
    ("get", "/v1/models"),
    ("post", "/v1/chat/completions"),
    ("post", "/v1/uploads"),
    ("get", "/v1/conversations"),
    ("get", "/v1/conversations/{conversation_id}"),
    ("delete", "/v1/conversations/{conversation_id}"),
    ("post", "/v1/conversations/{conversation_id}/answers"),
    ("get", "/v1/conversations/{conversation_id}/events"),
    ("get", "/v1/tasks"),
    ("post", "/v1/tasks"),
    ("post", "/v1/tasks/undo"),
    ("patch", "/v1/tasks/{task_id}"),
    ("delete", "/v1/tasks/{task_id}"),
    ("get", "/v1/corpora"),
    ("delete", "/v1/corpora/{name}"),
    ("get", "/v1/reminders"),
    ("post", "/v1/reminders/{reminder_id}/seen"),
    ("get", "/v1/research/{run_id}/facts"),
    ("get", "/v1/research/{run_id}/tree"),
    ("get", "/v1/sessions/{session_id}/compare"),
    ("get", "/v1/sessions/{session_id}/investigations"),
}
UNSAID = {
    ("post", "/v1/datasets"),
    ("patch", "/v1/datasets/{dataset}"),
    ("patch", "/v1/datasets/{dataset}/columns/{column}"),
    ("post", "/v1/datasets/{dataset}/meanings"),
    ("post", "/v1/datasets/{dataset}/plan"),
    ("get", "/v1/runs/{run_id}/rows"),
    ("post", "/v1/runs/{run_id}/choice"),
    ("post", "/v1/agui"),
    ("post", "/v1/chat/completions"),
    ("post", "/v1/chat"),
    ("post", "/v1/uploads"),
    ("post", "/v1/conversations/{conversation_id}/answers"),
    ("post", "/v1/tasks"),
    ("post", "/v1/tasks/undo"),
    ("patch", "/v1/tasks/{task_id}"),
    ("post", "/v1/analyses"),
    ("post", "/v1/research"),
    ("put", "/v1/corpus/files/{name}"),
    ("post", "/v1/sessions/{session_id}/files"),
    ("post", "/v1/sessions/{session_id}/investigate"),
    ("post", "/v1/sessions/{session_id}/chat"),
}
FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def document(service: Any) -> dict[str, Any]:
    return service.client.get("/openapi.json").json()


def operations(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (method, path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_every_route_is_promised(document: dict[str, Any]) -> None:
    assert set(operations(document)) == ROUTES


def test_everything_but_health_asks_for_the_token(document: dict[str, Any]) -> None:
    assert set(document["components"]["securitySchemes"]) == {"bearer", "token"}
    for (method, path), operation in operations(document).items():
        asked = {name for scheme in operation.get("security", []) for name in scheme}
        expected = {"bearer", "token"} if method == "get" else {"bearer"}
        assert asked == (set() if path == "/health" else expected), path


def test_every_error_that_is_promised_has_the_one_shape(document: dict[str, Any]) -> None:
    for operation in operations(document).values():
        refusals = {status: answer for status, answer in operation["responses"].items() if int(status) >= 400}
        assert refusals
        for answer in refusals.values():
            schema = answer["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ErrorDocument"}
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_every_answer_and_every_name_is_described(document: dict[str, Any]) -> None:
    for key, operation in operations(document).items():
        assert operation["operationId"] and operation["description"], key
        good = [answer for status, answer in operation["responses"].items() if int(status) < 300 and status != "204"]
        assert all(answer["content"] for answer in good), key
    form = document["paths"]["/v1/analyses"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    named = {"intent", "sql", "files", "row_limit", "timeout_seconds", "deliverables", "policy", "after", "plan"}
    named |= {"word", "means", "chart", "dataset", "agent"}
    assert set(form["properties"]) == named


@pytest.fixture(scope="module")
def finished(service: Any, sales_path: str) -> str:
    """A run that is there."""
    return service.workbench.analyze("total amount by region in 2024", [sales_path], deliverables=["reports"]).id


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "path"), sorted(ROUTES))
def test_no_request_made_from_the_schema_breaks_the_server(
    service: Any, document: dict[str, Any], finished: str, method: str, path: str
) -> None:
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=service.url)
    # A schema cannot say how an uploaded file is named, what it holds, how long a month is, or that a period ends
    # after it starts.
    not_said = [openapi_checks.positive_data_acceptance] if (method, path) in UNSAID else []

    @FEW
    @given(case=schema[path][method.upper()].as_strategy(), there=st.booleans())
    def attempt(case: Any, there: bool) -> None:
        if there and "run_id" in case.path_parameters:
            case.path_parameters["run_id"] = finished
        if there and "session_id" in case.path_parameters:
            case.path_parameters["session_id"] = service.workbench.sessions.create().session_id
        response = case.call(headers={"Authorization": f"Bearer {service.token}"}, timeout=30)
        assert response.status_code < 500
        case.validate_response(response, excluded_checks=not_said)

    attempt()
