"""The kinds of documents that Averment reads itself: a table each of ``own_kinds.toml``, which says all of it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.reading import Reading
from averment.language.word_lists import toml_file


@dataclass(frozen=True, kw_only=True)
class OwnDocumentKind:
    """A kind of document.

    ``said`` is what hints call it. ``read`` is the function that reads its bytes, as ``module:function`` of this
    package, which is loaded when first needed; it takes the bytes and the limits, and with ``charset`` also the
    character set that was ``declared``. ``form`` says what its bytes must be. What can harm is read in a process of its
    own; ``here`` is for text that no parser takes apart.
    """

    name: str
    said: str
    suffixes: Sequence[str]
    types: Sequence[str]
    read: str
    form: Literal["text", "zip", "pdf"] = "text"
    charset: bool = False
    here: bool = False


OWN_KINDS: dict[str, OwnDocumentKind] = {
    name: OwnDocumentKind(name=name, **row)
    for name, row in toml_file("averment.corpus.readers", "own_kinds.toml").items()
}
"""By name, in the order in which they are told."""

KIND_OF_SUFFIX = {suffix: kind.name for kind in OWN_KINDS.values() for suffix in kind.suffixes}
"""The names a folder is searched for."""

KIND_OF_TYPE = {media_type: kind.name for kind in OWN_KINDS.values() for media_type in kind.types}


def read_own(kind: OwnDocumentKind, content: bytes, limits: DocumentLimits, charset: str | None) -> Reading:
    """What the reader of that kind makes of the bytes.

    Raises:
        Unreadable: it cannot be read, or goes over a limit.
    """
    module, _, function = kind.read.partition(":")
    read = getattr(importlib.import_module(f"averment.corpus.readers.{module}"), function)
    return read(content, limits, declared=charset) if kind.charset else read(content, limits)


def said_kinds() -> str:
    """The kinds in a sentence: "Markdown, HTML and e-mail"."""
    *first, last = (kind.said for kind in OWN_KINDS.values())
    return f"{', '.join(first)} and {last}"
