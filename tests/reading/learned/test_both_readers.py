"""What the learned reader proposes becomes plans or nothing, and one judge weighs it with what the grammar reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.reading.conftest import RIDES, Library
from tests.reading.learned.test_cards_and_names import card

from averment.llm.embedded import Answer
from averment.plans.compile import CompiledPlan
from averment.plans.plan import parse_plan
from averment.reading.judge.ensemble import Facts, decided, facts_of, grouped, probability, says_same
from averment.reading.judge.verdict import Verdict
from averment.reading.learned.proposals import Proposals, hints_of, names_of, propose
from averment.tables.profile.profiler import profile

MEAN = "SELECT AVG(fare) FROM rides"


class Said:
    """A model that says what a test has it say: the likeliest answer, then the samples."""

    def __init__(self, first: str, *samples: str) -> None:
        self.first, self.samples = first, samples

    def answers(self, beginning: str, rest: str, samples: int = 0) -> tuple[Answer, ...]:
        return tuple(Answer(text, -0.05, True) for text in (self.samples if samples else (self.first,)))


@pytest.fixture(scope="module")
def rides(library: Callable[..., Library]) -> Library:
    return library(rides=RIDES)


def heard(rides: Library, model: Said, question: str = "average fare") -> Proposals:
    profiles = [profile(rides.engine, "rides")]

    def run(compiled: CompiledPlan) -> Any:
        made = compiled.compose(rides.catalog.dialect)
        return rides.engine.run(made.sql, made.params).table

    return propose(
        model, card(rides), question, names=names_of(profiles, (), {}), catalog=rides.catalog, check=parse_plan, run=run
    )


def test_queries_become_plans_that_were_run_with_their_votes(rides: Library) -> None:
    said = heard(rides, Said(MEAN, MEAN, "SELECT MAX(fare) FROM rides", "NONE", "SELECT fare FROM"))
    assert [(each.reading.candidate.read_back, each.votes, each.first) for each in said.proposals] == [
        ("average fare, in rides", 1, True),
        ("maximum fare, in rides", 1, False),
    ]
    assert (said.asked, said.declined, said.declines_first, said.failed) == (5, 1, False, 1)


@pytest.mark.parametrize(
    "hostile",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY rides TO 'x.csv'",
        "SELECT AVG(fare) FROM rides; DROP TABLE rides",
        "ATTACH 'x.db'",
        "SELECT getenv('HOME') FROM rides",
    ],
)
def test_nothing_but_a_plan_ever_runs(rides: Library, hostile: str) -> None:
    assert heard(rides, Said(hostile)).proposals == []


def test_both_readers_on_one_result_are_surer_than_either(rides: Library) -> None:
    verdict, hints = rides.judged("average fare"), hints_of(card(rides), "average fare")
    assert verdict.best is not None
    agreed = decided(verdict, heard(rides, Said(MEAN, *[MEAN] * 4)), hints, [verdict.best])
    assert agreed.kind == "answer" and agreed.confirmed and agreed.best is not None
    other = "SELECT MAX(fare) FROM rides"
    against = decided(verdict, heard(rides, Said(other, *[other] * 4)), hints)
    assert against.best is not None and against.best.odds < agreed.best.odds
    assert not against.confirmed
    assert [each["read_back"] for each in agreed.record["ensemble"]["results"]] == ["average fare, in rides"]


def test_a_model_that_says_nothing_leaves_the_verdict_as_it_is(rides: Library) -> None:
    verdict = rides.judged("average fare")
    assert decided(verdict, Proposals(), hints_of(card(rides), "average fare")) is verdict


def test_a_result_that_only_the_model_proposes_can_be_offered(rides: Library) -> None:
    made = decided(Verdict("decline"), heard(rides, Said(MEAN, MEAN, MEAN, MEAN, MEAN)), hints_of(card(rides), "mean"))
    assert made.kind in {"answer", "offer"} and made.best is not None
    assert made.best.candidate.read_back == "average fare, in rides"


def test_what_speaks_against_a_result_never_makes_it_likelier(rides: Library) -> None:
    said = heard(rides, Said(MEAN, *[MEAN] * 4))
    verdict = rides.judged("average fare")
    (facts, *_) = facts_of(grouped(verdict, said), verdict, said, hints_of(card(rides), "average fare"))
    against: list[dict[str, Any]] = [
        {"unused_values": 2}, {"unused_numbers": 2}, {"declined": 0.8}, {"failed": 0.8}, {"rival_votes": 1.0},
        {"empty": 1.0}, {"nothing": 1.0}, {"votes": 0.0}, {"likelihood": -1.4},
    ]  # fmt: skip
    assert isinstance(facts, Facts)
    assert all(probability(replace(facts, **each)) <= probability(facts) for each in against)


def test_numbers_and_values_that_a_question_says_and_a_plan_leaves_out_are_counted(rides: Library) -> None:
    hints = hints_of(card(rides), "rides in Oslo over 20 minutes")
    assert (hints.values, hints.numbers) == (("Oslo",), ("20",))
    assert hints.unused(parse_plan({"table": "rides", "measures": [{"function": "rows"}]})) == (1, 1)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([["Oslo", 3]], [["Oslo"]], True),
        ([["Oslo", 3], ["Moss", 1]], [[1, "Moss"], [3, "Oslo"]], True),
        ([[1.0]], [[1]], True),
        ([["Oslo"]], [["Moss"]], False),
        ([["Oslo"]], [["Oslo"], ["Moss"]], False),
        ([], [], True),
    ],
)
def test_results_are_one_where_the_columns_of_one_stand_in_the_other(one: Any, other: Any, same: bool) -> None:
    assert says_same(one, other) is same
