"""Hypotheses: what may have moved the metric, from the schema, from what the user says, and from what was found.

Those that can be said before any result are made with the plan: faults, expectation, factors, and every value that the
prompt or the background names. The segments that the search over all of them named come after it and, where they leave
much of the change unexplained, the dimensions whose values differ most. A hypothesis is a question: only a round's
result confirms it or rules it out, and where a result does neither it stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from averment.agents.driller.cause import Cause
from averment.agents.driller.model_loop.forms import Spec
from averment.agents.driller.reading import ATTRIBUTION, BREAKDOWN, DimensionMention, InvestigationSetup, reading_of
from averment.agents.driller.story_words import title_of
from averment.agents.driller.wording import clipped, segment_words
from averment.records.base import Record
from averment.records.drilldown.loop import Hypothesis, HypothesisStatus
from averment.records.drilldown.request import DrillRequest

if TYPE_CHECKING:
    from averment.runtime.decisions import Round
    from averment.runtime.run_context import RunContext

SuspicionKind = Literal["fault", "calendar", "tree", "segment", "mix", "suspect", "dimension", "proposed"]
LOCATED = frozenset({"segment", "mix", "rate", "volume", "new_or_gone"})
"""The kinds of cause that name a place, or the whole."""
FAULTS = frozenset({"data_fault", "outlier"})
EXPECTED = frozenset({"seasonal", "calendar", "trend"})
MOST_CAUSES = 6
MOST_SUSPECTS = 6
MOST_DIMENSIONS = 3
LEFT_OPEN = 0.2
"""Where so much of the change has no named cause, the dimensions are looked at one by one."""


class Suspicion(Record):
    """A hypothesis before it is a record: what it says, and how it is tested."""

    hypothesis_id: str
    kind: SuspicionKind
    title: str
    story: str
    dimensions: tuple[str, ...]
    pattern: str
    priority: int
    segment: dict[str, str] = Field(default_factory=dict)
    rank: int | None = None
    """The cause it stands for, where the search named one."""
    spec: Spec | None = None
    """How a model's hypothesis is tested."""

    def record(self, request: DrillRequest, status: HypothesisStatus) -> Hypothesis:
        """The hypothesis as the driller contract keeps it."""
        return Hypothesis(
            hypothesis_id=self.hypothesis_id,
            session_id=request.session_id,
            title=clipped(self.title, 100),
            causal_story=clipped(self.story, 500),
            dimensions=self.dimensions,
            expected_pattern=self.pattern,
            priority=self.priority,
            status=status,
            created_at=request.context.submitted_at,
        )


def causes_of(work: RunContext) -> tuple[Cause, ...]:
    """What was read of the change, in its rank: faults, what was expected, causes and the rest."""
    body: dict[str, Any] = (work.state.answered[ATTRIBUTION][1].data or {})["attribution"]
    found: list[Cause] = []
    for rank, explanation in enumerate(body["explanations"], start=1):
        found.append(
            Cause(
                rank=rank,
                row=rank,
                segment=explanation["segment"],
                verdict=explanation["verdict"],
                factor=explanation["factor"],
                effect=explanation["effect"],
                contribution=explanation["contribution"],
                state=explanation["state"],
                kind=explanation["kind"],
                before=explanation["before"],
                after=explanation["after"],
                share=explanation["share_of_change"],
                details=explanation["details"],
            )
        )
    return tuple(found)


def cause_of(suspicion: Suspicion, causes: Sequence[Cause]) -> Cause | None:
    """The cause a hypothesis stands for; for what the user suspects, the first cause that lies inside it."""
    if suspicion.kind == "suspect":
        return next((c for c in causes if c.segment and suspicion.segment.items() <= c.segment.items()), None)
    return next((c for c in causes if c.rank == suspicion.rank), None)


def first_suspicions(reading: InvestigationSetup) -> tuple[Suspicion, ...]:
    """The hypotheses of every investigation, and those that the user's words bring."""
    found: list[dict[str, Any]] = [] if reading.groups is not None else _timed(reading)
    ratio, periods = reading.metric.kind == "ratio", reading.groups is None
    if (ratio and periods) or not (ratio or reading.metric.counts_units):
        found.append(
            {
                "kind": "tree",
                "title": "One factor of the metric moved it" if periods else "One factor makes it differ",
                "story": "The metric is a product or quotient of parts; one of them may have moved alone.",
                "dimensions": (),
                "pattern": "One part carries most of the change.",
                "priority": 4,
            }
        )
    for mention in _named(reading.mentions)[:MOST_SUSPECTS]:
        place = {mention.dimension: mention.value or ""}
        said = "as the prompt suspects" if mention.asked else "which the background names"
        found.append(
            {
                "kind": "suspect",
                "title": f"{segment_words(place)}, {said}",
                "story": f"The investigation was asked to look at {segment_words(place)}."
                if mention.asked
                else f"The description of the metric names {segment_words(place)}.",
                "dimensions": (mention.dimension,),
                "pattern": "The segment moved differently from the rest of the data.",
                "priority": 3,
                "segment": place,
            }
        )
    return tuple(Suspicion(hypothesis_id=_id(n), **fields) for n, fields in enumerate(found, start=1))


