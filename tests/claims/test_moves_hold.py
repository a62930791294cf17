"""What an investigation says of a change: figures that moved as told, parts that sum to it, faults that are there."""

from typing import Any

import pytest
from invented import ELSEWHERE, Invented, given, say

from averment.claims.of_moves import near, verb_of
from averment.claims.relation import told
from averment.evidence.derive import derived
from averment.records.claim import ClaimValue

ATTRIBUTION = {
    "segment": ["everything", "region = North", "region = South", "everything", "everything"],
    "before": [500.0, 200.0, 0.2, 31.0, None],
    "after": [400.0, 120.0, 0.1, 28.0, None],
    "contribution": [-100.0, -80.0, -5.0, 0.0, -15.0],
    "share": [1.0, 0.8, 0.05, 0.0, 0.15],
    "state": [None, "both", "vanished", "new", None],
    "kind": ["seasonal", "segment", "noise", "calendar", None],
    "fault": [None, "nulls", "duplicates", "outlier", None],
    "count": [3.0, 0.0, 4.0, -1.0, None],
    "low": [-20.0, -1.0, 5.0, 0.0, None],
    "high": [-10.0, 3.0, 5.0, 2.0, None],
}
KINDS = {"segment": "label", "share": "fraction", "state": "label", "kind": "label", "fault": "label", "count": "count"}
MADE = Invented(ATTRIBUTION, kinds=KINDS)
COLUMNS = {"from": "before", "to": "after", "part": "contribution", "change": "contribution", "rest": "contribution"}


def changed(made: Invented, **columns: list[Any]) -> Invented:
    return Invented({**made.columns, **columns}, kinds=KINDS)


def cells(row: int, roles: str, made: Invented = MADE, **kinds: str) -> list[ClaimValue]:
    return [made.tell(role, row, COLUMNS.get(role, role), kind=kinds.get(role)) for role in roles.split()]


def telling(
    relation: str,
    values: list[ClaimValue],
    words: dict[str, str],
    place: str = "",
    made: Invented = MADE,
    figure: str = "sales",
) -> str | None:
    subjects = ((("region", place),),) if place else ()
    return say(relation, *values, sealed=made.sealed, subjects=subjects, words=words, figure=figure)


@pytest.mark.parametrize(
    ("one", "other", "size", "is_near"),
    [(100, 100.00001, 100, True), (100, 100.001, 100, False), (0, 0, 0, True), (0, 1e-9, 0, False), (-5, 5, 5, False)],
)
def test_numbers_are_near_but_for_the_noise_of_their_size(one: Any, other: Any, size: Any, is_near: bool) -> None:
    assert near(one, other, size) is is_near


@pytest.mark.parametrize(("ends", "verb"), [((1, 2), "rose"), ((2, 1), "fell"), ((2, 2), "stayed the same")])
def test_the_verb_says_which_way(ends: Any, verb: str) -> None:
    assert verb_of(*ends) == verb


@pytest.mark.parametrize(
    ("ends", "words", "said"),
    [
        ((500, 400, -100, -20), {"verb": "fell"}, "sales fell from 500 to 400 (-100, -20 %)."),
        ((500, 400, -100, None), {"verb": "fell"}, "sales fell from 500 to 400 (-100)."),
        ((500, 400, -100, None), {}, "sales went from 500 to 400 (-100)."),
        ((500, 400, -100, None), {"said": "Total sales", "verb": "fell"}, "Total sales fell from 500 to 400 (-100)."),
        ((500, 500, 0, None), {"verb": "stayed the same"}, "sales stayed the same: 500 and 500, a change of 0."),
        ((-500, -400, 100, 20), {"verb": "rose"}, "sales rose from -500 to -400 (100, 20 %)."),
        ((5, 4, -1, -20), {"groups": "men\nwomen"}, "sales is 5 in men and 4 in women, a difference of -1 (-20 %)."),
        ((5, 4, -1, None), {"groups": "men\nwomen"}, "sales is 5 in men and 4 in women, a difference of -1."),
        ((500, 400, -100, -20), {"verb": "rose"}, None),
        ((500, 400, 100, -20), {"verb": "fell"}, None),
        ((500, 400, -100, 20), {"verb": "fell"}, None),
        ((500, 400, -100, -25), {"verb": "fell"}, None),
        ((0, 400, 400, 100), {"verb": "rose"}, None),
        ((None, 400, 400, None), {"verb": "rose"}, None),
        ((500, None, -500, None), {"verb": "fell"}, None),
        ((500, 400, None, None), {"verb": "fell"}, None),
    ],
)
def test_a_change_is_the_difference_of_its_ends(ends: Any, words: dict[str, str], said: str | None) -> None:
    values = [given(role, end) for role, end in zip(("from", "to", "change"), ends[:3], strict=True)]
    values += [given("percent", ends[3], "percentage")] if ends[3] is not None else []
    assert say("changed", *values, words=words, figure="sales") == said
    assert say("changed", *values, words=words) is None


