"""The tools that start and look at runs, for MCP clients and for the assistant: analyze, drill, research, verify, show.

They take the workbench by what they need of it, so that nothing here imports upward.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field

from averment.agents.assistant.run_ids import run_id_for
from averment.agents.assistant.run_rows import TOLD, rows_of
from averment.agents.assistant.run_service import RunService
from averment.agents.assistant.series import Series, movement, series_of
from averment.agents.assistant.sources import Locate
from averment.errors import InvalidRequest, RunNotFound
from averment.language.intents.vocabulary import CAUSE, MOVE
from averment.language.periods import Period, find_periods
from averment.language.word_lists import patterns
from averment.plans.chart_kinds import chart_kinds
from averment.records.drilldown.files import ColumnRole
from averment.records.marks import Marks
from averment.runtime.events import Event
from averment.runtime.outcome import Run
from averment.tools.public import Caller, PublicTool, ToolGroup
from averment.tools.tool import Annotations, Args, Output

_PATTERNS = patterns("drill_words", "averment.agents.assistant")
_SMALL = re.compile(_PATTERNS["small"])


@dataclass(frozen=True, slots=True)
class DrillWords:
    """What a question about a movement names; a part that it does not name is None."""

    metric: str | None
    baseline: tuple[date, date] | None
    comparison: tuple[date, date] | None


def drill_words(text: str, anchor: date) -> DrillWords:
    """The metric and the periods that a question names, counted from ``anchor``.

    One period alone is set against the one before it, or, after "compared to", against the one behind it.
    """
    found = [match for match in find_periods(text, anchor=anchor) if match.start and match.end and not match.context]
    rest = text
    for match in sorted(found, key=lambda each: -each.span[0]):
        rest = f"{rest[: match.span[0]]} {rest[match.span[1] :]}"
    bare = _SMALL.sub(" ", MOVE.sub(" ", CAUSE.sub(" ", rest.casefold())))
    metric = " ".join(bare.split()) or None
    periods = sorted(
        (match.period for match in found if match.period is not None), key=lambda each: each.start or anchor
    )
    if len(periods) >= 2:
        return DrillWords(metric, _days(periods[0]), _days(periods[-1]))
    if len(periods) == 1:
        return DrillWords(metric, *_pair(periods[0], found[0].grain, text[: found[0].span[0]], found[0].text))
    return DrillWords(metric, None, None)


def _days(period: Period) -> tuple[date, date]:
    assert period.start is not None and period.end is not None  # Only closed periods are looked at.
    return period.start, period.end


def _pair(period: Period, grain: str, before_it: str, words: str) -> tuple[tuple[date, date], tuple[date, date]]:
    """The two periods that one phrase means."""
    days = _days(period)
    if grain not in {"week", "month", "quarter", "half", "year", "day"}:
        length = timedelta(days=(days[1] - days[0]).days + 1)
        return (days[0] - length, days[0] - timedelta(days=1)), days
    units = period.split(grain)  # pyright: ignore[reportArgumentType] - narrowed to a grain just above
    if len(units) > 1 and re.search(
        r"\b(?:from|between)\s*$|^(?:from|between)\b", f"{before_it}\n{words}", re.I | re.M
    ):
        return _days(units[0]), _days(units[-1])
    behind = re.search(r"\b(?:compared (?:to|with)|than|versus|vs\.?|against)\s*(?:in\s*)?$", before_it, re.IGNORECASE)
    other = _days(period.shift(1 if behind else -1, grain))  # pyright: ignore[reportArgumentType] - as above
    return (days, other) if behind else (other, days)


LONG = 60.0
FINISHED = frozenset({"completed", "partial_success"})


class Analyze(Args):
    """A question about tables."""

    question: str = Field(min_length=1, max_length=2_000, description="The question, in plain words.")
    sources: list[str] = Field(default_factory=list, description="Files, folders or database URLs to ask.")
    after: str | None = Field(
        default=None, max_length=64, description="An earlier run; the question is read as a change of its plan."
    )
    chart: str | None = Field(
        default=None,
        max_length=40,
        description=f"The kind of chart: {', '.join(chart_kinds())}.",
    )
    agent: str | None = Field(
        default=None, max_length=100, description="The agent that answers, if it is one that a plugin adds."
    )


class Drill(Args):
    """A metric that moved between two periods, or differs between two groups."""

    question: str = Field(default="", max_length=2_000, description="The question, if it names metric and periods.")
    sources: list[str] = Field(default_factory=list, description="The files that hold the metric.")
    metric: str | None = Field(default=None, max_length=2_000, description="SQL or words, e.g. SUM(amount).")
    baseline: list[date] | None = Field(
        default=None, min_length=2, max_length=2, description="First and last day before."
    )
    comparison: list[date] | None = Field(
        default=None, min_length=2, max_length=2, description="First and last day after."
    )
    groups: dict[str, str] | None = Field(
        default=None, description="Two groups instead of periods: the column, and its baseline and comparison value."
    )
    column_roles: dict[str, ColumnRole] = Field(
        default_factory=dict, description="Columns that are something else than their values suggest; ignore: never."
    )
    after: str | None = Field(
        default=None, max_length=64, description="An earlier analysis whose series moved; its metric and periods count."
    )


class Research(Args):
    """A question for the corpus."""

    question: str = Field(min_length=10, max_length=500, description="What the sources are to be asked.")
    depth: Literal["quick", "standard", "comprehensive"] = Field(default="quick", description="How far to look.")


class OneRun(Args):
    """A run by its id."""

    run_id: str = Field(min_length=4, description="The run's id, or its beginning.")


class Offered(Output):
    """A reading to choose, and a preview of what it gives."""

    read_back: str
    plan: dict[str, Any]
    odds: float
    columns: list[str]
    rows: list[list[Any]] = Field(description="The first rows it gives.")
    row_count: int
    left: list[str] = Field(default_factory=list, description="Words of the question that it does without.")


class RunResult(Output):
    """What a run found; its report and its proof are under the same id."""

    run_id: str
    kind: str
    status: str
    answer: str
    findings: list[str]
    artifacts: list[str]
    columns: list[str] = Field(default_factory=list, description="The columns of its result.")
    rows: list[list[Any]] = Field(default_factory=list, description="The first rows of its result; get_rows has all.")
    row_count: int = Field(default=0, description="How many rows the result has.")
    charts: list[str] = Field(default_factory=list, description="Its charts, by name; get_chart has them.")
    compared: list[list[date]] = Field(
        default_factory=list[list[date]], description="Of a movement: the first and last day before, and after."
    )
    read_back: str | None = Field(default=None, description="How the question was read, in one sentence.")
    grade: str | None = Field(default=None, description="Deprecated, gone in 0.5.0: see marks.interpretation.")
    marks: Marks = Field(
        description="How the question was interpreted and how certain that is; and whether the "
        "figures were recomputed. The second says nothing about the first."
    )
    odds: float | None = Field(default=None, description="The probability that it was read right.")
    meaning: dict[str, Any] | None = Field(default=None, description="The plan it was read as; run_plan takes it.")
    offers: list[Offered] = Field(
        default_factory=list[Offered],
        description="Readings to choose from, the best first, where the question was asked back; choose takes one.",
    )


class Verified(Output):
    """Whether everything a run says still holds."""

    run_id: str
    ok: bool
    checks: int
    marks: Marks | None = Field(description="The interpretation, which no check covers; and what the check found.")
    faults: list[str]


def run_tools(
    service: RunService, *, today: Callable[[], date], locate: Locate = list
) -> tuple[PublicTool[Any, Any], ...]:
    """The run tools over one workbench."""
    group = ToolGroup()
    starts = Annotations(read_only=False, idempotent=False, cost_seconds=LONG)

    @group.offer("Analyse tables", starts)
    def analyze(args: Analyze, caller: Caller) -> RunResult:
        """Answer a question about CSV, JSON or SQL tables, with proof."""
        sources, told = needed(locate(args.sources)), told_to(caller)

        def begin(run_id: str) -> Run:
            return service.analyze(
                args.question,
                sources,
                run_id=run_id,
                after=args.after,
                chart=args.chart,
                agent=args.agent,
                on_event=told,
            )

        return run_result("analysis", begun_once(service, args, caller, begin))

    @group.offer("Explain a movement", starts)
    def drill(args: Drill, caller: Caller) -> RunResult:
        """Find out why a metric moved between two periods, with proof."""
        places = needed(locate(args.sources))
        words = drill_words(args.question, today())
        metric = args.metric or words.metric
        before = tuple(args.baseline) if args.baseline else words.baseline
        after = tuple(args.comparison) if args.comparison else words.comparison
        whole = bool(metric and before and after)
        series = None if args.after is None else _series(service, args.after, required=not whole)
        if series is not None:
            named = words.metric if words.metric and not series.is_meant_by(words.metric) else series.metric
            metric = args.metric or named
            before, after = (before, after) if args.baseline and args.comparison else movement(series, args.question)
        if not metric or (args.groups is None and not (before and after)):
            raise InvalidRequest(
                "I need a metric and two periods to compare.",
                hint="For example: why did revenue drop in March 2024 compared to February 2024?",
            )
        sources, told = places, told_to(caller)
        sides: dict[str, Any] = {"baseline": before, "comparison": after}
        if args.groups is not None:
            sides = {"groups": args.groups}

        def begin(run_id: str) -> Run:
            return service.drill(
                sources,
                metric_sql=metric,
                **sides,
                investigation_prompt=args.question or None,
                column_roles=args.column_roles,
                run_id=run_id,
                on_event=told,
            )

        found = run_result("drilldown", begun_once(service, args, caller, begin))
        if args.groups is not None or before is None or after is None:
            return found
        return found.model_copy(update={"compared": [list(before), list(after)]})

    @group.offer("Ask the sources", starts)
    def research(args: Research, caller: Caller) -> RunResult:
        """Find out what the corpus says, where it disagrees, with citations."""
        told = told_to(caller)

        def begin(run_id: str) -> Run:
            return service.research(args.question, depth=args.depth, run_id=run_id, on_event=told)

        return run_result("research", begun_once(service, args, caller, begin))

    @group.offer("Verify a run", Annotations(cost_seconds=LONG))
    def verify(args: OneRun, caller: Caller) -> Verified:
        """Recompute everything a run says and name what does not hold."""
        verdict = service.verify(args.run_id)
        faults = [f"{fault.subject}: {fault.detail}" for fault in verdict.faults]
        return Verified(
            run_id=verdict.run_id, ok=verdict.ok, checks=len(verdict.checks), marks=verdict.marks, faults=faults
        )

    @group.offer("Show a run")
    def show(args: OneRun, caller: Caller) -> RunResult:
        """A run's status, answer, findings and artifacts."""
        return run_result(service.runs.row(service.show(args.run_id).id).kind, service.show(args.run_id))

    return group.tools


