"""Concluding: every sentence of the report bound to its span in an archived source, and the answer in a few words.

A research without an answer says what it searched; a part of the question that stayed open is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.researcher.absent import absent_claim
from averment.agents.researcher.answered import PartAnswer, Reply
from averment.agents.researcher.facts import FoundFact
from averment.agents.researcher.inferences import inferred_claims
from averment.agents.researcher.model_loop.loop import narrative_of, restated_claims
from averment.agents.researcher.narrative import ResearchNarrative
from averment.agents.researcher.questions import MAIN, planned_questions
from averment.agents.researcher.recall import PassageReader
from averment.agents.researcher.rounds import unreachable_pages
from averment.claims.relation import finding_of, make, told
from averment.errors import UntrueClaim
from averment.evidence.bind import result
from averment.records.claim import Claim, ClaimValue
from averment.runtime.decisions import Conclusion

if TYPE_CHECKING:
    from averment.agents.researcher.discrepancies import Resolution
    from averment.runtime.run_context import RunContext

METHOD = "A sentence of an archived source, word for word at its place."
ANSWER_METHOD = "The words of archived sources at their places, as the answering call gave them."
CONFLICT_METHOD = "Sentences of different sources that cannot all be true, and the rule that settles them."
TITLE_LENGTH = 80
_MOST_TITLES = 4


def conclude(work: RunContext, reader: PassageReader) -> Conclusion:
    """The findings and the answer; abstained where no source answers, with what comes nearest."""
    reads = reader.read_all(work)
    narrative = narrative_of(work, reader)
    reply = next((read.reply for read in reads if read.question.facet == MAIN), None)
    quotations = [quotation(one) for one in narrative.cited]
    restated = [*restated_claims(narrative), *inferred_claims(narrative.inferred)]
    disputes = [claim for one in narrative.conflicts if (claim := dispute(narrative, one)) is not None]
    findings = tuple(finding_of(claim) for claim in quotations)
    if reply is None or not reply.answered:
        pointed = next((one for one in narrative.cited if one.pointed), None)
        main = next((read for read in reads if read.question.facet == MAIN), None)
        if pointed is not None and main is not None and main.answered:
            answer = _told(narrative, pointed)
            return Conclusion(
                answer=answer, findings=findings, claims=(*quotations, *restated, *disputes), status="completed"
            )
        absent = absent_claim(work, reply)
        answer = nothing_found(work, reply)
        return Conclusion(
            answer=answer, findings=findings, claims=(absent, *quotations, *restated, *disputes), status="abstained"
        )
    asked = {read.question.id for read in reads}
    unasked = [question for question in planned_questions(work) if question.id not in asked]
    failed = [read for read in reads if read.question.task_id in work.state.failed]
    status = "partial_success" if unasked or failed or reply.missing else "completed"
    answers = [claim for place in range(len(reply.parts)) if (claim := answer_claim(reply, place)) is not None]
    return Conclusion(
        answer=_answer(narrative, reply),
        findings=findings,
        claims=(*answers, *quotations, *restated, *disputes),
        status=status,
    )


def quotation(fact: FoundFact) -> Claim:
    """A fact as a claim: the sentence and, where another one names its subject, that one before it."""
    values = [told("quote", fact.evidence, "quote")]
    if fact.carried is not None:
        values.append(told("subject", fact.carried.evidence, "quote"))
    return make("quotation", claim_id=str(fact.fact.id), values=values, sealed=None, method=METHOD)


def answer_claim(reply: Reply, place: int) -> Claim | None:
    """What was answered to a part of the question; none where a word of it stands in no source it rests on.

    Where a resolved disagreement overruled the answer, what is told is the quotation of the other side.
    """
    part = reply.parts[place]
    if not part.answer or part.overruled:
        return None
    answer = told("answer", result(reply.call_id, f"parts.{place}.answer", part.answer), "quote")
    spans = [fact.evidence for fact in part.facts]
    values: list[ClaimValue] = [answer, *(told("source", span, "quote") for span in spans)]
    names = [f"{one.title} {one.url}" for one in reply.sources]
    try:
        return make(
            "answered",
            claim_id=f"answer_{place}",
            values=values,
            sealed=None,
            figure=part.question,
            words={"documents": "\n".join(names)},
            method=ANSWER_METHOD,
        )
    except UntrueClaim:
        return None


def dispute(narrative: ResearchNarrative, resolved: Resolution) -> Claim | None:
    """A discrepancy as a claim; none where a side does not say what it would be told to say."""
    facts = [narrative.facts[fact_id] for fact_id in resolved.discrepancy.fact_ids]
    try:
        return make(
            "disagrees",
            claim_id=f"discrepancy_{resolved.discrepancy.id}",
            values=[told("side", fact.evidence, "quote", heading=fact.passage.title) for fact in facts],
            sealed=None,
            figure=resolved.discrepancy.topic,
            words={"resolution": resolved.discrepancy.resolution or ""},
            method=CONFLICT_METHOD,
        )
    except UntrueClaim:
        return None


def part_text(reply: Reply, place: int) -> str:
    """How a part of the question is told: its answer, else the sentences it rests on, else that it was not found."""
    part = reply.parts[place]
    claim = answer_claim(reply, place)
    if claim is not None:
        return claim.text
    if part.answer and part.facts:
        return " ".join(" ".join(fact.wording.split()) for fact in part.facts)
    return not_found(part)


def not_found(part: PartAnswer) -> str:
    """That a part of the question has no answer."""
    return f"Not found: {part.question.rstrip('?')}."


def nothing_found(work: RunContext, reply: Reply | None = None) -> str:
    """That no source answers, with what was searched, whether time ran out, and what comes nearest."""
    lines = [absent_claim(work, reply).text]
    if reply is not None and reply.nearest:
        near = reply.nearest[0]
        lines.append(
            f"Nearest passage, which may not answer it: {' '.join(near.wording.split())} (Source: {title_of(near)}.)"
        )
    else:
        titles = work.state.reading.get("nearest", ())
        if titles:
            lines.append("Nearest, but not on it: " + "; ".join(str(title)[:TITLE_LENGTH] for title in titles) + ".")
    lines += [f"Not reachable: {one['url']} ({one['reason']})" for one in unreachable_pages(work)]
    return "\n".join(lines)


def title_of(fact: FoundFact) -> str:
    """The title of a fact's source, as long as a sentence bears."""
    return fact.passage.title[:TITLE_LENGTH]


