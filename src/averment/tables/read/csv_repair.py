"""The slow way through a separated file: line by line, repairing what does not fit, into clean files the engine can
read.

Taken only when the engine's reader could not account for every line. Memory stays small whatever the size of the file.
"""

from __future__ import annotations

import csv
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from averment.errors import SourceAmbiguous
from averment.tables.catalog import Note
from averment.tables.read.csv_records import CsvRecord, Dialect, read_records
from averment.tables.read.row_repair import RowRepairer
from averment.tables.read.sheet_layout import Layout
from averment.tables.read.staging import rows_note
from averment.tables.types.cell_kinds import VALUE_KINDS, kind_of

LOOKAHEAD = 3
MAX_LEARNED = 500
MAX_TABLES = 50

_TEXTS = {
    "mended": "did not fit the columns and were put right by the pattern of the other rows.",
    "short": "have too few cells; the missing ones at the end are empty.",
    "long": "have too many cells; those beyond the last column were left out.",
    "trailing": "have empty cells beyond the last column; these were left out.",
    "quotes": "have quotes that do not obey the rest of the file; they were read as text.",
}
_CODES = {
    "mended": "mended_rows",
    "short": "short_rows",
    "long": "long_rows",
    "trailing": "trailing_cells",
    "quotes": "stray_quotes",
}


@dataclass
class RepairedTable:
    """A clean file of one table, its names, and the rows that were touched."""

    path: Path
    names: list[str | None]
    rows: int = 0
    blank: int = 0
    titles: int = 0
    touched: Counter[str] = field(default_factory=Counter[str])
    where: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def notes(self) -> list[Note]:
        """What was done to the rows."""
        found = [rows_note(_CODES[how], _TEXTS[how], self.where[how], count) for how, count in self.touched.items()]
        if self.blank:
            found.append(Note(code="blank_rows", message=f"{self.blank} blank row(s) were left out."))
        if self.titles:
            message = f"{self.titles} title line(s) between the rows were left out; below one may be another table."
            found.append(Note(code="section_titles", message=message))
        return found


def repair_file(
    path: Path, dialect: Dialect, layout: Layout, sample: list[CsvRecord], start_line: int, work: Path
) -> list[RepairedTable]:
    """Clean files for every table in the file, the first one by the layout found on the sample.

    Raises:
        SourceAmbiguous: most rows do not fit the header, so that the reading itself is in doubt.
    """
    tables: list[RepairedTable] = []
    with path.open("r", encoding="utf-8", newline="") as lines:
        for _ in range(start_line - 1):
            next(lines, None)
        records = _Peekable(read_records(lines, dialect))
        repairer = RowRepairer(dialect, layout.width)
        for record in sample:
            if not record.faulty and not _has_quote(record, dialect):
                repairer.learn(record.cells)
        names = layout.names
        while True:
            table = RepairedTable(work / f"clean_{len(tables)}.csv", names)
            _write_table(table, repairer, records, dialect)
            _refuse_misread(table)
            tables.append(table)
            header = next(records, None)
            if header is None or len(tables) >= MAX_TABLES:
                return tables
            names = list[str | None](cell.strip() for cell in header.cells)
            repairer = RowRepairer(dialect, len(names))


def _write_table(table: RepairedTable, repairer: RowRepairer, records: _Peekable, dialect: Dialect) -> None:
    """Writes records until the file or the table ends; the header of a next table stays unread."""
    waiting_blanks = 0
    with table.path.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.writer(sink, lineterminator="\n")
        while (record := records.peek(0)) is not None:
            if record.blank:
                next(records)
                waiting_blanks += 1
                continue
            if table.rows and _starts_table(record, table.names, records):
                break
            next(records)
            if waiting_blanks and table.rows and _is_title(record, records, repairer.width):
                table.titles += 1
                continue
            if repairer.width == 1:
                # An empty line between two values is a value that is missing, not a gap.
                writer.writerows([""] for _ in range(waiting_blanks))
                table.rows += waiting_blanks
            else:
                table.blank += waiting_blanks
            waiting_blanks = 0
            table.rows += 1
            repaired = repairer.repair(record)
            if repaired.how:
                table.touched[repaired.how] += 1
                if table.touched[repaired.how] <= 20:
                    table.where.setdefault(repaired.how, []).append(table.rows)
            elif repairer.learned < MAX_LEARNED and not _has_quote(record, dialect):
                repairer.learn(repaired.cells)
            writer.writerow(repaired.cells)
    table.blank += waiting_blanks if repairer.width > 1 else 0


def _has_quote(record: CsvRecord, dialect: Dialect) -> bool:
    return bool(dialect.quote) and any(dialect.quote in cell for cell in record.cells)


def _starts_table(record: CsvRecord, names: list[str | None], records: _Peekable) -> bool:
    """Whether the record is the header of another table."""
    if len(record.cells) == len(names) and record.cells[0].strip() != names[0]:
        return False
    cells = [cell.strip() for cell in record.cells]
    width = min(len(cells), len(names))
    if width >= 2:
        same = sum(bool(mine) and mine == (other or "").strip() for mine, other in zip(cells, names, strict=False))
        if same >= max(2, 0.8 * width):
            return True
    if (
        len(cells) < 2
        or len(cells) == len(names)
        or not all(cells)
        or any(kind_of(cell) in VALUE_KINDS for cell in cells)
    ):
        return False
    below = [later for later in (records.peek(ahead) for ahead in range(1, LOOKAHEAD + 1)) if later is not None]
    if len(below) < 2 or any(len(later.cells) != len(cells) for later in below):
        return False
    return any(kind_of(cell) in VALUE_KINDS for later in below for cell in later.cells)


def _is_title(record: CsvRecord, records: _Peekable, width: int) -> bool:
    """Whether a line after a blank one holds one cell alone and names stand below it."""
    if width < 3 or sum(bool(cell.strip()) for cell in record.cells) != 1:
        return False
    below = records.peek(0)
    cells = [cell for cell in below.cells if cell.strip()] if below is not None else []
    return len(cells) >= 3 and not any(kind_of(cell) in VALUE_KINDS for cell in cells)


def _refuse_misread(table: RepairedTable) -> None:
    unfit = table.touched["short"] + table.touched["long"]
    if table.rows >= 4 and unfit > 0.6 * table.rows:
        raise SourceAmbiguous(
            f"{unfit} of {table.rows} rows do not have the {len(table.names)} cells of the header.",
            hint="Set the format, for example with --delimiter ';', or repair the file.",
        )


class _Peekable:
    """Records with a view of the next few."""

    def __init__(self, records: Iterator[CsvRecord]) -> None:
        self._records = records
        self._ahead = deque[CsvRecord]()

    def peek(self, ahead: int) -> CsvRecord | None:
        """The record that comes ``ahead`` places after the next, or None."""
        while len(self._ahead) <= ahead:
            record = next(self._records, None)
            if record is None:
                return None
            self._ahead.append(record)
        return self._ahead[ahead]

    def __iter__(self) -> Iterator[CsvRecord]:
        return self

    def __next__(self) -> CsvRecord:
        if self.peek(0) is None:
            raise StopIteration
        return self._ahead.popleft()
