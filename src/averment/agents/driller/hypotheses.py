"""Hypotheses: what may have moved the metric, from the schema, from what the user says, and from what was found.

Those that can be said before any result are made with the plan: faults, expectation, factors, and every value that the
prompt or the background names. The segments that the search over all of them named come after it and, where they leave
much of the change unexplained, the dimensions whose values differ most. A hypothesis is a question: only a round's
result confirms it or rules it out, and where a result does neither it stays open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from averment.agents.driller.model_loop.proposals import Spec
from averment.agents.driller.reading import ATTRIBUTION, BREAKDOWN, DimensionMention, InvestigationSetup, reading_of
from averment.language.word_lists import toml_file
from averment.plans.registry import aggregate_of_sql
from averment.records.base import Record
from averment.records.drilldown.loop import Hypothesis, HypothesisStatus
from averment.records.drilldown.request import DrillRequest
from averment.tools.metric_attribute import segment_text

if TYPE_CHECKING:
    from averment.agents.driller.reading import MetricReading
    from averment.runtime.decisions import Round
    from averment.runtime.run_context import RunContext


class Cause(Record):
    """One explanation that the search named, and the row of the attribution's table that holds its numbers."""

    rank: int
    row: int
    segment: dict[str, str]
    effect: float
    contribution: float
    state: str
    kind: str
    before: float | None = None
    after: float | None = None
    share: float | None = None
    details: dict[str, str | float | None] = Field(default_factory=dict)

    @property
    def sized(self) -> bool:
        """Whether its part of the change is known."""
        return self.details.get("sized") is not None


