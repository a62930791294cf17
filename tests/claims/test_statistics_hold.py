"""Correlations, tests and outliers: in the words that their numbers allow, over every row that they rest on."""

from decimal import Decimal
from typing import Any

import pytest
from invented import Invented, given

from averment.claims.of_statistics import strength_words
from averment.claims.sealed import RankingCut

WELL = {"verdict": "more", "count": "n", "mean": "mean", "deviation": "sd"}


@pytest.mark.parametrize(
    ("r", "words"),
    [
        ("1", "correlate strongly and positively"),
        ("0.7", "correlate strongly and positively"),
        ("0.69", "correlate moderately and positively"),
        ("-0.4", "correlate moderately and negatively"),
        ("0.39", "correlate weakly and positively"),
        ("-0.1", "correlate weakly and negatively"),
        ("0.09", "hardly correlate"),
        ("0", "hardly correlate"),
    ],
)
def test_a_coefficient_is_called_as_strong_as_it_is(r: str, words: str) -> None:
    assert strength_words(Decimal(r)) == words


def pair(r: Any, rows: int = 30) -> Invented:
    return Invented({"one": ["age"], "two": ["tip"], "r": [r], "rows": [rows]}, "one", "two", kinds={"rows": "count"})


STRONG = "correlate strongly and positively"


@pytest.mark.parametrize(
    ("r", "words", "said"),
    [
        (0.8, {"word": STRONG}, f"age and tip {STRONG}: r = 0.8 over 30 rows, in May."),
        (1, {"word": STRONG}, f"age and tip {STRONG}: r = 1 over 30 rows, in May."),
        (
            0.8,
            {"word": STRONG, "method": "spearman"},
            f"age and tip {STRONG}: rank correlation = 0.8 over 30 rows, in May.",
        ),
        (
            0.8,
            {"word": STRONG, "method": "kendall"},
            f"age and tip {STRONG}: Kendall's tau = 0.8 over 30 rows, in May.",
        ),
        (0.8, {"word": "hardly correlate"}, None),
        (-0.8, {"word": STRONG}, None),
        (1.1, {"word": STRONG}, None),
        (-1.1, {"word": "correlate strongly and negatively"}, None),
        (None, {"word": "hardly correlate"}, None),
    ],
)
def test_columns_correlate_as_their_coefficient_says(r: Any, words: dict[str, str], said: str | None) -> None:
    made = pair(r)
    values = [made.tell("r", 0, "r", 0), made.tell("rows", 0, "rows", 0)]
    assert made.say("correlates", *values, rows=[0], words=words, scope="in May") == said


def test_the_p_value_of_a_correlation_is_of_that_coefficient_over_those_rows() -> None:
    made = pair(0.8)
    values = [made.tell("r", 0, "r", 0), made.tell("rows", 0, "rows", 0)]
    p = made.derive("p", "correlation_p", (0, "r"), (0, "rows"), kind="p")
    words = {"word": STRONG}
    assert str(made.say("correlates", *values, p, rows=[0], words=words)).endswith("over 30 rows (p < 0.001).")
    assert made.say("correlates", *values, given("p", 0.0001, "p"), rows=[0], words=words) is None
    other = made.derive("p", "difference", (0, "r"), (0, "rows"), kind="p")
    assert made.say("correlates", *values, other, rows=[0], words=words) is None
    assert made.say("correlates", values[0], p, rows=[0], words=words) is None
    one = Invented({"one": ["age"], "r": [0.8]}, "one")
    assert one.say("correlates", one.tell("r", 0, "r", 0), rows=[0], words=words) is None


GROUPS = {"g": ["a", "b"], "n": [50, 50], "mean": [10.0, 12.0], "sd": [2.0, 2.0], "other": [2.0, 2.0]}
THREE = {"g": ["a", "b", "c"], "n": [50] * 3, "mean": [10.0, 10.1, 10.0], "sd": [2.0] * 3, "other": [2.0] * 3}


