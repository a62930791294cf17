"""The tools over plans: one carries out a plan as it is, one carries out a reading that a run offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pydantic import Field

from averment.agents.assistant.run_tools import Desk, OneRun, RunResult, begun_once, needed, run_result, told_to
from averment.agents.assistant.sources import Locate
from averment.plans.text import any_plan
from averment.spine.events import Event
from averment.spine.outcome import Run
from averment.tools.public import Caller, PublicTool
from averment.tools.tool import Annotations, Args

LONG = 60.0


class PlanDesk(Desk, Protocol):
    """What the tools need of the workbench beside its runs."""

    def run_plan(
        self,
        plan: dict[str, Any],
        sources: Sequence[str],
        *,
        run_id: str | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Run:
        """Carry out a plan."""
        ...

    def choose(
        self, run: str, number: int, *, run_id: str | None = None, on_event: Callable[[Event], None] | None = None
    ) -> Run:
        """Carry out a reading that a run offered."""
        ...


class RunPlan(Args):
    """A plan over tables."""

    plan: dict[str, Any] | str = Field(
        description="A plan of averment.plan/1 as JSON or as its line, e.g. from sales by region take sum(amount)."
    )
    sources: list[str] = Field(default_factory=list, description="Files, folders or database URLs it is about.")


class Choose(OneRun):
    """One of the readings that a run offered."""

    number: int = Field(ge=1, le=20, description="Which of its offers, counted from 1.")


def plan_tools(desk: PlanDesk, *, locate: Locate = list) -> tuple[PublicTool[Any, Any], ...]:
    """The tools over one workbench."""

    def run_plan(args: RunPlan, caller: Caller) -> RunResult:
        plan, sources = any_plan(args.plan).to_json(), needed(locate(args.sources))

        def begin(run_id: str) -> Run:
            return desk.run_plan(plan, sources, run_id=run_id, on_event=told_to(caller))

        return run_result("analysis", begun_once(desk, args, caller, begin))

    def choose(args: Choose, caller: Caller) -> RunResult:
        offering = desk.show(args.run_id).id

        def begin(run_id: str) -> Run:
            return desk.choose(offering, args.number, run_id=run_id, on_event=told_to(caller))

        return run_result("analysis", begun_once(desk, args, caller, begin))

    starts = Annotations(read_only=False, destructive=False, idempotent=False, cost_seconds=LONG)
    return (
        PublicTool(
            name="run_plan",
            title="Carry out a plan",
            description="Carry out a plan over tables as it is, with the same proof as an answered question.",
            args=RunPlan,
            output=RunResult,
            run=run_plan,
            annotations=starts,
        ),
        PublicTool(
            name="choose",
            title="Choose a reading",
            description="Carry out one of the readings that a run offered; the choice is remembered.",
            args=Choose,
            output=RunResult,
            run=choose,
            annotations=starts,
        ),
    )
