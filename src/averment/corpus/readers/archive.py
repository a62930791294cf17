"""Documents that are archives of XML: opened within limits, without expanding anything blindly."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager

from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.reading import Unreadable

_CHUNK = 1 << 16


@contextmanager
def opened(content: bytes, limits: DocumentLimits) -> Generator[zipfile.ZipFile]:
    """An archive that was checked.

    Raises:
        Unreadable: it is broken, or goes over a limit.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check(archive, len(content), limits)
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, KeyError) as error:
        raise Unreadable("SOURCE_UNREADABLE", f"the archive is broken ({type(error).__name__})") from error


def check(archive: zipfile.ZipFile, size: int, limits: DocumentLimits) -> None:
    """Nothing, if an archive is no bomb and whole.

    Raises:
        Unreadable: it has too many members, lies, unpacks to far more than it holds, or is encrypted.
    """
    members = archive.infolist()
    if len(members) > limits.archive_members:
        raise Unreadable("FILE_TOO_LARGE", f"the archive has more than {limits.archive_members:,} members")
    if len({member.filename for member in members}) != len(members):
        raise Unreadable("SOURCE_UNREADABLE", "the archive lists a member twice")
    unpacked = sum(member.file_size for member in members)
    if unpacked > limits.unpacked_bytes or unpacked > limits.unpacked_ratio * max(size, 1_000):
        raise Unreadable("FILE_TOO_LARGE", "the archive expands to far more than its compressed size allows")
    if any(member.flag_bits & 1 for member in members):
        raise Unreadable("SOURCE_UNREADABLE", "the archive is encrypted")


def member(archive: zipfile.ZipFile, name: str, limits: DocumentLimits) -> bytes:
    """A member's bytes, counted as they come: a header that lies about the size is found out."""
    chunks: list[bytes] = []
    total = 0
    with archive.open(name) as file:
        while chunk := file.read(_CHUNK):
            total += len(chunk)
            if total > limits.unpacked_bytes:
                raise Unreadable("FILE_TOO_LARGE", "a part expands beyond the size limit")
            chunks.append(chunk)
    return b"".join(chunks)


def parse(xml: bytes) -> ET.Element:
    """The tree of a part; one with a document type is refused, since that is where entities are defined.

    Raises:
        Unreadable: it has a document type, or is no well-formed XML.
    """
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml or b"<\x00!\x00" in xml or b"\x00<\x00!" in xml:
        raise Unreadable("SOURCE_UNREADABLE", "a part declares a document type, which could hide an entity bomb")
    try:
        return ET.fromstring(xml)
    except (ET.ParseError, ValueError, RecursionError) as error:
        raise Unreadable("SOURCE_UNREADABLE", "a part is not well-formed XML") from error


def front_matter(**fields: str | None) -> str:
    """What a file says of itself beside its text, as the head of its text; nothing where it says nothing."""
    said = {name: " ".join(value.split()) for name, value in fields.items() if value and value.strip()}
    lines = "".join(f"{name}: {value[:300]}\n" for name, value in said.items())
    return f"---\n{lines}---\n\n" if lines else ""


def table_text(rows: list[list[str]]) -> str:
    """Rows as a table of plain text, the first one its header."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    shown = [[" ".join(cell.split()).replace("|", "/") for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in shown]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])
