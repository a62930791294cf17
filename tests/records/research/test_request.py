from typing import Any

import pytest
from pydantic import ValidationError

from averment.errors import IllegalTransition
from averment.records.research.request import DEPTH_LIMITS, RESEARCH_STATES, DepthLevel, ResearchRequest, ResearchStatus

WORKING = [status for status in ResearchStatus if status not in (ResearchStatus.COMPLETED, ResearchStatus.FAILED)]


def request(**values: Any) -> ResearchRequest:
    return ResearchRequest.model_validate({"query": "How do heat pumps work in winter?", **values})


@pytest.mark.seed("C-001")
def test_a_request_has_its_fields_and_defaults():
    assert set(ResearchRequest.model_fields) == {
        "id",
        "query",
        "depth_level",
        "user_id",
        "created_at",
        "status",
        "completion_time_seconds",
    }
    made = request()
    assert (made.status, made.user_id, made.completion_time_seconds) == ("planning", None, None)
    assert ResearchRequest.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("C-002")
def test_a_query_has_10_to_500_characters():
    for length in (10, 500):
        assert len(request(query="x" * length).query) == length
    for length in (0, 9, 501):
        with pytest.raises(ValidationError):
            request(query="x" * length)


@pytest.mark.seed("C-003")
@pytest.mark.parametrize("query", [" " * 20, "\n\t" * 10, "\u200b" * 12])
def test_a_query_of_white_space_is_refused(query: str):
    with pytest.raises(ValidationError):
        request(query=query)


@pytest.mark.seed("C-004")
def test_the_depth_is_standard_unless_it_is_quick_or_comprehensive():
    assert request().depth_level is DepthLevel.STANDARD
    assert [level.value for level in DepthLevel] == ["quick", "standard", "comprehensive"]
    with pytest.raises(ValidationError):
        request(depth_level="bottomless")


@pytest.mark.seed("C-005")
def test_each_depth_level_has_its_limits():
    assert {level.value: tuple(DEPTH_LIMITS[level]) for level in DepthLevel} == {
        "quick": (3, 5, 1, 60),
        "standard": (5, 7, 1, 180),
        "comprehensive": (7, 10, 2, 300),
    }
    assert request(depth_level="quick").limits == DEPTH_LIMITS[DepthLevel.QUICK]


@pytest.mark.seed("C-006", "C-007")
def test_a_research_takes_the_seeds_steps_alone():
    allowed = {
        ("planning", "executing"),
        ("executing", "verifying"),
        ("verifying", "synthesizing"),
        ("synthesizing", "completed"),
        *((status.value, "failed") for status in WORKING),
    }
    assert RESEARCH_STATES.states == set(ResearchStatus)
    for current in ResearchStatus:
        for following in ResearchStatus:
            if (current.value, following.value) in allowed:
                assert request(status=current).moved(following).status is following
            else:
                with pytest.raises(IllegalTransition):
                    request(status=current).moved(following)


@pytest.mark.seed("C-008")
def test_the_completion_time_is_set_on_completion():
    done = request(status="synthesizing").moved(ResearchStatus.COMPLETED, seconds=12.5)
    assert done.completion_time_seconds == 12.5


@pytest.mark.seed("C-008")
@pytest.mark.parametrize("status", [*WORKING, ResearchStatus.FAILED])
def test_a_completion_time_before_completion_is_refused(status: ResearchStatus):
    with pytest.raises(ValidationError):
        request(status=status, completion_time_seconds=1.0)
