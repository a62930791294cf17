"""A separated text file becomes one or more staged tables of text.

The sample at the head of the file settles encoding, dialect and layout. Then the engine reads the rows; only if it
cannot account for every line does the file go the slow way, record by record.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import InvalidFileType, SourceAmbiguous, SourceEmpty, SourceUnreadable
from averment.tables.catalog import Note
from averment.tables.engines.backend import quote_text
from averment.tables.read.csv_dialect import detect_dialect, separator_line
from averment.tables.read.csv_records import (
    OTHER_DELIMITERS,
    CsvRecord,
    Dialect,
    RowRepairer,
    physical_lines,
    read_records,
    readings,
    split_line,
)
from averment.tables.read.encoding import Scan, as_utf8, decide_encoding
from averment.tables.read.sheet_layout import Layout, find_layout
from averment.tables.read.staging import StagedTable, count_rows, rows_note
from averment.tables.sources.options import ReadOptions
from averment.tables.types.cell_kinds import VALUE_KINDS, kind_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

CHUNK = 1 << 20

PARALLEL_FROM = 50_000_000

MIN_LINE_LIMIT = 2_097_152

MAX_LINE_LIMIT = 64_000_000


@dataclass(frozen=True)
class CsvBody:
    """The data lines of a file: where they are, how many lines there are, how many may be blank, how many quotes."""

    path: Path
    lines: int
    blanks: int
    longest: int
    line_end: str
    quotes: int


def copy_body(source: Path, offset: int, line_end: str, quote: str, target: Path) -> CsvBody:
    """The bytes after ``offset`` as a file of their own, with its lines counted."""
    end = line_end.encode()
    lines = blanks = longest = run = quotes = 0
    mark = quote.encode()
    last = b""
    with source.open("rb") as file, target.open("wb") as sink:
        file.seek(offset)
        blanks += file.read(len(end)) == end
        file.seek(offset)
        while chunk := file.read(CHUNK):
            sink.write(chunk)
            seam = last[-(2 * len(end)) + 1 :] + chunk
            lines += chunk.count(end) + (len(end) == 2 and last[-1:] == b"\r" and chunk[:1] == b"\n")
            blanks += seam.count(end + end)
            quotes += chunk.count(mark) if mark else 0
            first = chunk.find(end)
            longest = max(longest, run + (len(chunk) if first < 0 else first))
            run = run + len(chunk) if first < 0 else len(chunk) - chunk.rfind(end)
            last = chunk
    if last and not last.endswith(end):
        lines += 1
    return CsvBody(target, lines, blanks, max(longest, run), line_end, quotes)


def load_text(connection: DuckDBPyConnection, relation: str, body: CsvBody, dialect: Dialect, width: int) -> None:
    """A temporary table of text columns from the body.

    Raises:
        duckdb.Error: a line does not obey the dialect or has another number of cells.
    """
    columns = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(width))
    size = body.path.stat().st_size
    line_limit = min(MAX_LINE_LIMIT, max(MIN_LINE_LIMIT, body.longest + 1_024))
    line_end = {"\n": "\\n", "\r": "\\r", "\r\n": "\\r\\n"}[body.line_end]
    # A single column needs some delimiter all the same: one that the text cannot hold.
    delimiter = dialect.delimiter or "\x1f"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {relation} AS SELECT * FROM read_csv({quote_text(str(body.path))}, "
        f"auto_detect = false, header = false, columns = {{{columns}}}, delim = {quote_text(delimiter)}, "
        f"quote = {quote_text(dialect.quote)}, escape = {quote_text(dialect.escape)}, "
        f"new_line = {quote_text(line_end)}, strict_mode = true, null_padding = false, ignore_errors = false, "
        f"max_line_size = {line_limit}, parallel = {'true' if size >= PARALLEL_FROM else 'false'}, "
        f"encoding = 'utf-8', compression = 'none')"
    )


def took_every_line(connection: DuckDBPyConnection, relation: str, body: CsvBody, dialect: Dialect, width: int) -> bool:
    """Whether the rows and the line ends inside their cells account for every line of the body."""
    rows = count_rows(connection, relation)
    inner = 0
    if body.quotes:
        end = "chr(13)" if body.line_end == "\r" else "chr(10)"
        counts = " + ".join(
            f"coalesce(sum(length(c{index}) - length(replace(c{index}, {end}, ''))), 0)" for index in range(width)
        )
        row = connection.execute(f"SELECT {counts} FROM {relation} WHERE {_contains(end, width)}").fetchone()
        inner = int(row[0]) if row else 0
        if inner and _swallowed(connection, relation, dialect, width):
            return False
        if _torn(connection, relation, dialect, width):
            return False
    blank = body.lines - rows - inner
    return 0 <= blank <= (body.blanks if width > 1 else 0)


def _contains(text: str, width: int) -> str:
    return " OR ".join(f"contains(c{index}, {text})" for index in range(width))


def _swallowed(connection: DuckDBPyConnection, relation: str, dialect: Dialect, width: int) -> bool:
    """Whether a cell holds a line end and a whole row's delimiters: a quote may have closed far too late."""
    if width < 2:
        return False
    mark = quote_text(dialect.delimiter)
    tests = " OR ".join(
        f"(contains(c{index}, chr(10)) AND len(string_split(c{index}, {mark})) > {max(2, width - 1)})"
        for index in range(width)
    )
    row = connection.execute(f"SELECT count(*) FROM {relation} WHERE {tests}").fetchone()
    return bool(row and row[0])


def _torn(connection: DuckDBPyConnection, relation: str, dialect: Dialect, width: int) -> bool:
    """Whether some row has lone quotes in two cells: a quoted text without its delimiter was cut at its commas."""
    mark = quote_text(dialect.quote)
    odd = " + ".join(
        f"coalesce((length(c{index}) - length(replace(c{index}, {mark}, ''))) % 2, 0)" for index in range(width)
    )
    row = connection.execute(
        f"SELECT count(*) FROM (SELECT * FROM {relation} WHERE {_contains(mark, width)}) WHERE {odd} >= 2"
    ).fetchone()
    return bool(row and row[0])


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