def test_a_change_is_told_of_one_row() -> None:
    assert telling("changed", cells(0, "from to change"), {}) == "sales went from 500 to 400 (-100)."
    other = changed(MADE, before=[500.0, 500.0, 0, 0, 0])
    mixed = [*cells(1, "from", other), *cells(0, "to change", other)]
    assert telling("changed", mixed, {}, made=other) is None


def percent(row: int) -> ClaimValue:
    return told(
        "percent",
        derived("percent_change", *(MADE.cell(row, each) for each in ("before", "after"))),
        "percentage",
    )


METRIC = {"verb": "fell", "of": "metric"}


@pytest.mark.parametrize(
    ("values", "words", "place", "said"),
    [
        (cells(1, "segment from to"), METRIC, "North", "In region = North sales fell from 200 to 120."),
        (cells(0, "from to"), METRIC, "", "In all rows sales fell from 500 to 400."),
        ([*cells(1, "segment from to"), percent(1)], METRIC, "North",
         "In region = North sales fell from 200 to 120 (-40 %)."),
        ([*cells(1, "segment from to"), percent(0)], METRIC, "North", None),
        (cells(1, "segment part"), {"verb": "fell"}, "North", "In region = North sales fell. That is -80."),
        ([*cells(1, "segment part"), percent(0)], {"verb": "fell"}, "North", None),
        (cells(1, "segment part"), {"verb": "rose"}, "North", None),
        (cells(3, "part"), {"verb": "fell"}, "", None),
        (cells(1, "segment"), {"verb": "fell"}, "North", None),
        (cells(1, "from to"), METRIC, "North", None),
        (cells(1, "segment from to"), METRIC, "", None),
        (cells(1, "segment from to"), {}, "North", None),
        ([*cells(1, "segment from"), *cells(2, "to")], METRIC, "North", None),
        (cells(1, "segment from to part share"), {**METRIC, "alone": "yes"}, "North",
         "In region = North sales fell from 200 to 120. That alone moves the metric by -80, 80 % of the change."),
        (cells(1, "segment from to part share"), {**METRIC, "groups": "men\nwomen"}, "North",
         "In region = North sales is lower in women than in men: 120 against 200. That is -80, 80 % of the "
         "difference."),
        (cells(1, "segment from to share"), METRIC, "North", None),
    ],
)  # fmt: skip
def test_a_cause_is_a_segment_that_moved_as_told(values: Any, words: Any, place: str, said: str | None) -> None:
    assert telling("caused", values, words, place) == said
    assert telling("caused", values, words, place, figure="") is None


@pytest.mark.parametrize(
    ("after", "part", "of", "holds"),
    [
        (120, -80, "metric", True),
        (200, -80, "", False),
        (220, -80, "metric", False),
        (220, -80, "", True),
        (220, 80, "metric", True),
        (220, 0, "metric", True),
        (120, 80, "metric", False),
    ],
)
def test_the_part_of_the_metric_itself_has_its_direction(after: int, part: int, of: str, holds: bool) -> None:
    made = changed(MADE, after=[400, after, 0, 0, 0], contribution=[-100, part, 0, 0, 0])
    words = {"verb": "rose" if after > 200 else "fell", "of": of}
    assert (telling("caused", cells(1, "segment from to part", made), words, "North", made=made) is not None) is holds


