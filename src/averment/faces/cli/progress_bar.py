"""A run on a terminal: one bar that fills as its tasks are observed, and a line for what is worth reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from averment.faces.cli.output import safe

if TYPE_CHECKING:
    from averment.runtime.events import Event

CLOSING_STEPS = 2
"""Report and seal, after the plan's own tasks."""

STEP_ENDS = frozenset({"call_observed", "call_skipped", "run_sealed"})


class RunProgressBar:
    """Listens to one run and draws it on stderr; gone when the run is finished."""

    def __init__(self, line: Callable[[str, dict[str, Any]], str | None]) -> None:
        self._line = line
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True, highlight=False),
            transient=True,
        )
        self._task = self._progress.add_task("reading", total=None)

    def close(self) -> None:
        """Give the terminal back, also when the run stopped short of its end."""
        self._progress.stop()

    def __call__(self, event: Event) -> None:
        """Draw one event."""
        self._progress.start()
        line = self._line(event.type, event.data)
        if line and event.type != "call_started":
            self._progress.console.print(f"· {safe(line)}", markup=False, soft_wrap=True)
        if event.type == "plan_made":
            tasks = len(event.data["plan"]["subtasks"])
            self._progress.update(self._task, total=tasks + CLOSING_STEPS, description="working")
        elif event.type == "round_begun":
            known = self._progress.tasks[0].total or 0
            self._progress.update(self._task, total=known + len(event.data["tasks"]))
        elif event.type == "call_started":
            self._progress.update(self._task, description=safe(str(event.data["task_id"])))
        elif event.type == "artifact_written":
            self._progress.update(self._task, description="writing")
        if event.type in STEP_ENDS:
            self._progress.advance(self._task)
        if event.type == "run_finished":
            self._progress.stop()
