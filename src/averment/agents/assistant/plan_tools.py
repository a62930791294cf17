"""The tools over plans: carry out a plan, choose a reading that a run offered, teach what a word means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pydantic import Field

from averment.agents.assistant.run_service import RunService
from averment.agents.assistant.run_tools import OneRun, RunResult, begun_once, needed, run_result, told_to
from averment.agents.assistant.sources import Locate
from averment.plans.text import any_plan
from averment.runtime.events import Event
from averment.runtime.outcome import Run
from averment.store.knowledge.corrections import Correction
from averment.tools.public import Caller, PublicTool, ToolGroup
from averment.tools.tool import Annotations, Args, Output

LONG = 60.0


class TaughtWords(Protocol):
    """What words were taught to mean."""

    def list(self, *, limit: int = 50, offset: int = 0) -> Sequence[Correction]:
        """The meanings, the latest taught first."""
        ...

    def forget(self, meaning_id: str) -> bool:
        """Forget one meaning; whether there was one of that id."""
        ...


class TaughtHome(Protocol):
    """A home that has a glossary."""

    @property
    def glossary(self) -> TaughtWords:
        """What words were taught to mean."""
        ...


class PlanService(RunService, Protocol):
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

    @property
    def home(self) -> TaughtHome:
        """What else the home has."""
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


class Teach(Args):
    """A word and what it means."""

    word: str = Field(min_length=1, max_length=100, description="The word or words, as questions say them.")
    means: str = Field(
        min_length=1,
        max_length=1_000,
        description="A column, a formula (revenue minus cost), a condition (status is active and opened after 2022), "
        "or values of one column (North, South).",
    )
    sources: list[str] = Field(default_factory=list, description="Files, folders or database URLs it is about.")


class Latest(Args):
    """How many to list."""

    limit: int = Field(default=50, ge=1, le=1_000, description="How many, the latest taught first.")


class OneMeaning(Args):
    """A taught meaning."""

    meaning_id: str = Field(min_length=1, max_length=64, description="Its id, from list_meanings.")


class TaughtWord(Output):
    """A taught word."""

    meaning_id: str
    word: str
    kind: str
    means: str
    table: str


class TaughtList(Output):
    """Taught words."""

    meanings: list[TaughtWord]


class Forgotten(Output):
    """How many were forgotten."""

    forgotten: int


def plan_tools(service: PlanService, *, locate: Locate = list) -> tuple[PublicTool[Any, Any], ...]:
    """The tools over one workbench."""
    group = ToolGroup()
    starts = Annotations(read_only=False, idempotent=False, cost_seconds=LONG)

    @group.offer("Carry out a plan", starts)
    def run_plan(args: RunPlan, caller: Caller) -> RunResult:
        """Carry out a plan over tables as it is, with the same proof as an answered question."""
        plan, sources = any_plan(args.plan).to_json(), needed(locate(args.sources))

        def begin(run_id: str) -> Run:
            return service.run_plan(plan, sources, run_id=run_id, on_event=told_to(caller))

        return run_result("analysis", begun_once(service, args, caller, begin))

    @group.offer("Choose a reading", starts)
    def choose(args: Choose, caller: Caller) -> RunResult:
        """Carry out one of the readings that a run offered; the choice is remembered."""
        offering = service.show(args.run_id).id

        def begin(run_id: str) -> Run:
            return service.choose(offering, args.number, run_id=run_id, on_event=told_to(caller))

        return run_result("analysis", begun_once(service, args, caller, begin))

    @group.offer("Teach a word", starts)
    def teach(args: Teach, caller: Caller) -> RunResult:
        """Teach what a word means over tables like these: a column, formula, condition or list."""
        sources = needed(locate(args.sources))

        def begin(run_id: str) -> Run:
            return service.runs.teach(args.word, args.means, sources, run_id=run_id, on_event=told_to(caller))

        return run_result("analysis", begun_once(service, args, caller, begin))

    @group.offer("List taught words", Annotations(cost_seconds=1.0))
    def list_meanings(args: Latest, caller: Caller) -> TaughtList:
        """What words were taught to mean, the latest taught first."""
        found = service.home.glossary.list(limit=args.limit)
        told = [
            TaughtWord(meaning_id=c.correction_id, word=c.word, kind=c.kind, means=c.in_words, table=c.table)
            for c in found
        ]
        return TaughtList(meanings=told)

    @group.offer("Forget a taught word", Annotations(read_only=False, cost_seconds=1.0))
    def forget_meaning(args: OneMeaning, caller: Caller) -> Forgotten:
        """Forget what one word was taught to mean."""
        return Forgotten(forgotten=int(service.home.glossary.forget(args.meaning_id)))

    return group.tools
