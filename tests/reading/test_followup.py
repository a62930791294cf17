"""Whether a question after another one needs anything of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from averment.reading.followup import stands_alone

if TYPE_CHECKING:
    from conftest import Library


@pytest.mark.parametrize(
    "question",
    [
        "what is the average fare by city?",
        "how many rides are over 30 minutes?",
        "how many are longer than 20 minutes?",
        "total fare by plan",
        "what was the median fare in Oslo?",
        "show me the total minutes per rider",
        "how many rides were in Bergen in 2024?",
        "mean minutes by plan and city",
        "what's the total fare for Ada?",
        "count the rides per city",
    ],
)
def test_a_whole_question_with_a_figure_of_its_own_stands_alone(rides: Library, question: str) -> None:
    assert stands_alone(question, rides.schema)


@pytest.mark.parametrize(
    "question",
    [
        "and by plan?",
        "only for Oslo",
        "what about the median?",
        "the median instead",
        "which is the highest?",
        "how many of those were in Oslo?",
        "and how many in Bergen?",
        "as a share",
        "what is their average fare?",
        "by month",
        "now the total minutes",
        "the same for 2024",
    ],
)
def test_what_points_back_or_has_no_figure_leans(rides: Library, question: str) -> None:
    assert not stands_alone(question, rides.schema)
