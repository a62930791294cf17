"""Delimiters, quotes, escapes, line ends and encodings: the same table out of every way to write it."""

from __future__ import annotations

import csv
import io
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from averment.errors import InvalidFileType, NoHeaders, SourceAmbiguous, SourceEmpty

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "reader.py")))
TEXT = {"types": "text"}


def _texts(reading):
    return [["" if cell is None else cell.strip() for cell in row] for row in reading.rows]


def _written(delimiter=",", quote='"', escape=None, quoting=csv.QUOTE_ALL):
    sink = io.StringIO()
    csv.writer(
        sink,
        delimiter=delimiter,
        quotechar=quote,
        escapechar=escape,
        doublequote=escape is None,
        quoting=quoting,
        lineterminator="\n",
    ).writerows(reader.SHOP)
    return sink.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ", ", "; ", "^", "~"])
def test_the_delimiter_is_found_and_the_cells_are_the_same(tmp_path, delimiter):
    reading = reader.read(tmp_path, reader.shop_text(reader.shop_lines(delimiter)), **TEXT)
    assert list(reading.columns) == reader.SHOP[0]
    assert _texts(reading) == reader.SHOP[1:]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_every_line_end_gives_the_same_rows(tmp_path, end):
    assert _texts(reader.read(tmp_path, reader.shop_text(reader.shop_lines(), end), **TEXT)) == reader.SHOP[1:]


@pytest.mark.parametrize(
    "text",
    [
        _written(),
        _written(quote="'"),
        _written(quote="'", quoting=csv.QUOTE_MINIMAL),
        _written(escape="\\"),
        _written(escape="\\", quoting=csv.QUOTE_MINIMAL),
        _written().replace('5"" Long', '5" Long'),
    ],
    ids=["all", "single", "single-minimal", "backslash", "backslash-minimal", "not-escaped"],
)
def test_quotes_and_escapes_are_found(tmp_path, text):
    assert _texts(reader.read(tmp_path, text, **TEXT)) == reader.SHOP[1:]


def test_a_table_separated_by_spaces_whose_texts_hold_spaces_is_refused(tmp_path):
    with pytest.raises((SourceAmbiguous, NoHeaders)):
        reader.read(tmp_path, reader.shop_text(reader.shop_lines(" ")), **TEXT)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_encodings_are_read_exactly(tmp_path, codec):
    text = "name,größe\nMüller,1\nZoë,2\nÅsa,3\n"
    reading = reader.read(tmp_path, text.encode(codec))
    assert reading.columns == {"name": "VARCHAR", "größe": "BIGINT"}
    assert reading.rows == [("Müller", 1), ("Zoë", 2), ("Åsa", 3)]


def test_windows_1252_is_read_and_said(tmp_path):
    reading = reader.read(tmp_path, "name,price\nCafé,“5”\nThé,6\n".encode("cp1252"), types="text")
    assert reading.rows == [("Café", "“5”"), ("Thé", "6")]
    assert "encoding_assumed" in reading.codes


def test_an_encoding_that_cannot_be_told_is_asked_for(tmp_path):
    data = "имя,город\nпривет,москва\nздравствуй,казань\n".encode("cp1251")
    with pytest.raises(SourceAmbiguous):
        reader.read(tmp_path, data)
    assert reader.read(tmp_path, data, encoding="cp1251").rows[0] == ("привет", "москва")


def test_lines_in_two_encodings_are_flagged(tmp_path):
    reading = reader.read(tmp_path, "id,t\n1,é\n".encode() + "2,é\n".encode("latin-1"))
    assert reading.rows == [(1, "é"), (2, "é")]
    assert reading.note("mixed_encodings")["rows"] == (2,)


@pytest.mark.parametrize(
    "data", [b"\x00" * 4096, b"\x01\x02\x03\x04" * 64, bytes(range(256)) * 8], ids=["nul", "control", "all"]
)
def test_binary_data_is_no_table(tmp_path, data):
    with pytest.raises(InvalidFileType):
        reader.read(tmp_path, data)


@pytest.mark.parametrize("data", [b"", b"\n\n\n", b"  \r\n \r\n", b"\xef\xbb\xbf"])
def test_a_file_without_anything_in_it_is_empty(tmp_path, data):
    with pytest.raises(SourceEmpty):
        reader.read(tmp_path, data)


def test_an_empty_file_opens_without_tables_when_that_is_allowed(tmp_path):
    assert reader.read(tmp_path, b"", allow_no_rows=True).types == {}


def test_a_separator_line_is_honoured(tmp_path):
    reading = reader.read(tmp_path, "sep=;\nid;v\n1;a,b\n2;c,d\n")
    assert reading.rows == [(1, "a,b"), (2, "c,d")]
    assert "separator_line" in reading.codes


def test_a_forced_delimiter_wins(tmp_path):
    assert list(reader.read(tmp_path, "a;b,c\n1;2,3\n4;5,6\n", delimiter=",").columns) == ["a;b", "c"]


def test_a_second_reading_as_good_as_the_first_is_told(tmp_path):
    reading = reader.read(tmp_path, "ab,cd|ef\ngh,ij|kl\nmn,op|qr\nst,uv|wx\n")
    assert "dialect_disagreement" in reading.codes


def test_json_under_a_csv_name_is_refused(tmp_path):
    with pytest.raises(InvalidFileType):
        reader.read(tmp_path, '[{"a": 1}, {"a": 2}]')


def test_a_cell_of_five_megabytes_is_read_whole(tmp_path):
    reading = reader.read(tmp_path, f"id,t\n1,{'x' * 5_000_000}\n2,y\n")
    assert [len(row[1]) for row in reading.rows] == [5_000_000, 1]


_cells = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)


@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(_cells, _cells), min_size=1, max_size=6))
def test_whatever_a_writer_quotes_comes_back_as_it_was(tmp_path, rows):
    sink = io.StringIO()
    writer = csv.writer(sink, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["number", "left", "right"])
    writer.writerows([number, *row] for number, row in enumerate(rows))
    reading = reader.read(tmp_path, sink.getvalue(), delimiter=",", quote='"', header="present", types="text")
    assert [tuple(cell or "" for cell in row[1:]) for row in reading.rows] == rows
