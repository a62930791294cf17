"""Words that frame a question ask nothing of a plan, each class for its reason; words that may restrict it stay out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

LESSONS = "Lesson Date,Teacher,Level,Pupils,Minutes,Outdoors,Fee,mark\n" + "\n".join(
    f"{2021 + n % 3}-{1 + n * 5 % 12:02}-1{n % 8},{('Ola', 'Pia', 'Rex')[n % 3]},"
    f"{('Basic', 'Middle', 'Upper')[n // 4 % 3]},"
    f"{1 + n * 7 % 12},{30 + n * 11 % 60},{('yes', 'no')[n // 2 % 2]},{10 + n * 13 % 50},{1 + n * 3 % 9}"
    for n in range(60)
)
HUTS = "name,valley,beds,dogs_ok,wind_kmh,floor_m2,price\n" + "\n".join(
    f"{name},{('Arn', 'Bell', 'Cor')[n % 3]},{4 + n * 5 % 30},{'yn'[n % 2]},"
    f"{10 + n * 17 % 60},{40 + n * 23 % 90},{20 + n * 7 % 40}"
    for n, name in enumerate("Alm Birk Cima Dosso Egg Furka Grat Horn Ibex Joch".split())
)
MINIPLANETS = "pl_name,mass,moons\n" + "\n".join(f"P-{n},{1 + n * 7 % 11},{n % 4}" for n in range(12))


@pytest.fixture(scope="module")
def opened(library: Callable[..., Library]) -> dict[str, Library]:
    """Each table by itself."""
    tables = {"lessons": LESSONS, "huts": HUTS, "miniplanets": MINIPLANETS}
    return {name: library(**{name: text}) for name, text in tables.items()}


FRAMED = [
    # Who keeps the data.
    ("lessons", "how many lessons has the school given in 2022", "number of rows, where year of Lesson Date is 2022"),
    ("lessons", "how many lessons did our club hold for Upper", "number of rows, where Level is Upper"),
    ("huts", "how many huts does the association have", "number of rows, in huts"),
    # How far the data go.
    ("lessons", "total fee over the whole period", "total Fee, in lessons"),
    ("lessons", "total fee by level, all years together", "total Fee, by Level"),
    ("lessons", "how many lessons are on record", "number of rows, in lessons"),
    ("lessons", "average mark by teacher, past or present", "average mark, by Teacher"),
    # Short forms.
    ("huts", "what's the cheapest hut we've got", "huts.name with the lowest price"),
    # What is usual, and what developed.
    (
        "lessons",
        "which month of the year usually brings the highest total fee",
        "month of the year of Lesson Date with",
    ),
    ("lessons", "which teacher usually has the highest fee", "Teacher with the highest average Fee"),
    ("lessons", "how did the average mark develop by year", "average mark, by year of Lesson Date"),
    # A term with its definition.
    ("lessons", "number of failed lessons (mark under 4) per level", "number of rows, by Level, where mark is under 4"),
    ("lessons", "how many crammed lessons, i.e. pupils over 10", "number of rows, where Pupils is over 10"),
    ("huts", "total beds per glen (valley)", "total beds, by valley"),
    # The number that somebody has, and the other side of a yes/no column.
    ("lessons", "do outdoors lessons get a higher average mark than those without", "whether average mark is higher"),
    ("lessons", "average fee of outdoors lessons compared with those that aren't", "average Fee, by Outdoors"),
    ("huts", "how many huts welcome dogs", "number of rows, where dogs_ok is y"),
    # What a unit measures, and what a compound is a kind of.
    ("huts", "average wind speed by valley", "average wind_kmh, by valley"),
    ("miniplanets", "how many planets have more than 2 moons", "number of rows, where moons is over 2"),
]


@pytest.mark.parametrize(("table", "question", "said"), FRAMED)
def test_words_that_frame_are_accounted_for(opened: dict[str, Library], table: str, question: str, said: str) -> None:
    verdict = opened[table].judged(question)
    assert verdict.best is not None and not verdict.best.candidate.left, verdict.left
    assert verdict.best.candidate.read_back.startswith(said)


RESTRICTING = [
    ("lessons", "number of failed lessons (by level)"),  # no definition stands there
    ("lessons", "number of failed lessons"),
    ("lessons", "how many company lessons were there in 2022"),  # those for companies, perhaps
    ("lessons", "average fee of our teacher"),  # one of them, whom nobody named
    ("lessons", "average fee of lessons that aren't online"),
    ("huts", "average boat speed by valley"),
    ("huts", "how many huts allow smoking"),
    ("lessons", "how many lessons does each planet have"),
    ("huts", "how many huts never allow dogs"),
    ("lessons", "which level usually came first"),  # no average, and nothing that comes again
]


@pytest.mark.parametrize(("table", "question"), RESTRICTING)
def test_words_that_may_restrict_are_not(opened: dict[str, Library], table: str, question: str) -> None:
    verdict = opened[table].judged(question)
    assert verdict.kind != "answer", verdict.best and verdict.best.candidate.read_back
