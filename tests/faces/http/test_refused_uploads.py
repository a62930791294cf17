"""What may not be uploaded; and that nothing of it stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

CASES = Path(__file__).parents[2] / "hostile" / "data" / "api_attacks" / "cases.jsonl"
NAMES = [
    case["name"]
    for line in CASES.read_text(encoding="utf-8").splitlines()
    if (case := json.loads(line))["kind"] == "path_names"
]
CSV = b"region,amount\nnorth,1\nsouth,2\n"

Code = Callable[[httpx2.Response], str]


def multipart(boundary: str, *parts: bytes) -> dict[str, Any]:
    """A form written by hand."""
    line = f"--{boundary}".encode()
    body = b"".join(line + b"\r\n" + part + b"\r\n" for part in parts) + line + b"--\r\n"
    return {"content": body, "headers": {"Content-Type": f"multipart/form-data; boundary={boundary}"}}


def field(name: str, value: bytes) -> bytes:
    return f'Content-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value


@pytest.mark.parametrize(
    ("name", "content", "expected", "status"),
    [
        ("virus.exe", b"MZ", "INVALID_FILE_TYPE", 415),
        ("data.duckdb", b"x", "INVALID_FILE_TYPE", 415),
        ("noending", CSV, "INVALID_FILE_TYPE", 415),
        ("sales.csv", b"", "SOURCE_EMPTY", 422),
        ("sales.csv", b"region,amount\n", "NO_ROWS", 422),
        ("sales.parquet", CSV, "INVALID_FILE_TYPE", 415),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(
    service: Any, code: Code, name: str, content: bytes, expected: str, status: int
) -> None:
    response = service.ask("total amount", (name, content))
    assert (code(response), response.status_code) == (expected, status)
    assert str(service.workbench.settings.home) not in response.text
    assert service.left_behind() == []


def test_a_file_over_50_mb_is_refused(service: Any, code: Code) -> None:
    response = service.ask("total amount", ("sales.csv", b"region,amount\n" + b"north,1\n" * 6_553_600))
    assert (code(response), response.status_code) == ("FILE_TOO_LARGE", 413)
    assert service.left_behind() == []


def test_an_eleventh_file_is_refused(service: Any, code: Code) -> None:
    response = service.ask("total amount", *[(f"t{number}.csv", CSV) for number in range(11)])
    assert (code(response), response.status_code) == ("MAX_FILES_EXCEEDED", 409)
    assert service.left_behind() == []


def test_a_good_file_is_not_kept_beside_a_bad_one(service: Any, code: Code) -> None:
    assert code(service.ask("total amount", ("good.csv", CSV * 50_000), ("bad.exe", b"x"))) == "INVALID_FILE_TYPE"
    assert service.left_behind() == []


def test_a_question_without_a_file_is_refused(service: Any, code: Code) -> None:
    response = service.client.post("/v1/analyses", **multipart("x", field("intent", b"total amount")))
    assert (code(response), response.status_code) == ("NO_SOURCES", 422)


@pytest.mark.parametrize("place", [b"/etc/passwd", b"https://evil.test/x.csv", b"postgresql://localhost/db"])
def test_a_path_or_url_in_place_of_a_file_is_refused(service: Any, code: Code, place: bytes) -> None:
    response = service.client.post(
        "/v1/analyses", **multipart("x", field("intent", b"total amount"), field("files", place))
    )
    assert code(response) == "INVALID_REQUEST"


@pytest.mark.parametrize(
    "sent",
    [
        {"json": {"intent": "total amount", "files": ["/etc/passwd"]}},
        {"content": b"intent=x", "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
        {"content": b"", "headers": {"Content-Type": "multipart/form-data"}},
        {"content": b"--x--", "headers": {"Content-Type": "multipart/form-data; boundary="}},
        {"content": b"x", "headers": {"Content-Type": f"multipart/form-data; boundary={'b' * 10_000}"}},
        {"content": b"no boundary at all", "headers": {"Content-Type": "multipart/form-data; boundary=x"}},
        {
            "content": b"--x\r\nContent-Disposition: form-data; name=",
            "headers": {"Content-Type": "multipart/form-data; boundary=x"},
        },
        multipart("x", b"Content-Disposition: form-data\r\n\r\nno name"),
        multipart("x", b"X: y\r\n\r\nno disposition"),
        multipart(
            "x", b'Content-Disposition: form-data; name="a"\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y--'
        ),
        {},
    ],
)
def test_a_body_that_is_no_form_is_malformed(service: Any, code: Code, sent: dict[str, Any]) -> None:
    response = service.client.post("/v1/analyses", **sent)
    assert (code(response), response.status_code) == ("MALFORMED_REQUEST", 400)
    assert service.left_behind() == []


def test_a_form_that_breaks_off_is_malformed_and_leaves_nothing(service: Any, code: Code) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n' + CSV * 100_000
    response = service.client.post(
        "/v1/analyses", content=part, headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert code(response) == "MALFORMED_REQUEST"
    assert service.left_behind() == []


@pytest.mark.parametrize("name", [b"other", b"intent", b"policy"])
def test_a_file_in_another_field_is_refused(service: Any, code: Code, name: bytes) -> None:
    part = b'Content-Disposition: form-data; name="' + name + b'"; filename="a.csv"\r\n\r\n' + CSV
    assert code(service.client.post("/v1/analyses", **multipart("x", part))) == "INVALID_REQUEST"
    assert service.left_behind() == []


def test_a_field_that_is_not_text_is_refused(service: Any, code: Code) -> None:
    assert (
        code(service.client.post("/v1/analyses", **multipart("x", field("intent", b"\xff\xfe")))) == "INVALID_REQUEST"
    )


def test_too_many_fields_are_refused(service: Any, code: Code) -> None:
    parts = [field("deliverables", b"tables") for _ in range(51)]
    assert code(service.client.post("/v1/analyses", **multipart("x", *parts))) == "INVALID_REQUEST"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quoting", ["escaped", "raw"])
def test_a_hostile_name_never_leaves_its_folder(service: Any, name: str, quoting: str) -> None:
    home = service.workbench.settings.home
    before = {path for path in home.parent.rglob("*") if "cache" not in path.parts}
    if quoting == "escaped":
        response = service.ask("", (name, CSV))
    else:
        part = f'Content-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode() + CSV
        response = service.client.post("/v1/analyses", **multipart("x", field("intent", b""), part))
    # The empty question is refused after the file was taken in, whatever became of its name.
    assert 400 <= response.status_code < 500
    assert "set-cookie" not in response.headers
    assert service.left_behind() == []
    after = {path for path in home.parent.rglob("*") if "cache" not in path.parts}
    assert after - before <= {home / "uploads"}
