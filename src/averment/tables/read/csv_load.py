"""Separated text into the engine: the engine's own reader, and the proof that it took every line.

The engine's reader may end early at a quote that never closes without saying so. So the lines it was given are counted,
and what it read must account for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from averment.tables.engines.backend import quote_text
from averment.tables.read.csv_records import Dialect
from averment.tables.read.staging import count_rows

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
