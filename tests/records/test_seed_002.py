"""The records of seed 002, the researcher: their fields and limits as one table, and what a table cannot hold."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from table import Limit, Shape, Steps, among, between, length, limit, rows, shape, share

from averment.errors import IllegalTransition, NotEnoughEvidence, PlanCycle, PlanInvalid
from averment.records.refusal import checked
from averment.records.research import citations, plan, report, request, sources
from averment.records.research.plan import QuestionTree, SubQuestion
from averment.records.research.request import DEPTH_LIMITS, DepthLevel, ResearchStatus

ID, FACTS = UUID(int=7), tuple(UUID(int=number) for number in range(1, 5))
URL = "https://www.reuters.com/a"
WORKING = tuple(status for status in ResearchStatus if status not in (ResearchStatus.COMPLETED, ResearchStatus.FAILED))


def question(priority: int = 1, **values: Any) -> SubQuestion:
    return SubQuestion.model_validate({"plan_id": ID, "text": "What is a heat pump?", "priority": priority, **values})


def child(parent: SubQuestion, **values: Any) -> SubQuestion:
    given_values: dict[str, Any] = {"parent_question_id": parent.id, "depth": parent.depth + 1, **values}
    return question(**given_values)


def roots(count: int, **values: Any) -> list[SubQuestion]:
    return [question(number, **values) for number in range(1, count + 1)]


def found(many: int) -> list[dict[str, Any]]:
    one = {"sub_question_id": ID, "url": "https://a.org", "title": "a", "content": "", "domain": "a.org"}
    return [{**one, "id": str(UUID(int=number))} for number in range(many)]


def citing(*facts: UUID, words: int = 300) -> str:
    return "word " * words + " ".join(f"[cite:{fact}]" for fact in facts)


def section(order: int = 1, **values: Any) -> dict[str, Any]:
    three = {"report_id": ID, "title": "Overview", "content": citing(*FACTS[:3]), "fact_ids": FACTS, "order": order}
    return {**three, **values}


def told(*sections: dict[str, Any]) -> dict[str, Any]:
    named = [{"id": UUID(int=100 + one["order"]), **one} for one in sections]
    return {"sections": named, "total_word_count": sum(report.word_count(one["content"]) for one in sections)}


BAD_URLS = ("", "//host.org/x", "bloomberg.com/x", "https://", "https:///path", "http://a b.org", "file:",
            "https://a.org/\n")  # fmt: skip
GOOD_URLS = ("https://www.bloomberg.com/x?y=1", "http://localhost:8080", "file:///corpus/a.pdf", "ftp://host/x")
# fmt: off
TABLE: list[Shape | Limit | Steps] = [
    shape("C-001", request.ResearchRequest, {"query": "How do heat pumps work in winter?"},
          "id depth_level user_id created_at status completion_time_seconds", user_id=None,
          status="planning", completion_time_seconds=None, depth_level=DepthLevel.STANDARD),
    length("C-002", request.ResearchRequest, "query", 10, 500),
    limit("C-003", request.ResearchRequest, "query", [], [" " * 20, "\n\t" * 10, "\u200b" * 12]),
    among("C-004", request.ResearchRequest, "depth_level", "quick standard comprehensive"),
    limit("C-008", request.ResearchRequest, "", [{"status": "completed", "completion_time_seconds": 12.5}],
          [{"status": status, "completion_time_seconds": 1.0} for status in (*WORKING, ResearchStatus.FAILED)]),
    limit("C-008", request.ResearchRequest, "", [], [{"status": "completed", "completion_time_seconds": -1}]),
    Steps("C-006 C-007", request.RESEARCH_STATES, ResearchStatus, "planning>executing executing>verifying "
          "verifying>synthesizing synthesizing>completed planning>failed executing>failed verifying>failed "
          "synthesizing>failed"),
    shape("C-010", plan.ResearchPlan, {"request_id": ID, "sub_questions": [], "id": ID},
          "created_at estimated_time_seconds", make=lambda values: questions_of(values), estimated_time_seconds=None),
    limit("C-010", plan.ResearchPlan, "estimated_time_seconds", [0], [-1]),
    limit("C-011", plan.ResearchPlan, "sub_questions", [roots(3), roots(10)], [roots(2), [*roots(10), question(10)]]),
    limit("C-013", plan.ResearchPlan, "sub_questions", [], [[question(1), question(2), question(2)]]),
    limit("C-010", plan.ResearchPlan, "sub_questions", [], [[*roots(2), question(3, plan_id=uuid4())]]),
    shape("C-015", SubQuestion, {"plan_id": ID, "text": "What is a heat pump?", "priority": 1},
          "id parent_question_id depth status search_results", parent_question_id=None, depth=0, status="pending",
          search_results=()),
    length("C-016", SubQuestion, "text", 10, 200),
    between("C-016", SubQuestion, "priority", 1, 10),
    among("C-017", SubQuestion, "status", "pending searching completed failed"),
    limit("C-018", SubQuestion, "search_results", [], [found(11)]),
    between("C-019", SubQuestion, "depth", 0, 3),
    shape("C-024", sources.SearchResult, {"sub_question_id": ID, "url": URL, "title": "A title", "content": "Some",
          "domain": "reuters.com"}, "id access_timestamp credibility_score extracted_facts", credibility_score=None,
          extracted_facts=()),
    limit("C-025", sources.SearchResult, "url", GOOD_URLS, BAD_URLS),
    length("C-026", sources.SearchResult, "title", 1, 200),
    length("C-026", sources.SearchResult, "content", 0, 10_000),
    limit("C-024", sources.SearchResult, "domain", ["x"], [""]),
    share("C-027", sources.SearchResult, "credibility_score"),
    shape("C-029 C-033", sources.Fact, {"text": "Heat pumps move heat.", "source_url": URL, "source_id": ID,
          "confidence": 0.92}, "id section extraction_timestamp verified discrepancy_id", section=None,
          discrepancy_id=None, verified=False),
    length("C-030", sources.Fact, "text", 10, 500, [" " * 20]),
    share("C-031", sources.Fact, "confidence"),
    limit("C-031", sources.Fact, "confidence", [], [None]),
    limit("C-032", sources.Fact, "source_url", GOOD_URLS, BAD_URLS),
    shape("C-035", sources.Discrepancy, {"fact_ids": FACTS[:2], "topic": "Net worth"},
          "id resolution resolution_confidence created_at", resolution=None, resolution_confidence=None),
    limit("C-035", sources.Discrepancy, "topic", ["x"], [""]),
    limit("C-036", sources.Discrepancy, "fact_ids", [FACTS], [(), FACTS[:1], (FACTS[0], FACTS[0])]),
    share("C-037", sources.Discrepancy, "resolution_confidence"),
    shape("C-042", report.NarrativeReport, {"request_id": ID, "executive_summary": "word " * 200,
          **told(section()), "total_sources": 3}, "id generated_at quality_score", quality_score=None,
          make=lambda values: with_id(values)),
    limit("C-043", report.NarrativeReport, "executive_summary", ["word " * 200, "word " * 500],
          ["word " * 199, "word " * 501]),
    limit("C-044", report.NarrativeReport, "", [told(*(section(order) for order in range(1, 11)))],
          [told(), told(*(section(order) for order in range(1, 11)), section(10))]),
    limit("C-042", report.NarrativeReport, "", [], [told(section(), section()), told(section(report_id=uuid4()))]),
    limit("C-045", report.NarrativeReport, "", [{**told(section(1), section(2)), "total_word_count": 600}],
          [{**told(section(1), section(2)), "total_word_count": 601}]),
    share("C-048", report.NarrativeReport, "quality_score"),
    shape("C-050", report.ReportSection, section(), "id"),
    limit("C-050", report.ReportSection, "title", ["x"], [""]),
    limit("C-051", report.ReportSection, "content", [citing(words=300)], [citing(*FACTS, words=299)]),
    limit("C-052", report.ReportSection, "content", [citing(*FACTS)],
          [citing(FACTS[0]) + wrong for wrong in ("[cite:0bacdd5c-f23c-4ec4-9b3b-8827139081a0]", "[cite:fact-uuid-789]",
                                                  "[cite:]")]),
    between("C-053", report.ReportSection, "order", 1, 10),
    shape("C-055", citations.CitationLink, {"fact_id": ID, "source_url": URL, "source_title": "A"}, "access_timestamp"),
    limit("C-055", citations.CitationLink, "source_url", [], ["nowhere"]),
]
# fmt: on


def questions_of(values: dict[str, Any]) -> Any:
    asked = values["sub_questions"] or roots(3)
    return checked(plan.ResearchPlan, {**values, "sub_questions": [one.model_dump() for one in asked]})


def with_id(values: dict[str, Any]) -> Any:
    return checked(report.NarrativeReport, {"id": ID, **values})


@rows(TABLE)
def test_a_record_takes_what_the_seed_gives_it_and_refuses_the_rest(row: Any) -> None:
    row.check()


@pytest.mark.seed("C-005")
def test_each_depth_level_has_its_limits() -> None:
    limits = {"quick": (3, 5, 1, 60), "standard": (5, 7, 1, 180), "comprehensive": (7, 10, 2, 300)}
    assert {level.value: tuple(DEPTH_LIMITS[level]) for level in DepthLevel} == limits
    asked = request.ResearchRequest.model_validate({"query": "How do heat pumps work?", "depth_level": "quick"})
    assert asked.limits == DEPTH_LIMITS[DepthLevel.QUICK]
    done = asked.changed(status="synthesizing").moved(ResearchStatus.COMPLETED, seconds=12.5)
    assert done.completion_time_seconds == 12.5
    with pytest.raises(IllegalTransition):
        asked.moved(ResearchStatus.COMPLETED)


@pytest.mark.seed("C-012")
@pytest.mark.parametrize("level", list(DepthLevel))
def test_the_questions_of_a_plan_fit_the_depth_level(level: DepthLevel) -> None:
    limits = DEPTH_LIMITS[level]
    for count in range(3, 11):
        made = plan.ResearchPlan(id=ID, request_id=ID, sub_questions=tuple(roots(count)))
        if limits.min_questions <= count <= limits.max_questions:
            assert len(plan.check_plan(made, level)) == count
        else:
            with pytest.raises(PlanInvalid):
                plan.check_plan(made, level)
    first, *others = roots(3)
    below = child(first, priority=4)
    deep = plan.ResearchPlan(id=ID, request_id=ID, sub_questions=(first, *others, below))
    assert len(plan.check_plan(deep, DepthLevel.QUICK)) == 4
    deeper = deep.changed(sub_questions=(*deep.sub_questions, child(below, priority=5)))
    with pytest.raises(PlanInvalid):
        plan.check_plan(deeper, DepthLevel.QUICK)


@pytest.mark.seed("C-020", "C-021")
def test_a_question_grows_from_one_that_is_there_and_lies_one_deeper() -> None:
    root = question()
    tree, below = QuestionTree([root]), child(root)
    grown = tree.insert(below)
    assert (below in grown, below in tree, grown.children(root)) == (True, False, (below,))
    for wrong in (child(question()), child(root, depth=2), child(root, depth=0), question(depth=1), root):
        with pytest.raises(PlanInvalid):
            tree.insert(wrong)
    own = uuid4()
    with pytest.raises(PlanCycle):
        QuestionTree().insert(question(id=own, parent_question_id=own, depth=1))
    one, two, three = uuid4(), uuid4(), uuid4()
    circle = ((one, three, 1), (two, one, 2), (three, two, 3))
    with pytest.raises(PlanCycle):
        QuestionTree(question(id=name, parent_question_id=parent, depth=depth) for name, parent, depth in circle)


@pytest.mark.seed("C-020", "C-021")
@given(st.lists(st.integers(0, 7), min_size=1, max_size=8))
def test_a_tree_is_taken_exactly_when_every_question_reaches_a_root(parents: list[int]) -> None:
    """Question i hangs below question parents[i]; itself means that it is a root. Depths are given truthfully."""
    ids = [uuid4() for _ in range(8)]
    depths = [depth_of(number, parents) for number in range(len(parents))]
    questions = [
        question(id=ids[at], parent_question_id=None if above == at else ids[above], depth=min(depths[at] or 0, 3))
        for at, above in enumerate(parents)
    ]
    if all(depth is not None and depth <= 3 for depth in depths):
        assert len(QuestionTree(questions)) == len(parents)
    else:
        with pytest.raises((PlanCycle, PlanInvalid)):
            QuestionTree(questions)


def depth_of(number: int, parents: list[int]) -> int | None:
    """How deep a question lies, None when it has no way to a root."""
    depth = 0
    while parents[number] != number:
        number, depth = parents[number], depth + 1
        if number >= len(parents) or depth > len(parents):
            return None
    return depth


@pytest.mark.seed("C-028")
def test_a_domain_scores_as_the_nearest_one_above_it_by_a_table_that_can_be_replaced() -> None:
    assert dict(sources.CREDIBILITY_MAP) == {
        "bloomberg.com": 0.95, "wsj.com": 0.95, "reuters.com": 0.93, "wikipedia.org": 0.85, "forbes.com": 0.80
    }  # fmt: skip
    scores = {
        "https://www.Bloomberg.com/x": 0.95,
        "https://en.wikipedia.org/wiki/Heat_pump": 0.85,
        "https://notbloomberg.com": None,
        "https://bloomberg.com.evil.org": None,
        "file:///corpus/a.pdf": None,
    }
    assert {url: sources.credibility_of(sources.domain_of(url)) for url in scores} == scores
    assert sources.credibility_of("en.wikipedia.org", {"wikipedia.org": 0.5, "en.wikipedia.org": 0.6}) == 0.6
    assert sources.credibility_of("reuters.com", {}) is None
    assert sources.domain_of("file:///corpus/a.pdf") == "local"
    assert sources.domain_of("https://WWW.Example.org:8443/x") == "example.org"


def cited(*pairs: tuple[int, int], title: str = "A title") -> citations.CitationIndex:
    return citations.CitationIndex(link(fact, source, title) for fact, source in pairs)


def link(fact: int, source: int, title: str = "A title") -> citations.CitationLink:
    url = f"https://source{source}.org"
    return citations.CitationLink(fact_id=UUID(int=fact), source_url=url, source_title=title)


@pytest.mark.seed("C-056", "C-057")
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30))
def test_every_link_is_found_from_both_sides_once_and_no_other(pairs: list[tuple[int, int]]) -> None:
    index = cited(*pairs, title="first")
    both = {(UUID(int=fact), f"https://source{source}.org") for fact, source in pairs}
    assert len(index) == len(both) == len(list(index))
    assert {(fact, at.source_url) for fact, links in index.citations_by_fact.items() for at in links} == both
    assert {(at.fact_id, url) for url, links in index.citations_by_source.items() for at in links} == both
    assert all(at.fact_id == fact for fact, links in index.citations_by_fact.items() for at in links)
    assert all(at.source_url == url for url, links in index.citations_by_source.items() for at in links)
    before = (dict(index.citations_by_fact), dict(index.citations_by_source))
    for fact, source in pairs:
        index.add(link(fact, source, "second"))
    assert (dict(index.citations_by_fact), dict(index.citations_by_source)) == before


def test_links_keep_their_order_their_sources_count_once_and_the_views_are_read_only() -> None:
    index = cited((1, 2), (1, 1), (1, 3), (2, 1), (4, 9))
    urls = [at.source_url for at in index.citations_by_fact[FACTS[0]]]
    assert urls == ["https://source2.org", "https://source1.org", "https://source3.org"]
    assert index.sources_of([*FACTS[:3], UUID(int=99)]) == set(urls)
    with pytest.raises(TypeError):
        index.citations_by_fact[UUID(int=2)] = ()  # pyright: ignore[reportIndexIssue] the point of the test


@pytest.mark.seed("C-046", "C-047", "C-052")
def test_each_section_rests_on_three_sources_and_each_source_counts_once() -> None:
    shaped = next(row for row in TABLE if isinstance(row, Shape) and row.kind is report.NarrativeReport)
    made = with_id({**shaped.needed, **told(section(1), section(2))})
    report.check_sources(made, cited((1, 1), (2, 2), (3, 3), (3, 1)))
    with pytest.raises(ValueError):
        report.check_sources(made.changed(total_sources=4), cited((1, 1), (2, 2), (3, 3)))
    for two in (cited((1, 1), (2, 2), (3, 2), (4, 3)), cited((1, 1), (1, 2), (1, 3))):
        with pytest.raises(NotEnoughEvidence):
            report.check_sources(made, two)
    assert report.cited_facts(citing(FACTS[2], FACTS[0], FACTS[2])) == (FACTS[2], FACTS[0])
    assert report.cited_facts("no marker") == ()
    assert report.word_count(f"One – two [cite:{FACTS[0]}], three. * 4") == 4
    with pytest.raises(ValidationError):
        made.changed(sections=())
