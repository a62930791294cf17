"""Whether a run's seal is signed: a checkpoint over it, kept where it belongs, by the key that was always there.

A ledger that nobody signed is whole as soon as someone chains it anew. So a run without a signature does not hold.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import AvermentError
from averment.ledger.checkpoint import BadNote, parse_checkpoint, split_notes
from averment.ledger.keys import BadKey, VerifierKey
from averment.ledger.pins import Pins
from averment.ledger.verify import verify_file
from averment.runtime.verification.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.ledger.entry import LedgerEntry
    from averment.ledger.report import LedgerReport
    from averment.runtime.services import Services
    from averment.settings import Settings
    from averment.store.runs.run_store import RunRow


def pinned_key(settings: Settings) -> VerifierKey | None:
    """The key that this home's ledger was first seen with from this user's configuration."""
    return Pins(settings.pins).get(settings.ledger_path)


def key_beside(settings: Settings) -> str | None:
    """The public key beside this home's ledger, in the form that ``--key`` takes; None where there is none."""
    with suppress(OSError, BadKey, UnicodeDecodeError):
        text = _beside(settings.ledger_path, "pub").read_text(encoding="utf-8")
        return VerifierKey.parse(text.rstrip("\n")).text
    return None


def pin_key(settings: Settings) -> None:
    """Remember the key beside this home's ledger, if none is remembered yet."""
    if (text := key_beside(settings)) is not None:
        Pins(settings.pins).put(settings.ledger_path, VerifierKey.parse(text))


def notes_beside(path: Path) -> frozenset[str]:
    """The checkpoints that a log's own file has."""
    with suppress(OSError, UnicodeDecodeError):
        return frozenset(split_notes(_beside(path, "checkpoints").read_text(encoding="utf-8"))[0])
    return frozenset()


def check_signature(
    row: RunRow, sealed: LedgerEntry, report: LedgerReport, notes: frozenset[str], path: Path | None
) -> list[Check]:
    """The checkpoint over the run's seal, and what lies beside the ledger; ``path`` is the log, where it is a file."""
    checks = [_covered(sealed, report), _remembered(row, sealed, notes)]
    if path is not None:
        checks.append(_key_there(path))
    return checks


def check_witness(services: Services, keys: Sequence[str]) -> list[Check]:
    """This home's ledger against what its witness saw; nothing where there is no witness."""
    from averment.store.replication.witness import open_witness

    settings = services.settings
    try:
        witness = open_witness(settings)
        if witness is None:
            return []
        seen = witness.notes()
    except (AvermentError, OSError) as error:
        return [Check(subject="witness", ok=False, detail=f"it cannot be asked: {error}")]
    if not seen:
        return [Check(subject="witness", ok=True, detail=f"{witness.shown} has seen no checkpoint of this ledger yet")]
    pinned = pinned_key(settings)
    found = verify_file(settings.ledger_path, key=keys[0] if keys else None, pinned=pinned, witnessed=seen)
    fault = found.first_fault
    if fault is None:
        return [Check(subject="witness", ok=True, detail=f"{len(seen)} checkpoints at {witness.shown} hold")]
    detail = f"the ledger is not the one that {witness.shown} saw: line {fault.line}: {fault.detail}"
    return [Check(subject="witness", ok=False, detail=detail)]


def _covered(sealed: LedgerEntry, report: LedgerReport) -> Check:
    if report.sealed_to >= sealed.sequence_number:
        detail = f"the seal is under a checkpoint by {report.key} ({report.key_source})"
        return Check(subject="signature", ok=True, detail=detail)
    detail = f"no signed checkpoint covers the run's seal, entry {sealed.sequence_number}"
    return Check(subject="signature", ok=False, detail=detail)


def _remembered(row: RunRow, sealed: LedgerEntry, notes: frozenset[str]) -> Check:
    """The checkpoint that the run was given: it covers the seal, and stands with the ledger's others."""
    text = (row.sealed or {}).get("checkpoint")
    try:
        note = parse_checkpoint(str(text or ""))
    except BadNote:
        return Check(subject="checkpoint", ok=False, detail="the run has lost the checkpoint that it was sealed with")
    if note.size < sealed.sequence_number:
        return Check(subject="checkpoint", ok=False, detail="the run's checkpoint does not reach its seal")
    if str(text) not in notes:
        detail = f"the checkpoint of {note.size} entries, made when the run was sealed, is missing next to the ledger"
        return Check(subject="checkpoint", ok=False, detail=detail)
    return Check(subject="checkpoint", ok=True, detail=f"of {note.size} entries, where it was put")


def _key_there(path: Path) -> Check:
    try:
        key = VerifierKey.parse(_beside(path, "pub").read_text(encoding="utf-8").rstrip("\n"))
    except OSError:
        return Check(subject="public key", ok=False, detail="the key next to the ledger is missing")
    except (BadKey, UnicodeDecodeError) as error:
        return Check(subject="public key", ok=False, detail=f"the key next to the ledger cannot be read: {error}")
    return Check(subject="public key", ok=True, detail=key.label)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")
