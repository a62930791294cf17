"""What the writers of one database gathered of their logs: every line once, every checkpoint, and their first keys.

Each writer's own file stays the truth; what lies here is its copy, by which others check. Lines of a writer are always
a beginning of its log without a gap. Nothing is changed or removed here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sqlalchemy import Connection, Select, func, select

from averment.records.base import iso_z, utc_now
from averment.store.db.database import Database
from averment.store.schema.ledgers_tables import LEDGER_CHECKPOINTS, LEDGER_LINES, LEDGER_WRITERS

BATCH = 1_000

Lines: TypeAlias = list[bytes]


@dataclass(frozen=True, slots=True)
class WriterRow:
    """One writer: its host, the public key it was first seen with, and how much was gathered of its log."""

    writer_id: str
    host: str
    key: str
    joined_at: str
    entries: int
    checkpoints: int


class LineRow(NamedTuple):
    """One line of a log, with what it is found by."""

    sequence_number: int
    request_id: str
    line: str


class NoteRow(NamedTuple):
    """One signed checkpoint."""

    size: int
    root: str
    signer: str
    note: str


@dataclass(frozen=True, slots=True)
class CopyState:
    """How many lines of a writer are here now, and at which one it differs from what it brought, if at any."""

    size: int
    differs_at: int | None


class LedgerStore:
    """The gathered logs of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = database.insert

    def join(self, writer_id: str, *, host: str, key: str) -> None:
        """Pin a writer's key at first sight; a writer that is known keeps the key it has."""
        values = {"writer_id": writer_id, "host": host, "key": key, "joined_at": iso_z(utc_now())}
        self._database.change(self._insert(LEDGER_WRITERS).values(values).on_conflict_do_nothing())

    def keep(self, writer_id: str, lines: Sequence[LineRow], notes: Sequence[NoteRow]) -> CopyState:
        """Keep lines that follow each other, and checkpoints over them, all or none; what is here already stays.

        Lines that begin behind a gap are not kept: the caller brings those from ``size`` on. Where a line is here
        already in other bytes, no line is kept, but the checkpoints are: they tell of two histories.
        """
        with self._database.write() as connection:
            self._database.link.lock(connection, f"averment.ledger.{writer_id}")
            size = _size(connection, writer_id)
            if lines and lines[0].sequence_number > size + 1:
                return CopyState(size, None)
            differs_at = _difference(connection, writer_id, lines, size)
            new = [] if differs_at is not None else [line for line in lines if line.sequence_number > size]
            if new:
                rows = [{"writer_id": writer_id, **line._asdict()} for line in new]
                connection.execute(LEDGER_LINES.insert(), rows)
                size = new[-1].sequence_number
            if notes:
                beside = {"writer_id": writer_id, "kept_at": iso_z(utc_now())}
                digests = (hashlib.sha256(note.note.encode()).hexdigest() for note in notes)
                kept = [
                    {**beside, **note._asdict(), "note_sha256": digest}
                    for note, digest in zip(notes, digests, strict=True)
                ]
                connection.execute(self._insert(LEDGER_CHECKPOINTS).on_conflict_do_nothing(), kept)
        return CopyState(size, differs_at)

    def size(self, writer_id: str) -> int:
        """How many lines of a writer are here."""
        with self._database.read() as connection:
            return _size(connection, writer_id)

    def writers(self) -> list[WriterRow]:
        """Every writer, the first to join first."""
        of_writer = LEDGER_WRITERS.c.writer_id
        entries = select(func.max(LEDGER_LINES.c.sequence_number)).where(LEDGER_LINES.c.writer_id == of_writer)
        checkpoints = select(func.count()).where(LEDGER_CHECKPOINTS.c.writer_id == of_writer)
        query = select(
            LEDGER_WRITERS, func.coalesce(entries.scalar_subquery(), 0), checkpoints.scalar_subquery()
        ).order_by(LEDGER_WRITERS.c.joined_at, of_writer)
        return [WriterRow(*row) for row in self._database.tuples(query)]

    def key(self, writer_id: str) -> str | None:
        """The key a writer was first seen with; None for one that is not known."""
        query = select(LEDGER_WRITERS.c.key).where(LEDGER_WRITERS.c.writer_id == writer_id)
        return self._database.value(query)

    def lines(self, writer_id: str, *, from_sequence: int = 1) -> Iterator[bytes]:
        """A writer's lines in order, fetched in pieces."""
        while True:
            query = _lines_of(writer_id).where(LEDGER_LINES.c.sequence_number >= from_sequence).limit(BATCH)
            rows = self._database.tuples(query)
            yield from (str(row.line).encode() for row in rows)
            if len(rows) < BATCH:
                return
            from_sequence = int(rows[-1].sequence_number) + 1

    def page(self, writer_id: str, *, before: int | None, count: int, request_id: str | None) -> Lines:
        """A writer's newest lines below a number, of all requests or of one, the newest first."""
        newest = LEDGER_LINES.c.sequence_number.desc()
        query = select(LEDGER_LINES.c.line).where(LEDGER_LINES.c.writer_id == writer_id).order_by(newest).limit(count)
        if before is not None:
            query = query.where(LEDGER_LINES.c.sequence_number < before)
        if request_id is not None:
            query = query.where(LEDGER_LINES.c.request_id == request_id)
        return [str(line).encode() for line in self._database.scalars(query)]

    def of_request(self, request_id: str) -> dict[str, Lines]:
        """Each writer's lines of one request, in order."""
        query = (
            select(LEDGER_LINES.c.writer_id, LEDGER_LINES.c.line)
            .where(LEDGER_LINES.c.request_id == request_id)
            .order_by(LEDGER_LINES.c.writer_id, LEDGER_LINES.c.sequence_number)
        )
        found: dict[str, Lines] = {}
        with self._database.read() as connection:
            for writer_id, line in connection.execute(query):
                found.setdefault(writer_id, []).append(str(line).encode())
        return found

    def notes(self, writer_id: str) -> list[str]:
        """A writer's checkpoints, the smallest first."""
        query = (
            select(LEDGER_CHECKPOINTS.c.note)
            .where(LEDGER_CHECKPOINTS.c.writer_id == writer_id)
            .order_by(LEDGER_CHECKPOINTS.c.size, LEDGER_CHECKPOINTS.c.note_sha256)
        )
        return [str(note) for note in self._database.scalars(query)]


def _lines_of(writer_id: str) -> Select[int, str]:
    return (
        select(LEDGER_LINES.c.sequence_number, LEDGER_LINES.c.line)
        .where(LEDGER_LINES.c.writer_id == writer_id)
        .order_by(LEDGER_LINES.c.sequence_number)
    )


def _size(connection: Connection, writer_id: str) -> int:
    query = select(func.max(LEDGER_LINES.c.sequence_number)).where(LEDGER_LINES.c.writer_id == writer_id)
    return int(connection.execute(query).scalar() or 0)


def _difference(connection: Connection, writer_id: str, lines: Sequence[LineRow], size: int) -> int | None:
    """Where a line that is here differs from the one that is brought; the newest they share stands for all before."""
    shared = [line for line in lines if line.sequence_number <= size]
    if not shared:
        return None
    here = connection.execute(_lines_of(writer_id).where(LEDGER_LINES.c.sequence_number == shared[-1].sequence_number))
    row = here.first()
    return None if row is not None and row.line == shared[-1].line else shared[-1].sequence_number
