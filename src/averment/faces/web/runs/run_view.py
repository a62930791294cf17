"""Everything the page of one run shows, gathered once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from averment.faces.web.runs.cards import CardView, card_of
from averment.faces.web.runs.chart_views import read_json
from averment.faces.web.runs.plan_graph import Graph, draw
from averment.faces.web.runs.research_view import Inquiry, inquiry_of
from averment.faces.web.runs.run_steps import StepProgress, follow
from averment.operations import Operations
from averment.records.run import Artifact
from averment.runtime.outcome import Run
from averment.workbench import Workbench


@dataclass(frozen=True)
class FileView:
    """A file a run left."""

    name: str
    kind: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class RunView:
    """One run, ready to be shown: its card, and how it was done."""

    card: CardView
    progress: StepProgress
    graph: Graph
    files: tuple[FileView, ...]
    run_root: str | None
    inquiry: Inquiry | None = None

    @property
    def run(self) -> Run:
        """The run itself."""
        return self.card.run

    @property
    def kind(self) -> str:
        """Analysis, drilldown or research."""
        return self.card.kind


def view_of(workbench: Workbench, archive: Operations, run_id: str) -> RunView:
    """The run of that id, or of that beginning of one.

    Raises:
        RunNotFound: there is none, or more than one.
    """
    card = card_of(workbench, archive, run_id)
    run = card.run
    progress = follow(run.tasks, workbench.runs.events(run.id))
    return RunView(
        card=card,
        progress=progress,
        graph=draw(progress.steps),
        files=tuple(_file(artifact) for artifact in run.artifacts),
        run_root=(workbench.runs.row(run.id).sealed or {}).get("run_root"),
        # A research has the data of its report, once that is written.
        inquiry=inquiry_of(workbench, archive, run.id, read_json(run, "report.json"))
        if card.kind == "research"
        else None,
    )


def _file(artifact: Artifact) -> FileView:
    name = PurePosixPath(artifact.content_ref).name
    return FileView(name, artifact.artifact_type, artifact.size_bytes, artifact.content_hash)
