"""Two users over MCP: every tool, prompt and resource is tried with another's things; a tool without a case fails."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import httpx2
import pytest

from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

uvicorn = lazily("uvicorn")
mcp_client = lazily("mcp.client.client")
mcp_http = lazily("mcp.client.streamable_http")
http_app = lazily("averment.faces.http.app")


T = TypeVar("T")
TABLE = b"place,amount,day\nzanzibar,771,2026-01-01\nlagos,5,2026-01-02\n"
SECRETS = ("hide the gift", "zanzibar", "771", "moonstone")
HERS: dict[str, dict[str, Any]] = {
    "update_task": {"task_id": "{task_id}", "title": "bob was here"},
    "complete_task": {"task_id": "{task_id}"},
    "reopen_task": {"task_id": "{task_id}"},
    "delete_task": {"task_id": "{task_id}"},
    "undo": {"key": "{act_key}"},
    "analyze": {"question": "total amount by place", "sources": ["{upload}"]},
    "drill": {"question": "why did amount fall?", "sources": ["{upload}"]},
    "verify": {"run_id": "{run_id}"},
    "show": {"run_id": "{run_id}"},
    "run_plan": {"plan": {"source": "t"}, "sources": ["{upload}"]},
    "choose": {"run_id": "{run_id}", "number": 1},
    "get_rows": {"run_id": "{run_id}"},
    "get_chart": {"run_id": "{run_id}"},
    "cancel_run": {"run_id": "{run_id}"},
    "ask_run": {"question": "which was highest?", "run_id": "{run_id}"},
    "schema": {"sources": ["{upload}"]},
    "open_sources": {"sources": ["{upload}"]},
    "look_up_value": {"value": "zanzibar", "sources": ["{upload}"]},
    "profile": {"table": "t", "sources": ["{upload}"]},
    "query": {"sql": "SELECT * FROM t", "sources": ["{upload}"]},
    "chat": {"message": "show my tasks", "conversation_id": "{conversation_id}"},
    "teach": {"word": "load", "means": "total amount", "sources": ["{upload}"]},
    "list_meanings": {},
    "forget_meaning": {"meaning_id": "1"},
    "add_documents": {"sources": ["{upload}"]},
    "research": {"question": "what is a stone worth?", "depth": "quick"},
}
"""What names something of Anna's, or is the owner's: refused."""
OWN: dict[str, dict[str, Any]] = {
    "add_task": {"title": "of bob"},
    "list_tasks": {},
    "list_runs": {},
}
"""What is Bob's own: it answers, and holds nothing of hers."""


class House:
    """A server with two users, and what one of them keeps."""

    def __init__(self, url: str, workbench: Workbench) -> None:
        self.url = url
        self.tokens = {name: workbench.home.users.add(name) for name in ("anna", "bob")}
        headers = {"Authorization": f"Bearer {self.tokens['anna']}"}
        self.anna = httpx2.Client(base_url=url, headers=headers, timeout=60)
        made = self.anna.post("/v1/tasks", json={"title": "hide the gift"}, headers={"Idempotency-Key": "her-key"})
        upload = self.anna.post("/v1/uploads", files=[("files", ("t.csv", TABLE))]).json()["files"][0]
        asked = {"message": "total amount by place", "files": [upload]}
        said = self.anna.post("/v1/chat", json=asked).json()
        self.ids = {
            "task_id": made.json()["data"]["id"],
            "act_key": "her-key",
            "upload": upload,
            "conversation_id": said["conversation_id"],
            "run_id": said["runs"][0]["id"] if isinstance(said["runs"][0], dict) else said["runs"][0],
        }

    def run(self, who: str, play: Callable[[mcp_client.Client], Awaitable[T]]) -> T:
        """Play something as one of the users."""

        async def main() -> T:
            headers = {"Authorization": f"Bearer {self.tokens[who]}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = mcp_http.streamable_http_client(f"{self.url}/mcp", http_client=http)
                async with mcp_client.Client(transport) as client:
                    return await play(client)

        return asyncio.run(main())

    def kept(self) -> str:
        """All that is Anna's, as she sees it."""
        paths = ("/v1/tasks", "/v1/runs", "/v1/conversations", f"/v1/conversations/{self.ids['conversation_id']}")
        return "\n".join(self.anna.get(path).text for path in paths)

    def filled(self, value: Any) -> Any:
        """Arguments with her ids in them."""
        if isinstance(value, dict):
            return {name: self.filled(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        return self.ids.get(value[1:-1], value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with Workbench(settings=Settings(home=tmp_path_factory.mktemp("mcp") / "home")) as workbench:
        listener = socket.create_server(("127.0.0.1", 0))
        app = http_app.create_app(workbench, token="the-token-of-the-tests")
        config = uvicorn.Config(app, http="h11", ws="none", log_level="critical", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield House(f"http://127.0.0.1:{listener.getsockname()[1]}", workbench)
        server.should_exit = True
        thread.join()


def test_every_tool_has_a_case_and_none_shows_or_changes_what_is_anothers(house: House) -> None:
    async def play(client: mcp_client.Client) -> Any:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {*HERS, *OWN}
        wrong: list[Any] = []
        for name, arguments in {**HERS, **OWN}.items():
            got = await client.call_tool(name, house.filled(arguments))
            words = json.dumps([block.model_dump(mode="json") for block in got.content]) + str(got.structured_content)
            seen = [word for word in SECRETS if word in words and word not in str(arguments)]
            waits = "confirm_token" in words and "hide" not in words
            if seen or (bool(got.is_error) != (name in HERS) and not waits):
                wrong.append((name, got.is_error, seen, words[:200]))
        return wrong

    before = house.kept()
    wrong = house.run("bob", play)
    assert not wrong, "\n".join(map(str, wrong))
    assert house.kept() == before


def test_no_resource_of_anothers_run_is_read(house: House) -> None:
    async def play(client: mcp_client.Client) -> list[str]:
        read: list[str] = []
        for place in ("report", "artifacts/result.csv"):
            try:
                got = await client.read_resource(f"averment://runs/{house.ids['run_id']}/{place}")
            except Exception as error:
                assert not any(word in str(error) for word in SECRETS)
            else:
                read.append(str(got))
        listed = await client.list_resources()
        assert house.ids["run_id"] not in str(listed)
        return read

    assert house.run("bob", play) == []
    assert len(house.run("anna", play_reading(house))) > 0


def play_reading(house: House) -> Callable[[mcp_client.Client], Awaitable[str]]:
    """Anna reads what Bob could not."""

    async def play(client: mcp_client.Client) -> str:
        return str(await client.read_resource(f"averment://runs/{house.ids['run_id']}/report"))

    return play
