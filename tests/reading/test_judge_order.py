"""Which reading the judge puts first, answers or offers, and what it asks the odds of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa
import pytest

from averment.errors import ColumnNotAllowed, MissingColumn, QueryTimeout
from averment.plans.plan import Plan
from averment.reading.judge import judging
from averment.reading.judge.judging import execute, judge, probabilities
from averment.reading.judge.verdict import Reading
from averment.reading.lattice.spans import Span
from averment.reading.reader import Candidate
from spoken import (
    FEE,
    JOIN,
    SCHEMA,
    TOWN,
    cue,
    figure,
    named,
    plan,
    said,
)

SUM = figure("sum", FEE)
FIGURE = plan(SUM, expects="figure")


def candidate(made: Plan = FIGURE, name: str = "total fee", words: Sequence[Span | str] = (), **more: Any) -> Candidate:
    known: dict[str, Any] = {"score": 1.0, "left": (), "weakest": 1.0, **more}
    return Candidate(plan=made, read_back=name, spans=tuple(said(*words)[0]), **known)


def run_of(*results: Any) -> Callable[[Any], pa.Table]:
    left = list(results)

    def run(_: Any) -> pa.Table:
        one = left.pop(0)
        if isinstance(one, Exception):
            raise one
        return pa.table({f"c{n}": list(values) for n, values in enumerate(zip(*one, strict=True))})

    return run


@pytest.fixture
def odds(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Says the odds of the groups in their order, and keeps what they were asked of."""

    def say(*values: float) -> list[Any]:
        asked: list[Any] = []

        def told(groups: Any, *more: Any) -> list[float]:
            asked.append((groups, *more))
            return list(values)

        monkeypatch.setattr(judging, "probabilities", told)
        return asked

    return say


def offered(*candidates: Candidate) -> list[str]:
    results = [[[float(n)]] for n in range(len(candidates))]
    return [each.candidate.read_back for each in judge(candidates, run_of(*results)).offers]


def foremost(*candidates: Candidate) -> str:
    best = judge(candidates, run_of(*[[[float(n)]] for n in range(len(candidates))])).best
    assert best is not None
    return best.candidate.read_back


LINK = replace(cue("crop", "list"), probability=0.9)


def test_a_reading_by_names_stands_before_one_that_a_learned_reader_finds_likely(odds: Any) -> None:
    odds(0.95, 0.6)
    assert foremost(candidate(name="linked", words=(LINK,)), candidate(name="named")) == "named"


@pytest.mark.parametrize(("behind", "first"), [(2.0, "likely"), (2.01, "near")])
def test_a_reading_two_points_behind_may_stand_before_and_one_further_may_not(
    odds: Any, behind: float, first: str
) -> None:
    odds(0.7, 0.9)
    assert foremost(candidate(name="near", score=3.0), candidate(name="likely", score=3.0 - behind)) == first


def test_what_leaves_words_over_does_not_say_how_far_the_others_lie(odds: Any) -> None:
    odds(0.99, 0.7, 0.9)
    parts = candidate(name="parts", score=9.0, left=("tips",))
    assert foremost(parts, candidate(name="near", score=1.0), candidate(name="likely", score=0.5)) == "likely"


def test_odds_within_a_hundredth_leave_the_order_of_the_grammar(odds: Any) -> None:
    odds(0.801, 0.804)
    assert foremost(candidate(name="first", score=1.0), candidate(name="second", score=0.9)) == "first"
    odds(0.801, 0.806)
    assert foremost(candidate(name="first", score=1.0), candidate(name="second", score=0.9)) == "second"


@pytest.mark.parametrize(("given", "said_", "told"), [(1.0, 0.4, 0.9), (0.5, 0.4, 0.45), (1.0, 0.95, 0.95)])
def test_what_leaves_nothing_to_guess_has_nine_in_ten_at_least(
    odds: Any, given: float, said_: float, told: float
) -> None:
    odds(said_)
    plain = candidate(words=(cue("total", "sum"), named(FEE)))
    verdict = judge([plain], run_of([[3.0]]), given=given)
    assert verdict.best is not None and verdict.best.odds == pytest.approx(told)
    assert (verdict.kind, verdict.is_plain) == (("answer", True) if told > 0.65 else ("offer", False))
    guessed = judge([candidate(words=(named(FEE),))], run_of([[3.0]]), given=given)
    assert guessed.best is not None and guessed.best.odds == pytest.approx(given * said_)


@pytest.mark.parametrize(
    ("near", "kept"),
    [
        ({"score": 0.71}, True),  # nearer than 1.3
        ({"score": 0.7}, False),
        ({"score": 2.0, "left": ("tips",)}, False),  # it leaves more over
    ],
)
def test_an_offer_fits_nearly_as_well_and_leaves_no_more_over(odds: Any, near: dict[str, Any], kept: bool) -> None:
    odds(0.5, 0.4)
    assert offered(candidate(name="best", score=2.0), candidate(name="near", **near)) == ["best", "near"][: 1 + kept]


