"""JSON documents and lines of JSON become staged tables.

Nested objects are flattened with dots (``a.b``), arrays inside a row are kept as JSON text. Large files go through the
engine's own reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from averment.errors import InvalidFileType, NoRows, SourceEmpty, SourceUnreadable
from averment.tables.catalog import Note
from averment.tables.engines.backend import quote, quote_text
from averment.tables.read.staging import Hint, StagedTable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from duckdb.sqltypes import DuckDBPyType

MAX_DEPTH = 256

MAX_DIGITS = 1_000

_LONG_DIGITS = re.compile(rb"[0-9]{1001}")

_BOM = b"\xef\xbb\xbf"


class Number(str):
    """A JSON number as it is written."""

    __slots__ = ()


@dataclass
class ParsedJson:
    """A JSON value with its numbers as text, and the keys that an object held twice."""

    value: Any
    duplicate_keys: set[str] = field(default_factory=set[str])


def check_json(data: bytes) -> Any:
    """The value that the bytes stand for, by orjson; a byte order mark before it is allowed.

    Raises:
        SourceUnreadable: this is not JSON, or nested deeper than 256 levels.
    """
    import orjson

    body = data.removeprefix(_BOM)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        _refuse(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
    if _too_deep(value):
        _refuse(f"nested deeper than {MAX_DEPTH} levels")
    return value


def parse_json(data: bytes) -> ParsedJson:
    """The value with every number as text.

    Raises:
        SourceUnreadable: not JSON, nested too deep, or a number has more than 1000 digits.
    """
    if _LONG_DIGITS.search(data):
        _refuse(f"a number has more than {MAX_DIGITS} digits")
    check_json(data)
    parsed = ParsedJson(None)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            seen = set[str]()
            parsed.duplicate_keys |= {key for key, _ in items if key in seen or seen.add(key)}
        return found

    text = data.removeprefix(_BOM).decode("utf-8")
    parsed.value = json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=pairs)
    return parsed


def _too_deep(value: Any) -> bool:
    """Whether the value is nested deeper than allowed; walks level by level, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        following: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                following.extend(child for child in item.values() if isinstance(child, (dict, list)))
            elif isinstance(item, list):
                following.extend(child for child in item if isinstance(child, (dict, list)))
        if not following:
            return False
        level = following
    return True


def _refuse(reason: str) -> NoReturn:
    raise SourceUnreadable(f"The JSON could not be parsed: {reason}.", hint="Repair the file, or export it again.")


LARGE = 50_000_000

MAX_COLUMNS = 5_000

MAX_TABLES = 100

Rows = list[dict[str, Any]]


def stage_json(connection: DuckDBPyConnection, path: Path, *, lines: bool) -> list[StagedTable]:
    """The tables of a JSON file as text, with what JSON says about their types.

    Raises:
        SourceEmpty, SourceUnreadable, InvalidFileType, NoRows: it cannot be read for certain, or holds no table.
    """
    size = path.stat().st_size
    if size == 0:
        raise SourceEmpty(f"{path.name} has 0 bytes.")
    if size > LARGE:
        return [_stage_large(connection, path, lines=lines)]
    data = path.read_bytes()
    if not data.removeprefix(b"\xef\xbb\xbf").strip():
        raise SourceEmpty(f"{path.name} contains only blank lines.")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in data[:4]:
        data = _from_utf16(path, data)
    notes: list[Note] = []
    found = [("data", _read_lines(data, notes))] if lines else _tables_in(_read_document(data, notes), notes)
    staged = [_stage_rows(connection, name, rows, index) for index, (name, rows) in enumerate(found)]
    staged[0].notes[:0] = notes
    return staged


def _from_utf16(path: Path, data: bytes) -> bytes:
    for codec in ("utf-16", "utf-16-le", "utf-16-be"):
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if text.lstrip("\ufeff").lstrip()[:1] in ("{", "["):
            return text.lstrip("\ufeff").encode()
    raise InvalidFileType(f"{path.name} contains NUL bytes, so it is not JSON.")


