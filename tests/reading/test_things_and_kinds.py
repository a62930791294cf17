"""A thing is not its kind, a name's number no condition, and what is gained is added up: read so, or asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

BOATS = "boat_name,boat_type,skipper,fuel,litres_per_hour,built,channel,outcome\n" + "\n".join(
    f"Tern {n},{('barge', 'yacht', 'ferry')[n % 3]},{'' if n % 7 == 0 else f'Skipper {n % 5}'},"
    f"{('diesel', 'petrol')[n % 2]},{4 + n * 3 % 11},{1990 + n % 30},{('Phone', 'Radio')[n % 2]},"
    f"{('passed', 'rejected')[n % 4 == 1]}"
    for n in range(48)
)
WALKERS = "walker,steps,weight_kg\n" + "\n".join(
    f"{n + 1},{2000 + n * 731 % 9000},{60 + n * 7 % 30}" for n in range(18)
)
CHECKS = "ward,visits_1st_month,weight_g,low_weight\n" + "\n".join(
    f"{('North', 'South', 'East')[n % 3]},{n % 4},{2000 + n * 37 % 1500},{'yes' if n % 5 == 0 else 'no'}"
    for n in range(60)
)


@pytest.fixture(scope="module")
def opened(library: Callable[..., Library]) -> dict[str, Library]:
    """Each table by itself."""
    return {
        name: library(**{name: text}) for name, text in {"boats": BOATS, "walkers": WALKERS, "checks": CHECKS}.items()
    }


TOLD = [
    ("boats", "which boats have no skipper", "boat_name"),
    ("boats", "which boat types are there", "boat_type"),
    ("boats", "average litres per hour by boat type, longest first", "sorted by average litres_per_hour down"),
    ("boats", "number of boats by fuel, fewest first", "sorted by number of rows up"),
    ("walkers", "how many walkers are there", "number of"),
    ("walkers", "who took the most steps", "walker with the highest steps"),
    ("walkers", "average weight by walker", "by walker"),
    ("checks", "which ward has the highest average weight", "average weight_g"),
]

NOT_TOLD = [
    # A thing is not its kind, and the name of a column is none of its values.
    ("boats", "which boats have no skipper", "boat_type"),
    ("boats", "how many boats were built in 1995 or later", "different boat_type"),
    ("boats", "average fuel use by boat type", "fuel is"),
    # A number that begins with one and counts up is no amount.
    ("walkers", "how many walkers weigh over 70 kg", "total walker"),
    # An average of single rows is none.
    ("walkers", "what is the average weight of the walkers", "by walker"),
    # A number that belongs to a name is no condition, and a name with "number" behind it no count.
    ("checks", "count of checks by number of visits in the first month", "visits_1st_month is 1"),
    ("boats", "what is the phone number of Tern 4", "number of rows"),
    # Two numbers are asked for.
    ("boats", "how many passed and how many were rejected", "number of rows, where outcome is one of"),
    # What is in quotation marks is meant.
    ("boats", "share of 'by' boats by fuel", "share of number of rows"),
    # A share of people is one of heads, and what is given is added up.
    ("checks", "what share of the babies had a low weight", "total weight_g"),
    ("checks", "which ward gave the most weight", "average weight_g"),
]


@pytest.mark.parametrize(("table", "question", "part"), TOLD)
def test_what_is_asked_for_is_read(opened: dict[str, Library], table: str, question: str, part: str) -> None:
    verdict = opened[table].judged(question)
    first = verdict.best if verdict.kind == "answer" else (verdict.offers or [None])[0]
    assert first is not None and part in first.candidate.read_back, first and first.candidate.read_back


@pytest.mark.parametrize(("table", "question", "part"), NOT_TOLD)
def test_what_was_not_asked_for_is_not_told(opened: dict[str, Library], table: str, question: str, part: str) -> None:
    told = opened[table].told(question)
    assert part not in told, told
