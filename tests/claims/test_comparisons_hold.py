"""More, less, by how much, how many times; rose, fell, stayed: two values, each its subject's own, and their sign."""

from typing import Any

import pytest
from invented import Invented, given

from averment.claims.sealed import RankingCut
from averment.records.claim import ClaimValue

PEOPLE = ["Ada", "Bob", "Cem"]


def tips(*values: Any, **more: Any) -> Invented:
    return Invented({"who": PEOPLE[: len(values)], "tip": list(values), "bill": list(values)}, "who", **more)


def sides(
    made: Invented, rows: tuple[int, int] = (0, 1), columns: tuple[str, str] = ("tip", "tip"), subjects: Any = (0, 1)
) -> list[ClaimValue]:
    pairs = zip(("first", "second"), rows, columns, subjects, strict=True)
    return [made.tell(role, row, column, subject) for role, row, column, subject in pairs]


@pytest.mark.parametrize(
    ("values", "relation", "said"),
    [
        ((5, 3), "more_than", "The tip is higher for Ada, 5, than for Bob, 3."),
        ((5, 3), "less_than", None),
        ((5, 3), "same_as", None),
        ((-5, 3), "less_than", "The tip is lower for Ada, -5, than for Bob, 3."),
        ((-5, 3), "more_than", None),
        ((0, 0), "same_as", "The tip is the same for Ada, 0, and for Bob, 0."),
        ((0, 0), "more_than", None),
        ((0, 0), "less_than", None),
        ((None, 3), "less_than", None),
        ((3, None), "more_than", None),
        ((True, False), "more_than", None),
    ],
)
def test_a_comparison_has_the_direction_of_its_values(values: Any, relation: str, said: str | None) -> None:
    made = tips(*values)
    assert made.say(relation, *sides(made), rows=[0, 1]) == said


@pytest.mark.parametrize(
    ("relation", "asked", "answer", "lead"),
    [
        ("more_than", "more", "yes", "Yes: "),
        ("more_than", "less", "no", "No: "),
        ("more_than", "more", "no", None),
        ("more_than", "less", "yes", None),
        ("same_as", "more", "no", "No: "),
        ("same_as", "less", "yes", None),
        ("less_than", "less", "yes", "Yes: "),
        ("less_than", "more", "yes", None),
    ],
)
def test_a_yes_or_no_is_decided_by_the_values(relation: str, asked: str, answer: str, lead: str | None) -> None:
    made = tips(*{"more_than": (5, 3), "less_than": (3, 5), "same_as": (3, 3)}[relation])
    said = made.say(relation, *sides(made), rows=[0, 1], words={"asked": asked, "answer": answer})
    assert said is None if lead is None else str(said).startswith(f"{lead}the tip is ")


@pytest.mark.parametrize("relation", ["more_than", "difference", "ratio"])
@pytest.mark.parametrize(
    ("rows", "columns", "subjects", "holds"),
    [
        ((0, 1), ("tip", "tip"), (0, 1), True),
        ((0, 2), ("tip", "tip"), (0, None), False),
        ((0, 1), ("tip", "bill"), (0, 1), False),
    ],
)
def test_each_side_is_compared_with_its_own_value_of_one_figure(
    relation: str, rows: Any, columns: Any, subjects: Any, holds: bool
) -> None:
    made = tips(5, 3, 1)
    cells = tuple(zip(rows, columns, strict=True))
    size = [] if relation == "more_than" else [made.derive("derived", relation, *cells)]
    said = made.say(relation, *sides(made, rows, columns, subjects), *size, rows=[0, 1], words={"word": "higher"})
    assert (said is not None) is holds


def test_the_two_sides_are_not_swapped_under_their_names() -> None:
    made = tips(3, 5)
    assert made.say("more_than", *sides(made, (1, 0), subjects=(1, 0)), rows=[0, 1]) is None


TWO = {"one": "tip", "two": "bill"}


@pytest.mark.parametrize(
    ("tip", "bill", "relation", "said"),
    [
        (5, 3, "more_than", "The tip, 5, is higher than the bill, 3, in May."),
        (3, 5, "less_than", "The tip, 3, is lower than the bill, 5, in May."),
        (3, 3, "same_as", "The tip and the bill are the same, 3 and 3, in May."),
        (3, 5, "more_than", None),
    ],
)
def test_two_figures_are_compared_by_their_names(tip: int, bill: int, relation: str, said: str | None) -> None:
    made = Invented({"tip": [tip], "bill": [bill]})
    both = sides(made, (0, 0), ("tip", "bill"), (None, None))
    assert made.say(relation, *both, words=TWO, scope="in May") == said
    assert made.say(relation, *both) is None


