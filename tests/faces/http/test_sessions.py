"""Sessions over HTTP: files, descriptions, refusals with seed 001's codes, the door, and the end of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment.records.base import new_id, utc_now
from averment.records.drilldown.api import FileUploadResponse, SessionResponse
from averment.records.drilldown.files import MAX_FILE_BYTES

SMALL = b"day,region,amount\n2024-01-01,north,1\n2024-01-02,south,2\n2024-02-01,north,3\n2024-02-02,south,5\n"
CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-31"},
    "comparison_period": {"start": "2024-02-01", "end": "2024-02-29"},
}


@pytest.fixture(scope="module")
def new_state(new_state_on_each: Callable[[], str | None]) -> Callable[[], str | None]:
    """What is kept is kept alike on each kind of database."""
    return new_state_on_each


@pytest.fixture
def session_id(service: Any) -> str:
    return str(service.client.post("/v1/sessions").json()["session_id"])


@pytest.fixture
def send(service: Any) -> Callable[..., httpx2.Response]:
    """Uploads one file to a session."""

    def upload(session_id: str, content: Any = SMALL, name: str = "sales.csv", **fields: str) -> httpx2.Response:
        place = f"/v1/sessions/{session_id}/files"
        return service.client.post(place, files=[("files", (name, content))], data=fields)

    return upload


def left(service: Any, session_id: str) -> list[Path]:
    """The uploads of the session, and whatever of an upload on its way was not taken away."""
    files = [path for path in service.left_behind() if path.is_file()]
    return [path for path in files if session_id in path.parts or path.name == "upload.csv"]


@pytest.mark.seed("B-001", "B-004", "B-079", "B-080")
def test_a_session_is_created_with_nothing_to_say(service: Any) -> None:
    for body in (None, {}):
        response = service.client.post("/v1/sessions", json=body)
        assert response.status_code == 201
        assert set(response.json()) == {
            "session_id", "status", "created_at", "expires_at", "file_count", "report_ready"
        }  # fmt: skip
        session = SessionResponse.model_validate(response.json())
        assert (session.status, session.file_count, session.report_ready) == ("created", 0, False)
        assert session.expires_at - session.created_at == timedelta(hours=24)
        assert service.client.get(response.headers["location"]).json() == response.json()


@pytest.mark.seed("B-005", "B-019", "B-025", "B-081")
def test_a_file_is_uploaded_described_listed_and_removed(service: Any, session_id: str, send: Any) -> None:
    response = send(session_id, name="Sales 2024.csv", description="First words.")
    assert response.status_code == 201
    assert set(response.json()) == {"file_id", "original_name", "row_count", "size_bytes"}
    upload = FileUploadResponse.model_validate(response.json())
    assert (upload.original_name, upload.row_count, upload.size_bytes) == ("Sales 2024.csv", 4, len(SMALL))
    place = response.headers["location"]
    assert service.client.patch(place, json={"description": "One row a sale."}).status_code == 200
    listed = service.client.get(f"/v1/sessions/{session_id}/files").json()["files"]
    assert [one["description"] for one in listed] == ["One row a sale."]
    assert [column["inferred_type"] for column in listed[0]["schema"]["columns"]] == [
        "timestamp",
        "dimension",
        "measure",
    ]
    assert service.client.get(f"/v1/sessions/{session_id}").json()["status"] == "has_files"
    assert service.client.delete(place).status_code == 204
    assert service.client.get(f"/v1/sessions/{session_id}").json()["file_count"] == 0
    assert left(service, session_id) == []


REFUSED = {
    "INVALID_FILE_TYPE": (415, "sales.parquet", SMALL),
    "NO_HEADERS": (422, "sales.csv", b"2024-01-01,5\n2024-01-02,6\n"),
    "NO_ROWS": (422, "sales.csv", b"day,amount\n"),
    "FILE_TOO_LARGE": (413, "sales.csv", b"day,amount\n" + b"2024-01-01,1\n" * (MAX_FILE_BYTES // 13 + 1)),
}


@pytest.mark.seed("B-014", "B-015", "B-016", "B-017", "B-018")
@pytest.mark.parametrize("wanted", REFUSED)
def test_a_file_is_refused_with_the_seeds_code(
    service: Any, session_id: str, send: Any, code: Any, wanted: str
) -> None:
    status, name, content = REFUSED[wanted]
    response = send(session_id, content, name)
    assert (response.status_code, code(response)) == (status, wanted)
    assert left(service, session_id) == []
    assert service.client.get(f"/v1/sessions/{session_id}").json()["status"] == "created"


@pytest.mark.slow
def test_the_largest_file_the_seed_allows_is_over_fifty_million_bytes_and_taken(session_id: str, send: Any) -> None:
    head, row = b"day,amount\n", b"2024-01-01,1\n"
    content = head + row * ((MAX_FILE_BYTES - len(head)) // len(row))
    assert len(content) > 50_000_000
    assert send(session_id, content).status_code == 201


@pytest.mark.seed("B-006")
def test_the_eleventh_file_is_refused(service: Any, session_id: str, send: Any, code: Any) -> None:
    for number in range(10):
        assert send(session_id, name=f"part_{number}.csv").status_code == 201
    response = send(session_id)
    assert (response.status_code, code(response)) == (409, "MAX_FILES_EXCEEDED")
    assert service.client.get(f"/v1/sessions/{session_id}").json()["file_count"] == 10


def test_one_request_takes_one_file(service: Any, session_id: str, code: Any) -> None:
    two = [("files", ("a.csv", SMALL)), ("files", ("b.csv", SMALL))]
    response = service.client.post(f"/v1/sessions/{session_id}/files", files=two)
    assert code(response) == "MAX_FILES_EXCEEDED"
    none = service.client.post(f"/v1/sessions/{session_id}/files", data={"description": "x"}, files=[])
    assert code(none) in {"MALFORMED_REQUEST", "INVALID_REQUEST"}
    assert left(service, session_id) == []


@pytest.mark.seed("B-013")
def test_a_client_cannot_name_a_path(service: Any, session_id: str, code: Any) -> None:
    place = f"/v1/sessions/{session_id}/files"
    path = service.client.post(place, data={"path": "/etc/passwd"}, files=[("files", ("a.csv", SMALL))])
    assert code(path) == "INVALID_REQUEST"
    climbing = service.client.post(place, files=[("files", ("../../../a.csv", SMALL))])
    assert climbing.json()["original_name"] == "a.csv"


BAD: dict[str, tuple[str, dict[str, Any]]] = {
    "no metric": ("METRIC_SQL_REQUIRED", {"metric_sql": ...}),
    "an empty metric": ("METRIC_SQL_REQUIRED", {"metric_sql": " "}),
    "no period": ("INVALID_DATE_RANGE", {"baseline_period": ...}),
    "a period that ends before it starts": (
        "INVALID_DATE_RANGE",
        {"comparison_period": {"start": "2024-02-02", "end": "2024-02-01"}},
    ),
    "a day that is none": ("INVALID_DATE_RANGE", {"baseline_period": {"start": "2024-02-30", "end": "2024-03-01"}}),
    "a field that is unknown": ("INVALID_REQUEST", {"path": "/etc/passwd"}),
    "a role that is none": ("INVALID_REQUEST", {"column_roles": {"amount": "colour"}}),
    "a role for a column that is not there": ("MISSING_COLUMN", {"column_roles": {"colour": "ignore"}}),
    "a prompt that is too long": ("INVALID_REQUEST", {"investigation_prompt": "x" * 2001}),
    "a metric that is too long": ("INVALID_REQUEST", {"metric_sql": "x" * 2001}),
    "a business context that is too long": ("INVALID_REQUEST", {"business_context": "x" * 5001}),
}


@pytest.mark.seed("B-027", "B-028", "B-031", "B-083")
@pytest.mark.parametrize("case", BAD)
def test_an_investigation_is_refused_with_the_seeds_code_for(
    service: Any, session_id: str, send: Any, code: Any, case: str
) -> None:
    send(session_id)
    wanted, change = BAD[case]
    body = {name: value for name, value in {**CONTEXT, **change}.items() if value is not ...}
    response = service.client.post(f"/v1/sessions/{session_id}/investigate", json=body)
    assert (response.status_code, code(response)) == (422, wanted)
    assert service.client.get(f"/v1/sessions/{session_id}").json()["status"] == "has_files"


@pytest.mark.seed("B-029")
def test_an_investigation_without_files_is_refused(service: Any, session_id: str, code: Any) -> None:
    response = service.client.post(f"/v1/sessions/{session_id}/investigate", json=CONTEXT)
    assert (response.status_code, code(response)) == (409, "NO_FILES_UPLOADED")


@pytest.mark.parametrize("part", ["investigation", "events", "report", "explanations"])
def test_what_is_not_there_yet_is_not_complete(service: Any, session_id: str, code: Any, part: str) -> None:
    response = service.client.get(f"/v1/sessions/{session_id}/{part}")
    assert (response.status_code, code(response)) == (409, "INVESTIGATION_NOT_COMPLETE")


@pytest.mark.seed("B-012", "B-082", "B-086")
def test_a_text_may_have_its_length_and_not_one_character_more(
    service: Any, session_id: str, send: Any, code: Any
) -> None:
    place = send(session_id, name="x" * 251 + ".csv", description="x" * 2000).headers["location"]
    assert len(send(session_id, name="x" * 252 + ".csv").json()["original_name"]) <= 255
    assert code(send(session_id, description="x" * 2001)) == "INVALID_REQUEST"
    assert service.client.patch(place, json={"description": "x" * 2000}).status_code == 200
    assert code(service.client.patch(place, json={"description": "x" * 2001})) == "INVALID_REQUEST"
    chat = f"/v1/sessions/{session_id}/chat"
    assert code(service.client.post(chat, json={"message": "x" * 5000})) == "INVESTIGATION_NOT_COMPLETE"
    assert code(service.client.post(chat, json={"message": "x" * 5001})) == "INVALID_REQUEST"


@pytest.mark.seed("B-076")
def test_a_question_before_the_report_is_refused(service: Any, session_id: str, code: Any) -> None:
    response = service.client.post(f"/v1/sessions/{session_id}/chat", json={"message": "Why?"})
    assert (response.status_code, code(response)) == (409, "INVESTIGATION_NOT_COMPLETE")
    assert service.client.get(f"/v1/sessions/{session_id}/chat").json() == {"messages": []}


def test_a_session_that_is_not_there_is_not_found(service: Any, code: Any) -> None:
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/files"), ("GET", "/report"), ("GET", "/events")):
        response = service.client.request(method, f"/v1/sessions/{new_id()}{path}")
        assert (response.status_code, code(response)) == (404, "SESSION_NOT_FOUND"), path
    assert code(service.client.get("/v1/sessions/..%2f..%2fetc")) in {"INVALID_REQUEST", "ROUTE_NOT_FOUND"}


def test_a_file_that_is_not_there_is_not_found(service: Any, session_id: str, code: Any) -> None:
    place = f"/v1/sessions/{session_id}/files/{new_id()}"
    assert code(service.client.patch(place, json={"description": "x"})) == "SOURCE_NOT_FOUND"
    assert code(service.client.delete(place)) == "SOURCE_NOT_FOUND"


@pytest.fixture
def late(service: Any) -> Iterator[None]:
    """The server's sessions live a day later for a while."""
    sessions = service.workbench.sessions
    before, sessions.clock = sessions.clock, lambda: utc_now() + timedelta(hours=25)
    yield
    sessions.clock = before


