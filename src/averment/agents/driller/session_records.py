"""From the records a run has kept to the investigation as the driller contract knows it.

The agent keeps the contract's records as they are: the data model, the plan and the first hypotheses with its reading,
and with each round the iteration, its finding and the hypotheses as they stand after it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.driller.session_export import Investigation
from averment.records.analysis import ENDED
from averment.records.drilldown.investigation import AnalysisPlan, DataModel
from averment.records.drilldown.loop import Finding, FindingsLedger, Hypothesis, IterationLog
from averment.records.drilldown.results import Explanation, Mover
from averment.runtime.execution.restore import planned_of

if TYPE_CHECKING:
    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow

REPORT_NAME, EXPLANATIONS_NAME, BREAKDOWN_NAME = "report.md", "explanations.json", "breakdown.json"


def investigation_of(services: Services, run: RunRow, request: DrillRequest) -> Investigation:
    """What the run has kept so far; called again after more rounds it holds more."""
    planned = planned_of(services, run.run_id)
    reading: Mapping[str, Any] = {} if planned is None else planned.reading
    taken = services.store.runs.records(run.run_id, "taken")
    report = _artifact(services, run.run_id, REPORT_NAME)
    explanations = _artifact(services, run.run_id, EXPLANATIONS_NAME)
    breakdown = _artifact(services, run.run_id, BREAKDOWN_NAME)
    hypotheses = _hypotheses(reading, taken)
    iterations = tuple(IterationLog.model_validate(one["iteration"]) for one in taken if one.get("iteration"))
    findings = tuple(Finding.model_validate(one["finding"]) for one in taken if one.get("finding"))
    return Investigation(
        context=request.context,
        model=_one(DataModel, reading.get("data_model")),
        plan=_one(AnalysisPlan, reading.get("analysis_plan")),
        hypotheses=hypotheses,
        iterations=iterations,
        findings=findings,
        ledger=_ledger(request.session_id, run, taken, iterations, findings, hypotheses),
        explanations=None if explanations is None else tuple(map(Explanation.model_validate, json.loads(explanations))),
        report=None if report is None else report.decode(),
        breakdown=() if breakdown is None else tuple(map(Mover.model_validate, json.loads(breakdown))),
    )


def _hypotheses(reading: Mapping[str, Any], taken: Sequence[Mapping[str, Any]]) -> tuple[Hypothesis, ...]:
    """Every hypothesis as it stands after the last round, in the order of their ids."""
    latest: dict[str, Hypothesis] = {}
    for holder in (reading, *taken):
        for body in holder.get("hypotheses") or ():
            hypothesis = Hypothesis.model_validate(body)
            latest[hypothesis.hypothesis_id] = hypothesis
    return tuple(latest[name] for name in sorted(latest))


def _ledger(
    session_id: str,
    run: RunRow,
    taken: Sequence[Mapping[str, Any]],
    iterations: Sequence[IterationLog],
    findings: tuple[Finding, ...],
    hypotheses: Sequence[Hypothesis],
) -> FindingsLedger | None:
    """The ledger of findings, once the loop has said why it stopped or the run is over."""
    reason = next((one["exit_reason"] for one in reversed(taken) if one.get("exit_reason")), None)
    if reason is None and (run.status not in ENDED or not iterations):
        return None
    return FindingsLedger(
        session_id=session_id,
        findings=findings,
        hypothesis_outcomes={one.hypothesis_id: one.status for one in hypotheses},
        total_iterations=len(iterations),
        exit_reason=reason or "STALL_DETECTED",
        created_at=iterations[-1].timestamp if iterations else run.updated_at,
    )


def _one(kind: Any, body: Any) -> Any:
    return None if body is None else kind.model_validate(body)


def _artifact(services: Services, run_id: str, name: str) -> bytes | None:
    artifact = services.store.artifacts.get(run_id, name)
    return None if artifact is None else services.store.artifacts.read(artifact)
