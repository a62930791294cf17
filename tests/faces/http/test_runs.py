"""A question over HTTP, from its upload to its proof. One server, real runs."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

import httpx2
import pytest

from averment.faces.http.documents import RunDocument, RunList, RunReceipt, VerificationDocument
from lazily import lazily

stream = lazily("averment.faces.http.stream")

QUESTION = "total amount by region in 2024"
Code = Callable[[httpx2.Response], str]


class Held:
    """A run that stands still after one of its events, until it is let go."""

    def __init__(self, service: Any, source: str, after: str) -> None:
        self._after = after
        self._reached = threading.Event()
        self._go = threading.Event()
        self.id: str = service.workbench.runs.start.analysis(QUESTION, [source], on_event=self._listen)
        assert self._reached.wait(120)

    def _listen(self, event: Any) -> None:
        if event.type == self._after:
            self._reached.set()
            self._go.wait(120)

    def let_go(self) -> None:
        self._go.set()


@pytest.fixture
def hold(service: Any, sales_path: str) -> Iterator[Callable[..., Held]]:
    """Begins a run that is held after an event; all of them are let go and waited for at the end."""
    held: list[Held] = []

    def begin(after: str = "plan_made") -> Held:
        held.append(Held(service, sales_path, after))
        return held[-1]

    yield begin
    for run in held:
        run.let_go()
        list(service.events(run.id))


@pytest.fixture(scope="module")
def receipt(service: Any, sales: bytes) -> dict[str, Any]:
    """What the module's one run over HTTP was answered with."""
    response = service.ask(QUESTION, ("../My Sales.2024.CSV", sales), timeout_seconds="60")
    assert response.status_code == 202
    assert response.headers["location"] == response.json()["links"]["self"]
    return response.json()


@pytest.fixture(scope="module")
def told(service: Any, receipt: dict[str, Any]) -> list[Any]:
    """Every event of that run, followed live."""
    return list(service.events(receipt["id"]))


@pytest.fixture(scope="module")
def run(service: Any, receipt: dict[str, Any], told: list[Any]) -> dict[str, Any]:
    """That run, once it is over."""
    assert told
    return service.client.get(receipt["links"]["self"]).json()


def test_a_question_is_taken_with_the_addresses_of_its_parts(service: Any, receipt: dict[str, Any], told: Any) -> None:
    assert RunReceipt.model_validate(receipt).status == "submitted"
    for name, link in receipt["links"].items():
        expected = {200, 204} if name in {"self", "events", "report"} else {405}
        assert service.client.get(link).status_code in expected


def test_events_are_told_in_order_until_the_run_is_over(run: dict[str, Any], told: list[Any]) -> None:
    assert [int(event.id) for event in told] == list(range(1, len(told) + 1))
    assert all(event.data["type"] == event.event and event.data["run_id"] == run["id"] for event in told)
    assert (told[0].event, told[-1].event) == ("run_submitted", "run_finished")
    assert told[-1].data["data"]["status"] == "completed"


@pytest.mark.parametrize("options", [{"headers": {"Last-Event-ID": "5"}}, {"params": {"after": 5}}])
def test_a_client_that_comes_back_gets_what_it_missed(
    service: Any, run: dict[str, Any], told: list[Any], options: dict[str, Any]
) -> None:
    assert list(service.events(run["id"], **options)) == told[5:]


def test_the_last_event_a_client_had_counts_more_than_its_address(service: Any, run: Any, told: list[Any]) -> None:
    again = service.events(run["id"], headers={"Last-Event-ID": "7"}, params={"after": 1})
    assert list(again) == told[7:]


def test_a_client_that_has_had_everything_is_told_not_to_come_back(service: Any, run: Any, told: list[Any]) -> None:
    response = service.client.get(f"/v1/runs/{run['id']}/events", headers={"Last-Event-ID": told[-1].id})
    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize("last", ["-1", "x", "99999999999999999999"])
def test_a_last_event_that_is_no_number_is_an_invalid_request(service: Any, code: Code, run: Any, last: str) -> None:
    response = service.client.get(f"/v1/runs/{run['id']}/events", headers={"Last-Event-ID": last})
    assert (response.status_code, code(response)) == (422, "INVALID_REQUEST")