@pytest.mark.seed("B-003", "B-008")
def test_an_expired_session_says_so_and_is_gone(
    service: Any, session_id: str, send: Any, code: Any, request: pytest.FixtureRequest
) -> None:
    file = send(session_id).headers["location"]
    request.getfixturevalue("late")
    for method, path, body in (
        ("GET", f"/v1/sessions/{session_id}/files", None),
        ("PATCH", file, {"description": "x"}),
        ("DELETE", file, None),
        ("POST", f"/v1/sessions/{session_id}/investigate", CONTEXT),
        ("POST", f"/v1/sessions/{session_id}/chat", {"message": "Why?"}),
        ("GET", f"/v1/sessions/{session_id}/report", None),
    ):
        response = service.client.request(method, path, json=body)
        assert (response.status_code, code(response)) == (410, "SESSION_EXPIRED"), path
    assert code(send(session_id)) == "SESSION_EXPIRED"
    assert service.client.get(f"/v1/sessions/{session_id}").json()["status"] == "expired"
    assert not list(service.workbench.settings.home.rglob(f"*{session_id}*"))


def test_a_deleted_session_is_gone(service: Any, session_id: str, send: Any, code: Any) -> None:
    send(session_id)
    assert service.client.delete(f"/v1/sessions/{session_id}").status_code == 204
    assert code(service.client.get(f"/v1/sessions/{session_id}")) == "SESSION_NOT_FOUND"
    assert not list(service.workbench.settings.home.rglob(f"*{session_id}*"))