def _read_document(data: bytes, notes: list[Note]) -> Any:
    parsed = parse_json(data)
    _note_duplicates(parsed.duplicate_keys, notes)
    return parsed.value


def _read_lines(data: bytes, notes: list[Note]) -> Rows:
    rows: Rows = []
    doubled: set[str] = set()
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            parsed = parse_json(line)
        except SourceUnreadable as error:
            raise SourceUnreadable(f"Line {number}: {error.message}", hint=error.hint) from error
        doubled |= parsed.duplicate_keys
        rows.append(parsed.value if isinstance(parsed.value, dict) else {"value": parsed.value})
    _note_duplicates(doubled, notes)
    return rows


def _note_duplicates(keys: set[str], notes: list[Note]) -> None:
    if keys:
        shown = ", ".join(sorted(keys)[:5])
        notes.append(
            Note(code="duplicate_keys", message=f"Objects hold these keys twice; the last value was taken: {shown}.")
        )


def _tables_in(value: Any, notes: list[Note]) -> list[tuple[str, Rows]]:
    """The tables that a document holds, by the few shapes in which tables are written."""
    if isinstance(value, list):
        return [("data", _as_rows(value))]
    if not isinstance(value, dict):
        raise SourceUnreadable("The JSON is a single value, not a table.")
    if not value:
        raise NoRows("The JSON object is empty.")
    lists = {key: item for key, item in value.items() if isinstance(item, list)}
    if lists and len(lists) == len(value) and _parallel(lists):
        return [("data", [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)])]
    tables = {key: item for key, item in lists.items() if item and all(isinstance(row, dict) for row in item)}
    if tables:
        left = [key for key in value if key not in tables]
        if left:
            notes.append(Note(code="json_wrapper", message=f"Left out beside the rows: {', '.join(left[:10])}."))
        return [("data" if len(tables) == 1 else key, rows) for key, rows in list(tables.items())[:MAX_TABLES]]
    objects = [item for item in value.values() if isinstance(item, dict)]
    if len(objects) == len(value) and len(objects) > 1 and len({tuple(sorted(item)) for item in objects}) == 1:
        notes.append(
            Note(code="json_keyed_rows", message="Each key of the object became a row; the key is the column key.")
        )
        return [("data", [{"key": key, **item} for key, item in value.items()])]
    return [("data", [value])]


def _parallel(lists: dict[str, list[Any]]) -> bool:
    """Whether the lists are columns: equally long, with no objects in them."""
    lengths = {len(item) for item in lists.values()}
    return (
        len(lengths) == 1
        and lengths != {0}
        and not any(isinstance(cell, dict) for item in lists.values() for cell in item)
    )


def _as_rows(items: list[Any]) -> Rows:
    if not items:
        raise NoRows("The JSON array is empty.")
    if all(isinstance(item, dict) for item in items):
        return items
    header = items[0]
    grid = len(items) > 1 and all(isinstance(item, list) and len(item) == len(header) for item in items)
    if grid and header and all(type(cell) is str for cell in header) and len(set(header)) == len(header):
        return [dict(zip(header, item, strict=True)) for item in items[1:]]
    return [item if isinstance(item, dict) else {"value": item} for item in items]


