"""DOCX: the paragraphs and tables of the document part, read from the archive without expanding anything blindly.

XML with a document type is refused: that is where entities are defined, and no word processor writes one.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
import zipfile
import zlib

from averment.corpus.dates import read_date
from averment.corpus.readers.limits import Limits
from averment.corpus.readers.plain import within
from averment.corpus.readers.reading import Reading, Unreadable

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_DOCUMENT = "word/document.xml"
_CORE = "docProps/core.xml"
_CHUNK = 1 << 16


def read_docx(content: bytes, limits: Limits) -> Reading:
    """The running text of a Word document, with the title and dates of its properties.

    Raises:
        Unreadable: the archive is broken, lies about its sizes, or is a bomb; or the document part is not there.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check(archive, len(content), limits)
            names = set(archive.namelist())
            if _DOCUMENT not in names:
                raise Unreadable("INVALID_FILE_TYPE", "the archive holds no Word document")
            body = _parse(_member(archive, _DOCUMENT, limits))
            core = _parse(_member(archive, _CORE, limits)) if _CORE in names else None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise Unreadable("SOURCE_UNREADABLE", f"the archive is broken ({type(error).__name__})") from error
    text = "\n\n".join(line for block in body.iter(f"{_W}p") if (line := _paragraph(block)))
    within(text, limits)
    title = (core.findtext(f"{_DC}title") if core is not None else "") or text.split("\n", 1)[0][:120]
    published = None
    if core is not None:
        published = read_date(core.findtext(f"{_TERMS}created")) or read_date(core.findtext(f"{_TERMS}modified"))
    return Reading(text=text, title=title, published_at=published)


def _check(archive: zipfile.ZipFile, size: int, limits: Limits) -> None:
    members = archive.infolist()
    if len(members) > limits.archive_members:
        raise Unreadable("FILE_TOO_LARGE", f"the archive has more than {limits.archive_members:,} members")
    if len({member.filename for member in members}) != len(members):
        raise Unreadable("SOURCE_UNREADABLE", "the archive names a member twice")
    unpacked = sum(member.file_size for member in members)
    if unpacked > limits.unpacked_bytes or unpacked > limits.unpacked_ratio * max(size, 1_000):
        raise Unreadable("FILE_TOO_LARGE", "the archive unpacks to far more than it holds")
    if any(member.flag_bits & 1 for member in members):
        raise Unreadable("SOURCE_UNREADABLE", "the archive is encrypted")


def _member(archive: zipfile.ZipFile, name: str, limits: Limits) -> bytes:
    """A member's bytes, counted as they come: a header that lies about the size is found out."""
    chunks: list[bytes] = []
    total = 0
    with archive.open(name) as file:
        while chunk := file.read(_CHUNK):
            total += len(chunk)
            if total > limits.unpacked_bytes:
                raise Unreadable("FILE_TOO_LARGE", "a part unpacks to more than is allowed")
            chunks.append(chunk)
    return b"".join(chunks)


def _parse(xml: bytes) -> ET.Element:
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml or b"<\x00!\x00" in xml or b"\x00<\x00!" in xml:
        raise Unreadable("SOURCE_UNREADABLE", "a part has a document type, which may hide an entity bomb")
    try:
        return ET.fromstring(xml)
    except (ET.ParseError, ValueError, RecursionError) as error:
        raise Unreadable("SOURCE_UNREADABLE", "a part is no well-formed XML") from error


def _paragraph(block: ET.Element) -> str:
    parts: list[str] = []
    hidden = False
    for node in block.iter():
        if node.tag == f"{_W}r":
            # A hidden run is not shown by a word processor, so it is not quoted either.
            hidden = node.find(f"{_W}rPr/{_W}vanish") is not None
        elif node.tag == f"{_W}t" and not hidden:
            parts.append(node.text or "")
        elif node.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr") and not hidden:
            parts.append(" ")
    return "".join(parts).strip()
