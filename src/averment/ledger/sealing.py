"""Keeping the tree's root at hand and signing it: one checkpoint per call, none twice.

The state of the tree at the newest checkpoint is cached beside the log (``.frontier``), so that a process that opens a
long log reads only what came after. The cache is believed only if its root is the one that the newest checkpoint
signed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from averment.errors import LedgerCorrupt, LedgerError
from averment.ledger.checkpoint import Checkpoint, CheckpointFile, sign_checkpoint
from averment.ledger.disk import replace_file
from averment.ledger.entry import BadLine, canonical, check_line
from averment.ledger.keys import KEY_FILE, NEXT_KEY_FILE, BadKey, SigningKey, VerifierKey, load_or_create
from averment.ledger.lines import iter_lines, read_last_line
from averment.ledger.logfile import LogFile, Tail
from averment.ledger.tree import CompactRange, leaf_hash


@dataclass(frozen=True, slots=True)
class _TreePosition:
    """The tree and the offset up to which it was read; replaced as one, so that no interruption parts them."""

    tree: CompactRange
    offset: int


@dataclass(frozen=True, slots=True)
class _KeyStamp:
    inode: int
    modified: int


class Sealer:
    """The signing side of one log. Its caller holds the log's lock."""

    def __init__(self, log: LogFile, keys_dir: Path, origin: str) -> None:
        self.keys_dir = keys_dir
        self.origin = origin
        self.public_path = log.path.with_name(f"{log.path.name}.pub")
        self.checkpoints = CheckpointFile(log.path.with_name(f"{log.path.name}.checkpoints"), log.keep_aside)
        self._name = log.path.name
        self._frontier_path = log.path.with_name(f"{log.path.name}.frontier")
        self._reached = _TreePosition(CompactRange(), 0)
        self._trusted: Checkpoint | None = None
        self.key = self._first_key()
        self._stamp = self._key_stamp()

    def last(self, tail: Tail) -> Checkpoint | None:
        """The newest checkpoint, which must be ours and must not be ahead of the log.

        Raises:
            LedgerCorrupt: it is signed by another key, or signed entries are missing.
        """
        last = self.checkpoints.last()
        if last is None:
            return None
        if last is not self._trusted:
            self.refresh_key()
            if not last.signed_by(self.key.verifier):
                raise LedgerCorrupt(
                    f"The newest checkpoint of {self._name} is not signed by this ledger's key "
                    f"{self.key.verifier.label}, but by {last.signers()}."
                )
            self._trusted = last
        if last.size > tail.sequence_number:
            raise LedgerCorrupt(
                f"The ledger {self._name} is truncated: it ends at entry {tail.sequence_number}, "
                f"but {last.size} entries were signed.",
                details={"missing_from": tail.sequence_number + 1, "missing_to": last.size},
            )
        return last

    def follow(self, lines: Sequence[bytes], tail: Tail) -> None:
        """Take in lines that were just written behind what the tree has; others are read when a root is needed."""
        if self._reached.tree.size + len(lines) == tail.sequence_number:
            tree = self._reached.tree.copy()
            for line in lines:
                tree.add(leaf_hash(line))
            self._reached = _TreePosition(tree, tail.end)

    def seal(self, descriptor: int, tail: Tail) -> Checkpoint:
        """A checkpoint over all entries: the newest one if nothing came after it, else a new one, kept for ever.

        Raises:
            LedgerCorrupt: the log is not what was signed before.
            DiskFull: no space is left for the checkpoint.
        """
        self.refresh_key()
        last = self.last(tail)
        if last is not None and last.size == tail.sequence_number:
            return last
        self._grow(descriptor, tail, last)
        made = sign_checkpoint(self.key, self._reached.tree.size, self._reached.tree.root())
        self.checkpoints.append(made)
        self._trusted = made
        self._save_frontier()
        return made

    def _grow(self, descriptor: int, tail: Tail, last: Checkpoint | None) -> None:
        """Bring the tree up to the tail, and refuse if it does not pass through the newest checkpoint.

        Raises:
            LedgerCorrupt: the log differs from what was signed, or holds more or fewer lines than its numbers say.
        """
        if last is not None and self._reached.tree.size < last.size:
            self._adopt_frontier(descriptor, last)
        tree = self._reached.tree.copy()
        for _, raw in iter_lines(descriptor, self._reached.offset, tail.end):
            tree.add(leaf_hash(raw))
            if last is not None and tree.size == last.size and tree.root() != last.root:
                raise LedgerCorrupt(
                    f"The first {last.size} entries of {self._name} differ from the entries that were signed."
                )
        if tree.size != tail.sequence_number:
            raise LedgerCorrupt(
                f"The ledger {self._name} has {tree.size} lines, but its last entry is number {tail.sequence_number}."
            )
        self._reached = _TreePosition(tree, tail.end)

    def refresh_key(self) -> None:
        """Take up a key that another process put in place."""
        stamp = self._key_stamp()
        if stamp != self._stamp:
            self.key = SigningKey.load(self.keys_dir / KEY_FILE, self.origin)
            self._stamp = stamp

    def publish(self, key: VerifierKey) -> None:
        """Put the verifier key beside the log."""
        replace_file(self.public_path, f"{key.text}\n".encode())

    def published(self) -> VerifierKey | None:
        """The verifier key beside the log, if there is one.

        Raises:
            LedgerCorrupt: the file holds something else.
        """
        try:
            return VerifierKey.parse(self.public_path.read_text(encoding="utf-8").removesuffix("\n"))
        except FileNotFoundError:
            return None
        except (BadKey, UnicodeDecodeError) as error:
            raise LedgerCorrupt(f"The file {self.public_path.name} does not contain a verifier key.") from error

    def _first_key(self) -> SigningKey:
        """The key of this log: a log that was signed before is never given a new key by accident."""
        published, last = self.published(), self.checkpoints.last()
        try:
            if published is None and last is None:
                key = load_or_create(self.keys_dir, self.origin)
            else:
                key = SigningKey.load(self.keys_dir / KEY_FILE, self.origin)
        except FileNotFoundError as error:
            raise self._wrong_key("is missing") from error
        if self.rotation_pending:
            return key
        if published is not None and published != key.verifier:
            raise self._wrong_key(f"is {key.verifier.label}, but the log names {published.label}")
        if published is None:
            if last is not None and not last.signed_by(key.verifier):
                raise self._wrong_key(f"is {key.verifier.label}, but the log was signed by {last.signers()}")
            self.publish(key.verifier)
        return key

    @property
    def rotation_pending(self) -> bool:
        """Whether a change of keys was begun and not ended."""
        return (self.keys_dir / NEXT_KEY_FILE).exists()

    def _wrong_key(self, what: str) -> LedgerError:
        return LedgerError(
            f"The signing key of {self._name} {what}.",
            hint=f"Restore {KEY_FILE} from a backup and keep the ledger's name, or move the log aside to start over.",
        )

    def _key_stamp(self) -> _KeyStamp:
        found = (self.keys_dir / KEY_FILE).stat()
        return _KeyStamp(found.st_ino, found.st_mtime_ns)

    def _save_frontier(self) -> None:
        state = {
            "hashes": [digest.hex() for digest in self._reached.tree.hashes],
            "offset": self._reached.offset,
            "size": self._reached.tree.size,
        }
        # Only a cache: a lost or stale one costs time, nothing else.
        with suppress(OSError):
            replace_file(self._frontier_path, canonical(state).encode(), durable=False)

    def _adopt_frontier(self, descriptor: int, last: Checkpoint) -> None:
        with suppress(OSError, ValueError, KeyError, TypeError, BadLine):
            state = json.loads(self._frontier_path.read_bytes())
            tree = CompactRange(int(state["size"]), [bytes.fromhex(digest) for digest in state["hashes"]])
            offset = int(state["offset"])
            if tree.size != last.size or tree.root() != last.root or os.fstat(descriptor).st_size < offset:
                return
            before = read_last_line(descriptor, offset)
            if before.end == offset and check_line(before.raw).sequence_number == tree.size:
                self._reached = _TreePosition(tree, offset)
