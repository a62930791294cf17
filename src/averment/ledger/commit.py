"""What happens under the lock: check the end of the log, make entries, write them, seal when it is time.

One thread at a time calls a ``Committer``; other processes are kept out by the file's lock.
"""

from __future__ import annotations

import json
import os
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from averment.errors import AvermentError, LedgerCorrupt, LedgerError
from averment.ledger.checkpoint import Checkpoint, CheckpointFile, parse_checkpoint, sign_checkpoint, split_notes
from averment.ledger.disk import refusal, replace_file
from averment.ledger.draft import PreparedDraft, system_draft
from averment.ledger.entry import BadLine, LedgerEntry, build_entry, canonical, check_line
from averment.ledger.keychain import ROTATION_RULE, Rotation, rotation_of
from averment.ledger.keys import KEY_FILE, NEXT_KEY_FILE, BadKey, SigningKey, VerifierKey, load_or_create, sync_folder
from averment.ledger.lines import iter_lines, locate, parse_line, read_last_line, snapshot
from averment.ledger.logfile import LogFile, Tail, TornTail
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


MAX_WATCHED = 1024

Place = tuple[int, int]
"""Offset and length of a line."""


@dataclass(slots=True)
class _Watch:
    since: int
    begin: int
    places: dict[str, Place] = field(default_factory=dict[str, Place])


class RequestIndex:
    """The places of entries by request and entry id, as far as the log was read."""

    def __init__(self) -> None:
        self._watched: OrderedDict[str, _Watch] = OrderedDict()
        self._position = 0

    def knows(self, request_id: str, since_sequence: int) -> bool:
        """Whether the request is watched from that number on or an earlier one."""
        watch = self._watched.get(request_id)
        return watch is not None and watch.since <= since_sequence

    def watch(self, descriptor: int, end: int, request_id: str, since_sequence: int) -> None:
        """Know the request's entries from that number on, up to where the index has read."""
        if not self._watched:
            # Nobody needs what lies before: begin to read at the end.
            self._position = end
        watch = self._watched.get(request_id) or _Watch(since=since_sequence, begin=self._position)
        begin = 0 if since_sequence == 1 else locate(descriptor, end, since_sequence)
        if begin < watch.begin:
            watch.places.update(_scan(descriptor, begin, watch.begin, request_id))
            watch.begin = begin
        watch.since = min(watch.since, since_sequence)
        # Only a request whose entries were all read is watched: a broken line must not pass for "not there".
        self._watched[request_id] = watch
        self._watched.move_to_end(request_id)
        while len(self._watched) > MAX_WATCHED:
            self._watched.popitem(last=False)

    def catch_up(self, descriptor: int, end: int) -> None:
        """Read what was appended since; the caller holds the lock, and ``end`` is the end of the last entry."""
        if not self._watched or self._position >= end:
            self._position = end
            return
        for offset, raw in iter_lines(descriptor, self._position, end):
            # Sorted keys put the request behind event_data, so its last mention is the entry's own.
            place = raw.rfind(b'"request_id": "')
            watch = self._watched.get(raw[place + 15 : place + 51].decode("ascii", "replace"))
            if watch is not None:
                watch.places[parse_line(raw).entry_id] = (offset, len(raw))
        self._position = end

    def find(self, request_id: str, entry_id: str) -> Place | None:
        """Where the entry is, if it is there."""
        watch = self._watched.get(request_id)
        return watch.places.get(entry_id) if watch is not None else None

    def add(self, entry: LedgerEntry, offset: int, length: int) -> None:
        """Take note of an entry that this process just appended at the reading position."""
        watch = self._watched.get(entry.request_id)
        if watch is not None:
            watch.places[entry.entry_id] = (offset, length)
        self._position = offset + length + 1

    def forget(self, request_id: str) -> None:
        """Stop watching a request that has ended."""
        self._watched.pop(request_id, None)


def _scan(descriptor: int, start: int, end: int, request_id: str) -> dict[str, Place]:
    mark = f'"request_id": "{request_id}"'.encode("ascii")
    return {
        parse_line(raw).entry_id: (offset, len(raw))
        for offset, raw in iter_lines(descriptor, start, end)
        if mark in raw[-200:]
    }


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


RECOVERY_RULE = "LEDGER-TORN-TAIL"


