"""Checking what a run said against the ledger: its seal, its entries, and the hash of all that was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.errors import AvermentError
from averment.records.base import derived_id
from averment.runtime.agent import Agent, MirroringAgent
from averment.runtime.journal import brief, digest
from averment.runtime.seal import call_bodies, run_root
from averment.runtime.verification.ledger_checks import RunEntries, check_parts
from averment.runtime.verification.seal_check import check_held, check_kept
from averment.runtime.verification.signature_checks import check_signature
from averment.runtime.verification.verdict import Check

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow


def check_seal(services: Services, row: RunRow, told: RunEntries) -> list[Check]:
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
        *_check_signed(services, row, told, sealed),
        *check_held(services, row, sealed),
        *_check_asked(row, entries),
    ]
    try:
        return checks + _check_calls(services, row, entries)
    except (AvermentError, KeyError, TypeError, AttributeError) as error:
        return [*checks, Check(subject="calls", ok=False, detail=f"a stored row cannot be read: {error}")]


def _check_signed(services: Services, row: RunRow, told: RunEntries, sealed: LedgerEntry) -> list[Check]:
    report = told.reports[told.sealed_by]
    replication = services.ledgers.replication
    here = replication is None or told.sealed_by == replication.writer
    path = services.settings.ledger_path if here else None
    return check_signature(row, sealed, report, told.notes[told.sealed_by], path)


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


def check_mirrored(services: Services, agent: Agent, row: RunRow) -> list[Check]:
    """The files that an agent made of a run beside its artifacts against what the run's records give."""
    if not isinstance(agent, MirroringAgent):
        return []
    try:
        wanted = agent.mirrored(services, row)
    except (AvermentError, ValueError, KeyError, TypeError) as error:
        return [Check(subject="session", ok=False, detail=f"its records cannot be read: {error}")]
    checks: list[Check] = []
    for relative, content in sorted(wanted.items()):
        same = services.store.files.holds(relative, content)
        detail = "as the run's records give it" if same else _departure(services, relative, content)
        checks.append(Check(subject=f"file {relative}", ok=same, detail=detail))
    return checks


def _departure(services: Services, relative: str, content: bytes) -> str:
    try:
        return first_difference(services.store.files.read(relative), content)
    except AvermentError as error:
        return error.message


def first_difference(kept: bytes | None, proven: bytes) -> str:
    """Where a text first departs from what the data give, in words a person can act on."""
    if kept is None:
        return "the file is missing"
    left = kept.decode("utf-8", "replace").splitlines()
    right = proven.decode("utf-8", "replace").splitlines()
    for number, (have, want) in enumerate(zip(left, right, strict=False), start=1):
        if have != want:
            return f"line {number} says {have.strip()!r}, the data give {want.strip()!r}"
    return f"it has {len(left)} lines, the data give {len(right)}"


def check_files(services: Services, row: RunRow) -> list[Check]:
    """Every artifact's file against the hash it was sealed with, and every result that a call kept against its own."""
    try:
        artifacts = services.store.artifacts.list(row.run_id)
    except AvermentError as error:
        return [Check(subject="artifacts", ok=False, detail=error.message)]
    checks: list[Check] = []
    for artifact in artifacts:
        problem = services.store.artifacts.check(artifact)
        checks.append(
            Check(
                subject=f"artifact {artifact.content_ref}", ok=problem is None, detail=problem or artifact.content_hash
            )
        )
    return checks + check_kept(services, row)
