"""Concluding: every sentence of the report bound to its span in an archived source, and the answer in a few words.

A research that found nothing says so, with what it searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.researcher.advised import narrative_of
from averment.agents.researcher.facets import BY_KEY
from averment.agents.researcher.facts import FoundFact
from averment.agents.researcher.narrative import Narrative
from averment.agents.researcher.questions import MAIN, planned_questions, request_of
from averment.agents.researcher.recall import Desk, Read
from averment.agents.researcher.rounds import unreachable_pages
from averment.evidence.bind import bind, slot
from averment.language.claims import read_focus
from averment.records.run import Finding
from averment.spine.agent import Conclusion

if TYPE_CHECKING:
    from averment.spine.work import Work

METHOD = "A sentence of an archived source, word for word at its place."
_TITLE = 80
_SHOWN_BY = {"date": "when", "number": "how_much"}


def conclude(work: Work, desk: Desk) -> Conclusion:
    """The findings and the answer; abstained where no source answers, with what comes nearest."""
    reads = desk.read_all(work)
    narrative = narrative_of(work, desk)
    if not narrative.sections or not _says_what_was_asked(reads):
        return Conclusion(answer=nothing_found(work), findings=(), status="abstained")
    findings = tuple(finding_of(one) for one in narrative.cited)
    if any(question.facet == MAIN for question in narrative.unanswered):
        return Conclusion(answer=nothing_found(work, _told(narrative)), findings=findings, status="abstained")
    asked = {read.question.id for read in reads}
    unasked = [question for question in planned_questions(work) if question.id not in asked]
    failed = [read for read in reads if read.question.task_id in work.failed]
    status = "partial_success" if unasked or failed else "completed"
    return Conclusion(answer=_answer(narrative), findings=findings, status=status)


def _says_what_was_asked(reads: list[Read]) -> bool:
    """Whether a sentence gives a date where a date was asked for, and a figure where a figure was."""
    for read in reads:
        kind = read_focus(read.question.reading).kind if read.question.facet == MAIN else None
        facet = BY_KEY.get(_SHOWN_BY.get(kind or "", ""))
        if facet is not None and not any(facet.shows(one.fact.text) for one in read.facts):
            return False
    return True


def finding_of(fact: FoundFact) -> Finding:
    """A fact as a finding: the sentence and, where another one names its subject, that one before it."""
    slots = {"quote": slot(fact.evidence)}
    if fact.carried is None:
        return bind(finding_id=str(fact.fact.id), template="{quote}", slots=slots, method=METHOD)
    slots["subject"] = slot(fact.carried.evidence)
    return bind(finding_id=str(fact.fact.id), template="{subject} {quote}", slots=slots, method=METHOD)


def nothing_found(work: Work, nearest: str = "") -> str:
    """That the sources do not answer, where was looked, and the sentence or else the titles that come nearest."""
    request = request_of(work)
    held = work.reading.get("corpus", {})
    asked = [question.text for question in planned_questions(work)] or [request.intent]
    lines = [
        f"The sources do not answer this. Searched: {held.get('documents', 0)} archived documents"
        f" ({', '.join(request.providers)})."
    ]
    lines += [f"Asked: {text}" for text in asked]
    titles = work.reading.get("nearest", ())
    if nearest:
        lines.append(f"Nearest, but no answer: {nearest}")
    elif titles:
        lines.append("Nearest, but not on it: " + "; ".join(str(title)[:_TITLE] for title in titles) + ".")
    lines += [f"Not reachable: {one['url']} ({one['reason']})" for one in unreachable_pages(work)]
    return "\n".join(lines)


def _told(narrative: Narrative) -> str:
    """The best fact with the sentence that names its subject, and its source."""
    best = narrative.best or narrative.summary[0]
    shown = (best,) if best.told else (narrative.named_in(best), best)  # Words of its own name the subject themselves.
    said = " ".join(" ".join(one.wording.split()) for one in shown if one is not None)
    return f"{said} (Source: {narrative.source_of(best).title[:_TITLE]}.)"


def _answer(narrative: Narrative) -> str:
    """The sentence that answers, with its source, and what speaks for or against it."""
    best = narrative.best or narrative.summary[0]
    parts = [_told(narrative)]
    against = [one for one in narrative.conflicts if best.fact.id in one.discrepancy.fact_ids]
    parts += [f"Sources disagree on this. {one.discrepancy.resolution}" for one in against]
    if best.fact.verified and not against:
        parts.append("An independent source agrees.")
    return " ".join(parts)
