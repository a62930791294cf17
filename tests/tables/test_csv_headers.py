"""Where the header is, what is before it, and what the columns are called."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from averment.errors import NoHeaders, NoRows, SourceAmbiguous

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "reader.py")))
SHOP = reader.SHOP


def _names(reading):
    return list(reading.columns)


@pytest.mark.parametrize(
    "before", ["PREAMBLE,,,,,,,,\n,,,,,,,,\n", "Some report\n\n", "Report, 2018\nby me\n,,,,,,,,\n", "\n\n"]
)
def test_lines_before_the_header_are_left_out(tmp_path, before):
    reading = reader.read(tmp_path, before + reader.shop_text(reader.shop_lines()), types="text")
    assert _names(reading) == SHOP[0]
    assert len(reading.rows) == len(SHOP) - 1


@pytest.mark.parametrize("levels", [2, 3])
def test_header_rows_are_joined(tmp_path, levels):
    lines = reader.shop_lines()
    reading = reader.read(tmp_path, reader.shop_text([lines[0]] * levels + lines[1:]), types="text")
    assert _names(reading) == [" ".join([name] * levels) for name in SHOP[0]]
    assert "header_rows" in reading.codes


def test_a_name_that_spans_columns_is_repeated_over_them(tmp_path):
    text = "control,,fire,\nX,Y,X,Y\n4.4,0.1,4.8,2.0\n4.6,-1.0,5.1,3.0\n4.9,-0.1,5.6,0.8\n"
    assert _names(reader.read(tmp_path, text)) == ["control X", "control Y", "fire X", "fire Y"]


@pytest.mark.seed("B-018")
def test_data_without_a_header_is_refused_and_read_on_request(tmp_path):
    text = "1,1,a.wav,0.95\n1,2,b.wav,1.03\n1,3,c.wav,0.79\n"
    with pytest.raises(NoHeaders):
        reader.read(tmp_path, text)
    reading = reader.read(tmp_path, text, header="none")
    assert _names(reading) == ["column_1", "column_2", "column_3", "column_4"]
    assert len(reading.rows) == 3
    assert "generated_names" in reading.codes


@pytest.mark.parametrize("text", ["1\n2\n3\n", "0.5,0.1\n0.6,0.2\n", "2024-01-01,5\n2024-01-02,6\n", "\\N\t1\n\\.\n"])
def test_a_first_row_of_values_is_no_header(tmp_path, text):
    with pytest.raises(NoHeaders):
        reader.read(tmp_path, text)


def test_years_may_be_names(tmp_path):
    reading = reader.read(tmp_path, "country,2019,2020,2021\nPeru,1,2,3\nChad,4,5,6\nFiji,7,8,9\n")
    assert _names(reading) == ["country", "2019", "2020", "2021"]


def test_a_header_alone_has_no_rows(tmp_path):
    with pytest.raises(NoRows):
        reader.read(tmp_path, "id,name\n")
    reading = reader.read(tmp_path, "id,name\n", allow_no_rows=True)
    assert _names(reading) == ["id", "name"]
    assert reading.rows == []


def test_one_row_of_data_is_enough(tmp_path):
    assert reader.read(tmp_path, "id,name\n7,Ann\n").rows == [(7, "Ann")]


def test_a_table_of_words_keeps_its_first_row_as_header(tmp_path):
    assert _names(reader.read(tmp_path, "name,city\nAnn,Rome\nBob,Oslo\nCid,Rome\n")) == ["name", "city"]


def test_duplicate_blank_and_odd_names_are_made_usable_and_told(tmp_path):
    reading = reader.read(tmp_path, "id,id,ID ,,v\u200bal,v\u0430lue\n1,2,3,4,5,6\n")
    assert _names(reading) == ["id", "id_2", "ID_3", "column_4", "val", "v\u0430lue"]
    assert {"duplicate_header", "blank_header", "invisible_characters", "confusable_header"} <= reading.codes
    assert reading.originals["data"][3] == ""


def test_a_name_with_sql_in_it_is_only_a_name(tmp_path):
    name = 'a"; DROP TABLE data; --'
    reading = reader.read(tmp_path, '"a""; DROP TABLE data; --",select\n1,2\n3,4\n')
    assert _names(reading) == [name, "select"]
    assert reading.rows == [(1, 2), (3, 4)]


def test_two_names_run_together_are_refused_rather_than_shifted(tmp_path):
    lines = reader.shop_lines()
    lines[0] = lines[0].replace("date,time", "datetime")
    with pytest.raises(SourceAmbiguous):
        reader.read(tmp_path, reader.shop_text(lines))


def test_a_header_line_in_another_delimiter_is_understood(tmp_path):
    lines = reader.shop_lines()
    lines[0] = ";".join(SHOP[0])
    reading = reader.read(tmp_path, reader.shop_text(lines), types="text")
    assert _names(reading) == SHOP[0]
    assert "header_mended" in reading.codes


def test_row_labels_without_a_name_do_not_shift_the_others(tmp_path):
    reading = reader.read(tmp_path, '"mpg","cyl"\n"Mazda",21,6\n"Fiat",32,4\n"Honda",30,4\n')
    assert reading.columns == {"column_1": "VARCHAR", "mpg": "BIGINT", "cyl": "BIGINT"}
    assert "row_labels" in reading.codes


def test_a_delimiter_at_the_end_of_each_row_makes_no_column(tmp_path):
    assert _names(reader.read(tmp_path, "a,b\n1,2,\n3,4,\n5,6,\n")) == ["a", "b"]


def test_a_second_table_below_the_first_becomes_its_own(tmp_path):
    shop = reader.shop_text(reader.shop_lines())
    reading = reader.read(tmp_path, shop + "city,people\nRome,3\nOslo,1\nBern,2\n", types="text")
    assert len(reading.rows) == len(SHOP) - 1
    assert reading.cells["data_2"] == [("Rome", "3"), ("Oslo", "1"), ("Bern", "2")]
    assert "several_tables" in reading.codes
