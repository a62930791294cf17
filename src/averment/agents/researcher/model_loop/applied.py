"""What a model's steps change in what is told: facts set aside, told in other words, their sections and their order.

Everything is read off the rounds and checked again, so that whoever verifies the run comes to the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from averment.agents.researcher.inferences import inferences_of
from averment.agents.researcher.narrative import Place, ResearchNarrative, Section, compose, place_of
from averment.claims.of_restatements import restates
from averment.claims.relation import make, told
from averment.errors import UntrueClaim

if TYPE_CHECKING:
    from averment.agents.researcher.facts import FoundFact
    from averment.agents.researcher.recall import PassageReader, QuestionReading
    from averment.records.claim import Claim
    from averment.runtime.decisions import Round
    from averment.runtime.run_context import RunContext

METHOD = "A sentence of an archived source in another order, voice or synonym, or without its asides."


def narrative_of(work: RunContext, reader: PassageReader) -> ResearchNarrative:
    """What the research tells, with what a model set aside, wrote in other words, put first and outlined."""
    rounds = work.state.rounds
    found = reader.read_all(work)
    # One sentence may be a fact of several questions: what is said of it holds for its place.
    places = {str(one.fact.id): place_of(one) for read in found for one in read.facts}
    aside = {places.get(name) for round_ in rounds for name in round_.state.get("rejected", ())}
    written = {places.get(n): text for round_ in rounds for n, text in round_.state.get("written", {}).items()}
    reads = [_applied(read, aside, written) for read in found]
    outline = next((round_ for round_ in reversed(rounds) if "sections" in round_.state), None)
    narrative = compose(reads, preferred=outline.state.get("summary", ()) if outline is not None else ())
    if outline is not None:
        narrative = _outlined(narrative, outline, reads)
    kept = [one for round_ in rounds for one in round_.state.get("inferred", ())]
    # A fact is known by its place: the sentence of one question may be told under another.
    told = {place_of(one): one for one in narrative.cited}
    facts = {name: told[place] for name, place in places.items() if place in told}
    return replace(narrative, inferred=inferences_of(kept, facts)) if kept else narrative


def _applied(read: QuestionReading, aside: set[Place | None], written: dict[Place | None, str]) -> QuestionReading:
    kept = [_told(one, written.get(place_of(one))) for one in read.facts if place_of(one) not in aside]
    return replace(read, facts=tuple(kept))


def _told(fact: FoundFact, text: str | None) -> FoundFact:
    before = fact.carried.fact.text if fact.carried is not None else ""
    return fact if text is None or not restates(text, fact.fact.text, before) else replace(fact, told=text)


def _outlined(narrative: ResearchNarrative, outline: Round, reads: Sequence[QuestionReading]) -> ResearchNarrative:
    """The sections in the model's order; a fact that it gave no place keeps its own."""
    questions = {read.question.id: read.question for read in reads}
    facts = {str(one.fact.id): one for section in narrative.sections for one in section.facts}
    sections: list[Section] = []
    used: set[str] = set()
    for wanted in outline.state["sections"]:
        fresh = [name for name in wanted["facts"] if name in facts and name not in used]
        if fresh and wanted["question"] in questions:
            used |= set(fresh)
            sections.append(Section(questions[wanted["question"]], tuple(facts[name] for name in fresh)))
    for section in narrative.sections:
        rest = tuple(one for one in section.facts if str(one.fact.id) not in used)
        known = next((at for at, one in enumerate(sections) if one.question.id == section.question.id), None)
        if known is not None:
            sections[known] = replace(sections[known], facts=(*sections[known].facts, *rest))
        elif rest:
            sections.append(replace(section, facts=rest))
    return replace(narrative, sections=tuple(sections))


def restated_claims(narrative: ResearchNarrative) -> list[Claim]:
    """The facts that are told in other words, each as a claim over its span."""
    found: list[Claim] = []
    for fact in narrative.cited:
        if not fact.told or fact.told == fact.fact.text:
            continue
        values = [told("quote", fact.evidence, "quote")]
        values += [told("subject", fact.carried.evidence, "quote")] if fact.carried is not None else []
        try:
            name = f"restated_{fact.fact.id}"
            found.append(
                make("restated", claim_id=name, values=values, sealed=None, words={"said": fact.told}, method=METHOD)
            )
        except UntrueClaim:
            continue  # Words without their markup are told by the quotation itself.
    return found