def test_a_run_is_the_document_it_is_promised_to_be(service: Any, run: dict[str, Any]) -> None:
    document = RunDocument.model_validate(run)
    assert (document.status, document.intent, document.error) == ("completed", QUESTION, None)
    assert document.findings and document.artifacts and document.proof.run_root
    assert run == service.workbench.show(run["id"]).as_dict()


def test_the_table_is_named_after_the_file_and_the_file_is_kept_under_our_name(service: Any, run: Any) -> None:
    assert "my_sales_2024" in run["plan"]["subtasks"][0]["arguments"]["query"]
    kept = [path for path in service.left_behind() if path.is_file()]
    assert [path.name for path in kept] == ["My_Sales_2024.csv"]
    assert re.fullmatch(r"[0-9a-f-]{36}", kept[0].parent.name)


def test_no_answer_tells_where_the_home_is(service: Any, run: dict[str, Any], told: list[Any]) -> None:
    home = str(service.workbench.settings.home)
    texts = [service.client.get(f"/v1/runs/{run['id']}{part}").text for part in ("", "/report", "/report?format=html")]
    assert not [text for text in (*texts, str(told)) if home in text]


def test_the_report_is_served_as_it_was_sealed(service: Any, run: dict[str, Any]) -> None:
    response = service.client.get(f"/v1/runs/{run['id']}/report")
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.text == run["report"]
    sealed = {artifact["content_hash"] for artifact in run["artifacts"]}
    assert hashlib.sha256(response.content).hexdigest() in sealed


def test_the_report_is_one_page_whose_only_script_is_its_own_check(service: Any, run: dict[str, Any]) -> None:
    response = service.client.get(f"/v1/runs/{run['id']}/report", params={"format": "html"})
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "sandbox" in response.headers["content-security-policy"]
    assert "script-src" not in response.headers["content-security-policy"]
    assert response.text.startswith("<!doctype html>") and response.text.count("<script") == 1
    assert run["proof"]["run_root"] in response.text


def test_every_artifact_is_served_to_the_byte(service: Any, run: dict[str, Any]) -> None:
    types = {".csv": "text/csv", ".png": "image/png", ".json": "application/json", ".md": "text/markdown"}
    for artifact in run["artifacts"]:
        name = PurePosixPath(artifact["content_ref"]).name
        response = service.client.get(f"/v1/runs/{run['id']}/artifacts/{name}")
        assert response.status_code == 200
        assert hashlib.sha256(response.content).hexdigest() == artifact["content_hash"]
        assert response.headers["etag"] == f'"{artifact["content_hash"]}"'
        assert response.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["content-type"].startswith(types.get(PurePosixPath(name).suffix, "text/plain"))


@pytest.mark.parametrize(
    "name",
    ["nothing.csv", "..%2F..%2F..%2Flogs%2Fdata_agent_runs.jsonl", "%2e%2e", "result.csv%00", "RESULT.CSV", "x" * 255],
)
def test_only_a_name_from_the_list_of_artifacts_is_served(service: Any, code: Code, run: Any, name: str) -> None:
    response = service.client.get(f"/v1/runs/{run['id']}/artifacts/{name}")
    assert response.status_code == 404
    assert code(response) in {"SOURCE_NOT_FOUND", "ROUTE_NOT_FOUND"}


def test_a_thousand_ranges_do_no_harm(service: Any, run: dict[str, Any]) -> None:
    ranges = "bytes=" + ",".join(f"{number}-{number}" for number in range(0, 2_000, 2))
    response = service.client.get(f"/v1/runs/{run['id']}/artifacts/result.csv", headers={"Range": ranges})
    assert response.status_code in {200, 206, 400, 416}
    assert len(response.content) < 1_000_000


def test_a_run_is_verified_over_http(service: Any, run: dict[str, Any]) -> None:
    response = service.client.post(f"/v1/runs/{run['id']}/verify")
    verdict = VerificationDocument.model_validate(response.json())
    assert verdict.ok and verdict.numbers_rederived > 0
    assert all(check.ok for check in verdict.checks)


def test_runs_are_listed_the_newest_first_and_by_status(service: Any, run: dict[str, Any]) -> None:
    listed = RunList.model_validate(service.client.get("/v1/runs", params={"status": "completed"}).json()).runs
    assert run["id"] in {summary.id for summary in listed}
    assert [summary.created_at for summary in listed] == sorted((s.created_at for s in listed), reverse=True)
    assert service.client.get("/v1/runs", params={"limit": 1, "offset": len(listed) + 1_000}).json() == {"runs": []}


