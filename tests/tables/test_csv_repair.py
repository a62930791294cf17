"""Rows that do not fit: put right where the other rows prove how, flagged in every case, never silently wrong."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from averment.errors import SourceAmbiguous

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "reader.py")))
SHOP = reader.SHOP
FLAGS = {"mended_rows", "short_rows", "long_rows", "stray_quotes", "trailing_cells"}


def _read_with(folder, row, line):
    lines = reader.shop_lines()
    lines[row] = line
    reading = reader.read(folder, reader.shop_text(lines), types="text")
    return reading, [["" if cell is None else cell for cell in cells] for cells in reading.rows]


@pytest.mark.parametrize("column", range(9))
@pytest.mark.parametrize("row", [1, 5, 8])
def test_a_doubled_delimiter_is_taken_out_again(tmp_path, row, column):
    cells = reader.raw_cells(SHOP[row])
    reading, rows = _read_with(tmp_path, row, ",".join([*cells[:column], "", *cells[column:]]))
    assert rows == SHOP[1:]
    assert reading.codes & FLAGS


@pytest.mark.parametrize("column", range(1, 9))
@pytest.mark.parametrize("row", [1, 3, 5])
def test_a_missing_delimiter_is_put_back_or_the_row_is_flagged(tmp_path, row, column):
    cells = reader.raw_cells(SHOP[row])
    reading, rows = _read_with(tmp_path, row, ",".join(cells[:column]) + ",".join(cells[column:]))
    assert reading.codes & FLAGS
    assert len(rows) == len(SHOP) - 1
    assert [line for place, line in enumerate(rows, 1) if place != row] == [
        line for place, line in enumerate(SHOP[1:], 1) if place != row
    ]
    if column in (1, 2, 3, 4, 7):
        assert rows[row - 1] == SHOP[row]


@pytest.mark.parametrize("column", range(9))
@pytest.mark.parametrize("row", [1, 4, 8])
def test_a_stray_quote_stays_in_its_cell(tmp_path, row, column):
    cells = reader.raw_cells(SHOP[row])
    reading, rows = _read_with(tmp_path, row, ",".join([*cells[:column], '"' + cells[column], *cells[column + 1 :]]))
    wanted = [list(line) for line in SHOP[1:]]
    wanted[row - 1][column] = '"' + wanted[row - 1][column]
    assert rows == wanted
    assert reading.codes & FLAGS


@pytest.mark.parametrize("delimiter", [" ", ";", "\t", "|"])
@pytest.mark.parametrize("row", [1, 4, 6])
def test_one_row_in_another_delimiter_is_understood(tmp_path, row, delimiter):
    reading, rows = _read_with(tmp_path, row, delimiter.join(reader.raw_cells(SHOP[row])))
    assert rows == SHOP[1:]
    assert reading.note("mended_rows")["rows"] == (row,)


def test_short_and_long_rows_are_flagged_row_by_row(tmp_path):
    reading = reader.read(tmp_path, "a,b,c\n1,2\n1,2,3,4\n1,2,3\n")
    assert reading.rows == [(1, 2, None), (1, 2, 3), (1, 2, 3)]
    assert reading.note("short_rows")["rows"] == (1,)
    assert reading.note("long_rows")["rows"] == (2,)


def test_an_unclosed_quote_does_not_swallow_the_file(tmp_path):
    text = 'id,t\n1,"open\n' + "".join(f"{number},x\n" for number in range(2, 3_000))
    reading = reader.read(tmp_path, text)
    assert len(reading.rows) == 2_999
    assert reading.codes & FLAGS


def test_an_unclosed_quote_far_down_is_flagged(tmp_path):
    lines = [f"{number},x" for number in range(1, 5_000)]
    lines[4_000] = '4001,"x'
    reading = reader.read(tmp_path, "id,t\n" + "\n".join(lines) + "\n")
    assert len(reading.rows) == 4_999
    assert reading.note("mended_rows")["rows"] == (4_001,)


def test_a_quote_in_the_middle_is_a_character(tmp_path):
    assert reader.read(tmp_path, 'id,t\n1,5" pipe\n2,ok\n').rows == [(1, '5" pipe'), (2, "ok")]


def test_mixed_line_ends_are_all_line_ends(tmp_path):
    assert reader.read(tmp_path, "id,t\r\n1,a\n2,b\r3,c\r\n").rows == [(1, "a"), (2, "b"), (3, "c")]


def test_line_ends_inside_quotes_stay_in_their_cell(tmp_path):
    reading = reader.read(tmp_path, 'id,t\r\n1,"two\nlines"\r\n2,"x\r\ny"\r\n')
    assert reading.rows == [(1, "two\nlines"), (2, "x\r\ny")]


def test_blank_rows_are_left_out_and_told(tmp_path):
    reading = reader.read(tmp_path, "a,b,c\n1,2,3\n,,\n\n4,5,6\n,,\n")
    assert reading.rows == [(1, 2, 3), (4, 5, 6)]
    assert "blank_rows" in reading.codes


def test_a_blank_line_in_a_single_column_is_a_missing_value(tmp_path):
    assert reader.read(tmp_path, "v\n1\n\n3\n").rows == [(1,), (None,), (3,)]


def test_a_file_whose_rows_mostly_do_not_fit_is_refused(tmp_path):
    text = "a,b,c\n" + "".join(",".join(["x"] * (4 + number % 5)) + "\n" for number in range(30)) + "1,2,3\n" * 4
    with pytest.raises(SourceAmbiguous):
        reader.read(tmp_path, text)


def test_a_title_after_a_gap_and_over_names_is_left_out_and_told(tmp_path):
    text = "name,n,note\nA,1,x\nB,2,y\n,,\nSecond part,,\nname2,n2,note2\nC,3,z\n"
    reading = reader.read(tmp_path, text, types="text")
    assert ("Second part", None, None) not in reading.rows
    assert "section_titles" in reading.codes


def test_titles_between_the_rows_are_told(tmp_path):
    rows = "".join(f"A{number},{number},x{number}\n" for number in range(20))
    assert "sparse_rows" in reader.read(tmp_path, f"name,n,note\n{rows}Second part,,\n{rows}").codes
