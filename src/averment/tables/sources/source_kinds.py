"""What a file is, by its first bytes and its name, and the kinds of files that plugins add.

A file whose bytes contradict its name is refused. A plugin reads in the same process with the same limits as every
other format, and what it gives is typed by the same rules: its cells are texts until the columns are looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from averment import plugins
from averment.errors import AvermentError, InvalidFileType, NoRows, SourceUnreadable, UnsupportedSource
from averment.records.analysis.file_formats import FILE_FORMATS, FORMAT_OF_SUFFIX, said_formats
from averment.tables.read.staging import StagedTable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Format = str

"""The name of a format; each has a record in ``records.analysis.file_formats``."""

_HINT = f"Give {said_formats()} data with its usual extension."

_TEXT_OR_TABLE = frozenset({".txt", ".dat"})

UPLOADED = tuple(
    suffix
    for suffix, form in FORMAT_OF_SUFFIX.items()
    if FILE_FORMATS[form].holds != "database" and suffix not in _TEXT_OR_TABLE
)

"""The endings of tables that people may send: a text is a document first, and a database stays where it stands."""

BUILT_IN = frozenset({*FILE_FORMATS, "postgres", "spark"})

"""Kinds of sources that no plugin may replace."""

_KINDS: tuple[tuple[int, bytes, str], ...] = (
    *((form.at, form.mark, form.name) for form in FILE_FORMATS.values() if form.mark is not None),
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zstandard"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (0, b"Rar!\x1a\x07", "RAR"),
    (0, b"\x7fELF", "a program"),
    (0, b"%PDF-", "PDF"),
    (0, b"\x89PNG\r\n\x1a\n", "a picture"),
    (0, b"\xff\xd8\xff", "a picture"),
    (0, b"GIF8", "a picture"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    (0, b"Obj\x01", "Avro"),
    (0, b"ARROW1", "Arrow"),
    (0, b"ORC", "ORC"),
    (0, b"{\\rtf", "RTF"),
)

_MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<svg", b"<head", b"<body", b"<script", b"<table", b"<base", b"<!--")


_NO_DATA = frozenset(
    ".html .htm .xhtml .xml .svg .pdf .doc .docx .ppt .pptx .xls .xlsb .ods .odt .rtf .zip .gz .tgz .tar .bz2 .xz .7z "
    ".rar .zst .png .jpg .jpeg .gif .webp .exe .dll .so .py .js .sh .md .eml .mp3 .mp4".split()
)


def kind_of_bytes(head: bytes) -> str | None:
    """The kind that the first bytes show, or None when they show none."""
    for offset, mark, kind in _KINDS:
        if head[offset : offset + len(mark)] == mark:
            return kind
    if head[:2] == b"MZ" and _binary(head):
        return "a program"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:16].lower()
    if start.startswith(_MARKUP):
        return "HTML or XML"
    return None


def _binary(head: bytes) -> bool:
    return any(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)


def decide_format(path: Path, head: bytes, hint: str | None = None) -> Format:
    """The format to read the file as.

    Raises:
        InvalidFileType: the bytes are not what the name says, or no kind of data.
        UnsupportedSource: neither the name nor the bytes tell what it is.
    """
    suffix = path.suffix.lower()
    named = FORMAT_OF_SUFFIX.get(suffix) or (FORMAT_OF_SUFFIX.get(f".{hint}") if hint else None)
    shown = kind_of_bytes(head)
    if named is None and suffix in _NO_DATA:
        raise InvalidFileType(f"{path.name} has the extension {suffix}, which is not a table format.", hint=_HINT)
    if shown is None:
        if named is not None and FILE_FORMATS[named].text:
            return named
        if named is not None:
            raise InvalidFileType(f"{path.name} has the extension of {named} but does not contain it.", hint=_HINT)
        return _text_format(path, head)
    if shown in FILE_FORMATS:
        if named is None or named == shown or suffix == ".db":
            return shown
    elif shown == "zip" and named is not None and FILE_FORMATS[named].zip:
        return named
    elif shown == "Avro" and named == "csv" and not _binary(head[:64]):
        return "csv"
    if named is None and shown in ("zip", "gzip", "PDF", "HTML or XML"):
        raise InvalidFileType(f"{path.name} is {shown}, which is not a table of data.", hint=_HINT)
    said = f"is named as {named}" if named else "has no data extension"
    raise InvalidFileType(f"{path.name} {said} but its bytes are {shown}.", hint=_HINT)


def _text_format(path: Path, head: bytes) -> Format:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not head or _binary(head):
        raise UnsupportedSource(
            f"{path.name} is not in a supported format.",
            hint=_HINT,
        )
    return "json" if start in (b"{", b"[") else "csv"


Row = Mapping[str, object]

MAX_COLUMNS = 5_000


@dataclass(frozen=True, kw_only=True)
class SourceKind:
    """A kind of file: its name in the catalog, the endings it has, and what reads it.

    ``read`` gives the tables of a file, each by its name with its rows; a cell is a text, a number or None. A file
    with one table calls it ``data``. What it raises is told as the reason why the file cannot be read.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path], Mapping[str, Sequence[Row]]]


