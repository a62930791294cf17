"""Where each step of a run stands, and what each round decided and learned: read off the run's events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from averment.runtime.events import Event

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
