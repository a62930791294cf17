"""Looking into tables over MCP: schema, profile and guarded queries, over what the caller may name and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.agents.assistant.sources import anything, uploads_only
from averment.settings import Settings
from averment.tools.public_data import Locate, data_tools
from averment.tools.registry import standard_registry
from lazily import lazily

mcp_client = lazily("mcp.client.client")
mcp_server = lazily("averment.tools.mcp_server")

ROWS = "region,amount,day\nWest,1.50,2024-01-01\nEast,2.25,2024-01-02\nWest,3.00,2024-01-03\n"


class Tables:
    """The data tools over one home, as a client calls them."""

    def __init__(self, home: Path, locate: Locate) -> None:
        settings = Settings(home=home)
        self.server = mcp_server.build_server(
            data_tools(settings=settings, cache_dir=home / "cache", registry=standard_registry(), locate=locate),
            keys=[b"k" * 32],
            user_id="local",
        )

    def listed(self) -> Any:
        async def play() -> Any:
            async with mcp_client.Client(self.server) as client:
                return (await client.list_tools()).tools

        return asyncio.run(play())

    def __call__(self, name: str, **arguments: Any) -> Any:
        async def play() -> Any:
            async with mcp_client.Client(self.server) as client:
                return await client.call_tool(name, arguments)

        return asyncio.run(play())


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def here(tmp_path: Path, sales: Path) -> Iterator[Tables]:
    yield Tables(tmp_path / "home", anything(tmp_path / "home", [str(sales)]))


@pytest.fixture
def afar(tmp_path: Path, sales: Path) -> Iterator[Tables]:
    yield Tables(tmp_path / "home", uploads_only(tmp_path / "home", [str(sales)]))


def test_the_tools_only_read_and_code_is_not_among_them(here: Tables) -> None:
    listed = {tool.name: tool.annotations for tool in here.listed()}
    assert set(listed) == {"open_sources", "schema", "profile", "look_up_value", "query"}
    assert all(notes.read_only_hint and not notes.destructive_hint for notes in listed.values())


def test_tables_are_described_profiled_and_queried(here: Tables, sales: Path) -> None:
    schema = here("schema", sources=[str(sales)]).structured_content
    assert [column["name"] for column in schema["tables"][0]["columns"]] == ["region", "amount", "day"]
    profile = here("profile", table="sales").structured_content
    assert profile["row_count"] == 3
    sql = "SELECT region, sum(amount) AS total, max(day) AS last FROM sales WHERE region <> ? GROUP BY region"
    found = here("query", sql=sql, params=["East"]).structured_content
    assert found["rows"] == [["West", found["rows"][0][1], "2024-01-03"]]
    assert float(found["rows"][0][1]) == 4.5
    assert (found["row_count"], found["truncated"]) == (1, False)
    assert len(found["query_hash"]) == 64


def test_more_rows_than_asked_for_are_cut_and_said_to_be(here: Tables) -> None:
    found = here("query", sql="SELECT * FROM sales", row_limit=2).structured_content
    assert (len(found["rows"]), found["truncated"]) == (2, True)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM sales",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "COPY sales TO '/tmp/x.csv'",
        "SELECT 1; SELECT 2",
        "SELECT getenv('HOME')",
    ],
)
def test_a_query_that_does_more_than_read_the_tables_is_refused(here: Tables, sales: Path, sql: str) -> None:
    refused = here("query", sql=sql)
    assert refused.is_error
    assert sales.read_text() == ROWS


@pytest.mark.parametrize("tool", ["schema", "query"])
@pytest.mark.parametrize("name", ["/etc/passwd", "sales.csv", "given:../sales.csv", "upload:../../x.csv", "given:"])
def test_from_afar_no_path_reaches_the_file_system(afar: Tables, tool: str, name: str) -> None:
    more = {"sql": "SELECT 1"} if tool == "query" else {}
    refused = afar(tool, sources=[name], **more)
    assert refused.is_error
    assert "INVALID_REQUEST" in refused.content[0].text or "SOURCE_NOT_FOUND" in refused.content[0].text


def test_from_afar_what_the_server_was_given_is_asked_by_name_or_without(afar: Tables, tmp_path: Path) -> None:
    for sources in ([], ["given:sales.csv"]):
        found = afar("query", sources=sources, sql="SELECT count(*) FROM sales")
        assert found.structured_content["rows"] == [[3]]
        assert str(tmp_path) not in str(found)
    nobody = Tables(tmp_path / "home", uploads_only(tmp_path / "home"))
    assert "NO_SOURCES" in nobody("schema").content[0].text