def differs(
    made: Invented,
    test: str = "welch",
    columns: tuple[str, ...] = ("n", "mean", "sd"),
    told: str = "mean",
    rows: list[int] | None = None,
    p: str = "p",
    **words: str,
) -> str | None:
    every = range(made.sealed.size)
    cells = [(row, name) for row in every for name in columns]
    values = [made.tell("mean", row, told, row) for row in (every if rows is None else rows)]
    values.append(made.derive("statistic", f"{test}_statistic", *cells))
    values.append(made.derive("p", f"{test}_{p}", *cells, kind="p"))
    return made.say("differs", *values, rows=every if rows is None else rows, words={**WELL, **words})


@pytest.mark.parametrize(
    ("table", "more", "said"),
    [
        (
            GROUPS,
            {},
            "The average tip is 10 for a and 12 for b; the groups differ by more than chance explains "
            "(Welch's t = -5, p < 0.001).",
        ),
        (GROUPS, {"verdict": "chance"}, None),
        (GROUPS, {"verdict": ""}, None),
        (GROUPS, {"told": "other"}, None),
        (GROUPS, {"columns": ("n", "mean", "other")}, None),
        (GROUPS, {"test": "anova"}, None),
        (GROUPS, {"rows": [0]}, None),
        (GROUPS, {"p": "statistic"}, None),
    ],
)
def test_a_difference_is_tested_over_every_group(table: Any, more: Any, said: str | None) -> None:
    assert differs(Invented(table, "g"), **more) == said
    assert differs(Invented(table, "g", whole=False), **more) is None


def test_a_difference_that_can_be_chance_is_called_so() -> None:
    made = Invented(THREE, "g")
    said = differs(made, verdict="chance")
    assert said is not None and "; the difference can be chance (Welch's F = " in said
    assert differs(made, verdict="more") is None
    made = Invented(GROUPS, "g")
    cells = [(row, name) for row in (0, 1) for name in ("n", "mean", "sd")]
    means = [made.tell("mean", row, "mean", row) for row in (0, 1)]
    p = made.derive("p", "anova_p", *cells, kind="p")
    statistic = made.derive("statistic", "anova_statistic", *cells)
    words = {**WELL, "test": "anova"}
    assert "(F = 25, p < 0.001)" in str(made.say("differs", *means, statistic, p, rows=[0, 1], words=words))
    turned = made.derive("statistic", "anova_statistic", *cells[3:], *cells[:3])
    assert made.say("differs", *means, turned, p, rows=[0, 1], words=words) is None
    for role, number in (("p", 0.0001), ("statistic", 25)):
        forged = [given(role, number) if each.role == role else each for each in (statistic, p)]
        assert made.say("differs", *means, *forged, rows=[0, 1], words=words) is None
    assert made.say("differs", *means, statistic, p, rows=[0, 1], words={**words, "test": "guess"}) is None


PAIRS = {"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"], "n": [40, 10, 10, 40]}
FAR, EVEN = [80.0, 20.0, 20.0, 80.0], [50.0] * 4
NAMED = {"first": "a", "second": "b", "rows": "n", "first share": "one", "second share": "two"}


def independent(
    made: Invented, columns: tuple[str, ...] = ("n", "one", "two"), of: Any = None, **words: str
) -> str | None:
    cells = [(row, name) for row in range(made.sealed.size) for name in columns]
    p = made.derive("p", "independence_p", *cells, kind="p")
    statistic = made.derive("statistic", "independence_statistic", *(of or cells))
    total = made.derive("total", "total", *((row, "n") for row in range(made.sealed.size)), kind="count")
    return made.say("independent", statistic, p, total, words={**NAMED, "verdict": "more", **words})


