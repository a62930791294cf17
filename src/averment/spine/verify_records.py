"""Checking what a run said against the ledger: its seal, its entries, and the hash of all that was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.errors import AvermentError
from averment.records.base import derived_id
from averment.spine.held import check_held, check_kept
from averment.spine.journal import brief, digest
from averment.spine.seal import call_bodies, run_root
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
        *check_held(services, row, sealed),
        *_check_asked(row, entries),
    ]
    try:
        return checks + _check_calls(services, row, entries)
    except (AvermentError, KeyError, TypeError, AttributeError) as error:
        return [*checks, Check(subject="calls", ok=False, detail=f"a stored row cannot be read: {error}")]


def _check_asked(row: RunRow, entries: dict[str, LedgerEntry]) -> list[Check]:
    """The question, the request and its sources against the run's first entry."""
    first = entries.get(derived_id(row.run_id, "ledger", "request"))
    if first is None:
        return [Check(subject="request entry", ok=False, detail="the ledger has lost the run's first entry")]
    said = first.event_data
    holds = said.get("intent") == row.intent and said.get("request_sha256") == digest(row.request.get("request"))
    detail = "as submitted" if holds else "the store differs from the ledger"
    return [Check(subject="question", ok=holds, detail=detail)]


def _check_calls(services: Services, row: RunRow, entries: dict[str, LedgerEntry]) -> list[Check]:
    checks: list[Check] = []
    for call, observation in call_bodies(services, row.run_id):
        if observation is None:
            continue
        called = entries.get(derived_id(row.run_id, "ledger", f"call/{call['call_id']}"))
        recorded = entries.get(derived_id(row.run_id, "ledger", f"observation/{call['call_id']}"))
        holds = (
            called is not None
            and recorded is not None
            and called.event_data.get("arguments") == brief(call["arguments"])
            and recorded.event_data.get("observation_sha256") == digest(observation)
        )
        if not holds:
            subject = f"call {call['task_id']}"
            checks.append(Check(subject=subject, ok=False, detail="the store differs from the ledger"))
    return checks


def check_files(services: Services, row: RunRow) -> list[Check]:
    """Every artifact's file against the hash it was sealed with, and every result that a call kept against its own."""
    try:
        artifacts = services.artifacts.list(row.run_id)
    except AvermentError as error:
        return [Check(subject="artifacts", ok=False, detail=error.message)]
    checks: list[Check] = []
    for artifact in artifacts:
        problem = services.artifacts.check(artifact)
        checks.append(
            Check(
                subject=f"artifact {artifact.content_ref}", ok=problem is None, detail=problem or artifact.content_hash
            )
        )
    return checks + check_kept(services, row)
