"""What the judge makes of results: which make no sense, which are the same, which is foremost, and what is offered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from averment.plans.compile import compile_plan
from averment.plans.plan import Across, Plan, Rank, Value, Window
from averment.reading.judge.judging import grouped, senseless
from averment.reading.judge.verdict import Reading
from averment.reading.lattice.spans import Span
from averment.reading.reader import Candidate
from spoken import (
    AGE,
    ARRIVED,
    COUNT,
    DEPARTED,
    FEE,
    GUEST,
    JOIN,
    PITCH,
    STAY,
    bar,
    figure,
    meets,
    named,
    part,
    plan,
    said,
)

SUM, MEAN, MAX = figure("sum", FEE), figure("mean", FEE), figure("max", FEE)
FIGURE = plan(SUM, expects="figure")
ELM = meets(PITCH, "=", "Elm")
IN_2024 = meets(part(ARRIVED, "year"), "=", 2024)
PIECE = Value(kind="piece", piece="domain", table="stays", column="guest")


def candidate(made: Plan = FIGURE, name: str = "total fee", words: Sequence[Span | str] = (), **more: Any) -> Candidate:
    known: dict[str, Any] = {"score": 1.0, "left": (), "weakest": 1.0, **more}
    return Candidate(plan=made, read_back=name, spans=tuple(said(*words)[0]), **known)


def groups(**parts: Any) -> Plan:
    return plan(SUM, **({"by": (PITCH,)} | parts))


BAR = bar(COUNT, ">", 3)
NONE, GAPS = [], [["Elm", None], ["Oak", None]]
MANY = [[str(n), 1] for n in range(26)]
SENSE: dict[str, tuple[Plan, list[list[Any]], str | None]] = {
    "a figure over itself": (plan(figure("sum", FEE, over=SUM, percent=True)), [[1.0]], "divided by itself"),
    "a figure over a part of itself": (plan(figure("sum", FEE, over=figure("sum", FEE, where=(ELM,)))), [[1.0]], None),
    "missing and not": (
        plan(COUNT, where=(meets(DEPARTED, "null"), meets(DEPARTED, "null", negated=True))), [[1]], "cannot be two",
    ),
    "missing here and not there": (
        plan(COUNT, where=(meets(DEPARTED, "null"), meets(ARRIVED, "null", negated=True))), [[1]], None,
    ),
    "two values inside": (
        plan(COUNT, where=(meets(STAY, "in", inner=plan(show=(STAY,), where=(ELM, meets(PITCH, "=", "Oak")))),)), [[1]],
        "cannot be two",
    ),
    "one value and another choice": (plan(COUNT, where=(ELM, meets(PITCH, "=", "Oak", "Ash"))), [[1]], None),
    "one value and not another": (plan(COUNT, where=(ELM, meets(PITCH, "!=", "Oak"))), [[1]], None),
    "nothing listed in a year": (plan(show=(PITCH,), where=(IN_2024,)), NONE, None),
    "no group in a year": (groups(where=(IN_2024,)), NONE, None),
    "no figure at elm": (plan(SUM, expects="figure", where=(ELM,)), [[None]], "figure is empty"),
    "nothing first in a year": (groups(where=(IN_2024,), rank=Rank()), NONE, "no group is left"),
    "the figure of the last column": (plan(SUM, MEAN, expects="figure"), [[None, 3.0]], None),
    "sides of two keys": (groups(by=(PITCH, GUEST), asks="more"), [["Elm", "Ann", 1]], None),
    "whether there is any": (groups(asks="any"), [["Elm", 1]], None),
    "no group over a bar": (plan(COUNT, by=(PITCH,), having=(BAR,)), NONE, None),
    "no group over a bar of sums": (groups(having=(bar(SUM, ">", 3),)), NONE, "no group is left"),
    "no group over what is found": (groups(having=(bar(COUNT, ">", inner=FIGURE),)), NONE, "no group is left"),
    "no group over a bar, at elm": (groups(having=(BAR,), where=(ELM,)), NONE, "no group is left"),
    "no group over a bar, ranked": (groups(having=(BAR,), rank=Rank()), NONE, "no group is left"),
    "no group over a bar, in shares": (groups(having=(BAR,), window=Window(kind="share")), NONE, "no group is left"),
    "no group over a bar, over groups": (groups(having=(BAR,), over_groups="mean"), NONE, "no group is left"),
    "pieces": (plan(COUNT, by=(PITCH, PIECE)), [["Elm", "a.org", 1]], None),
    "the second key has no piece": (plan(COUNT, by=(PITCH, PIECE)), [["Elm", None, 1]], "no text has"),
    "a key without a value": (plan(COUNT, by=(PITCH, GUEST)), [["Elm", None, 1]], None),
    "a side that is not grouped by": (groups(where=(meets(GUEST, "in", "Ann", "Bo"),)), [["Elm", 1]], None),
    "every figure empty": (groups(), GAPS, "every figure is empty"),
    "one group without a figure": (groups(), [["Elm", None]], None),
    "one of two figures": (plan(SUM, MEAN, by=(PITCH,)), [["Elm", None, 1], ["Oak", None, None]], None),
    "nothing to compare with": (
        groups(window=Window(kind="change", along=0)), [["Elm", 1, None]], "nothing to compare",
    ),
    "shares of the first": (groups(window=Window(kind="share"), rank=Rank()), [["Elm", 1, 60.0]], None),
    "growth of one": (groups(window=Window(kind="growth", along=0)), [["Elm", 1, 60.0]], None),
    "26 up to half": (groups(rank=Rank(until=50)), MANY, None),
    "26 that are not ranked": (groups(), MANY, None),
}  # fmt: skip


@pytest.mark.parametrize("case", SENSE)
def test_a_result_that_makes_no_sense_says_why(case: str) -> None:
    made, found, why = SENSE[case]
    reason = senseless(candidate(made), compile_plan(made), found)
    assert reason is None if why is None else reason is not None and why in reason


@pytest.mark.parametrize(
    ("more", "sensible"), [({"left": ("tips",)}, False), ({"weakest": 0.89}, False), ({"weakest": 0.9}, True)]
)
def test_that_no_group_passes_a_bar_is_an_answer_only_of_sure_words(more: dict[str, Any], sensible: bool) -> None:
    made = plan(COUNT, by=(PITCH,), having=(BAR,))
    assert (senseless(candidate(made, **more), compile_plan(made), []) is None) is sensible


def test_a_value_that_goes_across_needs_rows_unless_rows_were_left_out() -> None:
    crossed = {"by": (PITCH, GUEST), "across": Across(at=1, values=("Ann", "Bo"))}
    rows = [["Elm", 1, None], ["Oak", 2, None]]
    for parts, sensible in ((crossed, False), (crossed | {"where": (ELM,)}, True)):
        made = plan(COUNT, **parts)
        assert (senseless(candidate(made), compile_plan(made), rows) is None) is sensible


HIGHEST = plan(show=(PITCH, FEE), rank=Rank(by=FEE.value))
LISTED = plan(show=(GUEST,), where=(ELM,))
ANY = plan(show=(GUEST,), where=(ELM,), asks="any")
COUNTED = plan(COUNT, where=(ELM,), expects="figure")
TWO_ROWS, TIED = [["Ann"], ["Bo"]], [["Oak", 9], ["Elm", 9]]
SAME: dict[str, tuple[tuple[Plan, list[list[Any]]], tuple[Plan, list[list[Any]]], bool]] = {
    "equal rows": ((FIGURE, [[3.0]]), (plan(MEAN), [[3.0]]), True),
    "nothing and nothing": ((LISTED, []), (plan(show=(AGE,)), []), True),
    "nothing and something": ((LISTED, []), (plan(show=(AGE,)), [[3]]), False),
    "other rows": ((FIGURE, [[3.0]]), (plan(MEAN), [[4.0]]), False),
    "a pinned column more": (
        (plan(show=(PITCH, GUEST), where=(ELM,)), [["Elm", "Ann"], ["Elm", "Bo"]]), (LISTED, TWO_ROWS), True,
    ),
    "a column more": ((plan(show=(PITCH, GUEST)), [["Elm", "Ann"], ["Elm", "Bo"]]), (LISTED, TWO_ROWS), False),
    "a column of two pinned values": (
        (plan(show=(PITCH, GUEST), where=(meets(PITCH, "=", "Elm", "Oak"),)), [["Elm", "Ann"], ["Elm", "Bo"]]),
        (LISTED, TWO_ROWS), False,
    ),
    "a column that is turned": (
        (plan(show=(PITCH, GUEST), where=(meets(PITCH, "=", "Elm", negated=True),)), [["Elm", "Ann"], ["Elm", "Bo"]]),
        (LISTED, TWO_ROWS), False,
    ),
    "a column over a value": (
        (plan(show=(PITCH, GUEST), where=(meets(PITCH, ">", "Elm"),)), [["Elm", "Ann"], ["Elm", "Bo"]]),
        (LISTED, TWO_ROWS), False,
    ),
    "nothing but what is pinned": ((plan(show=(PITCH,), where=(ELM,)), [["Elm"]]), (FIGURE, [[3.0]]), False),
    "the largest and how large": ((HIGHEST, TIED), (plan(MAX), [[9]]), True),
    "how large and the largest": ((plan(figure("min", FEE)), [[9]]), (HIGHEST, TIED), True),
    "the largest and another number": ((HIGHEST, TIED), (plan(MAX), [[8]]), False),
    "the two largest": ((plan(show=(PITCH, FEE), rank=Rank(by=FEE.value, limit=2)), TIED), (plan(MAX), [[9]]), False),
    "the largest by another": ((plan(show=(PITCH, FEE), rank=Rank(by=AGE.value)), TIED), (plan(MAX), [[9]]), False),
    "the largest, and the sum": ((HIGHEST, TIED), (plan(SUM), [[9]]), False),
    "the largest, and the largest at elm": ((HIGHEST, TIED), (plan(MAX, where=(ELM,)), [[9]]), False),
    "the largest, and a part": ((HIGHEST, TIED), (plan(figure("max", FEE, over=COUNT)), [[9]]), False),
    "the largest, and one of some": ((HIGHEST, TIED), (plan(figure("max", FEE, where=(ELM,))), [[9]]), False),
    "the largest, and two figures": ((HIGHEST, TIED), (plan(MAX, SUM), [[1, 9]]), False),
    "the largest, and by pitch": ((HIGHEST, TIED), (plan(MAX, by=(PITCH,)), [["Elm", 9]]), False),
    "the largest of groups": ((plan(MAX, by=(PITCH,), rank=Rank()), TIED), (plan(MAX), [[9]]), False),
    "the largest sum of groups": (
        (plan(SUM, by=(PITCH, GUEST), rank=Rank(by=FEE.value)), [["Oak", "Ann", 9]]), (plan(MAX), [[9, 9]]), False,
    ),
    "a list and less of it": ((plan(show=(GUEST, AGE)), [["Ann", 3]]), (plan(show=(GUEST,)), [["Ann"]]), True),
    "is there any, and which": ((ANY, TWO_ROWS), (plan(show=(AGE,), where=(ELM,)), [[3], [4]]), True),
    "is there any, and which of fewer": ((ANY, TWO_ROWS), (plan(show=(AGE,), where=(ELM,)), [[3]]), False),
    "is there any, and the first": (
        (ANY, TWO_ROWS), (plan(show=(AGE,), where=(ELM,), rank=Rank(by=AGE.value)), [[3], [4]]), False,
    ),
    "is there any, and how many": ((ANY, TWO_ROWS), (COUNTED, [[2]]), True),
    "how many, and is there any": ((COUNTED, [[2]]), (ANY, TWO_ROWS), True),
    "is there any, and another number": ((ANY, TWO_ROWS), (COUNTED, [[3]]), False),
    "is there any, and a sum": ((ANY, TWO_ROWS), (plan(SUM, where=(ELM,), expects="figure"), [[2]]), False),
    "is there any, and how many of each": ((ANY, TWO_ROWS), (plan(COUNT, where=(ELM,)), [[2]]), False),
    "is there any, and how many elsewhere": ((ANY, TWO_ROWS), (plan(COUNT, expects="figure"), [[2]]), False),
    "is there any, and how many of another table": (
        (ANY, TWO_ROWS), (plan(COUNT, table="guests", where=(ELM,), expects="figure"), [[2]]), False,
    ),
    "is there any, and how many joined": (
        (ANY, TWO_ROWS), (plan(COUNT, where=(ELM,), joins=(JOIN,), expects="figure"), [[2]]), False,
    ),
    "a list, and how many": ((LISTED, TWO_ROWS), (COUNTED, [[2]]), False),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_readings_are_one_where_their_results_say_the_same(case: str) -> None:
    first, second, same = SAME[case]
    words = (named(GUEST), named(AGE))
    ran = [Reading(candidate(made, words=words), cast("Any", None), (), rows) for made, rows in (first, second)]
    assert (len(grouped(ran)) == 1) is same
