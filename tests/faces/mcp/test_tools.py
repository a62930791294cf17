"""What a program can do over MCP with the server as it ships."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

mcp_client = lazily("mcp.client.client")

SALES = str(Path(__file__).parents[3] / "examples" / "sales.csv")
HARBOUR = str(Path(__file__).parents[3] / "examples" / "harbour" / "gazette.md")
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home")) as opened:
        yield opened


@asynccontextmanager
async def client_of(workbench: Workbench, **more: Any) -> AsyncIterator[mcp_client.Client]:
    async with mcp_client.Client(workbench.home.mcp_server(), **more) as client:
        yield client


async def called(client: mcp_client.Client, tool: str, **arguments: Any) -> dict[str, Any]:
    made = await client.call_tool(tool, arguments)
    assert not made.is_error, made.content
    return dict(made.structured_content or {})


async def test_sources_are_opened_with_the_hash_of_their_bytes(workbench: Workbench) -> None:
    async with client_of(workbench) as client:
        [opened] = (await called(client, "open_sources", sources=[SALES]))["sources"]
    assert (opened["name"], opened["format"], opened["tables"]) == ("sales.csv", "csv", ["sales"])
    assert len(opened["sha256"]) == 64


@pytest.mark.parametrize(
    ("words", "value", "exact"),
    [("chair", "Chair", True), ("new yrok", "New York", False), ("york", "New York", False)],
)
async def test_a_value_is_found_as_it_is_written(workbench: Workbench, words: str, value: str, exact: bool) -> None:
    async with client_of(workbench) as client:
        found = (await called(client, "look_up_value", sources=[SALES], value=words))["values"]
    assert (found[0]["value"], found[0]["exact"]) == (value, exact)
    assert found[0]["rows"] > 0


async def test_a_value_that_stands_nowhere_is_not_made_up(workbench: Workbench) -> None:
    async with client_of(workbench) as client:
        assert (await called(client, "look_up_value", sources=[SALES], value="zzqqxx"))["values"] == []


async def test_the_assistant_is_a_tool_and_its_question_is_for_the_user(workbench: Workbench) -> None:
    async with client_of(workbench) as client:
        added = await called(client, "chat", message="remind me to call John tomorrow")
        talk = added["conversation_id"]
        asked = await called(client, "chat", message="delete call John", conversation_id=talk)
        assert asked["status"] == "confirmation_required"
        assert asked["question"]["words"] == "Delete 'call John'?"
        assert [task["title"] for task in (await called(client, "list_tasks"))["data"]] == ["call John"]
        done = await called(client, "chat", message="yes", conversation_id=talk)
        assert done["tools"] == ["delete_task"]
        asked = await called(client, "chat", message="total amount by region", sources=[SALES])
        assert "47,661.75" in asked["response"]
        assert len(asked["run_ids"]) == 1


async def test_links_of_a_result_can_be_read_and_its_chart_is_a_picture(workbench: Workbench) -> None:
    async with client_of(workbench) as client:
        made = await client.call_tool("analyze", {"question": "total amount by month", "sources": [SALES]})
        links = [part for part in made.content if part.type == "resource_link"]
        assert {"report", "result.csv", "chart.png"} <= {link.name for link in links}
        for link in links:
            [content] = (await client.read_resource(link.uri)).contents
            assert content.mime_type == link.mime_type
        told = dict(made.structured_content or {})
        assert (told["row_count"], len(told["rows"])) == (24, 24)
        chart = await client.call_tool("get_chart", {"run_id": told["run_id"]})
        picture = next(part for part in chart.content if part.type == "image")
        assert base64.b64decode(picture.data).startswith(b"\x89PNG")
        rows = await called(client, "get_rows", run_id=told["run_id"], offset=22)
        assert len(rows["rows"]) == 2
        runs = (await called(client, "list_runs"))["runs"]
        assert runs[0]["run_id"] == told["run_id"]


async def test_progress_is_told_while_a_run_goes_on(workbench: Workbench) -> None:
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        _ = (total, message)
        heard.append(progress)

    async with client_of(workbench) as client:
        await client.call_tool(
            "analyze", {"question": "total amount by region", "sources": [SALES]}, progress_callback=hear
        )
    assert len(heard) > 3
    assert heard == sorted(heard)


async def test_prompts_are_got_with_their_arguments_and_completed(workbench: Workbench) -> None:
    async with client_of(workbench) as client:
        names = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert {"analyse_file", "why_did_it_move", "verify_report", "ask_documents", "plan_my_day"} <= names
        got = await client.get_prompt("analyse_file", {"source": "sales.csv", "question": "what sells best?"})
        assert "what sells best?" in got.messages[0].content.text


async def test_documents_are_added_and_asked(workbench: Workbench) -> None:
    async with client_of(workbench) as client:
        assert await called(client, "add_documents", sources=[HARBOUR]) == {"added": 1}
        found = await called(client, "research", question="How deep is the channel of the Port of Aldermouth?")
    assert "14 metres" in found["answer"]


async def test_an_unknown_argument_is_refused_by_name(workbench: Workbench) -> None:
    async with client_of(workbench) as client:
        for tool in (await client.list_tools()).tools:
            refused = await client.call_tool(tool.name, {"no_such_argument": 1})
            assert refused.is_error
            assert "no_such_argument" in str(refused.content[0])


async def test_a_call_that_is_given_up_ends_its_run_as_cancelled_everywhere(workbench: Workbench) -> None:
    begun = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        _ = (progress, total, message)
        begun.set()

    async with client_of(workbench) as client:
        asked = {"question": "why did it move?", "sources": [SALES], "metric": "SUM(amount)"}
        asked |= {"baseline": ["2023-01-01", "2023-12-31"], "comparison": ["2024-01-01", "2024-12-31"]}
        async with anyio.create_task_group() as group:

            async def call() -> None:
                await client.call_tool("drill", asked, progress_callback=hear)

            group.start_soon(call)
            await begun.wait()
            group.cancel_scope.cancel()
        # The clock here is the limit of the promise, not a measure of it.
        with anyio.fail_after(30):
            while (run := (await called(client, "list_runs"))["runs"][0])["status"] not in {"cancelled", "completed"}:
                await anyio.sleep(0.05)
        assert run["status"] == "cancelled"
        assert (await called(client, "show", run_id=run["run_id"]))["status"] == "cancelled"
    assert workbench.show(run["run_id"]).status == "cancelled"
    assert [one.status for one in workbench.runs.list()] == ["cancelled"]