def clipped(text: str, most: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def whole_sentences(text: str, most: int) -> str:
    """As many whole sentences of a text as fit; a number is never cut in two."""
    if len(text) <= most:
        return text
    kept = text[:most].rfind(". ")
    return text[: kept + 1] if kept > 0 else clipped(text[:most].rpartition(" ")[0], most)


def beginnings(text: str) -> Iterator[str]:
    """A text and the whole sentences it begins with: a record has room for so many letters only."""
    yield text
    for at in range(len(text)):
        if text.startswith(". ", at):
            yield text[: at + 1]


def segment_words(segment: Mapping[str, str]) -> str:
    """A segment as a reader sees it, the same as in the attribution's table."""
    return segment_text(dict(segment))


_PLAIN = re.compile(r"(sum|avg|mean|median)\((?:\w+\.)?\"?([A-Za-z][\w ]*?)\"?\)", re.IGNORECASE)
_DISTINCT = re.compile(r"count\(distinct (?:\w+\.)?\"?([A-Za-z][\w ]*?)\"?\)", re.IGNORECASE)


def metric_words(reading: InvestigationSetup) -> str:
    """The metric as a sentence begins with it: in the user's words, or in plain ones for a plain aggregate."""
    metric = reading.metric
    text = " ".join(metric.text.split())
    if metric.name:
        return metric.name
    if metric.from_words:
        return text[:1].upper() + text[1:]
    if (found := _PLAIN.fullmatch(text)) and (aggregate := aggregate_of_sql(found[1])) is not None:
        return f"{aggregate.words.capitalize()} {found[2].replace('_', ' ')}"
    if found := _DISTINCT.fullmatch(text):
        return f"The number of different {found[1].replace('_', ' ')}"
    if text.replace(" ", "").casefold() in {"count(*)", "count(1)"}:
        return f"The number of rows in {reading.base}"
    return text


def factor_words(factor: str | None, metric: MetricReading) -> str:
    """What moved inside a segment."""
    unit = "units" if metric.counts_units else "rows"
    if metric.quantile is not None and factor != "volume":
        return "the share of rows above, on the percentile's scale,"
    if metric.kind == "ratio":
        return f"the number of {unit}" if factor == "volume" else "the metric itself"
    return {
        "volume": f"the number of {unit}",
        "rate": f"the share of {unit} that have a value",
        "value": "the value of each",
    }.get(factor or "", "the metric")


def fault_of(cause: Cause) -> str | None:
    """The name of the fault a cause is, if it is one."""
    name = cause.details.get("fault")
    return str(name) if name else None


def title_of(cause: Cause, reading: InvestigationSetup) -> str:
    """An explanation's title; without numbers."""
    return _told("title", cause, reading)


def meaning_of(cause: Cause, reading: InvestigationSetup) -> str:
    """What the data show of a cause, and no more."""
    return _told("meaning", cause, reading)


def step_of(cause: Cause, onset: str | None, reading: InvestigationSetup) -> str:
    """What to do about a cause."""
    return _told("step", cause, reading, since=f" around {onset}" if onset else "")


def _told(part: str, cause: Cause, reading: InvestigationSetup, **more: str) -> str:
    """A part of an explanation in the form of its cause."""
    forms = _FORMS["periods" if reading.groups is None else "groups"]
    first = fault_of(cause) if cause.kind in {"data_fault", "outlier"} else None
    if cause.kind == "new_or_gone":
        first = "new" if cause.state == "new" else "gone"
    names = [name for name in (first, cause.kind, "any") if name]
    if not cause.segment:
        names = [one for name in names for one in (f"{name} everywhere", name)]
    form = next(forms[part][name] for name in names if name in forms[part])
    return form.format_map(_Words(cause, reading, claims=forms["claims"], **more))


_FORMS = toml_file("averment.agents.driller", "story.toml")


class _Words(dict[str, object]):
    """What a form may name: of the cause and of both sides; each word is looked for when a form asks for it."""

    def __init__(self, cause: Cause, reading: InvestigationSetup, **more: str) -> None:
        super().__init__(more)
        self._cause, self._reading = cause, reading

    def __missing__(self, name: str) -> object:
        cause, groups = self._cause, self._reading.groups
        place, down = segment_words(cause.segment), moved_down(cause)
        match name:
            case "place":
                return place
            case "in_place":
                return f" in {place}" if cause.segment else ""
            case "where":
                return f"in {place}" if cause.segment else "everywhere"
            case "figure" | "Figure":
                figure = figure_words(cause, self._reading)
                return figure if name == "figure" else figure.capitalize()
            case "verb":
                return "fell" if down else "rose"
            case "side":
                return "lower" if down else "higher"
            case "test" | "control" if groups is not None:
                return groups.words("comparison" if name == "test" else "baseline")
            case _:
                return cause.details.get(name)


def groups_said(reading: InvestigationSetup) -> dict[str, str]:
    """The groups as the words of a claim; nothing where two periods are compared."""
    groups = reading.groups
    return {} if groups is None else {"groups": f"{groups.words('baseline')}\n{groups.words('comparison')}"}


def kind_words(cause: Cause) -> str:
    """A fault or an expectation in a few words, without names or numbers of the data."""
    short, fault = _FORMS["short"], fault_of(cause)
    return short[fault] if fault else short.get(cause.kind, cause.kind)


def moved_down(cause: Cause) -> bool:
    """Whether the figure that the cause speaks of went down."""
    if cause.before is None or cause.after is None:
        return cause.contribution < 0
    return cause.after < cause.before


def figure_words(cause: Cause, reading: InvestigationSetup) -> str:
    """The figure that a located cause speaks of."""
    if cause.kind == "segment":
        return "the metric"
    if cause.kind == "rate" and reading.metric.kind == "sum":
        return factor_words("value", reading.metric)
    return factor_words(cause.kind, reading.metric)


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


WORDS: dict[str, tuple[str, str, str]] = {
    "fault": (
        "The data are at fault",
        "Rows that are missing, came twice, lost their values, their unit, their name or their key look like a change.",
        "A mark that no cause leaves: empty days, repeats, a fixed factor, a twin name, broken keys.",
    ),
    "calendar": (
        "The change was to be expected",
        "Other years, other days and weekdays, or a continuing trend move the metric without any cause.",
        "The same span of other years, the calendar or the steps before it show the same change.",
    ),
    "tree": (
        "One factor of the metric moved it",
        "The metric is a product or quotient of parts; one of them may have moved alone.",
        "One part carries most of the change.",
    ),
    "tree of groups": (
        "One factor makes it differ",
        "The metric is a product or quotient of parts; one of them may have moved alone.",
        "One part carries most of the change.",
    ),
    "asked": (
        "{place}, as the prompt suspects",
        "The investigation was asked to look at {place}.",
        "The segment moved differently from the rest of the data.",
    ),
    "background": (
        "{place}, which the background names",
        "The description of the metric names {place}.",
        "The segment moved differently from the rest of the data.",
    ),
    "cause": (
        "{title}",
        "{title}, beyond what its own scatter and the calendar allow.",
        "The figure itself moved in that direction, by more than its own noise.",
    ),
    "dimension": (
        "The change sits in one value of {dimension}",
        "No named cause carries it, and the values of {dimension} differ most; one of them may do so.",
        "One value moves differently from the rest, by more than its own noise, and is a cause.",
    ),
    "dimension of groups": (
        "The difference sits in one value of {dimension}",
        "No named cause carries it, and the values of {dimension} differ most; one of them may do so.",
        "One value moves differently from the rest, by more than its own noise, and is a cause.",
    ),
    "proposed": (
        "{title}",
        "A model asked whether this has to do with the change; the data answer.",
        "The result lies far from chance and is large enough to matter.",
    ),
}
"""Title, story and expected pattern of each kind of hypothesis: all that one may say."""


def worded(form: str, **named: str) -> dict[str, Any]:
    """The words of a hypothesis of that form."""
    title, story, pattern = (text.format(**named) for text in WORDS[form])
    return {"title": title, "story": story, "pattern": pattern}


def first_suspicions(reading: InvestigationSetup) -> tuple[Suspicion, ...]:
    """The hypotheses of every investigation, and those that the user's words bring."""
    ratio, periods = reading.metric.kind == "ratio", reading.groups is None
    found: list[dict[str, Any]] = []
    if periods:  # What only two periods can be asked: faults that set in, and what their time makes likely.
        for priority, kind in enumerate(("fault", "calendar"), start=1):
            found.append({"kind": kind, "dimensions": (reading.day_column,), "priority": priority, **worded(kind)})
    if (ratio and periods) or not (ratio or reading.metric.counts_units):
        words = worded("tree" if periods else "tree of groups")
        found.append({"kind": "tree", "dimensions": (), "priority": 4, **words})
    for mention in _named(reading.mentions)[:MOST_SUSPECTS]:
        place = {mention.dimension: mention.value or ""}
        words = worded("asked" if mention.asked else "background", place=segment_words(place))
        found.append({"kind": "suspect", "dimensions": (mention.dimension,), "priority": 3, "segment": place, **words})
    return tuple(Suspicion(hypothesis_id=_id(n), **fields) for n, fields in enumerate(found, start=1))


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
        dimensions=tuple(sorted(spec.segment)) or (spec.column,),
        priority=10,
        segment=spec.segment,
        spec=spec,
        **worded("proposed", title=spec.title),
    )


def _of_cause(cause: Cause, reading: InvestigationSetup, pointed: set[str]) -> Suspicion:
    return Suspicion(
        hypothesis_id=_id(1),
        kind="mix" if cause.kind == "mix" and reading.metric.kind == "ratio" else "segment",
        dimensions=tuple(sorted(cause.segment)),
        priority=2 if pointed & set(cause.segment) else min(10, 4 + cause.rank),
        segment=cause.segment,
        rank=cause.rank,
        **worded("cause", title=title_of(cause, reading)),
    )


def _of_dimension(name: str, reading: InvestigationSetup) -> Suspicion:
    words = worded("dimension" if reading.groups is None else "dimension of groups", dimension=name)
    return Suspicion(hypothesis_id=_id(1), kind="dimension", dimensions=(name,), priority=10, **words)


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
