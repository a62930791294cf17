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
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, TypeAlias

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field
from pydantic_core import PydanticUndefined

from averment.errors import ConfirmationRequired
from averment.records.base import new_id
from averment.store.chat.tasks import LOCAL_USER
from averment.tools.mcp_prompts import add_prompts
from averment.tools.mcp_resources import LibraryServer, tool_errors
from averment.tools.public import Caller, OnProgress, PublicTool, ReportLibrary
from averment.tools.stop import Stop
from averment.version import VERSION

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
