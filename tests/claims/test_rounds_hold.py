"""What a round of an investigation says: counts that fit their days, shares that are shares, parts that sum."""

from typing import Any

import pytest
from invented import Invented, given, say

from averment.claims.of_rounds import VERDICTS


def told(
    relation: str, numbers: dict[str, Any], words: dict[str, str] | None = None, figure: str = "sales"
) -> str | None:
    values = [given(role, value, "label" if isinstance(value, str) else "number") for role, value in numbers.items()]
    return say(relation, *values, words=words or {}, figure=figure)


FAULTS = {"rows0": 28, "days0": 30, "rows1": 31, "days1": 31, "nulls0": 0, "nulls1": 0.5}
CALENDAR = {"days0": 30, "weekend0": 8, "days1": 31, "weekend1": 10}
SEGMENT = {"before": 200, "after": 150, "percent": -25, "rest": 0.1, "errors": 3.5}
SHARES = {"share0": 0.25, "share1": 0.5}
MIX = {**SHARES, "rate0": 5, "rate1": 7, "mix": 2, "rate": -1}
SPREAD = {"value": "North", "had": 0.25, "errors": 3.5}
INSIDE = {"value": "web", "had": 0.25, "holds": 0.5}
ONSET = {"onset": "2024-03-04", **SHARES}
SUM = {"change": -100, "faults": -10, "expected": 5, "causes": -80, "rest": -15}
CUT = {"value": "North", "before": 200, "after": 150}
TESTED_DAYS = {"first": "2024-03-04", "last": "2024-03-08", "days": 5, "inside": 12, "others": 20, "outside": 15}
LAG = {"earlier": 7, "days": 60, "correlation": 0.5}
PLACE = {"place": "all segments together"}
GROUPS = {"groups": "men\nwomen"}
NORTH = {"segment": "region = North"}


@pytest.mark.parametrize(
    ("relation", "numbers", "words", "said"),
    [
        ("tested_faults", FAULTS, {},
         "The data were tested for faults: rows on 28 of 30 days of the baseline and on 31 of 31 days of the "
         "comparison; "
         "0 and 0.5 of the rows have no value."),
        ("tested_calendar", CALENDAR, {},
         "The calendar was compared: 30 days with 8 weekend days against 31 with 10. Other years, the calendar "
         "and the "
         "trend before do not show this change."),
        ("tested_calendar", {**CALENDAR, "part": -5}, {"by": "the season"},
         "The calendar was compared: 30 days with 8 weekend days against 31 with 10. It was to be expected by "
         "the season: "
         "that gives -5."),
        ("tested_segment", SEGMENT, PLACE,
         "In all segments together, sales went from 200 to 150 (-25), in the rest of the data by 0.1. That is "
         "3.5 standard "
         "errors of its own rows."),
        ("tested_segment", {"before": 200, "after": 150}, PLACE,
         "In all segments together, sales went from 200 to 150."),
        ("tested_segment", {**NORTH, **SEGMENT}, GROUPS,
         "In region = North, sales is 200 in men and 150 in women (-25); in the rest of the data the groups "
         "differ by 0.1. "
         "That is 3.5 standard errors of its own rows."),
        ("tested_segment", {**NORTH, **SHARES}, {}, "region = North went from 0.25 to 0.5 of the rows."),
        ("tested_segment", {**NORTH, **SHARES}, GROUPS,
         "region = North makes up 0.25 of the rows of men and 0.5 of those of women."),
        ("tested_mix", MIX, PLACE,
         "all segments together went from 0.25 to 0.5 of the whole, while the metric inside it went from 5 to "
         "7. The shift "
         "of weights moves the metric by 2, the levels inside by -1."),
        ("tested_mix", {**NORTH, **MIX}, GROUPS,
         "region = North makes up 0.25 of men and 0.5 of women; the metric inside it is 5 and 7. The other "
         "weights make a "
         "difference of 2, the levels inside one of -1."),
        ("tested_spread", SPREAD, {},
         "The values of sales were compared with each other. North, which holds 0.25 of the whole, stands out "
         "most: 3.5 "
         "standard errors from moving alike with the rest."),
        ("tested_spread", {**SPREAD, "chance": 0.01}, GROUPS,
         "The values of sales were compared with each other. North, which holds 0.25 of the whole, stands out "
         "most: 3.5 "
         "standard errors from differing alike with the rest, which chance brings to one of them in 0.01."),
        ("tested_inside", {**NORTH, **INSIDE}, {"narrows": "yes"},
         "Inside region = North every further dimension was looked at. The most telling value is web of sales, "
         "which held "
         "0.25 before and carries 0.5 of the move."),
        ("tested_inside", {**NORTH, **INSIDE, "holds": 0.4}, GROUPS,
         "Inside region = North every further dimension was looked at. None narrows it down; the nearest is web "
         "of sales, "
         "which holds 0.25 in men and carries 0.4 of the difference."),
        ("tested_onset", {**NORTH, **ONSET}, {},
         "The daily share of region = North was followed. It changes on 2024-03-04: from 0.25 before to 0.5 "
         "from that day on."),
        ("tested_onset", {**NORTH, **ONSET}, {"shape": "ramp"},
         "The daily share of region = North was followed. It is a ramp: from 2024-03-04 on it moves day by day, "
         "from 0.25 to "
         "0.5 at the end."),
        ("tested_onset", {**NORTH, **ONSET, "until": "2024-03-09"}, {"shape": "pulse"},
         "The daily share of region = North was followed. It is a pulse: from 2024-03-04 to 2024-03-09 it is "
         "0.5, else 0.25."),
        ("tested_onset", {**NORTH, **ONSET, "until": "2024-03-09"}, {"shape": "gap"},
         "The daily share of region = North was followed. It has a gap: from 2024-03-04 to 2024-03-09 hardly "
         "any is there, "
         "0.5 instead of 0.25."),
        ("tested_sum", SUM, {},
         "The parts were added up against the change of -100. Faults of the data carry -10, what was to be "
         "expected 5, causes "
         "-80, and -15 stays unexplained."),
    ],
)  # fmt: skip
def test_a_round_says_what_came_out_and_what_it_means(relation: str, numbers: Any, words: Any, said: str) -> None:
    assert told(relation, numbers, words) == said
    for verdict, end in VERDICTS.items():
        assert told(relation, numbers, {**words, "verdict": verdict}) == f"{said}{end}"
    assert told(relation, numbers, {**words, "verdict": "likely"}) is None


