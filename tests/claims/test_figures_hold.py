"""Figures, counts, shares, lists and nothing at all: what is said of a result is in it, whole and of the right rows."""

from typing import Any

import pytest
from invented import ELSEWHERE, Invented, given

from averment.claims.relation import told
from averment.claims.sealed import RankingCut
from averment.evidence.bind import result
from averment.records.claim import ClaimValue

DAYS = {"day": ["Sat", "Sun", "Fri"], "tip": [3.0, 5.0, 2.0], "bill": [20.0, 30.0, 10.0]}
BY_DAY = Invented(DAYS, "day")
CUT = Invented(DAYS, "day", whole=False)
TOP = Invented(DAYS, "day", ranked=RankingCut(by="tip", descending=True, limit=3))
TWO_KEYS = Invented({"day": ["Sat", "Sun"], "time": ["noon", "night"], "tip": [3.0, 5.0]}, "day", "time")


def single(*values: Any, keys: tuple[str, ...] = ()) -> Invented:
    return Invented({"tip": list(values)}, *keys)


@pytest.mark.parametrize(
    ("made", "rows", "cells", "said"),
    [
        (single(4.5), [], [(0, "tip", None)], "The tip is 4.5."),
        (single(4.5, 4.5), [], [(0, "tip", None)], "The tip is 4.5."),
        (single(4.5, 4.6), [], [(0, "tip", None)], None),
        (BY_DAY, [], [(0, "tip", None)], None),
        (BY_DAY, [1], [(1, "tip", 0)], "The tip is 5 for Sun."),
        (BY_DAY, [1], [(0, "tip", 0)], None),
        (BY_DAY, [1], [], None),
        (BY_DAY, [1, 2], [(1, "tip", 0), (2, "tip", 1)], "The tip is 5 for Sun and 2 for Fri."),
        (BY_DAY, [1, 2], [(2, "tip", 1), (1, "tip", 0)], None),
        (BY_DAY, [1, 2], [(1, "tip", 0), (2, "bill", 1)], None),
        (BY_DAY, [1, 2], [(1, "tip", 0)], None),
        (
            TWO_KEYS,
            [0, 1],
            [(0, "tip", 0), (1, "tip", 1)],
            "The tip is 3 for day Sat and time noon; and 5 for day Sun and time night.",
        ),
    ],
)
def test_a_figure_is_that_of_its_own_row(made: Invented, rows: list[int], cells: list[Any], said: str | None) -> None:
    values = [made.tell("value", row, column, subject) for row, column, subject in cells]
    assert made.say("is", *values, rows=rows) == said


def test_conditions_stand_behind_one_figure_and_before_several() -> None:
    one = BY_DAY.tell("value", 1, "tip", 0)
    assert BY_DAY.say("is", one, rows=[1], scope="where age is low") == "The tip is 5 for Sun where age is low."
    assert BY_DAY.say("is", one, rows=[1], scope="in May") == "The tip is 5 for Sun, in May."
    both = [one, BY_DAY.tell("value", 2, "tip", 1)]
    assert BY_DAY.say("is", *both, rows=[1, 2], scope="in May") == "In May, the tip is 5 for Sun and 2 for Fri."
    figure = single(4.5)
    assert figure.say("is", figure.tell("value", 0, "tip"), scope="in May") == "The tip is 4.5, in May."


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, {}, "There are 0 rows."),
        (1, {}, "There is 1 row."),
        (2, {"one": "cat", "many": "cats"}, "There are 2 cats."),
        (1, {"one": "cat", "many": "cats"}, "There is 1 cat."),
        (2, {"answer": "yes"}, "Yes: there are 2 rows."),
        (0, {"answer": "no"}, "No: there are 0 rows."),
        (2, {"answer": "no"}, None),
        (0, {"answer": "yes"}, None),
        (2, {"answer": "perhaps"}, None),
        (-1, {}, None),
        (1.5, {}, None),
        (None, {}, None),
    ],
)
def test_a_count_is_a_whole_number_and_decides_its_answer(number: Any, words: dict[str, str], said: str | None) -> None:
    made = single(number)
    assert made.say("count", made.tell("count", 0, "tip", kind="count"), words=words) == said