def kind_of_suffix(suffix: str) -> str | None:
    """The kind that a plugin adds for an ending of its own; endings that Averment reads itself are never given away."""
    if suffix in FORMAT_OF_SUFFIX:
        return None
    for name, kind in plugins.additions("sources", SourceKind, BUILT_IN).items():
        if suffix in kind.suffixes:
            return name
    return None


def table_suffixes() -> tuple[str, ...]:
    """How the names of tables end that people may send: those of our own formats, then those that plugins add."""
    added = plugins.additions("sources", SourceKind, BUILT_IN).values()
    found = sorted({suffix for kind in added for suffix in kind.suffixes} - FORMAT_OF_SUFFIX.keys())
    return (*UPLOADED, *found)


def is_added(kind: str) -> bool:
    """Whether a plugin adds that kind."""
    return kind in plugins.names("sources", BUILT_IN)


def cache_name(kind: str) -> str:
    """The kind with its plugin's hash, so that what another version of the plugin read is not taken from the cache."""
    owner = plugins.owner("sources", kind) if is_added(kind) else None
    return kind if owner is None else f"{kind}_{owner.sha256[:12]}"


def stage_added(connection: DuckDBPyConnection, path: Path, kind: str) -> list[StagedTable]:
    """The tables of a file as its plugin gives them, as text.

    Raises:
        PluginFailed: no plugin reads it.
        SourceUnreadable, NoRows: the plugin cannot read it, or finds nothing in it.
    """
    reader = plugins.load("sources", kind, SourceKind, BUILT_IN)
    try:
        found = reader.read(path)
    except AvermentError:
        raise
    except Exception as error:
        # A stranger's reader may raise anything at all over a broken file.
        raise SourceUnreadable(f"{path.name} cannot be read as {kind}: {str(error)[:200]}") from error
    return [_stage(connection, name, rows, place) for place, (name, rows) in enumerate(found.items())]


def _stage(connection: DuckDBPyConnection, name: str, rows: Sequence[Row], place: int) -> StagedTable:
    import pyarrow as pa

    headings = list(dict.fromkeys(key for row in rows for key in row))
    if not rows or not headings:
        raise NoRows(f"The table {name} has no rows.")
    if len(headings) > MAX_COLUMNS:
        raise UnsupportedSource(f"The rows have more than {MAX_COLUMNS} different columns.")
    cells = [[None if row.get(key) is None else str(row[key]) for row in rows] for key in headings]
    arrow = pa.table({f"c{at}": pa.array(values, pa.large_string()) for at, values in enumerate(cells)})
    relation = f"stage_{place}"
    connection.register("incoming", arrow)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {relation} AS SELECT * FROM incoming")
    connection.unregister("incoming")
    return StagedTable(name, relation, list(headings))