def test_two_figures_of_one_group_are_told_with_its_name() -> None:
    made = Invented({"year": [2020, 2021], "tip": [5, 4], "bill": [3, 4]}, "year", kinds={"year": "year"})
    one = sides(made, (0, 0), ("tip", "bill"), (0, 0))
    size = made.derive("derived", "difference", (0, "tip"), (0, "bill"))
    higher = {**TWO, "word": "higher"}
    assert made.say("more_than", *one, rows=[0], words=TWO) == "In 2020, the tip, 5, is higher than the bill, 3."
    assert (
        made.say("difference", *one, size, rows=[0], words=higher)
        == "In 2020, the tip, 5, is 2 higher than the bill, 3."
    )
    same = sides(made, (1, 1), ("tip", "bill"), (0, 0))
    assert made.say("same_as", *same, rows=[1], words=TWO) == "In 2021, the tip and the bill are the same, 4 and 4."
    # Without its name, what is so of one group would be said of all.
    unnamed = sides(made, (0, 0), ("tip", "bill"), (None, None))
    assert made.say("more_than", *unnamed, words=TWO) is None
    assert made.say("difference", *unnamed, size, words=higher) is None
    assert made.say("more_than", *unnamed, rows=[0], words=TWO) is None


@pytest.mark.parametrize(
    ("values", "kind", "word", "said"),
    [
        ((5, 3), "number", "higher", "The tip for Ada, 5, is 2 higher than that for Bob, 3, in May."),
        ((3, 5), "abs number", "lower", "The tip for Ada, 3, is 2 lower than that for Bob, 5, in May."),
        ((3, 5), "number", "lower", None),
        ((5, 3), "number", "lower", None),
        ((3, 5), "abs number", "higher", None),
        ((3, 3), "number", "equal", None),
        ((3, 3), "number", "higher", None),
    ],
)
def test_a_difference_has_its_sign_in_its_word_alone(values: Any, kind: str, word: str, said: str | None) -> None:
    made = tips(*values)
    size = made.derive("derived", "difference", (0, "tip"), (1, "tip"), kind=kind)
    assert made.say("difference", *sides(made), size, rows=[0, 1], words={"word": word}, scope="in May") == said


@pytest.mark.parametrize(
    ("function", "cells", "values", "said"),
    [
        ("ratio", ((0, "tip"), (1, "tip")), (6, 3), "The tip for Ada, 6, is 2 times that for Bob, 3."),
        ("ratio", ((1, "tip"), (0, "tip")), (6, 3), None),
        ("difference", ((0, "tip"), (1, "tip")), (6, 3), None),
        ("ratio", ((0, "tip"), (1, "tip")), (6, 0), None),
    ],
)
def test_a_ratio_is_of_the_first_to_the_second(function: str, cells: Any, values: Any, said: str | None) -> None:
    made = tips(*values)
    assert made.say("ratio", *sides(made), made.derive("derived", function, *cells), rows=[0, 1]) == said
    assert made.say("ratio", *sides(made), given("derived", 2), rows=[0, 1]) is None


def series(*values: Any, years: Any = (2019, 2020, 2021), **more: Any) -> Invented:
    table = {"year": list(years), "tip": list(values), "bill": list(values)}
    return Invented(table, "year", kinds={"year": "year"}, **more)


def moved(made: Invented, relation: str, rows: tuple[int, ...] = (0, 2), *extra: Any, **more: Any) -> str | None:
    columns = more.pop("columns", ("tip", "tip"))
    subjects = more.pop("subjects", (0, 1))
    ends = [made.tell(*each) for each in zip(("from", "to"), rows, columns, subjects, strict=True)]
    return made.say(relation, *ends, *extra, rows=rows, words={"along": "year"}, **more)


@pytest.mark.parametrize(
    ("values", "relation", "said"),
    [
        ((3, 9, 5), "rose", "The tip rose from 3 in 2019 to 5 in 2021."),
        ((3, 9, 5), "fell", None),
        ((3, 9, 5), "unchanged", None),
        ((5, 9, -3), "fell", "The tip fell from 5 in 2019 to -3 in 2021."),
        ((5, 9, -3), "rose", None),
        ((4, 9, 4), "unchanged", "The tip is the same in 2019, 4, and in 2021, 4."),
        ((4, 9, 4), "rose", None),
        ((4, 9, 4), "fell", None),
        ((None, 9, 4), "fell", None),
        ((4, 9, None), "rose", None),
    ],
)
def test_a_figure_moved_as_its_ends_say(values: Any, relation: str, said: str | None) -> None:
    assert moved(series(*values), relation) == said


@pytest.mark.parametrize(
    ("made", "rows", "holds"),
    [
        (series(3, 4, 5), (0, 2), True),
        (series(3, 4, 5), (0, 1), False),
        (series(3, 4, 5), (1, 2), False),
        (series(3, 4, None), (0, 1), True),
        (series(None, 4, 5), (1, 2), True),
        (series(3, 4, 5, years=(2019, 2021, None)), (0, 1), True),
        (series(3, 4, 5, years=(2021, 2020, 2019)), (0, 2), False),
        (series(3, 4, 5, whole=False), (0, 2), False),
        (series(3, 4, 5, ranked=RankingCut(by="tip", descending=True, limit=3)), (0, 2), False),
        (series(3, 4, 5, years=(2019, 2020, 2020)), (0, 2), True),
    ],
)
def test_a_series_is_told_from_its_first_period_to_its_last(made: Invented, rows: Any, holds: bool) -> None:
    assert (moved(made, "rose", rows) is not None) is holds


