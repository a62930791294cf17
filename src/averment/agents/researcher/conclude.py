"""Concluding: every sentence of the report bound to its span in an archived source, and the answer in a few words.

A research that found nothing says so, with what it searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.researcher.facets import BY_KEY
from averment.agents.researcher.facts import FoundFact
from averment.agents.researcher.narrative import Narrative, compose
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
    """The findings and the answer; abstained where no source answers."""
    reads = desk.read_all(work)
    narrative = compose(reads)
    if not narrative.sections or not _says_what_was_asked(reads):
        return Conclusion(answer=nothing_found(work), findings=(), status="abstained")
    findings = tuple(finding_of(one) for one in narrative.cited)
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
    """A fact as a finding: the sentence, and nothing but the sentence."""
    return bind(finding_id=str(fact.fact.id), template="{quote}", slots={"quote": slot(fact.evidence)}, method=METHOD)


def nothing_found(work: Work) -> str:
    """That the sources do not answer, and where was looked."""
    request = request_of(work)
    held = work.reading.get("corpus", {})
    asked = [question.text for question in planned_questions(work)] or [request.intent]
    lines = [
        f"The sources do not answer this. Searched: {held.get('documents', 0)} archived documents"
        f" ({', '.join(request.providers)})."
    ]
    lines += [f"Asked: {text}" for text in asked]
    nearest = work.reading.get("nearest", ())
    if nearest:
        lines.append("Nearest, but not on it: " + "; ".join(str(title)[:_TITLE] for title in nearest) + ".")
    lines += [f"Not reachable: {one['url']} ({one['reason']})" for one in unreachable_pages(work)]
    return "\n".join(lines)


def _answer(narrative: Narrative) -> str:
    """The sentence that answers, with its source, and what speaks for or against it."""
    best = narrative.summary[0]
    parts = [f"{' '.join(best.fact.text.split())} (Source: {narrative.source_of(best).title[:_TITLE]}.)"]
    against = [one for one in narrative.conflicts if best.fact.id in one.discrepancy.fact_ids]
    parts += [f"Sources disagree on this. {one.discrepancy.resolution}" for one in against]
    if best.fact.verified and not against:
        parts.append("An independent source agrees.")
    return " ".join(parts)
