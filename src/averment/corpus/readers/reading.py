"""What a reader makes of a document, and how one that cannot be read is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["markdown", "rst", "html", "pdf", "docx", "pptx", "xlsx", "epub", "notebook", "tex", "text", "email"]

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The text of a document and what it says about itself."""

    text: str
    title: str = ""
    published_at: str | None = None
    notes: tuple[str, ...] = ()


class Unreadable(Exception):
    """A document is broken or goes over a limit; ``code`` is that of the error the caller will see."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
