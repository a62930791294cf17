from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError

from averment.errors import NotEnoughEvidence
from averment.records.research.citations import CitationIndex, CitationLink
from averment.records.research.report import NarrativeReport, ReportSection, check_sources, cited_facts, word_count

REPORT_ID = UUID(int=7)
FACTS = tuple(UUID(int=number) for number in range(1, 5))


def citing(*facts: UUID, words: int = 300) -> str:
    return "word " * words + " ".join(f"[cite:{fact}]" for fact in facts)


def section(order: int = 1, **values: Any) -> ReportSection:
    return ReportSection.model_validate(
        {
            "report_id": REPORT_ID,
            "title": "Overview",
            "content": citing(*FACTS[:3]),
            "fact_ids": FACTS,
            "order": order,
            **values,
        }
    )


def report(*sections: ReportSection, **values: Any) -> NarrativeReport:
    return NarrativeReport.model_validate(
        {
            "id": REPORT_ID,
            "request_id": uuid4(),
            "executive_summary": "word " * 200,
            "sections": sections,
            "total_word_count": sum(word_count(part.content) for part in sections),
            "total_sources": 3,
            **values,
        }
    )


def index(*pairs: tuple[UUID, str]) -> CitationIndex:
    return CitationIndex(
        CitationLink(fact_id=fact, source_url=f"https://{source}.org", source_title=source) for fact, source in pairs
    )


@pytest.mark.seed("C-042")
def test_a_report_has_its_fields_and_reads_back_unchanged():
    assert set(NarrativeReport.model_fields) == {
        "id",
        "request_id",
        "executive_summary",
        "sections",
        "total_word_count",
        "total_sources",
        "generated_at",
        "quality_score",
    }
    made = report(section())
    assert made.quality_score is None
    assert NarrativeReport.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("C-043")
@pytest.mark.parametrize(("words", "taken"), [(199, False), (200, True), (500, True), (501, False)])
def test_a_summary_outside_200_to_500_words_is_refused(words: int, taken: bool):
    if taken:
        assert report(section(), executive_summary="word " * words)
    else:
        with pytest.raises(ValidationError):
            report(section(), executive_summary="word " * words)


@pytest.mark.seed("C-044")
def test_a_report_without_sections_or_with_eleven_is_refused():
    ten = [section(order) for order in range(1, 11)]
    assert len(report(*ten).sections) == 10
    for wrong in ([], [*ten, section(10)]):
        with pytest.raises(ValidationError):
            report(*wrong)


def test_two_sections_of_one_order_or_one_of_another_report_are_refused():
    with pytest.raises(ValidationError):
        report(section(1), section(1))
    with pytest.raises(ValidationError):
        report(section(1, report_id=uuid4()))


@pytest.mark.seed("C-045")
def test_a_word_count_that_is_not_the_sections_is_refused():
    assert report(section(1), section(2)).total_word_count == 600
    with pytest.raises(ValidationError):
        report(section(1), section(2), total_word_count=601)


@pytest.mark.seed("C-046", "C-047")
def test_a_section_on_three_sources_passes_and_each_source_counts_once():
    citations = index((FACTS[0], "a"), (FACTS[1], "b"), (FACTS[2], "c"), (FACTS[2], "a"))
    check_sources(report(section(1), section(2)), citations)
    with pytest.raises(ValueError):
        check_sources(report(section(1), total_sources=4), citations)


@pytest.mark.seed("C-046")
def test_a_section_on_two_sources_is_refused():
    citations = index((FACTS[0], "a"), (FACTS[1], "b"), (FACTS[2], "b"), (FACTS[3], "c"))
    with pytest.raises(NotEnoughEvidence):
        check_sources(report(section()), citations)


@pytest.mark.seed("C-046")
def test_a_cited_fact_without_a_source_is_refused():
    with pytest.raises(NotEnoughEvidence):
        check_sources(report(section()), index((FACTS[0], "a"), (FACTS[0], "b"), (FACTS[0], "c")))


@pytest.mark.seed("C-048")
@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_quality_score_outside_zero_to_one_is_refused(score: float):
    with pytest.raises(ValidationError):
        report(section(), quality_score=score)


@pytest.mark.seed("C-050")
def test_a_section_reads_back_as_written_and_takes_no_other_field():
    made = section(content=citing(*FACTS), fact_ids=FACTS)
    written = made.model_dump(mode="json")
    assert set(written) == {"id", "report_id", "title", "content", "fact_ids", "order"}
    assert ReportSection.model_validate_json(made.model_dump_json()) == made
    with pytest.raises(ValidationError):
        ReportSection.model_validate({**written, "subtitle": "more"})
    with pytest.raises(ValidationError):
        ReportSection.model_validate({key: value for key, value in written.items() if key != "title"})


@pytest.mark.seed("C-051")
def test_a_section_of_fewer_than_300_words_is_refused():
    assert section(content=citing(words=300), fact_ids=())
    with pytest.raises(ValidationError):
        section(content=citing(*FACTS, words=299))


@pytest.mark.seed("C-052")
def test_markers_are_read_in_order_and_once():
    assert cited_facts(citing(FACTS[2], FACTS[0], FACTS[2])) == (FACTS[2], FACTS[0])
    assert cited_facts("no marker") == ()
    assert section(content=citing(*FACTS), fact_ids=FACTS).fact_ids == FACTS


@pytest.mark.seed("C-052")
@pytest.mark.parametrize("marker", ["[cite:0bacdd5c-f23c-4ec4-9b3b-8827139081a0]", "[cite:fact-uuid-789]", "[cite:]"])
def test_a_marker_that_names_none_of_the_sections_facts_is_refused(marker: str):
    with pytest.raises(ValidationError):
        section(content=citing(FACTS[0]) + marker)


@pytest.mark.seed("C-053")
@pytest.mark.parametrize("order", [0, 11])
def test_an_order_outside_one_to_ten_is_refused(order: int):
    with pytest.raises(ValidationError):
        section(order)


def test_markers_and_punctuation_are_no_words():
    assert word_count(f"One – two [cite:{FACTS[0]}], three. * 4") == 4
