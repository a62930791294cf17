from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from averment.records.research.citations import CitationIndex, CitationLink


def link(fact: int, source: int, title: str = "A title") -> CitationLink:
    return CitationLink(fact_id=UUID(int=fact), source_url=f"https://source{source}.org", source_title=title)


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


@pytest.mark.seed("C-055")
def test_a_link_has_its_fields_and_reads_back_unchanged():
    assert set(CitationLink.model_fields) == {"fact_id", "source_url", "source_title", "access_timestamp"}
    made = link(1, 1)
    assert CitationLink.model_validate_json(made.model_dump_json()) == made
    with pytest.raises(ValidationError):
        made.changed(source_url="nowhere")


@pytest.mark.seed("C-056", "C-057")
@given(PAIRS)
def test_every_link_is_found_from_both_sides_and_no_other(pairs: list[tuple[int, int]]):
    index = CitationIndex(link(fact, source) for fact, source in pairs)
    kept = set(pairs)
    assert len(index) == len(kept) == len(list(index))
    by_fact = {(UUID(int=fact), f"https://source{source}.org") for fact, source in kept}
    assert {(fact, at.source_url) for fact, links in index.citations_by_fact.items() for at in links} == by_fact
    assert {(at.fact_id, url) for url, links in index.citations_by_source.items() for at in links} == by_fact
    assert all(at.fact_id == fact for fact, links in index.citations_by_fact.items() for at in links)
    assert all(at.source_url == url for url, links in index.citations_by_source.items() for at in links)


@given(PAIRS)
def test_a_pair_added_again_changes_nothing(pairs: list[tuple[int, int]]):
    index = CitationIndex(link(fact, source, "first") for fact, source in pairs)
    before = (dict(index.citations_by_fact), dict(index.citations_by_source))
    for fact, source in pairs:
        index.add(link(fact, source, "second"))
    assert (dict(index.citations_by_fact), dict(index.citations_by_source)) == before


def test_links_keep_the_order_they_were_added_in():
    index = CitationIndex([link(1, 2), link(1, 1), link(1, 3)])
    assert [at.source_url for at in index.citations_by_fact[UUID(int=1)]] == [
        "https://source2.org",
        "https://source1.org",
        "https://source3.org",
    ]


def test_sources_of_several_facts_are_counted_once():
    index = CitationIndex([link(1, 1), link(2, 1), link(2, 2), link(3, 3)])
    assert index.sources_of([UUID(int=1), UUID(int=2), UUID(int=9)]) == {"https://source1.org", "https://source2.org"}


def test_the_index_cannot_be_changed_through_its_views():
    index = CitationIndex([link(1, 1)])
    with pytest.raises(TypeError):
        index.citations_by_fact[UUID(int=2)] = ()  # pyright: ignore[reportIndexIssue] the point of the test