@pytest.mark.parametrize(
    ("total", "part", "share", "holds"),
    [
        (-100, -80, 0.8, True),
        (-100, -80, 0.81, False),
        (-100, -80, -0.8, False),
        (0, -80, 0.8, False),
        (-100, -80, None, False),
        (-100, None, 0.8, False),
        (None, -80, 0.8, True),
    ],
)
def test_a_share_is_the_part_of_the_whole_change(total: Any, part: Any, share: Any, holds: bool) -> None:
    made = changed(MADE, contribution=[total, part, 0, 0, 0], share=[1, share, 0, 0, 0])
    values = cells(1, "segment from to part share", made)
    assert (telling("caused", values, {"verb": "fell"}, "North", made=made) is not None) is holds


def test_only_an_attribution_with_contributions_judges_a_share() -> None:
    made = Invented(
        {"segment": ["region = North"], "before": [2], "after": [1], "part": [-1], "share": [0.5]}, kinds=KINDS
    )
    values = [made.tell(*each) for each in (("segment", 0, "segment"), ("from", 0, "before"), ("to", 0, "after"))]
    values += [made.tell("part", 0, "part"), made.tell("share", 0, "share")]
    assert str(telling("caused", values, {"verb": "fell"}, "North", made=made)).endswith(
        "That is -1, 50 % of the change."
    )


@pytest.mark.parametrize(
    ("ends", "place", "words", "said"),
    [
        ((0.2, 0.1), "South", {},
         "region = South went from 20 % to 10 % of the whole, and its level is not the others'."),
        ((0, 1), "South", {}, "region = South went from 0 % to 100 % of the whole, and its level is not the others'."),
        ((0.2, 0.1), "South", {"groups": "men\nwomen"},
         "region = South makes up 20 % of men and 10 % of women, and its level is not the others'."),
        ((0.2, 0.2), "South", {}, None),
        ((0.2, 1.1), "South", {}, None),
        ((-0.1, 0.2), "South", {}, None),
        ((None, 0.2), "South", {}, None),
        ((0.2, 0.1), "North", {}, None),
        ((0.2, 0.1), "", {}, None),
    ],
)  # fmt: skip
def test_a_shift_is_between_two_shares_that_differ(ends: Any, place: str, words: Any, said: str | None) -> None:
    made = changed(MADE, before=[0, 0, ends[0], 0, 0], after=[0, 0, ends[1], 0, 0])
    values = [*cells(2, "segment", made), *cells(2, "from to", made, **{"from": "fraction", "to": "fraction"})]
    assert telling("shifted", values, words, place, made=made) == said


@pytest.mark.parametrize(
    ("relation", "row", "words", "said"),
    [
        ("disappeared", 2, {}, "region = South is no longer there. That is -5, 5 % of the change."),
        (
            "disappeared",
            2,
            {"groups": "men\nwomen"},
            "region = South is there in men alone. That is -5, 5 % of the difference.",
        ),
        ("appeared", 2, {}, None),
        ("disappeared", 1, {}, None),
        ("appeared", 1, {}, None),
    ],
)
def test_a_segment_is_new_or_gone_where_its_row_says_so(relation: str, row: int, words: Any, said: str | None) -> None:
    place = "South" if row == 2 else "North"
    assert telling(relation, cells(row, "segment part share"), words, place) == said
    assert telling(relation, cells(row, "segment part share"), words) is None


