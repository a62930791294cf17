"""The conditions of a claim are in its sentence: behind a comma where a number or a name would run into them."""

from typing import Any

import pytest
from invented import Invented

from averment.claims.sealed import RankingCut

TIPS = Invented({"who": ["Ada", "Bob"], "tip": [5, 3], "part": [62.5, 37.5]}, "who", kinds={"part": "percentage"})
TOP = Invented({"who": ["Ada", "Bob"], "tip": [5, 5]}, "who", ranked=RankingCut(by="tip", descending=True, limit=1))
BARE = Invented({"tip": [5, 3]}, ranked=RankingCut(by="tip", descending=True, limit=2))
PAIRS = Invented({"day": ["Sat", "Sun"], "time": ["noon", "noon"], "tip": [5, 3]}, "day", "time")
YEARS = Invented({"year": [2019, 2020], "tip": [3, 5]}, "year", kinds={"year": "year"})
ONE = Invented({"tip": [5], "bill": [3]})
ROW = Invented({"who": ["Ada"], "tip": [5]}, "who")
NONE, BLANK = Invented({"tip": []}), Invented({"tip": [None]}, kinds={"tip": "number"})
LINE = Invented({"points": [9], "slope": [0.5], "fit": [0.25]})
CORRELATED = Invented({"one": ["age"], "two": ["tip"], "r": [0.05]}, "one", "two")
GROUPS = Invented({"g": ["a", "b"], "n": [50, 50], "mean": [10.0, 12.0], "sd": [2.0, 2.0]}, "g")
THREES = [(row, name) for row in (0, 1) for name in ("n", "mean", "sd")]
CHI = Invented({"n": [40, 10, 10, 40], "one": [80.0, 20.0, 20.0, 80.0]})
NINES = [(row, name) for row in range(4) for name in ("n", "one", "one")]
FIGURES = Invented({"figure": ["statistic", "p-value"], "value": [0.9, 0.2]})
FARES = Invented({"fare": [99], "low": [2], "high": [10]})
BINS = Invented(
    {"from": [0, 10], "to": [10, 20], "rows": [4, 7]}, "from", "to", kinds={"from": "number", "to": "number"}
)

TOLD = {"one": "tip", "two": "bill"}
TESTED = {"verdict": "more", "count": "n", "mean": "mean", "deviation": "sd"}
CHI_WORDS = {"first": "a", "second": "b", "verdict": "more", "rows": "n", "first share": "one", "second share": "one"}


def sides(made: Invented, *roles: str, column: str = "tip") -> list[Any]:
    return [made.tell(role, place, column, place) for place, role in enumerate(roles)]


