"""Two users and the owner: every route is tried with another's token, and a route without a case fails.

Anna keeps one of each thing, the owner keeps what users have no part in. Bob then sends every request there is,
each one right but for whose it is. He sees nothing of theirs, and afterwards everything is as it was. Where a case
names something of Anna's, the same request of hers is let in: a case that could not fail is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from averment.records.base import utc_now

if TYPE_CHECKING:
    from conftest import Service


SECRETS = ("hide the gift", "zanzibar", "quarrymaster", "moonstone")
"""Words of Anna's task, of her table, of her question to the assistant and of the owner's document."""
TABLE = b"place,amount,day\nzanzibar,771,2026-01-01\nlagos,5,2026-01-02\nzanzibar,3,2026-02-01\n"
SESSION = {
    "metric_sql": "SELECT SUM(amount) FROM t",
    "baseline_period": {"start": "2026-01-01", "end": "2026-01-31"},
    "comparison_period": {"start": "2026-02-01", "end": "2026-02-28"},
}
FILES = [("files", ("t.csv", TABLE))]


@dataclass(frozen=True)
class Case:
    """One request; ``of`` says whose thing it names: Anna's, the owner's, nobody's, or one's "own"."""

    of: str
    body: dict[str, Any] = field(default_factory=dict[str, Any])
    query: str = ""
    refused: tuple[int, ...] = (403, 404)


OPEN = Case("nobody")
OWN = Case("own")
HERS = Case("anna")
OWNERS = Case("owner")
CASES: dict[tuple[str, str], Case] = {
    ("get", "/"): OWNERS,
    ("get", "/health"): OPEN,
    ("get", "/metrics"): OWNERS,
    ("get", "/v1/tools"): OPEN,
    ("get", "/v1/models"): OPEN,
    ("post", "/v1/analyses"): Case("anna", {"data": {"intent": "and by place?", "after": "{run_id}"}, "files": FILES}),
    ("get", "/v1/meanings"): OWNERS,
    ("delete", "/v1/meanings/{meaning_id}"): OWNERS,
    ("post", "/v1/research"): Case("owner", {"json": {"query": "what is a stone worth?", "depth": "quick"}}),
    ("get", "/v1/research/{run_id}"): HERS,
    ("get", "/v1/research/{run_id}/facts"): HERS,
    ("get", "/v1/research/{run_id}/tree"): HERS,
    ("get", "/v1/corpus"): OWNERS,
    ("post", "/v1/corpus"): Case("owner", {"json": {"addresses": ["https://example.org/"]}}),
    ("put", "/v1/corpus/files/{name}"): Case("owner", {"content": b"changed"}),
    ("get", "/v1/corpus/{document_id}"): OWNERS,
    ("delete", "/v1/corpus/{document_id}"): OWNERS,
    ("get", "/v1/corpora"): OWNERS,
    ("delete", "/v1/corpora/{name}"): OWNERS,
    ("get", "/v1/datasets"): OWN,
    ("post", "/v1/datasets"): Case("own", {"files": [("files", ("c.csv", b"a,b\n1,2\n"))]}),
    ("get", "/v1/datasets/{dataset}"): HERS,
    ("patch", "/v1/datasets/{dataset}"): Case("anna", {"json": {"description": "bob's"}}),
    ("patch", "/v1/datasets/{dataset}/columns/{column}"): Case("anna", {"json": {"unit": "bob"}}),
    ("post", "/v1/datasets/{dataset}/meanings"): Case("anna", {"json": {"word": "sum", "means": "amount"}}),
    ("delete", "/v1/datasets/{dataset}/meanings/{word}"): HERS,
    ("get", "/v1/datasets/{dataset}/rows"): HERS,
    ("get", "/v1/datasets/{dataset}/suggestions"): HERS,
    ("get", "/v1/datasets/{dataset}/completions"): Case("anna", query="?text=zan"),
    ("post", "/v1/datasets/{dataset}/plan"): Case("anna", {"json": {"function": "rows"}}),
    ("delete", "/v1/datasets/{dataset}"): HERS,
    ("get", "/v1/runs/{run_id}/rows"): HERS,
    ("get", "/v1/runs"): OWN,
    ("get", "/v1/runs/{run_id}"): HERS,
    ("get", "/v1/runs/{run_id}/events"): HERS,
    ("post", "/v1/runs/{run_id}/cancel"): HERS,
    ("post", "/v1/runs/{run_id}/resume"): HERS,
    ("post", "/v1/runs/{run_id}/verify"): HERS,
    ("post", "/v1/runs/{run_id}/choice"): Case("anna", query="?number=1"),
    ("get", "/v1/runs/{run_id}/report"): HERS,
    ("get", "/v1/runs/{run_id}/export"): Case("anna", query="?format=html"),
    ("get", "/v1/runs/{run_id}/artifacts/{name}"): HERS,
    ("delete", "/v1/runs/{run_id}"): OWNERS,
    ("get", "/v1/sessions"): OWNERS,
    ("post", "/v1/sessions"): Case("owner", {"json": {}}),
    ("get", "/v1/sessions/{session_id}"): OWNERS,
    ("delete", "/v1/sessions/{session_id}"): OWNERS,
    ("get", "/v1/sessions/{session_id}/files"): OWNERS,
    ("post", "/v1/sessions/{session_id}/files"): Case("owner", {"files": FILES}),
    ("patch", "/v1/sessions/{session_id}/files/{file_id}"): Case("owner", {"json": {"description": "bob's"}}),
    ("delete", "/v1/sessions/{session_id}/files/{file_id}"): OWNERS,
    ("post", "/v1/sessions/{session_id}/investigate"): Case("owner", {"json": SESSION}),
    ("get", "/v1/sessions/{session_id}/investigation"): OWNERS,
    ("get", "/v1/sessions/{session_id}/investigations"): OWNERS,
    ("get", "/v1/sessions/{session_id}/compare"): OWNERS,
    ("get", "/v1/sessions/{session_id}/events"): OWNERS,
    ("get", "/v1/sessions/{session_id}/report"): OWNERS,
    ("get", "/v1/sessions/{session_id}/explanations"): OWNERS,
    ("get", "/v1/sessions/{session_id}/iterations"): OWNERS,
    ("get", "/v1/sessions/{session_id}/chat"): OWNERS,
    ("post", "/v1/sessions/{session_id}/chat"): Case("owner", {"json": {"message": "why did it fall?"}}),
    ("post", "/v1/chat"): Case("anna", {"json": {"message": "show my tasks", "conversation_id": "{conversation_id}"}}),
    ("post", "/v1/agui"): Case(
        "anna",
        {
            "json": {
                "threadId": "{conversation_id}",
                "runId": "r",
                "messages": [{"id": "m", "role": "user", "content": "show my tasks"}],
            }
        },
    ),
    ("post", "/v1/chat/completions"): Case(
        "own", {"json": {"messages": [{"role": "user", "content": "list my tasks"}]}}
    ),
    ("post", "/v1/uploads"): Case("own", {"files": [("files", ("b.csv", b"a,b\n1,2\n"))]}),
    ("get", "/v1/conversations"): OWN,
    ("get", "/v1/conversations/{conversation_id}"): HERS,
    ("post", "/v1/conversations/{conversation_id}/answers"): Case(
        "anna", {"json": {"question_id": "{question_id}", "answer": True}}
    ),
    ("get", "/v1/conversations/{conversation_id}/events"): HERS,
    ("delete", "/v1/conversations/{conversation_id}"): HERS,
    ("get", "/v1/tasks"): OWN,
    ("post", "/v1/tasks"): Case("own", {"json": {"title": "of bob"}}),
    ("post", "/v1/tasks/undo"): Case("anna", {"json": {"key": "{act_key}"}}, refused=(422,)),
    ("patch", "/v1/tasks/{task_id}"): Case("anna", {"json": {"title": "bob was here"}}),
    ("delete", "/v1/tasks/{task_id}"): HERS,
    ("get", "/v1/reminders"): OWN,
    ("post", "/v1/reminders/{reminder_id}/seen"): HERS,
}


@dataclass
class House:
    """A server, its people, and the ids of what they keep."""

    service: Service
    anna: httpx2.Client
    bob: httpx2.Client
    ids: dict[str, str]

    def kept(self) -> dict[str, str]:
        """Everything that is Anna's or the owner's, as they see it."""
        hers = (
            "/v1/datasets",
            "/v1/tasks",
            "/v1/conversations",
            "/v1/runs",
            "/v1/reminders",
            f"/v1/runs/{self.ids['run_id']}",
        )
        owners = ("/v1/tasks", "/v1/sessions", "/v1/corpus", "/v1/meanings")
        talk = f"/v1/conversations/{self.ids['conversation_id']}"
        files = f"/v1/sessions/{self.ids['session_id']}/files"
        return {
            **{f"anna {path}": self.anna.get(path).text for path in (*hers, talk)},
            **{f"owner {path}": self.service.client.get(path).text for path in (*owners, files)},
        }


def _filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, str):
        for name, known in ids.items():
            value = value.replace(f"{{{name}}}", known)
        return value
    if isinstance(value, dict):
        return {key: _filled(inner, ids) for key, inner in value.items()}
    if isinstance(value, list) and value is not FILES:
        return [_filled(inner, ids) for inner in value]
    return value


@pytest.fixture(scope="module")
def house(service: Service) -> Iterator[House]:
    tokens = {name: service.workbench.home.users.add(name) for name in ("anna", "bob")}
    anna, bob = (
        httpx2.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for token in tokens.values()
    )
    with anna, bob:
        yield House(service, anna, bob, {**_of_anna(service, anna), **_of_the_owner(service)})


def _of_anna(service: Service, anna: httpx2.Client) -> dict[str, str]:
    key = {"Idempotency-Key": "annas-own-key"}
    task = anna.post("/v1/tasks", json={"title": "hide the gift", "due": "2031-01-01"}, headers=key).json()
    anna.post("/v1/chat", json={"message": "remind me to feed the quarrymaster's dog in 1 minute"})
    service.workbench.home.services.store.reminders.ring(utc_now() + timedelta(minutes=2))
    [reminder] = anna.get("/v1/reminders").json()["reminders"]
    asked = anna.post("/v1/chat", json={"message": "delete hide the gift"}).json()
    run = anna.post("/v1/analyses", data={"intent": "total amount by place"}, files=FILES).json()
    service.workbench.runs.wait(run["id"])
    kept = anna.post("/v1/datasets", data={"name": "places"}, files=FILES).json()["id"]
    assert anna.post(f"/v1/datasets/{kept}/meanings", json={"word": "takings", "means": "amount"}).status_code == 200
    return {
        "dataset": kept,
        "column": "amount",
        "word": "takings",
        "task_id": str(task["data"]["id"]),
        "act_key": "annas-own-key",
        "reminder_id": str(reminder["id"]),
        "conversation_id": asked["conversation_id"],
        "question_id": asked["question"]["question_id"],
        "run_id": run["id"],
        "name": "result.csv",
    }


def _of_the_owner(service: Service) -> dict[str, str]:
    owner = service.client
    kept = owner.put("/v1/corpus/files/stones.txt", content=b"The moonstone is worth 9,000 crowns, said the jeweller.")
    assert kept.status_code < 300, kept.text
    document = owner.get("/v1/corpus").json()["documents"][0]
    session = owner.post("/v1/sessions", json={}).json()["session_id"]
    file = owner.post(f"/v1/sessions/{session}/files", files=FILES).json()
    return {
        "document_id": str(document["document_id"] if "document_id" in document else document["id"]),
        "session_id": session,
        "file_id": str((file.get("files") or [file])[0]["file_id"]),
        "meaning_id": "1",
    }


def _sent(client: httpx2.Client, method: str, path: str, case: Case, ids: dict[str, str]) -> httpx2.Response:
    where, body = _filled(path, ids) + case.query, _filled(case.body, ids)
    with client.stream(method.upper(), where, **body) as got:
        # A stream of events goes on for ever once it is opened.
        if not (path.endswith("/events") and got.status_code < 300):
            got.read()
        return got


def test_every_route_has_a_case(service: Service) -> None:
    document = service.client.get("/openapi.json").json()
    there = {(method, path) for path, methods in document["paths"].items() for method in methods}
    assert there == set(CASES)


def test_no_route_shows_or_changes_what_is_anothers(house: House) -> None:
    before = house.kept()
    wrong: list[Any] = []
    for (method, path), case in CASES.items():
        got = _sent(house.bob, method, path, case, house.ids)
        let_in = got.status_code < 300
        right = got.status_code in case.refused if case.of in {"anna", "owner"} else let_in
        seen = [word for word in SECRETS if word in got.text]
        if not right or seen or (let_in and house.ids["run_id"] in got.text):
            wrong.append((method, path, got.status_code, seen, got.text[:200]))
    assert not wrong, "\n".join(map(str, wrong))
    assert house.kept() == before


def test_the_same_requests_of_her_own_are_let_in(house: House) -> None:
    """Deletions come last, so that what they name is there until then; her run is no research."""
    hers = [(key, case) for key, case in CASES.items() if case.of == "anna"]
    refused: list[Any] = []
    beside = {"/v1/research/{run_id}", "/v1/research/{run_id}/facts", "/v1/research/{run_id}/tree"}
    for (method, path), case in sorted(hers, key=lambda item: item[0][0] == "delete"):
        got = _sent(house.anna, method, path, case, house.ids)
        if got.status_code in {401, 403, 404} and path not in beside:
            refused.append((method, path, got.text[:200]))
    assert not refused, "\n".join(map(str, refused))


def test_the_assistant_of_one_does_not_know_the_tasks_of_the_other(house: House) -> None:
    said = house.bob.post("/v1/chat", json={"message": "delete hide the gift"}).json()
    assert said["status"] != "confirmation_required"
    assert not any(word in json.dumps(said["response"]) for word in SECRETS[1:])