def test_a_new_segment_is_told_for_both_periods_and_groups() -> None:
    made = changed(MADE, segment=["", "region = West", "", "", ""], state=["", "new", "", "", ""])
    values = cells(1, "segment", made)
    assert telling("appeared", values, {}, "West", made=made) == "region = West was not there before."
    groups = {"groups": "men\nwomen"}
    assert telling("appeared", values, groups, "West", made=made) == "region = West is there in women alone."
    two = [(("a", "x"), ("b", "y"))], [(("b", "y"), ("a", "x"))]
    made = changed(made, segment=["", "a = x, b = y", "", "", ""])
    for subjects in two:
        said = say("appeared", *cells(1, "segment", made), sealed=made.sealed, subjects=subjects)
        assert said == "a = x, b = y was not there before."


@pytest.mark.parametrize(
    ("row", "roles", "by", "said"),
    [
        (0, "count", "seasonal", "The same dates of 3 other year(s) moved alike."),
        (0, "count low high", "seasonal", "The same dates of 3 other year(s) moved alike, usually by -20 to -10."),
        (0, "part", "seasonal",
         "A slow drift between two times of the year, alike in all segments; no other year is at hand to compare. "
         "That is -100."),
        (0, "count", "weather", None),
        (0, "count", "trend", None),
        (3, "from to", "calendar", "The comparison has 28 days and the baseline 31, with other weekdays."),
        (3, "count", "calendar", None),
    ],
)  # fmt: skip
def test_what_was_to_be_expected_is_so_in_the_attribution(row: int, roles: str, by: str, said: str | None) -> None:
    assert telling("expected", cells(row, roles), {"by": by}) == said


@pytest.mark.parametrize(
    ("count", "low", "high", "holds"),
    [
        (3, -20, -10, True),
        (3, 5, 5, True),
        (3, 5, 4, False),
        (3, None, 4, False),
        (3, 5, None, False),
        (0, -20, -10, False),
        (-1, -20, -10, False),
        (1, -20, -10, True),
    ],
)
def test_an_expectation_has_other_years_and_a_range_from_low_to_high(
    count: Any, low: Any, high: Any, holds: bool
) -> None:
    made = changed(MADE, count=[count] + [0] * 4, low=[low] + [0] * 4, high=[high] + [0] * 4)
    assert (telling("expected", cells(0, "count low high", made), {"by": "seasonal"}, made=made) is not None) is holds
    assert telling("expected", cells(0, "count low", made), {"by": "seasonal"}, made=made) is None


def test_a_trend_and_holidays_are_told_in_their_words() -> None:
    made = changed(MADE, kind=["trend", "", "", "calendar", ""])
    lead = "The line through the time before the comparison goes on."
    assert telling("expected", cells(0, "part", made), {"by": "trend"}, made=made) == f"{lead} That is -100."
    assert telling("expected", cells(0, "count", made), {"by": "trend"}, made=made) == (
        "The metric goes on as before: the 3 steps of this length before it were alike."
    )
    days = [*cells(3, "from to"), MADE.tell("holidays0", 3, "low"), MADE.tell("holidays1", 3, "high")]
    assert telling("expected", days, {"by": "calendar"}) == (
        "The comparison has 28 days and the baseline 31, with other weekdays and 2 public holidays against 0."
    )


@pytest.mark.parametrize(("row", "holds"), [("0", True), ("1", False), ("9", False), ("", False), ("x", False)])
def test_what_is_told_without_a_cell_names_its_row(row: str, holds: bool) -> None:
    assert (telling("expected", [], {"by": "seasonal", "row": row}) is not None) is holds
    assert say("expected", words={"by": "seasonal"}) is not None


@pytest.mark.parametrize(
    ("row", "words", "said"),
    [
        (2, {}, "Without what is named above, the metric would have moved by -5; no cause is named for that."),
        (
            2,
            {"groups": "a\nb"},
            "Without what is named above, the groups would differ by -5; no cause is named for that.",
        ),
        (1, {}, None),
        (4, {}, None),
    ],
)
def test_what_has_no_cause_is_the_row_that_says_so(row: int, words: Any, said: str | None) -> None:
    (part,) = cells(row, "part")
    assert telling("uncaused", [part], words) == said
    elsewhere = part.evidence.model_copy(update={"observation_id": ELSEWHERE})
    assert telling("uncaused", [part.model_copy(update={"evidence": elsewhere})], words) is None


