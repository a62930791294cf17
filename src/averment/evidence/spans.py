"""Span evidence: a quote with its place in an archived text, found again or refused."""

from __future__ import annotations

from averment.errors import UnboundQuote
from averment.records.run import SpanEvidence


def span(source_id: str, snapshot_sha256: str, text: str, start: int, end: int) -> SpanEvidence:
    """Evidence for a stretch of a snapshot's text.

    Raises:
        UnboundQuote: the text has no such stretch, or it is empty.
    """
    if not 0 <= start < end <= len(text) or not text[start:end].strip():
        raise UnboundQuote(f"The source has no text between {start} and {end}.")
    return SpanEvidence(
        source_id=source_id, snapshot_sha256=snapshot_sha256, start=start, end=end, quote=text[start:end]
    )


def holds(evidence: SpanEvidence, text: str) -> bool:
    """Whether a snapshot's text still says the quote at its very place."""
    return 0 <= evidence.start < evidence.end <= len(text) and text[evidence.start : evidence.end] == evidence.quote
