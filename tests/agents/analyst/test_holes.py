"""A plan's literals become holes, and only a new question's literals fill them."""

from typing import Any

import pytest

from averment.agents.analyst.holes import General, PlaceholderValue, dig, fill

REGION = {"table": "sales", "column": "region"}
AMOUNT = {"table": "sales", "column": "amount"}
DAY = {"table": "sales", "column": "day"}


def value(text: str, *columns: str) -> PlaceholderValue:
    return PlaceholderValue(kind="value", words=text, forms={"": text}, fits=columns)


def number(text: str) -> PlaceholderValue:
    return PlaceholderValue(kind="number", words=text, forms={"": text}, fits=("",))


def year(of: int, bound: str = "within") -> PlaceholderValue:
    forms = {"start": f"{of}-01-01", "year": str(of), "end": f"{of}-12-31", "next": f"{of + 1}-01-01"}
    return PlaceholderValue(kind="time", words=str(of), forms=forms, fits=("year", bound, "", *sorted(forms)))


def plan(region: str, above: float, limit: int) -> dict[str, Any]:
    return {
        "table": "sales",
        "where": [{"value": REGION, "to": [region]}, {"value": AMOUNT, "operator": ">", "to": [above]}],
        "by": [REGION],
        "measures": [{"function": "sum", "of": AMOUNT}],
        "rank": {"limit": limit},
    }


ASKED = General(
    template="top {number} of {region} over {number_2}",
    slots={"number": number("3"), "region": value("West", "area", "region"), "number_2": number("40.5")},
)


def test_literals_become_holes_with_names_of_what_they_are() -> None:
    holed = dig(plan("West", 40.5, 3), ASKED)
    assert holed is not None
    assert holed.general.template == "top {limit} of {region} over {threshold}"
    assert holed.plan["rank"] == {"limit": "{limit}"}
    assert [test["to"] for test in holed.plan["where"]] == [["{region}"], ["{threshold}"]]
    assert holed.general.slots["region"].fits == ("region",)


def test_what_is_filled_in_is_all_of_the_new_question() -> None:
    holed = dig(plan("West", 40.5, 3), ASKED)
    assert holed is not None
    new = General(
        template=ASKED.template,
        slots={"number": number("5"), "region": value("East", "region"), "number_2": number("7")},
    )
    assert fill(holed, new) == plan("East", 7, 5)


def test_a_period_fills_the_form_the_plan_has_it_in() -> None:
    body = {
        "table": "sales",
        "where": [
            {"value": DAY, "operator": ">=", "to": ["2023-01-01"]},
            {"value": {**DAY, "kind": "part", "part": "year"}, "to": [2023]},
        ],
        "measures": [{"function": "rows"}],
    }
    holed = dig(body, General(template="in {time_range}", slots={"time_range": year(2023)}))
    assert holed is not None
    filled = fill(holed, General(template="in {time_range}", slots={"time_range": year(2025)}))
    assert filled is not None
    assert [test["to"] for test in filled["where"]] == [["2025-01-01"], [2025]]
    since = General(template="{time_range}", slots={"time_range": year(2025, "since")})
    assert fill(holed, since) is None


@pytest.mark.parametrize(
    "slots",
    [
        {"number": number("3"), "region": value("West", "region")},
        {"number": number("3"), "region": value("West", "region"), "number_2": number("40.5"), "other": number("9")},
        {"number": number("3"), "region": value("West", "area"), "number_2": number("40.5")},
    ],
)
def test_a_question_with_other_literals_than_the_plan_is_not_kept_or_fills_nothing(
    slots: dict[str, PlaceholderValue],
) -> None:
    general = General(template=" ".join(f"{{{name}}}" for name in slots), slots=slots)
    holed = dig(plan("West", 40.5, 3), ASKED)
    assert holed is not None
    assert fill(holed, general) is None


def test_a_literal_that_two_words_may_stand_for_is_not_kept() -> None:
    twice = General(
        template=ASKED.template,
        slots={"number": number("3"), "region": value("West", "region"), "number_2": number("3")},
    )
    assert dig(plan("West", 3, 3), twice) is None


def test_a_word_that_has_no_place_in_the_plan_is_not_kept() -> None:
    more = General(template=ASKED.template + " {number_3}", slots={**ASKED.slots, "number_3": number("8")})
    assert dig(plan("West", 40.5, 3), more) is None
