"""Two sides are told with both values, and what cannot be compared is asked back."""

from collections.abc import Callable

import pytest

from averment import Run

Ask = Callable[[str], Run]


def test_two_years_stand_beside_each_other_for_every_group(ask_shop: Ask) -> None:
    run = ask_shop("amount 2023 versus 2022 by region")
    assert run.table is not None
    for row in run.table.to_pylist():
        before, after = (float(row[f"total amount {year}"]) for year in (2022, 2023))
        assert after == pytest.approx(1.1 * before, rel=0.001)


def test_a_difference_of_groups_is_the_first_named_minus_the_second(ask_shop: Ask) -> None:
    run = ask_shop("difference in average amount between West and East")
    assert run.table is not None
    west, east = (ask_shop(f"average amount in {side}").table for side in ("West", "East"))
    assert west is not None and east is not None
    difference = float(west.to_pylist()[0]["average amount"]) - float(east.to_pylist()[0]["average amount"])
    [row] = run.table.to_pylist()
    assert difference == pytest.approx(float([value for value in row.values() if value is not None][-1]))
    assert f"{abs(difference):.2f}" in (run.answer or "")


@pytest.mark.parametrize(
    "question", ["compare amount in 1999 vs 2022", "amount before and after March", "West vs Desk"]
)
def test_sides_that_cannot_be_compared_are_asked_back(ask_shop: Ask, question: str) -> None:
    assert ask_shop(question).status == "clarification_needed"
