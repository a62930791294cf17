"""The judge's decisions over readings whose results are given: what is answered, offered, declined and refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from averment.errors import ColumnNotAllowed, MissingColumn, PatternBlocked, QueryTimeout
from averment.plans.compile import compile_plan
from averment.plans.plan import Across, Measure, Plan, Rank, Test, Value, Window
from averment.reading.judge import judging
from averment.reading.judge.judging import (
    LONGEST,
    MOST_OFFERS,
    MOST_RIVALS,
    MOST_RUN,
    MOST_TRIED,
    MOST_UNUSED,
    execute,
    grouped,
    judge,
    senseless,
    words_record,
)
from averment.reading.lattice.spans import Lattice, Span
from averment.reading.reader import Candidate

CITY, PLACE = Value(table="rides", column="city"), Value(table="rides", column="place")
FARE = Measure(function="mean", of=Value(table="rides", column="fare"))
COUNT = Measure(function="rows")


def plan(**parts: Any) -> Plan:
    return Plan(table="rides", **({"measures": (FARE,)} | parts))


def reading(name: str = "average fare", *, score: float = 1.0, made: Plan | None = None, **more: Any) -> Candidate:
    known: dict[str, Any] = {"left": (), "weakest": 1.0, "spans": (), **more}
    return Candidate(plan=made or plan(expects="figure"), read_back=name, score=score, **known)


def given(results: Sequence[Any]) -> Callable[[Any], pa.Table]:
    """Each result in turn: the rows of a table, or an error."""
    left = list(results)

    def run(_: Any) -> pa.Table:
        one = left.pop(0)
        if isinstance(one, Exception):
            raise one
        return pa.table({f"c{n}": list(column) for n, column in enumerate(zip(*one, strict=True))})

    return run


@pytest.fixture
def odds(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Says the odds of the groups in their order; what is tried here is what the judge makes of them."""

    def say(*values: float) -> None:
        monkeypatch.setattr(judging, "probabilities", lambda *_, **__: list(values))

    return say


def test_a_sure_reading_without_a_rival_is_answered(odds: Any) -> None:
    odds(0.9)
    verdict = judge([reading()], given([[[4.5]]]))
    assert verdict.kind == "answer" and verdict.best is not None
    assert (verdict.best.rows, verdict.best.odds, verdict.best.columns) == ([[4.5]], 0.9, ("c0",))
    assert all(verdict.record["gates"].values())


def test_the_record_says_of_each_reading_which_gates_it_failed_why_and_what_gave_the_same(odds: Any) -> None:
    odds(0.9, 0.2)
    names = ("average fare", "other", "again", "never")
    many = [reading(name, left=("tips",) if name == "other" else ()) for name in names]
    record = judge(many, given([[[4.5]], [[7.0]], [[4.5]], [[None]]])).record
    first, second = record["readings"]
    assert (first["failed"], first["same"], first["foremost"]) == ({}, ["again"], True)
    assert second["failed"] == {
        "every word has its place": "leaves out tips",
        "odds of at least 0.65": "0.20",
        "no other reading fits as well": "the foremost does",
    }
    assert "same" not in second and "foremost" not in second
    assert record["refused"] == ["never: the figure is empty"] and "not_run" not in record


def test_odds_that_just_miss_the_bar_are_not_rounded_up_to_it(odds: Any) -> None:
    odds(0.6499)
    record = judge([reading()], given([[[4.5]]])).record
    assert record["readings"][0]["failed"] == {"odds of at least 0.65": "0.64"}


def test_candidates_that_were_not_run_are_counted_and_the_first_of_them_named(odds: Any) -> None:
    odds(0.9)
    many = [reading(str(n)) for n in range(40)]
    not_run = judge(many, given([[[None]], *[[[4.5]]] * 8])).record["not_run"]
    assert not_run == {
        "number": 40 - 9,
        "why": "9 that fit the words better were tried first",
        "first": [str(n) for n in range(9, 9 + MOST_UNUSED - 1)],
    }


