"""Checking what a run said against the ledger: its seal, and the hash of all that was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.records.base import derived_id
from averment.spine.journal import brief, digest
from averment.spine.restore import calls_of, conclusion_of, planned_of, rounds_of
from averment.spine.seal import run_root, sealed_content
from averment.spine.verdict import Check
from averment.spine.verify_ledgers import Told, check_parts

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry
    from averment.spine.services import Services
    from averment.store.runs import RunRow


def check_seal(services: Services, row: RunRow, told: Told) -> list[Check]:
    """The run's entries: all there, under the root that its last entry names, and holding what the store holds."""
    sealed = told.sealed
    if sealed is None:
        return [Check(subject="seal", ok=False, detail="the ledger has no sealing entry of this run")]
    entries = {entry.entry_id: entry for entry in told.counted}
    root = run_root([entry.hash for entry in entries.values()])
    checks = [
        Check(
            subject="seal",
            ok=root == sealed.event_data["run_root"] and (row.sealed or {}).get("run_root") == root,
            detail=f"{sealed.event_data['entries']} entries under run root {root}",
        ),
        *check_parts(told),
    ]
    return checks + _check_stored(services, row, entries, sealed)


def _check_stored(services: Services, row: RunRow, entries: dict[str, LedgerEntry], sealed: LedgerEntry) -> list[Check]:
    planned, conclusion = planned_of(services, row.run_id), conclusion_of(services, row.run_id)
    if planned is None:
        return [Check(subject="plan", ok=False, detail="the store has lost the plan")]
    rounds, taken = rounds_of(services, row.run_id)
    content = sealed_content(
        planned=planned,
        rounds=rounds,
        taken=taken,
        findings=conclusion.findings if conclusion else (),
        artifacts=services.artifacts.list(row.run_id),
        answer=str(row.answer or ""),
        status=row.status,
    )
    names = {
        "planned_sha256": "plan",
        **({"rounds_sha256": "rounds"} if "rounds_sha256" in content or "rounds_sha256" in sealed.event_data else {}),
        "findings_sha256": "findings",
        "answer_sha256": "answer",
        "status": "status",
        "artifacts": "list of artifacts",
    }
    checks = [
        Check(
            subject=name,
            ok=content.get(key) == sealed.event_data.get(key),
            detail="as sealed"
            if content.get(key) == sealed.event_data.get(key)
            else "the store differs from the ledger",
        )
        for key, name in names.items()
    ]
    for call, observation in calls_of(services, row.run_id):
        called = entries.get(derived_id(row.run_id, "ledger", f"call/{call.call_id}"))
        recorded = entries.get(derived_id(row.run_id, "ledger", f"observation/{call.call_id}"))
        holds = (
            called is not None
            and recorded is not None
            and called.event_data.get("arguments") == brief(call.arguments)
            and recorded.event_data.get("observation_sha256") == digest(observation.model_dump(mode="json"))
        )
        if not holds:
            checks.append(Check(subject=f"call {call.task_id}", ok=False, detail="the store differs from the ledger"))
    return checks


def check_artifacts(services: Services, row: RunRow) -> list[Check]:
    """Every artifact's file against the hash it was sealed with."""
    checks: list[Check] = []
    for artifact in services.artifacts.list(row.run_id):
        problem = services.artifacts.check(artifact)
        checks.append(
            Check(
                subject=f"artifact {artifact.content_ref}", ok=problem is None, detail=problem or artifact.content_hash
            )
        )
    return checks
