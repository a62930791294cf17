"""What a verification found: how far the log holds, how far it is signed, and the first fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from averment.ledger.entry import LineReason

ChainReason = Literal["sequence", "parent", "timestamp", "torn", "truncated"]
"""Why a line does not follow the one before, or does not follow at all."""

CheckpointReason = Literal[
    "checkpoint_malformed",
    "checkpoint_torn",
    "checkpoint_order",
    "checkpoint_conflict",
    "checkpoint_key",
    "checkpoint_signature",
    "checkpoint_root",
    "fork",
    "unsigned",
]
"""Why a checkpoint, or the want of one, speaks against the log."""

KeyReason = Literal["key_missing", "key_malformed", "key_mismatch"]
"""Why the key beside the log cannot be trusted."""

FaultReason = LineReason | ChainReason | CheckpointReason | KeyReason

KeySource = Literal["given", "beside the file", "pinned"]
"""Where the trusted key came from; pinned is the one that the ledger was first seen with."""


@dataclass(frozen=True, slots=True)
class LedgerFault:
    """Something that does not hold.

    ``line`` is the line of the log; for a checkpoint it is the last line that the checkpoint speaks for, and 0 for what
    concerns no line at all.
    """

    line: int
    reason: FaultReason
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerReport:
    """The first ``verified_to`` lines hold; the first ``sealed_to`` of them are signed by a trusted key.

    ``unsealed_tail`` entries came after the newest checkpoint, which is no fault by itself. ``key`` is the short form
    of the key that was trusted, and ``key_source`` where it came from: only a key that was given proves who signed.
    """

    verified_to: int
    sealed_to: int
    unsealed_tail: int
    first_fault: LedgerFault | None
    root: str
    checkpoints: int
    key: str | None
    key_source: KeySource | None

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the log."""
        return self.first_fault is None

    def as_dict(self) -> dict[str, object]:
        """The report as JSON."""
        fault = self.first_fault
        return {
            "ok": self.ok,
            "verified_to": self.verified_to,
            "sealed_to": self.sealed_to,
            "unsealed_tail": self.unsealed_tail,
            "first_fault": None
            if fault is None
            else {"line": fault.line, "reason": fault.reason, "detail": fault.detail},
            "root": self.root,
            "checkpoints": self.checkpoints,
            "key": self.key,
            "key_source": self.key_source,
        }

    def as_text(self) -> str:
        """The report for a person, one fact a line."""
        lines = [
            f"entries   {self.verified_to} verified, {self.sealed_to} signed, {self.unsealed_tail} not signed yet",
            f"root      {self.root}",
            f"key       {self.key or 'none'}" + (f" ({self.key_source})" if self.key_source else ""),
        ]
        if self.first_fault is not None:
            fault = self.first_fault
            lines.append(f"fault     line {fault.line}: {fault.reason}: {fault.detail}")
        lines.append("verdict   holds" if self.ok else "verdict   BROKEN")
        return "\n".join(lines)
