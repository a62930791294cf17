"""Derived columns are computed by the engine and named by how they were made."""

from collections.abc import Callable

import pytest

from averment import Run

Ask = Callable[[str], Run]


def test_a_ratio_is_of_totals_and_says_so(ask_shop: Ask) -> None:
    run = ask_shop("amount per quantity by region")
    assert run.table is not None
    rows = {row["region"]: row for row in run.table.to_pylist()}
    assert rows["West"]["amount per quantity"] == pytest.approx(float(rows["West"]["total amount"]) / 48)
    assert run.findings[0].method == "total amount divided by total quantity; nothing where that is zero"


def test_days_have_no_hours(ask_shop: Ask) -> None:
    assert ask_shop("amount by hour").status == "clarification_needed"