@pytest.mark.parametrize(
    ("relation", "numbers", "holds"),
    [
        *(("tested_faults", {**FAULTS, **other}, holds) for other, holds in (
            ({"rows0": 30}, True), ({"rows0": 31}, False), ({"rows1": 32}, False), ({"rows0": None}, False),
            ({"rows0": None, "days0": None, "rows1": None, "days1": None}, False),
            ({"nulls0": 1}, True), ({"nulls0": 1.1}, False), ({"nulls1": -0.1}, False), ({"nulls1": None}, False))),
        *(("tested_calendar", {**CALENDAR, **other}, holds) for other, holds in (
            ({"weekend0": 30}, True), ({"weekend0": 31}, False), ({"weekend1": 32}, False), ({"days1": None}, False))),
        *(("tested_segment", {**SEGMENT, **other}, holds) for other, holds in (
            ({"percent": 25}, False), ({"percent": -24}, False), ({"percent": None}, False), ({"after": None}, False),
            ({"before": -200, "after": -150, "percent": 25}, True), ({"before": 0, "percent": 0}, False))),
        *(("tested_segment", {**SHARES, **other}, holds) for other, holds in (
            ({"share0": 0, "share1": 1}, True), ({"share0": 1.1}, False), ({"share1": None}, False))),
        ("tested_segment", {"share1": 0.5}, False),
        *(("tested_mix", {**MIX, **other}, holds) for other, holds in (
            ({"rate0": 0}, True), ({"share0": -0.1}, False), ({"rate1": None}, False), ({"mix": None}, False))),
        *(("tested_spread", {**SPREAD, **other}, holds) for other, holds in (
            ({"had": 1}, True), ({"had": 1.1}, False), ({"errors": None}, False), ({"chance": 2}, False))),
        *(("tested_onset", {**ONSET, **other}, holds) for other, holds in (
            ({"share0": 1.5}, False), ({"until": "2024-03-09"}, False))),
        *(("tested_sum", {**SUM, **other}, holds) for other, holds in (
            ({"rest": -14}, False), ({"rest": 15}, False), ({"rest": None}, False), ({"rest": -15.000001}, True),
            ({"change": 0, "causes": 20}, True))),
    ],
)  # fmt: skip
def test_a_round_is_told_only_with_numbers_that_can_be(relation: str, numbers: Any, holds: bool) -> None:
    assert (told(relation, numbers, PLACE) is not None) is holds


