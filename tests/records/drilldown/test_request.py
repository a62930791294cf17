"""A drill-down's request: what is missing has the seed's code."""

from typing import Any

import pytest

from averment.errors import (
    AvermentError,
    InvalidDateRange,
    InvalidRequest,
    MaxFilesExceeded,
    MetricSqlRequired,
    NoFilesUploaded,
    TimeoutOutOfRange,
)
from averment.records.drilldown.request import DrillRequest

GIVEN: dict[str, Any] = {
    "data_sources": ["orders.csv"],
    "metric_sql": "SUM(amount)",
    "baseline_period": ("2024-01-01", "2024-01-31"),
    "comparison_period": {"start": "2024-02-01", "end": "2024-02-29"},
}


def test_a_request_says_its_question_and_takes_three_minutes() -> None:
    request = DrillRequest.checked(**GIVEN)
    assert "SUM(amount)" in request.intent
    assert "2024-02-29" in request.intent
    assert request.constraints.timeout_seconds == 180
    assert DrillRequest.checked(**GIVEN, timeout_seconds=20).constraints.timeout_seconds == 20
    assert request.context.session_id == request.session_id == request.request_id
    assert DrillRequest.model_validate(request.model_dump(mode="json")) == request


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"data_sources": []}, NoFilesUploaded),
        ({"data_sources": ["f.csv"] * 11}, MaxFilesExceeded),
        ({"metric_sql": "  "}, MetricSqlRequired),
        ({"metric_sql": None}, MetricSqlRequired),
        ({"baseline_period": ("2024-02-01", "2024-01-01")}, InvalidDateRange),
        ({"comparison_period": None}, InvalidDateRange),
        ({"comparison_period": "some week"}, InvalidDateRange),
        ({"timeout_seconds": 181}, TimeoutOutOfRange),
        ({"business_context": "x" * 5_001}, InvalidRequest),
    ],
)
def test_what_is_wrong_has_its_own_error(change: dict[str, Any], error: type[AvermentError]) -> None:
    with pytest.raises(error):
        DrillRequest.checked(**{**GIVEN, **change})


def test_a_long_metric_still_gives_a_question() -> None:
    request = DrillRequest.checked(**{**GIVEN, "metric_sql": f"SUM({'x' * 1_990})"})
    assert len(request.intent) <= 2_000
