"""An answer and its proof do not match."""

from __future__ import annotations

from averment.errors.base import AvermentError


class EvidenceError(AvermentError, http_status=409):
    """An answer and its proof do not match."""


class NotEnoughEvidence(EvidenceError, exit_code=3, http_status=422):
    """The data or sources do not contain enough evidence for an answer."""


class UnboundNumber(EvidenceError, exit_code=5):
    """A text contains a number that no evidence covers."""


class UnboundQuote(EvidenceError, exit_code=5):
    """A text contains a quotation that no evidence covers."""


class UntrueClaim(EvidenceError, exit_code=5):
    """A claim is not supported by its evidence."""


class VerificationFailed(EvidenceError, exit_code=5):
    """A run, artifact or ledger differs from what was sealed."""
