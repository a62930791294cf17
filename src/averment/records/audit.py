"""One entry of the audit trail, in seed 000's fields, and how its hash is made.

Appending, sealing and verifying whole files is the work of ``averment.ledger``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from averment.records.base import Record, Sha256, UuidText

GENESIS_HASH = "0" * 64
"""The parent of the first entry."""

EventType = Literal[
    "request_submitted",
    "plan_created",
    "tool_called",
    "observation_recorded",
    "artifact_generated",
    "policy_decision",
]
EventActor = Literal["planner", "actor", "safety", "system"]
"""Who made an entry: seed 000's three components, and ``system`` as in its own log example."""

PAYLOAD_FIELDS: Mapping[EventType, frozenset[str]] = {
    "tool_called": frozenset({"call_id", "tool_name", "arguments"}),
    "policy_decision": frozenset({"decision", "rule", "reason"}),
}
"""What ``event_data`` must hold, for the event types whose payload seed 000 fixes."""


def _utc_text(text: str) -> str:
    moment = datetime.fromisoformat(text)
    if not text.endswith("Z") or moment.utcoffset() != timedelta(0):
        raise ValueError("the timestamp must be ISO 8601 in UTC and end with Z")
    return text


UtcText = Annotated[str, AfterValidator(_utc_text)]
"""A moment kept as the very text that was hashed; reading and writing it again must not change a byte."""


def entry_hash(parent_hash: str, timestamp: str, event_type: str, event_data: Mapping[str, Any]) -> str:
    """Seed 000's hash: SHA-256 over parent hash, timestamp, event type and the payload as JSON with sorted keys.

    Raises:
        ValueError: the payload holds NaN or an infinity, which are not JSON.
    """
    payload = json.dumps(event_data, sort_keys=True, allow_nan=False)
    return hashlib.sha256(f"{parent_hash}{timestamp}{event_type}{payload}".encode()).hexdigest()


class AuditTrace(Record):
    """One entry of the chain; an entry whose hash is not its content's cannot be made."""

    entry_id: UuidText
    request_id: UuidText
    sequence_number: int = Field(ge=1, strict=True)
    parent_hash: Sha256
    timestamp: UtcText
    event_type: EventType
    event_data: dict[str, Any]
    actor: EventActor
    hash: Sha256

    @model_validator(mode="after")
    def _payload_has_its_fields(self) -> AuditTrace:
        missing = PAYLOAD_FIELDS.get(self.event_type, frozenset()) - self.event_data.keys()
        if missing:
            raise ValueError(f"the event_data of {self.event_type} lacks {', '.join(sorted(missing))}")
        return self

    @model_validator(mode="after")
    def _the_chain_starts_at_one(self) -> AuditTrace:
        if (self.sequence_number == 1) != (self.parent_hash == GENESIS_HASH):
            raise ValueError("only the first entry may have 64 zeros as its parent_hash")
        return self

    @model_validator(mode="after")
    def _hash_is_of_this_content(self) -> AuditTrace:
        if self.hash != entry_hash(self.parent_hash, self.timestamp, self.event_type, self.event_data):
            raise ValueError("the hash does not match this entry")
        return self

    def follows(self, previous: AuditTrace | None) -> bool:
        """Whether this entry comes right after that one; None asks whether it is the first."""
        if previous is None:
            return self.sequence_number == 1
        return self.sequence_number == previous.sequence_number + 1 and self.parent_hash == previous.hash
