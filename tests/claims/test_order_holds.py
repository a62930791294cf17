"""The highest, the lowest, rankings, bins: said of the rows that are so, all of them and with their own values."""

from typing import Any

import pytest
from invented import Invented, given

from averment.claims.of_order import ended, place_word
from averment.claims.sealed import RankingCut

NAMES = ["Ada", "Bob", "Cem", "Dee"]


def tips(*values: Any, names: list[Any] | None = None, cut: dict[str, Any] | None = None, **more: Any) -> Invented:
    names = NAMES[: len(values)] if names is None else names
    how: dict[str, Any] = {"by": "tip", "descending": True, "limit": 1, **(cut or {})}
    ranked = None if cut is None else RankingCut(**how)
    return Invented({"who": names, "tip": list(values), "bill": list(values)}, "who", ranked=ranked, **more)


def best(made: Invented, relation: str, rows: list[int], *, of: int | None = None, **more: Any) -> str | None:
    value = made.tell("value", rows[0] if of is None else of, "tip", 0 if of is None else None)
    return made.say(relation, value, rows=rows, **more)


@pytest.mark.parametrize(
    ("values", "relation", "rows", "said"),
    [
        ((3, 5, 1), "highest", [1], "Bob has the highest tip, 5."),
        ((3, 5, 1), "lowest", [2], "Cem has the lowest tip, 1."),
        ((3, 5, 1), "highest", [0], None),
        ((3, 5, 1), "lowest", [1], None),
        ((-3, -5, -1), "highest", [2], "Cem has the highest tip, -1."),
        ((0, None, -1), "highest", [0], "Ada has the highest tip, 0."),
        ((0, None, 1), "lowest", [0], "Ada has the lowest tip, 0."),
        ((5, 5, 1), "highest", [0, 1], "Ada and Bob share the highest tip, 5."),
        ((5, 5, 1), "highest", [0], None),
        ((5, 5, 1), "highest", [0, 1, 2], None),
        ((5, 5, 1), "highest", [0, 0], None),
        ((None, None, None), "highest", [0], None),
        (("2024-01-31", "2024-02-01", "2023-12-31"), "highest", [1], "Bob has the latest tip, 2024-02-01."),
        (("2024-01-31", "2024-02-01", "2023-12-31"), "lowest", [2], "Cem has the earliest tip, 2023-12-31."),
    ],
)
def test_a_superlative_names_all_that_share_it_and_no_other(
    values: tuple[Any, ...], relation: str, rows: list[int], said: str | None
) -> None:
    made = tips(*values, kinds={"tip": "date"} if isinstance(values[0], str) else None)
    assert best(made, relation, rows) == said


def test_a_superlative_tells_its_own_value() -> None:
    made = tips(3, 5, 1)
    assert best(made, "highest", [1], of=1) == "Bob has the highest tip, 5."
    assert best(made, "highest", [1], of=0) is None
    assert made.say("highest", rows=[1]) is None
    twice = [made.tell("value", 1, "tip", 0), made.tell("value", 1, "tip", 0)]
    assert made.say("highest", *twice, rows=[1]) is None
    assert made.say("highest", given("value", 5, subject=0), rows=[1]) is None


@pytest.mark.parametrize(
    ("cut", "relation", "row", "said"),
    [
        ({}, "highest", 0, "Ada has the highest tip, 5."),
        ({}, "lowest", 2, None),
        ({"descending": False}, "highest", 0, None),
        ({"by": "bill"}, "highest", 0, None),
        ({"skip": 1}, "highest", 0, None),
        ({"within": ("who",)}, "highest", 0, None),
    ],
)
def test_a_cut_result_knows_only_the_end_it_was_cut_to(cut: Any, relation: str, row: int, said: str | None) -> None:
    assert best(tips(5, 3, 1, cut=cut), relation, [row]) == said


@pytest.mark.parametrize(
    ("cut", "place", "rows", "said"),
    [
        ({"skip": 1}, "second", [0, 1], "Ada and Bob share the second highest tip, 5."),
        ({"skip": 2}, "third", [0, 1], "Ada and Bob share the third highest tip, 5."),
        ({"skip": 1}, "third", [0, 1], None),
        ({"skip": 1}, "second", [0], None),
        ({"skip": 1, "limit": 2}, "second", [0, 1], None),
        ({"skip": 1, "descending": False}, "second", [0, 1], None),
        ({"skip": 1, "by": "bill"}, "second", [0, 1], None),
        ({"skip": 1, "within": ("who",)}, "second", [0, 1], None),
        (None, "second", [0, 1], None),
    ],
)
def test_the_second_is_what_a_query_left_that_passes_over_the_first(
    cut: Any, place: str, rows: list[int], said: str | None
) -> None:
    assert best(tips(5, 5, cut=cut), "highest", rows, words={"place": place}) == said
    assert best(tips(5, 5, cut=cut, whole=False), "highest", rows, words={"place": place}) is None


