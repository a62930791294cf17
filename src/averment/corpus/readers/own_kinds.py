"""The kinds of documents that Averment reads itself: one record each, from which all else about a kind is taken."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Literal

from averment.corpus.readers.limits import Limits
from averment.corpus.readers.reading import Reading


@dataclass(frozen=True, kw_only=True)
class OwnKind:
    """A kind of document.

    ``said`` is what hints call it. ``read`` is the function that reads its bytes, as ``module:function`` of this
    package, which is loaded when first needed; it takes the bytes and the limits, and with ``charset`` also the
    character set that was ``declared``. ``form`` says what its bytes must be. What can harm is read in a process of its
    own; ``here`` is for text that no parser takes apart.
    """

    name: str
    said: str
    suffixes: tuple[str, ...]
    types: tuple[str, ...]
    read: str
    form: Literal["text", "zip", "pdf"] = "text"
    charset: bool = False
    here: bool = False


_OFFICE = "application/vnd.openxmlformats-officedocument."

OWN_KINDS: dict[str, OwnKind] = {
    kind.name: kind
    for kind in (
        OwnKind(
            name="markdown",
            said="Markdown",
            suffixes=(".md", ".markdown", ".mdx"),
            types=("text/markdown",),
            read="plain:read_markdown",
            here=True,
        ),
        OwnKind(
            name="rst",
            said="reStructuredText",
            suffixes=(".rst", ".rest"),
            types=("text/x-rst",),
            read="plain:read_text",
            charset=True,
            here=True,
        ),
        OwnKind(
            name="html",
            said="HTML",
            suffixes=(".html", ".htm", ".xhtml"),
            types=("text/html", "application/xhtml+xml"),
            read="html:read_html",
            charset=True,
        ),
        OwnKind(
            name="pdf", said="PDF", suffixes=(".pdf",), types=("application/pdf",), read="pdf:read_pdf", form="pdf"
        ),
        OwnKind(
            name="docx",
            said="Word",
            suffixes=(".docx",),
            types=(f"{_OFFICE}wordprocessingml.document",),
            read="docx:read_docx",
            form="zip",
        ),
        OwnKind(
            name="pptx",
            said="PowerPoint",
            suffixes=(".pptx",),
            types=(f"{_OFFICE}presentationml.presentation",),
            read="office:read_pptx",
            form="zip",
        ),
        OwnKind(
            name="xlsx",
            said="Excel",
            suffixes=(".xlsx",),
            types=(f"{_OFFICE}spreadsheetml.sheet",),
            read="office:read_xlsx",
            form="zip",
        ),
        OwnKind(
            name="epub",
            said="EPUB",
            suffixes=(".epub",),
            types=("application/epub+zip",),
            read="office:read_epub",
            form="zip",
        ),
        OwnKind(
            name="notebook",
            said="notebooks",
            suffixes=(".ipynb",),
            types=("application/x-ipynb+json",),
            read="notebook:read_notebook",
        ),
        OwnKind(
            name="tex",
            said="LaTeX",
            suffixes=(".tex",),
            types=("application/x-tex",),
            read="notebook:read_tex",
            charset=True,
        ),
        OwnKind(
            name="text",
            said="text",
            suffixes=(".txt", ".text", ".log"),
            types=("text/plain",),
            read="plain:read_text",
            charset=True,
            here=True,
        ),
        OwnKind(name="email", said="e-mail", suffixes=(".eml",), types=("message/rfc822",), read="mail:read_mail"),
    )
}
"""By name, in the order in which they are told."""

KIND_OF_SUFFIX = {suffix: kind.name for kind in OWN_KINDS.values() for suffix in kind.suffixes}
"""The names a folder is searched for."""

KIND_OF_TYPE = {media_type: kind.name for kind in OWN_KINDS.values() for media_type in kind.types}


def read_own(kind: OwnKind, content: bytes, limits: Limits, charset: str | None) -> Reading:
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
