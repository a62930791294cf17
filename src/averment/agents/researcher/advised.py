"""The rounds of a research that a model advises: it may point to sentences, and say at the end which facts come first.

Both are rounds of their own without tasks; what was accepted stands in their state and is checked again by whoever
verifies the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from averment.agents.researcher.narrative import Narrative, compose
from averment.agents.researcher.questions import ORDER_KIND, Question, asked_questions, preferred_in
from averment.agents.researcher.recall import Desk, Read
from averment.agents.researcher.rounds import next_round, taken_of
from averment.spine.agent import Round

if TYPE_CHECKING:
    from averment.agents.researcher.sources import Surveyed
    from averment.records.research.run import ResearchRun
    from averment.spine.work import Work

SENTENCES_KIND = "sentences"


class Adviser(Protocol):
    """Who may divide the question, point to sentences and put facts in order; a model can stand behind it."""

    def questions(
        self, work: Work, request: ResearchRun, found: Surveyed, rules: tuple[Question, ...]
    ) -> tuple[tuple[Question, ...], dict[str, Any]]:
        """The plan's questions, and what is to be told of who proposed them."""
        ...

    def sentences(self, work: Work, read: Read) -> dict[str, Any]:
        """Places of sentences that answer a question."""
        ...

    def order(self, work: Work, narrative: Narrative) -> dict[str, Any]:
        """The facts that come first."""
        ...


def next_advised(work: Work, desk: Desk, adviser: Adviser, number: int) -> Round | None:
    """What a model points to in what was just searched, else the next round by the rules, and the order last."""
    seen = {round_.state.get("read_for") for round_ in work.rounds}
    for question in asked_questions(work):
        read = desk.read(work, question)
        if question.id not in seen and read.passages:
            state = {"kind": SENTENCES_KIND, "read_for": question.id, **adviser.sentences(work, read)}
            return Round(number=number, decision="POINT", reason=f"a model reads for: {question.text}", state=state)
    decided = next_round(work, desk, number)
    if decided is not None or any(round_.state.get("kind") == ORDER_KIND for round_ in work.rounds):
        return decided
    narrative = narrative_of(work, desk)
    if not narrative.cited:
        return None
    state = {"kind": ORDER_KIND, **adviser.order(work, narrative)}
    return Round(number=number, decision="TELL", reason="a model may say which facts come first", state=state)


def take_advised(work: Work, desk: Desk, round_: Round) -> dict[str, Any] | None:
    """What an advised round brought, made of what was recorded; None for a round of another kind."""
    kind = round_.state.get("kind")
    if kind == SENTENCES_KIND:
        question = next(one for one in asked_questions(work) if one.id == round_.state["read_for"])
        return taken_of(desk.read(work, question))
    if kind == ORDER_KIND:
        first = len(preferred_in(work))
        return {"finding": {"summary": f"a model chose {first} facts to come first"}, "told": first}
    return None


def narrative_of(work: Work, desk: Desk) -> Narrative:
    """What the research tells; a model may have said which facts come first."""
    return compose(desk.read_all(work), preferred=preferred_in(work))
