from typing import Any
from uuid import uuid4

import pytest
from pydantic import ValidationError

from averment.records.research.sources import (
    CREDIBILITY_MAP,
    Discrepancy,
    Fact,
    SearchResult,
    credibility_of,
    domain_of,
)

BAD_URLS = [
    "",
    "//host.org/x",
    "bloomberg.com/x",
    "https://",
    "https:///path",
    "http://a b.org",
    "file:",
    "https://a.org/\n",
]
GOOD_URLS = ["https://www.bloomberg.com/x?y=1", "http://localhost:8080", "file:///corpus/a.pdf", "ftp://host/x"]


def result(**values: Any) -> SearchResult:
    return SearchResult.model_validate(
        {
            "sub_question_id": uuid4(),
            "url": "https://www.reuters.com/a",
            "title": "A title",
            "content": "Some content",
            "domain": "reuters.com",
            **values,
        }
    )


def fact(**values: Any) -> Fact:
    return Fact.model_validate(
        {
            "text": "Heat pumps move heat.",
            "source_url": "https://www.reuters.com/a",
            "source_id": uuid4(),
            "confidence": 0.92,
            **values,
        }
    )


@pytest.mark.seed("C-024")
def test_a_search_result_has_its_fields_and_reads_back_unchanged():
    assert set(SearchResult.model_fields) == {
        "id",
        "sub_question_id",
        "url",
        "title",
        "content",
        "domain",
        "access_timestamp",
        "credibility_score",
        "extracted_facts",
    }
    made = result(extracted_facts=[uuid4()])
    assert made.credibility_score is None
    assert SearchResult.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("C-025", "C-032")
@pytest.mark.parametrize("url", BAD_URLS)
def test_a_url_that_is_none_is_refused(url: str):
    with pytest.raises(ValidationError):
        result(url=url)
    with pytest.raises(ValidationError):
        fact(source_url=url)


@pytest.mark.seed("C-025", "C-032")
@pytest.mark.parametrize("url", GOOD_URLS)
def test_a_url_is_kept_as_it_was_given(url: str):
    assert result(url=url).url == fact(source_url=url).source_url == url


@pytest.mark.seed("C-026")
@pytest.mark.parametrize("wrong", [{"title": ""}, {"title": "x" * 201}, {"content": "x" * 10_001}])
def test_a_search_result_outside_its_limits_is_refused(wrong: dict[str, Any]):
    assert result(title="x" * 200, content="x" * 10_000)
    assert result(title="x", content="", domain="x")
    with pytest.raises(ValidationError):
        result(**wrong)


@pytest.mark.seed("C-027")
@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_credibility_outside_zero_to_one_is_refused(score: float):
    assert result(credibility_score=1.0)
    with pytest.raises(ValidationError):
        result(credibility_score=score)


@pytest.mark.seed("C-028")
def test_the_table_of_credibility_has_the_seeds_scores():
    assert dict(CREDIBILITY_MAP) == {
        "bloomberg.com": 0.95,
        "wsj.com": 0.95,
        "reuters.com": 0.93,
        "wikipedia.org": 0.85,
        "forbes.com": 0.80,
    }


@pytest.mark.seed("C-028")
@pytest.mark.parametrize(
    ("url", "score"),
    [
        ("https://www.Bloomberg.com/x", 0.95),
        ("https://en.wikipedia.org/wiki/Heat_pump", 0.85),
        ("https://notbloomberg.com", None),
        ("https://bloomberg.com.evil.org", None),
        ("file:///corpus/a.pdf", None),
    ],
)
def test_a_domain_scores_as_the_nearest_one_above_it(url: str, score: float | None):
    assert credibility_of(domain_of(url)) == score


@pytest.mark.seed("C-028")
def test_the_table_of_credibility_can_be_replaced():
    assert credibility_of("en.wikipedia.org", {"wikipedia.org": 0.5, "en.wikipedia.org": 0.6}) == 0.6
    assert credibility_of("reuters.com", {}) is None


def test_a_local_file_has_the_local_domain():
    assert domain_of("file:///corpus/a.pdf") == "local"
    assert domain_of("https://WWW.Example.org:8443/x") == "example.org"


@pytest.mark.seed("C-029")
def test_a_fact_has_its_fields_and_reads_back_unchanged():
    assert set(Fact.model_fields) == {
        "id",
        "text",
        "source_url",
        "source_id",
        "confidence",
        "section",
        "extraction_timestamp",
        "verified",
        "discrepancy_id",
    }
    made = fact()
    assert (made.section, made.discrepancy_id) == (None, None)
    assert Fact.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("C-030")
@pytest.mark.parametrize("text", ["", "x" * 9, "x" * 501, " " * 20])
def test_a_claim_that_says_too_little_or_too_much_is_refused(text: str):
    assert fact(text="x" * 10)
    assert fact(text="x" * 500)
    with pytest.raises(ValidationError):
        fact(text=text)


@pytest.mark.seed("C-031")
@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), None])
def test_a_facts_confidence_outside_zero_to_one_is_refused(confidence: float | None):
    with pytest.raises(ValidationError):
        fact(confidence=confidence)


@pytest.mark.seed("C-033")
def test_a_fact_is_unverified_at_first():
    assert fact().verified is False


@pytest.mark.seed("C-035")
def test_a_discrepancy_has_its_fields_and_reads_back_unchanged():
    assert set(Discrepancy.model_fields) == {
        "id",
        "fact_ids",
        "topic",
        "resolution",
        "resolution_confidence",
        "created_at",
    }
    made = Discrepancy(fact_ids=(uuid4(), uuid4()), topic="x")
    with pytest.raises(ValidationError):
        made.changed(topic="")
    assert made.resolution is None
    assert Discrepancy.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("C-036")
def test_a_discrepancy_of_fewer_than_two_facts_is_refused():
    one = uuid4()
    for wrong in ((), (one,), (one, one)):
        with pytest.raises(ValidationError):
            Discrepancy(fact_ids=wrong, topic="Net worth")


@pytest.mark.seed("C-037")
@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_a_resolutions_confidence_outside_zero_to_one_is_refused(confidence: float):
    with pytest.raises(ValidationError):
        Discrepancy(fact_ids=(uuid4(), uuid4()), topic="Net worth", resolution_confidence=confidence)
