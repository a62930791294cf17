"""A separated text file becomes one or more staged tables of text.

The sample at the head of the file settles encoding, dialect and layout. Then the engine reads the rows; only if it
cannot account for every line does the file go the slow way, record by record.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import InvalidFileType, SourceAmbiguous, SourceEmpty, SourceUnreadable
from averment.tables.catalog import Note
from averment.tables.engines.backend import quote_text
from averment.tables.read.csv_dialect import detect_dialect, separator_line
from averment.tables.read.csv_load import PARALLEL_FROM, CsvBody, copy_body, load_text, took_every_line
from averment.tables.read.csv_records import CsvRecord, Dialect, physical_lines, read_records, readings, split_line
from averment.tables.read.csv_repair import repair_file
from averment.tables.read.encoding import Scan, as_utf8, decide_encoding
from averment.tables.read.row_repair import OTHER_DELIMITERS
from averment.tables.read.sheet_layout import Layout, find_layout
from averment.tables.read.staging import StagedTable
from averment.tables.sources.options import ReadOptions
from averment.tables.types.cell_kinds import VALUE_KINDS, kind_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SAMPLE_CHARS = 262_144
MAX_SAMPLE_CHARS = 33_554_432
MIN_SAMPLE_LINES = 10
MAX_COLUMNS = 5_000
SAMPLE_RECORDS = 400
COMPARED_ROWS = 100


def stage_csv(
    connection: DuckDBPyConnection, path: Path, scan: Scan, options: ReadOptions, work: Path
) -> list[StagedTable]:
    """The tables of a CSV file as text.

    Raises:
        SourceEmpty, InvalidFileType, NoHeaders, SourceAmbiguous, SourceUnreadable: it cannot be read for certain.
    """
    if scan.size == 0:
        raise SourceEmpty(f"{path.name} has 0 bytes.")
    encoding, notes = decide_encoding(path, scan, options.encoding)
    text_path = as_utf8(path, encoding, work)
    sample, whole = read_sample(text_path)
    if not sample.strip(" \t\r\n\ufeff"):
        raise SourceEmpty(f"{path.name} contains only blank lines.")
    _refuse_json(path, sample, whole)
    dialect, opinions = detect_dialect(sample, options, text_path)
    notes += opinions
    if not dialect.delimiter and options.delimiter is None:
        notes += _doubt_single_column(sample)
    lines = physical_lines(sample)
    if options.delimiter is None and separator_line(sample) is not None:
        lines[0] = lines[0][len(lines[0].rstrip("\r\n")) :]
        notes.append(
            Note(code="separator_line", message="The first line names the delimiter; it was honoured and left out.")
        )
    records = sample_records(lines, dialect, whole)
    layout = find_layout([record.cells for record in records], header=options.header)
    notes += layout.notes
    data = [record for record in records[layout.data_start :] if len(record.cells) == layout.width]
    odd = scan.control > 0 or scan.escape > 0
    if layout.data_start >= len(records):
        connection.execute(_empty_table("stage_0", layout.width))
        return [StagedTable("data", "stage_0", layout.names, notes, [None] * layout.width, dialect.delimiter, odd)]
    start_line = records[layout.data_start].line
    header_touched = any(record.faulty for record in records[: layout.data_start])
    if header_touched:
        message = "A line of the header does not obey the rest of the file (a stray quote or another delimiter)."
        notes.append(Note(code="header_mended", message=message))
    if _may_load_plainly(scan, encoding, dialect, records[layout.data_start :], layout):
        line_end = "\r\n" if scan.crlf else "\r" if scan.cr else "\n"
        offset = len("".join(lines[: start_line - 1]).encode())
        if _sep_removed(lines, sample):
            offset += len(physical_lines(sample)[0].rstrip("\r\n").encode())
        body = copy_body(text_path, offset, line_end, dialect.quote, work / "body.csv")
        staged = _load_plainly(connection, body, dialect, layout, data)
        if staged is not None:
            return [replace(staged, notes=notes + staged.notes, odd_characters=odd)]
    return _load_repaired(connection, text_path, dialect, layout, data, start_line, work, notes, odd)


def _sep_removed(lines: list[str], sample: str) -> bool:
    return "".join(lines) != sample


def read_sample(path: Path) -> tuple[str, bool]:
    """The head of the text, cut at a line end, and whether it is all of it."""
    with path.open("r", encoding="utf-8", newline="") as file:
        text = file.read(SAMPLE_CHARS)
        # Very long lines: go on until there are rows to look at.
        while len(text) < MAX_SAMPLE_CHARS and text.count("\n") + text.count("\r") < MIN_SAMPLE_LINES:
            more = file.read(max(SAMPLE_CHARS, len(text)))
            if not more:
                return text, True
            text += more
        rest = file.read(1)
    if not rest:
        return text, True
    cut = max(text.rfind("\n"), text.rfind("\r"))
    return (text[: cut + 1] if cut > 0 else text), False


def _refuse_json(path: Path, sample: str, whole: bool) -> None:
    if not whole or sample.lstrip()[:1] not in ("{", "["):
        return
    import orjson

    try:
        orjson.loads(sample)
    except orjson.JSONDecodeError:
        return
    raise InvalidFileType(f"{path.name} has the extension of separated text but contains JSON.")


def _doubt_single_column(sample: str) -> list[Note]:
    """A note when most lines of a single column hold a delimiter; if the first line does too, it is no single column.

    Raises:
        SourceAmbiguous: the lines have cells but not equally many.
    """
    lines = [re.sub(r'"[^"]*"', "", line) for line in physical_lines(sample) if line.strip()][:SAMPLE_RECORDS]
    for delimiter in (",", ";", "\t", "|"):
        holding = sum(delimiter in line for line in lines)
        if len(lines) < 3 or holding < 0.5 * len(lines):
            continue
        if delimiter in lines[0]:
            raise SourceAmbiguous(
                f"The lines are separated by {delimiter!r}, but have different numbers of cells.",
                hint="Set the format, for example with --delimiter ';', or repair the file.",
            )
        return [Note(code="one_column", message=f"Read as one column; most lines hold {delimiter!r} all the same.")]
    return []


def sample_records(lines: list[str], dialect: Dialect, whole: bool) -> list[CsvRecord]:
    """The first records; a faulty one is shown in the reading that has the commonest width."""
    records = list(islice(read_records(lines, dialect), SAMPLE_RECORDS))
    if not whole and len(records) > 1 and len(records) < SAMPLE_RECORDS:
        records.pop()
    if any(len(record.cells) > MAX_COLUMNS for record in records):
        raise SourceUnreadable(
            f"A line has more than {MAX_COLUMNS} cells.", hint="Reshape the table to one row per cell."
        )
    widths = [len(record.cells) for record in records if not record.faulty and not record.blank]
    usual = max(set(widths), key=lambda width: (widths.count(width), -widths.index(width))) if widths else 0
    return [_repair_record(record, dialect, usual, first=index < 5) for index, record in enumerate(records)]


def _repair_record(record: CsvRecord, dialect: Dialect, usual: int, *, first: bool) -> CsvRecord:
    """The record in the reading that has the usual width and the fewest stray quotes; else as it is."""
    if not record.faulty and (len(record.cells) == usual or record.blank):
        return record
    quote = dialect.quote
    ways: list[list[str]] = []
    if quote and quote in record.raw:
        ways = readings(record.raw, dialect) + readings(record.raw, dialect, restart=True)
    fitting = sorted((way for way in ways if len(way) == usual), key=lambda way: sum(cell.count(quote) for cell in way))
    if not fitting and first and len(record.cells) < usual:
        fitting = _in_another_delimiter(record, dialect, usual)
    return record._replace(cells=fitting[0], faulty=True) if fitting else record


def _in_another_delimiter(record: CsvRecord, dialect: Dialect, usual: int) -> list[list[str]]:
    """A header line that alone keeps its names apart by another delimiter."""
    found: list[list[str]] = []
    for delimiter in OTHER_DELIMITERS:
        cells = split_line(record.raw, replace(dialect, delimiter=delimiter))
        if delimiter == dialect.delimiter or not isinstance(cells, list) or len(cells) != usual:
            continue
        if not any(kind_of(cell) in VALUE_KINDS for cell in cells):
            found.append(cells)
    return found


def _may_load_plainly(scan: Scan, encoding: str, dialect: Dialect, data: list[CsvRecord], layout: Layout) -> bool:
    # The engine's reader knows backslashes inside quotes only, and one kind of line end.
    if (
        scan.mixed_line_ends
        or dialect.escape == "\\"
        or encoding == "mixed"
        or encoding.startswith(("utf-16", "utf-32"))
    ):
        return False
    return all(not record.faulty and (record.blank or len(record.cells) == layout.width) for record in data)


def _load_plainly(
    connection: DuckDBPyConnection, body: CsvBody, dialect: Dialect, layout: Layout, data: list[CsvRecord]
) -> StagedTable | None:
    """The staged table, or None when the engine's reader did not take every line as it stands."""
    import duckdb

    relation, width = "stage_0", layout.width
    try:
        load_text(connection, relation, body, dialect, width)
    except duckdb.Error:
        return None
    if not took_every_line(connection, relation, body, dialect, width):
        return None
    filled = [record.cells for record in data if not record.blank][:COMPARED_ROWS]
    notes: list[Note] = []
    if width > 1:
        dropped = connection.execute(f"DELETE FROM {relation} WHERE {_blank(width)}").fetchone()
        if dropped and dropped[0] and body.path.stat().st_size < PARALLEL_FROM:
            # Gaps between the rows: look at what stands around them, record by record.
            return None
        if dropped and dropped[0]:
            notes.append(Note(code="blank_rows", message=f"{dropped[0]} blank row(s) were left out."))
        got = connection.execute(f"SELECT * FROM {relation} LIMIT {len(filled)}").fetchall()
        if [[(cell or "").strip() for cell in row] for row in got] != [
            [cell.strip() for cell in row] for row in filled
        ]:
            return None
        if not layout.generated and _repeats_header(connection, relation, layout.names):
            return None
    return StagedTable("data", relation, layout.names, notes, [None] * width, dialect.delimiter)


