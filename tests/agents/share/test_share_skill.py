"""Shares add up to the whole, and what has no share is asked back."""

from collections.abc import Callable

from averment import Run

Ask = Callable[[str], Run]


def test_the_asked_part_is_told_first_and_all_parts_add_up(ask_shop: Ask) -> None:
    run = ask_shop("what percent of total amount is East?")
    assert run.table is not None
    assert "33.3" in (run.answer or "")


def test_an_average_has_no_share(ask_shop: Ask) -> None:
    assert ask_shop("share of average amount by region").status == "clarification_needed"
