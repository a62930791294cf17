"""The assistant put together, the public tools, and their MCP server for other programs."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field

from averment.agents.assistant.agent import NAMESPACE, Assistant, allows
from averment.agents.assistant.agui_events import question_card
from averment.agents.assistant.plan_tools import PlanService, TaughtHome, plan_tools
from averment.agents.assistant.run_questions import RunArchive, ask_tool
from averment.agents.assistant.run_rows import rows_of
from averment.agents.assistant.run_service import RunService
from averment.agents.assistant.run_tools import OneRun, RunResult, run_result, run_tools
from averment.agents.assistant.sources import Locate, anything, uploads_only
from averment.errors import NotEnoughEvidence, SourceNotFound
from averment.records.base import derived_id, utc_now
from averment.records.chat import ResponseStatus
from averment.runtime.journal import asked_of, digest
from averment.store.chat.tasks import LOCAL_USER
from averment.tools.local_calls import LocalTools
from averment.tools.public import Caller, ListedRun, PublicTool, ToolGroup
from averment.tools.public_data import data_tools
from averment.tools.run_addresses import ARTIFACT, TYPES, UNKNOWN
from averment.tools.task_tools import task_tools
from averment.tools.tool import Annotations, Args, Output

if TYPE_CHECKING:
    from pathlib import Path

    from averment.agents.assistant.model_loop.loop import MessageLoop
    from averment.llm.call import ModelCall
    from averment.runtime.model_loop.tool_loop import TakenStep
    from averment.runtime.services import Services
    from averment.tools.mcp_server import Server


MOST_ROWS = 1_000


class KeptRunService(RunService, Protocol):
    """What the tools need of the workbench beside its runs."""

    def add_sources(self, *sources: str) -> int:
        """Read files, folders or pages into the corpus; how many documents are new."""
        ...


class ListRuns(Args):
    """Which runs to list."""

    limit: int = Field(default=20, ge=1, le=200, description="How many, the newest first.")
    status: str | None = Field(default=None, description="Only runs of this status, for example completed.")


class GetRows(OneRun):
    """Which rows of a run's result to read."""

    offset: int = Field(default=0, ge=0, description="The first row, counted from 0.")
    limit: int = Field(default=100, ge=1, le=MOST_ROWS, description="How many rows.")


class GetChart(OneRun):
    """One of a run's charts."""

    name: str | None = Field(default=None, max_length=255, description="Its name; without one, the first.")


class AddDocuments(Args):
    """What to read into the corpus."""

    sources: list[str] = Field(min_length=1, max_length=100, description="Files, folders, or uploads by reference.")


class RunLine(Output):
    """A run in a list."""

    run_id: str
    kind: str
    status: str
    question: str
    created_at: str


class RunLines(Output):
    """Runs, the newest first."""

    runs: list[RunLine]


class ResultRows(Output):
    """Rows of a run's result."""

    run_id: str
    columns: list[str]
    rows: list[list[Any]]
    offset: int
    row_count: int


class ChartOutput(Output):
    """A chart as a picture, and the address under which it can be read."""

    run_id: str
    name: str
    mime_type: str
    uri: str
    data: str = Field(description="The picture, in base64.")


class AddedDocuments(Output):
    """What was read into the corpus."""

    added: int = Field(description="How many documents are new.")


def kept_tools(service: KeptRunService, *, locate: Locate) -> tuple[PublicTool[Any, Any], ...]:
    """The tools over one workbench."""
    group = ToolGroup()
    adds = Annotations(read_only=False, cost_seconds=30.0)

    @group.offer("List runs")
    def list_runs(args: ListRuns, caller: Caller) -> RunLines:
        """The runs of this home, the newest first."""
        found = service.runs.list(limit=args.limit, status=args.status)
        return RunLines(runs=[_line(service, run) for run in found])

    @group.offer("Read rows")
    def get_rows(args: GetRows, caller: Caller) -> ResultRows:
        """Rows of an analysis' result, from any row on."""
        run = service.show(args.run_id)
        found = rows_of(run.table, offset=args.offset, limit=args.limit)
        if found is None:
            raise SourceNotFound(
                f"The run {run.id[:8]} has no result table.", hint="Only an analysis has a result table."
            )
        rows = [list(row) for row in found.rows]
        return ResultRows(
            run_id=run.id, columns=list(found.columns), rows=rows, offset=args.offset, row_count=found.total
        )

    @group.offer("Get a chart")
    def get_chart(args: GetChart, caller: Caller) -> ChartOutput:
        """A chart of a run, as a picture in base64."""
        run = service.show(args.run_id)
        charts = [artifact for artifact in run.artifacts if artifact.artifact_type == "chart"]
        named = {PurePosixPath(artifact.content_ref).name: artifact for artifact in charts}
        pictures = [name for name in named if PurePosixPath(name).suffix in {".png", ".svg"}]
        name = args.name or next(iter(pictures or named), None)
        if name is None or name not in named:
            raise SourceNotFound(
                f"The run {run.id[:8]} has no such chart.", hint=f"It has: {', '.join(named) or 'none'}."
            )
        content = run.path_of(named[name]).read_bytes()
        kind = TYPES.get(PurePosixPath(name).suffix, UNKNOWN)
        uri = ARTIFACT.format(run_id=run.id, name=name)
        return ChartOutput(run_id=run.id, name=name, mime_type=kind, uri=uri, data=base64.b64encode(content).decode())

    @group.offer("Stop a run", adds)
    def cancel_run(args: OneRun, caller: Caller) -> RunResult:
        """Ask a run that is under way to stop."""
        run = service.show(args.run_id)
        service.runs.cancel(run.id)
        return run_result(service.runs.row(run.id).kind, service.show(run.id))

    @group.offer("Add documents", adds)
    def add_documents(args: AddDocuments, caller: Caller) -> AddedDocuments:
        """Read documents into the corpus that research asks."""
        return AddedDocuments(added=service.add_sources(*locate(args.sources)))

    return group.tools