@pytest.mark.parametrize(
    ("contribution", "share", "row", "said"),
    [
        ([-100, -80, -5, 0, -15], 0.15, 4, "Unexplained stays -15, 15 % of the change."),
        ([-100, -80, -5, None, -15], 0.15, 4, "Unexplained stays -15, 15 % of the change."),
        ([-100, -80, -5, 0, -14], 0.14, 4, None),
        ([-100, -80, -5, 0, 15], -0.15, 4, None),
        ([-100, -80, -5, 0, -15], 0.16, 4, None),
        ([-100, -80, -5, 0, -15], None, 4, None),
        ([-100, -80, -5, -15, -15], 0.15, 3, None),
        ([0, -10, 10, 0, 0], 0.0, 4, None),
        ([-100, -80, -5, 0, None], 0.15, 4, None),
    ],
)
def test_the_rest_is_the_change_less_its_parts(contribution: Any, share: Any, row: int, said: str | None) -> None:
    made = changed(MADE, contribution=contribution, share=[1.0, 0, 0, share, share])
    assert telling("unexplained", cells(row, "rest share", made), {}, made=made) == said


def test_the_rest_without_a_share_and_of_groups() -> None:
    made = changed(MADE, contribution=[0, -10, 10, 0, 0])
    assert telling("unexplained", cells(4, "rest", made), {}, made=made) == "Unexplained stays 0."
    said = telling("unexplained", cells(4, "rest share"), {"groups": "men\nwomen"})
    assert said == "Unexplained stays -15, 15 % of the difference."
    assert telling("unexplained", [*cells(4, "rest"), *cells(0, "share")], {}) is None


MOVERS = {"dimension": ["d", "d", "d", "e"], "value": ["a", "b", "c", "z"], "change": [-9.0, 4.0, 4.0, 50.0]}


@pytest.mark.parametrize(
    ("rows", "words", "said"),
    [
        ((0, 1), {"proven": "yes"}, "The largest movers by d are a (-9), b (4)."),
        ((0, 2), {}, "No cause is proven; the largest movers by d are a (-9), c (4)."),
        ((0,), {"groups": "x\ny", "proven": "yes"}, "The largest differences by d are a (-9)."),
        ((1,), {}, None),
        ((1, 0), {}, None),
        ((0, 0), {}, None),
        ((0, 3), {}, None),
        ((3,), {}, None),
        ((), {}, None),
    ],
)
def test_the_largest_movers_of_a_dimension_are_in_order(rows: Any, words: Any, said: str | None) -> None:
    made = Invented(MOVERS, kinds={"value": "label", "dimension": "label"})
    values = [made.tell(role, row, name) for row in rows for role, name in (("mover", "value"), ("change", "change"))]
    assert telling("movers", values, words, made=made, figure="d") == said
    assert telling("movers", values, words, made=made, figure="") is None


def test_a_mover_is_told_with_its_own_change() -> None:
    made = Invented(MOVERS, kinds={"value": "label"})
    values = [made.tell("mover", 1, "value"), made.tell("change", 0, "change")]
    assert telling("movers", values, {}, made=made, figure="d") is None
    assert telling("movers", [made.tell("mover", 0, "value")], {}, made=made, figure="d") is None
    assert say("movers", values[0], made.tell("change", 1, "change"), figure="d") is not None
    assert say("movers", values[0], made.tell("change", 1, "change")) is None
    assert say("movers", figure="d") is None
    blank = Invented({**MOVERS, "change": [None, 0.0, 1.0, 2.0]}, kinds={"value": "label"})
    values = [blank.tell("mover", 0, "value"), blank.tell("change", 0, "change")]
    assert telling("movers", values, {}, made=blank, figure="d") is None
