"""Broken, hostile and dirty files: the right reading, told where there was a doubt, or a clear refusal.

Files are opened as a client of MCP opens them on its own machine, by the command and by an upload. What a file says is
written beside it here; the forty-five nasty files have their expectation in ``tests/hostile/data``.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "hostile" / "data" / "nasty_files"
CASES = [json.loads(line) for line in (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
Tools = Callable[..., list[Any]]


class Opened:
    """A source that was read: its columns with their types, its rows, and what was said of the reading."""

    def __init__(self, tools: Tools, path: Path, order: str = "") -> None:
        (schema,) = tools(("schema", {"sources": [str(path)]}))
        self.refused: str | None = None
        if schema.is_error:
            self.refused = schema.content[0].text
            return
        self.notes: list[str] = schema.structured_content["notes"]
        self.tables: dict[str, dict[str, str]] = {
            table["name"]: {column["name"]: column["type"] for column in table["columns"]}
            for table in schema.structured_content["tables"]
        }
        self.columns = next(iter(self.tables.values()))
        self.rows = self.rows_of(tools, path, next(iter(self.tables)), order)

    def rows_of(self, tools: Tools, path: Path, table: str, order: str = "") -> list[list[Any]]:
        asked = {"sql": f'SELECT * FROM "{table}" {order}', "sources": [str(path)], "row_limit": 1000}
        (answer,) = tools(("query", asked))
        assert not answer.is_error, answer.content
        return answer.structured_content["rows"]

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    @property
    def told(self) -> bool:
        """Whether a reader is told something about how it was read."""
        return bool(self.notes)


def is_text(opened: Opened, column: str) -> bool:
    return opened.columns[column] == "VARCHAR" and opened.told


READ: dict[str, Callable[[Opened], bool]] = {
    "bom_utf8.csv": lambda o: o.names == ["id", "v"] and o.rows == [[1, 2]],
    "bom_utf16le.csv": lambda o: o.rows == [[1, "é"]],
    "utf16be_nobom.csv": lambda o: o.rows == [[1, "é"]],
    "cp1252_smart.csv": lambda o: o.rows == [[1, "“q”"]] and o.told,
    "mixed_encodings.csv": lambda o: o.told,
    "unclosed_quote.csv": lambda o: len(o.rows) == 1000 and o.told,
    "stray_quote.csv": lambda o: o.rows == [[1, '5" pipe'], [2, "ok"]],
    "mixed_eol.csv": lambda o: len(o.rows) == 3,
    "ragged.csv": lambda o: len(o.notes) >= 2,
    "dup_headers.csv": lambda o: len({name.lower() for name in o.names}) == 4 and o.told,
    "blank_headers.csv": lambda o: o.names == ["column_1", "column_2", "x"] and o.told,
    "header_injection.csv": lambda o: o.names[0] == 'a"; DROP TABLE sales; --' and o.rows == [[1, 2]],
    "header_keywords.csv": lambda o: o.names == ["select", "from", "group", "order"],
    "semicolon_decimal_comma.csv": lambda o: [float(row[1]) for row in o.rows] == [1234.56, 7.8],
    "thousands.csv": lambda o: is_text(o, "v"),
    "dates_ambiguous.csv": lambda o: is_text(o, "d"),
    "tz_mixed.csv": lambda o: is_text(o, "t"),
    "numbers_edge.csv": lambda o: ["9007199254740993"] in o.rows and o.told,
    "leading_zeros.csv": lambda o: o.rows == [["00501"], ["02134"]],
    "excel_sci.csv": lambda o: is_text(o, "id"),
    "null_words.csv": lambda o: [row[0] for row in o.rows] == [None] * 4 + ["none", "#REF!", "0"],
    "sep_line.csv": lambda o: o.names == ["id", "v"] and o.rows == [[1, 2]],
    "control_chars.csv": lambda o: o.told,
    "unicode_confusable.csv": lambda o: o.told,
    "zero_width.csv": lambda o: o.names == ["id", "value"] and o.told,
    "nfc_nfd.csv": lambda o: o.told,
    "bom.json": lambda o: o.rows == [[1]],
}
REFUSED = {
    "only_nul.csv": "INVALID_FILE_TYPE",
    "exe_named.csv": "INVALID_FILE_TYPE",
    "gz_named.csv": "INVALID_FILE_TYPE",
    "pg_copy.csv": "NO_HEADERS",
    "deep.json": "SOURCE_UNREADABLE",
    "bigint.json": "SOURCE_UNREADABLE",
    "long_int_5000.json": "SOURCE_UNREADABLE",
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_nasty_file_is_read_right_or_refused(tools: Tools, case: dict[str, str]) -> None:
    opened = Opened(tools, DATA / case["file"])
    if case["kind"] in ("csv", "json") and case["id"] in READ:
        assert opened.refused is None, opened.refused
        assert READ[case["id"]](opened), (opened.columns, opened.rows[:9], opened.notes)
        return
    wanted = REFUSED[case["id"]] if case["kind"] in ("csv", "json") else "INVALID_FILE_TYPE"
    assert opened.refused is not None
    assert wanted in opened.refused


def book(**sheets: list[list[Any]]) -> bytes:
    """A workbook with these sheets."""
    import openpyxl

    made = openpyxl.Workbook()
    assert made.active is not None
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    made.save(sink)
    return sink.getvalue()


DIRTY: dict[str, tuple[bytes | Callable[[], bytes], list[str], list[list[Any]], bool]] = {
    "preamble.csv": (
        b"Report of the shop\n\nregion,amount\nWest,10\nEast,5\nNorth,7\n",
        ["region", "amount"],
        [["West", 10], ["East", 5], ["North", 7]],
        True,
    ),
    "semicolons.csv": (
        "stadt;menge;preis\nKöln;3;1,50\nUlm;4;2,25\n".encode("cp1252"),
        ["stadt", "menge", "preis"],
        [["Köln", 3, "1.50"], ["Ulm", 4, "2.25"]],
        True,
    ),
    "tabs.tsv": (b"a\tb\n1\tx,y\n2\tz\n", ["a", "b"], [[1, "x,y"], [2, "z"]], False),
    "breaks.csv": (
        b'id,note\n1,"two\nlines"\n2,"a ""word"""\n',
        ["id", "note"],
        [[1, "two\nlines"], [2, 'a "word"']],
        False,
    ),
    "doubt.csv": (
        b"day,amount\n03/04/2024,1\n05/06/2024,2\n",
        ["day", "amount"],
        [["03/04/2024", 1], ["05/06/2024", 2]],
        True,
    ),
    "sure.csv": (
        b"day,amount\n13/04/2024,1\n05/06/2024,2\n",
        ["day", "amount"],
        [["2024-04-13", 1], ["2024-06-05", 2]],
        True,
    ),
    "codes.csv": (b"zip,amount\n00501,1\n02134,2\n", ["zip", "amount"], [["00501", 1], ["02134", 2]], False),
    "sick.csv": (
        b"id,price\n1,10\n2,TBD\n3,12\n4,11\n",
        ["id", "price"],
        [[1, 10], [2, None], [3, 12], [4, 11]],
        True,
    ),
    "lines.jsonl": (b'{"id": 1, "v": "x"}\n{"id": 2, "v": null}\n', ["id", "v"], [[1, "x"], [2, None]], False),
    "nested.json": (b'[{"id": 1, "v": 2.5}, {"id": 2, "v": 3.5}]', ["id", "v"], [[1, "2.5"], [2, "3.5"]], False),
    "sheets.xlsx": (
        lambda: book(Orders=[["id", "day", "zip"], [1, date(2024, 1, 5), "00501"], [2, date(2024, 2, 29), "02134"]]),
        ["id", "day", "zip"],
        [[1, "2024-01-05", "00501"], [2, "2024-02-29", "02134"]],
        False,
    ),
}
"""A small file, its columns, its rows, and whether its reader must be told something."""


