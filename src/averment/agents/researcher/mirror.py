"""Keeping a research in the contract's tables: request, plan, sources, facts, discrepancies, report and citations.

The tables are for looking things up; the proof is in the run's own records. A run that is being checked writes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from averment.agents.researcher.credibility import judge_source, trust_of
from averment.agents.researcher.model_loop.applied import narrative_of
from averment.agents.researcher.planner import plan_of
from averment.agents.researcher.questions import ResearchQuestion, plan_id_of, request_of
from averment.agents.researcher.recall import PassageReader, QuestionReading
from averment.agents.researcher.report_schema import report_record
from averment.records.base import derived_id, utc_now
from averment.records.research.plan import SubQuestion
from averment.records.research.request import ResearchRequest, ResearchStatus
from averment.records.research.sources import SearchResult

if TYPE_CHECKING:
    from averment.runtime.decisions import Conclusion
    from averment.runtime.run_context import RunContext
    from averment.runtime.services import Services

_CONTENT, _TITLE, _RESULTS = 10_000, 200, 10


def keep_plan(work: RunContext, questions: tuple[ResearchQuestion, ...]) -> None:
    """Keep the request and its plan."""
    from averment.store.corpus.research import ResearchStore

    store, request = ResearchStore(work.services.store.database), request_of(work)
    store.put_request(request.as_seed())
    store.put_plan(plan_of(request, questions))


def keep_refusal(work: RunContext) -> None:
    """Keep a request that the sources do not answer, as what it is."""
    from averment.store.corpus.research import ResearchStore

    ResearchStore(work.services.store.database).put_request(request_of(work).as_seed().moved(ResearchStatus.FAILED))


def keep_status(work: RunContext, status: ResearchStatus) -> None:
    """Keep how far a research is, while it happens; nothing once the run rests."""
    if work.services.store.runs.get(work.run_id).status != "executing":
        return
    from averment.store.corpus.research import ResearchStore

    request = request_of(work).as_seed()
    for step in (ResearchStatus.EXECUTING, ResearchStatus.VERIFYING, ResearchStatus.SYNTHESIZING):
        request = request.moved(step)
        if step == status:
            break
    ResearchStore(work.services.store.database).put_request(request)


def keep_end(services: Services, run_id: str) -> None:
    """Keep that a research ended without a report: its run failed, was cancelled or was interrupted."""
    from averment.store.corpus.research import ResearchStore

    store = ResearchStore(services.store.database)
    request = store.get_request(UUID(run_id))
    if request is not None and request.status is not ResearchStatus.FAILED:
        # What was kept while the report was written ends with it: a report that cannot be sealed completes nothing.
        begun = request.changed(status=ResearchStatus.PLANNING, completion_time_seconds=None)
        store.put_request(begun.moved(ResearchStatus.FAILED))


def keep_report(work: RunContext, reader: PassageReader, conclusion: Conclusion) -> None:
    """Keep what was found and told; nothing once the run rests."""
    if work.services.store.runs.get(work.run_id).status != "executing":
        return
    from averment.store.corpus.research import ResearchStore

    store, request = ResearchStore(work.services.store.database), request_of(work)
    reads = reader.read_all(work)
    for read in reads:
        store.put_question(_question(work, read))
    narrative = narrative_of(work, reader)
    # A fact first without its discrepancy: the two name each other, and putting the discrepancy marks its facts.
    bare = [
        (read.question.title, each.fact)
        for read in reads
        for one in read.facts
        for each in (one.carried, one)
        if each is not None
    ]
    store.put_facts(fact.changed(section=title, discrepancy_id=None) for title, fact in bare)
    for resolved in narrative.conflicts:
        store.put_discrepancy(resolved.discrepancy)
    if conclusion.findings and narrative.sections:
        report, citations = report_record(request, narrative)
        store.put_report(report, citations)
    finished = conclusion.status in {"completed", "partial_success"}
    store.put_request(_moved(request.as_seed(), finished=finished))


def _moved(request: ResearchRequest, *, finished: bool) -> ResearchRequest:
    """The request where the run has come to, step by step along its table."""
    if not finished:
        return request.moved(ResearchStatus.FAILED)
    for status in (ResearchStatus.EXECUTING, ResearchStatus.VERIFYING, ResearchStatus.SYNTHESIZING):
        request = request.moved(status)
    seconds = max(0.0, (utc_now() - request.created_at).total_seconds())
    return request.moved(ResearchStatus.COMPLETED, seconds=seconds)


def _question(work: RunContext, read: QuestionReading) -> SubQuestion:
    results: list[SearchResult] = []
    for source in read.sources:
        facts = [one.fact.id for one in read.facts if one.passage.snapshot_sha256 == source.snapshot_sha256]
        quoted = [one.passage for one in read.facts if one.passage.snapshot_sha256 == source.snapshot_sha256]
        passages = [one for one in read.passages if one.snapshot_sha256 == source.snapshot_sha256] or quoted
        if not passages:
            continue
        results.append(
            SearchResult.model_validate(
                {
                    "id": derived_id(read.question.id, source.document_id),
                    "sub_question_id": UUID(read.question.id),
                    "url": source.url,
                    "title": source.title[:_TITLE] or source.url[:_TITLE],
                    "content": "\n\n".join(one.text for one in passages)[:_CONTENT],
                    "domain": source.domain,
                    "access_timestamp": source.accessed_at,
                    "credibility_score": judge_source(source.domain, source.url, trust_of(work)),
                    "extracted_facts": facts,
                }
            )
        )
    # What is quoted comes first: the contract keeps ten results of a question.
    results.sort(key=lambda one: not one.extracted_facts)
    results = results[:_RESULTS]
    status = "completed" if read.answered else "failed"
    return read.question.as_seed(plan_id_of(work.run_id), status=status, search_results=results)
