"""What kind of document bytes are: by their first bytes, then by their name or declared type.

A name that the bytes contradict is not believed; archives, programs and pictures are refused whatever they are called.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import urlsplit

from averment import plugins
from averment.corpus.readers.own_kinds import KIND_OF_SUFFIX, KIND_OF_TYPE, OWN_KINDS
from averment.corpus.readers.reading import DocumentKind, Kind, Unreadable

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
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body", b"<base", b"<script", b"<!--", b"<p", b"<div", b"<h1")


def document_suffixes() -> tuple[str, ...]:
    """How the names of documents end: those that Averment reads itself and those that plugins add."""
    added = plugins.additions("readers", DocumentKind, OWN_KINDS).values()
    return tuple(sorted({*KIND_OF_SUFFIX, *(suffix for kind in added for suffix in kind.suffixes)}))


def kind_of_suffix(suffix: str) -> Kind | None:
    """The kind of documents whose names end so; endings that Averment reads itself are never given away."""
    if suffix in KIND_OF_SUFFIX:
        return KIND_OF_SUFFIX[suffix]
    added = plugins.additions("readers", DocumentKind, OWN_KINDS)
    return next((name for name, kind in added.items() if suffix in kind.suffixes), None)


def kind_of(content: bytes, name: str = "", media_type: str | None = None) -> Kind:
    """The kind of a document.

    Raises:
        Unreadable: it is none that is read, or its bytes are not what its name says.
    """
    by_name = kind_of_suffix(PurePosixPath(urlsplit(name).path if "://" in name else name).suffix.lower())
    if by_name is not None and by_name not in OWN_KINDS:
        return by_name  # Its plugin knows better than we do which bytes it has.
    by_type = KIND_OF_TYPE.get((media_type or "").partition(";")[0].strip().lower())
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        packed = by_name or by_type
        if packed is not None and OWN_KINDS[packed].form == "zip":
            return packed
        if by_name is None and b"word/" in content:
            return "docx"
        raise Unreadable("INVALID_FILE_TYPE", "it is an archive; unpack it and add its files")
    if b"%PDF-" in content[:1_024]:
        return "pdf"
    for mark, what in _REFUSED:
        if content.startswith(mark):
            raise Unreadable("INVALID_FILE_TYPE", f"its bytes are those of {what}")
    said = by_name or by_type
    if said is not None and OWN_KINDS[said].form != "text":
        raise Unreadable("INVALID_FILE_TYPE", f"its bytes are not those of a {said.upper()} file")
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
