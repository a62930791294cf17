"""A CSV that leaves the house runs nothing in a spreadsheet, whatever stands before the sign."""

import csv
import io

import pyarrow as pa
import pytest

from averment.reports.sheet import to_csv

BEFORE = ["", " ", "\n", "\r", "\t", "\u00a0", "\ufeff", "\x00", "\u200b", "\u3000", " \n\t", "\x0b", "\u2028", "\x7f"]
SIGNS = ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"]


def cells(table: pa.Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(to_csv(table).decode(), newline="")))


@pytest.mark.parametrize("before", BEFORE, ids=ascii)
@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_a_text_that_a_spreadsheet_would_run_begins_with_a_quote(before: str, sign: str) -> None:
    text = f"{before}{sign}HYPERLINK(1)"
    (name,), (cell,) = cells(pa.table({text: [text]}))
    assert cell == f"'{text}"
    assert name == f"'{text}"


@pytest.mark.parametrize("text", ["a=b", "x - y", "3+4", "user@example.org", "", " plain", "\u00a0plain", "Müller"])
def test_an_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert cells(pa.table({"a": [text], "b": ["x"]}))[1][0] == text


def test_numbers_keep_their_sign_and_nothing_stays_nothing() -> None:
    table = pa.table({"a": [-1.5, None], "b": [pa.scalar(-3).as_py(), 4], "c": [None, "=x"], "d": [["=1"], None]})
    assert cells(table)[1:] == [["-1.5", "-3", "", "['=1']"], ["", "4", "'=x", ""]]
