"""Checking a log that lies elsewhere: its lines and checkpoints as a shared database holds them, and a pinned key.

The same checks as for a file, and one more: two histories under one hand. A writer that signed a checkpoint which is
not a beginning of the log that it signed later has forked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from averment.errors import InvalidRequest
from averment.ledger.chain import ChainResult, check_lines
from averment.ledger.checkpoint import Checkpoint
from averment.ledger.keychain import ROTATION_RULE, rotation_of
from averment.ledger.keys import BadKey, VerifierKey
from averment.ledger.lines import parse_line
from averment.ledger.report import LedgerFault, LedgerReport
from averment.ledger.verify import Trust, judge, parse_in_order


def verify_lines(
    lines: Iterable[bytes],
    notes: Sequence[str],
    *,
    pinned: str,
    keys: Sequence[str] = (),
    witnessed: Sequence[str] = (),
    expect_entries: int | None = None,
) -> LedgerReport:
    """Check every line and every checkpoint of a gathered log.

    Args:
        lines: the log, line by line, without line feeds.
        notes: its checkpoints, the smallest first.
        pinned: the writer's verifier key as it was first seen.
        keys: verifier keys obtained elsewhere; with them the pinned one counts for nothing, and one must fit.
        witnessed: checkpoints kept elsewhere that must hold too.
        expect_entries: how many entries the log must have at least.

    Raises:
        InvalidRequest: a given key is not a verifier key.
    """
    known: list[LedgerFault] = []
    parsed = parse_in_order(notes, known)
    present = {note.note_text for note in parsed}
    parsed += parse_in_order([text for text in witnessed if text not in present], known)
    chain = check_lines(lines, {note.size for note in parsed})
    found: LedgerReport | None = None
    for trust in _trusts(pinned, keys, known):
        found = judge(chain, parsed, trust, expect_entries, [*known])
        if found.first_fault is not None and trust.key is not None:
            found = replace(found, first_fault=_fork(chain, parsed, trust.key) or found.first_fault)
        if found.ok:
            return found
    assert found is not None
    return found


def write_replicated(log: Path, lines: Iterable[bytes], notes: Sequence[str], *, pinned: str) -> None:
    """Put a gathered log into a file, with its checkpoints and the key now in force beside it."""
    key = pinned
    with log.open("wb") as file:
        for raw in lines:
            file.write(raw + b"\n")
            if ROTATION_RULE.encode() in raw:
                line = parse_line(raw)
                changed = rotation_of(line.sequence_number, line.request_id, line.event_type, line.event_data)
                key = changed.new.text if changed is not None and changed.old.text == key else key
    log.with_name(f"{log.name}.checkpoints").write_text("".join(f"{note}\n" for note in notes), encoding="utf-8")
    log.with_name(f"{log.name}.pub").write_text(f"{key}\n", encoding="utf-8")


def parse_key(text: str) -> VerifierKey:
    """The verifier key that a person gave.

    Raises:
        InvalidRequest: it is none.
    """
    try:
        return VerifierKey.parse(text.strip())
    except BadKey as error:
        raise InvalidRequest(f"The given key cannot be used: {error}", details={"field": "key"}) from error


def _trusts(pinned: str, keys: Sequence[str], faults: list[LedgerFault]) -> list[Trust]:
    if keys:
        return [Trust(parse_key(text), "given", None) for text in keys]
    try:
        return [Trust(VerifierKey.parse(pinned), "pinned", None)]
    except BadKey as error:
        faults.append(LedgerFault(0, "key_malformed", f"The pinned key cannot be read: {error}"))
        return [Trust(None, None, None)]


def _fork(chain: ChainResult, notes: Sequence[Checkpoint], trusted: VerifierKey) -> LedgerFault | None:
    """The checkpoint that shows two histories: it does not hold, but another one of the same hand does."""
    keys = {trusted, *(rotation.new for rotation in chain.rotations), *(rotation.old for rotation in chain.rotations)}
    sound = [note for note in notes if note.size <= chain.tree.size and any(note.signed_by(key) for key in keys)]
    other = next((note for note in sound if chain.roots[note.size] != note.root), None)
    holds = [note.size for note in sound if chain.roots[note.size] == note.root]
    if chain.fault is not None or other is None or not holds:
        return None
    detail = (
        f"The writer signed two histories: its checkpoint of {other.size} entries is not of the log "
        f"that its checkpoint of {max(holds)} entries is of."
    )
    return LedgerFault(other.size, "fork", detail)