def test_hypotheses_of_words_are_kept_with_the_one_that_was_taken_and_few_of_each() -> None:
    lattice = Lattice("the big city", ["the", "big", "city"], [(0, 3), (4, 7), (8, 12)])
    lattice.add(0, 1, "STOP", 0.5)
    for n in range(10):
        lattice.add(1, 2, "NUMBER", n / 10, (float(n), None))
    lattice.add(1, 3, "QUOTE", 0.5, "x" * 500)
    lattice.add(2, 3, "CUE", 0.9, frozenset({"most"}))
    lattice.add(2, 3, "CUE", 0.9, frozenset({"most"}))
    taken = (lattice.spans[8], lattice.spans[-1])
    kept = words_record(taken, [lattice, lattice])
    assert [(row["at"], row["words"], row["means"]) for row in kept["words"]] == [(1, "big", "7"), (2, "city", "most")]
    assert [row["means"] for row in kept["rivals"][:-1]] == ["9", "8", "6"]
    assert len(kept["rivals"][-1]["means"]) == LONGEST and kept["silent"] == ["the"]
    # Without a reading the words are taken as they fit best.
    assert [row["means"] for row in words_record(None, [lattice])["words"]] == ["9", "most"]


def test_hypotheses_of_a_long_question_are_bounded_and_the_strongest_stay() -> None:
    words = [f"w{n}" for n in range(60)]
    lattice = Lattice(" ".join(words), words, [(4 * n, 4 * n + 3) for n in range(60)])
    for n in range(60):
        lattice.add(n, n + 1, "QUOTE", n / 100, words[n])
    rivals = words_record((), [lattice])["rivals"]
    assert [row["at"] for row in rivals] == list(range(60 - MOST_RIVALS, 60))


@pytest.mark.parametrize(("value", "kind"), [(0.65, "answer"), (0.64, "offer"), (0.005, "decline")])
def test_odds_from_two_in_three_on_are_answered_and_hopeless_ones_declined(odds: Any, value: float, kind: str) -> None:
    odds(value)
    verdict = judge([reading()], given([[[4.5]]]))
    assert verdict.kind == kind and verdict.best is not None


def test_the_odds_of_what_a_question_leans_on_lower_its_own(odds: Any) -> None:
    odds(0.9)
    verdict = judge([reading()], given([[[4.5]]]), given=0.5)
    assert verdict.kind == "offer" and verdict.offers[0].odds == 0.45


def test_a_word_without_a_place_is_never_answered(odds: Any) -> None:
    odds(0.99)
    verdict = judge([reading(left=("refunds",))], given([[[4.5]]]))
    assert verdict.kind == "offer" and verdict.left == ("refunds",)


def test_a_whole_reading_stands_before_a_likelier_one_that_leaves_words(odds: Any) -> None:
    odds(0.99, 0.8)
    verdict = judge([reading(left=("refunds",)), reading("other")], given([[[4.5]], [[7.0]]]))
    assert verdict.kind == "answer" and verdict.best is not None and verdict.best.rows == [[7.0]]


def test_a_reading_that_fits_far_worse_does_not_stand_before_one_that_fits(odds: Any) -> None:
    odds(0.8, 0.95)
    near = judge([reading(score=3.0), reading("other", score=1.5)], given([[[4.5]], [[7.0]]]))
    odds(0.8, 0.95)
    far = judge([reading(score=3.0), reading("other", score=0.5)], given([[[4.5]], [[7.0]]]))
    assert near.best is not None and far.best is not None
    assert (near.best.rows, far.best.rows) == ([[7.0]], [[4.5]])


@pytest.mark.parametrize(("apart", "kind"), [(0.01, "offer"), (0.05, "answer")])
def test_two_results_that_fit_as_well_are_asked_about(odds: Any, apart: float, kind: str) -> None:
    odds(0.9, 0.8)
    verdict = judge([reading(), reading("other", score=1.0 - apart)], given([[[4.5]], [[7.0]]]))
    assert verdict.kind == kind


