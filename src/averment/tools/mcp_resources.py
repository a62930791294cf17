"""What a client can read over MCP: the report and the files of every run, under addresses of their own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import quote

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    Resource,
    ResourceLink,
)
from pydantic import AnyUrl

from averment.errors import AvermentError
from averment.tools.public import ListedRun, ReportLibrary, error_text, refuse_unknown
from averment.tools.run_addresses import ARTIFACT, MARKDOWN, REPORT, TYPES, UNKNOWN

_TEXTS = frozenset({".csv", ".html", ".json", ".md", ".svg", ".txt"})

T = TypeVar("T")


class LibraryServer(MCPServer[Any]):
    """The SDK's server, which also lists what is in the library and names the type of each file."""

    library: ReportLibrary | None = None

    def open_library(self, library: ReportLibrary) -> None:
        """Offer the runs of the library as resources."""
        self.library = library

        def run_report(run_id: str) -> str:
            return _read(lambda: library.report(run_id))

        def run_artifact(run_id: str, name: str) -> str | bytes:
            content = _read(lambda: library.artifact(run_id, name))
            return content.decode("utf-8", "replace") if PurePosixPath(name).suffix in _TEXTS else content

        report = self.resource(REPORT, title="Report of a run", description="The report, sealed.", mime_type=MARKDOWN)
        report(run_report)
        artifact = self.resource(ARTIFACT, title="File of a run", description="A file the run left.", mime_type=UNKNOWN)
        artifact(run_artifact)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; an argument that it does not know is refused, never dropped.

        Raises:
            ToolError: the tool does not take the arguments, or failed.
        """
        tool = self._tool_manager.get_tool(name)
        if tool is not None:
            with tool_errors():
                refuse_unknown(name, arguments, tool.parameters.get("properties", {}))
        made = await super().call_tool(name, arguments, context)
        return made if isinstance(made, InputRequiredResult) else _linked(made)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt by its name.

        Raises:
            MCPError: there is no such prompt, as a mistake of the caller's.
        """
        if self._prompt_manager.get_prompt(name) is None:
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown prompt: {name}")
        return await super().get_prompt(name, arguments, context)

    async def list_resources(self) -> list[Resource]:
        """The resources that are always there, and the reports of the newest runs."""
        import anyio.to_thread

        fixed = await super().list_resources()
        if self.library is None:
            return fixed
        newest = await anyio.to_thread.run_sync(self.library.newest)
        return [*fixed, *(_resource(run) for run in newest)]

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """A resource with the type that its name says."""
        read = await super().read_resource(uri, context)
        if isinstance(read, InputRequiredResult):
            return read
        kind = TYPES.get(PurePosixPath(str(uri)).suffix)
        return [
            ReadResourceContents(content=part.content, mime_type=kind, meta=part.meta)
            if kind is not None and part.mime_type == UNKNOWN
            else part
            for part in read
        ]


@contextmanager
def tool_errors() -> Generator[None]:
    """Turns an error of ours into the tool error a client reads."""
    try:
        yield
    except AvermentError as error:
        raise ToolError(error_text(error)) from error


def _linked(made: CallToolResult) -> CallToolResult:
    """The result with links to the report and the files of the run it is about; each can be read as it stands."""
    told = made.structured_content or {}
    run_id, artifacts = told.get("run_id"), told.get("artifacts")
    kind, picture = str(told.get("mime_type") or ""), told.get("data")
    if not made.is_error and kind.startswith("image/") and isinstance(picture, str):
        return made.model_copy(
            update={"content": [ImageContent(type="image", data=picture, mime_type=kind), *made.content]}
        )
    if made.is_error or not isinstance(run_id, str) or not isinstance(artifacts, list):
        return made
    names = list(dict.fromkeys(PurePosixPath(str(place)).name for place in artifacts))
    links = [
        ResourceLink(
            type="resource_link",
            uri=ARTIFACT.format(run_id=run_id, name=quote(name)),
            name=name,
            mime_type=TYPES.get(PurePosixPath(name).suffix, UNKNOWN),
        )
        for name in names
    ]
    if "report.md" in names:
        report = REPORT.format(run_id=run_id)
        links.insert(0, ResourceLink(type="resource_link", uri=report, name="report", mime_type=MARKDOWN))
    return made.model_copy(update={"content": [*made.content, *links]})


def _resource(run: ListedRun) -> Resource:
    return Resource(
        uri=REPORT.format(run_id=run.run_id),
        name=f"report of {run.run_id[:8]}",
        title=run.question[:200],
        mime_type=MARKDOWN,
    )


def _read(read: Callable[[], T]) -> T:
    try:
        return read()
    except AvermentError as error:
        kind = ResourceNotFoundError if error.http_status == 404 else ResourceError
        raise kind(f"{error.code}: {error.message}") from error
