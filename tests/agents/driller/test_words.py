"""Every sentence of an investigation is a claim, or a frame around something recorded; nobody else's words get in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made import BASELINE, COMPARISON
from stage import Stage

from averment.agents.driller import report
from averment.agents.driller.agent import Driller
from averment.agents.driller.conclude import conclude, explanations_of
from averment.agents.driller.iteration_log import NOTHING, round_records
from averment.agents.driller.report import told_by
from averment.claims.relation import evaluate
from averment.errors import UntrueClaim
from averment.reports.document import Paragraph
from averment.runtime.execution.restore import conclusion_of
from averment.runtime.outcome import Run


@pytest.fixture(scope="module")
def run(stage: Stage, planted: list[Path]) -> Run:
    return stage.play(planted, "SUM(amount)", BASELINE, COMPARISON, investigation_prompt="Is it the app, or plan team?")


def test_every_finding_is_a_claim_that_holds(stage: Stage, run: Run) -> None:
    claims = {claim.claim_id: claim for claim in run.claims}
    assert [finding.text for finding in run.findings] == [claims[one.finding_id].text for one in run.findings]
    assert all(evaluate(claim, None) for claim in run.claims)
    assert {"changed", "caused", "unexplained"} <= {claim.relation for claim in run.claims}


def test_what_the_session_keeps_of_each_round_is_what_was_claimed(stage: Stage, run: Run) -> None:
    work = stage.work(run)
    told = told_by(work, work.request, conclude(work))
    kept: list[tuple[str, str]] = []
    for round_ in work.state.rounds:
        if round_.state.get("task") is not None:
            record = round_records(work, work.request, round_)
            kept += [(f"iteration {round_.number}", record["iteration"]["compressed_summary"])]
            kept += [(f"finding {round_.number}", record["finding"]["summary"])]
    conclusion = conclusion_of(stage.services, run.id)
    assert conclusion is not None
    for one in explanations_of(work, conclusion):
        kept += [(f"explanation {one.rank}", text) for text in (one.reasoning, one.causal_story)]
    assert len(kept) > 8
    told.check(kept)
    assert told.loose(NOTHING) is None


STRAYS: list[tuple[str, Callable[[Any], Any]]] = [
    ("next_steps", lambda made: lambda *given: (*made(*given), "Fire the manager of the app.")),
    ("breakdown_blocks", lambda made: lambda work: [*made(work), Paragraph(text="Half of it is the weather.")]),
    ("explanations_of", lambda made: lambda *given: tuple(_retold(one) for one in made(*given))),
]


def _retold(explanation: Any) -> Any:
    return explanation.model_copy(update={"causal_story": "Customers left because the checkout crashed."})


@pytest.mark.parametrize(("name", "change"), STRAYS, ids=[name for name, _ in STRAYS])
def test_a_sentence_that_nothing_says_stops_the_report(
    stage: Stage, run: Run, monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Any], Any]
) -> None:
    work = stage.work(run)
    conclusion = conclude(work)
    Driller().document(work, conclusion)
    monkeypatch.setattr(report, name, change(getattr(report, name)))
    with pytest.raises(UntrueClaim):
        Driller().document(work, conclusion)
