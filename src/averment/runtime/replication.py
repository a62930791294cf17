"""Gathering: where hosts share a database, what this home's ledger holds is copied there, so that others can check it.

The home's own file stays the truth. A step of a run counts as done only when its entries are gathered, so that whoever
takes the run over sees them and records none of them again. With a database of the home's own nothing is gathered.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from averment.errors import AvermentError, LedgerCorrupt, StoreConflict
from averment.ledger.lines import parse_line
from averment.ledger.tailing import LogPiece, LogTail
from averment.runtime.verification.merged_entries import RULE
from averment.store.replication.ledger_copies import LedgerStore, LineRow, NoteRow

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry
    from averment.ledger.writer import Ledger
    from averment.runtime.step_protocol import Steps
    from averment.store.runs.run_store import RunStore

T = TypeVar("T")
BATCH = 1_000
RECORD = "writer"
"""The kind of the records by which a run knows who wrote about it."""


@dataclass(frozen=True, slots=True)
class WriterPart:
    """What a writer knows when it begins to write about a run.

    ``since_sequence`` is the number before which its own log holds nothing of the run; ``elsewhere`` are the ids of the
    entries that others recorded, each with its number there.
    """

    since_sequence: int
    elsewhere: Mapping[str, int] = field(default_factory=dict[str, int])


class LedgerReplication:
    """One home's ledger on its way into the shared database."""

    def __init__(self, ledger: Ledger, store: LedgerStore, runs: RunStore, writer: str) -> None:
        self.writer = writer
        self.store = store
        self._ledger = ledger
        self._runs = runs
        self._tail: LogTail | None = None
        self._joined = False
        self._lock = threading.Lock()

    def flush(self) -> None:
        """Gather all that the log holds by now; what is gathered already is left as it is.

        Raises:
            LedgerCorrupt: another history of this writer was gathered before.
            StoreUnavailable: the database is away; what is missing is gathered the next time.
        """
        with self._lock:
            tail = self._tail or self._begin()
            while piece := tail.read(BATCH):
                if not self._joined:
                    self.store.join(self.writer, host=socket.gethostname(), key=self._ledger.key.text)
                    self._joined = True
                found = self.store.keep(self.writer, *_rows(piece))
                if found.differs_at is not None:
                    raise self._tell_fork(f"differs from it at entry {found.differs_at}")
                if piece.lines and piece.lines[0][1].sequence_number > found.size + 1:
                    tail.seek(found.size)  # The database was set back: what it lost is brought again.
                    continue
                tail.advance(piece)
            self._tail = tail

    def part_in(self, run_id: str, since_sequence: int, first_writer: str | None) -> WriterPart:
        """Take part in a run: keep, once, from where on this log may speak of it, and learn what others recorded.

        ``since_sequence`` is the number that whoever began the run noted of its own log.
        """
        kept = self._runs.record(run_id, RECORD, self.writer)
        if kept is None:
            following = self._ledger.tail()[0] + 1
            # A run from before the database was shared does not say whose number it noted.
            since = {self.writer: since_sequence, None: min(since_sequence, following)}.get(first_writer, following)
            kept = {"writer": self.writer, "since_sequence": since}
            try:
                self._runs.put(run_id, RECORD, self.writer, kept)
            except StoreConflict:  # Another process of this home was first.
                kept = self._runs.record(run_id, RECORD, self.writer) or kept
        elsewhere = {
            entry.entry_id: entry.sequence_number
            for entries in self.others(run_id).values()
            for entry in entries
            if entry.event_data.get("rule") != RULE  # Each writer seals by its own hand.
        }
        return WriterPart(int(kept["since_sequence"]), elsewhere)

    def others(self, run_id: str) -> dict[str, list[LedgerEntry]]:
        """What the other writers recorded of a run, each by itself checked, in the order of their logs.

        Raises:
            LedgerCorrupt: a gathered line is no entry.
        """
        return {
            writer: [parse_line(line).entry() for line in lines]
            for writer, lines in self.store.of_request(run_id).items()
            if writer != self.writer
        }

    def close(self) -> None:
        """Gather what was signed when the ledger was closed, if anything was gathered here before."""
        with suppress(AvermentError):  # Whoever opens this home next brings it.
            if self._tail is not None:
                self.flush()

    def _begin(self) -> LogTail:
        """Stand before the newest line that is gathered, which then must be the same on both sides."""
        size = self.store.size(self.writer)
        tail = LogTail(self._ledger.path)
        if size:
            tail.seek(size)
        if self._ledger.tail()[0] < size:
            raise self._tell_fork(f"ends before entry {size} of it")
        return tail

    def _tell_fork(self, how: str) -> LedgerCorrupt:
        """The error for a second history, after all that was signed of it was put beside the first one."""
        tail = LogTail(self._ledger.path)
        while piece := tail.read(BATCH):
            self.store.keep(self.writer, (), _rows(piece)[1])
            tail.advance(piece)
        return LedgerCorrupt(
            f"A log of the writer {self.writer} is gathered in the database, and the ledger of this home {how}.",
            hint="Restore the newest log, or move it aside with its .writer file: this home then becomes a new writer.",
            details={"writer": self.writer},
        )


class ReplicatedSteps:
    """Durable steps that count as done only when what they wrote into the ledger is gathered."""

    def __init__(self, steps: Steps, replication: LedgerReplication) -> None:
        self._steps = steps
        self._replication = replication

    def do(self, name: str, function: Callable[..., T], *arguments: Any) -> Awaitable[T]:
        """The function's result, the recorded one if the step was done before."""
        return self._steps.do(name, self._replicated, function, *arguments)

    def _replicated(self, function: Callable[..., T], *arguments: Any) -> T:
        result = function(*arguments)
        self._replication.flush()
        return result


def _rows(piece: LogPiece) -> tuple[Sequence[LineRow], Sequence[NoteRow]]:
    lines = [LineRow(line.sequence_number, line.request_id, raw.decode("ascii")) for raw, line in piece.lines]
    notes = [NoteRow(note.size, note.root_hex, note.signers(), note.note_text) for note in piece.notes]
    return lines, notes
