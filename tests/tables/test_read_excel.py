"""Workbooks: a table for each sheet, dates as dates, and archives that lie refused."""

from __future__ import annotations

import io
import runpy
import zipfile
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from averment.errors import InvalidFileType, SourceEmpty, SourceUnreadable
from lazily import lazily

openpyxl = lazily("openpyxl")
excel_dates = lazily("openpyxl.utils.datetime")

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "reader.py")))


def _book(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def _read(folder, data, **options):
    return reader.read(folder, data, "book.xlsx", **options)


def test_cells_keep_their_types(tmp_path):
    rows = [
        ["id", "day", "at", "clock", "name", "amount", "ok", "zip"],
        [1, date(2024, 1, 5), datetime(2024, 1, 5, 10, 30), time(9, 15), "x", 0.5, True, "00501"],
        [2, date(2024, 2, 29), datetime(2024, 1, 6, 11, 0), time(10, 0), "y", 12.25, False, "02134"],
        [3, None, None, None, None, None, None, None],
    ]
    reading = _read(tmp_path, _book(Orders=rows))
    assert reading.cells["orders"] == [
        (1, date(2024, 1, 5), datetime(2024, 1, 5, 10, 30), time(9, 15), "x", Decimal("0.50"), True, "00501"),
        (2, date(2024, 2, 29), datetime(2024, 1, 6, 11, 0), time(10, 0), "y", Decimal("12.25"), False, "02134"),
        (3, None, None, None, None, None, None, None),
    ]


def test_every_sheet_is_a_table_and_titles_are_left_out(tmp_path):
    data = _book(**{"First one": [["a", "b"], [1, 2]], "Second": [["Report"], [], ["k", "v"], ["x", 1.5]], "Empty": []})
    reading = _read(tmp_path, data)
    assert reading.cells == {"first_one": [(1, 2)], "second": [("x", Decimal("1.5"))]}


def test_a_formula_without_a_saved_value_is_no_value(tmp_path):
    reading = _read(tmp_path, _book(S=[["a", "b"], [1, 5], ["=A2+1", 6]]))
    assert reading.cells["s"] == [(1, 5), (None, 6)]


def test_text_among_numbers_is_told(tmp_path):
    rows = [["v", "w"], *([number, number] for number in range(10)), ["approximately", 5]]
    reading = _read(tmp_path, _book(S=rows))
    assert reading.types["s"]["v"] == "VARCHAR"
    assert "mixed_values" in reading.codes


def test_days_counted_from_1904_are_the_same_days(tmp_path):
    book = openpyxl.Workbook()
    book.epoch = excel_dates.CALENDAR_MAC_1904
    for row in (["day", "n"], [date(2024, 1, 5), 1], [date(2024, 2, 29), 2]):
        book.active.append(row)
    sink = io.BytesIO()
    book.save(sink)
    reading = _read(tmp_path, sink.getvalue())
    assert [row[0] for row in reading.cells["sheet"]] == [date(2024, 1, 5), date(2024, 2, 29)]


def test_an_empty_workbook_is_empty(tmp_path):
    with pytest.raises(SourceEmpty):
        _read(tmp_path, _book(S=[]))


def _archive(**members):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return sink.getvalue()


def test_an_archive_that_is_no_workbook_is_refused(tmp_path):
    with pytest.raises(InvalidFileType):
        _read(tmp_path, _archive(readme="x"))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    with pytest.raises(SourceUnreadable):
        _read(tmp_path, _archive(xl__workbook_xml=b"<workbook/>", xl__worksheets__sheet1_xml=b"\x00" * 60_000_000))


def test_entities_are_refused(tmp_path):
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbb">]><workbook>&b;</workbook>'
    with pytest.raises(SourceUnreadable):
        _read(tmp_path, _archive(xl__workbook_xml=bomb))


def test_a_torn_workbook_is_refused(tmp_path):
    data = _book(S=[["a"], [1]])
    with pytest.raises(SourceUnreadable):
        _read(tmp_path, data[: len(data) // 2])
