"""Broken and hostile files given as sources: the right reading or a clear refusal, in bounded time and memory."""

from __future__ import annotations

import io
import json
import zipfile
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from averment.errors import SourceError
from averment.settings import Settings
from averment.tables.sources.opening import open_sources

DATA = Path(__file__).parent / "data" / "nasty_files"
CASES = [json.loads(line) for line in (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()]


class Opened:
    """A source that was read: its columns, rows and notes."""

    def __init__(self, path, folder):
        catalog = open_sources([str(path)], settings=Settings(), cache_dir=folder)
        (self.source,) = catalog.sources
        self.columns = {column.name: column.type for column in catalog.tables[0].columns}
        self.codes = {note.code for note in catalog.notes}
        self.notes = catalog.notes
        with duckdb.connect(self.source.attach_path, read_only=True) as connection:
            self.rows = connection.execute("SELECT * FROM data").fetchall()

    def flagged(self, code):
        return code in self.codes


READ = {
    "bom_utf8.csv": lambda o: list(o.columns) == ["id", "v"] and o.rows == [(1, 2)],
    "bom_utf16le.csv": lambda o: o.rows == [(1, "é")],
    "utf16be_nobom.csv": lambda o: o.rows == [(1, "é")],
    "cp1252_smart.csv": lambda o: o.rows == [(1, "“q”")] and o.flagged("encoding_assumed"),
    "mixed_encodings.csv": lambda o: any(n.code == "mixed_encodings" and n.rows == (2,) for n in o.notes),
    "unclosed_quote.csv": lambda o: len(o.rows) in (2998, 2999) and o.flagged("mended_rows"),
    "stray_quote.csv": lambda o: o.rows == [(1, '5" pipe'), (2, "ok")],
    "mixed_eol.csv": lambda o: len(o.rows) == 3,
    "ragged.csv": lambda o: {(n.code, n.rows) for n in o.notes} >= {("short_rows", (1,)), ("long_rows", (2,))},
    "dup_headers.csv": lambda o: len(set(map(str.lower, o.columns))) == 4 and o.flagged("duplicate_header"),
    "blank_headers.csv": lambda o: list(o.columns) == ["column_1", "column_2", "x"] and o.flagged("blank_header"),
    "header_injection.csv": lambda o: next(iter(o.columns)) == 'a"; DROP TABLE sales; --' and o.rows == [(1, 2)],
    "header_keywords.csv": lambda o: list(o.columns) == ["select", "from", "group", "order"],
    "semicolon_decimal_comma.csv": lambda o: [row[1] for row in o.rows] == [Decimal("1234.56"), Decimal("7.80")],
    "thousands.csv": lambda o: o.columns["v"] == "VARCHAR" and o.flagged("ambiguous_numbers"),
    "dates_ambiguous.csv": lambda o: o.columns["d"] == "VARCHAR" and o.flagged("ambiguous_dates"),
    "tz_mixed.csv": lambda o: o.columns["t"] == "VARCHAR" and o.flagged("mixed_time_zones"),
    "numbers_edge.csv": lambda o: (
        ("9007199254740993",) in o.rows and o.flagged("mixed_values") and o.flagged("null_words")
    ),
    "leading_zeros.csv": lambda o: o.rows == [("00501",), ("02134",)],
    "excel_sci.csv": lambda o: o.columns["id"] == "VARCHAR" and o.flagged("excel_scientific"),
    "null_words.csv": lambda o: [row[0] for row in o.rows] == [None] * 4 + ["none", "#REF!", "0"],
    "sep_line.csv": lambda o: list(o.columns) == ["id", "v"] and o.rows == [(1, 2)],
    "control_chars.csv": lambda o: o.flagged("control_characters"),
    "unicode_confusable.csv": lambda o: o.flagged("confusable_header"),
    "zero_width.csv": lambda o: list(o.columns) == ["id", "value"] and o.flagged("invisible_characters"),
    "nfc_nfd.csv": lambda o: o.flagged("unicode_forms"),
    "bom.json": lambda o: o.rows == [(1,)],
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
def test_a_nasty_file_meets_its_expectation(case, tmp_path):
    path = DATA / case["file"]
    if case["kind"] in ("csv", "json") and case["id"] in READ:
        assert READ[case["id"]](Opened(path, tmp_path / "cache"))
        return
    with pytest.raises(SourceError) as caught:
        Opened(path, tmp_path / "cache")
    wanted = REFUSED[case["id"]] if case["kind"] in ("csv", "json") else "INVALID_FILE_TYPE"
    assert caught.value.code == wanted
    assert caught.value.hint


def _refusal(path, folder):
    with pytest.raises(SourceError) as caught:
        Opened(path, folder)
    return caught.value.code


def test_one_cell_of_five_megabytes_is_read_whole(tmp_path):
    path = tmp_path / "cell.csv"
    path.write_text('id,t\n1,"' + "x" * 5_000_000 + '"\n2,y\n', encoding="utf-8")
    assert [len(row[1]) for row in Opened(path, tmp_path / "cache").rows] == [5_000_000, 1]


@pytest.mark.parametrize("text", ["x" * 5_000_000, "x," * 2_500_000, '"' * 5_000_000, "1" * 5_000_000])
def test_five_megabytes_without_a_line_end_are_refused(tmp_path, text):
    path = tmp_path / "line.csv"
    path.write_text(text, encoding="utf-8")
    assert _refusal(path, tmp_path / "cache")


def test_a_zip_of_twenty_thousand_members_named_as_workbook_is_refused(tmp_path):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        for number in range(20_000):
            archive.writestr(f"m{number}", "")
    path = tmp_path / "many.xlsx"
    path.write_bytes(sink.getvalue())
    assert _refusal(path, tmp_path / "cache") == "SOURCE_UNREADABLE"


@pytest.mark.parametrize(
    "text",
    ['a,b\n"' + '","' * 60_000, "a,b\n" + '"\n' * 30_000, "a,b\n" + '1,"x\n' * 20_000],
    ids=["commas", "lines", "opens"],
)
def test_quotes_without_end_do_not_take_quadratic_time(tmp_path, text):
    path = tmp_path / "quotes.csv"
    path.write_text(text, encoding="utf-8")
    try:
        assert Opened(path, tmp_path / "cache").codes
    except SourceError as error:
        assert error.code
