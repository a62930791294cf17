"""The one way into the ledger: append entries from many threads and processes, seal them, read them back.

Each append waits for the file's lock, checks the last entry, writes all its lines at once, waits for the disk and only
then returns. Threads of one process that wait at the same time share one write.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from averment.errors import AvermentError, InvalidSettings, LedgerUnavailable
from averment.ledger.checkpoint import Checkpoint, parse_checkpoint
from averment.ledger.commit import Committer
from averment.ledger.draft import EntryDraft, PreparedDraft, prepare
from averment.ledger.entry import Actor, EventType, LedgerEntry
from averment.ledger.keys import VerifierKey, check_name
from averment.ledger.lines import iter_lines, locate
from averment.ledger.proof import InclusionProof, prove_consistency, prove_inclusion
from averment.ledger.view import LedgerView

SEAL_EVERY_ENTRIES = 256
SEAL_AFTER_SECONDS = 1.0


@dataclass(slots=True)
class _Ticket:
    """One caller's drafts on their way into the file."""

    drafts: list[PreparedDraft]
    entries: list[LedgerEntry] | None = None
    error: AvermentError | None = None

    @property
    def waits(self) -> bool:
        return self.entries is None and self.error is None


class Ledger(LedgerView):
    """An append-only, hash-chained, signed log, safe for many threads and processes."""

    def __init__(self, committer: Committer, *, seal_after_seconds: float) -> None:
        super().__init__(committer.log.path)
        self._committer = committer
        self._seal_after = seal_after_seconds
        self._closed = False
        self._queue: list[_Ticket] = []
        self._queue_lock = threading.Lock()
        self._turn = threading.Lock()
        self._timer: threading.Timer | None = None
        _OPEN.add(self)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        keys_dir: Path | str,
        origin: str,
        seal_every_entries: int = SEAL_EVERY_ENTRIES,
        seal_after_seconds: float = SEAL_AFTER_SECONDS,
    ) -> Self:
        """The ledger in that file, with its signing key in another folder; both are made on first use.

        Raises:
            InvalidSettings: the key folder lies inside the log's folder, or the origin cannot be a key's name.
            LedgerError: the signing key is readable by others, missing, or not the one that signed this log.
            LedgerUnavailable: the file cannot be opened or locked.
        """
        log, keys = Path(path).absolute(), Path(keys_dir).absolute()
        check_name(origin)
        if keys.resolve().is_relative_to(log.parent.resolve()):
            raise InvalidSettings(
                "The ledger's key folder is inside the log folder.", hint="Set key_dir to a folder outside logs/."
            )
        committer = Committer(
            log, keys_dir=keys, origin=origin, seal_every=seal_every_entries, seal_after=seal_after_seconds
        )
        return cls(committer, seal_after_seconds=seal_after_seconds)

    @property
    def key(self) -> VerifierKey:
        """The public key by which this ledger's checkpoints are checked."""
        return self._committer.key

    def append(
        self,
        *,
        request_id: str,
        event_type: EventType,
        event_data: Mapping[str, Any],
        actor: Actor,
        entry_id: str | None = None,
        since_sequence: int | None = None,
    ) -> LedgerEntry:
        """Record one event and return its entry once the disk has it.

        With an ``entry_id`` that the request has already, that entry is returned and nothing is recorded;
        ``since_sequence`` promises that no earlier entry is of this request, so that less of the log is read.

        Raises:
            InvalidRequest: the event cannot be an entry.
            LedgerCorrupt: the log is broken; nothing is appended to a broken chain.
            DiskFull: no space is left; the log is as before.
            LedgerUnavailable: the log cannot be written.
        """
        draft = EntryDraft(
            request_id=request_id,
            event_type=event_type,
            event_data=event_data,
            actor=actor,
            entry_id=entry_id,
            since_sequence=since_sequence,
        )
        return self.append_many([draft])[0]

    def append_many(self, drafts: Sequence[EntryDraft]) -> list[LedgerEntry]:
        """Record several events next to each other in one write; like ``append`` for each, all or none."""
        ticket = _Ticket([prepare(draft) for draft in drafts])
        if not ticket.drafts:
            return []
        with self._queue_lock:
            self._queue.append(ticket)
        with self._turn:
            # Whoever comes first writes for all who wait; the others find their entries made.
            if ticket.waits:
                self._commit_queue()
        if ticket.error is not None:
            raise ticket.error
        return ticket.entries or []

    def checkpoint(self) -> Checkpoint:
        """A signed checkpoint over every entry, made now unless the newest one covers them all.

        Raises:
            LedgerCorrupt: the log is not what was signed before.
            DiskFull: no space is left for it.
        """
        with self._turn:
            return self._committer.seal()

    def inclusion_proof(self, sequence_number: int) -> InclusionProof:
        """The proof that an entry is under the newest checkpoint, which is made now if entries are not signed yet.

        Raises:
            InvalidRequest: there is no such entry.
        """
        checkpoint = self.checkpoint()
        with self.view() as view:
            return prove_inclusion(view, sequence_number, checkpoint)

    def prove(self, sequence_number: int, note: str) -> dict[str, Any]:
        """An entry's own line and the proof that it is under a checkpoint made earlier, as JSON.

        Raises:
            InvalidRequest: that checkpoint covers no such entry.
        """
        with self.view() as view:
            proof = prove_inclusion(view, sequence_number, parse_checkpoint(note))
            start = locate(view.descriptor, view.size, sequence_number)
            _, line = next(iter_lines(view.descriptor, start, view.size))
        return {"line": line.decode("ascii"), "inclusion": proof.as_dict()}

    def sign(self, message: bytes) -> bytes:
        """A signature by the ledger's key; the message must say what it is, so that it passes for nothing else."""
        return self._committer.sign(message)

    def consistency_proof(self, old_size: int) -> tuple[Checkpoint, list[bytes]]:
        """The newest checkpoint, and the proof that its log begins with the first ``old_size`` entries.

        Raises:
            InvalidRequest: the log is shorter than that.
        """
        checkpoint = self.checkpoint()
        with self.view() as view:
            return checkpoint, prove_consistency(view, old_size, checkpoint)

    def rotate_key(self, reason: str) -> VerifierKey:
        """Replace the signing key, record the change and return the new public key; the old private key is gone.

        A key folder belongs to one ledger: another log that was signed with the same key file could not go on.
        """
        with self._turn:
            self._committer.rotate_key(reason)
            return self.key

    def forget(self, request_id: str) -> None:
        """Free what is kept in memory about a request that has ended."""
        with self._turn:
            self._committer.index.forget(request_id)

    def close(self) -> None:
        """Sign what is not signed yet and let go of the file. A second call does nothing."""
        with self._turn:
            if self._closed:
                return
            self._closed = True
            _OPEN.discard(self)
            if self._timer is not None:
                self._timer.cancel()
            # What cannot be signed now is signed by whoever opens the ledger next.
            with suppress(AvermentError):
                if self._committer.unsealed:
                    self._committer.seal()
            self._committer.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _commit_queue(self) -> None:
        with self._queue_lock:
            tickets, self._queue = self._queue, []
        try:
            for ticket, entries in zip(
                tickets, self._committer.append([ticket.drafts for ticket in tickets]), strict=True
            ):
                ticket.entries = entries
        except AvermentError as error:
            for ticket in tickets:
                ticket.error = type(error)(error.message, hint=error.hint, details=error.details)
                ticket.error.__cause__ = error.__cause__
        finally:
            # An interrupt in this thread must not leave the others without an answer.
            for ticket in tickets:
                if ticket.waits:
                    ticket.error = LedgerUnavailable("The write to the ledger was interrupted.")
        self._schedule_seal()

    def _schedule_seal(self) -> None:
        if self._committer.unsealed and self._timer is None and not self._closed:
            self._timer = threading.Timer(self._seal_after, _seal_later, [weakref.ref(self)])
            self._timer.name = "averment-ledger-seal"
            self._timer.daemon = True
            self._timer.start()

    def seal_on_time(self) -> None:
        """Called when entries have waited long enough: sign them, unless someone has."""
        with self._turn:
            self._timer = None
            # Nobody waits for this checkpoint; what keeps it from being made is told to the next caller.
            with suppress(AvermentError):
                if self._committer.unsealed and not self._closed:
                    self._committer.seal()

    def reset_after_fork(self) -> None:
        """Called in a forked child: own locks, an own descriptor, no timer, and nobody else's drafts."""
        self._queue = []
        self._queue_lock = threading.Lock()
        self._turn = threading.Lock()
        self._timer = None
        self._committer.log.reset_after_fork()


_OPEN: weakref.WeakSet[Ledger] = weakref.WeakSet()


def _seal_later(reference: weakref.ref[Ledger]) -> None:
    ledger = reference()
    if ledger is not None:
        ledger.seal_on_time()


def _reset_all_after_fork() -> None:
    for ledger in list(_OPEN):
        ledger.reset_after_fork()


def _close_all() -> None:
    for ledger in list(_OPEN):
        ledger.close()


os.register_at_fork(after_in_child=_reset_all_after_fork)
atexit.register(_close_all)
