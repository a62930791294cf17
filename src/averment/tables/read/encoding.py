"""Which characters the bytes stand for, and a UTF-8 copy where they are written otherwise.

One pass over the file collects all that later steps need to know about it: its hash, its line ends, whether it holds
quotes, control characters or NUL bytes, and whether it is valid UTF-8 throughout.
"""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import dataclass
from pathlib import Path

from averment.errors import InvalidFileType, SourceAmbiguous, SourceUnreadable
from averment.tables.catalog import Note

CHUNK = 1 << 20
_CONTROL = bytes(code for code in range(32) if code not in (9, 10, 12, 13, 27)) + b"\x7f"
_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MAX_FLAGGED_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class Scan:
    """What one pass over the bytes showed."""

    size: int
    sha256: str
    lf: int
    cr: int
    crlf: int
    nul: int
    control: int
    escape: int
    utf8: bool
    head: bytes

    @property
    def mixed_line_ends(self) -> bool:
        """Whether lines end in more than one way."""
        kinds = (self.crlf > 0, self.lf > self.crlf, self.cr > self.crlf)
        return sum(kinds) > 1


def scan_file(path: Path) -> Scan:
    """Reads the file once, in pieces."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    size = lf = cr = crlf = nul = control = escape = 0
    utf8, head, last = True, b"", b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            head = head or chunk[: 1 << 16]
            digest.update(chunk)
            size += len(chunk)
            lf += chunk.count(b"\n")
            cr += chunk.count(b"\r")
            crlf += chunk.count(b"\r\n") + (last == b"\r" and chunk[:1] == b"\n")
            nul += chunk.count(b"\x00")
            control += len(chunk) - len(chunk.translate(None, _CONTROL))
            escape += chunk.count(b"\x1b")
            last = chunk[-1:]
            if utf8:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    utf8 = False
    if utf8:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            utf8 = False
    return Scan(
        size=size,
        sha256=digest.hexdigest(),
        lf=lf,
        cr=cr,
        crlf=crlf,
        nul=nul,
        control=control,
        escape=escape,
        utf8=utf8,
        head=head,
    )


def decide_encoding(path: Path, scan: Scan, forced: str | None) -> tuple[str, list[Note]]:
    """The codec name to read the file by ("mixed" when lines differ) and what to say about it.

    Raises:
        InvalidFileType: these are no characters at all.
        SourceAmbiguous: several encodings are as likely.
        SourceUnreadable: the forced encoding is unknown.
    """
    if forced is not None:
        try:
            return codecs.lookup(forced).name, []
        except LookupError as error:
            raise SourceUnreadable(f"Unknown encoding: {forced!r}.") from error
    for mark, name in _BOMS:
        if scan.head.startswith(mark):
            note = Note(
                code="encoding", message=f"Read as {name.removesuffix('-sig').upper()}, as its byte order mark says."
            )
            return name, [] if name == "utf-8-sig" else [note]
    if scan.nul:
        return _without_mark(path, scan)
    if scan.control > max(2, scan.size // 50):
        raise InvalidFileType(f"{path.name} contains binary data, not text.")
    if scan.utf8:
        return "utf-8", []
    return _single_byte(path)


def _without_mark(path: Path, scan: Scan) -> tuple[str, list[Note]]:
    """UTF-16 without a byte order mark shows as NUL in every other byte; anything else with NULs is binary."""
    even, odd = scan.head[0::2].count(0), scan.head[1::2].count(0)
    half = max(1, len(scan.head) // 2)
    for name, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros > 0.4 * half and others < 0.05 * half:
            try:
                text = scan.head[: len(scan.head) // 2 * 2].decode(name)
            except UnicodeDecodeError:
                continue
            if scan.size % 2 == 0 and sum(ch.isprintable() or ch in "\r\n\t" for ch in text) > 0.95 * len(text):
                message = f"Read as {name.upper()}, which has no byte order mark here."
                return name, [Note(code="encoding_assumed", message=message)]
    raise InvalidFileType(f"{path.name} contains NUL bytes, so it is not text.")


def _single_byte(path: Path) -> tuple[str, list[Note]]:
    """Not UTF-8: Windows-1252, Latin-1, or a mixture line by line."""
    good, bad, undefined, high, letters = 0, list[int](), False, 0, 0
    bad_lines = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.isascii():
                letters += len(line)
                continue
            try:
                line.decode("utf-8")
                good += 1
            except UnicodeDecodeError:
                bad_lines += 1
                if len(bad) < MAX_FLAGGED_ROWS:
                    bad.append(number)
                letters += len(line)
                high += len(line) - len(line.translate(None, bytes(range(128, 256))))
                undefined = undefined or any(byte in line for byte in (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d"))
    if good:
        message = (
            f"{bad_lines} line(s) are not UTF-8 while others are; those were read as Windows-1252. First file lines: "
            f"{', '.join(map(str, bad[:5]))}."
        )
        return "mixed", [Note(code="mixed_encodings", message=message, rows=tuple(max(1, line - 1) for line in bad))]
    if high > 0.25 * max(1, letters):
        raise SourceAmbiguous(
            f"{path.name} is not UTF-8, and its bytes fit several other encodings.",
            hint="Set the encoding, for example with --encoding cp1251 or --encoding shift_jis.",
        )
    name = "latin-1" if undefined else "cp1252"
    message = f"Not UTF-8; read as {'ISO-8859-1' if undefined else 'Windows-1252'}. Letters with accents may be wrong."
    return name, [Note(code="encoding_assumed", message=message, rows=tuple(max(1, line - 1) for line in bad))]


def as_utf8(path: Path, encoding: str, work: Path) -> Path:
    """A file with the same text in UTF-8 and without a mark: the file itself when it is that already.

    Raises:
        SourceUnreadable: the bytes do not fit the encoding.
    """
    if encoding == "utf-8":
        return path
    target = work / "text.csv"
    try:
        if encoding == "mixed":
            with path.open("rb") as source, target.open("wb") as sink:
                for line in source:
                    sink.write(_mixed_line(line))
        else:
            with (
                path.open("r", encoding=encoding, newline="") as source,
                target.open("w", encoding="utf-8", newline="") as sink,
            ):
                while text := source.read(CHUNK):
                    sink.write(text)
    except (UnicodeError, LookupError) as error:
        raise SourceUnreadable(f"{path.name} cannot be read as {encoding}: {error}.") from error
    return target


def _mixed_line(line: bytes) -> bytes:
    try:
        line.decode("utf-8")
        return line
    except UnicodeDecodeError:
        try:
            return line.decode("cp1252").encode()
        except UnicodeDecodeError:
            return line.decode("latin-1").encode()
