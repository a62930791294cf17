"""Sessions over a workbench, of which they need four acts: check and begin a drill, ask a question, cancel a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from averment.agents.driller.chat_ask import ask_with
from averment.agents.driller.sessions import Sessions

if TYPE_CHECKING:
    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.events import Listener
    from averment.runtime.outcome import Run
    from averment.runtime.services import Services


class Starts(Protocol):
    """What checks and begins investigations."""

    def check_drill(self, request: DrillRequest) -> None:
        """Nothing, if an investigation can be followed over its files."""
        ...

    def drill(self, request: DrillRequest, *, on_event: Listener | None = None) -> str:
        """Begins an investigation and gives the run's id."""
        ...


class SessionRuns(Protocol):
    """The runs of a home, as far as a session begins and stops them."""

    @property
    def start(self) -> Starts:
        """Begins runs."""
        ...

    def cancel(self, run_id: str) -> Any:
        """Asks a run to stop."""
        ...


class Bench(Protocol):
    """What begins, answers and stops runs."""

    @property
    def runs(self) -> SessionRuns:
        """The runs of the home."""
        ...

    @property
    def analyze(self) -> Callable[..., Run]:
        """Answers a question about sources, and waits for it."""
        ...


def open_sessions(services: Services, bench: Bench, *, forget: Callable[[str], bool] | None = None) -> Sessions:
    """The sessions of a home whose runs a workbench runs."""
    return Sessions(
        services,
        begin=lambda request, listener: bench.runs.start.drill(request, on_event=listener),
        check=bench.runs.start.check_drill,
        ask=ask_with(bench.analyze),
        cancel=bench.runs.cancel,
        forget=forget,
    )
