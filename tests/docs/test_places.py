"""The table of where a change belongs is true: every place is there, and holds what it is said to hold."""

import re
from pathlib import Path

import pytest

from averment.plugins import POINTS

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "ARCHITECTURE.md").read_text().partition("## Where a change belongs")[2].partition("\n## ")[0]
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")] for line in TABLE.splitlines() if line.startswith("| a")
]
PLACE = re.compile(r"`([\w.…/-]+(?:/|\.\w+))`(?: \(`(\w+)`\))?")


def _found(place: str) -> list[Path]:
    pattern = place.replace("…", "*").rstrip("/")
    return [path for base in (ROOT / "src" / "averment", ROOT) for path in base.glob(pattern)]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_place_is_there_and_holds_what_is_said(row: list[str]) -> None:
    places = [match for match in PLACE.findall(row[1]) if not match[0].startswith("averment.")]
    assert places
    for place, name in places:
        found = _found(place)
        assert found, place
        if name:
            assert re.search(rf"\b{name}\b", found[0].read_text()), (place, name)


def test_every_extension_point_has_its_row() -> None:
    assert {point for point in POINTS if f"`averment.{point}`" in TABLE} == set(POINTS)


def test_the_table_has_the_changes_that_strangers_ask_for() -> None:
    assert len(ROWS) >= 20
