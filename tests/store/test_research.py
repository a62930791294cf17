from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import inspect

from averment.errors import StoreConflict
from averment.records.research.citations import CitationLink
from averment.records.research.plan import ResearchPlan, SubQuestion
from averment.records.research.report import NarrativeReport, ReportSection, word_count
from averment.records.research.request import DepthLevel, ResearchRequest, ResearchStatus
from averment.records.research.sources import Discrepancy, Fact, SearchResult
from averment.store.corpus.research import ResearchStore
from averment.store.db.database import Database

NOON = datetime(2026, 1, 23, 12, tzinfo=UTC)
URL = "https://example.org/report"


@pytest.fixture
def store(database: Database) -> ResearchStore:
    return ResearchStore(database)


def a_request(**changes: object) -> ResearchRequest:
    return ResearchRequest.model_validate({"query": "What did wind power cost in 2024?", "created_at": NOON} | changes)


def a_plan(request: ResearchRequest) -> ResearchPlan:
    plan_id = uuid4()
    questions = [
        SubQuestion(plan_id=plan_id, text=f"What about part {number} of it?", priority=number) for number in (3, 1, 2)
    ]
    return ResearchPlan(id=plan_id, request_id=request.id, sub_questions=tuple(questions), created_at=NOON)


def a_result(question: SubQuestion, title: str = "Report") -> SearchResult:
    return SearchResult(
        sub_question_id=question.id, url=URL, title=title, content="text", domain="example.org", access_timestamp=NOON
    )


def a_fact(result: SearchResult, number: int) -> Fact:
    return Fact(
        text=f"Wind power cost {number} cents in 2024.",
        source_url=result.url,
        source_id=result.id,
        confidence=0.9,
        extraction_timestamp=NOON + timedelta(seconds=number),
    )


def filled(store: ResearchStore) -> tuple[ResearchRequest, ResearchPlan, tuple[Fact, ...]]:
    request = a_request()
    plan = a_plan(request)
    store.put_request(request)
    store.put_plan(plan)
    result = a_result(plan.sub_questions[0])
    store.put_result(result)
    facts = tuple(a_fact(result, number) for number in (5, 7))
    store.put_facts(facts)
    return request, plan, facts


def test_requests_read_back_move_on_and_come_newest_first(store: ResearchStore) -> None:
    first = a_request(depth_level=DepthLevel.QUICK, user_id="ann")
    second = a_request(created_at=NOON + timedelta(hours=1))
    for request in (first, second):
        store.put_request(request)
    assert store.get_request(first.id) == first
    assert store.list() == [second, first]
    moved = first.moved(ResearchStatus.EXECUTING)
    store.put_request(moved)
    assert store.get_request(first.id) == moved
    assert store.get_request(uuid4()) is None


def test_a_plan_reads_back_in_its_order_and_questions_grow_from_it(store: ResearchStore) -> None:
    request = a_request()
    store.put_request(request)
    assert store.get_plan(request.id) is None
    plan = a_plan(request)
    store.put_plan(plan)
    assert store.get_plan(request.id) == plan
    parent = plan.sub_questions[0]
    grown = SubQuestion(
        plan_id=plan.id, text="Why did part three change so?", priority=1, parent_question_id=parent.id, depth=1
    )
    store.put_question(grown)
    assert store.get_plan(request.id) == plan
    assert store.questions(request.id) == (*plan.sub_questions, grown)


def test_a_questions_sources_keep_their_order_and_its_status_may_change(store: ResearchStore) -> None:
    request = a_request()
    plan = a_plan(request)
    store.put_request(request)
    store.put_plan(plan)
    results = tuple(a_result(plan.sub_questions[0], title) for title in ("B", "A", "C"))
    store.put_result(results[0])
    done = plan.sub_questions[0].changed(status="completed", search_results=results)
    store.put_question(done)
    assert store.questions(request.id)[0] == done
    store.put_result(results[1].changed(extracted_facts=(uuid4(),)))
    assert [result.title for result in store.results(request.id)] == ["B", "A", "C"]
    assert len(store.results(request.id)[1].extracted_facts) == 1


def test_facts_and_their_discrepancy_are_found_by_request(store: ResearchStore) -> None:
    request, _, facts = filled(store)
    other, _, _ = filled(store)
    assert store.facts(request.id) == facts
    found = Discrepancy(fact_ids=(facts[1].id, facts[0].id), topic="cost of wind power", created_at=NOON)
    store.put_discrepancy(found)
    assert store.discrepancies(request.id) == (found,)
    assert store.discrepancies(other.id) == ()
    assert {fact.discrepancy_id for fact in store.facts(request.id)} == {found.id}
    settled = found.changed(resolution="consensus", resolution_confidence=0.8)
    store.put_discrepancy(settled)
    assert store.discrepancies(request.id) == (settled,)


def a_report(request: ResearchRequest, fact_ids: tuple[UUID, ...]) -> NarrativeReport:
    report_id = uuid4()
    content = "word " * 300 + "".join(f"[cite:{fact_id}]" for fact_id in fact_ids)
    sections = tuple(
        ReportSection(report_id=report_id, title=f"Part {order}", content=content, fact_ids=fact_ids[::-1], order=order)
        for order in (1, 2)
    )
    return NarrativeReport(
        id=report_id,
        request_id=request.id,
        executive_summary="word " * 200,
        sections=sections,
        total_word_count=sum(word_count(section.content) for section in sections),
        total_sources=1,
        generated_at=NOON,
        quality_score=0.5,
    )


def test_a_report_reads_back_with_its_sections_and_its_citations_both_ways(store: ResearchStore) -> None:
    request, _, facts = filled(store)
    assert store.get_report(request.id) is None
    report = a_report(request, tuple(fact.id for fact in facts))
    links = [
        CitationLink(fact_id=fact.id, source_url=URL, source_title="Report", access_timestamp=NOON) for fact in facts
    ]
    for _ in range(2):
        store.put_report(report, links)
    assert store.get_report(request.id) == report
    assert store.citations_of_fact(facts[0].id) == (links[0],)
    assert set(store.citations_of_source(URL)) == set(links)
    assert store.citations_of_source("https://example.org/other") == ()


def test_a_fact_without_its_source_is_refused(store: ResearchStore) -> None:
    _, plan, _ = filled(store)
    with pytest.raises(StoreConflict):
        store.put_facts([a_fact(a_result(plan.sub_questions[0]), 9)])


@pytest.mark.seed("C-058", "C-059", "C-060")
def test_the_tables_have_the_names_junctions_and_indexes_of_the_seed(database: Database) -> None:
    with database.read() as connection:
        found = inspect(connection)
        tables = set(found.get_table_names())
        indexes = {index["name"] for table in tables for index in found.get_indexes(table)}
        keys = {
            table: found.get_pk_constraint(table)["constrained_columns"]
            for table in ("fact_discrepancies", "section_facts")
        }
    assert {
        "research_requests",
        "research_plans",
        "sub_questions",
        "search_results",
        "facts",
        "discrepancies",
        "narrative_reports",
        "report_sections",
    } <= tables
    assert {"idx_facts_source", "idx_sub_questions_parent", "idx_search_results_domain"} <= indexes
    assert keys == {"fact_discrepancies": ["fact_id", "discrepancy_id"], "section_facts": ["section_id", "fact_id"]}
