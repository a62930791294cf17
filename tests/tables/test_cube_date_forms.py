"""The day of a row, however the file writes it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from averment.agents.driller.data_model import read_investigation
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

FIRST = date(2024, 1, 1)


def _written(form: str, day: date) -> str:
    match form:
        case "epoch":
            return str(int(datetime(day.year, day.month, day.day, 9, tzinfo=UTC).timestamp()))
        case "mixed":
            return f'"{day.strftime("%d.%m.%Y" if day.day % 2 else "%b %d, %Y")}"'
        case "parts":
            return f"{day.year},{day.month},{day.day}"
        case _:
            return f'"{day.strftime(form)}"'


@pytest.mark.parametrize(
    ("form", "header"),
    [
        ("%m/%d/%y", "date"),
        ("%m/%d/%Y %H:%M", "date"),
        ("%d.%m.%Y", "date"),
        ("%Y%m%d", "date"),
        ("%b %d, %Y", "date"),
        ("mixed", "date"),
        ("epoch", "created_at"),
        ("parts", "year,month,day"),
    ],
)
def test_a_day_in_any_usual_form_dates_the_rows(tmp_path: Path, form: str, header: str) -> None:
    lines = [f"{header},channel,amount"]
    for at in range(60):
        for channel in "ab":
            lines.append(f"{_written(form, FIRST + timedelta(days=at))},{channel},{10 + at % 3}")
    file = tmp_path / "orders.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = Settings(home=tmp_path / "home")
    request = DrillRequest.checked(
        data_sources=[str(file)], metric_sql="SUM(amount)", baseline_period="2024-01", comparison_period="2024-02"
    )
    engine = Engine(open_sources([str(file)], settings=settings, cache_dir=tmp_path / "cache"), settings)
    try:
        reading = read_investigation(engine, request, permits=lambda table, column: True)
    finally:
        engine.close()
    assert (reading.first_day, reading.last_day) == (FIRST, FIRST + timedelta(days=59))
