"""A comparison points the way its column does: faster is less time or more speed, older an earlier year of birth."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings


@pytest.fixture
def workbench(home: Settings) -> Iterator[Workbench]:
    with Workbench(settings=home) as opened:
        yield opened


def tickets(folder: Path) -> Path:
    path = folder / "tickets.csv"
    hours = {"Urgent": 10, "High": 20, "Low": 30}
    rows = [f"T{n},{name},{hours[name] + n % 5}" for n, name in enumerate(["Urgent", "High", "Low"] * 20)]
    path.write_text("\n".join(["Ticket,Priority,Resolution hours", *rows, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("question", "verdict", "word"),
    [
        ("do urgent tickets get resolved faster than low priority ones?", "Yes", "lower"),
        ("do low tickets get resolved faster than high priority ones?", "No", "higher"),
        ("do low tickets get resolved slower than high priority ones?", "Yes", "higher"),
    ],
)
def test_faster_is_less_time(workbench: Workbench, tmp_path: Path, question: str, verdict: str, word: str) -> None:
    run = workbench.analyze(question, tickets(tmp_path))
    assert (run.answer or "").startswith(f"{verdict}: ") and f" is {word} for " in (run.answer or "")
    assert workbench.verify(run.id).ok


def test_faster_than_a_time_is_below_it(workbench: Workbench, tmp_path: Path) -> None:
    run = workbench.analyze("how many tickets were resolved faster than 16 hours?", tickets(tmp_path))
    assert (run.answer or "").startswith("There are 20 ")


def test_the_fastest_has_the_highest_speed_and_the_youngest_the_latest_birth(
    workbench: Workbench, tmp_path: Path
) -> None:
    cars, people = tmp_path / "cars.csv", tmp_path / "people.csv"
    cars.write_text("model,top_speed_kmh\n" + "".join(f"M{n},{200 + n}\n" for n in range(20)), encoding="utf-8")
    people.write_text("name,birth_year\n" + "".join(f"P{n},{1960 + n}\n" for n in range(20)), encoding="utf-8")
    assert str(workbench.analyze("which model is the fastest?", cars).answer).startswith("M19 ")
    assert str(workbench.analyze("who is the youngest?", people).answer).startswith("P19 ")
