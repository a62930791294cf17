"""Changing the signing key so that whoever trusts the old one can trust the new one.

The change is an entry. The old key signs the log up to and with that entry, which puts the new key in force, and the
new key signs the same entries at once. Every step can be taken up again after a crash: as long as ``ledger.key.next``
exists, the change is not finished.
"""

from __future__ import annotations

from contextlib import suppress

from averment.errors import LedgerError
from averment.ledger.checkpoint import Checkpoint, parse_checkpoint, sign_checkpoint, split_notes
from averment.ledger.draft import PreparedDraft, system_draft
from averment.ledger.keychain import ROTATION_RULE, Rotation, rotation_of
from averment.ledger.keys import KEY_FILE, NEXT_KEY_FILE, SigningKey, sync_folder
from averment.ledger.lines import iter_lines, parse_line
from averment.ledger.logfile import Tail
from averment.ledger.sealing import Sealer
from averment.ledger.tree import CompactRange, leaf_hash


def begin_rotation(sealer: Sealer, reason: str) -> PreparedDraft:
    """Put a next key in place and give the entry that announces it.

    Raises:
        LedgerError: a change of keys is under way already.
    """
    following = SigningKey.generate(sealer.origin)
    if not following.save_new(sealer.keys_dir / NEXT_KEY_FILE):
        raise LedgerError("The signing key is already being changed.", hint="Try again in a moment.")
    return system_draft(
        decision="key_rotated",
        rule=ROTATION_RULE,
        reason=reason,
        old_key=sealer.key.verifier.text,
        new_key=following.verifier.text,
    )


def finish_rotation(sealer: Sealer, descriptor: int, tail: Tail) -> None:
    """Carry a change of keys that was begun to its end, or undo it if no entry announced it."""
    path = sealer.keys_dir / NEXT_KEY_FILE
    try:
        following = SigningKey.load(path, sealer.origin)
    except FileNotFoundError:
        return
    found = _announced(descriptor, tail, following)
    if found is None:
        path.unlink()
        return
    rotation, root = found
    present = _checkpoints_at(sealer, rotation.sequence_number)
    for key in (sealer.key, following):
        if not any(checkpoint.signed_by(key.verifier) for checkpoint in present):
            sealer.checkpoints.append(sign_checkpoint(key, rotation.sequence_number, root))
    sealer.publish(following.verifier)
    path.replace(sealer.keys_dir / KEY_FILE)
    sync_folder(sealer.keys_dir)
    sealer.refresh_key()


def _announced(descriptor: int, tail: Tail, following: SigningKey) -> tuple[Rotation, bytes] | None:
    """The entry that names the next key, and the tree's root at that entry."""
    tree = CompactRange()
    mark = ROTATION_RULE.encode("ascii")
    for _, raw in iter_lines(descriptor, 0, tail.end):
        tree.add(leaf_hash(raw))
        if mark in raw:
            line = parse_line(raw)
            rotation = rotation_of(line.sequence_number, line.request_id, line.event_type, line.event_data)
            if rotation is not None and rotation.new == following.verifier:
                return rotation, tree.root()
    return None


def _checkpoints_at(sealer: Sealer, size: int) -> list[Checkpoint]:
    with suppress(FileNotFoundError):
        notes, _ = split_notes(sealer.checkpoints.path.read_text(encoding="utf-8"))
        return [found for found in map(parse_checkpoint, notes) if found.size == size]
    return []
