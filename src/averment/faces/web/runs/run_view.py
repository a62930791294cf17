"""Everything the page of one run shows, gathered once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from averment.faces.web.runs.cards import CardView, card_of
from averment.faces.web.runs.chart_views import read_json
from averment.faces.web.runs.research_view import Inquiry, inquiry_of
from averment.faces.web.shell.drawing import Drawing, curve, shortened
from averment.operations import Operations
from averment.records.run import Artifact
from averment.runtime.events import Event
from averment.runtime.outcome import Run
from averment.workbench import Workbench

StepState = Literal["waiting", "running", "done", "failed", "skipped"]


@dataclass(frozen=True)
class StepView:
    """One task of a plan or of a round."""

    task_id: str
    tool_name: str
    description: str
    dependencies: tuple[str, ...] = ()
    state: StepState = "waiting"
    seconds: float | None = None
    attempt: int = 0
    row_count: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class RoundResult:
    """What was made of a round's results: in a sentence or some, with the code and its output where there are any."""

    summary: str
    code: str = ""
    output: str = ""
    more: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class HypothesisView:
    """One line of the board."""

    title: str
    status: str
    story: str


@dataclass(frozen=True)
class RoundView:
    """One round: what was decided and why, and what was made of it."""

    number: int
    decision: str
    reason: str
    tasks: tuple[str, ...] = ()
    taken: RoundResult | None = None


@dataclass(frozen=True)
class StepProgress:
    """The steps and rounds of a run as far as they are known."""

    steps: tuple[StepView, ...] = ()
    rounds: tuple[RoundView, ...] = ()
    board: tuple[HypothesisView, ...] = ()
    findings: tuple[str, ...] = ()
    last: int = 0
    notes: tuple[str, ...] = ()

    @property
    def finished(self) -> int:
        """How many steps are over."""
        return sum(step.state in {"done", "failed", "skipped"} for step in self.steps)


def follow(plan: Mapping[str, Any] | None, events: Iterable[Event]) -> StepProgress:
    """What the events say of the plan's steps and of those that rounds added."""
    steps = {step.task_id: step for step in _planned(plan)}
    rounds: dict[int, RoundView] = {}
    findings: list[str] = []
    notes: list[str] = []
    board: tuple[HypothesisView, ...] = ()
    last, model = 0, ""
    for event in events:
        last, data = event.seq, event.data
        if event.type == "plan_made":
            steps = {**{step.task_id: step for step in _planned(data.get("plan"))}, **steps}
        elif event.type in {"call_started", "call_observed", "call_skipped"}:
            task_id = str(data["task_id"])
            known = steps.get(task_id) or StepView(task_id, str(data.get("tool_name", "")), "")
            steps[task_id] = _after(known, event)
        elif event.type == "round_begun":
            number = int(data["number"])
            tasks = tuple(str(name) for name in data.get("tasks", ()))
            rounds[number] = RoundView(number, str(data["decision"]), str(data["reason"]), tasks)
        elif event.type == "round_taken" and int(data["number"]) in rounds:
            number = int(data["number"])
            rounds[number] = replace(rounds[number], taken=_taken(data))
            board = _board(data.get("hypotheses")) or board
        elif event.type == "finding_bound":
            findings.append(str(data["text"]))
        elif event.type in {"model_stepped", "model_progressed"}:
            model = _of_model(event)
        elif event.type in {"policy_decided", "model_fell_back"}:
            notes.append(str(data.get("reason", "The model was not used; the rules answered.")))
        model = "" if event.type in {"plan_made", "call_started", "run_finished"} else model
    notes += [model] if model else []
    return StepProgress(tuple(steps.values()), tuple(rounds.values()), board, tuple(findings), last, tuple(notes))


def _of_model(event: Event) -> str:
    """What the model is at just now: its last step, or how much of the next there is."""
    data = event.data
    if event.type == "model_stepped":
        return f"The model took step {data['step']}: {data['tool']}."
    verb = "thinks" if data["state"] == "thinking" else "writes"
    return f"The model {verb}, step {data['step']}: {data['characters']} characters after {data['seconds']} s."


def _planned(plan: Mapping[str, Any] | None) -> list[StepView]:
    subtasks: Sequence[Mapping[str, Any]] = (plan or {}).get("subtasks", ())
    return [
        StepView(
            str(task["task_id"]),
            str(task["tool_name"]),
            str(task.get("description", "")),
            tuple(str(name) for name in task.get("dependencies", ())),
        )
        for task in subtasks
    ]


