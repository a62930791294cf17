"""What the run tools need of the workbench: its verbs, and the runs it keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from averment.runtime.events import Event
from averment.runtime.outcome import Run


class KeptRuns(Protocol):
    """The runs of a home, as far as the tools look at them and change their course."""

    def resume(self, run_id: str, *, on_event: Callable[[Event], None] | None = None) -> Run:
        """Go on with a run that was interrupted; one that has its answer is shown as it is."""
        ...

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop, wherever it runs."""
        ...

    def teach(
        self,
        word: str,
        means: str,
        sources: Sequence[str],
        *,
        run_id: str | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Run:
        """Teach what a word means over sources like these."""
        ...

    def row(self, run_id: str) -> Any:
        """A run's own row, with its kind."""
        ...

    def list(self, *, limit: int = 50, status: str | None = None) -> Sequence[Run]:
        """Runs, the newest first."""
        ...


class RunService(Protocol):
    """What the tools need of the workbench."""

    @property
    def runs(self) -> KeptRuns:
        """The runs of the home."""
        ...

    def analyze(
        self,
        intent: str,
        sources: Sequence[str],
        *,
        run_id: str | None = None,
        after: str | None = None,
        chart: str | None = None,
        agent: str | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Run:
        """Answer a question about tables; ``after`` is an earlier run whose plan it may change."""
        ...

    def drill(
        self,
        files: Sequence[str],
        *,
        metric_sql: str,
        baseline: tuple[Any, Any] | None = None,
        comparison: tuple[Any, Any] | None = None,
        groups: Mapping[str, str] | None = None,
        investigation_prompt: str | None = None,
        column_roles: Mapping[str, str] | None = None,
        run_id: str | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Run:
        """Find out why a metric moved."""
        ...

    def research(
        self,
        query: str,
        *,
        depth: str = "quick",
        run_id: str | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Run:
        """Find out what the sources say."""
        ...

    def verify(self, run_id: str) -> Any:
        """Check a run."""
        ...

    def show(self, run_id: str) -> Run:
        """A run as it stands."""
        ...