def test_whether_two_columns_are_independent_is_tested_over_every_pair() -> None:
    table = {**PAIRS, "one": FAR, "two": FAR}
    made = Invented(table, "a", "b")
    said = independent(made)
    assert said is not None
    assert said.startswith("a and b have to do with each other, by more than chance explains (chi-square = ")
    assert said.endswith(", p < 0.001, 100 rows).")
    even = Invented({**PAIRS, "n": [25] * 4, "one": EVEN, "two": EVEN}, "a", "b")
    assert str(independent(even, verdict="chance")).startswith("a and b can be independent: ")
    cells = [(row, name) for row in range(4) for name in ("n", "one", "two")]
    for refused in (
        independent(made, verdict="chance"),
        independent(even, verdict="more"),
        independent(Invented(table, "a", "b", whole=False)),
        independent(made, columns=("n", "two", "one")),
        independent(made, of=cells[3:] + cells[:3]),
    ):
        assert refused is None
    total = made.derive("total", "total", (0, "n"), kind="count")
    honest = (
        made.derive("statistic", "independence_statistic", *cells),
        made.derive("p", "independence_p", *cells, kind="p"),
    )
    words = {**NAMED, "verdict": "more"}
    assert made.say("independent", *honest, total, words=words) is None
    assert made.say("independent", honest[0], given("p", 0.0001, "p"), total, words=words) is None
    twice = made.derive("p", "independence_statistic", *cells, kind="p")
    assert made.say("independent", honest[0], twice, total, words={**words, "verdict": "chance"}) is None


@pytest.mark.parametrize(
    ("p", "rows", "verdict", "said"),
    [
        (0.01, (0, 1), "more", "tip is not normally distributed, in May (statistic = 0.9, p = 0.01)."),
        (0.2, (0, 1), "chance", "tip can be normally distributed, in May (statistic = 0.9, p = 0.2)."),
        (0.05, (0, 1), "chance", "tip can be normally distributed, in May (statistic = 0.9, p = 0.05)."),
        (0.05, (0, 1), "more", None),
        (0.01, (0, 1), "chance", None),
        (0.01, (1, 0), "chance", None),
        (None, (0, 1), "chance", None),
    ],
)
def test_normality_is_what_the_p_value_says(p: Any, rows: Any, verdict: str, said: str | None) -> None:
    made = Invented({"figure": ["statistic", "p-value"], "value": [0.9, p], "other": [0.9, p]})
    values = [made.tell("statistic", rows[0], "value"), made.tell("p", rows[1], "value", kind="p")]
    assert made.say("normal", *values, words={"verdict": verdict}, scope="in May") == said
    assert made.say("normal", values[0], given("p", p, "p"), words={"verdict": verdict}) is None


def outside(made: Invented, least: int = 0, most: int = 1, **instead: Any) -> str | None:
    values = [made.count(), made.tell("low", 0, "low"), made.tell("high", 0, "high")]
    values += [made.tell("least", least, "fare"), made.tell("most", most, "fare")]
    values = [given(each.role, instead[each.role], each.kind) if each.role in instead else each for each in values]
    return made.say("outliers", *values, words={"column": "fare"}, figure="fare")


def fares(*values: Any, low: Any = 2, high: Any = 10, **more: Any) -> Invented:
    size = len(values)
    bounds = {"low": [low] * size if not isinstance(low, list) else low, "high": [high] * size}
    return Invented({"fare": list(values), **bounds}, **more)


@pytest.mark.parametrize(
    ("made", "ends", "holds"),
    [
        (fares(1, 99), (0, 1), True),
        (fares(1, 99), (1, 0), False),
        (fares(1, 99, 50), (0, 2), False),
        (fares(1, 99, 0), (0, 1), False),
        (fares(1, 2), (0, 1), False),
        (fares(1, 10), (0, 1), False),
        (fares(1, None), (0, 0), False),
        (fares(1, 99, low=[2, 3]), (0, 1), False),
        (fares(1, 99, low="a"), (0, 1), False),
        (fares(1, 99, high="a"), (0, 1), False),
        (fares(1, 99, whole=False), (0, 1), False),
        (fares(1, 99, ranked=RankingCut(by="fare", descending=True, limit=2)), (0, 1), False),
    ],
)
def test_outliers_lie_outside_the_same_bounds_in_every_row(made: Invented, ends: Any, holds: bool) -> None:
    said = "2 values of fare lie outside the usual range of 2 to 10, the lowest 1 and the highest 99."
    assert outside(made, *ends) == (said if holds else None)


def test_outliers_are_counted_by_the_result_itself() -> None:
    made = fares(99)
    said = "1 value of fare lies outside the usual range of 2 to 10, the lowest 99 and the highest 99."
    assert outside(made, 0, 0) == said
    for forged in ({"count": 1}, {"low": 2}, {"high": 10}):
        assert outside(made, 0, 0, **forged) is None