@pytest.mark.parametrize(
    ("made", "relation", "values", "rows", "words", "comma"),
    [
        (ONE, "is", [ONE.tell("value", 0, "tip")], [], {}, False),
        (TIPS, "is", [TIPS.tell("value", 0, "tip", 0)], [0], {}, False),
        (TIPS, "count", [TIPS.count()], [], {}, False),
        (TIPS, "share", [TIPS.tell("share", 0, "part", 0), TIPS.tell("value", 0, "tip", 0)], [0], {}, False),
        (TIPS, "list", [TIPS.count()], [0, 1], {}, False),
        (TIPS, "list", [], [0, 1], {}, False),
        (ROW, "list", [], [0], {}, False),
        (PAIRS, "list", [], [0], {"first": "first"}, False),
        (NONE, "none", [], [], {"table": "t"}, False),
        (BLANK, "none", [], [], {"table": "t", "column": "tip"}, False),
        (TIPS, "highest", [TIPS.tell("value", 0, "tip", 0)], [0], {}, True),
        (PAIRS, "highest", [PAIRS.tell("value", 0, "tip", 0)], [0], {}, True),
        (YEARS, "highest", [YEARS.tell("value", 1, "tip", 0)], [1], {}, True),
        (TOP, "highest", [TOP.tell("value", 0, "tip"), TOP.count()], [], {"noun": "people"}, True),
        (BARE, "rank", sides(BARE, "value", "value"), [0, 1], {"end": "highest"}, False),
        (TIPS, "more_than", sides(TIPS, "first", "second"), [0, 1], {}, True),
        (ONE, "more_than", [ONE.tell("first", 0, "tip"), ONE.tell("second", 0, "bill")], [], TOLD, True),
        (TIPS, "ratio", [*sides(TIPS, "first", "second"), TIPS.derive("derived", "ratio", (0, "tip"), (1, "tip"))],
         [0, 1], {}, True),
        (YEARS, "rose", sides(YEARS, "from", "to"), [0, 1], {"along": "year"}, True),
        (LINE, "trend", [LINE.tell(name, 0, name) for name in ("points", "slope", "fit")], [],
         {"word": "rises", "along": "age"}, True),
        (BINS, "spans", [BINS.tell("low", 0, "from"), BINS.tell("high", 1, "to"),
                         BINS.derive("total", "total", (0, "rows"), (1, "rows"))], [], {}, False),
        (BINS, "fullest", [BINS.tell("value", 1, "rows", 0)], [1], {}, False),
        (CORRELATED, "correlates", [CORRELATED.tell("r", 0, "r", 0)], [0], {"word": "hardly correlate"}, True),
        (GROUPS, "differs", [*(GROUPS.tell("mean", row, "mean", row) for row in (0, 1)),
                             GROUPS.derive("statistic", "welch_statistic", *THREES),
                             GROUPS.derive("p", "welch_p", *THREES, kind="p")], [0, 1], TESTED, False),
        (CHI, "independent", [CHI.derive("statistic", "independence_statistic", *NINES),
                              CHI.derive("p", "independence_p", *NINES, kind="p"),
                              CHI.derive("total", "total", *((row, "n") for row in range(4)))], [], CHI_WORDS, True),
        (FIGURES, "normal", [FIGURES.tell("statistic", 0, "value"), FIGURES.tell("p", 1, "value", kind="p")], [],
         {"verdict": "chance"}, True),
        (FARES, "outliers", [FARES.count(), *(FARES.tell(role, 0, column) for role, column in (
            ("low", "low"), ("high", "high"), ("least", "fare"), ("most", "fare")))], [], {"column": "fare"}, False),
    ],
)  # fmt: skip
def test_conditions_are_told_and_set_off_where_they_must_be(
    made: Invented, relation: str, values: Any, rows: list[int], words: dict[str, str], comma: bool
) -> None:
    said = made.say(relation, *values, rows=rows, words=words, scope="where x is y")
    assert said is not None
    assert said.count("where x is y") == 1
    assert (", where x is y" in said) is comma
    assert ", in May" in str(made.say(relation, *values, rows=rows, words=words, scope="in May"))


def test_conditions_come_first_where_much_is_told() -> None:
    both = sides(TIPS, "value", "value")
    assert str(TIPS.say("is", *both, rows=[0, 1], scope="where x is y")).startswith("Where x is y, the tip is ")
    ranked = Invented(
        {"who": ["Ada", "Bob"], "tip": [5, 3]}, "who", ranked=RankingCut(by="tip", descending=True, limit=2)
    )
    said = ranked.say("rank", *sides(ranked, "value", "value"), rows=[0, 1], words={"end": "highest"}, scope="in May")
    assert said == "In May, the highest tip: Ada with 5 and Bob with 3."


def test_what_is_left_aside_comes_after_the_conditions() -> None:
    made = Invented({"who": ["Ada", None], "tip": [5, 9]}, "who")
    value, words = made.tell("value", 0, "tip", 0), {"aside": "rows with no value for who"}
    assert made.say("highest", value, rows=[0], words=words, scope="in May") == (
        "Ada has the highest tip, 5, in May, leaving aside rows with no value for who."
    )