def _told(narrative: ResearchNarrative, fact: FoundFact) -> str:
    """A fact with the sentence that names its subject, and its source."""
    shown = (narrative.named_in(fact), fact)
    said = " ".join(" ".join(one.wording.split()) for one in shown if one is not None)
    return f"{said} (Source: {narrative.source_of(fact).title[:TITLE_LENGTH]}.)"


def _answer(narrative: ResearchNarrative, reply: Reply) -> str:
    """The answer with its sources, and what speaks against it."""
    titles = list(dict.fromkeys(title_of(fact) for fact in reply.facts))[:_MOST_TITLES]
    named = f" ({'Source' if len(titles) == 1 else 'Sources'}: {'; '.join(titles)}.)" if titles else ""
    said = " ".join(dict.fromkeys(part_text(reply, place) for place in range(len(reply.parts))))
    parts = [f"{said}{named}"]
    places = {(one.evidence.snapshot_sha256, one.evidence.start) for one in reply.facts}
    for one in narrative.conflicts:
        sides = [narrative.facts[fact_id].evidence for fact_id in one.discrepancy.fact_ids]
        claim = dispute(narrative, one)
        if claim is not None and any((side.snapshot_sha256, side.start) in places for side in sides):
            parts.append(claim.text)
    return " ".join(parts)
