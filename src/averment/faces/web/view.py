"""Everything the page of one run shows, gathered once."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from averment.archive import Archive
from averment.errors import SourceError
from averment.faces.web.graph import Graph, draw
from averment.faces.web.grid import Drawn, GridPage, drawn_rows, turn_to
from averment.faces.web.inquiry import Inquiry, inquiry_of
from averment.faces.web.proofs import Piece, cut
from averment.faces.web.steps import Progress, follow
from averment.records.run import Artifact, Finding
from averment.spine.outcome import Run
from averment.workbench import Workbench

PNG_HEADER_BYTES = 24


@dataclass(frozen=True)
class ChartView:
    """A chart: its picture with its size, its interactive form, and what it shows in a sentence."""

    title: str
    picture: str
    width: int
    height: int
    spec: str | None
    sentence: str
    drawn: Drawn | None = None


@dataclass(frozen=True)
class FileView:
    """A file a run left."""

    name: str
    kind: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class RunView:
    """One run, ready to be shown."""

    run: Run
    kind: str
    reading: str
    alternatives: tuple[str, ...]
    unread: tuple[str, ...]
    progress: Progress
    graph: Graph
    findings: tuple[tuple[Finding, tuple[Piece, ...]], ...]
    charts: tuple[ChartView, ...]
    table: GridPage | None
    files: tuple[FileView, ...]
    sources: tuple[str, ...]
    sealed: bool
    run_root: str | None
    inquiry: Inquiry | None = None


def view_of(workbench: Workbench, archive: Archive, run_id: str) -> RunView:
    """The run of that id, or of that beginning of one.

    Raises:
        RunNotFound: there is none, or more than one.
    """
    run = workbench.show(run_id)
    row = workbench.row(run.id)
    reading = _mapping(run.reading)
    progress = follow(run.plan, workbench.events(run.id))
    artifacts = run.artifacts
    table = run.table
    root = (row.sealed or {}).get("run_root")
    return RunView(
        run=run,
        kind=row.kind,
        reading=str(reading.get("in_words") or reading.get("read_as") or ""),
        alternatives=_texts(reading.get("alternatives")),
        unread=_texts(reading.get("unread")),
        progress=progress,
        graph=draw(progress.steps),
        findings=tuple((finding, cut(finding)) for finding in run.findings),
        charts=_charts(run, artifacts),
        table=None if table is None else turn_to(table),
        files=tuple(_file(artifact) for artifact in artifacts),
        sources=archive.source_names(row),
        sealed=root is not None,
        run_root=root,
        inquiry=_inquiry(workbench, archive, run) if row.kind == "research" else None,
    )


def _inquiry(workbench: Workbench, archive: Archive, run: Run) -> Inquiry:
    """A research with the data of its report, once that is written."""
    return inquiry_of(workbench, archive, run.id, read_json(run, "report.json"))


def read_json(run: Run, name: str) -> dict[str, Any] | None:
    """A JSON file that the run left, or None when there is none that can be read."""
    artifact = next((one for one in run.artifacts if _name(one) == name), None)
    if artifact is None:
        return None
    try:
        return json.loads(run.path_of(artifact).read_text(encoding="utf-8"))
    except (OSError, ValueError, SourceError):
        return None


def _charts(run: Run, artifacts: Sequence[Artifact]) -> tuple[ChartView, ...]:
    charts = [artifact for artifact in artifacts if artifact.artifact_type == "chart"]
    names = {_name(artifact) for artifact in charts}
    shown: list[ChartView] = []
    for artifact in charts:
        name = _name(artifact)
        if not name.endswith(".png"):
            continue
        spec = name.removesuffix(".png") + ".vl.json"
        width, height = _png_size(run, artifact)
        about = artifact.metadata
        kind, x, y = (str(about.get(key, "")) for key in ("chart_type", "x_label", "y_label"))
        title = f"{y} by {x}" if x and y else name.removesuffix(".png").replace("_", " ")
        sentence = f"A {kind} chart of {title}." if x and y else f"Chart: {title}."
        drawn = drawn_rows(read_json(run, spec)) if spec in names else None
        shown.append(ChartView(title, name, width, height, spec if spec in names else None, sentence, drawn))
    return tuple(shown)


def _png_size(run: Run, artifact: Artifact) -> tuple[int, int]:
    """Width and height as the file's header gives them, so that the page keeps its place while it loads."""
    try:
        with run.path_of(artifact).open("rb") as file:
            header = file.read(PNG_HEADER_BYTES)
        width, height = struct.unpack(">II", header[16:24])
    except (OSError, struct.error, SourceError):
        return 640, 400
    return int(width), int(height)


def _file(artifact: Artifact) -> FileView:
    return FileView(_name(artifact), artifact.artifact_type, artifact.size_bytes, artifact.content_hash)


def _name(artifact: Artifact) -> str:
    return PurePosixPath(artifact.content_ref).name


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> tuple[str, ...]:
    items: list[Any] = value if isinstance(value, list) else []
    return tuple(str(item) for item in items)
