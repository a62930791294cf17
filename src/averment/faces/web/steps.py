"""Where each step of a run stands, and what each round decided and learned: read off the run's events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from averment.spine.events import Event

StepState = Literal["waiting", "running", "done", "failed", "skipped"]


@dataclass(frozen=True)
class Step:
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
class Turn:
    """One round: what was decided and why, and what was made of it."""

    number: int
    decision: str
    reason: str
    tasks: tuple[str, ...] = ()
    learned: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True)
class Progress:
    """The steps and rounds of a run as far as they are known."""

    steps: tuple[Step, ...] = ()
    rounds: tuple[Turn, ...] = ()
    findings: tuple[str, ...] = ()
    last: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def finished(self) -> int:
        """How many steps are over."""
        return sum(step.state in {"done", "failed", "skipped"} for step in self.steps)


def follow(plan: Mapping[str, Any] | None, events: Iterable[Event]) -> Progress:
    """What the events say of the plan's steps and of those that rounds added."""
    steps = {step.task_id: step for step in _planned(plan)}
    rounds: dict[int, Turn] = {}
    findings: list[str] = []
    notes: list[str] = []
    last = 0
    for event in events:
        last, data = event.seq, event.data
        if event.type == "plan_made":
            steps = {**{step.task_id: step for step in _planned(data.get("plan"))}, **steps}
        elif event.type in {"call_started", "call_observed", "call_skipped"}:
            task_id = str(data["task_id"])
            known = steps.get(task_id) or Step(task_id, str(data.get("tool_name", "")), "")
            steps[task_id] = _after(known, event)
        elif event.type == "round_begun":
            number = int(data["number"])
            tasks = tuple(str(name) for name in data.get("tasks", ()))
            rounds[number] = Turn(number, str(data["decision"]), str(data["reason"]), tasks)
        elif event.type == "round_taken" and int(data["number"]) in rounds:
            number = int(data["number"])
            rounds[number] = replace(rounds[number], learned=_learned(data))
        elif event.type == "finding_bound":
            findings.append(str(data["text"]))
        elif event.type in {"policy_decided", "model_fell_back"}:
            notes.append(str(data.get("reason", "The model was not used; the rules answered.")))
    return Progress(tuple(steps.values()), tuple(rounds.values()), tuple(findings), last, tuple(notes))


def _planned(plan: Mapping[str, Any] | None) -> list[Step]:
    subtasks: Sequence[Mapping[str, Any]] = (plan or {}).get("subtasks", ())
    return [
        Step(
            str(task["task_id"]),
            str(task["tool_name"]),
            str(task.get("description", "")),
            tuple(str(name) for name in task.get("dependencies", ())),
        )
        for task in subtasks
    ]


def _after(step: Step, event: Event) -> Step:
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


def _learned(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What a round left, one line a thing; what is only for machines is left to the ledger."""
    lines: list[tuple[str, str]] = []
    for name, value in data.items():
        if name == "number" or value in (None, "", [], {}):
            continue
        if isinstance(value, str | int | float | bool):
            lines.append((name.replace("_", " "), str(value)))
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            lines.append((name.replace("_", " "), "; ".join(str(item) for item in value)))
    return tuple(lines)
