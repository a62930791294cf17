"""The shape of an onset: a lasting step, a pulse that goes back, or a ramp, each with its own days."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from made import BASELINE, COMPARISON, FIRST, Row, orders, write_csv
from stage import Stage

SHAPES: dict[str, tuple[Callable[[int], float], str, str]] = {
    "step": (lambda day: 0.6 * (day >= 16), "2024-03-20", "2024-03-31"),
    "pulse": (lambda day: 0.75 * (16 <= day < 22), "2024-03-20", "2024-03-25"),
    "ramp": (lambda day: min(1.0, max(0.0, (day - 13) * 0.065)), "2024-03-18", "2024-03-31"),
}
WORDS = {"step": "from that day on", "pulse": "It is a pulse", "ramp": "It is a ramp"}


@pytest.mark.parametrize("shape", SHAPES)
def test_an_onset_is_told_in_its_shape(stage: Stage, tmp_path: Path, shape: str) -> None:
    lost, onset, until = SHAPES[shape]

    def change(row: Row, later: bool, chance: random.Random) -> Row | None:
        gone = lost((date.fromisoformat(row["date"]) - FIRST).days)
        return None if row["channel"] == "app" and chance.random() < gone else row

    run = stage.play([write_csv(tmp_path / "orders.csv", orders(change))], "COUNT(*)", BASELINE, COMPARISON)
    work = stage.work(run)
    task = next(str(r.state["task"]) for r in work.state.rounds if r.state["kind"] == "onset")
    found = work.table(task).to_pylist()[0]
    assert found["shape"] == shape
    assert abs((date.fromisoformat(found["onset"][:10]) - date.fromisoformat(onset)).days) <= 1
    assert abs((date.fromisoformat(found["until"][:10]) - date.fromisoformat(until)).days) <= 1
    assert any(WORDS[shape] in claim.text for claim in run.claims if claim.relation == "tested_onset")


def test_an_onset_is_found_between_two_years(stage: Stage, tmp_path: Path) -> None:
    first, begun = date(2022, 1, 1), date(2023, 2, 10)
    chance = random.Random(3)
    rows: list[Row] = [
        {"date": day.isoformat(), "channel": channel, "amount": chance.randrange(20, 60)}
        for day in (first + timedelta(days=n) for n in range(730))
        for channel in ("web", "app", "shop")
        for _ in range(2 if channel == "app" and day >= begun else 6)
    ]
    periods = ("2022-01-01", "2022-12-31"), ("2023-01-01", "2023-12-31")
    run = stage.play([write_csv(tmp_path / "orders.csv", rows)], "COUNT(*)", *periods)
    work = stage.work(run)
    task = next(str(r.state["task"]) for r in work.state.rounds if r.state["kind"] == "onset")
    found = work.table(task).to_pylist()[0]
    assert (found["shape"], found["onset"][:10]) == ("step", begun.isoformat())
