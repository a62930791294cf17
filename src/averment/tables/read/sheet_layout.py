"""Where a sheet of records has its title lines, its header and its data.

Works on the first records only. The width of the data, the kinds of its columns, and rows that are not like them say
what is header and what comes before it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from averment.errors import NoHeaders, SourceAmbiguous, SourceEmpty
from averment.tables.catalog import Note
from averment.tables.sources.options import HeaderChoice
from averment.tables.types.cell_kinds import NUMBER_KINDS, VALUE_KINDS, Kind, fine_shape, kind_of

MAX_HEADER_ROWS = 4
MAX_PREAMBLE = 60
DATABASE_NULL = "\\N"


@dataclass(frozen=True)
class Layout:
    """The header's names, how many records come before the data, and the data's width.

    A name is None where the header has no cell for a column that the rows have.
    """

    names: list[str | None]
    data_start: int
    width: int
    generated: bool = False
    notes: list[Note] = field(default_factory=list[Note])


def find_layout(rows: list[list[str]], *, header: HeaderChoice) -> Layout:
    """The layout of the first rows of a table.

    Raises:
        SourceEmpty: no row holds anything.
        NoHeaders: the first row is data already, and generated names were not asked for.
        SourceAmbiguous: the header names fewer columns than the rows have.
    """
    filled = [index for index, row in enumerate(rows) if any(cell.strip() for cell in row)]
    if not filled:
        raise SourceEmpty("The file has no rows with values.")
    width = _data_width(rows, filled)
    notes: list[Note] = []
    first = _first_table_row(rows, filled, width)
    if header == "none":
        return _without_header(rows, first, width, notes)
    kinds = _column_kinds(rows, first + 1, width)
    last = first
    if header == "auto" and not _is_header(rows[first], kinds, rows[first + 1 :], width):
        raise NoHeaders(
            "The first row contains data, not column names.",
            hint="Add a first line that names the columns, or use generated names with --no-header.",
        )
    last = _last_header_row(rows, first, width)
    top = [rows[index] for index in range(first, last + 1) if any(cell.strip() for cell in rows[index])]
    names = [cell.strip() for cell in top[0]] if len(top) == 1 else _join_names([_fit(row, width) for row in top])
    if first > 0:
        lines = sum(index < first for index in filled)
        if lines:
            notes.append(Note(code="preamble", message=f"{lines} line(s) before the header were left out."))
    if last > first:
        notes.append(Note(code="header_rows", message=f"{last - first + 1} header rows were joined into one."))
    resolved, width = _resolve_width(names, rows[last + 1 :], width, notes)
    return Layout(resolved, last + 1, width, notes=notes)


def _data_width(rows: list[list[str]], filled: list[int]) -> int:
    """The commonest width; of two as common, the first one met."""
    counts = Counter(len(rows[index]) for index in filled)
    if len(filled) <= 2:
        return max(counts)
    top = max(counts.values())
    return next(len(rows[index]) for index in filled if counts[len(rows[index])] == top)


def _first_table_row(rows: list[list[str]], filled: list[int], width: int) -> int:
    """The first row that is no title line: as wide as the data and with more than one cell filled."""
    usual = _usual_fill(rows, filled, width)
    for position, index in enumerate(filled[:MAX_PREAMBLE]):
        row = rows[index]
        cells = sum(bool(cell.strip()) for cell in row)
        later = [rows[other] for other in filled[position + 1 : position + 6]]
        if width == 1:
            return index
        if abs(len(row) - width) > 1:
            continue
        if cells == 1 and any(_fill(other) > 1 for other in later) and not _has_values(later[0]):
            continue
        if len(row) != width and later and len(later[0]) == width and _names_over_values(later, width):
            continue
        if cells == 2 and usual >= 5 and later and _fill(later[0]) >= usual - 1:
            continue
        return index
    return filled[0]


def _has_values(row: list[str]) -> bool:
    return any(kind_of(cell) in VALUE_KINDS for cell in row)


def _fill(row: list[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _names_over_values(rows: list[list[str]], width: int) -> bool:
    """Whether the first of the rows has names and those below it have values."""
    kinds = _column_kinds(rows, 1, width)
    return any(kinds) and not any(kind_of(cell) in VALUE_KINDS for cell in rows[0])


def _usual_fill(rows: list[list[str]], filled: list[int], width: int) -> int:
    counts = sorted(sum(bool(cell.strip()) for cell in rows[index]) for index in filled if len(rows[index]) == width)
    return counts[len(counts) // 2] if counts else 1


def _column_kinds(rows: list[list[str]], start: int, width: int) -> list[Kind | None]:
    """The commonest kind of each column below ``start``, None where the column has no clear kind."""
    kinds: list[Kind | None] = []
    for column in range(width):
        found = Counter(kind_of(row[column]) for row in rows[start:] if len(row) == width and row[column].strip())
        kind, count = found.most_common(1)[0] if found else ("empty", 0)
        numbers = sum(found[item] for item in NUMBER_KINDS)
        if kind in NUMBER_KINDS or numbers > count:
            kinds.append("decimal" if numbers >= 0.6 * found.total() else None)
        else:
            kinds.append(kind if kind in VALUE_KINDS and count >= 0.6 * found.total() else None)
    return kinds


def _same_kind(cell: str, kind: Kind | None) -> bool:
    found = kind_of(cell)
    return found == kind or (kind in NUMBER_KINDS and found in NUMBER_KINDS)


def _is_header(row: list[str], kinds: list[Kind | None], below: list[list[str]], width: int) -> bool:
    """Whether the row names columns: words where the data has values, and not a value of its own column."""
    cells = _fit(row, width)
    typed = [index for index in range(width) if kinds[index] is not None]
    texts = [cell for cell in cells if cell.strip()]
    if not any(kind_of(cell) in ("word", "text", "code") for cell in texts) or DATABASE_NULL in texts:
        return False
    values = sum(kind_of(cell) in VALUE_KINDS for cell in texts)
    if _looks_like_below(cells, below):
        return False
    if not typed:
        return values <= 0.5 * len(texts) and not _repeats_below(cells, below)
    alike = sum(_same_kind(cells[index], kinds[index]) for index in typed if cells[index].strip())
    unlike = sum(not _same_kind(cells[index], kinds[index]) for index in typed if cells[index].strip())
    if alike == 0:
        return unlike > 0 or values == 0
    return _years_as_names(cells) or (unlike > alike and values < 0.3 * len(texts))


def _years_as_names(cells: list[str]) -> bool:
    """Whether the numbers among the names are distinct years or a running count, as in wide tables."""
    numbers = [int(cell) for cell in cells if kind_of(cell) == "integer" and len(cell.strip()) <= 5]
    others = [cell for cell in cells if cell.strip() and kind_of(cell) != "integer"]
    if len(numbers) < 2 or len(set(numbers)) < len(numbers) or any(kind_of(cell) in VALUE_KINDS for cell in others):
        return False
    if not others or kind_of(cells[0]) == "integer":
        return False
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return all(1800 <= number <= 2200 for number in numbers) or (len(steps) == 1 and len(numbers) >= 3)


def _looks_like_below(cells: list[str], below: list[list[str]]) -> bool:
    """Whether a cell with digits begins just as most cells of its column do, as 28/01 … over 29/01 …"""
    for column, cell in enumerate(cells):
        if sum(letter.isdigit() for letter in cell[:20]) < 4:
            continue
        start = fine_shape(cell)[:10]
        others = [fine_shape(row[column])[:10] for row in below if column < len(row) and row[column].strip()]
        if len(others) >= 2 and sum(other == start for other in others) >= 0.6 * len(others):
            return True
    return False


def _repeats_below(cells: list[str], below: list[list[str]]) -> bool:
    """Whether several of the row's cells stand again in their own columns below it, as data does."""
    filled = [index for index, cell in enumerate(cells) if cell.strip()]
    if len(below) < 3 or not filled:
        return False
    again = sum(any(index < len(row) and row[index] == cells[index] for row in below) for index in filled)
    return again >= max(1, len(filled) // 2) and len(filled) > 1


def _last_header_row(rows: list[list[str]], first: int, width: int) -> int:
    """The last row of the header: rows of words alone where the data has values, or that fill the gaps of the first."""
    last = first
    for index in range(first + 1, min(len(rows), first + 1 + 2 * MAX_HEADER_ROWS)):
        row = rows[index]
        texts = [cell for cell in row if cell.strip()]
        if not texts:
            continue
        if len(row) != width or any(kind_of(cell) in VALUE_KINDS for cell in texts):
            break
        kinds = _column_kinds(rows, index + 1, width)
        against = sum(kinds[column] is not None and bool(row[column].strip()) for column in range(width))
        top = _fit(rows[first], width)
        gaps = sum(not top[column].strip() and bool(row[column].strip()) for column in range(width))
        data_rows = sum(len(later) == width and any(c.strip() for c in later) for later in rows[index + 1 :])
        joined = gaps > 0 and against >= 1
        second = against >= max(2, 0.5 * len(texts)) and data_rows >= 2
        if data_rows == 0 or not (joined or second):
            break
        last = index
    return last


def _join_names(header: list[list[str]]) -> list[str]:
    """One name a column from several header rows; a name that spans columns is repeated over what stands below it."""
    width = len(header[0])
    filled: list[list[str]] = []
    for level, row in enumerate(header):
        carried, line = "", list[str]()
        for column in range(width):
            own = row[column].strip()
            below = any(lower[column].strip() for lower in header[level + 1 :])
            above_starts = level > 0 and bool(header[level - 1][column].strip())
            carried = own or ("" if above_starts else carried)
            line.append(own or (carried if below else ""))
        filled.append(line)
    return [" ".join(part for part in (line[column] for line in filled) if part) for column in range(width)]


def _resolve_width(
    names: list[str], below: list[list[str]], width: int, notes: list[Note]
) -> tuple[list[str | None], int]:
    """Names and width where header and data do not have the same number of cells."""
    data = [row for row in below if any(cell.strip() for cell in row)]
    given = len(names)
    if given == width or not data:
        return list(names), given
    if given < width:
        ended = given == width - 1 and all(not row[-1].strip() for row in data if len(row) == width)
        if ended and _names_agree(names, data, width):
            message = "Each row has one cell more than the header, and it is empty."
            notes.append(Note(code="trailing_delimiter", message=message))
            return [*names, None], width
        if given == width - 1 and _row_labels([row[0].strip() for row in data if len(row) == width]):
            message = "The header names one column less than the rows have; the first column holds row labels."
            notes.append(Note(code="row_labels", message=message))
            return [None, *names], width
        raise SourceAmbiguous(
            f"The header has {given} columns, but the rows have {width}.",
            hint="Give every column a name, or use generated names with --no-header.",
        )
    kept = [name for name in names if name]
    if len(kept) == width:
        notes.append(Note(code="blank_headers_dropped", message="The header has blank names that no column goes with."))
        return list(kept), width
    return list(names), given


_EXPECTED: tuple[tuple[re.Pattern[str], frozenset[Kind]], ...] = (
    (
        re.compile(r"date|time|year|month|day|hour", re.IGNORECASE),
        VALUE_KINDS | frozenset[Kind]({"code", "word", "text"}),
    ),
    (re.compile(r"\b(?:qty|quantity|price|amount|cost|sum|count|rate|revenue|salary)\b", re.IGNORECASE), NUMBER_KINDS),
    (re.compile(r"\b(?:url|link|website|e-?mail)\b", re.IGNORECASE), frozenset[Kind]({"link"})),
    (re.compile(r"description|comment|type|title|category", re.IGNORECASE), frozenset[Kind]({"word", "text", "code"})),
)


def _names_agree(names: list[str], data: list[list[str]], width: int) -> bool:
    """Whether no name stands over values it cannot mean, as when two names of the header have run together."""
    kinds = _column_kinds([[], *data], 1, width)
    for name, kind, column in zip(names, kinds, range(width), strict=False):
        filled = any(row[column].strip() for row in data if len(row) == width)
        for pattern, expected in _EXPECTED:
            if pattern.search(name):
                if filled and (kind or "text") not in expected:
                    return False
                break
    return True


def _row_labels(cells: list[str]) -> bool:
    """Whether the cells are labels as statistics programs write them: all different, words or a running count."""
    if len(cells) < 3 or len(set(cells)) < len(cells) or not all(cells):
        return False
    if cells[:3] == ["1", "2", "3"]:
        return True
    return all(kind_of(cell) in ("word", "code", "text") for cell in cells)


def _without_header(rows: list[list[str]], first: int, width: int, notes: list[Note]) -> Layout:
    start = 0 if all(len(row) == width for row in rows[:first]) else first
    names: list[str | None] = [f"column_{index + 1}" for index in range(width)]
    notes.append(
        Note(code="generated_names", message="The file has no header; its columns were named column_1, column_2 …")
    )
    return Layout(names, start, width, generated=True, notes=notes)


def _fit(row: list[str], width: int) -> list[str]:
    return [*row[:width], *([""] * (width - len(row)))]
