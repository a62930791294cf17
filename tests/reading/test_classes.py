"""Classes of questions over tables that nothing was written for: lengths of time, hours, quarters, weekends, rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from averment.plans.readback import read_back
from averment.reading.judge.judging import judge
from averment.reading.reader import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from averment.plans.compile import CompiledPlan
    from conftest import Library

VISITS = """visit_id,ward,doctor,check_in,check_out,status,fee
1,Heart,Ames,2024-03-04 07:30:00,2024-03-04 08:00:00,completed,100
2,Heart,Boyle,2024-03-04 09:15:00,2024-03-04 10:15:00,cancelled,200
3,Skin,Ames,2024-03-09 18:00:00,2024-03-09 18:20:00,completed,300
4,Skin,Boyle,2024-03-10 11:00:00,2024-03-10 12:30:00,completed,400
5,Skin,Ames,2024-03-12 17:05:00,2024-03-12 17:45:00,cancelled,500
6,Heart,Ames,2024-03-13 08:45:00,2024-03-13 09:15:00,completed,600
"""
ECONOMY = "year,quarter,gdp,jobless,wages\n" + "\n".join(
    f"{year},{quarter},{1000 + 40 * (year - 1980) + 10 * quarter},{quarter + (year - 1980) / 10},{7 * quarter % 5}"
    for year in range(1980, 1985)
    for quarter in (1, 2, 3, 4)
)
SHOP = {
    "customers": "customer_id,name,region\n1,Ada,North\n2,Ben,South\n3,Cia,South\n",
    "products": "product_id,product_name,category\n1,Lamp,Home\n2,Mug,Kitchen\n3,Bowl,Kitchen\n",
    "orders": "order_id,customer_id,order_date\n1,1,2023-01-05\n2,2,2023-02-07\n3,3,2023-02-20\n4,1,2024-01-02\n",
    "order_items": (
        "item_id,order_id,product_id,quantity,unit_price\n1,1,1,1,20\n2,1,2,5,8\n3,2,3,2,9\n4,3,3,4,9\n5,3,1,1,20\n6,4,2,3,8\n"
    ),
}


@pytest.fixture(scope="module")
def visits(library: Callable[..., Library]) -> Library:
    """Visits to wards, with when they began and ended."""
    return library(visits=VISITS)


@pytest.fixture(scope="module")
def economy(library: Callable[..., Library]) -> Library:
    """Figures of each quarter, the year and the quarter in columns of their own."""
    return library(economy=ECONOMY)


@pytest.fixture(scope="module")
def shop(library: Callable[..., Library]) -> Library:
    """What customers ordered, in four tables."""
    return library(**SHOP)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("average length of a visit", [[45.0]]),
        ("how long does a visit take on average", [[45.0]]),
        ("how many visits lasted longer than 45 minutes", [[2]]),
        ("how many visits were shorter than half an hour", [[1]]),
        ("average visit duration by ward", [["Skin", 50.0], ["Heart", 40.0]]),
        ("average visit duration in hours", [[0.75]]),
        ("median time between check in and check out", [[35.0]]),
        ("how many visits took at least an hour", [[2]]),
    ],
)
def test_the_time_between_two_moments_is_a_number(visits: Library, question: str, rows: list[list[Any]]) -> None:
    assert visits.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many visits started before 9am", [[2]]),
        ("how many visits began after 5 pm", [[2]]),
        ("how many visits between 8am and 10am", [[2]]),
        ("number of visits in the morning", [[4]]),
        ("total fee on weekends", [[700]]),
        ("average fee on weekdays vs weekends", [["weekday", 350.0], ["weekend", 350.0]]),
        ("cancellation rate by ward", [["Heart", 100 / 3], ["Skin", 100 / 3]]),
        ("difference in average fee between Skin and Heart", [[300.0, 400.0, 100.0]]),
        ("how many visits cost more than the average fee", [[3]]),
        ("which doctors have an average fee above the overall average", [["Ames", 375.0]]),
    ],
)
def test_hours_weekends_rates_and_averages_are_read(visits: Library, question: str, rows: list[list[Any]]) -> None:
    found = visits.rows(visits.read(question)[0])
    assert [[round(c, 6) if isinstance(c, float) else c for c in row] for row in found] == [
        [round(c, 6) if isinstance(c, float) else c for c in row] for row in rows
    ]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("gdp in the third quarter of 1982", [[1110.0]]),
        ("average gdp in Q2 1981", [[1060.0]]),
        ("average jobless from Q3 1980 to Q2 1981", [[2.55]]),
        ("average jobless in the first quarter", [[1.2]]),
        ("average gdp per quarter in 1984", [[1, 1170.0], [2, 1180.0], [3, 1190.0], [4, 1200.0]]),
    ],
)
def test_a_year_and_a_quarter_are_a_time(economy: Library, question: str, rows: list[list[Any]]) -> None:
    found = economy.first(question)
    assert [[round(float(c), 6) for c in row] for row in found] == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("top product by quantity in each region", [["North", "Mug", 8], ["South", "Bowl", 6]]),
        ("best selling product per category", [["Home", "Lamp", 2], ["Kitchen", "Mug", 8]]),
        ("which customer spent the most", [["Ada", 84.0]]),
        ("number of orders per month for 2023", [["2023-01-01", 1], ["2023-02-01", 2]]),
    ],
)
def test_the_best_of_each_group_is_found_over_joins(shop: Library, question: str, rows: list[list[Any]]) -> None:
    assert shop.first(question) == rows


def test_a_question_for_the_strongest_correlation_holds_one_number_against_all(economy: Library) -> None:
    for question in ("which feature correlates most with gdp", "what has the strongest relationship with gdp"):
        statistic = economy.read(question)[0].plan.statistic
        assert statistic is not None and statistic.kind == "correlation" and statistic.against is not None


@pytest.mark.parametrize(("probability", "kind"), [(0.05, "none"), (0.3, "offer")])
def test_a_word_that_nothing_names_stands_for_what_it_likely_means(
    visits: Library, probability: float, kind: str
) -> None:
    def link(question: str, words: Sequence[str], texts: Sequence[str]) -> list[float]:
        assert question == "average fee of cardiac visits" and "cardiac" in words
        return [probability if text.startswith("Heart") else 0.01 for text in texts]

    def run(compiled: CompiledPlan) -> Any:
        composed = compiled.compose(visits.catalog.dialect)
        return visits.engine.run(composed.sql, composed.params).table

    question = "average fee of cardiac visits"
    assert "cardiac" in visits.read(question)[0].left
    verdict = judge(read(question, visits.schema, link), run, question=question, schema=visits.schema)
    linked = [each for each in verdict.offers if "ward is Heart" in each.candidate.read_back]
    assert verdict.kind == "offer" and bool(linked) == (kind == "offer")
    assert all(min(span.probability for span in each.candidate.spans) == probability for each in linked)


def test_a_difference_says_both_sides(visits: Library) -> None:
    plan = visits.read("difference in average fee between Skin and Heart")[0].plan
    assert read_back(plan) == "difference of average fee, by ward, between Skin and Heart, in visits"
