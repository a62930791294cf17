"""Picking up what a job left in its results folder: regular files of known kinds, bounded, and screened.

The job is dead when this runs. Nothing is followed, opened by name twice, unpacked or unpickled: each file is opened
once without following links, checked through its descriptor, copied up to the bound, and screened as a copy.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from averment.sandbox.names import is_plain_name

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


MAX_FILES = 100
MAX_ENTRIES = 5_000
MAX_DEPTH = 3
MAX_NOTES = 20
TOTAL_FACTOR = 4
_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Collection:
    """The files taken, by their path below the folder, and notes on what was refused or changed."""

    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    notes: tuple[str, ...] = ()


def collect(folder: int, target: Path, *, file_bytes: int) -> Collection:
    """Copy the results below an open folder into ``target``, which is made if need be."""
    target.mkdir(parents=True, exist_ok=True)
    collector = _Collector(target, file_bytes)
    collector.take_folder(folder, ())
    return Collection(files=collector.files, notes=collector.all_notes())


class _Collector:
    def __init__(self, target: Path, file_bytes: int) -> None:
        self._target = target
        self._file_bytes = file_bytes
        self._room = file_bytes * TOTAL_FACTOR
        self._entries = 0
        self._notes: list[str] = []
        self._unsaid = 0
        self.files: dict[str, Path] = {}

    def all_notes(self) -> tuple[str, ...]:
        more = (f"{self._unsaid} more refused",) if self._unsaid else ()
        return (*self._notes, *more)

    def take_folder(self, folder: int, above: tuple[str, ...]) -> None:
        with os.scandir(folder) as entries:
            names: list[str] = []
            for entry in entries:
                self._entries += 1
                if self._entries > MAX_ENTRIES:
                    self._note("the rest", "too many entries")
                    break
                names.append(entry.name)
        for name in sorted(names):
            self._take(folder, above, name)

    def _take(self, folder: int, above: tuple[str, ...], name: str) -> None:
        shown = "/".join((*above, name))
        try:
            self._take_checked(folder, above, name, shown)
        except FileRefused as refusal:
            self._note(shown, str(refusal))
        except OSError as error:
            self._note(shown, f"cannot be read ({error.strerror})")

    def _take_checked(self, folder: int, above: tuple[str, ...], name: str, shown: str) -> None:
        if not is_plain_name(name):
            raise FileRefused("odd name")
        kind = os.lstat(name, dir_fd=folder).st_mode
        if stat.S_ISDIR(kind):
            if len(above) + 1 >= MAX_DEPTH:
                raise FileRefused("too deep")
            descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            try:
                self.take_folder(descriptor, (*above, name))
            finally:
                os.close(descriptor)
            return
        if not stat.S_ISREG(kind):
            raise FileRefused("a link" if stat.S_ISLNK(kind) else "no regular file")
        if len(self.files) >= MAX_FILES:
            raise FileRefused("too many files")
        self._take_file(folder, above, name, shown)

    def _take_file(self, folder: int, above: tuple[str, ...], name: str, shown: str) -> None:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=folder)
        with os.fdopen(descriptor, "rb", buffering=0) as source:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise FileRefused("no regular file")
            if status.st_nlink != 1:
                raise FileRefused("a link")
            if status.st_size > min(self._file_bytes, self._room):
                raise FileRefused("too big")
            copy = self._target.joinpath(*above, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            target = self._create(copy)
            try:
                size = self._copy(source.fileno(), target, status.st_size)
                if change := screen(copy):
                    self._note(shown, change)
            except BaseException:
                copy.unlink(missing_ok=True)
                raise
        self._room -= size
        self.files[shown] = copy

    def _create(self, copy: Path) -> int:
        try:
            return os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            raise FileRefused("a file of that name is already in the folder") from None

    def _copy(self, source: int, target: int, size: int) -> int:
        copied = 0
        with os.fdopen(target, "wb") as file:
            while copied < size and (chunk := os.read(source, min(_CHUNK, size - copied))):
                file.write(chunk)
                copied += len(chunk)
        return copied

    def _note(self, what: str, why: str) -> None:
        if len(self._notes) >= MAX_NOTES:
            self._unsaid += 1
        else:
            self._notes.append(f"{what[:80]!a}: {why}")