@pytest.mark.parametrize(("chance", "kept"), [(0.01, True), (0.0099, False)])
def test_an_offer_is_not_hopeless(odds: Any, chance: float, kept: bool) -> None:
    odds(0.5, chance)
    assert offered(candidate(name="best"), candidate(name="near")) == ["best", "near"][: 1 + kept]


def test_beside_a_word_that_may_mean_nothing_here_anything_with_one_word_over_is_offered(odds: Any) -> None:
    odds(0.5, 0.4, 0.4)
    one, two = (candidate(name=name, score=-9.0, left=left) for name, left in (("one", ("a",)), ("two", ("a", "b"))))
    assert offered(candidate(name="linked", words=(LINK,)), one, two) == ["linked", "one"]


def test_offers_that_are_not_certain_together_keep_their_odds(odds: Any) -> None:
    odds(0.4, 0.3)
    verdict = judge([candidate(), candidate(name="other", score=0.9)], run_of([[1.0]], [[2.0]]))
    assert [each.odds for each in verdict.offers] == [0.4, 0.3]


@pytest.mark.parametrize(
    ("first", "error", "kind"),
    [
        ({}, MissingColumn("no"), "offer"),
        ({"left": ("tips",)}, MissingColumn("no"), "answer"),  # it does not fit best
        ({}, [[None]], "answer"),  # a result without sense is no inability
    ],
)
def test_the_next_best_is_no_answer_where_the_best_cannot_be_done(odds: Any, first: Any, error: Any, kind: str) -> None:
    odds(0.95)
    assert judge([candidate(**first), candidate(name="total fee of all")], run_of(error, [[3.0]])).kind == kind


def test_only_the_foremost_may_take_too_long_or_be_refused() -> None:
    timed = execute([candidate(left=("tips",)), candidate()], run_of(QueryTimeout("slow"), [[1.0]]))
    assert [len(each) for each in timed] == [1, 1]
    later = execute([candidate(), candidate(name="b")], run_of([[1.0]], ColumnNotAllowed("no")))
    assert [len(each) for each in later] == [1, 1]
    after = execute([candidate(), candidate(name="b")], run_of(QueryTimeout("slow"), [[1.0]]))
    assert [each.tried for each in after[0]] == [False, True]
    with pytest.raises(ColumnNotAllowed):
        execute([candidate(weakest=0.9)], run_of(ColumnNotAllowed("no")))


def test_the_first_so_many_are_tried_and_so_many_kept() -> None:
    many = [candidate(name=str(n)) for n in range(6)]
    assert len(execute(many, run_of(*[[[1.0]]] * 6), most=3)[0]) == 3
    assert len(execute(many, run_of(*[[[None]]] * 6), tried=4)[1]) == 4


CHART = (cue("as a bar chart", "chart"), cue("total", "sum"), named(FEE))
ASKED = "as a bar chart total fee"


@pytest.mark.parametrize(
    ("question", "earlier", "heard"), [(ASKED, None, "total fee"), (ASKED, FIGURE, ASKED), ("", None, "")]
)
def test_the_odds_of_a_question_leave_its_chart_out_and_those_of_a_follow_up_do_not(
    odds: Any, question: str, earlier: Plan | None, heard: str
) -> None:
    asked = odds(0.9)
    verdict = judge([candidate(words=CHART)], run_of([[3.0]]), question=question, earlier=earlier, schema=SCHEMA)
    ((groups, said_, before, schema),) = asked
    assert (said_, before, schema) == (heard, earlier, SCHEMA)
    spans = groups[0][0].candidate.spans
    assert [span.text for span in spans] == (
        ["total", "fee"] if heard == "total fee" else ["as a bar chart", "total", "fee"]
    )
    assert verdict.best is not None and len(verdict.best.candidate.spans) == 3


class CrossReader:
    """Keeps what it is asked, and finds everything as likely."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def scores(self, *asked: Any) -> list[float]:
        self.asked.append(asked)
        return [0.5 for _ in asked[1]]


def test_the_cross_reader_is_heard_of_questions_and_sees_the_columns_of_their_tables(monkeypatch: Any) -> None:
    reader = CrossReader()
    told: list[bool] = []

    def odds_of(_: Any, *, heard: bool) -> float:
        told.append(heard)
        return 0.5

    monkeypatch.setattr(judging, "packaged_cross_reader", lambda: reader)
    monkeypatch.setattr(judging, "odds_of", odds_of)
    made = Reading(candidate(plan(SUM, by=(TOWN,), joins=(JOIN,))), cast("Any", None), (), [["Oslo", 3.0]])
    assert probabilities([[made]], "total fee by town", None, SCHEMA) == [0.5]
    assert probabilities([[made]], "total fee by town") == [0.5]
    assert probabilities([[made]], "and by pitch", FIGURE, SCHEMA) == [0.5]
    assert probabilities([[made]], "", None, SCHEMA) == [0.5]
    assert told == [True, True, False, False]
    (first, _, about), (again, _, nothing) = reader.asked
    assert (first, again, nothing) == ("total fee by town", "total fee by town", "")
    assert "town" in about and "nights" in about
