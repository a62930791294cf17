"""What a plan is said as, read as a question, is the plan again: a sample of the bench, over tables of our own."""

from __future__ import annotations

import random
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TABLES = ("employees.csv", "books.csv", "flights.csv", "shop.db")
PLANS = 15


@pytest.fixture(scope="module")
def bench() -> Any:
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        import round_trip
    finally:
        sys.path.pop(0)
    return round_trip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("round")
    with tarfile.open(ROOT / "bench" / "practice.tar.xz") as packed:
        packed.extractall(place, members=[packed.getmember(name) for name in TABLES], filter="data")
    return place


@pytest.mark.parametrize("name", TABLES)
def test_a_read_back_is_read_as_the_plan_it_was_made_from(bench: Any, folder: Path, name: str) -> None:
    with bench.opened(folder / name, folder / "home") as one:
        tried = list(bench.round_trips(one, random.Random(f"7 {name}"), PLANS))
    lost = [(said, read_as) for _, said, read_as, same in tried if not same]
    assert len(tried) == PLANS
    assert len(lost) <= 1, lost
