"""Concluding: every sentence of the report bound to its span in an archived source, and the answer in a few words.

A research without an answer says what it searched; a part of the question that stayed open is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.researcher.absent import absent_of
from averment.agents.researcher.advised import narrative_of
from averment.agents.researcher.answered import Reply
from averment.agents.researcher.facts import FoundFact
from averment.agents.researcher.narrative import Narrative
from averment.agents.researcher.questions import MAIN, planned_questions
from averment.agents.researcher.recall import Desk
from averment.agents.researcher.rounds import unreachable_pages
from averment.evidence.bind import bind, slot
from averment.records.run import Finding
from averment.spine.agent import Conclusion

if TYPE_CHECKING:
    from averment.spine.work import Work

METHOD = "A sentence of an archived source, word for word at its place."
_TITLE = 80
_MOST_TITLES = 4


def conclude(work: Work, desk: Desk) -> Conclusion:
    """The findings and the answer; abstained where no source answers, with what comes nearest."""
    reads = desk.read_all(work)
    narrative = narrative_of(work, desk)
    reply = next((read.reply for read in reads if read.question.facet == MAIN), None)
    findings = tuple(finding_of(one) for one in narrative.cited)
    if reply is None or not reply.answered:
        pointed = next((one for one in narrative.cited if one.pointed), None)
        main = next((read for read in reads if read.question.facet == MAIN), None)
        if pointed is not None and main is not None and main.answered:
            return Conclusion(answer=_told(narrative, pointed), findings=findings, status="completed")
        return Conclusion(answer=nothing_found(work, reply), findings=findings, status="abstained")
    asked = {read.question.id for read in reads}
    unasked = [question for question in planned_questions(work) if question.id not in asked]
    failed = [read for read in reads if read.question.task_id in work.failed]
    status = "partial_success" if unasked or failed or reply.missing else "completed"
    return Conclusion(answer=_answer(narrative, reply), findings=findings, status=status)


def finding_of(fact: FoundFact) -> Finding:
    """A fact as a finding: the sentence and, where another one names its subject, that one before it."""
    slots = {"quote": slot(fact.evidence)}
    if fact.carried is None:
        return bind(finding_id=str(fact.fact.id), template="{quote}", slots=slots, method=METHOD)
    slots["subject"] = slot(fact.carried.evidence)
    return bind(finding_id=str(fact.fact.id), template="{subject} {quote}", slots=slots, method=METHOD)


def nothing_found(work: Work, reply: Reply | None = None) -> str:
    """That no source answers, with what was searched, whether time ran out, and what comes nearest."""
    absent = absent_of(work, reply)
    lines = [absent.text]
    if reply is not None and reply.nearest:
        near = reply.nearest[0]
        lines.append(
            f"Nearest, but no answer: {' '.join(near.wording.split())} (Source: {near.passage.title[:_TITLE]}.)"
        )
    else:
        titles = work.reading.get("nearest", ())
        if titles:
            lines.append("Nearest, but not on it: " + "; ".join(str(title)[:_TITLE] for title in titles) + ".")
    lines += [f"Not reachable: {one['url']} ({one['reason']})" for one in unreachable_pages(work)]
    return "\n".join(lines)


def _told(narrative: Narrative, fact: FoundFact) -> str:
    """A fact with the sentence that names its subject, and its source."""
    shown = (fact,) if fact.told else (narrative.named_in(fact), fact)  # Words of its own name the subject themselves.
    said = " ".join(" ".join(one.wording.split()) for one in shown if one is not None)
    return f"{said} (Source: {narrative.source_of(fact).title[:_TITLE]}.)"


def _answer(narrative: Narrative, reply: Reply) -> str:
    """The answer with its sources, and what speaks against it."""
    titles = list(dict.fromkeys(fact.passage.title[:_TITLE] for fact in reply.facts))[:_MOST_TITLES]
    named = f" ({'Source' if len(titles) == 1 else 'Sources'}: {'; '.join(titles)}.)" if titles else ""
    parts = [f"{reply.text}{named}"]
    places = {(one.evidence.snapshot_sha256, one.evidence.start) for one in reply.facts}
    for one in narrative.conflicts:
        sides = [narrative.facts[fact_id].evidence for fact_id in one.discrepancy.fact_ids]
        if any((side.snapshot_sha256, side.start) in places for side in sides):
            parts.append(f"Sources disagree on this. {one.discrepancy.resolution}")
    return " ".join(parts)
