"""Watching saved metrics: what is usual is quiet, what is not is outside, and a file that is none is refused."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from averment.agents.driller.watch import WatchedMetric, complete_periods, expected_range, look_at, read_watch_file
from averment.errors import InvalidRequest
from averment.settings import Settings


def test_only_whole_periods_are_looked_at() -> None:
    weeks = complete_periods("week", date(2024, 1, 3), date(2024, 1, 30))
    assert weeks == [
        (date(2024, 1, 8), date(2024, 1, 14)),
        (date(2024, 1, 15), date(2024, 1, 21)),
        (date(2024, 1, 22), date(2024, 1, 28)),
    ]
    assert complete_periods("month", date(2024, 1, 2), date(2024, 3, 30)) == [(date(2024, 2, 1), date(2024, 2, 29))]


def test_a_usual_value_is_within_and_a_fallen_one_outside() -> None:
    past: list[float | None] = [100.0, 104.0, 98.0, 101.0, 99.0, 103.0, 97.0]
    for last, inside in ((100.0, True), (60.0, False)):
        expected = expected_range("week", [*past, last])
        assert expected is not None
        assert (expected[1] <= last <= expected[2]) is inside


def test_little_history_expects_nothing() -> None:
    assert expected_range("week", [100.0, 104.0, 98.0]) is None


def test_a_saved_metric_is_computed_over_its_latest_whole_week(tmp_path: Path) -> None:
    start = date(2024, 1, 1)
    lines = ["date,amount"]
    for week in range(12):
        for day in range(7):
            lines.append(f"{start + timedelta(days=7 * week + day)},{50 if week == 11 else 100 + (week + day) % 3}")
    (tmp_path / "orders.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    saved = tmp_path / "metrics.toml"
    saved.write_text(
        '[[metric]]\nname = "revenue"\nfiles = ["orders.csv"]\nsql = "SUM(amount)"\n\n'
        '[[event]]\nday = 2024-03-19\nnote = "new price list"\n',
        encoding="utf-8",
    )
    given = read_watch_file(saved)
    look = look_at(given.metric[0], Settings(home=tmp_path / "home"), tmp_path / "cache", given.event)
    assert look is not None
    assert (look.value, look.outside, look.notes) == (350.0, True, ("new price list",))
    assert look.period == (date(2024, 3, 18), date(2024, 3, 24))
    again = look_at(given.metric[0], Settings(home=tmp_path / "home"), tmp_path / "cache", given.event)
    assert again is not None
    assert again.run_id == look.run_id


def test_a_file_without_metrics_is_refused(tmp_path: Path) -> None:
    saved = tmp_path / "metrics.toml"
    saved.write_text("[notify]\nfile = 'digest.md'\n", encoding="utf-8")
    with pytest.raises(InvalidRequest):
        read_watch_file(saved)


@pytest.mark.parametrize(("sql", "value"), [("MEDIAN(amount)", 50.0), ("average amount", 50.0), ("revenue", 350.0)])
def test_percentiles_and_metrics_in_words_are_watched(tmp_path: Path, sql: str, value: float) -> None:
    start = date(2024, 1, 1)
    days = [(start + timedelta(days=n), 50 if n >= 77 else 100 + n % 3) for n in range(84)]
    text = "".join(f"{day},{amount}\n" for day, amount in days)
    (tmp_path / "orders.csv").write_text(f"date,amount\n{text}", encoding="utf-8")
    metric = WatchedMetric(name="watched", files=(str(tmp_path / "orders.csv"),), sql=sql)
    look = look_at(metric, Settings(home=tmp_path / "home"), tmp_path / "cache")
    assert look is not None
    assert (look.value, look.outside) == (value, True)
