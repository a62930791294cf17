"""The task list for programs: the same tools, each act once, and taken back once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="module")
def new_state(new_state_on_each: Callable[[], str | None]) -> Callable[[], str | None]:
    """What is kept is kept alike on each kind of database."""
    return new_state_on_each


def test_a_task_is_added_changed_completed_deleted_and_brought_back(service: Any, code: Any) -> None:
    client = service.client
    added = client.post("/v1/tasks", json={"title": "milk", "description": "two litres"})
    assert added.status_code == 201
    task = added.json()["data"]
    assert (task["title"], task["description"], task["status"]) == ("milk", "two litres", "pending")
    path = f"/v1/tasks/{task['id']}"
    changed = client.patch(path, json={"title": "oat milk", "completed": True}).json()["data"]
    assert (changed["title"], changed["status"]) == ("oat milk", "completed")
    assert client.get("/v1/tasks", params={"status": "pending"}).json()["data"] == []
    deleted = client.delete(path)
    assert deleted.status_code == 200
    assert code(client.patch(path, json={"title": "x"})) == "NOT_FOUND"
    undone = client.post("/v1/tasks/undo", json={"key": deleted.json()["key"]})
    assert [back["title"] for back in undone.json()["data"]] == ["oat milk"]
    assert client.post("/v1/tasks/undo", json={"key": deleted.json()["key"]}).status_code == 422
    client.delete(path)


def test_the_same_key_again_acts_once(service: Any, code: Any) -> None:
    headers = {"Idempotency-Key": "k1"}
    first, again = (service.client.post("/v1/tasks", json={"title": "eggs"}, headers=headers) for _ in range(2))
    assert (first.json()["repeated"], again.json()["repeated"]) == (False, True)
    assert first.json()["data"] == again.json()["data"]
    other = service.client.post("/v1/tasks", json={"title": "ham"}, headers=headers)
    assert other.status_code == 409
    path, headers = f"/v1/tasks/{first.json()['data']['id']}", {"Idempotency-Key": "k2"}
    gone, again = (service.client.delete(path, headers=headers) for _ in range(2))
    assert (gone.status_code, again.json()) == (200, {**gone.json(), "repeated": True})


@pytest.mark.parametrize("body", [{}, {"title": ""}, {"title": "x" * 256}, {"title": "x", "id": 7}])
def test_what_is_no_task_is_refused(service: Any, body: dict[str, Any]) -> None:
    assert service.client.post("/v1/tasks", json=body).status_code == 422
