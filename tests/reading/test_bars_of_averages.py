"""A number said before a column is none of it, and what is "above average" has a bar: read so, or asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

HORSES = "horse,breed,age,weight,price\n" + "\n".join(
    f"Horse {chr(65 + n)},{('Arab', 'Cob', 'Shire')[n % 3]},{3 + n * 5 % 17},{380 + n * 61 % 520},{900 + n * 73 % 520}"
    for n in range(20)
)
FLATS = "flat,district,rooms,rent,area_m2\n" + "\n".join(
    f"F-{n:02d},{('North', 'Dock', 'Mill')[n % 3]},{1 + n % 5},{450 + n * 97 % 900},{24 + n * 13 % 90}"
    for n in range(24)
)


@pytest.fixture(scope="module")
def opened(library: Callable[..., Library]) -> dict[str, Library]:
    """Each table by itself."""
    return {"horses": library(horses=HORSES), "flats": library(flats=FLATS)}


@pytest.mark.parametrize(
    ("table", "question", "part"),
    [
        ("horses", "how many horses under 12 have a weight above average", "weight is under 12"),
        ("horses", "which horses over 10 have a price below average", "price is over 10"),
        ("horses", "horses over 9 with a price under the average", "price is over 9"),
        ("flats", "how many flats over 60 have a rent below average", "rent is over 60"),
        ("flats", "flats under 40 whose rent is above average", "rent is under 40"),
        ("horses", "how many horses weigh under 600 but above average", "average over"),
        ("flats", "number of flats above average", "average number"),
        ("flats", "how many flats rent below average", "average rent, by"),
    ],
)
def test_a_bar_is_not_moved(opened: dict[str, Library], table: str, question: str, part: str) -> None:
    assert part not in opened[table].told(question)


@pytest.mark.parametrize(
    ("table", "question", "part"),
    [
        (
            "horses",
            "list horses with a weight under 600 but above the average weight",
            "weight is under 600 and weight is over",
        ),
        ("horses", "average price of horses above average weight", "weight is over [average weight"),
        ("horses", "horses aged under 12 with a weight above average", "age is under 12"),
        ("flats", "how many flats have a rent above average", "rent is over [average rent"),
    ],
)
def test_bars_that_are_named_are_read(opened: dict[str, Library], table: str, question: str, part: str) -> None:
    assert part in opened[table].told(question)
