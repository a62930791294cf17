"""The assistant put together, the public tools, and their MCP server for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from averment.agents.assistant.agent import NAMESPACE, Assistant, allows
from averment.agents.assistant.chat_tool import chat_tool
from averment.agents.assistant.kept_tools import KeptRunService, kept_tools
from averment.agents.assistant.library import RunLibrary
from averment.agents.assistant.plan_tools import PlanService, TaughtHome, plan_tools
from averment.agents.assistant.run_questions import RunArchive, ask_tool
from averment.agents.assistant.run_tools import run_tools
from averment.agents.assistant.sources import Locate, anything, uploads_only
from averment.records.base import derived_id, utc_now
from averment.runtime.journal import asked_of, digest
from averment.store.chat.tasks import LOCAL_USER
from averment.tools.local_calls import LocalTools
from averment.tools.public_data import data_tools
from averment.tools.task_tools import task_tools

if TYPE_CHECKING:
    from pathlib import Path

    from averment.agents.assistant.model_loop.loop import MessageLoop
    from averment.llm.call import ModelCall
    from averment.runtime.services import Services
    from averment.tools.mcp_server import Server
    from averment.tools.public import PublicTool

KEY_FILE = "mcp.key"


class OwnedHome(TaughtHome, Protocol):
    """A home that knows whose uploads are."""

    def owns_upload(self, upload_id: str) -> bool:
        """Whether an upload is the caller's."""
        ...


class Home(KeptRunService, PlanService, RunArchive, Protocol):
    """What all tools together need of the workbench."""

    @property
    def home(self) -> OwnedHome:
        """What else the home has."""
        ...


def public_tools(services: Services, workbench: Home, *, remote: bool = False) -> tuple[PublicTool[Any, Any], ...]:
    """Every tool but ``chat``; for callers from afar, over uploaded and given sources alone."""
    settings = services.settings
    locate = _locate(services, workbench, remote=remote)
    return (
        *task_tools(services.store.tasks),
        *run_tools(workbench, today=_today, locate=locate),
        *plan_tools(workbench, locate=locate),
        *kept_tools(workbench, locate=locate),
        ask_tool(workbench, services.texts.embedder),
        *data_tools(
            settings=settings,
            cache_dir=services.store.cache_dir / "tables",
            registry=services.tools.registry,
            locate=locate,
        ),
    )


def _locate(services: Services, workbench: Home, *, remote: bool) -> Locate:
    settings = services.settings
    if not remote:
        return anything(settings.home, settings.mcp_sources, files=services.store.files)
    return uploads_only(
        settings.home, settings.mcp_sources, files=services.store.files, owns=workbench.home.owns_upload
    )


def open_server(
    services: Services,
    workbench: Home,
    *,
    user_id: str = LOCAL_USER,
    remote: bool = False,
) -> Server:
    """The MCP server of a home, for other programs; with ``remote`` for HTTP."""
    from averment.tools.mcp_server import build_server

    # The assistant itself has no ``chat``: it would only speak to itself.
    own = cache(lambda: open_assistant(services, workbench, user_id=user_id))
    return build_server(
        (
            *public_tools(services, workbench, remote=remote),
            chat_tool(own, _locate(services, workbench, remote=remote)),
        ),
        keys=[sealing_key(services.settings.keys)],
        user_id=user_id,
        library=RunLibrary(workbench),
    )


def open_assistant(services: Services, workbench: Home, *, user_id: str = LOCAL_USER) -> Assistant:
    """The assistant of a home."""
    tools = LocalTools(
        lambda: public_tools(services, workbench),
        allows=lambda question, name, arguments: allows(services.store.questions, question, name, arguments),
        user_id=user_id,
    )
    return Assistant(
        conversations=services.store.conversations,
        questions=services.store.questions,
        tools=tools,
        vectors=services.texts.embedder,
        user_id=user_id,
        listener=_listener(services, tools),
    )


def _listener(services: Services, tools: LocalTools) -> MessageLoop | None:
    """Whoever helps to understand, where a model or a tape is chosen."""
    from averment.llm import Proposer, open_proposer

    settings = services.settings
    first = None if settings.model_use == "never" else open_proposer(settings, small=True)
    if first is None:
        return None
    from averment.agents.assistant.model_loop.loop import MessageLoop

    def line() -> Proposer:
        # A message has a budget of its own; a tape is one for the whole talk.
        return first if settings.model_tape is not None else open_proposer(settings, small=True) or first

    # What the assistant replied may tell values of the data.
    replies = settings.model_privacy in {"values", "rows"}
    return MessageLoop(line, tools, journal=_journal(services), steps=_step_journal(services), replies=replies)


def _step_journal(services: Services) -> Callable[[str, int, dict[str, Any], Any], None]:
    """Whoever keeps the steps that a model took about a message, each with the hash of what it saw."""

    def keep(key: str, number: int, step: dict[str, Any], seen: Any) -> None:
        services.ledgers.own.append(
            request_id=derived_id(NAMESPACE, "model", key),
            event_type="policy_decision",
            event_data={
                "decision": "model_step",
                "step": number,
                "tool": step["tool"],
                "arguments_sha256": digest(step),
                "observation_sha256": digest(seen),
            },
            actor="safety",
        )

    return keep


def _journal(services: Services) -> Callable[[str, ModelCall], None]:
    """Whoever keeps the assistant's model calls: the ledger, under an id that the turn's key gives."""

    def keep(key: str, call: ModelCall) -> None:
        # Each call is an entry of its own: a turn that is carried out again asks again.
        services.ledgers.own.append(
            request_id=derived_id(NAMESPACE, "model", key),
            event_type="policy_decision",
            event_data=asked_of(call),
            actor="safety",
        )

    return keep


def sealing_key(folder: Path) -> bytes:
    """The home's key for what clients carry between two calls, made at its first use; a restart finds it again."""
    path = folder / KEY_FILE
    folder.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(descriptor, "wb") as file:
        key = os.urandom(32)
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    return key


def _today() -> date:
    return utc_now().date()
