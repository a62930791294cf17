"""Two users of one server: what is another's is neither shown nor changed, over HTTP and over MCP.

Every route and every tool is tried in ``tests/faces``; here the promise is held by a handful of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest
from talking import Program

from golden import TALK, TASK, GoldenHome, Server

SECRETS = ("hide the gift", TASK, "3,040", "3040", "Linz")
"""Words of Anna's task, and of what the owner keeps."""


@dataclass
class House:
    """A server over the golden home, which is its owner's, with two users."""

    server: Server
    anna: httpx2.Client
    bob: httpx2.Client
    tokens: dict[str, str]
    task: str
    runs: dict[str, str]


@pytest.fixture(scope="module")
def house(golden_home_of_module: GoldenHome) -> Iterator[House]:
    with golden_home_of_module.serve() as server:
        tokens = {name: server.workbench.home.users.add(name) for name in ("anna", "bob")}
        with server.client_of(tokens["anna"]) as anna, server.client_of(tokens["bob"]) as bob:
            made = anna.post("/v1/tasks", json={"title": "hide the gift"}, headers={"Idempotency-Key": "her-key"})
            yield House(server, anna, bob, tokens, made.json()["data"]["id"], golden_home_of_module.runs)


def test_what_is_anothers_is_not_there_over_http(house: House) -> None:
    refused = [("GET", f"/v1/conversations/{TALK}"), ("DELETE", f"/v1/conversations/{TALK}"), ("GET", "/v1/corpus")]
    refused += [("GET", f"/v1/runs/{run}{part}") for run in house.runs.values() for part in ("", "/report")]
    refused += [("POST", f"/v1/runs/{house.runs['analysis']}/verify"), ("GET", "/v1/datasets/orders")]
    refused += [("DELETE", f"/v1/tasks/{house.task}"), ("GET", "/v1/sessions")]
    for method, path in refused:
        response = house.bob.request(method, path)
        assert response.status_code in {403, 404}, (method, path)
        assert not any(word in response.text for word in SECRETS), path
    for path in ("/v1/runs", "/v1/tasks", "/v1/conversations", "/v1/datasets"):
        response = house.bob.get(path)
        assert response.status_code == 200 and not any(word in response.text for word in SECRETS), path
    assert "hide the gift" in house.anna.get("/v1/tasks").text
    assert house.server.client.get(f"/v1/runs/{house.runs['analysis']}").status_code == 200


def test_what_is_anothers_is_not_there_over_mcp(house: House) -> None:
    bob = Program(house.server, house.tokens["bob"])
    calls = [("show", {"run_id": run}) for run in house.runs.values()]
    calls += [("verify", {"run_id": house.runs["analysis"]}), ("chat", {"message": "hi", "conversation_id": TALK})]
    calls += [("complete_task", {"task_id": house.task}), ("delete_task", {"task_id": house.task})]
    calls += [("undo", {"key": "her-key"})]
    for tool, arguments in calls:
        got = bob.call(tool, **arguments)
        assert "error" in got and not any(word in got["error"] for word in SECRETS), (tool, got)
    for tool in ("list_tasks", "list_runs"):
        got = bob.call(tool)
        assert "error" not in got and not any(word in str(got) for word in SECRETS), tool
    assert bob.asked == []
    assert [task["title"] for task in Program(house.server, house.tokens["anna"]).call("list_tasks")["data"]] == [
        "hide the gift"
    ]


def test_nobody_without_a_token_gets_in(house: House) -> None:
    with httpx2.Client(base_url=house.server.url, timeout=60) as stranger:
        for path in ("/v1/runs", "/v1/tasks", f"/v1/runs/{house.runs['analysis']}", "/mcp", "/"):
            response = stranger.get(path)
            assert response.status_code == 401, path
            assert not any(word in response.text for word in SECRETS), path
