"""Screening one collected file: its content must be what its name says, and must not be able to act.

Tables, texts and images pass. Pages, programs, pickles and archives do not. Cells that a spreadsheet would run as
formulas are made harmless in place, by the leading apostrophe that spreadsheets themselves use.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

MAX_UNPACKED = 256 << 20
MAX_MEMBERS = 500

_SIGNATURES: dict[str, tuple[bytes, ...]] = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF87a", b"GIF89a"),
    ".webp": (b"RIFF",),
    ".parquet": (b"PAR1",),
    ".arrow": (b"ARROW1", b"\xff\xff\xff\xff"),
    ".feather": (b"ARROW1", b"FEA1"),
}
_SCRIPT = re.compile(rb"<\s*script\b|javascript\s*:|data\s*:\s*text/html|vbscript\s*:", re.IGNORECASE)
_ACTIVE_DRAWING = re.compile(
    rb"""<\s*(?:script|foreignobject|iframe|embed|object|handler|animate|set)\b|\son\w+\s*=|<!ENTITY|<\?xml-stylesheet
    |@import|(?:href|src)\s*=\s*["']?\s*(?!["']?(?:\#|data:image/(?:png|jpeg)))[^\s"'>]""",
    re.IGNORECASE | re.VERBOSE,
)
_MARKUP_START = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|script|svg|\?xml|iframe|img)", re.IGNORECASE
)

# A cell begins at the start of a line or after a separator, perhaps behind a quote and blanks of any width.
_CELL_START = rb"""(^|[,;\t|\r])((?:[ "\x0b\x0c]|\xc2\xa0|\xef\xbb\xbf|\xe2\x80[\x80-\x8f]|\xe3\x80\x80)*)"""
_CELL_END = rb"""(?=[",;\t|\r\n]|$)"""
_PLAIN_SIGNED = (
    rb"[+-]\s*(?:\d[\d.,_ ]*|\.\d+)(?:e[+-]?\d+)?\s*(?:%|[a-z]{1,12}(?:\s\+?[\d:.]+)?)?\s*"
    + _CELL_END
    + rb"|-+\s*"
    + _CELL_END
    + rb"|[+-](?:inf(?:inity)?|nan)"
    + _CELL_END
)
"""Numbers, durations and dashes: the signed cells that are data and no formulas."""
_FORMULA = re.compile(
    _CELL_START + rb"(?=[=@]|(?:[\t\r]+\s*[=@+-])|(?!" + _PLAIN_SIGNED + rb")[+-])",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


class FileRefused(Exception):
    """The file stays where it is; the text says why."""


def screen(path: Path) -> str | None:
    """Check a collected copy by its extension; a sentence when it was changed, None when it passes as it is.

    Raises:
        Refused: the kind is not accepted, or the content is not of that kind, or could act.
    """
    suffix = path.suffix.lower()
    if suffix in _SIGNATURES:
        with path.open("rb") as file:
            if not file.read(16).startswith(_SIGNATURES[suffix]):
                raise FileRefused("not what its name says")
        return None
    check = _CHECKS.get(suffix)
    if check is None:
        raise FileRefused("a kind that is not collected")
    return check(path)


def _check_text(path: Path) -> str | None:
    content = path.read_bytes()
    if b"\0" in content:
        raise FileRefused("not what its name says")
    if _MARKUP_START.search(content) or _SCRIPT.search(content):
        raise FileRefused("contains a page or a script")
    return None


def _check_table(path: Path) -> str | None:
    _check_text(path)
    content = path.read_bytes()
    harmless, count = _FORMULA.subn(rb"\1\2'", content)
    if count == 0:
        return None
    path.write_bytes(harmless)
    return f"{count} cells that a spreadsheet would run were given a leading apostrophe"


def _check_drawing(path: Path) -> str | None:
    content = path.read_bytes()
    if b"<svg" not in content[:4096].lower() or b"\0" in content:
        raise FileRefused("not what its name says")
    if _ACTIVE_DRAWING.search(content) or _SCRIPT.search(content):
        raise FileRefused("contains a script or a link")
    return None


def _check_workbook(path: Path) -> str | None:
    try:
        with zipfile.ZipFile(path) as book:
            members = book.infolist()
            if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_UNPACKED:
                raise FileRefused("unpacks to too much")
            for member in members:
                _check_member(book, member)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise FileRefused("not what its name says") from error
    return None


def _check_member(book: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    name = member.filename.lower()
    if any(
        part in name for part in ("vbaproject", "externallink", "activex", "embeddings", "macrosheets", "connections")
    ):
        raise FileRefused("contains macros or links")
    if not name.endswith((".xml", ".rels", ".png", ".jpeg", ".jpg")):
        raise FileRefused("contains something that a workbook of values does not have")
    if not name.endswith((".xml", ".rels")):
        return
    with book.open(member) as file:
        content = file.read(MAX_UNPACKED)
    if re.search(rb"<(?:\w+:)?f[\s>/]|ddeLink|TargetMode\s*=\s*.External", content):
        raise FileRefused("contains formulas or links")


_CHECKS: dict[str, Callable[[Path], str | None]] = {
    ".csv": _check_table,
    ".tsv": _check_table,
    ".txt": _check_text,
    ".md": _check_text,
    ".json": _check_text,
    ".jsonl": _check_text,
    ".ndjson": _check_text,
    ".svg": _check_drawing,
    ".xlsx": _check_workbook,
}
