"""The run's hand on the ledger: each step is written under an id derived from the run and the step, so never twice."""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any

from averment.records.base import derived_id

if TYPE_CHECKING:
    from averment.ledger.entry import Actor, EventType, LedgerEntry
    from averment.ledger.writer import Ledger
    from averment.llm import ModelCall
    from averment.runtime.replication import LedgerReplication, WriterPart


LONG_TEXT = 4_000
"""Characters of one text in an entry; longer ones, such as programs, are held by their hash."""


def digest(body: object) -> str:
    """SHA-256 over the canonical JSON of a body; what the ledger holds of things too large or too personal for it."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def brief(value: Any) -> Any:
    """A call's arguments as the ledger holds them: a long text by its hash and length, all else as it is."""
    if isinstance(value, str) and len(value) > LONG_TEXT:
        return {"sha256": hashlib.sha256(value.encode()).hexdigest(), "length": len(value)}
    if isinstance(value, dict):
        return {key: brief(each) for key, each in value.items()}
    if isinstance(value, list):
        return [brief(each) for each in value]
    return value


class Journal:
    """Appends the steps of one run to the ledger of this home.

    Where hosts share a database, a step that another writer has recorded is not recorded again.
    """

    def __init__(
        self,
        ledger: Ledger,
        run_id: str,
        *,
        since_sequence: int,
        replication: LedgerReplication | None = None,
        first_writer: str | None = None,
    ) -> None:
        self._ledger = ledger
        self._run_id = run_id
        self._since_sequence = since_sequence
        self._replication = replication
        self._first_writer = first_writer
        self._lock = threading.Lock()
        self._part: WriterPart | None = None

    @property
    def since_sequence(self) -> int:
        """No earlier entry of this home's ledger is of this run."""
        part = self._take_part()
        return self._since_sequence if part is None else part.since_sequence

    def write(self, key: str, event_type: EventType, actor: Actor, data: dict[str, Any]) -> int:
        """Write a step once and return its sequence number; writing it again returns the number it has."""
        part = self._take_part()
        recorded = None if part is None else part.elsewhere.get(self.entry_id(key))
        return recorded or self.enter(key, event_type, actor, data).sequence_number

    def enter(self, key: str, event_type: EventType, actor: Actor, data: dict[str, Any]) -> LedgerEntry:
        """The step's entry in this home's ledger, whatever others recorded; the same one again for the same key."""
        return self._ledger.append(
            request_id=self._run_id,
            event_type=event_type,
            event_data=data,
            actor=actor,
            entry_id=self.entry_id(key),
            since_sequence=self.since_sequence,
        )

    def entry_id(self, key: str) -> str:
        """The id of a step's entry."""
        return derived_id(self._run_id, "ledger", key)

    def _take_part(self) -> WriterPart | None:
        """What this home knows as a writer of the run; None where no other writes."""
        if self._replication is None:
            return None
        with self._lock:
            if self._part is None:
                self._part = self._replication.part_in(self._run_id, self._since_sequence, self._first_writer)
            return self._part

    def decide(self, key: str, *, decision: str, rule: str, reason: str, **more: Any) -> int:
        """Write a policy decision."""
        return self.write(
            f"policy/{key}", "policy_decision", "safety", {"decision": decision, "rule": rule, "reason": reason, **more}
        )

    def keep_call(self, call: ModelCall) -> None:
        """Write that a model was asked: which one, question and answer by hash, what it cost, and how it ended.

        Neither the question nor the answer is in the entry, so no value of the data and no secret can be.
        """
        key = f"model/{call.purpose}/{call.prompt_sha256}/{call.attempt}/{call.response_sha256}"
        self.decide(key, **asked_of(call))


def asked_of(call: ModelCall) -> dict[str, Any]:
    """What the ledger holds of a call to a model, as a policy decision: everything but the words themselves."""
    body = call.model_dump(mode="json", exclude={"outcome", "seconds", "system", "prompt", "answer", "cost"})
    head = {"decision": "model_asked", "rule": "MODEL-CALL", "reason": call.outcome}
    return {**head, **body, "seconds": round(call.seconds, 3)}