def test_events_are_told_while_the_run_goes_on(service: Any, hold: Callable[..., Held]) -> None:
    held = hold()
    following = service.events(held.id)
    before = [next(following), next(following)]
    assert [event.event for event in before] == ["run_submitted", "plan_made"]
    held.let_go()
    after = list(following)
    assert after[0].id == "3"
    assert after[-1].event == "run_finished"


def test_a_silent_stream_is_kept_alive(service: Any, hold: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PING_SECONDS", 0.05)
    held = hold()
    with service.client.stream("GET", f"/v1/runs/{held.id}/events?after=2") as response:
        assert next(line for line in response.iter_lines() if line).startswith(": ping")


def test_a_client_that_leaves_is_no_longer_told(service: Any, hold: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    tell = stream._tell  # pyright: ignore[reportPrivateUsage]  # to see when it ends

    async def watched(*arguments: Any) -> Any:
        try:
            async for event in tell(*arguments):
                yield event
        finally:
            ended.set()

    monkeypatch.setattr(stream, "_tell", watched)
    held = hold()
    following = service.events(held.id)
    next(following)
    following.close()
    assert ended.wait(30)


def test_a_run_is_stopped_and_goes_on_over_http(service: Any, code: Code, hold: Callable[..., Held]) -> None:
    held = hold()
    response = service.client.post(f"/v1/runs/{held.id}/cancel")
    assert (response.status_code, RunReceipt.model_validate(response.json()).id) == (202, held.id)
    held.let_go()
    stopped = list(service.events(held.id))
    assert stopped[-1].data["data"]["status"] == "cancelled"
    document = RunDocument.model_validate(service.client.get(f"/v1/runs/{held.id}").json())
    assert (document.status, document.error and document.error.code) == ("cancelled", "RUN_CANCELLED")
    assert code(service.client.get(f"/v1/runs/{held.id}/report")) == "NOT_ENOUGH_EVIDENCE"
    assert code(service.client.get(f"/v1/runs/{held.id}/report?format=html")) == "NOT_ENOUGH_EVIDENCE"

    response = service.client.post(f"/v1/runs/{held.id}/resume")
    assert (response.status_code, RunReceipt.model_validate(response.json()).id) == (202, held.id)
    rest = list(service.events(held.id, headers={"Last-Event-ID": stopped[-1].id}))
    assert int(rest[0].id) == int(stopped[-1].id) + 1
    assert rest[-1].data["data"]["status"] == "completed"
    assert service.client.get(f"/v1/runs/{held.id}").json()["status"] == "completed"


def test_a_run_that_has_its_answer_stays_as_it_is(service: Any, run: dict[str, Any]) -> None:
    for act in ("resume", "cancel"):
        assert service.client.post(f"/v1/runs/{run['id']}/{act}").status_code == 202
    response = service.client.get(f"/v1/runs/{run['id']}/events", params={"after": 0})
    assert response.status_code == 200
    now = service.client.get(f"/v1/runs/{run['id']}").json()
    assert {**now, "marks": None} == {**run, "marks": None}  # Another test may have verified it since.


def test_an_artifact_that_was_changed_fails_the_verification(service: Any, hold: Callable[..., Held]) -> None:
    held = hold("run_sealed")
    held.let_go()
    list(service.events(held.id))
    changed = service.workbench.show(held.id)
    path = changed.path_of(changed.artifacts[0])
    path.write_bytes(path.read_bytes() + b"x")
    response = service.client.post(f"/v1/runs/{held.id}/verify")
    assert response.status_code == 200
    assert VerificationDocument.model_validate(response.json()).ok is False
    path.unlink()
    assert service.client.get(f"/v1/runs/{held.id}/artifacts/{path.name}").status_code == 404


def test_a_query_instead_of_a_question_is_run_as_it_is_written(service: Any, sales: bytes) -> None:
    files = [("files", ("sales.csv", sales))]
    begun = service.client.post("/v1/analyses", data={"sql": "SELECT count(*) AS orders FROM sales"}, files=files)
    assert begun.status_code == 202
    run = service.workbench.runs.wait(begun.json()["id"])
    assert (run.answer or "").startswith("The result is: orders ")
    both = service.client.post("/v1/analyses", data={"sql": "SELECT 1 AS one", "intent": "how many?"}, files=files)
    assert (both.status_code, both.json()["error"]["code"]) == (422, "INVALID_REQUEST")