def test_both_ends_are_of_one_series_and_one_figure() -> None:
    table = {"year": [2019, 2021, 2018, 2022], "who": ["Ada", "Ada", "Bob", "Bob"], "tip": [3, 5, 1, 9]}
    made = Invented({**table, "bill": table["tip"]}, "year", "who", kinds={"year": "year"})
    assert moved(made, "rose", (0, 1)) == "The tip for Ada rose from 3 in 2019 to 5 in 2021."
    assert moved(made, "rose", (0, 3)) is None
    assert moved(made, "rose", (0, 1), columns=("tip", "bill")) is None
    assert moved(series(5, 4, 3), "rose", (2, 0), subjects=(1, 0)) is None
    plain = series(3, 4, 5)
    ends = [plain.tell("from", 0, "tip", 0), plain.tell("to", 2, "tip", 1)]
    assert plain.say("rose", *ends, rows=[0, 2], words={"along": "tip"}) is None


@pytest.mark.parametrize(
    ("values", "relation", "change", "kind", "tail"),
    [
        ((4, 0, 5), "rose", 25, "abs percentage", ", by 25 %."),
        ((4, 0, 5), "rose", 1, "number", ", by 1."),
        ((4, 0, 5), "rose", 1, "points", ", by 1 percentage points."),
        ((4, 0, 5), "rose", 26, "percentage", None),
        ((4, 0, 5), "rose", 25, "number", None),
        ((4, 0, 5), "rose", -1, "abs number", None),
        ((4, 0, 5), "rose", None, "number", None),
        ((4, 0, 3), "fell", -25, "abs percentage", ", by 25 %."),
        ((4, 0, 3), "fell", -25, "percentage", None),
        ((-4, 0, -3), "rose", 25, "percentage", ", by 25 %."),
        ((0, 0, 3), "rose", 0, "percentage", None),
        ((4, 0, 4), "unchanged", 0, "number", None),
    ],
)
def test_the_change_that_is_told_is_that_of_the_ends(
    values: Any, relation: str, change: Any, kind: str, tail: str | None
) -> None:
    said = moved(series(*values), relation, (0, 2), given("change", change, kind))
    assert said is None if tail is None else str(said).endswith(tail)


def test_two_periods_of_one_row_stand_under_their_own_headings() -> None:
    words = {"from": "2019", "to": "2020"}
    made = Invented({"who": ["Ada", "Bob"], "then": [3, 4], "now": [5, 9]}, "who")
    ends = [made.tell("from", 0, "then", 0), made.tell("to", 0, "now", 0)]
    assert made.say("rose", *ends, rows=[0], words=words) == "The tip for Ada rose from 3 in 2019 to 5 in 2020."
    assert made.say("rose", *ends, rows=[0]) is None
    assert made.say("rose", ends[0], made.tell("to", 1, "now"), rows=[0], words=words) is None
    assert made.say("rose", *ends, words=words) is None
    single = Invented({"then": [3], "now": [5]})
    both = [single.tell("from", 0, "then"), single.tell("to", 0, "now")]
    assert single.say("rose", *both, words=words, scope="in May") == "The tip rose from 3 in 2019 to 5 in 2020, in May."
    assert single.say("rose", *both) is None


@pytest.mark.parametrize(
    ("slope", "kind", "word", "said"),
    [
        (0.5, "number", "rises", "tip rises by 0.5 for each step of age; "),
        (-0.5, "abs number", "falls", "tip falls by 0.5 for each step of age; "),
        (-0.5, "number", "falls", None),
        (0.5, "number", "falls", None),
        (-0.5, "abs number", "rises", None),
        (0.0, "number", "is level", "tip is level along age (slope 0); "),
        (0.0, "number", "rises", None),
        (0.0, "number", "falls", None),
        (0.5, "number", "is level", None),
        (None, "number", "rises", None),
    ],
)
def test_a_trend_has_the_sign_of_its_slope(slope: Any, kind: str, word: str, said: str | None) -> None:
    made = Invented({"points": [9], "slope": [slope], "fit": [0.25]}, kinds={"fit": "fraction"})
    values = [made.tell("points", 0, "points"), made.tell("slope", 0, "slope", kind=kind), made.tell("fit", 0, "fit")]
    text = made.say("trend", *values, words={"word": word, "along": "age"})
    whole = f"Along a straight line through 9 points {said}the line explains 25 % of its variation."
    assert text == (whole if said is not None else None)
