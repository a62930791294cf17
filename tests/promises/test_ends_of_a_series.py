"""The first and last period of a series are left out of its headline if the data do not cover them, and it says so."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings

LEFT_OUT = "left out of the comparison"


@pytest.fixture
def workbench(home: Settings) -> Iterator[Workbench]:
    with Workbench(settings=home) as opened:
        yield opened


def sold(folder: Path, days: list[date]) -> Path:
    path = folder / "orders.csv"
    rows = [f"{day},{10 + place % 7}" for place, day in enumerate(days)]
    path.write_text("\n".join(["ordered_on,revenue", *rows, ""]), encoding="utf-8")
    return path


def daily(first: date, count: int) -> list[date]:
    return [first + timedelta(days=n) for n in range(count)]


def test_cut_weeks_at_both_ends_are_named_and_not_compared(workbench: Workbench, tmp_path: Path) -> None:
    run = workbench.analyze("revenue per week", sold(tmp_path, daily(date(2024, 1, 5), 100)))
    headline = (run.answer or "").partition(". ")[0]
    assert "2024-01-08" in headline and "2024-04-01" in headline
    assert "2024-01-01" in (run.answer or "") and "2024-04-08" in (run.answer or "") and LEFT_OUT in (run.answer or "")
    assert (run.report or "").count("\n| 2024-") == 15  # the table keeps every week
    assert workbench.verify(run.id).ok


def test_a_year_that_has_only_begun_is_not_a_fall(workbench: Workbench, tmp_path: Path) -> None:
    run = workbench.analyze("revenue per year", sold(tmp_path, daily(date(2023, 1, 1), 500)))
    assert "fell" not in (run.answer or "") and LEFT_OUT in (run.answer or "")


@pytest.mark.parametrize(
    "days",
    [
        daily(date(2024, 1, 1), 91),
        [day for day in daily(date(2024, 1, 1), 180) if day.weekday() < 5 and day <= date(2024, 6, 28)],
        [date(2023 + month // 12, month % 12 + 1, 1) for month in range(18)],
        [date(2024, 1, 9), date(2024, 2, 3), date(2024, 2, 20), date(2024, 4, 11), date(2024, 5, 2), date(2024, 6, 15)],
    ],
    ids=["whole months", "business days", "one day a month", "few rows"],
)
def test_periods_that_are_as_whole_as_their_data_get_are_compared(
    workbench: Workbench, tmp_path: Path, days: list[date]
) -> None:
    run = workbench.analyze("revenue per month", sold(tmp_path, days))
    assert run.status == "completed" and LEFT_OUT not in (run.answer or "")
