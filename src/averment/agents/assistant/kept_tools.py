"""The tools over what runs have left: their list, their rows, their charts; ending one; documents for the corpus."""

from __future__ import annotations

import base64
from pathlib import PurePosixPath
from typing import Any, Protocol

from pydantic import Field

from averment.agents.assistant.run_rows import rows_of
from averment.agents.assistant.run_service import RunService
from averment.agents.assistant.run_tools import OneRun, RunResult, run_result
from averment.agents.assistant.sources import Locate
from averment.errors import SourceNotFound
from averment.tools.public import Caller, PublicTool, ToolGroup
from averment.tools.run_addresses import ARTIFACT, TYPES, UNKNOWN
from averment.tools.tool import Annotations, Args, Output

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
