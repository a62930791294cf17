"""What a model sees of a research: the question, what the readers answered, facts with ids, and passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from averment.agents.researcher.model_loop.applied import narrative_of
from averment.agents.researcher.questions import MAIN, ResearchQuestion, asked_questions

if TYPE_CHECKING:
    from averment.agents.researcher.facts import FoundFact, PilePassage
    from averment.agents.researcher.recall import PassageReader
    from averment.runtime.run_context import RunContext

MOST_FACTS, MOST_PASSAGES, PASSAGE_LENGTH, MOST_OF_A_QUESTION = 40, 10, 1_200, 4


@dataclass(frozen=True, kw_only=True)
class ShownMaterial:
    """What a step's names mean: facts by id, passages and questions by number, and the texts it may take words from."""

    facts: dict[str, FoundFact]
    fixed: frozenset[UUID]
    passages: list[tuple[str, PilePassage]]
    questions: list[ResearchQuestion]
    texts: list[str]
    answer: str


def show(work: RunContext, reader: PassageReader, *, texts: bool) -> ShownMaterial:
    """What a model is shown; without ``texts`` nothing of the sources."""
    reads = reader.read_all(work)
    questions = list(asked_questions(work))
    if not texts:
        return ShownMaterial(facts={}, fixed=frozenset(), passages=[], questions=questions, texts=[], answer="")
    narrative = narrative_of(work, reader)
    facts = {f"f{number}": one for number, one in enumerate(narrative.cited[:MOST_FACTS], start=1)}
    reply = next((read.reply for read in reads if read.question.facet == MAIN), None)
    rests = [*reply.facts, *reply.nearest] if reply is not None else []
    places = {(one.evidence.snapshot_sha256, one.evidence.start) for one in rests}
    fixed = {one.fact.id for one in facts.values() if (one.evidence.snapshot_sha256, one.evidence.start) in places}
    fixed |= {each for one in narrative.conflicts for each in one.discrepancy.fact_ids}
    fixed |= {narrative.best.fact.id} if narrative.best is not None else set()
    seen: set[tuple[str, int]] = set()
    passages: list[tuple[str, PilePassage]] = []
    # The questions asked last are read first: what they brought has not been seen yet.
    for read in sorted(reads, key=lambda one: -one.question.depth):
        fresh = [one for one in read.passages if (one.snapshot_sha256, one.offset) not in seen][:MOST_OF_A_QUESTION]
        seen |= {(one.snapshot_sha256, one.offset) for one in fresh}
        passages += [(read.question.id, one) for one in fresh]
    passages = passages[:MOST_PASSAGES]
    said = [f"{one.title} {one.text}" for _, one in passages]
    answer = " ".join(part.answer for part in reply.parts if part.answer) if reply is not None else ""
    return ShownMaterial(
        facts=facts, fixed=frozenset(fixed), passages=passages, questions=questions, texts=said, answer=answer
    )


def values_of(work: RunContext, shown: ShownMaterial) -> dict[str, Any]:
    """The values of the prompt."""
    facts: list[dict[str, Any]] = []
    for name, one in shown.facts.items():
        card: dict[str, Any] = {"id": name, "text": one.fact.text, "source": one.passage.title}
        if one.carried is not None:
            card["sentence_before"] = one.carried.fact.text
        if one.fact.id in shown.fixed:
            card["fixed"] = True
        facts.append(card)
    return {
        "question": work.request.intent,
        "answer": shown.answer,
        "asked": [{"number": at, "question": one.reading} for at, one in enumerate(shown.questions, start=1)],
        "facts": facts,
        "passages": [
            {"number": at, "title": one.title, "text": one.text[:PASSAGE_LENGTH]}
            for at, (_, one) in enumerate(shown.passages)
        ],
    }
