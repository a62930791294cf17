"""The MCP server, built from public tools: structured results, annotations, progress, a yes before anything is lost.

A confirmation is asked of the client by elicitation, in whichever form its protocol version has; a client that cannot
ask in between calls a second time with the token that the first call gave.
"""

from __future__ import annotations

import hashlib
import hmac
import inspect
import json
import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Any, TypeAlias, TypeVar
from urllib.parse import quote

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    Completion,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    Resource,
    ResourceLink,
    ToolAnnotations,
)
from pydantic import AnyUrl, BaseModel, Field
from pydantic_core import PydanticUndefined

from averment.errors import AvermentError, ConfirmationRequired
from averment.records.base import new_id
from averment.store.chat.tasks import LOCAL_USER
from averment.tools.public import Caller, ListedRun, OnProgress, PublicTool, ReportLibrary, error_text, refuse_unknown
from averment.tools.run_addresses import ARTIFACT, MARKDOWN, REPORT, TYPES, UNKNOWN
from averment.tools.stop import Stop
from averment.version import VERSION

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


MOST = 100
KINDS = ("quick", "standard", "comprehensive")


def add_prompts(server: MCPServer[Any], library: ReportLibrary | None) -> None:
    """Offer the prompts, and complete their arguments from what is there."""

    def analyse_file(source: str, question: str = "What does this table show?") -> str:
        return (
            f"Answer this question about {source}: {question}\n"
            "Call open_sources and schema to see what is there, then analyze with the question in plain words. If it "
            "asks back, show its offers to the user and call choose with the number they name. Say the answer as it "
            "is, with its rows (get_rows) and both marks: how it was interpreted and how certain that is, and whether "
            "its figures were recomputed. The second does not vouch for the first. Do not compute numbers yourself. "
            "End with the run's id and the link of its report."
        )

    def why_did_it_move(metric: str, source: str, before: str = "", after: str = "") -> str:
        span = f" from {before} to {after}" if before and after else ""
        return (
            f"Find out why {metric} moved{span} in {source}.\n"
            "Call analyze for the metric by month first, if no periods are given, and take the two that are "
            "meant. Then call drill with the metric and both periods. Tell the causes that it proves, and what stays "
            "unexplained, in its own words. ask_run answers questions about it."
        )

    def verify_report(run_id: str) -> str:
        return (
            f"Check the run {run_id}: call verify, and say whether everything it says still holds. Name every fault "
            "with what it is about. Then read its report and say in one paragraph what it proves and what it does not."
        )

    def ask_documents(question: str, depth: str = "quick") -> str:
        return (
            f"Find out what the documents say: {question}\n"
            f"Call research with depth {depth}. Quote the sentences it cites with their documents, name where sources "
            "disagree, and say so where nothing was found. Do not add what you know from elsewhere."
        )

    def plan_my_day(day: str = "today") -> str:
        return (
            f"Help me plan {day}. Call list_tasks for what is open, due and urgent; propose an order, and change "
            "nothing until I have agreed. Then use update_task, and complete_task for what I say is done."
        )

    made: tuple[tuple[str, str, str, Callable[..., str]], ...] = (
        ("analyse_file", "Analyse a file", "Ask a table a question and show the proof.", analyse_file),
        ("why_did_it_move", "Why did it move?", "Explain a metric between two periods.", why_did_it_move),
        ("verify_report", "Verify a report", "Check everything a run says.", verify_report),
        ("ask_documents", "Ask the documents", "What the archived documents say, with citations.", ask_documents),
        ("plan_my_day", "Plan my day", "Order the open tasks.", plan_my_day),
    )
    for name, title, about, function in made:
        server.prompt(name=name, title=title, description=about)(function)

    async def complete(reference: Any, argument: Any, context: Any) -> Completion:
        import anyio.to_thread

        _ = (reference, context)
        known = await anyio.to_thread.run_sync(lambda: _known(argument.name, library))
        fitting = [value for value in known if value.casefold().startswith(str(argument.value).casefold())]
        return Completion(values=fitting[:MOST], total=len(fitting), has_more=len(fitting) > MOST)

    server.completion()(complete)


def _known(argument: str, library: ReportLibrary | None) -> Sequence[str]:
    """What an argument of a prompt or of an address can be."""
    if argument == "depth":
        return KINDS
    if argument == "day":
        return ("today", "tomorrow", "this week")
    if argument == "run_id" and library is not None:
        return [run.run_id for run in library.newest()]
    return ()


INSTRUCTIONS = (
    "Averment answers questions with proof. Use analyze for questions about tables (choose takes one "
    "of its offers, run_plan a plan of your own), drill for why a metric moved, "
    "research for what sources say, verify to re-check a run, and the task tools for the task list. chat says "
    "something to the assistant, which does all of that in one conversation."
)

Server: TypeAlias = MCPServer[Any]
"""The server, as those speak of it who only pass it on."""

KEY_META = "averment/key"
"""Where the metadata of a client's call carry the key of its act."""

CONFIRM = "confirm_token"
"""The argument by which a client that cannot ask says that its user agreed."""


class Confirmation(BaseModel):
    """The user's yes or no."""

    yes: bool = Field(description="Go ahead?")


