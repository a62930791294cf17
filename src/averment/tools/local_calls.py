"""The assistant's own calls of public tools: plain function calls, on the thread of whoever calls."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from averment.errors import AvermentError, UnknownTool
from averment.records.base import utc_now
from averment.tools.public import Caller, OnProgress, PublicTool, error_text, silent
from averment.tools.tool import Args

_log = logging.getLogger(__name__)

Allows = Callable[[str, str, dict[str, Any]], bool]
"""Whether an answered question allows that call: question id, tool name, arguments."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to be called, under the key of its act.

    ``question`` is the answered question that allows it; ``confirmed`` says that the user asked for this very act in a
    way that leaves no doubt, such as a request that names its row.
    """

    tool_name: str
    parameters: dict[str, Any]
    key: str
    question: str | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came back with: its structured result as JSON has it, or what went wrong."""

    call: Call
    result: dict[str, Any] | None
    began: datetime
    error: str | None = None


class LocalTools:
    """Calls the tools of one user; one after the other, stopping at the first that fails."""

    def __init__(self, make: Callable[[], Iterable[PublicTool[Any, Any]]], *, allows: Allows, user_id: str) -> None:
        """``make`` gives the tools; it is asked for them when the first is called."""
        self._make = make
        self._allows = allows
        self._user_id = user_id

    def call(self, calls: Sequence[Call], *, on_progress: OnProgress = silent) -> list[Outcome]:
        """The outcomes, in order; what stands behind a failed call is not called."""
        outcomes: list[Outcome] = []
        for call in calls:
            outcomes.append(self._outcome(call, on_progress))
            if outcomes[-1].error is not None:
                break
        return outcomes

    def _outcome(self, call: Call, on_progress: OnProgress) -> Outcome:
        began = utc_now()
        try:
            return Outcome(call, self._called(call, on_progress), began)
        except AvermentError as error:
            return Outcome(call, None, began, error_text(error))
        except Exception:  # noqa: BLE001  # A crash is told without its text, which may hold values, as over MCP.
            _log.exception("the tool %s failed", call.tool_name)
            return Outcome(call, None, began, f"Error executing tool {call.tool_name}")

    def _called(self, call: Call, on_progress: OnProgress) -> dict[str, Any]:
        tool = self._tools.get(call.tool_name)
        if tool is None:
            names = ", ".join(sorted(self._tools))
            raise UnknownTool(f"There is no tool named {call.tool_name}.", hint=f"Tools: {names}.")
        caller = Caller(key=call.key, user_id=self._user_id, progress=on_progress)
        made = tool.call(call.parameters, caller, agreed=lambda args: self._agreed(call, tool, args, caller))
        return made.model_dump(mode="json", by_alias=True)

    def _agreed(self, call: Call, tool: PublicTool[Any, Any], args: Args, caller: Caller) -> bool:
        """Whether the user has agreed; a yes that is only named is looked up, never believed."""
        if call.confirmed or (call.question and self._allows(call.question, tool.name, dict(args))):
            return True
        return tool.confirm is None or tool.confirm(args, caller) is None

    @cached_property
    def _tools(self) -> dict[str, PublicTool[Any, Any]]:
        return {tool.name: tool for tool in self._make()}
