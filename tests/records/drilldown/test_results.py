from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from averment.records.base import new_id
from averment.records.drilldown.results import (
    ChatMessage,
    Explanation,
    MemoryDocument,
    Report,
    check_ranking,
    likelihood_of,
    missing_sections,
)

REPORT = """# Revenue, January to February 2024: down 12 %

## Data Model

orders

## Analysis Performed

scan

## Explanations

1. The north fell.

## Recommended Next Steps

Ask the north.

---
_Generated 2026-01-23T10:30:00Z_
"""


def explanation(rank: int = 1, **values: Any) -> Explanation:
    return Explanation.model_validate(
        {
            "rank": rank,
            "title": "The north fell",
            "likelihood": likelihood_of(rank),
            "evidence": [
                {
                    "kind": "cell",
                    "observation_id": new_id(),
                    "query_hash": "ab" * 32,
                    "row": 0,
                    "column": "change",
                    "value": -12.5,
                }
            ],
            "reasoning": "It carries most of the change.",
            "causal_story": "A warehouse closed.",
            "source_hypotheses": ["hyp_001"],
            **values,
        }
    )


@pytest.mark.seed("B-065")
def test_an_explanation_has_its_fields_and_reads_back_unchanged():
    assert set(Explanation.model_fields) == {
        "rank",
        "title",
        "likelihood",
        "evidence",
        "reasoning",
        "causal_story",
        "source_hypotheses",
        # Beside the seed's: what kind of story it is, where, and how large.
        "kind",
        "fault",
        "segment",
        "effect",
        "share",
    }
    made = explanation()
    assert Explanation.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("B-066")
@pytest.mark.parametrize(("field", "most"), [("title", 100), ("reasoning", 1000), ("causal_story", 500)])
def test_texts_of_an_explanation_have_their_lengths(field: str, most: int):
    assert explanation(**{field: "x" * most})
    with pytest.raises(ValidationError):
        explanation(**{field: "x" * (most + 1)})


@pytest.mark.seed("B-067")
def test_the_likelihood_follows_the_rank():
    assert [likelihood_of(rank) for rank in range(1, 8)] == [
        "Most Likely",
        "Likely",
        "Likely",
        "Possible",
        "Possible",
        "Less Likely",
        "Less Likely",
    ]
    with pytest.raises(ValueError):
        likelihood_of(0)


@pytest.mark.seed("B-067")
@pytest.mark.parametrize(("rank", "wrong"), [(1, "Likely"), (3, "Possible"), (6, "Possible"), (0, "Most Likely")])
def test_a_likelihood_that_does_not_go_with_its_rank_is_refused(rank: int, wrong: str):
    with pytest.raises(ValidationError):
        explanation(1).changed(rank=rank, likelihood=wrong)


@pytest.mark.seed("B-068")
@given(st.lists(st.integers(1, 6), max_size=6))
def test_a_ranking_with_a_gap_a_double_or_a_swap_is_refused(ranks: list[int]):
    explanations = [explanation(rank) for rank in ranks]
    if ranks == list(range(1, len(ranks) + 1)):
        check_ranking(explanations)
    else:
        with pytest.raises(ValueError):
            check_ranking(explanations)


@pytest.mark.seed("B-070")
def test_a_report_has_its_fields_and_one_of_two_statuses():
    assert set(Report.model_fields) == {"session_id", "content", "generated_at", "status"}
    made = Report(session_id=new_id(), content=REPORT, status="no_findings")
    assert Report.model_validate_json(made.model_dump_json()) == made
    with pytest.raises(ValidationError):
        made.changed(status="draft")


@pytest.mark.seed("B-071")
@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("# Revenue, January to February 2024: down 12 %", "Header"),
        ("## Data Model", "Data Model"),
        ("## Analysis Performed", "Analysis Performed"),
        ("## Explanations", "Explanations"),
        ("## Recommended Next Steps", "Recommended Next Steps"),
        ("_Generated 2026-01-23T10:30:00Z_", "Footer"),
    ],
)
def test_a_report_without_one_of_its_sections_is_refused(line: str, missing: str):
    shortened = REPORT.replace(line, "")
    assert missing_sections(REPORT) == ()
    assert missing_sections(shortened) == (missing,)
    with pytest.raises(ValidationError):
        Report(session_id=new_id(), content=shortened, status="completed")


@pytest.mark.seed("B-060")
def test_a_memory_document_takes_a_vector_of_any_dimension():
    assert set(MemoryDocument.model_fields) == {"document_id", "session_id", "content", "embedding", "created_at"}
    for dimension in (1, 384, 1536):
        made = MemoryDocument(session_id=new_id(), content="memory", embedding=(0.5,) * dimension)
        assert MemoryDocument.model_validate_json(made.model_dump_json()) == made
    for wrong in ((), (float("nan"),), (float("inf"),)):
        with pytest.raises(ValidationError):
            MemoryDocument(session_id=new_id(), content="memory", embedding=wrong)


@pytest.mark.seed("B-074")
def test_a_chat_message_has_its_fields_and_reads_back_unchanged():
    assert set(ChatMessage.model_fields) == {
        "message_id",
        "session_id",
        "role",
        "content",
        "timestamp",
        "artifacts_referenced",
    }
    made = ChatMessage(session_id=new_id(), role="user", content="why?")
    assert made.artifacts_referenced == ()
    assert ChatMessage.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("B-075")
@pytest.mark.parametrize("wrong", [{"role": "system"}, {"content": "x" * 5001}])
def test_a_chat_message_outside_its_contract_is_refused(wrong: dict[str, Any]):
    good = {"session_id": new_id(), "role": "assistant", "content": "x" * 5000}
    assert ChatMessage.model_validate(good)
    with pytest.raises(ValidationError):
        ChatMessage.model_validate({**good, **wrong})