@pytest.mark.parametrize(("skip", "word"), [(1, "second"), (2, "third"), (3, "fourth"), (4, "fifth"), (5, "6th")])
def test_places_after_the_first_have_their_names(skip: int, word: str) -> None:
    assert place_word(skip) == word


@pytest.mark.parametrize(
    ("nameless", "relation", "needed"),
    [
        (9, "highest", True),
        (5, "highest", True),
        (4, "highest", False),
        (None, "highest", False),
        (0, "lowest", True),
        (1, "lowest", True),
        (2, "lowest", False),
        (9, "lowest", False),
    ],
)
def test_a_row_without_a_name_that_does_as_well_is_told(nameless: Any, relation: str, needed: bool) -> None:
    made = tips(5, 1, nameless, names=["Ada", "Bob", None])
    row, aside = (0 if relation == "highest" else 1), {"aside": "rows with no value for who"}
    assert (best(made, relation, [row]) is None) is needed
    assert (best(made, relation, [row], words=aside) is not None) is needed


@pytest.mark.parametrize(
    ("values", "cut", "more", "said"),
    [
        ((5, 5, 5), {}, {}, "The highest tip is 5, shared by 3 people, in May."),
        ((5, 5, 4), {}, {}, None),
        ((5, 5, 5), {"limit": 2}, {}, None),
        ((5, 5, 5), {"skip": 1}, {}, None),
        ((5, 5, 5), {"by": "bill"}, {}, None),
        ((5, 5, 5), {"descending": False}, {}, None),
        ((5, 5, 5), None, {}, None),
        ((5, 5, 5), {}, {"whole": False}, None),
        ((5, 5, 5), {}, {"names": ["Ada", "Bob", None]}, None),
    ],
)
def test_a_place_is_shared_by_all_where_nobody_else_is_left(
    values: tuple[Any, ...], cut: Any, more: Any, said: str | None
) -> None:
    made = tips(*values, cut=cut, **more)
    value = made.tell("value", 0, "tip")
    assert made.say("highest", value, made.count(), words={"noun": "people"}, scope="in May") == said
    assert made.say("highest", value, given("count", 3, "count"), words={"noun": "people"}) is None


def test_times_and_long_keys_are_said_in_their_own_way() -> None:
    years = Invented({"year": [2019, 2020, 2021], "tip": [5, 5, 1]}, "year", kinds={"year": "year"})
    assert best(years, "highest", [0, 1]) == "The tip is highest in 2019 and 2020, at 5."
    pairs = Invented({"day": ["Sat", "Sun"], "time": ["noon", "night"], "tip": [3, 5]}, "day", "time")
    assert best(pairs, "lowest", [0], scope="in May") == "The lowest tip is 3, for day Sat and time noon, in May."
    tied = Invented({"day": ["Sat", "Sun"], "time": ["noon", "night"], "tip": [5, 5]}, "day", "time")
    both = "for day Sat and time noon; and for day Sun and time night"
    assert best(tied, "highest", [0, 1]) == f"The highest tip is 5, {both}."
    many = {"many": "rows"}
    assert best(tips(3, 5), "highest", [1], words=many) == "Bob has the most rows, 5."
    assert best(tips(3, 5), "lowest", [0], words=many) == "Ada has the fewest rows, 3."
    assert best(pairs, "lowest", [0], words=many) == "The fewest rows are 3, for day Sat and time noon."
    hours = tips(3, 5, kinds={"tip": "hour"})
    assert str(best(hours, "highest", [1])).startswith("Bob has the highest tip, ")


@pytest.mark.parametrize(
    ("figure", "highest", "said"),
    [
        ("highest tip", True, "tip"),
        ("highest tip", False, "maximum tip"),
        ("lowest tip", True, "minimum tip"),
        ("lowest tip", False, "tip"),
        ("tip", True, "tip"),
    ],
)
def test_the_highest_of_the_highest_is_said_once(figure: str, highest: bool, said: str) -> None:
    assert ended(figure, highest=highest) == said


def ranking(made: Invented, rows: list[int], end: str = "highest", columns: str = "tip", **words: str) -> str | None:
    values = [made.tell("value", row, columns, place) for place, row in enumerate(rows)]
    return made.say("rank", *values, rows=rows, words={"end": end, **words})


@pytest.mark.parametrize(
    ("values", "cut", "rows", "end", "said"),
    [
        ((5, 3, 1), {"limit": 3}, [0, 1, 2], "highest", "The highest tip: Ada with 5, Bob with 3 and Cem with 1."),
        ((5, 5, 1), {"limit": 3}, [0, 1, 2], "highest", "The highest tip: Ada with 5, Bob with 5 and Cem with 1."),
        ((1, 3), {"descending": False}, [0, 1], "lowest", "The lowest tip: Ada with 1 and Bob with 3."),
        ((1, 3), {"descending": False}, [0, 1], "highest", None),
        ((5, 3), {}, [0, 1], "lowest", None),
        ((3, 5), {}, [0, 1], "highest", None),
        ((3, 5), {}, [1, 0], "highest", "The highest tip: Bob with 5 and Ada with 3."),
        ((5, 3, 1), {}, [0, 1], "highest", None),
        ((5, None), {}, [0, 1], "highest", None),
        ((5, 3), {"by": "bill"}, [0, 1], "highest", None),
        ((5, 3), {"skip": 1}, [0, 1], "highest", None),
        ((5, 3), {"within": ("who",)}, [0, 1], "highest", None),
        ((5, 3), None, [0, 1], "highest", None),
        ((5, 3), {}, [], "highest", None),
    ],
)
def test_a_ranking_has_all_its_rows_in_order(
    values: tuple[Any, ...], cut: Any, rows: list[int], end: str, said: str | None
) -> None:
    assert ranking(tips(*values, cut=cut), rows, end) == said
    assert ranking(tips(*values, cut=cut, whole=False), rows, end) is None


