"""Periods as people write them."""

from __future__ import annotations

from datetime import date

import pytest

from averment.errors import InvalidDateRange
from averment.records.drilldown.investigation import InvestigationContext, read_period

TODAY = date(2024, 5, 15)


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("2024-01", "2024-01-01", "2024-01-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2023", "2023-01-01", "2023-12-31"),
        ("2024-Q1", "2024-01-01", "2024-03-31"),
        ("Q4 2023", "2023-10-01", "2023-12-31"),
        ("January 2024", "2024-01-01", "2024-01-31"),
        ("2024-01-05..2024-02-03", "2024-01-05", "2024-02-03"),
        ("2024-01 to 2024-03", "2024-01-01", "2024-03-31"),
        ("last month", "2024-04-01", "2024-04-30"),
        ("last week", "2024-05-06", "2024-05-12"),
        ("Q1 last year", "2023-01-01", "2023-03-31"),
        ("last 7 days", "2024-05-08", "2024-05-14"),
        ("2024-W02", "2024-01-08", "2024-01-14"),
    ],
)
def test_a_period_in_words_is_two_days(said: str, first: str, last: str) -> None:
    assert read_period(said, TODAY) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("said", ["soon", "2024-13", "Q5 2024", "2024-01-01..", ""])
def test_what_names_no_period_is_none(said: str) -> None:
    assert read_period(said, TODAY) is None


def test_a_context_takes_a_period_in_words_and_refuses_what_is_none() -> None:
    given = {
        "session_id": "00000000-0000-4000-8000-000000000001",
        "metric_sql": "SUM(amount)",
        "baseline_period": "2024-01",
        "comparison_period": "2024-02-01..2024-02-29",
    }
    context = InvestigationContext.checked(given)
    assert (context.baseline_period.days, context.comparison_period.days) == (31, 29)
    with pytest.raises(InvalidDateRange):
        InvestigationContext.checked({**given, "baseline_period": "whenever"})