def test_sessions_are_listed_the_newest_first(service: Any, session_id: str) -> None:
    listed = service.client.get("/v1/sessions", params={"limit": 1}).json()["sessions"]
    assert [one["session_id"] for one in listed] == [session_id]


def test_the_door_stands_before_the_sessions(service: Any, session_id: str, code: Any) -> None:
    bare = {"Authorization": ""}
    for method, path in (
        ("POST", "/v1/sessions"),
        ("GET", f"/v1/sessions/{session_id}"),
        ("DELETE", f"/v1/sessions/{session_id}"),
        ("POST", f"/v1/sessions/{session_id}/files"),
        ("POST", f"/v1/sessions/{session_id}/chat"),
    ):
        assert code(service.client.request(method, path, headers=bare)) == "TOKEN_REQUIRED"
        foreign = {"Origin": "http://evil.example"}
        assert code(service.client.request(method, path, headers=foreign)) == "ORIGIN_REFUSED"
        assert code(service.client.request(method, path, headers={"Host": "evil.example"})) == "HOST_REFUSED"
    assert service.client.get(f"/v1/sessions/{session_id}").json()["status"] == "created"


def test_a_body_that_is_no_json_is_malformed(service: Any, session_id: str, code: Any) -> None:
    place = f"/v1/sessions/{session_id}/chat"
    response = service.client.post(place, content=b"{", headers={"Content-Type": "application/json"})
    assert code(response) == "MALFORMED_REQUEST"


def test_a_server_sweeps_its_sessions_when_it_starts(start: Callable[..., Any]) -> None:
    from averment.faces.http import sessions_sweep

    service = start()
    session_id = service.workbench.sessions.create().session_id
    service.workbench.sessions.clock = lambda: utc_now() + timedelta(hours=25)
    sessions_sweep._sweep_once(service_app(service))
    assert not list(service.workbench.settings.home.rglob(f"*{session_id}*"))


def service_app(service: Any) -> Any:
    """Something that holds the workbench where an application does."""
    from types import SimpleNamespace

    return SimpleNamespace(state=SimpleNamespace(workbench=service.workbench))
