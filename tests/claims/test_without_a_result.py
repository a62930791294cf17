"""Where the result is not at hand, a claim is judged by its own values; what needs all rows is not said then."""

from typing import Any

import pytest
from invented import Invented, given, quoted, say

from averment.records.claim import ClaimValue

TIPS = Invented({"who": ["Ada", "Bob"], "tip": [5, 3], "part": [62.5, 37.5]}, "who", kinds={"part": "percentage"})
YEARS = Invented({"year": [2019, 2020], "tip": [3, 5]}, "year", kinds={"year": "year"})
GROUPS = Invented({"g": ["a", "b"], "n": [50, 50], "mean": [10.0, 12.0], "sd": [2.0, 2.0]}, "g")
THREES = [(row, name) for row in (0, 1) for name in ("n", "mean", "sd")]
PAIRS = Invented({"n": [40, 10, 10, 40], "one": [80.0, 20.0, 20.0, 80.0]})
NINES = [(row, name) for row in range(4) for name in ("n", "one", "one")]
FIGURES = Invented({"figure": ["statistic", "p-value"], "value": [0.9, 0.2]})
BINS = Invented({"from": [0], "to": [10], "rows": [4]})
FARES = Invented({"fare": [99], "low": [2], "high": [10]})


def alone(made: Invented, relation: str, values: list[ClaimValue], rows: Any = (), **words: str) -> str | None:
    keys = [made.sealed.key(row) for row in rows]
    return say(relation, *made.keyed(rows), *values, subjects=keys, words=words, figure="tip")


def sides(*roles: str, made: Invented = TIPS, column: str = "tip") -> list[ClaimValue]:
    return [made.tell(role, place, column, place) for place, role in enumerate(roles)]


COMPARED = [given("first", 5), given("second", 3)]
FROM_TO = {"from": "2019", "to": "2020"}


@pytest.mark.parametrize(
    ("made", "relation", "values", "rows", "words", "text"),
    [
        (TIPS, "is", [TIPS.tell("value", 0, "tip")], [], {}, "The tip is 5."),
        (TIPS, "count", [given("count", 7, "count")], [], {}, "There are 7 rows."),
        (TIPS, "share", [TIPS.tell("share", 0, "part", 0), TIPS.tell("value", 0, "tip", 0)], [0], {},
         "Ada accounts for 62.5 % of the tip, 5."),
        (TIPS, "list", [], [0, 1], {}, "tip: Ada and Bob."),
        (TIPS, "list", [], [], {}, None),
        (TIPS, "none", [], [], {"table": "tips"}, None),
        (TIPS, "highest", [TIPS.tell("value", 0, "tip", 0)], [0], {}, None),
        (TIPS, "rank", sides("value", "value"), [0, 1], {"end": "highest"}, None),
        (TIPS, "more_than", sides("first", "second"), [0, 1], {}, "The tip is higher for Ada, 5, than for Bob, 3."),
        (TIPS, "less_than", sides("first", "second"), [0, 1], {}, None),
        (TIPS, "more_than", COMPARED, [], {"one": "tip", "two": "bill"}, "The tip, 5, is higher than the bill, 3."),
        (YEARS, "rose", sides("from", "to", made=YEARS), [0, 1], {"along": "year"},
         "The tip rose from 3 in 2019 to 5 in 2020."),
        (YEARS, "rose", sides("from", "to", made=YEARS), [0, 1], {"along": "month"}, None),
        (YEARS, "fell", sides("from", "to", made=YEARS), [0, 1], {"along": "year"}, None),
        (YEARS, "rose", [given("from", 3), given("to", 5)], [], FROM_TO, "The tip rose from 3 in 2019 to 5 in 2020."),
        (YEARS, "rose", [quoted("from", "3"), given("to", 5)], [], FROM_TO, None),
        (BINS, "spans", [given("low", 0), given("high", 10), given("total", 4)], [], {}, None),
        (FARES, "outliers", [given(role, 9) for role in ("low", "high", "count", "least", "most")], [], {}, None),
    ],
)  # fmt: skip
def test_what_its_values_carry_is_said(
    made: Invented, relation: str, values: list[ClaimValue], rows: Any, words: dict[str, str], text: str | None
) -> None:
    assert alone(made, relation, values, rows, **words) == text


@pytest.mark.parametrize(("verdict", "holds"), [("more", True), ("chance", False)])
def test_a_test_is_judged_by_its_own_numbers(verdict: str, holds: bool) -> None:
    means = [GROUPS.tell("mean", row, "mean", row) for row in (0, 1)]
    tested = GROUPS.derive("statistic", "welch_statistic", *THREES), GROUPS.derive("p", "welch_p", *THREES, kind="p")
    assert (alone(GROUPS, "differs", [*means, *tested], [0, 1], verdict=verdict) is not None) is holds
    other = GROUPS.derive("p", "welch_p", *THREES[3:], *THREES[:3], kind="p")
    assert alone(GROUPS, "differs", [*means, tested[0], other], [0, 1], verdict=verdict) is None
    chi = PAIRS.derive("statistic", "independence_statistic", *NINES), given("total", 100, "count")
    p = PAIRS.derive("p", "independence_p", *NINES, kind="p")
    words = {"first": "a", "second": "b", "verdict": verdict}
    assert (alone(PAIRS, "independent", [*chi, p], **words) is not None) is holds
    normal = [FIGURES.tell("statistic", 0, "value"), FIGURES.tell("p", 1, "value", kind="p")]
    assert (alone(FIGURES, "normal", normal, verdict=verdict) is not None) is not holds
