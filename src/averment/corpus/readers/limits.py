"""How much of a document is read at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentLimits:
    """The bounds on one document; what goes over one of them is refused, never cut silently.

    The defaults allow an e-mail with a large attachment and a book, and no bomb.
    """

    file_bytes: int = 50_000_000
    text_characters: int = 5_000_000
    seconds: float = 20.0
    memory_mb: int = 1_024
    pages: int = 2_000
    archive_members: int = 2_000
    unpacked_bytes: int = 100_000_000
    unpacked_ratio: int = 200
