"""An answer and its proof do not fit together."""

from __future__ import annotations

from averment.errors.base import AvermentError


class EvidenceError(AvermentError):
    """An answer and its proof do not fit together."""

    code = "EVIDENCE_ERROR"
    http_status = 409


class NotEnoughEvidence(EvidenceError):
    """The data or sources do not carry an answer."""

    code = "NOT_ENOUGH_EVIDENCE"
    exit_code = 3
    http_status = 422


class UnboundNumber(EvidenceError):
    """A text holds a number that no evidence covers."""

    code = "UNBOUND_NUMBER"
    exit_code = 5


class UnboundQuote(EvidenceError):
    """A text holds a quotation that no evidence covers."""

    code = "UNBOUND_QUOTE"
    exit_code = 5


class UntrueClaim(EvidenceError):
    """A claim says what its evidence does not."""

    code = "UNTRUE_CLAIM"
    exit_code = 5


class VerificationFailed(EvidenceError):
    """A run, artifact or ledger is not what was sealed."""

    code = "VERIFICATION_FAILED"
    exit_code = 5
