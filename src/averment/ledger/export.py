"""The log for others: an exact copy in the contract's form, or a projection onto the contract's chain."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, assert_never

from averment.errors import InvalidRequest, LedgerCorrupt
from averment.ledger.disk import refusal, replace_file
from averment.ledger.entry import GENESIS, project_004
from averment.ledger.keys import sync_folder
from averment.ledger.lines import Snapshot, iter_lines, parse_line, snapshot
from averment.ledger.verify import verify_file

Profile = Literal["000", "004"]
"""Which contract's verifier the exported file is for."""

_BESIDE = (".checkpoints", ".pub")


@dataclass(frozen=True, slots=True)
class Export:
    """A file that was written, how many entries it has, and its hash."""

    path: Path
    profile: Profile
    entries: int
    sha256: str


def export_ledger(source: Path | str, target: Path | str, *, profile: Profile) -> Export:
    """Write the log to another file, whole or not at all.

    Profile 000 copies the bytes, sound or not, with checkpoints and key, so that the copy can be verified like the
    original. Profile 004 re-chains the entries, which would give a tampered log a fresh chain: it is refused unless the
    log holds.

    Raises:
        InvalidRequest: the target is the log itself.
        LedgerCorrupt: profile 004 of a log that does not hold.
        LedgerUnavailable: the log cannot be read or the target not written.
        DiskFull: no space is left for the target.
    """
    log, destination = Path(source), Path(target)
    try:
        if destination.exists() and destination.samefile(log):
            raise InvalidRequest("A ledger cannot be exported onto itself.", details={"field": "target"})
        match profile:
            case "000":
                return _copy(log, destination)
            case "004":
                return _project(log, destination)
            case _:
                assert_never(profile)
    except OSError as error:
        raise refusal(error, f"The export to {destination.name}") from error


def _copy(log: Path, destination: Path) -> Export:
    beside = {log.with_name(log.name + ending): destination.with_name(destination.name + ending) for ending in _BESIDE}
    with snapshot(log, beside=tuple(beside)) as view:
        for path, content in view.beside.items():
            beside[path].parent.mkdir(parents=True, exist_ok=True)
            replace_file(beside[path], content)
        return _export(destination, "000", lambda file: _copy_bytes(view, file))


def _copy_bytes(view: Snapshot, file: IO[bytes]) -> int:
    position, lines = 0, 0
    while position < view.size and (block := os.pread(view.descriptor, min(1 << 20, view.size - position), position)):
        file.write(block)
        position += len(block)
        lines += block.count(b"\n")
    return lines


def _project(log: Path, destination: Path) -> Export:
    report = verify_file(log)
    if report.first_fault is not None:
        fault = report.first_fault
        raise LedgerCorrupt(
            f"The ledger {log.name} fails verification at line {fault.line} ({fault.reason}), so it was not exported.",
            details={"line": fault.line, "reason": fault.reason},
        )
    with snapshot(log) as view:
        return _export(destination, "004", lambda file: _project_lines(view, file, report.verified_to))


def _project_lines(view: Snapshot, file: IO[bytes], entries: int) -> int:
    parent, written = GENESIS, 0
    for _, raw in iter_lines(view.descriptor, 0, view.size):
        if written == entries:
            break
        text, parent = project_004(parse_line(raw).entry(), parent)
        file.write(text.encode("ascii") + b"\n")
        written += 1
    return written


def _export(destination: Path, profile: Profile, fill: Callable[[IO[bytes]], int]) -> Export:
    entries = _write(destination, fill)
    with destination.open("rb") as file:
        return Export(destination, profile, entries, hashlib.file_digest(file, "sha256").hexdigest())


def _write(destination: Path, fill: Callable[[IO[bytes]], int]) -> int:
    destination.parent.mkdir(parents=True, exist_ok=True)
    draft = destination.with_name(f".{destination.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            counted = fill(file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(destination)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(destination.parent)
    return counted