def test_a_spread_is_of_a_dimension_and_faults_may_be_named() -> None:
    assert told("tested_spread", SPREAD, figure="") is None
    assert str(told("tested_faults", FAULTS, {"found": "duplicates"})).endswith("have no value. Found: duplicates.")


@pytest.mark.parametrize(
    ("had", "holds", "narrows"),
    [(0.25, 0.5, True), (0.25, 0.49, False), (0.5, 0.25, False), (0.0, 1.0, True)],
)
def test_a_value_narrows_it_down_where_it_carries_far_more_than_it_held(
    had: float, holds: float, narrows: bool
) -> None:
    numbers = {**NORTH, **INSIDE, "had": had, "holds": holds}
    assert (told("tested_inside", numbers, {"narrows": "yes"}) is not None) is narrows
    assert (told("tested_inside", numbers) is not None) is not narrows
    assert told("tested_inside", {**numbers, "had": None}) is None


@pytest.mark.parametrize(
    ("shape", "until", "holds"),
    [
        ("step", False, True),
        ("step", True, False),
        ("pulse", True, True),
        ("pulse", False, False),
        ("gap", True, True),
        ("gap", False, False),
        ("ramp", False, True),
        ("ramp", True, False),
        ("wave", False, False),
    ],
)
def test_only_a_pulse_and_a_gap_have_an_end(shape: str, until: bool, holds: bool) -> None:
    numbers = {**NORTH, **ONSET, **({"until": "2024-03-09"} if until else {})}
    assert (told("tested_onset", numbers, {"shape": shape}) is not None) is holds


FACTORS = Invented(
    {"factor": ["rows", "price"], "before": [10, 5], "after": [8, 6], "share": [0.8, 0.2]}, kinds={"share": "fraction"}
)


def factors(*cells: tuple[str, int], names: str = "rows\nprice", **words: str) -> str | None:
    values = [FACTORS.tell(role, row, role.rstrip("0123456789")) for role, row in cells]
    return say("tested_factors", *values, sealed=FACTORS.sealed, words={"factors": names, **words})


BOTH = (("before0", 0), ("after0", 0), ("share0", 0), ("before1", 1), ("after1", 1))


@pytest.mark.parametrize(
    ("cells", "words", "said"),
    [
        (BOTH, {}, "The metric was taken apart: rows from 10 to 8 (80 % of the change); price from 5 to 6."),
        (
            BOTH,
            GROUPS,
            "The metric was taken apart for men and women: rows 10 and 8 (80 % of the difference); price 5 and 6.",
        ),
        (BOTH[:3], {"names": "rows"}, "The metric was taken apart: rows from 10 to 8 (80 % of the change)."),
        (BOTH[:3], {}, None),
        (BOTH, {"names": "rows"}, None),
        ((("before0", 0), ("after0", 1)), {"names": "rows"}, None),
        ((), {"names": "rows"}, None),
        ((), {"names": ""}, None),
    ],
)
def test_each_factor_is_told_with_its_own_row(cells: Any, words: dict[str, str], said: str | None) -> None:
    assert factors(*cells, **words) == said


def proposed(
    relation: str, numbers: dict[str, Any], words: dict[str, str], *, other: dict[str, Any] | None = None
) -> str | None:
    """A proposal's numbers in one row, those of ``other`` in a second."""
    table = {role: [value, (other or {}).get(role, value)] for role, value in numbers.items()}
    made = Invented(table, kinds={role: "label" for role, value in numbers.items() if isinstance(value, str)})
    values = [made.tell(role, int(role in (other or {})), role) for role in numbers]
    return say(relation, *values, sealed=made.sealed, words=words, figure="sales")