def test_offers_are_few_near_and_together_no_more_than_certain(odds: Any) -> None:
    odds(*[0.7] * 6)
    many = [reading(str(n), score=1.0 - n / 10) for n in range(6)]
    verdict = judge(many, given([[[float(n)]] for n in range(6)]))
    assert verdict.kind == "offer" and len(verdict.offers) == MOST_OFFERS
    assert sum(each.odds for each in verdict.offers) == pytest.approx(1.0)
    odds(0.5, 0.5, 0.5)
    far = [reading(), reading("near", score=0.0), reading("far", score=-0.5)]
    offered = judge(far, given([[[1.0]], [[2.0]], [[3.0]]])).offers
    assert [each.candidate.read_back for each in offered] == ["average fare", "near"]


def test_readings_of_one_result_agree_and_are_one_group(odds: Any) -> None:
    odds(0.9)
    verdict = judge([reading(), reading("other")], given([[[4.5]], [[4.5]]]))
    assert (verdict.kind, verdict.agreeing) == ("answer", 2)
    ran, _ = execute([reading(), reading("b"), reading("c")], given([[[1.0]], [[2.0]], [[1.0]]]))
    assert [[each.candidate.read_back for each in group] for group in grouped(ran)] == [["average fare", "c"], ["b"]]


def test_a_guessed_word_is_asked_about(odds: Any) -> None:
    odds(0.95)
    guess = Span(0, 1, "CUE", 1.0, frozenset({"mean"}), "typical", guessed=True)
    assert judge([reading(spans=(guess,))], given([[[4.5]]])).kind == "offer"


@pytest.mark.parametrize("error", [ColumnNotAllowed("no"), PatternBlocked("no")])
def test_what_may_not_be_shown_is_refused_and_not_answered_by_something_else(odds: Any, error: Any) -> None:
    odds(0.9)
    assert judge([reading(), reading("other")], given([error, [[4.5]]])).blocked is error
    # Where the words do not name it surely, it may not have been meant.
    for unsure in ({"weakest": 0.89}, {"left": ("refunds",)}):
        assert judge([reading(**unsure), reading("other")], given([error, [[4.5]]])).blocked is None


def test_what_the_engine_cannot_do_is_not_answered_by_the_next_best(odds: Any) -> None:
    odds(0.95)
    error = MissingColumn("no")
    unable = judge([reading(), reading("other")], given([error, [[4.5]]]))
    assert unable.kind == "offer" and unable.record["refused"] == [f"average fare: {error.code}"]
    odds(0.95)
    behind = judge([reading("other"), reading()], given([[[4.5]], MissingColumn("no")]))
    assert behind.kind == "answer"


def test_too_much_for_a_trial_is_left_to_the_run(odds: Any) -> None:
    odds(0.95)
    verdict = judge([reading()], given([QueryTimeout("slow")]))
    assert verdict.best is not None and not verdict.best.tried
    assert execute([reading("first"), reading()], given([[[1.0]], QueryTimeout("slow")]))[1] != []


def test_so_many_readings_are_tried_and_so_many_run() -> None:
    many = [reading(str(n)) for n in range(20)]
    ran, refused = execute(many, given([[[1.0]]] * 20))
    assert (len(ran), refused) == (MOST_RUN, [])
    ran, refused = execute(many, given([[[None]]] * 20))
    assert (len(ran), len(refused)) == (0, MOST_TRIED)


def test_nothing_that_can_be_run_is_declined_with_the_words_left_over() -> None:
    verdict = judge([reading(left=("refunds",))], given([[[None]]]))
    assert (verdict.kind, verdict.left, verdict.record["candidates"]) == ("decline", ("refunds",), 1)
    assert judge([], given([])).kind == "decline"


