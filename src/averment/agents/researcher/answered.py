"""The answer to the question itself: which documents are opened for it, and what was recorded as its reply.

Documents are chosen by their cards and by the passages a search finds; the reply is made of recorded results alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from averment.agents.researcher.facts import FoundFact, PilePassage
from averment.agents.researcher.questions import ResearchQuestion
from averment.agents.researcher.sources import pin, survey
from averment.evidence.spans import span
from averment.language.claims.claims import read_claims
from averment.language.claims.stance import read_stance
from averment.records.analysis import Subtask
from averment.records.base import derived_id
from averment.records.research.sources import Fact
from averment.tools.document_answer import (
    AnswerPlace,
    DocumentAnswerArgs,
    DocumentAnswerOutput,
)
from averment.tools.search_corpus import PinnedSource

if TYPE_CHECKING:
    from datetime import datetime

    from averment.agents.researcher.discrepancies import Resolution
    from averment.runtime.run_context import RunContext

_OPENED, _ALL = 60, 200
"""So many documents are opened for a question; where there are few, all of them."""
_BY_CARD = 24
_SECONDS = 1.0
_LENGTHS = (10, 500)


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """One part of the question with its answer and what it rests on, or why there is none and what comes nearest."""

    question: str
    answer: str
    how: str
    odds: float
    note: str
    facts: tuple[FoundFact, ...]
    nearest: tuple[FoundFact, ...]
    overruled: bool = False
    """Whether a resolved disagreement put these facts in place of the recorded answer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The parts of the question, and how much was searched for them."""

    parts: tuple[PartAnswer, ...]
    documents: int
    opened: int
    sentences: int
    sources: tuple[PinnedSource, ...]
    call_id: str

    @property
    def answered(self) -> bool:
        """Whether any part has an answer."""
        return any(part.answer for part in self.parts)

    @property
    def missing(self) -> tuple[PartAnswer, ...]:
        """The parts without an answer."""
        return tuple(part for part in self.parts if not part.answer)

    @property
    def facts(self) -> tuple[FoundFact, ...]:
        """What the answer rests on, each place once."""
        return _once(fact for part in self.parts for fact in part.facts)

    @property
    def nearest(self) -> tuple[FoundFact, ...]:
        """What comes nearest to the parts without an answer."""
        return _once(fact for part in self.missing for fact in part.nearest)


def _once(facts: Any) -> tuple[FoundFact, ...]:
    return tuple({fact.fact.id: fact for fact in facts}.values())


def answer_task_id(question: ResearchQuestion) -> str:
    """The id of the task that answers a question."""
    return f"answer_{question.id[:8]}"


def answer_task(
    work: RunContext, question: ResearchQuestion, allowed: frozenset[str], *, after: Sequence[Subtask] = ()
) -> Subtask | None:
    """The task that answers a question from the documents of these ids; None without documents.

    It comes ``after`` other tasks, so that a run always does things in one order.
    """
    from averment.corpus.answering.scout import scout

    corpus = work.services.texts.corpus
    listed = corpus.catalogue.among(allowed)
    if not listed:
        return None
    catalogue = corpus.catalogue
    ready = scout(
        question.reading,
        [one.card for one in listed],
        embed=catalogue.embed if catalogue.can_embed else None,
        vocabulary=lambda: catalogue.words(allowed),
        is_held=lambda word: corpus.holds_word(word, allowed),
    )
    here = {one.document.document_id for one in listed}
    by_words = bool(work.state.reading.get("by_words"))
    chosen = [listed[number].document.document_id for number in ready.cards[:_BY_CARD]]
    for wording in dict.fromkeys((ready.question, *ready.wordings)):
        hits = survey(corpus, wording, allowed, by_words=by_words).hits
        chosen += [hit.document_id for hit in hits if hit.document_id in here]
    if len(listed) <= _ALL:
        chosen += [one.document.document_id for one in listed]
    else:
        likely = corpus.likely_documents(ready.question, _OPENED, by_words=by_words, within=allowed)
        chosen += [one for one in likely if one in here]
    pins = pin(corpus, dict.fromkeys(chosen), most=_ALL if len(listed) <= _ALL else _OPENED)
    arguments = DocumentAnswerArgs(
        question=ready.question[:1000],
        sources=pins,
        documents=ready.documents,
        holding=dict(ready.holding),
        known=ready.known,
    )
    return Subtask(
        task_id=answer_task_id(question),
        description=f"Answer from {len(pins)} archived documents: {question.text}",
        tool_name="document.answer",
        dependencies=tuple(task.task_id for task in after),
        estimated_cost_seconds=_SECONDS,
        arguments=arguments.model_dump(mode="json"),
    )


def read_reply(work: RunContext, question: ResearchQuestion, moment: datetime) -> Reply | None:
    """The reply to a question as it was recorded; None where it was not asked of documents or that failed."""
    recorded = work.state.answered.get(answer_task_id(question))
    if recorded is None:
        return None
    call, observation = recorded
    args = DocumentAnswerArgs.model_validate(call.arguments)
    output = DocumentAnswerOutput.model_validate(observation.data)

    def facts_at(places: Sequence[AnswerPlace], odds: float) -> tuple[FoundFact, ...]:
        found = [fact_at(question, args.sources[one.source], one, odds, moment) for one in places]
        return tuple(one for one in found if one is not None)

    parts = tuple(
        PartAnswer(
            **one.model_dump(include={"question", "answer", "how", "odds", "note"}),
            facts=facts_at(one.places, one.odds),
            nearest=facts_at(one.nearest, 0.0),
        )
        for one in output.parts
    )
    return Reply(parts, args.documents, output.documents, output.sentences, args.sources, call.call_id)


def prefer_sides(
    reply: Reply, facts: Sequence[FoundFact], conflicts: Sequence[Resolution], sources: Sequence[PinnedSource]
) -> Reply:
    """The reply with the side that its rule prefers, where a part rests on the other side of a disagreement."""
    known = {one.fact.id: one for one in facts}
    parts = list(reply.parts)
    for conflict in conflicts:
        preferred = next((known[each] for each in conflict.stands if each in known), None)
        if preferred is None:
            continue
        rejected = {_place(known[each]) for each in conflict.discrepancy.fact_ids if each not in conflict.stands}
        for number, part in enumerate(parts):
            if part.answer and part.facts and all(_place(fact) in rejected for fact in part.facts):
                answer = " ".join(preferred.wording.split())
                parts[number] = replace(part, answer=answer, facts=(preferred,), overruled=True)
    places = {fact.passage.snapshot_sha256 for part in parts for fact in part.facts}
    more = tuple(one for one in sources if one.snapshot_sha256 in places and one not in reply.sources)
    return replace(reply, parts=tuple(parts), sources=(*reply.sources, *more))


def _place(fact: FoundFact) -> tuple[str, int]:
    return fact.evidence.snapshot_sha256, fact.evidence.start


def fact_at(
    question: ResearchQuestion, source: PinnedSource, place: AnswerPlace, odds: float, moment: datetime
) -> FoundFact | None:
    """A place of an archived text as a fact; None where it is too short to say anything."""
    quote = place.quote[: _LENGTHS[1]].rstrip()
    if len(quote) < _LENGTHS[0]:
        return None
    passage = PilePassage.of(question.id, source, quote, place.start)
    evidence = span(str(passage.source_id), source.snapshot_sha256, quote, 0, len(quote))
    evidence = evidence.changed(start=place.start, end=place.start + len(quote))
    record = Fact(
        id=UUID(derived_id(question.id, source.snapshot_sha256, evidence.start, evidence.end)),
        text=quote,
        source_url=source.url,
        source_id=passage.source_id,
        confidence=round(odds, 4),
        extraction_timestamp=moment,
    )
    told = place.text if place.text != quote else ""
    return FoundFact(record, passage, evidence, read_claims(quote), read_stance(quote), None, told=told)
