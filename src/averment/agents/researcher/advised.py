"""The rounds of a research that a model advises: after each search it may point to sentences, at the end retell facts.

Both are rounds of their own without tasks; what was accepted stands in their state and is checked again by whoever
verifies the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from averment.agents.researcher.narrative import Narrative, compose
from averment.agents.researcher.proposals import retelling_fault
from averment.agents.researcher.questions import Question, asked_questions, retold_in
from averment.agents.researcher.recall import Desk, Read
from averment.agents.researcher.rounds import next_round, taken_of
from averment.spine.agent import Round

if TYPE_CHECKING:
    from averment.agents.researcher.sources import Surveyed
    from averment.language.claims import Likeness
    from averment.records.research.run import ResearchRun
    from averment.spine.work import Work

SENTENCES_KIND, WORDS_KIND = "sentences", "words"


class Adviser(Protocol):
    """Who may divide the question, point to sentences and retell facts; a model can stand behind it."""

    def questions(
        self, work: Work, request: ResearchRun, found: Surveyed, rules: tuple[Question, ...]
    ) -> tuple[tuple[Question, ...], dict[str, Any]]:
        """The plan's questions, and what is to be told of who proposed them."""
        ...

    def sentences(self, work: Work, read: Read) -> dict[str, Any]:
        """Places of sentences that answer a question."""
        ...

    def words(self, work: Work, narrative: Narrative, likeness: Likeness) -> dict[str, Any]:
        """Other words for facts."""
        ...


def next_advised(work: Work, desk: Desk, adviser: Adviser, number: int) -> Round | None:
    """What a model points to in what was just searched, else the next round by the rules, and the retelling last."""
    seen = {round_.state.get("read_for") for round_ in work.rounds}
    for question in asked_questions(work):
        read = desk.read(work, question)
        if question.id not in seen and read.passages:
            state = {"kind": SENTENCES_KIND, "read_for": question.id, **adviser.sentences(work, read)}
            return Round(number=number, decision="POINT", reason=f"a model reads for: {question.text}", state=state)
    decided = next_round(work, desk, number)
    if decided is not None or any(round_.state.get("kind") == WORDS_KIND for round_ in work.rounds):
        return decided
    narrative = narrative_of(work, desk)
    if not narrative.cited:
        return None
    state = {"kind": WORDS_KIND, **adviser.words(work, narrative, desk.likeness(work))}
    return Round(number=number, decision="TELL", reason="a model may retell the facts", state=state)


def take_advised(work: Work, desk: Desk, round_: Round) -> dict[str, Any] | None:
    """What an advised round brought, made of what was recorded; None for a round of another kind."""
    kind = round_.state.get("kind")
    if kind == SENTENCES_KIND:
        question = next(one for one in asked_questions(work) if one.id == round_.state["read_for"])
        return taken_of(desk.read(work, question))
    if kind == WORDS_KIND:
        told = sum(bool(one.told) for one in narrative_of(work, desk).cited)
        return {"finding": {"summary": f"{told} facts are told in a model's words"}, "told": told}
    return None


def narrative_of(work: Work, desk: Desk) -> Narrative:
    """What the research tells; a model's words stand where they pass the check again."""
    reads = desk.read_all(work)
    retold, preferred = retold_in(work)
    if not retold and not preferred:
        return compose(reads)
    known, likeness = compose(reads).facts, desk.likeness(work)
    facts = {str(fact_id): one for fact_id, one in known.items()}
    passed = {
        fact_id: text
        for fact_id, text in retold.items()
        if fact_id in facts and retelling_fault(text, facts[fact_id], likeness) is None
    }
    return compose(reads, retold=passed, preferred=preferred)