PROPOSALS: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    ("tested_cut", CUT, {"cut": "region"}, "sales was cut by region. North went from 200 to 150."),
    ("tested_cut", {**CUT, "percent": -25, "rest": 0.1, "errors": 4}, {"cut": "region"},
     "sales was cut by region. North went from 200 to 150 (-25), the rest of the data by 0.1. That is 4 "
     "standard errors "
     "from what the rest leads one to expect."),
    ("tested_days", TESTED_DAYS, {},
     "From 2024-03-04 to 2024-03-08 (5 days with rows) sales had 12 a day, the other 20 days of the period 15."),
    ("tested_days", {**TESTED_DAYS, "errors": 3}, {},
     "From 2024-03-04 to 2024-03-08 (5 days with rows) sales had 12 a day, the other 20 days of the period 15. "
     "That is 3 "
     "standard errors from the other days, weekday for weekday."),
    ("tested_lag", {**LAG, "errors": 2}, {"series": "visits"},
     "sales and visits 7 days before were compared: their moves correlate with 0.5 over 60 days. That is 2 "
     "standard errors "
     "from none at all."),
    ("tested_lag", {"earlier": 7, "days": 6}, {"series": "visits"},
     "sales and visits 7 days before could not be compared over 6 days."),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "numbers", "words", "said"), PROPOSALS)
def test_a_proposal_is_told_from_one_row(relation: str, numbers: Any, words: dict[str, str], said: str) -> None:
    assert proposed(relation, numbers, words) == said
    assert proposed(relation, numbers, {**words, "verdict": "open"}) == f"{said}{VERDICTS['open']}"
    assert proposed(relation, numbers, words, other={"days": 9, "after": 9}) is None


@pytest.mark.parametrize(
    ("relation", "numbers", "apart", "holds"),
    [
        ("tested_segment", {"before": 200, "after": 150, "rest": 0.1}, "rest", True),
        ("tested_segment", {"before": 200, "after": 150, "errors": 3}, "after", False),
        ("tested_segment", {"before": 200, "after": 150, "errors": 3}, "errors", False),
        ("tested_segment", SHARES, "share1", False),
        ("tested_mix", MIX, "mix rate", True),
        ("tested_mix", MIX, "rate", False),
        ("tested_mix", MIX, "share1", False),
        ("tested_mix", MIX, "rate1", False),
        ("tested_spread", SPREAD, "", True),
        ("tested_spread", SPREAD, "value", False),
        ("tested_inside", INSIDE, "", True),
        ("tested_inside", INSIDE, "value", False),
        ("tested_inside", INSIDE, "holds", False),
        ("tested_onset", ONSET, "", True),
        ("tested_onset", ONSET, "onset", False),
        ("tested_onset", ONSET, "share1", False),
        ("tested_sum", SUM, "", True),
        ("tested_sum", SUM, "rest", False),
    ],
)
def test_what_belongs_together_is_told_from_one_row(relation: str, numbers: Any, apart: str, holds: bool) -> None:
    words = {**PLACE, "narrows": "yes"}
    other = {role: numbers[role] for role in apart.split()}
    assert (proposed(relation, numbers, words, other=other) is not None) is holds


@pytest.mark.parametrize(
    ("relation", "numbers", "holds"),
    [
        ("tested_cut", {**CUT, "percent": 25}, False),
        ("tested_cut", {**CUT, "percent": -24}, False),
        ("tested_cut", {**CUT, "percent": None}, False),
        ("tested_cut", {**CUT, "before": -200, "after": -150, "percent": 25}, True),
        ("tested_cut", {**CUT, "before": 0, "percent": 0}, False),
        ("tested_cut", {**CUT, "before": None}, False),
        ("tested_cut", {**CUT, "after": None}, False),
        ("tested_days", {**TESTED_DAYS, "inside": None}, False),
        ("tested_days", {**TESTED_DAYS, "outside": None}, False),
        ("tested_lag", {**LAG, "correlation": 1}, True),
        ("tested_lag", {**LAG, "correlation": -1}, True),
        ("tested_lag", {**LAG, "correlation": 1.1}, False),
        ("tested_lag", {**LAG, "correlation": -1.1}, False),
        ("tested_lag", {**LAG, "correlation": None}, False),
    ],
)
def test_a_proposal_is_told_only_with_numbers_that_can_be(relation: str, numbers: Any, holds: bool) -> None:
    words = {"cut": "region", "series": "visits"}
    assert (proposed(relation, numbers, words) is not None) is holds
    assert told(relation, numbers, words) is None
