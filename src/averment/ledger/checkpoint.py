"""Signed statements of how long the log is and what its root is, and the append-only file that keeps them.

A checkpoint is a C2SP signed note (``tlog-checkpoint``): origin, size and base64 root on three lines, a blank line,
then one line per signature. In ``data_agent_runs.jsonl.checkpoints`` a blank line follows each note.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from averment.errors import LedgerCorrupt
from averment.ledger.disk import append_durably, open_for_appending
from averment.ledger.keys import SigningKey, VerifierKey

_BODY = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,17})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*")
_SIGNATURE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")
_RECORD = re.compile(rb"[^\n]+\n[0-9]+\n[^\n]+\n(?:[^\n]+\n)*\n(?:\xe2\x80\x94 [^\n]+\n)+\n")
_TAIL_BYTES = 1 << 14


class BadNote(ValueError):
    """A text that is not a checkpoint."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line: who says to have signed, with which key, and the signature itself."""

    name: str
    key_id: bytes
    value: bytes


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The first ``size`` lines have the root ``root_hex``, says ``note_text``, which is signed."""

    size: int
    root_hex: str
    note_text: str
    origin: str
    signatures: tuple[Signature, ...]

    @property
    def root(self) -> bytes:
        """The root as bytes."""
        return bytes.fromhex(self.root_hex)

    def signed_by(self, key: VerifierKey) -> bool:
        """Whether the key signed this note, under its own name as the origin."""
        body = self.note_text[: self.note_text.index("\n\n") + 1].encode()
        return self.origin == key.name and any(
            key.verifies(body, signature.value)
            for signature in self.signatures
            if signature.name == key.name and signature.key_id == key.key_id
        )

    def signers(self) -> str:
        """The keys named by the signature lines, for a person."""
        return ", ".join(f"{signature.name}+{signature.key_id.hex()}" for signature in self.signatures)


def sign_checkpoint(key: SigningKey, size: int, root: bytes) -> Checkpoint:
    """A checkpoint signed by the key, under its name."""
    name = key.verifier.name
    body = f"{name}\n{size}\n{base64.b64encode(root).decode('ascii')}\n"
    value = key.verifier.key_id + key.sign(body.encode())
    return parse_checkpoint(f"{body}\n— {name} {base64.b64encode(value).decode('ascii')}\n")


def parse_checkpoint(text: str) -> Checkpoint:
    """The checkpoint that a note states; its signatures are not checked yet.

    Raises:
        BadNote: the text has another form.
    """
    head, blank, tail = text.partition("\n\n")
    found = _BODY.fullmatch(head + "\n")
    if found is None or not blank or not tail.endswith("\n"):
        raise BadNote("A checkpoint is three lines, a blank line and signature lines.")
    signatures = tuple(_parse_signature(line) for line in tail[:-1].split("\n"))
    return Checkpoint(int(found[2]), _decode(found[3]).hex(), text, found[1], signatures)


def split_notes(text: str) -> tuple[list[str], str]:
    """The notes of a checkpoint file in order, and what is left behind the last whole one."""
    parts = text.split("\n\n")
    whole = (len(parts) - 1) // 2
    notes = [f"{parts[2 * place]}\n\n{parts[2 * place + 1]}\n" for place in range(whole)]
    return notes, "\n\n".join(parts[2 * whole :])


class CheckpointFile:
    """The checkpoints of one log, oldest first. Its caller holds the log's lock."""

    def __init__(self, path: Path, put_aside: Callable[[bytes], None]) -> None:
        self.path = path
        self._put_aside = put_aside
        self._known: tuple[int, Checkpoint | None] = (-1, None)

    def last(self) -> Checkpoint | None:
        """The newest checkpoint; what a crash left of an unfinished one is put aside first.

        Raises:
            LedgerCorrupt: the file does not end with a checkpoint.
        """
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            size = 0
        if size != self._known[0]:
            self._known = self._read_last(size) if size else (0, None)
        return self._known[1]

    def append(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint for ever.

        Raises:
            DiskFull: no space is left.
            LedgerUnavailable: the file cannot be written.
        """
        data = f"{checkpoint.note_text}\n".encode()
        self.last()
        descriptor = open_for_appending(self.path)
        try:
            size = os.fstat(descriptor).st_size
            append_durably(descriptor, data, size, f"The checkpoint file {self.path.name}")
            self._known = (size + len(data), checkpoint)
        finally:
            os.close(descriptor)

    def _read_last(self, size: int) -> tuple[int, Checkpoint | None]:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            start, data, found = size, b"", None
            while start > 0 and found is None:
                start = max(0, start - max(_TAIL_BYTES, len(data)))
                data = os.pread(descriptor, size - start, start)
                # A note at the very beginning of a later block may be the end of a longer one.
                found = next(
                    (note for note in reversed(list(_RECORD.finditer(data))) if note.start() or not start), None
                )
            end = found.end() if found is not None else 0
            if (left := data[end:]) != b"":
                if left.count(b"\n\n") > 1:
                    raise LedgerCorrupt(f"The last note of {self.path.name} is not a checkpoint.")
                self._put_aside(left)
                os.ftruncate(descriptor, start + end)
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if found is None:
            return 0, None
        try:
            return start + end, parse_checkpoint(found[0][:-1].decode())
        except (BadNote, UnicodeDecodeError) as error:
            raise LedgerCorrupt(f"The last note of {self.path.name} is not a checkpoint.") from error


def _parse_signature(line: str) -> Signature:
    found = _SIGNATURE.fullmatch(line)
    if found is None:
        raise BadNote("A signature line is a dash, a name and base64.")
    data = _decode(found[2])
    if len(data) < 5:
        raise BadNote("A signature is too short.")
    return Signature(found[1], data[:4], data[4:])


def _decode(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise BadNote("A part is not base64.") from error
    # Unused bits at the end of base64 could be flipped unnoticed; only one spelling is accepted.
    if base64.b64encode(data).decode("ascii") != text:
        raise BadNote("A part is not canonical base64.")
    return data