def _flatten(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value:
            yield from _flatten(value, f"{name}.")
        else:
            yield name, value


def _stage_rows(connection: DuckDBPyConnection, name: str, rows: Rows, index: int) -> StagedTable:
    """A staged table from rows; the engine takes the columns as Arrow arrays."""
    import pyarrow as pa

    columns: dict[str, list[str | None]] = {}
    kinds: dict[str, set[str]] = {}
    for number, row in enumerate(rows):
        for key, value in _flatten(row):
            if value is None:
                columns.setdefault(key, [])
                continue
            cells = columns.setdefault(key, [])
            cells.extend([None] * (number - len(cells)))
            text, kind = _cell(value)
            # Of two keys that flatten alike ({"a.b": 1, "a": {"b": 2}}) the later one stands.
            cells[number:] = [text]
            kinds.setdefault(key, set()).add(kind)
        if len(columns) > MAX_COLUMNS:
            raise SourceUnreadable(f"The rows have more than {MAX_COLUMNS} different keys.")
    if not columns:
        raise NoRows("The JSON rows contain no values.")
    for cells in columns.values():
        cells.extend([None] * (len(rows) - len(cells)))
    arrow = pa.table({f"c{place}": pa.array(cells, pa.large_string()) for place, cells in enumerate(columns.values())})
    relation = f"stage_{index}"
    connection.register("incoming", arrow)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {relation} AS SELECT * FROM incoming")
    connection.unregister("incoming")
    hints: list[Hint | None] = [_hint(kinds.get(key, set())) for key in columns]
    notes = [
        Note(code="mixed_values", message="Values of several JSON types; kept as text.", column=key)
        for key, hint in zip(columns, hints, strict=True)
        if hint == "json" and len(kinds.get(key, set())) > 1
    ]
    return StagedTable(name, relation, list(columns), notes, hints)


def _cell(value: Any) -> tuple[str, str]:
    if isinstance(value, Number):
        return str(value), "number"
    if isinstance(value, bool):
        return ("true" if value else "false"), "boolean"
    if isinstance(value, str):
        return value, "string"
    return _as_json(value), "json"


def _as_json(value: Any) -> str:
    """A nested value as JSON text again, its numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{_as_json(item)}" for key, item in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(_as_json(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _hint(kinds: set[str]) -> Hint:
    if len(kinds) == 1:
        kind = next(iter(kinds))
        return (
            "number"
            if kind == "number"
            else "boolean"
            if kind == "boolean"
            else "string"
            if kind == "string"
            else "json"
        )
    return "string" if not kinds else "json"


def _stage_large(connection: DuckDBPyConnection, path: Path, *, lines: bool) -> StagedTable:
    """A large file through the engine's reader; nested objects flattened, everything as text again."""
    import duckdb

    form = "newline_delimited" if lines else "array"
    try:
        relation = connection.sql(
            f"SELECT * FROM read_json({quote_text(str(path))}, format = '{form}', maximum_depth = 8, "
            f"sample_size = 20000, "
            f"maximum_object_size = 16777216, union_by_name = true, auto_detect = true, records = true)"
        )
        parts = [
            part
            for name, kind in zip(relation.columns, relation.types, strict=True)
            for part in _struct_parts(name, quote(name), kind)
        ]
        body = ", ".join(f"CAST({expression} AS VARCHAR) AS c{place}" for place, (_, expression, _) in enumerate(parts))
        connection.execute(f"CREATE OR REPLACE TEMP TABLE stage_0 AS SELECT {body} FROM ({relation.sql_query()})")
    except duckdb.Error as error:
        raise SourceUnreadable(f"{path.name} cannot be read: {str(error).splitlines()[0]}") from error
    note = Note(code="large_json", message="Read by the engine; numbers with a fraction are doubles.")
    return StagedTable("data", "stage_0", [name for name, _, _ in parts], [note], [hint for _, _, hint in parts])


def _struct_parts(name: str, expression: str, kind: DuckDBPyType) -> list[tuple[str, str, Hint]]:
    if kind.id == "struct":
        children = cast("list[tuple[str, DuckDBPyType]]", kind.children)
        return [
            part
            for child, child_kind in children
            for part in _struct_parts(f"{name}.{child}", f"{expression}.{quote(child)}", child_kind)
        ]
    text = str(kind)
    if text in ("BIGINT", "DOUBLE", "HUGEINT", "UBIGINT"):
        return [(name, expression, "number")]
    if text == "BOOLEAN":
        return [(name, expression, "boolean")]
    return [(name, expression, "json" if kind.id in ("list", "map") or text == "JSON" else "string")]
