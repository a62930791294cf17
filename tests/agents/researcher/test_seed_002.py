"""How a research goes, as seed 002 wants it: in its order, by priority, with its score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.agents.researcher.planner import plan_of, plan_questions
from averment.agents.researcher.sources import SourceSurvey
from averment.records.research.request import DepthLevel
from averment.records.research.run import ResearchRun
from averment.runtime.run_json import KeptReading, KeptRound
from averment.settings import Settings

QUESTION = "When was Lindholm Harbour deepened?"


@dataclass(frozen=True)
class Told:
    """The events of a research in their order, and its report as data."""

    events: list[tuple[str, dict[str, Any]]]
    data: dict[str, Any]

    def rounds(self) -> list[dict[str, Any]]:
        return [body["state"]["question"] for kind, body in self.events if kind == "round_begun"]


@pytest.fixture
def told(library: Path, home: Settings) -> Iterator[Told]:
    with Workbench(settings=home) as workbench:
        run = workbench.research(QUESTION, corpus=[library], depth="quick")
        assert run.status == "completed"
        events = [(event.type, event.data) for event in workbench.runs.events(run.id)]
        report = home.home / "artifacts" / "reports" / run.id / "report.json"
        yield Told(events, json.loads(report.read_text()))


@pytest.mark.seed("C-062")
def test_a_research_plans_executes_verifies_and_writes_in_that_order(told: Told) -> None:
    stages = {"plan_made": 1, "round_begun": 2, "round_taken": 2, "finding_bound": 3, "artifact_written": 4}
    order = [stages[kind] for kind, _ in told.events if kind in stages]
    assert order == sorted(order)
    assert set(order) == {1, 2, 3, 4}


def test_a_research_keeps_no_field_that_is_not_declared(told: Told) -> None:
    readings = [body["reading"] for kind, body in told.events if kind == "plan_made"]
    taken = [body for kind, body in told.events if kind == "round_taken"]
    assert readings and taken
    assert {key for body in readings for key in body} <= KeptReading.__annotations__.keys()
    assert {key for body in taken for key in body} - {"number"} <= KeptRound.__annotations__.keys()


@pytest.mark.seed("C-022")
def test_the_plans_questions_are_asked_by_their_priority(told: Told) -> None:
    priorities = [question["priority"] for question in told.rounds() if question["depth"] == 0]
    assert priorities == list(range(1, len(priorities) + 1))
    assert len(priorities) >= 3


@pytest.mark.seed("C-014")
def test_more_questions_take_more_of_the_estimated_time() -> None:
    seconds: list[int] = []
    for depth in DepthLevel:
        request = ResearchRun.checked(query=QUESTION, depth_level=depth, providers=["wikipedia"])
        estimated = plan_of(request, plan_questions(request, SourceSurvey((), ()))).estimated_time_seconds
        assert estimated is not None
        seconds.append(estimated)
    assert 0 < seconds[0] < seconds[1] < seconds[2]


@pytest.mark.seed("C-049")
def test_the_quality_score_is_the_mean_of_answered_parts_support_and_agreement(told: Told) -> None:
    report, facts = told.data["report"], {fact["id"]: fact for fact in told.data["facts"]}
    sources = [len({facts[one]["source_url"] for one in section["fact_ids"]}) for section in report["sections"]]
    support = sum(min(1, count / 3) for count in sources) / len(sources)
    outcomes = [one["outcome"] for one in told.data["questions"] if one["outcome"] != "not asked"]
    answered = outcomes.count("answered") / len(outcomes)
    against = {fact for one in told.data["discrepancies"] for fact in one["fact_ids"] if fact not in one["stands"]}
    agreement = 1 - len(against & facts.keys()) / len(facts)
    assert report["quality_score"] == pytest.approx((answered + support + agreement) / 3, abs=0.01)
