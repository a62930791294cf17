"""Excel workbooks become staged tables, one for each sheet that holds anything.

The engine's Excel reader gives the cells as text; which columns are dates or truth values is taken from the cells'
styles and types. Formulas count with the value that was saved with them. The archive is checked before anything is
unpacked.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from averment.errors import InvalidFileType, SourceEmpty, SourceUnreadable
from averment.tables.catalog import Note
from averment.tables.engines.backend import quote_text
from averment.tables.engines.extensions import load_extension
from averment.tables.read.naming import table_name, unique_name
from averment.tables.read.sheet_layout import find_layout
from averment.tables.read.staging import Hint, StagedTable
from averment.tables.sources.options import ReadOptions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MAX_MEMBERS = 5_000
MAX_UNPACKED = 1_000_000_000
MAX_RATIO = 200
SMALL = 20_000_000
MAX_COLUMNS = 4_000
SAMPLE_ROWS = 200
DAYS_FROM_1904 = 1_462
_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_CELL = re.compile(rb'<(?:\w+:)?c r="([A-Z]{1,3})([0-9]{1,7})"([^>]*)>')
_STYLE = re.compile(rb's="([0-9]+)"')
_TYPE = re.compile(rb't="(\w+)"')
_DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})


@dataclass
class Sheet:
    """A sheet: its name, its part of the archive, how far its cells go, and how each column's cells are typed.

    ``day_shift`` is added to day numbers: a workbook may count them from 1904 instead of 1900.
    """

    name: str
    part: str
    rows: int
    columns: int
    kinds: dict[int, Counter[str]]
    day_shift: int = 0


def stage_excel(connection: DuckDBPyConnection, path: Path, options: ReadOptions) -> list[StagedTable]:
    """The sheets of a workbook as text, with what their cells' styles say about types.

    Raises:
        InvalidFileType, SourceUnreadable, SourceEmpty, NoHeaders: it is no workbook, or a broken or hostile one.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            check_archive(archive, path)
            sheets = [sheet for sheet in _sheets(archive) if sheet.rows]
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, EOFError, OSError) as error:
        raise SourceUnreadable(f"{path.name} is not a readable workbook: {error}.") from error
    if not sheets:
        raise SourceEmpty(f"{path.name} has only empty sheets.")
    load_extension(connection, "excel")
    staged: list[StagedTable] = []
    for index, sheet in enumerate(sheets):
        found = _stage_sheet(connection, path, sheet, index, options)
        found.name = unique_name(table_name(sheet.name), [item.name for item in staged])
        staged.append(found)
    return staged


