"""Two users and the owner: over every route, nothing of the other is seen or changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Service


SALES = Path(__file__).parents[3] / "examples" / "sales.csv"


@pytest.fixture
def people(service: Service) -> Iterator[dict[str, httpx2.Client]]:
    names = ("anna", "bob")
    tokens = {name: service.workbench.users.add(name) for name in names}
    clients = {
        name: httpx2.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for name, token in tokens.items()
    }
    yield clients
    for name, client in clients.items():
        client.close()
        service.workbench.users.revoke(name)


def test_a_users_tasks_are_nobody_elses(service: Service, people: dict[str, httpx2.Client]) -> None:
    made = people["anna"].post("/v1/tasks", json={"title": "anna's secret"}).json()["data"]
    assert [task["title"] for task in people["anna"].get("/v1/tasks").json()["data"]] == ["anna's secret"]
    assert people["bob"].get("/v1/tasks").json()["data"] == []
    assert "anna's secret" not in service.client.get("/v1/tasks").text
    assert people["bob"].patch(f"/v1/tasks/{made['id']}", json={"title": "bob was here"}).status_code == 404
    assert people["bob"].delete(f"/v1/tasks/{made['id']}").status_code == 404
    assert people["anna"].get("/v1/tasks").json()["data"][0]["title"] == "anna's secret"


def test_a_users_conversations_are_nobody_elses(service: Service, people: dict[str, httpx2.Client]) -> None:
    said = people["anna"].post("/v1/chat", json={"message": "remind me to hide the gift"}).json()
    there = f"/v1/conversations/{said['conversation_id']}"
    assert people["anna"].get(there).status_code == 200
    for other in (people["bob"], service.client):
        assert other.get(there).status_code == 404
        assert other.delete(there).status_code == 404
        assert said["conversation_id"] not in other.get("/v1/conversations").text
        intruding = {"message": "show my tasks", "conversation_id": said["conversation_id"]}
        assert other.post("/v1/chat", json=intruding).status_code == 404
        answer = {"question_id": "any", "answer": True}
        assert other.post(f"{there}/answers", json=answer).status_code in {404, 409}
    assert "hide the gift" in people["anna"].post("/v1/chat", json={"message": "show my tasks"}).json()["response"]


def test_a_users_runs_are_nobody_elses(service: Service, people: dict[str, httpx2.Client]) -> None:
    files = [("files", ("sales.csv", SALES.read_bytes()))]
    begun = people["anna"].post("/v1/analyses", data={"intent": "total amount by region"}, files=files)
    assert begun.status_code < 300, begun.text
    run_id = begun.json()["id"]
    assert people["anna"].get(f"/v1/runs/{run_id}").status_code == 200
    for path in ("", "/events", "/verify", "/report", "/artifacts"):
        assert people["bob"].get(f"/v1/runs/{run_id}{path}").status_code in {404, 405}
    for act in ("cancel", "resume", "verify"):
        assert people["bob"].post(f"/v1/runs/{run_id}/{act}").status_code in {404, 405}
    assert people["bob"].delete(f"/v1/runs/{run_id}").status_code in {404, 405}
    assert run_id not in people["bob"].get("/v1/runs").text
    assert run_id in people["anna"].get("/v1/runs").text


def test_what_is_the_owners_is_refused_to_users(people: dict[str, httpx2.Client]) -> None:
    for path in ("/v1/sessions", "/sessions"):
        assert people["bob"].post(path, json={}).status_code in {403, 404, 405, 422}
    for page in ("/home", "/tasks", "/chat", "/runs", "/ledger"):
        shown = people["bob"].get(page, headers={"Accept": "text/html"}, follow_redirects=False)
        assert shown.status_code >= 300


def test_a_revoked_token_opens_nothing(service: Service) -> None:
    token = service.workbench.users.add("carol")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=60) as client:
        assert client.get("/v1/tasks").status_code == 200
        assert service.workbench.users.revoke("carol") == 1
        assert client.get("/v1/tasks").status_code == 401


def test_members_of_a_group_share_what_they_keep(service: Service) -> None:
    tokens = [service.workbench.users.add(name, group="sales") for name in ("dora", "emil")]
    first, second = (
        httpx2.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for token in tokens
    )
    with first, second:
        first.post("/v1/tasks", json={"title": "shared"})
        assert [task["title"] for task in second.get("/v1/tasks").json()["data"]] == ["shared"]