def test_a_ranking_within_groups_is_in_order_within_each() -> None:
    def made(*values: int) -> Invented:
        cut = RankingCut(by="tip", descending=True, limit=2, within=("day",))
        return Invented({"day": ["Sat", "Sat", "Sun"], "who": NAMES[:3], "tip": values}, "day", "who", ranked=cut)

    assert ranking(made(5, 3, 9), [0, 1, 2], within="day") == (
        "The highest tip for each day: day Sat and who Ada with 5; day Sat and who Bob with 3; "
        "day Sun and who Cem with 9."
    )
    assert ranking(made(3, 5, 9), [0, 1, 2], within="day") is None
    assert ranking(made(5, 3, 9), [0, 1, 2]) is None


def test_a_ranking_without_names_tells_the_values_and_no_other_figure() -> None:
    cut = RankingCut(by="tip", descending=True, limit=2)
    bare = Invented({"tip": [5, 3], "bill": [1, 1]}, ranked=cut)
    values = [bare.tell("value", row, "tip", row) for row in (0, 1)]
    assert bare.say("rank", *values, rows=[0, 1], words={"end": "highest"}) == "The highest tip: 5 and 3."
    mixed = [bare.tell("value", 0, "tip", 0), bare.tell("value", 1, "bill", 1)]
    assert bare.say("rank", *mixed, rows=[0, 1], words={"end": "highest"}) is None
    assert bare.say("rank", values[0], rows=[0, 1], words={"end": "highest"}) is None


def bins(lows: list[Any], highs: list[Any], rows: list[Any], **more: Any) -> Invented:
    kinds = {"from": "number", "to": "number", "rows": "count"}
    return Invented({"from": lows, "to": highs, "rows": rows}, "from", "to", kinds=kinds, **more)


BINS = bins([0, 10, 20], [10, 20, 30], [4, 7, 7])
ALL = ((0, "rows"), (1, "rows"), (2, "rows"))


@pytest.mark.parametrize(
    ("made", "low", "high", "cells", "holds"),
    [
        (BINS, 0, 2, ALL, True),
        (BINS, 1, 2, ALL, False),
        (BINS, 0, 1, ALL, False),
        (BINS, 0, 2, ALL[:2], False),
        (BINS, 0, 2, (*ALL, ALL[0]), False),
        (BINS, 0, 2, ((0, "to"), (1, "to"), (2, "to")), False),
        (BINS, 0, 2, ((0, "rows"), (1, "rows"), (2, "to")), False),
        (bins([0, 10], [10, 20], [4, 7], whole=False), 0, 1, ALL[:2], False),
        (bins([0, 10], [10, 20], [4, 7], ranked=RankingCut(by="rows", descending=True, limit=1)), 0, 1, ALL[:2], False),
        (bins([0, None], [10, 20], [4, 7]), 0, 1, ALL[:2], False),
    ],
)
def test_a_distribution_spans_all_its_bins(made: Invented, low: int, high: int, cells: Any, holds: bool) -> None:
    ends = made.tell("low", low, "from"), made.tell("high", high, "to")
    said = made.say("spans", *ends, made.derive("total", "total", *cells, kind="count"), figure="Age", scope="in May")
    assert said == ("Age has 18 values, in May, from 0 to 30." if holds else None)
    assert made.say("spans", *ends, given("total", 18, "count")) is None
    assert made.say("spans", *ends, made.derive("total", "difference", *ALL[:2], kind="count")) is None


def test_the_fullest_bins_are_all_named() -> None:
    value = BINS.tell("value", 1, "rows", 0)
    assert (
        BINS.say("fullest", value, rows=[1, 2]) == "The fullest ranges are 10 to 20 and 20 to 30, with 7 values each."
    )
    assert BINS.say("fullest", value, rows=[1]) is None
    alone = bins([0, 10], [10, 20], [4, 7])
    assert (
        alone.say("fullest", alone.tell("value", 1, "rows", 0), rows=[1])
        == "The fullest range is 10 to 20, with 7 values."
    )
    assert alone.say("fullest", alone.tell("value", 0, "rows", 0), rows=[0]) is None
    named = tips(3, 5)
    assert named.say("fullest", named.tell("value", 1, "tip", 0), rows=[1]) is None
