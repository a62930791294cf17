"""An answer and its proof do not match."""

from __future__ import annotations

from averment.errors.base import AvermentError


class EvidenceError(AvermentError):
    """An answer and its proof do not match."""

    code = "EVIDENCE_ERROR"
    http_status = 409


class NotEnoughEvidence(EvidenceError):
    """The data or sources do not contain enough evidence for an answer."""

    code = "NOT_ENOUGH_EVIDENCE"
    exit_code = 3
    http_status = 422


class UnboundNumber(EvidenceError):
    """A text contains a number that no evidence covers."""

    code = "UNBOUND_NUMBER"
    exit_code = 5


class UnboundQuote(EvidenceError):
    """A text contains a quotation that no evidence covers."""

    code = "UNBOUND_QUOTE"
    exit_code = 5


class UntrueClaim(EvidenceError):
    """A claim is not supported by its evidence."""

    code = "UNTRUE_CLAIM"
    exit_code = 5


class VerificationFailed(EvidenceError):
    """A run, artifact or ledger differs from what was sealed."""

    code = "VERIFICATION_FAILED"
    exit_code = 5
