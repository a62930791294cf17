"""What kind of document bytes are: by their first bytes, then by their name or declared type.

A name that the bytes contradict is not believed; archives, programs and pictures are refused whatever they are called.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import urlsplit

from averment import plugins
from averment.corpus.readers.reading import KINDS, DocumentKind, Kind, Unreadable

KIND_OF_SUFFIX: dict[str, Kind] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".rst": "rst",
    ".rest": "rst",
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".epub": "epub",
    ".ipynb": "notebook",
    ".tex": "tex",
    ".eml": "email",
}
"""The names a folder is searched for."""

_KIND_OF_TYPE: dict[str, Kind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-rst": "rst",
    "text/plain": "text",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/epub+zip": "epub",
    "application/x-ipynb+json": "notebook",
    "application/x-tex": "tex",
    "message/rfc822": "email",
}
_REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\x89PNG\r\n\x1a\n", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    (b"{\\rtf", "RTF"),
    (b"SQLite format 3\x00", "a database"),
    (b"PAR1", "Parquet"),
)
_ARCHIVES: tuple[Kind, ...] = ("docx", "pptx", "xlsx", "epub")
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body", b"<base", b"<script", b"<!--", b"<p", b"<div", b"<h1")


def kind_of_suffix(suffix: str) -> Kind | None:
    """The kind of documents whose names end so; endings that Averment reads itself are never given away."""
    if suffix in KIND_OF_SUFFIX:
        return KIND_OF_SUFFIX[suffix]
    added = plugins.additions("readers", DocumentKind, KINDS)
    return next((name for name, kind in added.items() if suffix in kind.suffixes), None)


def kind_of(content: bytes, name: str = "", media_type: str | None = None) -> Kind:
    """The kind of a document.

    Raises:
        Unreadable: it is none that is read, or its bytes are not what its name says.
    """
    by_name = kind_of_suffix(PurePosixPath(urlsplit(name).path if "://" in name else name).suffix.lower())
    if by_name is not None and by_name not in KINDS:
        return by_name  # Its plugin knows better than we do which bytes it has.
    by_type = _KIND_OF_TYPE.get((media_type or "").partition(";")[0].strip().lower())
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        packed = by_name or by_type
        if packed in _ARCHIVES:
            return packed
        if by_name is None and b"word/" in content:
            return "docx"
        raise Unreadable("INVALID_FILE_TYPE", "it is an archive; unpack it and add its files")
    if b"%PDF-" in content[:1_024]:
        return "pdf"
    for mark, what in _REFUSED:
        if content.startswith(mark):
            raise Unreadable("INVALID_FILE_TYPE", f"its bytes are those of {what}")
    if by_name in ("pdf", *_ARCHIVES) or (by_name is None and by_type in ("pdf", *_ARCHIVES)):
        raise Unreadable("INVALID_FILE_TYPE", f"its bytes are not those of a {(by_name or by_type or '').upper()} file")
    if media_type and by_type is None and by_name is None:
        if not media_type.lower().startswith("text/"):
            raise Unreadable("UNSUPPORTED_SOURCE", f"there is no reader for {media_type[:80]!a}")
        return "text"
    looks_like_markup = content[:1_024].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_MARKUP)
    if by_type is not None and by_name is None:
        return by_type
    if by_name in (None, "text") and looks_like_markup:
        return "html"
    return by_name or "text"
