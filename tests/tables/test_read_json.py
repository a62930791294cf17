"""JSON: strict about what it is, exact about numbers, and a table out of every usual shape."""

from __future__ import annotations

import json
import runpy
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from averment.errors import InvalidFileType, NoRows, SourceEmpty, SourceUnreadable
from averment.tables.read import json_read
from averment.tables.read.json_read import check_json, parse_json

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "reader.py")))


def _read(folder, value, name="data.json", **options):
    text = value if isinstance(value, (str, bytes)) else json.dumps(value)
    return reader.read(folder, text, name, **options)


@pytest.mark.parametrize(
    "value",
    [
        [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
        {"a": [1, 2], "b": ["x", "y"]},
        {"data": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], "page": 1},
        [["a", "b"], [1, "x"], [2, "y"]],
    ],
)
def test_the_usual_shapes_give_the_same_table(tmp_path, value):
    reading = _read(tmp_path, value)
    assert reading.columns == {"a": "BIGINT", "b": "VARCHAR"}
    assert reading.rows == [(1, "x"), (2, "y")]


def test_lines_of_json_are_rows(tmp_path):
    reading = _read(tmp_path, '{"a": 1}\n\n{"b": "x"}\n', "data.jsonl")
    assert reading.rows == [(1, None), (None, "x")]


def test_nested_objects_are_flattened_and_arrays_kept(tmp_path):
    reading = _read(tmp_path, [{"a": {"b": 1, "c": {"d": True}}, "e": [1, {"f": 2.50}]}])
    assert reading.columns == {"a.b": "BIGINT", "a.c.d": "BOOLEAN", "e": "VARCHAR"}
    assert reading.rows == [(1, True, '[1,{"f":2.5}]')]


def test_several_lists_are_several_tables(tmp_path):
    reading = _read(tmp_path, {"orders": [{"id": 1}], "people": [{"name": "x"}]})
    assert set(reading.types) == {"orders", "people"}


def test_numbers_are_exact_and_texts_stay_texts(tmp_path):
    text = '[{"n": 9007199254740993, "d": 0.10, "t": "00501", "w": "2024-01-31"}]'
    reading = _read(tmp_path, text)
    assert reading.rows == [(9007199254740993, Decimal("0.10"), "00501", date(2024, 1, 31))]


def test_a_whole_number_beyond_the_engine_is_kept_as_text(tmp_path):
    assert _read(tmp_path, '[{"a": ' + "9" * 200 + "}]").rows == [("9" * 200,)]


def test_values_of_several_types_are_text_with_a_note(tmp_path):
    reading = _read(tmp_path, [{"a": 1}, {"a": "x"}, {"a": None}])
    assert reading.rows == [("1",), ("x",), (None,)]
    assert "mixed_values" in reading.codes


def test_an_empty_text_is_not_a_null(tmp_path):
    assert _read(tmp_path, [{"a": ""}, {"a": None}, {"a": "NA"}]).rows == [("",), (None,), ("NA",)]


def test_keys_that_occur_twice_are_told(tmp_path):
    reading = _read(tmp_path, '[{"a": 1, "a": 2}]')
    assert reading.rows == [(2,)]
    assert "duplicate_keys" in reading.codes


@pytest.mark.parametrize(
    "text",
    [
        "[NaN]",
        "[Infinity]",
        "[1,]",
        "{'a': 1}",
        "[1] // no",
        '["\ud800"]'.encode("utf-8", "surrogatepass"),
        b'["\xff"]',
        "[" * 100_000,
        "[" * 300 + "]" * 300,
        '[{"a": ' + "9" * 5_000 + "}]",
        "[1e999]",
        "tru",
        "42",
    ],
)
def test_what_is_not_json_or_no_table_is_refused(tmp_path, text):
    with pytest.raises(SourceUnreadable):
        _read(tmp_path, text)


def test_a_fault_in_a_line_names_the_line(tmp_path):
    with pytest.raises(SourceUnreadable, match="Line 2"):
        _read(tmp_path, '{"a": 1}\n{"a": }\n', "data.jsonl")


@pytest.mark.parametrize(("text", "error"), [("", SourceEmpty), ("  \n", SourceEmpty), ("[]", NoRows), ("{}", NoRows)])
def test_nothing_is_told_apart_from_no_rows(tmp_path, text, error):
    with pytest.raises(error):
        _read(tmp_path, text)


def test_marks_and_other_unicode_encodings_are_read(tmp_path):
    assert _read(tmp_path, '\ufeff[{"a": "é"}]'.encode()).rows == [("é",)]
    assert _read(tmp_path, '[{"a": "é"}]'.encode("utf-16")).rows == [("é",)]


def test_nul_bytes_are_no_json(tmp_path):
    with pytest.raises(InvalidFileType):
        _read(tmp_path, b"\x00\x01\x02\x03")


@pytest.mark.parametrize("name", ["data.jsonl", "data.json"])
def test_a_large_file_goes_through_the_engine_with_the_same_rows(tmp_path, monkeypatch, name):
    rows = [{"id": number, "a": {"b": f"t{number}", "c": [number]}, "d": number / 4} for number in range(50)]
    text = "\n".join(json.dumps(row) for row in rows) if name.endswith("l") else json.dumps(rows)
    monkeypatch.setattr(json_read, "LARGE", 10)
    reading = _read(tmp_path, text, name)
    assert reading.columns == {"id": "BIGINT", "a.b": "VARCHAR", "a.c": "VARCHAR", "d": "DECIMAL(18,2)"}
    assert reading.rows[3] == (3, "t3", "[3]", Decimal("0.75"))
    assert "large_json" in reading.codes


def test_the_two_parsers_agree_on_a_document():
    text = b'{"a": [1, 2.5, true, null, "x"], "b": {"c": {}}}'
    exact = parse_json(text).value
    assert exact["a"][:2] == ["1", "2.5"]
    assert check_json(text)["a"] == [1, 2.5, True, None, "x"]
