"""How a command ends is told by its exit code, and every refusal by a code with a hint, as the reference lists them."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench, errors
from averment.errors import AvermentError

ROOT = Path(__file__).parents[3]
SALES = ROOT / "examples" / "sales.csv"
QUESTION = "total amount by region in 2024"
LISTED = {
    row[0]: (int(row[1]), int(row[2]), row[3] == "yes")
    for row in re.findall(
        r"^\| `([A-Z_]+)` \| (\d+) \| (\d+) \| (yes|no) \|",
        (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}
"""Every documented code with its exit code, its HTTP status, and whether trying again may help."""
DRILL = ("--baseline", "2024-01-01..2024-01-31", "--comparison", "2024-02-01..2024-02-29")


@pytest.fixture(scope="module")
def answered(run_averment: Callable[..., Any]) -> dict[str, Any]:
    done = run_averment("analyze", QUESTION, "--source", SALES, "--json")
    assert done.code == 0, done.out
    return done.document


def test_an_answer_ends_with_zero_and_is_one_document_with_its_proof(
    run_averment: Callable[..., Any], answered: dict[str, Any]
) -> None:
    assert answered["status"] == "completed"
    assert answered["findings"]
    assert answered["proof"]["checkpoint"]
    for words in (("verify", answered["id"]), ("show", answered["id"]), ("list",), ("ledger", "verify")):
        assert run_averment(*words, "--json").code == 0
    person = run_averment("show", answered["id"])
    assert (person.code, "West" in person.out) == (0, True)


CASES: list[tuple[tuple[str, ...], str]] = [
    (("analyze", "", "--source", str(SALES)), "INTENT_EMPTY"),
    (("analyze", "x" * 2001, "--source", str(SALES)), "INTENT_TOO_LONG"),
    (("analyze", QUESTION), "NO_SOURCES"),
    (("analyze", QUESTION, "--source", "nowhere.csv"), "SOURCE_NOT_FOUND"),
    (("analyze", QUESTION, "--source", str(SALES), "--row-limit", "0"), "ROW_LIMIT_OUT_OF_RANGE"),
    (("analyze", QUESTION, "--source", str(SALES), "--timeout", "181"), "TIMEOUT_OUT_OF_RANGE"),
    (("analyze", QUESTION, "--source", str(SALES), "--deliver", "gold"), "UNKNOWN_DELIVERABLE"),
    (("analyze", QUESTION, "--source", str(SALES), "--timeout", "soon"), "USAGE"),
    (("analyze", QUESTION, "--source", str(SALES), "--block-pattern", "("), "INVALID_REQUEST"),
    (("sql", "SELEC region FROM sales", "--source", str(SALES)), "SQL_SYNTAX"),
    (("sql", "SELECT colour FROM sales", "--source", str(SALES)), "MISSING_COLUMN"),
    (("sql", "SELECT region FROM salaries", "--source", str(SALES)), "MISSING_TABLE"),
    (("sql", "DROP TABLE sales", "--source", str(SALES)), "SQL_REFUSED"),
    (("sql", "SELECT state FROM sales", "--source", str(SALES), "--allow-column", "region"), "COLUMN_NOT_ALLOWED"),
    (("show", "00000000-0000-0000-0000-000000000000"), "RUN_NOT_FOUND"),
    (("verify", "00000000-0000-0000-0000-000000000000"), "RUN_NOT_FOUND"),
    (("list", "--status", "happy"), "INVALID_REQUEST"),
    (("drill", str(SALES), "--metric", "nonsense of things", *DRILL), "METRIC_UNCLEAR"),
    (("drill", str(SALES), "--metric", "SUM(amount)", *DRILL[:3], "1999-01-01..1999-01-31"), "PERIOD_WITHOUT_DATA"),
    (("drill", str(SALES), "--metric", "SUM(amount)", *DRILL[:3], "2024-02-28..2024-02-01"), "INVALID_DATE_RANGE"),
    (("sing",), "USAGE"),
    (("verify",), "USAGE"),
]


@pytest.mark.parametrize(("words", "code"), CASES, ids=[f"{words[0]}-{code}" for words, code in CASES])
def test_a_refusal_is_one_document_with_its_code_a_hint_and_its_documented_exit_code(
    run_averment: Callable[..., Any], words: tuple[str, ...], code: str
) -> None:
    done = run_averment(*words, "--json")
    assert done.error == code, done.out
    assert done.code == LISTED[code][0]
    assert done.document["error"]["hint"]
    assert "Traceback" not in done.told
    person = run_averment(*words)
    assert (person.code, code in person.told) == (done.code, True)


def test_a_question_back_ends_with_three_and_a_refusal_by_policy_with_four(
    run_averment: Callable[..., Any], tmp_path: Path
) -> None:
    assert run_averment("analyze", "total amount by galaxy", "--source", SALES).code == 3
    path = tmp_path / "people.csv"
    path.write_text("contact,amount\nann@example.com,1\nbob@example.com,2\n")
    done = run_averment("analyze", "total amount by contact", "--source", path, "--block-pattern", "email", "--json")
    assert (done.code, done.error) == (4, "PATTERN_BLOCKED")


def test_a_source_that_is_refused_ends_with_its_documented_code(run_averment: Callable[..., Any]) -> None:
    for source, code in (("http://127.0.0.1/", "ADDRESS_REFUSED"), ("nowhere.md", "SOURCE_NOT_FOUND")):
        done = run_averment("corpus", "add", source, "--json")
        (refused,) = done.document["sources"]
        assert (refused["error"]["code"], done.code) == (code, LISTED[code][0])
        assert refused["error"]["hint"]


def test_a_changed_ledger_ends_verification_with_five(
    run_averment: Callable[..., Any], answered: dict[str, Any], tmp_path: Path
) -> None:
    copy = tmp_path / "ledger.jsonl"
    assert run_averment("ledger", "export", "--out", copy).code == 0
    assert run_averment("verify", "--ledger", copy).code == 0
    copy.write_text(copy.read_text().replace("planner", "manager", 1))
    assert run_averment("verify", "--ledger", copy).code == 5


def test_a_result_over_its_row_limit_is_cut_and_told_to_be(
    workbench: Workbench, run_averment: Callable[..., Any]
) -> None:
    run = workbench.sql("SELECT order_id FROM sales", [SALES], row_limit=10)
    assert run.table is not None
    assert run.table.num_rows == 10
    whole = workbench.sql("SELECT order_id FROM sales LIMIT 10", [SALES], row_limit=10)
    assert whole.table is not None
    assert whole.table.num_rows == 10
    assert run.answer != whole.answer  # Only one of them says that there is more.
    done = run_averment("sql", "SELECT order_id FROM sales", "--source", SALES, "--row-limit", "10", "--json")
    assert (done.code, done.document["answer"]) == (0, run.answer)


def test_the_documented_codes_are_the_codes_of_the_error_tree() -> None:
    tree = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, AvermentError)]
    found = {kind.code: (kind.exit_code, kind.http_status, kind.retryable) for kind in tree}
    assert set(found) == set(LISTED)
    assert found == LISTED
    assert {exit_code for exit_code, _, _ in found.values()} == {1, 2, 3, 4, 5, 130}
    for kind in tree:
        document = kind("What happened.").as_dict()
        assert document["hint"] and document["code"] == kind.code


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "/v1/runs/00000000-0000-0000-0000-000000000000", {}, "RUN_NOT_FOUND"),
        ("GET", "/v1/runs?limit=0", {}, "INVALID_REQUEST"),
        ("GET", "/v1/nothing", {}, "ROUTE_NOT_FOUND"),
        ("DELETE", "/v1/runs", {}, "METHOD_NOT_ALLOWED"),
        ("POST", "/v1/analyses", {"data": {"intent": QUESTION}}, "MALFORMED_REQUEST"),
        ("POST", "/v1/tasks", {"content": b"{", "headers": {"Content-Type": "application/json"}}, "INVALID_REQUEST"),
        ("DELETE", "/v1/tasks/999", {}, "NOT_FOUND"),
        ("GET", "/v1/sessions/00000000-0000-0000-0000-000000000000", {}, "SESSION_NOT_FOUND"),
        ("GET", "/v1/conversations/nobody", {}, "CONVERSATION_NOT_FOUND"),
        ("POST", "/v1/chat", {"json": {"message": ""}}, "INVALID_REQUEST"),
        ("POST", "/v1/research", {"json": {"query": "short"}}, "INVALID_REQUEST"),
        ("PUT", "/v1/corpus/files/x.exe", {"content": b"MZ"}, "INVALID_FILE_TYPE"),
    ],
)
def test_an_error_over_http_has_its_documented_status_and_a_hint(
    served: Any, method: str, path: str, body: dict[str, Any], code: str
) -> None:
    answer = served.client.request(method, path, **body)
    error = answer.json()["error"]
    assert (error["code"], answer.status_code) == (code, LISTED[code][1])
    assert error["hint"]
    assert error["retryable"] is LISTED[code][2]


def test_the_installed_command_ends_as_the_one_of_this_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "averment", "--home", str(tmp_path / "home")]
    done = subprocess.run(
        [*command, "sql", "DROP TABLE sales", "--source", str(SALES), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (4, "SQL_REFUSED")
