"""Reading a ledger: its entries and its end, with no key and nothing written, for whoever may read the file."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from averment.ledger.disk import refusal
from averment.ledger.entry import GENESIS, LedgerEntry
from averment.ledger.lines import Snapshot, iter_lines, locate, parse_line, read_last_line, snapshot


class LedgerView:
    """A log as it can be read; a writer's is the same file with more to it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self, request_id: str | None = None, from_sequence: int = 1) -> Iterator[LedgerEntry]:
        """The entries that were there when reading began, in order, each checked by itself.

        Raises:
            LedgerCorrupt: a line is no entry.
        """
        mark = b"" if request_id is None else f'"request_id": "{request_id}"'.encode()
        with self.view() as view:
            start = 0 if from_sequence <= 1 else locate(view.descriptor, view.size, from_sequence)
            for _, raw in iter_lines(view.descriptor, start, view.size):
                if mark in raw:
                    line = parse_line(raw)
                    if request_id is None or line.request_id == request_id:
                        yield line.entry()

    def tail(self) -> tuple[int, str]:
        """Number and hash of the last entry; 0 and 64 zeros when there is none.

        Raises:
            LedgerCorrupt: the last line is no entry.
        """
        with self.view() as view:
            last = read_last_line(view.descriptor, view.size)
        if last.end == 0:
            return 0, GENESIS
        line = parse_line(last.raw)
        return line.sequence_number, line.hash

    @contextmanager
    def view(self) -> Generator[Snapshot]:
        """The file as it is now, for reading several things of one moment."""
        try:
            with snapshot(self.path) as view:
                yield view
        except OSError as error:
            raise refusal(error, f"The ledger {self.path.name}") from error