def _series(service: RunService, run_id: str, *, required: bool) -> Series | None:
    """What an earlier analysis measured over time; None where it did not and the question stands without it.

    Raises:
        InvalidRequest: it is no series, and one is ``required``.
    """
    run = service.show(run_id)
    found = series_of(run.plan, run.table)
    if found is None and required:
        raise InvalidRequest(
            "The last result does not vary over time, so I need a metric and two periods to compare.",
            hint="For example: why did revenue drop in March 2024 compared to February 2024?",
        )
    return found


def begun_once(service: RunService, args: Args, caller: Caller, begin: Callable[[str], Run]) -> Run:
    """The run of this call: begun now, or the one that the same call began before, gone on with."""
    run_id = run_id_for(args, caller.user_id, caller.key)

    def stop() -> None:
        with contextlib.suppress(RunNotFound):
            service.runs.cancel(run_id)

    caller.stop.on_cancel(stop)
    try:
        service.show(run_id)
    except RunNotFound:
        return begin(run_id)
    return service.runs.resume(run_id, on_event=told_to(caller))


def needed(sources: list[str]) -> list[str]:
    """The sources, of which there must be one."""
    if not sources:
        raise InvalidRequest("I need at least one file to look at.", hint="Attach a file and ask again.")
    return sources


def told_to(caller: Caller) -> Callable[[Event], None]:
    """Tells a run's events as progress."""

    def tell(event: Event) -> None:
        caller.progress(float(event.seq), None, event.type)

    return tell


def run_result(kind: str, run: Run) -> RunResult:
    """A run as a client takes it."""
    found = rows_of(run.table) if kind in {"analysis", ""} and run.status in FINISHED else None
    return RunResult(
        run_id=run.id,
        kind=kind,
        status=run.status,
        answer=run.answer or "",
        findings=[finding.text for finding in run.findings],
        artifacts=[artifact.content_ref for artifact in run.artifacts],
        columns=[] if found is None else list(found.columns),
        rows=[] if found is None else [list(row) for row in found.rows],
        row_count=0 if found is None else found.total,
        charts=[
            PurePosixPath(artifact.content_ref).name for artifact in run.artifacts if artifact.artifact_type == "chart"
        ],
        read_back=run.read_back,
        grade=run.marks.interpretation.certainty,
        marks=run.marks,
        odds=run.odds,
        meaning=run.plan if run.plan is not run.tasks else None,
        offers=[
            Offered(
                read_back=each.read_back,
                plan=each.plan,
                odds=each.odds,
                columns=list(each.columns),
                rows=[list(row) for row in each.rows[:TOLD]],
                row_count=each.row_count,
                left=list(each.left),
            )
            for each in run.offers
        ],
    )
