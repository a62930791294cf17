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
    ("first", "years", "named"), [((2020, 3), 4, ("2020", "2023")), ((2016, 1), 8, ("2023",))], ids=["both", "last"]
)
def test_years_of_monthly_rows_that_lack_months_are_not_compared(
    workbench: Workbench, tmp_path: Path, first: tuple[int, int], years: int, named: tuple[str, ...]
) -> None:
    months = [(first[0] + n, month) for n in range(years) for month in range(1, 13)]
    days = [date(year, month, 1) for year, month in months if first <= (year, month) <= (2023, 10)]
    told = workbench.analyze("revenue per year", sold(tmp_path, days)).answer or ""
    assert LEFT_OUT in told
    assert [year for year in ("2020", "2023") if year in told.rpartition(", so ")[2]] == list(named)


def test_a_period_that_was_not_asked_for_is_not_named(workbench: Workbench, tmp_path: Path) -> None:
    days = daily(date(2023, 3, 17), 331)  # to 2024-02-10
    told = workbench.analyze("revenue per month in 2023", sold(tmp_path, days)).answer or ""
    assert "March 2023 is not whole" in told and "February 2024" not in told


def test_a_period_that_the_question_itself_cuts_is_not_compared(workbench: Workbench, tmp_path: Path) -> None:
    days = daily(date(2023, 3, 1), 306)  # to 2023-12-31
    told = workbench.analyze("revenue per month since 2023-04-20", sold(tmp_path, days)).answer or ""
    assert " May 2023" in told.partition(". ")[0] and " April 2023" not in told.partition(". ")[0]
    assert "April 2023 is not whole" in told and LEFT_OUT in told


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