@pytest.mark.parametrize(
    ("made", "count", "said"),
    [
        (BY_DAY, BY_DAY.count(), "There are 3 rows."),
        (TOP, TOP.count(), "There are 3 rows."),
        (CUT, CUT.count(), None),
        (BY_DAY, given("count", 3, "count"), None),
        (BY_DAY, told("count", result(ELSEWHERE, "table.row_count", 7), "count"), None),
        (single(4, 4), single(4, 4).tell("count", 0, "tip", kind="count"), None),
        (single(4, keys=("tip",)), single(4, keys=("tip",)).tell("count", 0, "tip", kind="count"), None),
    ],
)
def test_rows_are_counted_over_a_whole_result(made: Invented, count: ClaimValue, said: str | None) -> None:
    assert made.say("count", count) == said


def test_a_count_has_no_subject() -> None:
    assert BY_DAY.say("count", BY_DAY.count(), rows=[0]) is None


def shares(tips: list[Any], percents: list[Any], **more: Any) -> Invented:
    table = {"day": ["Sat", "Sun", "Fri"], "half": ["a", "a", "b"], "tip": tips, "part": percents}
    return Invented(table, "day", kinds={"part": "percentage"}, **more)


def shared(made: Invented, rows: list[int], **more: Any) -> str | None:
    values = [
        made.tell(*each) for n, row in enumerate(rows) for each in (("share", row, "part", n), ("value", row, "tip", n))
    ]
    return made.say("share", *values, rows=rows, **more)


@pytest.mark.parametrize(
    ("tips", "percents", "words", "said"),
    [
        ([1, 3, 4], [12.5, 37.5, 50.0], {}, "Sat accounts for 12.5 % of the tip, 1."),
        ([1, 3, 4], [12.6, 37.4, 50.0], {}, None),
        ([1, 3, 4], [12.5001, 37.5, 50.0], {}, None),
        ([1, 3, None], [25.0, 75.0, None], {}, "Sat accounts for 25 % of the tip, 1."),
        ([-1, 3, 2], [-25.0, 75.0, 50.0], {}, "Sat accounts for -25 % of the tip, -1."),
        ([-1, 1, 0], [0.0, 0.0, 0.0], {}, None),
        ([1, 3, 4], [25.0, 75.0, 100.0], {"within": "half"}, "Sat accounts for 25 % of the tip within each half, 1."),
        ([1, 3, 4], [12.5, 37.5, 50.0], {"within": "half"}, None),
    ],
)
def test_a_share_is_of_the_whole(tips: list[Any], percents: list[Any], words: dict[str, str], said: str | None) -> None:
    assert shared(shares(tips, percents), [0], words=words) == said


def test_shares_of_several_are_told_together() -> None:
    made = shares([1, 3, 4], [12.5, 37.5, 50.0])
    assert shared(made, [0, 2], scope="in May") == (
        "In May, of the tip, Sat accounts for 12.5 % (1) and Fri accounts for 50 % (4)."
    )
    assert shared(made, []) is None
    assert shared(shares([1, 3, 4], [12.5, 99.0, 50.0]), [0, 1]) is None
    twin = Invented({"day": ["Sat", "Sun"], "tip": [1, 3], "bill": [1, 3], "part": [25, 75]}, "day")
    parts = [twin.tell("share", 0, "part", 0), twin.tell("value", 0, "tip", 0), twin.tell("share", 1, "part", 1)]
    assert twin.say("share", *parts, twin.tell("value", 1, "tip", 1), rows=[0, 1]) is not None
    assert twin.say("share", *parts, twin.tell("value", 1, "bill", 1), rows=[0, 1]) is None


