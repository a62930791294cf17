"""Checking the numbers of a run that another teller worded: each by its own evidence, over results computed again.

This version would word the run otherwise, so its sentences and files are held by the seal alone. The numbers in them
are not: every cell is looked up in the table that its query gives now, every value in the output that its call gives
now, every quotation in the archived text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError
from averment.evidence import derive
from averment.evidence.bind import value_of
from averment.evidence.values import faithful, same, scalar
from averment.records.run import CellEvidence, DerivedEvidence, Evidence, Finding, ResultEvidence, SpanEvidence
from averment.runtime.verification.verdict import Check

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.runtime.services import Services

_ABSENT = object()


def check_evidence(services: Services, work: RunContext, findings: tuple[Finding, ...]) -> tuple[list[Check], int]:
    """Every slot of every finding against what its evidence gives now, and how many there were."""
    checks: list[Check] = []
    slots = 0
    for finding in findings:
        wrong = [
            f"{name} says {bound.text}, the data do not give it"
            for name, bound in finding.slots.items()
            if not (
                faithful(bound.text, value_of(bound.evidence), unit=bound.unit)
                and _found_again(services, work, bound.evidence)
            )
        ]
        slots += len(finding.slots)
        detail = "; ".join(wrong) or f"its numbers were found again: {finding.text}"
        checks.append(Check(subject=f"finding {finding.finding_id}", ok=not wrong, detail=detail))
    return checks, slots


def _found_again(services: Services, work: RunContext, evidence: Evidence) -> bool:
    try:
        if isinstance(evidence, SpanEvidence):
            return services.texts.corpus.quote(evidence.snapshot_sha256, evidence.start, evidence.end) == evidence.quote
        if isinstance(evidence, DerivedEvidence):
            return derive.holds(evidence) and all(_found_again(services, work, each) for each in evidence.of)
        now = _cell(work, evidence) if isinstance(evidence, CellEvidence) else _value(work, evidence)
    except (AvermentError, OSError, IndexError, KeyError):
        return False
    return now is not _ABSENT and same(now, evidence.value)


def _cell(work: RunContext, evidence: CellEvidence) -> Any:
    for call, observation in work.state.answered.values():
        if observation.observation_id == evidence.observation_id:
            table = work.result_store.by_call(call.call_id)
            return scalar(table.column(evidence.column)[evidence.row].as_py())
    return _ABSENT


def _value(work: RunContext, evidence: ResultEvidence) -> Any:
    for call, observation in work.state.answered.values():
        if call.call_id == evidence.call_id:
            found: Any = observation.data
            for step in evidence.path.split("."):
                found = found[int(step)] if isinstance(found, list) else found[step]
            return scalar(found)
    return _ABSENT
