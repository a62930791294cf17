"""What a question asks to be told is told, or the question is asked about; their like are answered as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

HORSES = (
    "horse,stable,age,weight_kg,gallop,hours_slept,beds,chart_place,grain_cost_eur,grain_kg,sponsor_pct\n"
    + "\n".join(
        f"H{n},{('East', 'West', 'Hill')[n % 3]},{3 + n * 7 % 19},{380 + n * 13 % 170},{11 + n * 5 % 17},{3 + n % 6},"
        f"{1 + n % 3},{1 + n * 11 % 40},{90 + n * 17 % 200},{30 + n * 3 % 25},{n * 7 % 60}"
        for n in range(48)
    )
)
STORMS = "day,station,hail_cm,gusts,avg_pressure\n" + "\n".join(
    f"202{1 + n % 3}-{1 + n % 12:02d}-{1 + n % 27:02d},{('Pier', 'Fort')[n % 2]},{n * 3 % 5},{20 + n * 7 % 60},"
    f"{990 + n * 3 % 40}"
    for n in range(90)
)
MINES = "year,pit,team,accidents,output_t\n" + "\n".join(
    f"{1900 + n},{('Deep', 'North')[n % 2]},{('Sales', 'Union Fund', 'Crew')[n % 3]},{n * 5 % 9},{400 + n * 31 % 300}"
    for n in range(40)
)

OVENS = "month,oven_id,kind,loaves,place\n" + "\n".join(
    f"2024-{1 + month:02d}-01,V{oven:02d},{('deck', 'rack')[oven % 2]},{300 + oven * 17},{1 + (oven + month) % 9}"
    for month in range(12)
    for oven in range(9)
    if oven != 4 or month < 10
)


@pytest.fixture(scope="module")
def opened(library: Callable[..., Library]) -> dict[str, Library]:
    """Each table by itself."""
    return {
        name: library(**{name: text})
        for name, text in (("horses", HORSES), ("storms", STORMS), ("mines", MINES), ("ovens", OVENS))
    }


NOT_TOLD = [
    # Two ends are two figures.
    ("horses", "which horse has the highest and which the lowest weight", "lowest"),
    ("storms", "lowest and highest gusts at the pier", "lowest"),
    # How old is an age, whatever finds the one that is meant.
    ("horses", "how old is the horse with the lowest weight", "the lowest weight_kg"),
    ("horses", "how heavy is the horse that sleeps the longest hours", "the highest hours_slept"),
    # Days are counted, and the one is a number.
    ("storms", "how many days was there hail at the fort", "total hail_cm"),
    ("horses", "average weight for a one bed", "average beds"),
    ("horses", "horses that got to number one", "number of rows, in horses"),
    # All the years from one to the other.
    ("mines", "accidents 1901 to 1910 compared with 1911 to 1920", "one of 1901, 1910"),
    # One thing is not held against another of another kind.
    ("horses", "do heavier horses sleep fewer hours", "whether total"),
    ("mines", "does more output bring more accidents", "whether total"),
    # Fast is a high speed or a short time, and a percentage is no price.
    ("horses", "fastest in the gallop", "gallop"),
    ("horses", "most expensive horse in each stable", "sponsor_pct"),
    # Averages are not added up; what is spent is no team.
    ("storms", "total pressure by station", "total avg_pressure"),
    ("mines", "total spending by pit", "Sales"),
    ("mines", "funding by year", "Union Fund"),
    # The number of a name is no condition, a list has rows, and what is averaged over is what stands behind "per".
    ("storms", "correlation between gusts and hail after 2 days", "hail_cm is 2"),
    ("horses", "list the stables with their number of horses", "number of rows, in horses"),
    ("mines", "average number of teams per pit", "over each team"),
    # The youngest and the oldest are two; how tall something is only its height says.
    ("horses", "how old are the youngest and the oldest horse", "age"),
    ("horses", "how tall is the horse with the highest weight", "weight_kg"),
    # Both kinds are counted, and money is not weighed.
    ("horses", "how many horses are at East and how many at West", "stable is East,"),
    ("horses", "how much money has gone to each stable", "weight_kg"),
    # A bar on single rows is one on what it speaks of.
    ("horses", "median gallop for horses under 5 compared with those 9 and older", "only groups"),
    # Whose price is for each of something is ranked by that.
    ("horses", "which stable has the most grain cost per grain kg", "with the highest grain_kg"),
    # A month of an oven is no oven, and who never came first did not in any month.
    ("ovens", "how many racks do we have", "number of rows"),
    ("ovens", "which ovens have never come first", "different oven_id, where place is not 1"),
    # A number belongs to the column it stands beside, and of two bars one is not about the same.
    ("horses", "how many horses over 10 have a weight of 400 or more", "weight_kg is over 10"),
    ("horses", "how many horses under 12 have a gallop of 15 or more", "gallop is under 12"),
    ("horses", "horses over 10 with a weight above 400", "age is over 400"),
    ("horses", "total weight of horses over 10 with a gallop higher than average", "gallop is over 10"),
    # More than the average sets a bar.
    ("mines", "how many pits have more accidents than the average pit", "average accidents, by pit"),
]


@pytest.mark.parametrize(("table", "question", "never"), NOT_TOLD)
def test_what_was_not_asked_is_not_told(opened: dict[str, Library], table: str, question: str, never: str) -> None:
    said = opened[table].told(question)
    assert never not in said


TOLD = [
    ("mines", "does more output bring more accidents", "correlation of"),
    ("horses", "do heavier horses sleep more hours", "correlation of"),
    ("horses", "which stable was used most", "stable with the highest number of rows"),
    ("horses", "total weight by everyone together", "total weight_kg"),
    ("horses", "how much grain cost has each stable had so far", "total grain_cost_eur, by stable"),
    ("storms", "hail per month over the year", "average hail_cm, by month of day"),
    ("horses", "total grain, kg", "total grain_kg"),
    (
        "horses",
        "how many horses over 10 have a weight of 400 or more",
        "number of rows, where age is over 10 and weight_kg",
    ),
    ("horses", "is weight correlated with age within West", "correlation of"),
    ("horses", "stable with the highest minimum weight", "stable with the highest minimum weight_kg"),
    ("mines", "number of different teams where pit is not Deep", "number of different team, where pit is not Deep"),
    ("storms", "total avg pressure by station", "total avg_pressure, by station"),
    ("horses", "is the grain cost or the weight higher", "whether total grain_cost_eur and total weight_kg is higher"),
    ("horses", "heaviest horse", "horse with the highest weight_kg"),
    ("horses", "highest and lowest weight", "maximum weight_kg and minimum weight_kg"),
    ("horses", "what are the lowest and the highest age in each stable", "minimum age and maximum age, by stable"),
    ("horses", "how old is horse H3", "average age, where horse is H3"),
    ("storms", "running total of rows", "running total of number of rows, by month of day"),
    ("mines", "accidents from 1901 to 1910", "total accidents, where year is between 1901 and 1910"),
    ("mines", "how many years had 8 accidents", "number of"),
]


@pytest.mark.parametrize(("table", "question", "said"), TOLD)
def test_what_is_asked_is_a_first_reading(opened: dict[str, Library], table: str, question: str, said: str) -> None:
    whole = [each.read_back for each in opened[table].read(question)[:3] if not each.left]
    assert any(each.startswith(said) for each in whole), whole