SIDES = Test(value=CITY, operator="in", to=("Oslo", "Moss"))
BOTH = (Test(value=CITY, to=("Oslo",)), Test(value=CITY, to=("Moss",)))
IN_2023 = Test(value=Value(kind="part", part="year", table="rides", column="started"), to=(2023,))
SENSE: dict[str, tuple[dict[str, Any], list[list[Any]], bool]] = {
    "a figure": ({"expects": "figure"}, [[4.5]], True),
    "a figure of nothing": ({"expects": "figure"}, [[None]], False),
    "no figure at all": ({"expects": "figure"}, [], False),
    "nothing in a period": ({"expects": "figure", "where": (IN_2023,)}, [[None]], True),
    "groups": ({"by": (CITY,)}, [["Oslo", 4.5]], True),
    "no group": ({"by": (CITY,)}, [], False),
    "two sides": ({"by": (CITY,), "asks": "more"}, [["Oslo", 1], ["Moss", 2]], True),
    "one side of two": ({"by": (CITY,), "asks": "less"}, [["Oslo", 1]], False),
    "three sides": ({"by": (CITY,), "asks": "more"}, [["Oslo", 1], ["Moss", 2], ["Ulm", 3]], False),
    "both named sides": ({"by": (CITY,), "where": (SIDES,)}, [["Oslo", 1], ["Moss", 2]], True),
    "a named side that is not there": ({"by": (CITY,), "where": (SIDES,)}, [["Oslo", 1]], False),
    "two values in one column": ({"expects": "figure", "where": BOTH}, [[4.5]], False),
    "one value twice": ({"expects": "figure", "where": (BOTH[0], BOTH[0])}, [[4.5]], True),
    "not one and not another": (
        {"expects": "figure", "where": tuple(t.model_copy(update={"negated": True}) for t in BOTH)},
        [[4.5]],
        True,
    ),
    "one value in two columns": (
        {"expects": "figure", "where": (BOTH[0], Test(value=PLACE, to=("Moss",)))},
        [[4.5]],
        True,
    ),
    "figures in each group": ({"by": (CITY,)}, [["Oslo", None], ["Moss", 2]], True),
    "no figure in any group": ({"by": (CITY,)}, [["Oslo", None], ["Moss", None]], False),
    "the first": ({"by": (CITY,), "rank": Rank()}, [["Oslo", 4.5]], True),
    "nothing to rank": ({"measures": (), "show": (CITY,), "rank": Rank(by=CITY)}, [], False),
    "25 first places": ({"by": (CITY,), "rank": Rank()}, [[str(n), 1] for n in range(25)], True),
    "26 first places": ({"by": (CITY,), "rank": Rank()}, [[str(n), 1] for n in range(26)], False),
    "the first 30": ({"by": (CITY,), "rank": Rank(limit=30)}, [[str(n), 1] for n in range(26)], True),
    "the first of each": (
        {"by": (CITY, PLACE), "rank": Rank(within=(0,))},
        [[str(n), "x", 1] for n in range(26)],
        True,
    ),
    "shares": ({"by": (CITY,), "window": Window(kind="share")}, [["Oslo", 1, 40.0], ["Moss", 2, 60.0]], True),
    "the share of one group": ({"by": (CITY,), "window": Window(kind="share")}, [["Oslo", 1, 100.0]], False),
    "growth": ({"by": (CITY,), "window": Window(kind="growth", along=0)}, [["a", 1, None], ["b", 2, 100.0]], True),
    "growth from nothing": ({"by": (CITY,), "window": Window(kind="growth", along=0)}, [["b", 2, None]], False),
    "a piece of texts": (
        {"by": (Value(kind="piece", piece="domain", table="rides", column="city"),)},
        [["x", 1]],
        True,
    ),
    "a piece no text has": (
        {"by": (Value(kind="piece", piece="domain", table="rides", column="city"),)},
        [[None, 1]],
        False,
    ),
}


@pytest.mark.parametrize("case", SENSE)
def test_a_result_that_cannot_be_what_was_asked_for_is_no_reading(case: str) -> None:
    parts, rows, sensible = SENSE[case]
    made = plan(**parts)
    assert (senseless(reading(made=made), compile_plan(made), rows) is None) is sensible


def test_a_column_that_goes_across_must_have_rows() -> None:
    made = plan(by=(CITY, PLACE), measures=(COUNT,), across=Across(at=1, values=("x", "y")))
    compiled = compile_plan(made)
    assert senseless(reading(made=made), compiled, [["Oslo", 1, None], ["Moss", None, 2]]) is None
    assert senseless(reading(made=made), compiled, [["Oslo", 1, None], ["Moss", 2, None]]) is not None