def check_archive(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuses archives that are no workbook, or that unpack to far more than they are.

    Raises:
        InvalidFileType: no workbook.
        SourceUnreadable: a bomb, an encrypted member, or a name that occurs twice.
    """
    members = archive.infolist()
    names = [member.filename for member in members]
    if "xl/workbook.xml" not in names:
        raise InvalidFileType(f"{path.name} is an archive but not an Excel workbook.")
    unpacked = sum(member.file_size for member in members)
    packed = max(1, sum(member.compress_size for member in members))
    if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED or (unpacked > SMALL and unpacked > MAX_RATIO * packed):
        raise SourceUnreadable(
            f"{path.name} expands to far more than its compressed size allows.", hint="Save it again with less content."
        )
    if len(set(names)) < len(names) or any(member.flag_bits & 1 for member in members):
        raise SourceUnreadable(f"{path.name} has encrypted parts, or parts with the same name.")


def _read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """One member, never more of it than its header says."""
    size = archive.getinfo(name).file_size
    with archive.open(name) as file:
        data = file.read(size + 1)
    if len(data) > size or b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data[:4096]:
        raise ValueError(f"the part {name} is not what it claims to be")
    return data


def _sheets(archive: zipfile.ZipFile) -> list[Sheet]:
    book = ElementTree.fromstring(_read_part(archive, "xl/workbook.xml"))
    links = ElementTree.fromstring(_read_part(archive, "xl/_rels/workbook.xml.rels"))
    targets = {link.get("Id"): str(link.get("Target")) for link in links}
    dates = _date_styles(archive)
    shift = (
        DAYS_FROM_1904 if any(item.get("date1904") in ("1", "true") for item in book.iter(f"{_SPACE}workbookPr")) else 0
    )
    found: list[Sheet] = []
    for entry in book.iter(f"{_SPACE}sheet"):
        target = targets.get(entry.get(_LINK), "")
        part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        if "worksheets/" in part:
            found.append(replace(_inspect(archive, str(entry.get("name")), part, dates), day_shift=shift))
    return found


def _date_styles(archive: zipfile.ZipFile) -> dict[int, str]:
    """Style number → "date", "datetime" or "time", for the styles that show a number so."""
    if "xl/styles.xml" not in archive.namelist():
        return {}
    styles = ElementTree.fromstring(_read_part(archive, "xl/styles.xml"))
    codes = {int(item.get("numFmtId", "0")): item.get("formatCode", "") for item in styles.iter(f"{_SPACE}numFmt")}
    table = styles.find(f"{_SPACE}cellXfs")
    kinds: dict[int, str] = {}
    for number, style in enumerate(table if table is not None else ()):
        code = int(style.get("numFmtId", "0"))
        written = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", codes.get(code, "")).lower()
        if code in _DATE_FORMATS or re.search(r"[ymdhs]", written.replace("general", "")):
            timed = code in (18, 19, 20, 21, 45, 46, 47) or (
                bool(re.search(r"[hs]", written)) and not re.search(r"[yd]", written)
            )
            kinds[number] = "time" if timed else "date"
    return kinds


def _inspect(archive: zipfile.ZipFile, name: str, part: str, dates: dict[int, str]) -> Sheet:
    """How far the sheet's cells go and how they are typed, from its cells' tags alone."""
    kinds: dict[int, Counter[str]] = defaultdict(Counter[str])
    tags: Counter[tuple[bytes, bytes]] = Counter()
    last = 0
    data = _read_part(archive, part)
    for match in _CELL.finditer(data):
        if match[3].endswith(b"/"):
            continue
        tags[match[1], match[3]] += 1
        last = max(last, int(match[2]))
    if not tags and b"<c>" in data:
        raise ValueError(f"the cells of {name} do not state their positions")
    for (letters, rest), count in tags.items():
        kind, style = _TYPE.search(rest), _STYLE.search(rest)
        written = kind[1].decode() if kind else "n"
        if written == "n":
            written = dates.get(int(style[1]) if style else 0, "n")
        kinds[_column_number(letters)][written] += count
    width = max(kinds, default=-1) + 1
    if width > MAX_COLUMNS:
        raise ValueError(f"the sheet {name} has more than {MAX_COLUMNS} columns")
    return Sheet(name, part, last, width, dict(kinds))


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def _column_letters(number: int) -> str:
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _stage_sheet(
    connection: DuckDBPyConnection, path: Path, sheet: Sheet, index: int, options: ReadOptions
) -> StagedTable:
    import duckdb

    area = f"A1:{_column_letters(sheet.columns - 1)}{sheet.rows}"
    raw, relation = f"sheet_{index}", f"stage_{index}"
    try:
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {raw} AS SELECT * FROM read_xlsx({quote_text(str(path))}, "
            f"sheet = {quote_text(sheet.name)}, range = '{area}', "
            f"header = false, all_varchar = true, stop_at_empty = false)"
        )
    except duckdb.Error as error:
        raise SourceUnreadable(f"The sheet {sheet.name!r} cannot be read: {str(error).splitlines()[0]}") from error
    head = connection.execute(f"SELECT * FROM {raw} ORDER BY rowid LIMIT {SAMPLE_ROWS}").fetchall()
    rows = [["" if cell is None else str(cell) for cell in row] for row in head]
    layout = find_layout(rows, header=options.header)
    columns = [row[0] for row in connection.execute(f"DESCRIBE {raw}").fetchall()]
    body = ", ".join(f'"{name}" AS c{place}' for place, name in enumerate(columns))
    filled = " OR ".join(f'"{name}" IS NOT NULL' for name in columns)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {relation} AS SELECT {body} FROM {raw} "
        f"WHERE rowid >= {layout.data_start} AND ({filled}) ORDER BY rowid"
    )
    hints: list[Hint | None] = []
    notes = list(layout.notes)
    for place in range(sheet.columns):
        hint = _hint(sheet.kinds.get(place, Counter()))
        if hint == "date" and sheet.day_shift:
            connection.execute(f"UPDATE {relation} SET c{place} = TRY_CAST(c{place} AS DOUBLE) + {sheet.day_shift}")
        if hint == "boolean":
            connection.execute(
                f"UPDATE {relation} SET c{place} = CASE c{place} WHEN '1' THEN 'true' WHEN '0' THEN 'false' END"
            )
        if sheet.kinds.get(place, Counter())["e"]:
            notes.append(
                Note(
                    code="spreadsheet_errors",
                    message=f"Column {_column_letters(place)} has formula errors such as #REF!.",
                )
            )
        hints.append(hint)
    return StagedTable(sheet.name, relation, layout.names, notes, hints)


def _hint(kinds: Counter[str]) -> Hint | None:
    """What the cells below the header say; the header's own text cell is one of them."""
    values = +Counter({kind: count for kind, count in kinds.items() if kind not in ("s", "inlineStr", "str")})
    texts = kinds.total() - values.total()
    if not values:
        return "string"
    if len(values) > 1 or texts > 4:
        return None
    kind = next(iter(values))
    return {"date": "date", "time": "time", "b": "boolean", "n": None}.get(kind)  # pyright: ignore[reportReturnType] -- the four values are hints
