"""A series is told with its method, its numbers bound to cells, and a chart that fits."""

from collections.abc import Callable
from pathlib import Path

import pytest

from averment import Run, Workbench

Ask = Callable[[str], Run]


def test_growth_is_told_against_the_period_before(ask_shop: Ask) -> None:
    run = ask_shop("month over month growth of amount in 2023")
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.num_rows == 12
    first, second = run.table.to_pylist()[:2]
    assert first["growth in percent"] is None  # nothing of 2022 was asked for
    assert second["before"] == first["total amount"]
    assert run.read_back is not None
    assert "growth of total amount in percent, by month of order_date" in run.read_back


def test_year_over_year_compares_the_same_month(ask_shop: Ask) -> None:
    run = ask_shop("year over year growth of amount by month")
    assert run.table is not None
    rows = run.table.to_pylist()
    growth = [next(value for name, value in row.items() if name in {"change %", "growth in percent"}) for row in rows]
    assert growth[:12] == [None] * 12
    assert all(value == pytest.approx(10, abs=0.05) for value in growth[12:])


def test_a_window_longer_than_the_series_is_no_answer(ask_shop: Ask) -> None:
    run = ask_shop("36-month moving average of amount")
    assert run.status == "clarification_needed"
    assert run.findings == ()


def test_a_moving_average_without_a_window_is_asked_back(ask_shop: Ask) -> None:
    assert ask_shop("moving average of amount").status == "clarification_needed"


def test_a_trend_is_told_from_its_first_period_to_its_last(ask_shop: Ask) -> None:
    run = ask_shop("trend of total amount by month")
    assert run.claims[0].relation in {"rose", "fell"}
    assert {each.role for each in run.claims[0].values} >= {"from", "to"}


def test_rows_without_a_date_lie_in_no_step(tmp_path: Path) -> None:
    lines = ["sold_on,amount", *(f"2024-03-{day:02d},{day}" for day in range(1, 11)), ",500", ",600"]
    (tmp_path / "sales.csv").write_text("\n".join(lines) + "\n")
    with Workbench(home=tmp_path / "home") as bench:
        run = bench.analyze("3-day moving average of amount by sold_on", [tmp_path / "sales.csv"])
    assert run.table is not None
    assert run.table.num_rows == 10
    assert list(run.table.to_pylist()[-1].values())[-1] == pytest.approx(9)
