"""What happens under the lock: check the end of the log, make entries, write them, seal when it is time.

One thread at a time calls a ``Committer``; other processes are kept out by the file's lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from averment.errors import AvermentError
from averment.ledger.checkpoint import Checkpoint
from averment.ledger.disk import refusal
from averment.ledger.draft import PreparedDraft, system_draft
from averment.ledger.entry import LedgerEntry, build_entry
from averment.ledger.index import RequestIndex
from averment.ledger.keys import VerifierKey
from averment.ledger.lines import parse_line, snapshot
from averment.ledger.logfile import LogFile, Tail, TornTail
from averment.ledger.rotation import begin_rotation, finish_rotation
from averment.ledger.sealing import Sealer

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
