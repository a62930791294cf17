"""Sealing: the run's last entry names the root over its entries and the hash of all it says; a checkpoint follows."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from averment.ledger.tree import root_of
from averment.records.run import Artifact, Finding
from averment.spine.journal import digest
from averment.spine.parts import RULE, Counted, count_parts

if TYPE_CHECKING:
    from averment.spine.agent import Planned, Round
    from averment.spine.work import Work


def run_root(hashes: list[str]) -> str:
    """The Merkle root over a run's entry hashes, in order."""
    return root_of([hashlib.sha256(b"\x00" + bytes.fromhex(text)).digest() for text in hashes]).hex()


def sealed_content(
    *,
    planned: Planned,
    rounds: list[Round],
    taken: list[dict[str, Any]],
    findings: tuple[Finding, ...],
    artifacts: list[Artifact],
    answer: str,
    status: str,
) -> dict[str, Any]:
    """The hashes by which everything a run says is held."""
    went_on = [[each.model_dump(mode="json") for each in rounds], taken]
    return {
        **({"rounds_sha256": digest(went_on)} if rounds else {}),
        "status": status,
        "answer_sha256": digest(answer),
        "planned_sha256": digest(planned.model_dump(mode="json")),
        "findings_sha256": digest([finding.model_dump(mode="json") for finding in findings]),
        "artifacts": {artifact.content_ref: artifact.content_hash for artifact in artifacts},
    }


def seal(work: Work, content: dict[str, Any]) -> dict[str, Any]:
    """Write the sealing entry, sign a checkpoint, and return what the run remembers of it."""
    services, journal = work.services, work.journal
    own = [
        entry
        for entry in services.ledger.entries(request_id=work.run_id, from_sequence=journal.since_sequence)
        if entry.event_data.get("rule") != RULE
    ]
    gathering = services.gathering
    parts = (
        [Counted("", tuple(own), 0)]
        if gathering is None
        else count_parts(gathering.writer, own, gathering.others(work.run_id))
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
        },
    )
    checkpoint = services.ledger.checkpoint()
    work.settle()
    return {
        "sequence_number": entry.sequence_number,
        "entries": entry.event_data["entries"],
        "run_root": entry.event_data["run_root"],
        "ledger_size": checkpoint.size,
        "ledger_root": checkpoint.root_hex,
        "checkpoint": checkpoint.note_text,
        **({} if gathering is None else {"writer": gathering.writer}),
    }
