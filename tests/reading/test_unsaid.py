"""What a question does not say is asked, with readings near to it: best in what, a figure nobody keeps, other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from averment.reading.judge.judging import judge
from averment.reading.judge.verdict import Verdict
from averment.reading.reader import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from averment.plans.compile import CompiledPlan
    from conftest import Library

TRIPS = "trip_id,driver,town,distance_km,tip\n" + "\n".join(
    f"{n},{driver},{town},{3 * n % 17 + 1},{n % 5}"
    for n, (driver, town) in enumerate(
        [(driver, town) for driver in ("Ida", "Jon", "Kim") for town in ("Bonn", "Ulm", "Jena")] * 2, start=1
    )
)


@pytest.fixture(scope="module")
def trips(library: Callable[..., Library]) -> Library:
    """Trips of drivers, with two numbers and a key that says what a row is."""
    return library(trips=TRIPS)


def verdict(trips: Library, question: str) -> Verdict:
    def run(compiled: CompiledPlan) -> Any:
        composed = compiled.compose(trips.catalog.dialect)
        return trips.engine.run(composed.sql, composed.params).table

    return judge(read(question, trips.schema), run, question=question)


@pytest.mark.parametrize("question", ["best driver", "which town is the worst?", "who is the best driver"])
def test_the_best_is_asked_about_by_each_number_of_the_table(trips: Library, question: str) -> None:
    decided = verdict(trips, question)
    offered = " / ".join(each.candidate.read_back for each in decided.offers)
    assert decided.kind == "offer" and "distance_km" in offered and "tip" in offered


@pytest.mark.parametrize("question", ["profit by town", "average profit of Kim"])
def test_a_figure_that_is_not_kept_is_offered_by_the_numbers_that_are(trips: Library, question: str) -> None:
    decided = verdict(trips, question)
    assert decided.kind == "offer" and decided.left == ("profit",)
    assert any("distance_km" in each.candidate.read_back for each in decided.offers)


@pytest.mark.parametrize("question", ["how many refunds by town", "number of accidents in Ulm"])
def test_things_that_the_rows_are_not_are_never_counted_as_rows(trips: Library, question: str) -> None:
    decided = verdict(trips, question)
    assert decided.kind != "answer" and decided.left


@pytest.mark.parametrize(("question", "count"), [("how many trips in Ulm", 6), ("number of records in Ulm", 6)])
def test_what_the_rows_are_is_counted(trips: Library, question: str, count: int) -> None:
    decided = verdict(trips, question)
    assert decided.kind == "answer" and decided.best is not None and decided.best.rows == [[count]]
