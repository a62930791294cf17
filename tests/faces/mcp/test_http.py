"""``/mcp`` of the application: behind the same door, for both protocol versions, never over a path of a client."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import httpx2
import pytest

from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

mcp_types = lazily("mcp_types")
uvicorn = lazily("uvicorn")
mcp_client = lazily("mcp.client.client")
mcp_http = lazily("mcp.client.streamable_http")
http_app = lazily("averment.faces.http.app")


T = TypeVar("T")
TOKEN = "the-token-of-the-tests"
SALES = Path(__file__).parents[3] / "examples" / "sales.csv"
Mode = Literal["auto", "legacy"]
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


class Served:
    """A running application, and a user who answers every question alike."""

    def __init__(self, url: str, workbench: Workbench) -> None:
        self.url = url
        self.workbench = workbench
        self.says: dict[str, Any] = {"action": "accept", "content": {"yes": True}}
        self.asked: list[str] = []

    async def elicited(self, _context: Any, params: Any) -> mcp_types.ElicitResult:
        self.asked.append(params.message)
        return mcp_types.ElicitResult(**self.says)

    def run(self, play: Callable[[mcp_client.Client], Awaitable[T]], mode: Mode = "auto") -> T:
        async def main() -> T:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = mcp_http.streamable_http_client(f"{self.url}/mcp", http_client=http)
                async with mcp_client.Client(transport, elicitation_callback=self.elicited, mode=mode) as client:
                    return await play(client)

        return asyncio.run(main())


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Workbench(settings=Settings(home=tmp_path_factory.mktemp("mcp") / "home")) as workbench:
        listener = socket.create_server(("127.0.0.1", 0))
        app = http_app.create_app(workbench, token=TOKEN)
        config = uvicorn.Config(app, http="h11", ws="none", log_level="critical", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", workbench)
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_tools_are_called_over_http_and_a_deletion_waits_for_a_yes(served: Served, mode: Mode) -> None:
    async def play(client: mcp_client.Client) -> Any:
        added = await client.call_tool("add_task", {"title": "milk"})
        return await client.call_tool("delete_task", {"task_id": (added.structured_content or {})["data"]["id"]})

    served.asked.clear()
    assert not served.run(play, mode).is_error
    assert served.asked == ["Delete the task 'milk'?"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_forged_confirmation_deletes_nothing(served: Served, mode: Mode) -> None:
    """The question is open in the assistant's own conversation; naming it over MCP is no answer to it."""
    chat = served.workbench.chat
    chat("remind me to buy eggs", conversation_id=f"talk-{mode}")
    chat("show my tasks", conversation_id=f"talk-{mode}")
    chat("delete task 1", conversation_id=f"talk-{mode}")
    question = served.workbench.assistant.question(f"talk-{mode}")
    assert question is not None
    task_id = question.body["focus"][0]

    async def play(client: mcp_client.Client) -> Any:
        meta: Any = {"averment/question": question.question_id, "averment/user": "local"}
        return await client.call_tool("delete_task", {"task_id": task_id, "confirmation": {"yes": True}}, meta=meta)

    served.says = {"action": "decline"}
    assert served.run(play, mode).is_error
    served.says = {"action": "accept", "content": {"yes": True}}
    listed = served.workbench.assistant.call("list_tasks", {}, key=f"look-{mode}").result
    assert listed is not None
    assert task_id in {task["id"] for task in listed["data"]}
    served.workbench.assistant.call("delete_task", {"task_id": task_id}, key=f"tidy-{mode}")


@pytest.mark.slow
def test_an_upload_is_analysed_over_mcp(served: Served) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    files = [("files", ("sales.csv", SALES.read_bytes()))]
    reference = httpx2.post(f"{served.url}/v1/uploads", files=files, headers=headers).json()["files"][0]

    async def play(client: mcp_client.Client) -> Any:
        arguments = {"question": "total amount by region in 2024", "sources": [reference]}
        return await client.call_tool("analyze", arguments)

    done = served.run(play)
    assert not done.is_error, done.content
    assert done.structured_content["status"] == "completed"