@pytest.mark.parametrize("name", DIRTY)
def test_a_dirty_file_is_read_as_it_means_and_a_doubt_is_told(tools: Tools, tmp_path: Path, name: str) -> None:
    content, columns, rows, doubt = DIRTY[name]
    path = tmp_path / name
    path.write_bytes(content() if callable(content) else content)
    opened = Opened(tools, path)
    assert opened.refused is None, opened.refused
    assert (opened.names, opened.rows) == (columns, rows), (opened.columns, opened.notes)
    assert opened.told or not doubt


def test_a_doubt_is_told_with_the_answer_in_every_face(
    served: Any, run_averment: Callable[..., Any], tmp_path: Path
) -> None:
    content = b"region,amount\nWest,10\nEast,5\nNorth\nWest,7,9\n"
    path = tmp_path / "short.csv"
    path.write_bytes(content)
    done = run_averment("analyze", "total amount by region", "--source", path, "--json")
    assert done.code == 0, done.out
    assert "row" in done.document["report"].lower().split("## limits")[-1] or "short.csv" in done.document["report"]
    run = served.run_of(served.ask(("short.csv", content), intent="total amount by region"))
    assert served.client.get(f"/v1/runs/{run['id']}/report").text.count("short.csv") >= 1


def bomb(members: int, megabytes: int) -> bytes:
    """A workbook that could be read, and unpacks to far more than it is."""
    sink = io.BytesIO(book(Orders=[["id", "amount"], [1, 2]]))
    with zipfile.ZipFile(sink, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(members):
            with archive.open(f"xl/media/m{number}.bin", "w") as member:
                for _ in range(megabytes):
                    member.write(bytes(1 << 20))
    return sink.getvalue()


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "many members": ("many.xlsx", lambda: bomb(20_000, 0)),
    "one large member": ("large.xlsx", lambda: bomb(1, 300)),
    "a line without end": ("line.csv", lambda: b"x" * 5_000_000),
    "delimiters without end": ("commas.csv", lambda: b"x," * 2_500_000),
    "quotes without end": ("quotes.csv", lambda: b'"' * 5_000_000),
    "digits without end": ("digits.csv", lambda: b"1" * 5_000_000),
    "nesting without end": ("deep.json", lambda: b"[" * 200_000),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_refused(tools: Tools, tmp_path: Path, kind: str) -> None:
    name, made = BOMBS[kind]
    path = tmp_path / name
    path.write_bytes(made())
    opened = Opened(tools, path)
    assert opened.refused is not None
    assert any(code in opened.refused for code in ("SOURCE_UNREADABLE", "NO_ROWS", "NO_HEADERS", "INVALID_FILE_TYPE"))


@pytest.mark.parametrize(
    "text",
    ['a,b\n"' + '","' * 60_000, "a,b\n" + '"\n' * 30_000, "a,b\n" + '1,"x\n' * 20_000],
    ids=["commas", "lines", "opens"],
)
def test_quotes_without_an_end_are_told_or_refused(tools: Tools, tmp_path: Path, text: str) -> None:
    path = tmp_path / "quotes.csv"
    path.write_text(text, encoding="utf-8")
    opened = Opened(tools, path)
    assert opened.refused or opened.told


def test_one_cell_of_five_megabytes_is_read_whole(tools: Tools, tmp_path: Path) -> None:
    path = tmp_path / "cell.csv"
    path.write_text('id,t\n1,"' + "x" * 5_000_000 + '"\n2,y\n', encoding="utf-8")
    (answer,) = tools(("query", {"sql": "SELECT id, length(t) AS n FROM cell", "sources": [str(path)]}))
    assert answer.structured_content["rows"] == [[1, 5_000_000], [2, 1]]


@pytest.mark.parametrize(
    ("name", "content", "code", "status"),
    [
        ("empty.csv", b"", "SOURCE_EMPTY", 422),
        ("header.csv", b"region,amount\n", "NO_ROWS", 422),
        ("broken.xlsx", b"PK\x03\x04 and no more", "SOURCE_UNREADABLE", 422),
        ("not.parquet", b"a,b\n1,2\n", "INVALID_FILE_TYPE", 415),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_http_and_by_the_command_alike(
    served: Any,
    run_averment: Callable[..., Any],
    tmp_path: Path,
    name: str,
    content: bytes,
    code: str,
    status: int,
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    before = served.uploads()
    answer = served.ask((name, content), intent="total amount")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert served.uploads() == before
    done = run_averment("analyze", "total amount", "--source", path, "--json")
    assert (done.code, done.error, done.document["error"]["hint"] != "") == (2, code, True)


@pytest.mark.parametrize(("name", "content"), [("virus.exe", b"MZ\x90\x00"), ("noending", b"a,b\n1,2\n")])
def test_a_kind_of_file_that_is_not_offered_cannot_be_uploaded(served: Any, name: str, content: bytes) -> None:
    before = served.uploads()
    answer = served.ask((name, content), intent="total amount")
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "INVALID_FILE_TYPE")
    assert served.uploads() == before