def _timed(reading: InvestigationSetup) -> list[dict[str, Any]]:
    """What only two periods can be asked: faults that set in, and what their time makes likely."""
    return [
        {
            "kind": "fault",
            "title": "The data are at fault",
            "story": "Rows that are missing, came twice, lost their values, their unit, their name or their key look "
            "like a change.",
            "dimensions": (reading.day_column,),
            "pattern": "A mark that no cause leaves: empty days, repeats, a fixed factor, a twin name, broken keys.",
            "priority": 1,
        },
        {
            "kind": "calendar",
            "title": "The change was to be expected",
            "story": "Other years, other days and weekdays, or a continuing trend move the metric without any cause.",
            "dimensions": (reading.day_column,),
            "pattern": "The same span of other years, the calendar or the steps before it show the same change.",
            "priority": 2,
        },
    ]


def all_suspicions(work: RunContext, rounds: Sequence[Round] | None = None) -> tuple[Suspicion, ...]:
    """The first hypotheses, those the search brought and those a model proposed up to these rounds, by id."""
    reading = reading_of(work)
    first = first_suspicions(reading)
    if ATTRIBUTION not in work.state.answered:
        return first
    pointed = {mention.dimension for mention in reading.mentions}
    causes = [cause for cause in causes_of(work) if cause.kind in LOCATED]
    found = [_of_cause(cause, reading, pointed) for cause in causes[:MOST_CAUSES]]
    found += [_of_dimension(name, reading) for name in _open_dimensions(work, reading)]
    proposed = [
        _proposed(round_) for round_ in (work.state.rounds if rounds is None else rounds) if "spec" in round_.state
    ]
    found += proposed
    return (*first, *(one.changed(hypothesis_id=_id(n)) for n, one in enumerate(found, start=len(first) + 1)))


def _proposed(round_: Round) -> Suspicion:
    """What a model asked to be tested, in words of our own."""
    spec = Spec.model_validate(round_.state["spec"])
    return Suspicion(
        hypothesis_id=_id(1),
        kind="proposed",
        title=spec.title,
        story="A model asked whether this has to do with the change; the data answer.",
        dimensions=tuple(sorted(spec.segment)) or (spec.column,),
        pattern="The result lies far from chance and is large enough to matter.",
        priority=10,
        segment=spec.segment,
        spec=spec,
    )


def _of_cause(cause: Cause, reading: InvestigationSetup, pointed: set[str]) -> Suspicion:
    named = bool(pointed & set(cause.segment))
    kind: SuspicionKind = "mix" if cause.kind == "mix" and reading.metric.kind == "ratio" else "segment"
    title = title_of(cause, reading)
    story = f"{title}, beyond what its own scatter and the calendar allow."
    pattern = "The figure itself moved in that direction, by more than its own noise."
    return Suspicion(
        hypothesis_id=_id(1),
        kind=kind,
        title=title,
        story=story,
        dimensions=tuple(sorted(cause.segment)),
        pattern=pattern,
        priority=2 if named else min(10, 4 + cause.rank),
        segment=cause.segment,
        rank=cause.rank,
    )


def _of_dimension(name: str, reading: InvestigationSetup) -> Suspicion:
    moved = "The change sits" if reading.groups is None else "The difference sits"
    return Suspicion(
        hypothesis_id=_id(1),
        kind="dimension",
        title=f"{moved} in one value of {name}",
        story=f"No named cause carries it, and the values of {name} differ most; one of them may do so.",
        dimensions=(name,),
        pattern="One value moves differently from the rest, by more than its own noise, and is a cause.",
        priority=10,
    )


def _open_dimensions(work: RunContext, reading: InvestigationSetup) -> list[str]:
    """The dimensions worth a look of their own: those named by the user first, then those whose movers stand out."""
    body: dict[str, Any] = (work.state.answered[ATTRIBUTION][1].data or {})["attribution"]
    change, rest = body["change"], body["unexplained"]
    rest += sum(one["contribution"] for one in body["explanations"] if one["kind"] == "noise")
    if not change or abs(rest) < LEFT_OPEN * abs(change) or BREAKDOWN not in work.state.answered:
        return []
    named = {mention.dimension for mention in reading.mentions}
    groups: dict[str, list[float]] = {}
    for row in work.table(BREAKDOWN).select(["dimension", "change"]).to_pylist():
        groups.setdefault(str(row["dimension"]), []).append(abs(float(row["change"] or 0.0)))
    telling = {
        name: max(sizes) / sum(sizes) * len(sizes) ** 0.5
        for name, sizes in groups.items()
        if len(sizes) > 1 and sum(sizes) and reading.dimension(name) is not None
    }
    return sorted(telling, key=lambda name: (name not in named, -telling[name], name))[:MOST_DIMENSIONS]


def _named(mentions: Sequence[DimensionMention]) -> list[DimensionMention]:
    """The values that the user names, those to be looked at before those of the background."""
    return sorted((mention for mention in mentions if mention.value), key=lambda mention: not mention.asked)


def _id(number: int) -> str:
    return f"hyp_{number:03d}"
