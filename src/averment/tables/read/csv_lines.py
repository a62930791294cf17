"""From a row of a table back to the line of the text file that it was read from.

The file is walked once more by the same dialect and layout as it was read by. A line number is told only if the walk
comes to exactly as many rows as the table has; else the rows were mended or set apart, and none is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from averment.settings import Settings
from averment.tables.catalog import OpenedSource, TableInfo
from averment.tables.read.csv_dialect import detect_dialect, separator_line
from averment.tables.read.csv_read import read_sample, sample_records
from averment.tables.read.csv_records import Dialect, physical_lines, read_records
from averment.tables.read.encoding import Scan, as_utf8, decide_encoding
from averment.tables.read.sheet_layout import find_layout
from averment.tables.sources.options import ReadOptions
from averment.tables.sources.snapshot import run_job

TEXTS = ("csv", "jsonl")
"""The formats whose rows are lines of a file."""


def find_lines(
    source: OpenedSource, table: TableInfo, path: Path, rows: list[int], *, settings: Settings, options: ReadOptions
) -> dict[int, int]:
    """The line that each of these rows (counted from one) begins on; nothing where the file is no text or unsure.

    The file is read in a process of its own, as everything that comes from outside.
    """
    if source.format not in TEXTS or len(source.tables) != 1 or not rows or source.content_sha256 is None:
        return {}
    job = {
        "task": "lines",
        "format": source.format,
        "path": str(path),
        "sha256": source.content_sha256,
        "options": options.to_dict(),
        "rows": rows,
        "row_count": table.row_count or 0,
    }
    found = run_job(job, settings, size=source.size_bytes or 0)["lines"]
    return {int(row): int(line) for row, line in found.items()}


def lines_of_rows(
    path: Path,
    scan: Scan,
    options: ReadOptions,
    work: Path,
    *,
    lines_of_json: bool,
    rows: frozenset[int],
    row_count: int,
) -> dict[int, int]:
    """The lines on which the rows begin; to be called in a reading process."""
    if lines_of_json:
        with path.open("rb") as file:
            starts = (number for number, line in enumerate(file, start=1) if line.strip(b"\xef\xbb\xbf \t\r\n"))
            return _picked(starts, rows, row_count)
    encoding, _ = decide_encoding(path, scan, options.encoding)
    text_path = as_utf8(path, encoding, work)
    sample, whole = read_sample(text_path)
    dialect, _ = detect_dialect(sample, options, text_path)
    lines = physical_lines(sample)
    if options.delimiter is None and separator_line(sample) is not None:
        lines[0] = lines[0][len(lines[0].rstrip("\r\n")) :]
    records = sample_records(lines, dialect, whole)
    layout = find_layout([record.cells for record in records], header=options.header)
    if layout.data_start >= len(records):
        return {}
    first = records[layout.data_start].line
    with text_path.open("r", encoding="utf-8", newline="") as file:
        for _ in range(first - 1):
            next(file, None)
        starts = _record_starts(file, dialect, first, several=layout.width > 1)
        return _picked(starts, rows, row_count)


def _picked(starts: Iterator[int], rows: frozenset[int], row_count: int) -> dict[int, int]:
    found: dict[int, int] = {}
    number = 0
    for number, line in enumerate(starts, start=1):
        if number in rows:
            found[number] = line
    return found if number == row_count else {}


def _record_starts(lines: Iterator[str], dialect: Dialect, first: int, *, several: bool) -> Iterator[int]:
    """The number of each line on which a record begins that is not blank."""
    if dialect.escape == "\\":
        yield from (first - 1 + record.line for record in read_records(lines, dialect) if not record.blank)
        return
    inside = False
    for number, line in enumerate(lines, start=first):
        marks = line.count(dialect.quote) if dialect.quote else 0
        if not inside:
            left = line.strip(" \t\r\n")
            if several:
                left = left.replace(dialect.delimiter, "").replace(dialect.quote or "\x00", "").strip(" \t")
            if left or marks % 2:
                yield number
        inside = inside != (marks % 2 == 1)