def build_server(
    tools: Iterable[PublicTool[Any, Any]],
    *,
    keys: list[bytes],
    user_id: str,
    library: ReportLibrary | None = None,
) -> MCPServer[Any]:
    """A server with these tools, and with what is in the library to read; every call is of that user.

    ``keys`` seal what a client carries between two rounds of a confirmation, so that it holds across a restart.
    """
    with _own_logging():
        server = LibraryServer(
            "averment",
            title="Averment",
            version=VERSION,
            instructions=INSTRUCTIONS,
            request_state_security=RequestStateSecurity(keys=list(keys)),
            log_level="WARNING",
        )
    if library is not None:
        server.open_library(library)
    add_prompts(server, library)
    for tool in tools:
        hints = ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.annotations.read_only,
            destructive_hint=tool.annotations.destructive,
            idempotent_hint=tool.annotations.idempotent,
            open_world_hint=False,
        )
        function = _function(tool, user_id, keys[0])
        server.add_tool(function, name=tool.name, title=tool.title, description=tool.description, annotations=hints)
    return server


def _function(tool: PublicTool[Any, Any], user_id: str, seal: bytes) -> Callable[..., Any]:
    """The tool as the function that the SDK registers: its signature is the tool's own arguments."""
    import anyio
    import anyio.from_thread
    import anyio.lowlevel
    import anyio.to_thread

    def caller(ctx: Context[Any, Any], progress: OnProgress | None = None, stop: Stop | None = None) -> Caller:
        key = str((ctx.request_context.meta or {}).get(KEY_META) or new_id())
        more: dict[str, Any] = {} if progress is None else {"progress": progress, "stop": stop}
        # A stranger's key is kept apart, so that it can never name an act of the assistant's.
        own = f"mcp/{key}" if user_id == LOCAL_USER else f"mcp/{user_id}/{key}"
        return Caller(key=own, user_id=user_id, **more)

    async def ask(ctx: Context[Any, Any], **arguments: Any) -> Confirmation | Elicit[Confirmation]:
        token = str(arguments.pop(CONFIRM, "") or "")
        assert tool.confirm is not None  # Only a tool that confirms gets this resolver.
        with tool_errors():
            words = await anyio.to_thread.run_sync(tool.confirm, tool.checked(arguments), caller(ctx))
            if words is None or _can_ask(ctx):
                return Confirmation(yes=True) if words is None else Elicit(words, Confirmation)
            # A client that cannot ask its user in between does so itself, and calls a second time.
            right = _sealed(seal, tool.name, arguments, words)
            if hmac.compare_digest(token.encode(), right.encode()):
                return Confirmation(yes=True)
            raise ConfirmationRequired(
                words,
                hint=f"Ask the user; if they agree, call {tool.name} again with the same arguments and {CONFIRM} "
                f"set to {right}. Nothing was changed.",
            )

    async def run(ctx: Context[Any, Any], confirmation: Any = None, **arguments: Any) -> Any:
        arguments.pop(CONFIRM, None)
        token, stop = anyio.lowlevel.current_token(), Stop()

        def tell(done: float, total: float | None, words: str) -> None:
            # A run tells its progress from a thread of its own, which the loop does not know.
            if not stop.cancelled:
                anyio.from_thread.run(ctx.report_progress, done, total, words, token=token)

        act = partial(tool.call, arguments, caller(ctx, tell, stop), agreed=lambda _: _is_yes(confirmation))
        with tool_errors():
            try:
                return await anyio.to_thread.run_sync(act, abandon_on_cancel=True)
            except anyio.get_cancelled_exc_class():
                # The client gave up, or is gone: what was begun for it is to stop as well.
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(stop.cancel)
                raise

    own = _parameters(tool)
    if tool.confirm is not None:
        own.append(_confirm_parameter())
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context[Any, Any])
    parameters = [*own, context]
    if tool.confirm is not None:
        _sign(ask, f"confirm_{tool.name}", parameters, Confirmation | Elicit[Confirmation])
        outcome = Annotated[ElicitationResult[Confirmation], Resolve(ask)]
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [*parameters, inspect.Parameter("confirmation", kind, annotation=outcome)]
    _sign(run, tool.name, parameters, tool.output)
    return run


def _parameters(tool: PublicTool[Any, Any]) -> list[inspect.Parameter]:
    made: list[inspect.Parameter] = []
    for name, field in tool.args.model_fields.items():
        given = field.get_default(call_default_factory=True)
        default = inspect.Parameter.empty if given is PydanticUndefined else given
        shown = Field(description=field.description)
        annotation = Annotated[(field.rebuild_annotation(), shown)]  # pyright: ignore[reportInvalidTypeForm] - a type made from the tool's field
        made.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
    return sorted(made, key=lambda parameter: parameter.default is not inspect.Parameter.empty)


def _confirm_parameter() -> inspect.Parameter:
    shown = Field(description="What the first call gave back, once the user has agreed; for clients that cannot ask.")
    return inspect.Parameter(
        CONFIRM, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, shown]
    )


def _can_ask(ctx: Context[Any, Any]) -> bool:
    """Whether the client can ask its user in between."""
    capabilities = ctx.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def _sealed(key: bytes, name: str, arguments: dict[str, Any], words: str) -> str:
    """What allows one call: of this tool, with these arguments, while it would do what the words say."""
    text = json.dumps([name, arguments, words], sort_keys=True, default=str)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:24]


def _sign(function: Callable[..., Any], name: str, parameters: list[inspect.Parameter], returns: Any) -> None:
    function.__name__ = function.__qualname__ = name
    function.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": returns}
    function.__signature__ = inspect.Signature(parameters, return_annotation=returns)  # pyright: ignore[reportFunctionMemberAccess] - what inspect.signature reads


def _is_yes(outcome: Any) -> bool:
    return isinstance(outcome, AcceptedElicitation) and bool(outcome.data.yes)


@contextmanager
def _own_logging() -> Generator[None]:
    """Keeps the program's logging as it is: the SDK sets up its own for the whole process."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