def _line(service: KeptRunService, run: Any) -> RunLine:
    kind = service.runs.row(run.id).kind
    return RunLine(run_id=run.id, kind=kind, status=run.status, question=run.intent, created_at=run.created_at)


LONG = 60.0


class Say(Args):
    """A message to the assistant."""

    message: str = Field(min_length=1, max_length=5_000, description="What the user says, in their own words.")
    conversation_id: str | None = Field(
        default=None, max_length=128, description="Where it is said; a new conversation without one."
    )
    sources: list[str] = Field(
        default_factory=list, max_length=10, description="Tables or documents to look into from now on."
    )


class AskedBack(Output):
    """The question that waits for the user; the next message answers it."""

    question_id: str
    kind: str
    words: str
    options: list[str]


class ChatReply(Output):
    """What the assistant answered; ``question`` is for the user, never for the client to answer by itself."""

    conversation_id: str
    response: str
    status: ResponseStatus
    tools: list[str] = Field(description="The tools it called, in their order.")
    run_ids: list[str] = Field(description="The runs that the answer rests on.")
    question: AskedBack | None


def chat_tool(assistant: Callable[[], Assistant], locate: Callable[[list[str]], list[str]]) -> PublicTool[Any, Any]:
    """The tool over one user's assistant; ``locate`` decides which sources a caller may name."""

    def chat(args: Say, caller: Caller) -> ChatReply:
        speaking = assistant()
        message_id = caller.key.replace("/", ":")[:128]
        conversation = args.conversation_id or speaking.conversation_id_for(message_id)
        if args.sources:
            locate(args.sources)  # What the caller may not name is refused here.
            speaking.attach(args.sources, conversation_id=conversation)
        reply = speaking.turn(args.message, conversation_id=conversation, message_id=message_id)
        waiting = speaking.question(reply.conversation_id)
        runs = [str((call.result or {}).get("run_id") or "") for call in reply.tool_calls]
        return ChatReply(
            conversation_id=reply.conversation_id,
            response=reply.response,
            status=reply.status,
            tools=[call.tool_name for call in reply.tool_calls],
            run_ids=[run for run in dict.fromkeys(runs) if run],
            question=None if waiting is None else AskedBack.model_validate(question_card(waiting)),
        )

    return PublicTool(
        name="chat",
        title="Say something to the assistant",
        description=(
            "Say something to the assistant, which keeps the tasks and asks the analyst, driller and researcher. "
            "What it asks back is for the user; their answer is the next message of the conversation."
        ),
        args=Say,
        output=ChatReply,
        run=chat,
        annotations=Annotations(read_only=False, destructive=False, idempotent=True, cost_seconds=LONG),
    )


SHOWN = 50


class RunLibrary:
    """Reads from the runs of one workbench."""

    def __init__(self, service: RunService) -> None:
        self._service = service

    def newest(self) -> Sequence[ListedRun]:
        """The newest runs that have a report."""
        runs = self._service.runs.list(limit=SHOWN, status="completed")
        return [
            ListedRun(run.id, run.intent)
            for run in runs
            if any(artifact.artifact_type == "report" for artifact in run.artifacts)
        ]

    def report(self, run_id: str) -> str:
        """A run's report as Markdown.

        Raises:
            RunNotFound, NotEnoughEvidence: there is no such run, or it has no report.
        """
        run = self._service.show(run_id)
        if run.report is None:
            raise NotEnoughEvidence(f"The run {run.id} is {run.status} and has no report.")
        return run.report

    def artifact(self, run_id: str, name: str) -> bytes:
        """A file of a run, by its name alone.

        Raises:
            RunNotFound, SourceNotFound: there is no such run, or it has no such file.
        """
        run = self._service.show(run_id)
        for artifact in run.artifacts:
            if PurePosixPath(artifact.content_ref).name == name and (path := run.path_of(artifact)).is_file():
                return path.read_bytes()
        raise SourceNotFound(f"The run {run.id} has no file with that name.", hint="See the run's list of artifacts.")


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


def _step_journal(services: Services) -> Callable[[str, TakenStep], None]:
    """Whoever keeps the steps that a model took about a message, each with the hash of what it saw."""

    def keep(key: str, taken: TakenStep) -> None:
        said = {"decision": "model_step", "step": taken.number, "tool": taken.step["tool"]}
        seen = {"arguments_sha256": digest(taken.step), "observation_sha256": digest(taken.observation)}
        _record(services, key, {**said, **seen})

    return keep


def _journal(services: Services) -> Callable[[str, ModelCall], None]:
    """Whoever keeps the assistant's model calls: each is an entry of its own, also if a turn is carried out again."""
    return lambda key, call: _record(services, key, asked_of(call))


def _record(services: Services, key: str, event: dict[str, Any]) -> None:
    """Write to the ledger, under an id that the turn's key gives."""
    named = derived_id(NAMESPACE, "model", key)
    services.ledgers.own.append(request_id=named, event_type="policy_decision", event_data=event, actor="safety")


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