def _after(step: StepView, event: Event) -> StepView:
    data = event.data
    if event.type == "call_started":
        return replace(step, state="running", attempt=int(data.get("attempt", 1)))
    if event.type == "call_skipped":
        return replace(step, state="skipped")
    state: StepState = "done" if data.get("status") == "success" else "failed"
    return replace(
        step,
        state=state,
        seconds=data.get("seconds"),
        attempt=int(data.get("attempt", 1)),
        row_count=data.get("row_count"),
        error=data.get("error"),
    )


def _taken(data: Mapping[str, Any]) -> RoundResult:
    """What a round left; what is only for machines is left to the ledger."""
    iteration: Mapping[str, Any] = data.get("iteration") or {}
    lines: list[tuple[str, str]] = []
    for name, value in data.items():
        if isinstance(value, str | float) or (isinstance(value, int) and name != "number"):
            lines.append((name.replace("_", " "), str(value)))
    return RoundResult(
        summary=str(iteration.get("compressed_summary") or ""),
        code=str(iteration.get("code_executed") or ""),
        output=str(iteration.get("raw_output") or ""),
        more=tuple(lines),
    )


def _board(hypotheses: Any) -> tuple[HypothesisView, ...]:
    lines: list[Mapping[str, Any]] = hypotheses if isinstance(hypotheses, list) else []
    return tuple(
        HypothesisView(
            str(line.get("title", "")), str(line.get("status", "")).lower(), str(line.get("causal_story", ""))
        )
        for line in lines
    )


BOX_WIDTH, BOX_HEIGHT = 184, 46
GAP_X, GAP_Y, EDGE = 48, 16, 6
LABEL_LETTERS = 24


@dataclass(frozen=True)
class StepBox:
    """One step's place."""

    step: StepView
    x: int
    y: int
    label: str


class Arrow(NamedTuple):
    """From the right edge of one box to the left edge of another, as an SVG path."""

    path: str


@dataclass(frozen=True, kw_only=True)
class Graph(Drawing[StepBox]):
    """The steps, and the lines to those that wait for them."""

    lines: tuple[Arrow, ...]
    box_height: int = BOX_HEIGHT


def draw(steps: Sequence[StepView]) -> Graph:
    """The graph of the steps; one that waits for itself or for nothing known stands in the first column."""
    columns = _columns(steps)
    counts: dict[int, int] = {}
    boxes: dict[str, StepBox] = {}
    for step in steps:
        column = columns[step.task_id]
        row = counts.get(column, 0)
        counts[column] = row + 1
        x, y = EDGE + column * (BOX_WIDTH + GAP_X), EDGE + row * (BOX_HEIGHT + GAP_Y)
        boxes[step.task_id] = StepBox(step, x, y, shortened(step.task_id.replace("_", " "), LABEL_LETTERS))
    lines = [
        _line(boxes[name], box)
        for box in boxes.values()
        for name in box.step.dependencies
        if name in boxes and columns[name] < columns[box.step.task_id]
    ]
    width = (max(columns.values(), default=0) + 1) * (BOX_WIDTH + GAP_X) - GAP_X + 2 * EDGE
    height = max(counts.values(), default=1) * (BOX_HEIGHT + GAP_Y) - GAP_Y + 2 * EDGE
    return Graph(width=width, height=height, box_width=BOX_WIDTH, boxes=tuple(boxes.values()), lines=tuple(lines))


def _columns(steps: Sequence[StepView]) -> dict[str, int]:
    columns: dict[str, int] = {}
    left = list(steps)
    while left:
        known = {step.task_id for step in left}
        free = [step for step in left if not known & set(step.dependencies)]
        for step in free or left:  # A circle cannot be ordered; it is shown all the same.
            columns[step.task_id] = max((columns.get(name, -1) + 1 for name in step.dependencies), default=0)
        left = [step for step in left if step.task_id not in columns]
    return columns


def _line(start: StepBox, end: StepBox) -> Arrow:
    x1, y1 = start.x + BOX_WIDTH, start.y + BOX_HEIGHT // 2
    x2, y2 = end.x, end.y + BOX_HEIGHT // 2
    return Arrow(curve(x1, y1, x2, y2, (x1 + x2) // 2))


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