def test_the_shares_of_a_cut_result_are_the_query_s() -> None:
    """What the other rows hold cannot be seen there."""
    cut = RankingCut(by="tip", descending=True, limit=3)
    assert shared(shares([1, 3, 4], [10.0, 30.0, 40.0], ranked=cut), [0]) == "Sat accounts for 10 % of the tip, 1."
    two = Invented(
        {"day": ["Sat", "Sun"], "time": ["noon", "noon"], "tip": [1, 3], "part": [25.0, 75.0]}, "day", "time"
    )
    assert shared(two, [0, 1]) == (
        "Of the tip, day Sat and time noon accounts for 25 (1); and day Sun and time noon accounts for 75 (3)."
    )


@pytest.mark.parametrize(
    ("made", "rows", "counted", "words", "said"),
    [
        (BY_DAY, [0, 1, 2], True, {}, "There are 3 rows: Sat, Sun and Fri."),
        (BY_DAY, [0, 1, 2], True, {"many": "days"}, "There are 3 days: Sat, Sun and Fri."),
        (BY_DAY, [0, 1], True, {}, None),
        (BY_DAY, [0, 1], True, {"first": "first"}, "There are 3 rows; the first are Sat and Sun."),
        (BY_DAY, [0, 1, 2], False, {}, "Days: Sat, Sun and Fri."),
        (BY_DAY, [0, 1], False, {}, None),
        (BY_DAY, [1, 0], True, {"first": "first"}, None),
        (BY_DAY, [1], False, {"first": "first"}, None),
        (BY_DAY, [0], False, {}, None),
        (BY_DAY, [0], False, {"first": "first"}, "Days: Sat."),
        (CUT, [0, 1, 2], True, {}, None),
        (CUT, [0, 1, 2], False, {}, None),
        (CUT, [0, 1], False, {"first": "first"}, "Days: Sat and Sun."),
        (Invented({"day": ["Sat"]}, "day"), [0], False, {}, "The day is Sat."),
        (Invented({"day": ["Sat"]}, "day"), [0], True, {"one": "day"}, "There is 1 day: Sat."),
        (TWO_KEYS, [0, 1], True, {}, "There are 2 rows: Sat (time noon) and Sun (time night)."),
        (Invented({"a": ["x"], "b": ["y"]}, "a", "b"), [0], False, {}, "The one row has a x and b y."),
    ],
)
def test_a_list_has_every_row_or_says_that_it_begins(
    made: Invented, rows: list[int], counted: bool, words: dict[str, str], said: str | None
) -> None:
    assert made.say("list", *([made.count()] if counted else []), rows=rows, words=words, figure="Days") == said


def test_the_rows_of_a_list_are_counted_by_the_result_itself() -> None:
    assert BY_DAY.say("list", given("count", 3, "count"), rows=[0, 1, 2]) is None


EMPTY, BLANK = Invented({"tip": []}), Invented({"tip": [None, None]}, kinds={"tip": "number"})


@pytest.mark.parametrize(
    ("made", "words", "scope", "said"),
    [
        (EMPTY, {}, "", "None: tips has no such rows."),
        (EMPTY, {}, "in May", "None: tips has no rows, in May."),
        (EMPTY, {"answer": "no", "many": "cats"}, "", "No: tips has no cats."),
        (EMPTY, {"answer": "yes"}, "", None),
        (Invented({"tip": []}, whole=False), {}, "", None),
        (BLANK, {}, "", None),
        (BLANK, {"column": "tip"}, "", "There is no tip: no row of tips has a value for it."),
        (BLANK, {"column": "tip", "groups": "day"}, "", "There is no tip: no group by day has a value for it."),
        (BLANK, {"column": "bill"}, "", None),
        (Invented({"tip": [None, 0.0]}), {"column": "tip"}, "", None),
        (Invented({"tip": [None]}, whole=False), {"column": "tip"}, "", None),
    ],
)
def test_nothing_is_said_to_be_there_only_of_a_whole_result_without_it(
    made: Invented, words: dict[str, str], scope: str, said: str | None
) -> None:
    assert made.say("none", words={"table": "tips", **words}, scope=scope) == said
