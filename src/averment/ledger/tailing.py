"""Following a log from outside: which lines and checkpoints came since the last look.

Nothing is remembered but a position, which moves only when the caller says that what it was shown is safe elsewhere.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from averment.errors import LedgerCorrupt
from averment.ledger.checkpoint import BadNote, Checkpoint, parse_checkpoint, split_notes
from averment.ledger.disk import refusal
from averment.ledger.entry import CheckedLine
from averment.ledger.lines import Snapshot, iter_lines, locate, parse_line, snapshot


class _Position(NamedTuple):
    """Behind which line and which checkpoint one stands: the line's number, and both files' offsets."""

    sequence_number: int
    line_end: int
    note_end: int


@dataclass(frozen=True, slots=True)
class LogPiece:
    """Lines that follow each other, each with its fields, and the checkpoints over lines up to the last of them."""

    lines: tuple[tuple[bytes, CheckedLine], ...]
    notes: tuple[Checkpoint, ...]
    end: _Position

    def __bool__(self) -> bool:
        return bool(self.lines or self.notes)


class LogTail:
    """One log as seen by one who reads it bit by bit."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._notes = log.with_name(f"{log.name}.checkpoints")
        self._at = _Position(0, 0, 0)
        self._least = 0

    def seek(self, sequence_number: int) -> None:
        """Stand before that entry; of the checkpoints those count that end there or later."""
        with _view(self._log) as view:
            place = locate(view.descriptor, view.size, sequence_number) if sequence_number > 1 else 0
        self._at, self._least = _Position(max(0, sequence_number - 1), place, 0), sequence_number

    def read(self, limit: int) -> LogPiece:
        """What follows the position, at most ``limit`` lines of it.

        Raises:
            LedgerCorrupt: a line is no entry, or a checkpoint is none.
            LedgerUnavailable: the log cannot be read.
        """
        with _view(self._log) as view:
            lines, line_end = self._read_lines(view, limit)
            last = lines[-1][1].sequence_number if lines else self._at.sequence_number
            notes, note_end = self._read_notes(last)
        return LogPiece(tuple(lines), tuple(notes), _Position(last, line_end, note_end))

    def advance(self, piece: LogPiece) -> None:
        """Stand behind a piece that was read here."""
        self._at = piece.end

    def _read_lines(self, view: Snapshot, limit: int) -> tuple[list[tuple[bytes, CheckedLine]], int]:
        found: list[tuple[bytes, CheckedLine]] = []
        end = self._at.line_end
        for offset, raw in iter_lines(view.descriptor, end, view.size):
            if len(found) == limit:
                break
            found.append((raw, parse_line(raw)))
            end = offset + len(raw) + 1
        return found, end

    def _read_notes(self, last: int) -> tuple[list[Checkpoint], int]:
        """The checkpoints that follow, up to the first one that speaks of more lines than were read."""
        found: list[Checkpoint] = []
        end = self._at.note_end
        try:
            with self._notes.open("rb") as file:
                file.seek(end)
                texts, _ = split_notes(file.read().decode("utf-8"))
            for text in texts:
                note = parse_checkpoint(text)
                if note.size > last:
                    break
                end += len(text.encode()) + 1
                if note.size >= self._least:
                    found.append(note)
        except FileNotFoundError:
            return [], end
        except (BadNote, UnicodeDecodeError) as error:
            raise LedgerCorrupt(f"A note of {self._notes.name} is not a checkpoint.") from error
        return found, end


@contextmanager
def _view(log: Path) -> Generator[Snapshot]:
    try:
        with snapshot(log) as view:
            yield view
    except OSError as error:
        raise refusal(error, f"The ledger {log.name}") from error