def _blank(width: int) -> str:
    """The test for a row of white space; the quick half comes first, since it settles nearly every row."""
    quick = " AND ".join(f"(c{index} IS NULL OR c{index} < '!')" for index in range(width))
    sure = " AND ".join(
        f"coalesce(trim(c{index}, chr(32) || chr(9) || chr(10) || chr(13)), '') = ''" for index in range(width)
    )
    return f"{quick} AND {sure}"


def _repeats_header(connection: DuckDBPyConnection, relation: str, names: list[str | None]) -> bool:
    tests = " AND ".join(f"trim(c{index}) = {quote_text(name)}" for index, name in enumerate(names) if name)
    if not tests:
        return False
    row = connection.execute(f"SELECT count(*) FROM {relation} WHERE {tests}").fetchone()
    return bool(row and row[0])


def _load_repaired(
    connection: DuckDBPyConnection,
    path: Path,
    dialect: Dialect,
    layout: Layout,
    sample: list[CsvRecord],
    start_line: int,
    work: Path,
    notes: list[Note],
    odd: bool,
) -> list[StagedTable]:
    staged: list[StagedTable] = []
    for index, table in enumerate(repair_file(path, dialect, layout, sample, start_line, work)):
        relation, width = f"stage_{index}", len(table.names)
        name = "data" if index == 0 else f"data_{index + 1}"
        body = CsvBody(table.path, table.rows, 0, _longest_line(table.path), "\n", 0)
        load_text(connection, relation, body, Dialect(delimiter=","), width)
        found = [replace(note, table=name) for note in table.notes()]
        staged.append(StagedTable(name, relation, table.names, found, [None] * width, dialect.delimiter, odd))
    if len(staged) > 1:
        message = f"The file holds {len(staged)} tables one below the other; each became a table of its own."
        notes.append(Note(code="several_tables", message=message))
    staged[0].notes[:0] = notes
    return staged


def _longest_line(path: Path) -> int:
    with path.open("rb") as file:
        return max((len(line) for line in file), default=0)


def _empty_table(relation: str, width: int) -> str:
    columns = ", ".join(f"c{index} VARCHAR" for index in range(width))
    return f"CREATE OR REPLACE TEMP TABLE {relation} ({columns})"
