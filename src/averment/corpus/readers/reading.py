"""What a reader makes of a document, and how one that cannot be read is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Kind = str
"""The name of a kind of document: one of our own, or one that a plugin adds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The text of a document and what it says about itself."""

    text: str
    title: str = ""
    published_at: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DocumentKind:
    """A kind of document that a plugin adds: its name, how its files end, and what reads its bytes.

    ``read`` runs in the reading process, within the same limits of memory and time as every other reader; it opens no
    file and no connection. It raises ``Unreadable`` with a reason where it cannot read.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes], Reading]


class Unreadable(Exception):
    """A document is broken or goes over a limit; ``code`` is that of the error the caller will see."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