class Committer:
    """The writing side of one log."""

    def __init__(self, path: Path, *, keys_dir: Path, origin: str, seal_every: int, seal_after: float) -> None:
        self.log = LogFile(path)
        self.index = RequestIndex()
        self._seal_every = seal_every
        self._seal_after = seal_after
        self._unsealed_since: float | None = None
        with self.log.exclusive():
            self._sealer = Sealer(self.log, keys_dir, origin)

    def sign(self, message: bytes) -> bytes:
        """A signature by the key in force."""
        return self._sealer.key.sign(message)

    @property
    def key(self) -> VerifierKey:
        """The public half of the signing key in use."""
        return self._sealer.key.verifier

    @property
    def unsealed(self) -> bool:
        """Whether entries of this process wait for a checkpoint."""
        return self._unsealed_since is not None

    def append(self, batches: Sequence[Sequence[PreparedDraft]]) -> list[list[LedgerEntry]]:
        """The entries of each batch, on disk; those whose id is there already are the ones that are there.

        Raises:
            LedgerCorrupt: the log is broken.
            DiskFull: no space is left; the log is as before.
            LedgerUnavailable: the log cannot be written.
        """
        self._watch(batches)
        with self.log.exclusive() as descriptor:
            tail, torn = self._read_tail(descriptor)
            last = self._sealer.last(tail)
            entries, tail = self._write(descriptor, tail, torn, batches)
            self._seal_if_due(descriptor, tail, last)
        return entries

    def seal(self) -> Checkpoint:
        """A checkpoint over every entry, made now unless the newest one covers them all."""
        with self.log.exclusive() as descriptor:
            tail, _ = self._read_tail(descriptor)
            return self._seal(descriptor, tail)

    def rotate_key(self, reason: str) -> None:
        """Replace the signing key and record the change."""
        with self.log.exclusive() as descriptor:
            tail, torn = self._read_tail(descriptor)
            self._seal(descriptor, tail)
            announcement = begin_rotation(self._sealer, reason)
            _, tail = self._write(descriptor, tail, torn, [[announcement]])
            finish_rotation(self._sealer, descriptor, tail)

    def _read_tail(self, descriptor: int) -> tuple[Tail, TornTail | None]:
        tail, torn = self.log.read_tail(descriptor)
        if self._sealer.rotation_pending:
            # A process died while it changed the key; until that is settled nobody can tell which key signs.
            finish_rotation(self._sealer, descriptor, tail)
        return tail, torn

    def _seal(self, descriptor: int, tail: Tail) -> Checkpoint:
        sealed = self._sealer.seal(descriptor, tail)
        self._unsealed_since = None
        return sealed

    def _seal_if_due(self, descriptor: int, tail: Tail, last: Checkpoint | None) -> None:
        unsealed = tail.sequence_number - (last.size if last is not None else 0)
        if unsealed == 0:
            return
        now = time.monotonic()
        if self._unsealed_since is None:
            self._unsealed_since = now
        if unsealed >= self._seal_every or now - self._unsealed_since >= self._seal_after:
            # The entries are safe already, so a checkpoint that cannot be made now is made later.
            with suppress(AvermentError):
                self._seal(descriptor, tail)

    def _write(
        self, descriptor: int, tail: Tail, torn: TornTail | None, batches: Sequence[Sequence[PreparedDraft]]
    ) -> tuple[list[list[LedgerEntry]], Tail]:
        self.index.catch_up(descriptor, tail.end)
        if torn is not None:
            self.log.put_torn_aside(descriptor, torn)
        lines = _Lines(tail)
        if torn is not None:
            lines.add(_recovery(torn))
        made: list[list[LedgerEntry]] = []
        for batch in batches:
            made.append([self._present(descriptor, draft) or lines.add(draft) for draft in batch])
        if lines.raw:
            end = tail.end
            self.log.write(descriptor, b"".join(line + b"\n" for line in lines.raw), lines.tail)
            self._sealer.follow(lines.raw, lines.tail)
            for entry, raw in zip(lines.entries, lines.raw, strict=True):
                self.index.add(entry, end, len(raw))
                end += len(raw) + 1
        return made, lines.tail

    def _present(self, descriptor: int, draft: PreparedDraft) -> LedgerEntry | None:
        place = self.index.find(draft.request_id, draft.entry_id) if draft.idempotent else None
        if place is None:
            return None
        return parse_line(os.pread(descriptor, place[1], place[0])).entry()

    def _watch(self, batches: Sequence[Sequence[PreparedDraft]]) -> None:
        """Read what is needed to know the requests' entries before the lock is taken: it may be a long file."""
        wanted: dict[str, int] = {}
        for draft in (draft for batch in batches for draft in batch if draft.idempotent):
            if not self.index.knows(draft.request_id, draft.since_sequence):
                earlier = wanted.get(draft.request_id, draft.since_sequence)
                wanted[draft.request_id] = min(earlier, draft.since_sequence)
        if wanted:
            try:
                with snapshot(self.log.path) as view:
                    for request_id, since in wanted.items():
                        self.index.watch(view.descriptor, view.size, request_id, since)
            except FileNotFoundError:
                return
            except OSError as error:
                raise refusal(error, f"The ledger {self.log.path.name}") from error


class _Lines:
    """Entries in the making: each one follows the one before."""

    def __init__(self, tail: Tail) -> None:
        self.tail = tail
        self.raw: list[bytes] = []
        self.entries: list[LedgerEntry] = []
        self._made: dict[tuple[str, str], LedgerEntry] = {}
        # Clocks may be set back; the order of entries may not.
        self._timestamp = max(
            datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"), tail.timestamp
        )

    def add(self, draft: PreparedDraft) -> LedgerEntry:
        """The entry of a draft; the same one again for the same id."""
        if (made := self._made.get((draft.request_id, draft.entry_id))) is not None:
            return made
        entry, raw = build_entry(
            entry_id=draft.entry_id,
            request_id=draft.request_id,
            sequence_number=self.tail.sequence_number + 1,
            parent_hash=self.tail.hash,
            timestamp=self._timestamp,
            event_type=draft.event_type,
            event_data=draft.event_data,
            actor=draft.actor,
        )
        self.tail = Tail(entry.sequence_number, entry.hash, entry.timestamp, self.tail.end + len(raw) + 1, raw)
        self.raw.append(raw)
        self.entries.append(entry)
        self._made[draft.request_id, draft.entry_id] = entry
        return entry


def _recovery(torn: TornTail) -> PreparedDraft:
    return system_draft(
        decision="log_recovered",
        rule=RECOVERY_RULE,
        reason="an unfinished last line, never acknowledged, was moved aside",
        torn_bytes=len(torn.data),
        torn_sha256=torn.sha256,
    )
