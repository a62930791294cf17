"""Sealing: the run's last entry names the root over its entries and the hash of all it says; a checkpoint follows."""

from __future__ import annotations

import hashlib
import logging
import subprocess
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError
from averment.ledger.tree import root_of
from averment.records.base import iso_z
from averment.runtime.agent import teller_of
from averment.runtime.journal import digest
from averment.runtime.plugins_used import write_plugins
from averment.runtime.verification.merged_entries import RULE, WriterEntries, count_parts
from averment.store.db.text import damaged
from averment.version import sealed_versions

if TYPE_CHECKING:
    from averment.ledger.checkpoint import Checkpoint
    from averment.runtime.run_context import RunContext
    from averment.runtime.services import Services
    from averment.settings import Settings
    from averment.store.runs.run_store import RunRow

_log = logging.getLogger("averment.runtime")


def run_root(hashes: list[str]) -> str:
    """The Merkle root over a run's entry hashes, in order."""
    return root_of([hashlib.sha256(b"\x00" + bytes.fromhex(text)).digest() for text in hashes]).hex()


def sealed_content(services: Services, row: RunRow, *, answer: str, status: str, events_to: int) -> dict[str, Any]:
    """The hashes by which everything a run says is held, taken from what the store holds of it.

    They are over the stored bodies, not over records made from them: a later version may give its records more fields.
    """
    runs, run_id = services.store.runs, row.run_id
    conclusion = runs.record(run_id, "conclusion", "conclusion")
    rounds, taken = runs.records(run_id, "round"), runs.records(run_id, "taken")
    artifacts = runs.records(run_id, "artifact")
    return {
        **({"rounds_sha256": digest([rounds, taken])} if rounds else {}),
        "status": status,
        "answer_sha256": digest(answer),
        "planned_sha256": digest(runs.record(run_id, "planned", "planned")),
        "findings_sha256": digest(conclusion["findings"] if conclusion else []),
        "artifacts": {one["content_ref"]: one["content_hash"] for one in artifacts},
        "request_sha256": digest([row.kind, row.intent, row.request]),
        "calls_sha256": digest(call_bodies(services, run_id)),
        "conclusion_sha256": digest(conclusion),
        "artifacts_sha256": digest(artifacts),
        "events_to": events_to,
        "events_sha256": digest(event_bodies(services, run_id, events_to)),
        "created_at": iso_z(row.created_at),
    }


def call_bodies(services: Services, run_id: str) -> list[list[Any]]:
    """Every call of a run as it is stored, with its observation, in the order they were made."""
    try:
        observed = {body["call_id"]: body for body in services.store.runs.records(run_id, "observation")}
        return [[body, observed.get(body["call_id"])] for body in services.store.runs.records(run_id, "call")]
    except (KeyError, TypeError) as error:
        raise damaged(f"a call has no {error}") from error


def event_bodies(services: Services, run_id: str, upto: int | None) -> list[list[Any]]:
    """What a run told while it went, up to that number or to the end."""
    told: list[list[Any]] = []
    while found := services.store.runs.events(run_id, after=told[-1][0] if told else 0):
        told += [[event.seq, event.event_type, event.body, iso_z(event.at)] for event in found]
    return [each for each in told if upto is None or each[0] <= upto]


def tell_witness(settings: Settings, checkpoint: Checkpoint) -> None:
    """Send a checkpoint to the witness, if there is one; a run does not fail because nobody looks on."""
    from averment.store.replication.witness import open_witness

    try:
        if (witness := open_witness(settings)) is not None:
            witness.add(checkpoint.note_text, checkpoint.size)
    except (AvermentError, OSError, subprocess.SubprocessError) as error:
        _log.warning("the witness did not take the checkpoint of %d entries: %s", checkpoint.size, error)


def seal(work: RunContext, row: RunRow, content: dict[str, Any]) -> dict[str, Any]:
    """Write the sealing entry, sign a checkpoint, and return what the run remembers of it."""
    services, journal = work.services, work.journal
    write_plugins(work)
    own = [
        entry
        for entry in services.ledgers.own.entries(request_id=work.run_id, from_sequence=journal.since_sequence)
        if entry.event_data.get("rule") != RULE
    ]
    replication = services.ledgers.replication
    parts = (
        [WriterEntries("", tuple(own), 0)]
        if replication is None
        else count_parts(replication.writer, own, replication.others(work.run_id))
    )
    entries = [entry.hash for part in parts for entry in part.entries]
    entry = journal.enter(
        "policy/sealed",
        "policy_decision",
        "safety",
        {
            "decision": "sealed",
            "rule": RULE,
            "reason": "the run ended; nothing may be added or changed",
            "entries": len(entries),
            "run_root": run_root(entries),
            **({"writers": [part.as_dict() for part in parts]} if len(parts) > 1 else {}),
            **content,
            "versions": sealed_versions(teller_of(row)),
        },
    )
    checkpoint = services.ledgers.own.checkpoint()
    work.flush()
    tell_witness(services.settings, checkpoint)
    return {
        "sequence_number": entry.sequence_number,
        "sealed_at": entry.timestamp,
        "entries": entry.event_data["entries"],
        "run_root": entry.event_data["run_root"],
        "ledger_size": checkpoint.size,
        "ledger_root": checkpoint.root_hex,
        "checkpoint": checkpoint.note_text,
        **({} if replication is None else {"writer": replication.writer}),
    }
