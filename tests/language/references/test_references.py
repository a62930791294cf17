"""References: right, or a question back; never confidently wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from cases import CASES, TWELVE, Case

from averment.language.references.resolve import ListedItem, resolve


def listed(titles: tuple[str, ...]) -> list[ListedItem]:
    return [ListedItem(position, title) for position, title in enumerate(titles, start=1)]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 150


@pytest.mark.seed("D-018", "D-019")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]} in {len(case[0])}")
def test_words_name_what_is_meant_or_a_question_follows(case: Case) -> None:
    titles, words, focus, meant = case
    found = resolve(words, listed(titles), focus=focus)
    if meant == "?":
        assert found.outcome != "resolved", found
    else:
        assert found.outcome == "resolved", found
        assert list(found.positions) == meant


def test_an_exception_is_never_taken_for_what_it_leaves_out() -> None:
    for word in ("except", "but", "excluding", "besides", "apart from"):
        found = resolve(f"everything {word} the first", listed(TWELVE))
        assert 1 not in found.positions


def test_a_number_that_is_also_a_title_is_asked_about() -> None:
    items = [ListedItem(1, "call home"), ListedItem(2, "1")]
    assert resolve("1", items).outcome == "ambiguous"


@pytest.mark.seed("D-020")
def test_an_empty_list_holds_nothing() -> None:
    assert resolve("the first one", []).outcome == "unknown"


@given(st.text(max_size=60))
def test_no_words_break_it_and_no_position_is_outside_the_list(words: str) -> None:
    found = resolve(words, listed(TWELVE))
    assert all(1 <= position <= 12 for position in found.positions)
