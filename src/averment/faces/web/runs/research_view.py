"""A research as its page shows it: the tree of questions, the sources, the facts and where they conflict, live.

All of it is read off the run's own records, so that a window that is opened in the middle sees the same as the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from averment.agents.researcher.credibility import judge_domain
from averment.errors import SourceNotFound
from averment.operations import Operations
from averment.records.run import ToolCall
from averment.runtime.decisions import Round
from averment.workbench import Workbench

_SEARCHES = frozenset({"search.corpus", "document.answer"})

QuestionState = Literal["waiting", "running", "done", "failed"]
RULES: dict[str, str] = {
    "consensus": "most independent sources say it",
    "credibility": "its source is the more trusted",
    "recency": "its source is the more recent",
    "uncertainty": "no rule decides",
}
CONTEXT_LETTERS = 700


@dataclass(frozen=True)
class AskedQuestion:
    """One question of the tree."""

    id: str
    text: str
    depth: int
    state: QuestionState
    summary: str
    parent_id: str | None


@dataclass(frozen=True)
class SourceFact:
    """One fact: what a source says, word for word."""

    id: str
    text: str
    question_id: str
    sha256: str
    start: int
    end: int
    confidence: float
    verified: bool


@dataclass(frozen=True)
class ArchivedSource:
    """One archived source."""

    document_id: str
    sha256: str
    title: str
    url: str
    domain: str
    credibility: float
    archived: str
    published: str | None
    facts: int


@dataclass(frozen=True)
class Conflict:
    """Facts that cannot all be true, how that was settled, and why so."""

    topic: str
    resolution: str
    confidence: float
    why: str
    facts: tuple[SourceFact, ...]
    stands: frozenset[str]


@dataclass(frozen=True)
class Inquiry:
    """A research as far as it has come."""

    questions: tuple[AskedQuestion, ...]
    facts: tuple[SourceFact, ...]
    sources: tuple[ArchivedSource, ...]
    conflicts: tuple[Conflict, ...]

    @property
    def distinct(self) -> tuple[SourceFact, ...]:
        """The facts by their places: what several questions met is there once."""
        return _distinct(self.facts)

    def title_of(self, fact: SourceFact) -> str:
        """What the source of a fact is called."""
        return next((one.title for one in self.sources if one.sha256 == fact.sha256), "")


@dataclass(frozen=True)
class PassageView:
    """An archived passage with the sentence of a fact in it."""

    fact: SourceFact
    source: ArchivedSource | None
    before: str
    marked: str
    after: str


def inquiry_of(workbench: Workbench, archive: Operations, run_id: str, report: Mapping[str, Any] | None) -> Inquiry:
    """The research of that run; ``report`` is its data once it is told."""
    reading = workbench.show(run_id).reading or {}
    rounds, taken = archive.rounds(run_id)
    facts = _facts(taken)
    rules = {str(one.get("id")): one for one in (report or {}).get("discrepancies", ())}
    calls = [call for call, _ in workbench.runs.calls(run_id)]
    return Inquiry(
        questions=_tree(reading.get("questions", ()), rounds, taken),
        facts=tuple(facts.values()),
        sources=_sources(calls, _distinct(facts.values())),
        conflicts=tuple(_conflicts(taken, facts, rules)),
    )


def passage_of(workbench: Workbench, inquiry: Inquiry, fact_id: str) -> PassageView:
    """Where a fact stands in its archived source.

    Raises:
        SourceNotFound: the research has no such fact.
    """
    fact = next((one for one in inquiry.facts if one.id == fact_id), None)
    if fact is None:
        raise SourceNotFound("The research has no such fact.", hint="Go back to the run and choose one there.")
    text = workbench.corpora.snapshot(fact.sha256)
    source = next((one for one in inquiry.sources if one.sha256 == fact.sha256), None)
    before = text[max(0, fact.start - CONTEXT_LETTERS) : fact.start]
    return PassageView(
        fact, source, before, text[fact.start : fact.end], text[fact.end : fact.end + CONTEXT_LETTERS]
    )  # fmt: skip


def _tree(
    planned: Sequence[Mapping[str, Any]], rounds: Sequence[Round], taken: Sequence[Mapping[str, Any]]
) -> tuple[AskedQuestion, ...]:
    """The questions with what grew from each below it."""
    known = {str(one["id"]): dict(one) for one in planned}
    states: dict[str, tuple[QuestionState, str]] = {}
    for place, round_ in enumerate(rounds):
        question = round_.state.get("question")
        if not isinstance(question, dict):
            continue
        known.setdefault(str(question["id"]), question)
        done = taken[place] if place < len(taken) else None
        summary = "" if done is None else str((done.get("finding") or {}).get("summary", ""))
        states[str(question["id"])] = ("running" if done is None else "done", summary)
    ordered: list[AskedQuestion] = []

    def grow(parent: str | None) -> None:
        for key, one in known.items():
            if one.get("parent_id") != parent:
                continue
            state, summary = states.get(key, ("waiting", ""))
            ordered.append(AskedQuestion(key, str(one["text"]), int(one.get("depth", 0)), state, summary, parent))
            grow(key)

    grow(None)
    return tuple(ordered)


def _facts(taken: Iterable[Mapping[str, Any]]) -> dict[str, SourceFact]:
    found: dict[str, SourceFact] = {}
    for one in taken:
        for fact in one.get("facts", ()):
            found[str(fact["id"])] = SourceFact(
                id=str(fact["id"]),
                text=str(fact["text"]),
                question_id=str(one.get("question_id", "")),
                sha256=str(fact["snapshot_sha256"]),
                start=int(fact["start"]),
                end=int(fact["end"]),
                confidence=float(fact["confidence"]),
                verified=bool(fact["verified"]),
            )
    return found


def _distinct(facts: Iterable[SourceFact]) -> tuple[SourceFact, ...]:
    return tuple({(one.sha256, one.start, one.end): one for one in facts}.values())


def _sources(calls: Iterable[ToolCall], facts: Iterable[SourceFact]) -> tuple[ArchivedSource, ...]:
    counts: dict[str, int] = {}
    for fact in facts:
        counts[fact.sha256] = counts.get(fact.sha256, 0) + 1
    found: dict[str, ArchivedSource] = {}
    for call in calls:
        for pin in call.arguments.get("sources", ()) if call.tool_name in _SEARCHES else ():
            digest = str(pin["snapshot_sha256"])
            found[digest] = ArchivedSource(
                document_id=str(pin["document_id"]),
                sha256=digest,
                title=str(pin["title"]),
                url=str(pin["url"]),
                domain=str(pin["domain"]),
                credibility=judge_domain(str(pin["domain"])),
                archived=str(pin["accessed_at"]),
                published=pin.get("published_at"),
                facts=counts.get(digest, 0),
            )
    return tuple(sorted(found.values(), key=lambda one: (-one.facts, -one.credibility, one.title)))


def _conflicts(
    taken: Iterable[Mapping[str, Any]], facts: Mapping[str, SourceFact], told: Mapping[str, Mapping[str, Any]]
) -> Iterable[Conflict]:
    """Each conflict once, though several questions met it; once the report is written, as it tells them."""
    seen: set[frozenset[str]] = set()
    for body in [body for one in taken for body in one.get("discrepancies", ())]:
        among = [facts[str(fact)] for fact in body["fact_ids"] if str(fact) in facts]
        sentences = frozenset(fact.text for fact in among)
        if sentences in seen or (told and str(body["id"]) not in told):
            continue
        seen.add(sentences)
        resolved = told.get(str(body["id"]), {})
        rule = str(resolved.get("rule", ""))
        yield Conflict(
            topic=str(body["topic"]),
            resolution=str(body.get("resolution") or ""),
            confidence=float(body.get("resolution_confidence") or 0.0),
            why=RULES.get(rule, rule.replace("_", " ")),
            facts=tuple(among),
            stands=frozenset(str(each) for each in resolved.get("stands", ())),
        )
