"""Derived columns are computed by the engine and named by how they were made."""

from collections.abc import Callable

import pytest

from averment import Run

Ask = Callable[[str], Run]


def test_a_ratio_is_of_totals_and_says_so(ask_shop: Ask) -> None:
    run = ask_shop("amount per quantity by region")
    assert run.table is not None
    assert run.read_back == "total amount divided by total quantity, by region, in shop"
    totals = ask_shop("total amount by region").table
    assert totals is not None
    west = next(float(row["total amount"]) for row in totals.to_pylist() if row["region"] == "West")
    found = {row["region"]: list(row.values())[-1] for row in run.table.to_pylist()}
    assert float(found["West"]) == pytest.approx(west / 48)


def test_days_have_no_hours(ask_shop: Ask) -> None:
    run = ask_shop("amount by hour")
    assert run.status == "clarification_needed"
    assert "hour" in (run.answer or "") and run.table is None
    assert ask_shop("amount by month").status == "completed"
