"""Dates written with words, months, quarters and weeks: read where every value says so, else left as they are."""

from __future__ import annotations

import io
import json
import runpy
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from lazily import lazily

openpyxl = lazily("openpyxl")

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "reader.py")))


def _column(folder, values, *, name="v"):
    lines = [f"n|{name}", *(f"{number}|{value}" for number, value in enumerate(values))]
    reading = reader.read(folder, "\n".join(lines) + "\n", delimiter="|", header="present")
    return reading.columns[name], [row[1] for row in reading.rows], reading.codes


@pytest.mark.parametrize(
    ("values", "cells"),
    [
        (["Jan 1 2000", "Sep 12 2003"], [date(2000, 1, 1), date(2003, 9, 12)]),
        (["January 1, 2000", "May 12, 2003"], [date(2000, 1, 1), date(2003, 5, 12)]),
        (["Jan. 1st, 2000", "Sept. 22nd, 2003"], [date(2000, 1, 1), date(2003, 9, 22)]),
        (["1 Jan 2000", "12 September 2003"], [date(2000, 1, 1), date(2003, 9, 12)]),
        (["01-JAN-2000", "12-sep-2003"], [date(2000, 1, 1), date(2003, 9, 12)]),
        (["01JAN2000", "12SEP2003"], [date(2000, 1, 1), date(2003, 9, 12)]),
        (["2000-Jan-01", "2003-Sep-12"], [date(2000, 1, 1), date(2003, 9, 12)]),
        (["2000/01/31", "2003/9/2"], [date(2000, 1, 31), date(2003, 9, 2)]),
        (["2000.01.31", "2003.09.02"], [date(2000, 1, 31), date(2003, 9, 2)]),
        (["Mon, 03 Jan 2000", "Fri, 12 Sep 2003"], [date(2000, 1, 3), date(2003, 9, 12)]),
        (["Monday, January 3, 2000", "Friday, May 2, 2003"], [date(2000, 1, 3), date(2003, 5, 2)]),
        (["Sep 1963", "January 1964"], [date(1963, 9, 1), date(1964, 1, 1)]),
        (["1963-09", "1964-12"], [date(1963, 9, 1), date(1964, 12, 1)]),
        (["09/1963", "12/1964"], [date(1963, 9, 1), date(1964, 12, 1)]),
        (["2000 Q1", "2001 Q4"], [date(2000, 1, 1), date(2001, 10, 1)]),
        (["2000Q2", "2001Q3"], [date(2000, 4, 1), date(2001, 7, 1)]),
        (["Q1 2000", "Q4-2001"], [date(2000, 1, 1), date(2001, 10, 1)]),
        (["1Q2000", "4Q2001"], [date(2000, 1, 1), date(2001, 10, 1)]),
        (["2000-W05", "2004-W53"], [date(2000, 1, 31), date(2004, 12, 27)]),
    ],
)
def test_dates_in_words_are_dates_and_say_so(tmp_path, values, cells):
    kind, read, codes = _column(tmp_path, values)
    assert (kind, read) == ("DATE", cells)
    if any(letter.isalpha() for letter in values[0]):
        assert codes & {"dates_read", "months_read", "quarters_read", "weeks_read"}


@pytest.mark.parametrize(
    ("values", "cells"),
    [
        (
            ["Mon, 03 Jan 2000 10:00:00 +0200", "Fri, 12 Sep 2003 01:30:00 GMT"],
            ["2000-01-03 08:00", "2003-09-12 01:30"],
        ),
        (["Mon Jan  3 10:00:00 2000", "Fri Sep 12 23:30:00 2003"], ["2000-01-03 10:00", "2003-09-12 23:30"]),
        (["Jan 3, 2000 9:05 PM", "Sep 12, 2003 12:30 a.m."], ["2000-01-03 21:05", "2003-09-12 00:30"]),
        (["3 Jan 2000 21:05", "4 Jan 2000"], ["2000-01-03 21:05", "2000-01-04 00:00"]),
    ],
)
def test_dates_in_words_with_a_clock_are_moments(tmp_path, values, cells):
    assert _column(tmp_path, values)[:2] == ("TIMESTAMP", [datetime.fromisoformat(cell) for cell in cells])


@pytest.mark.parametrize(
    ("values", "years", "code"),
    [
        (["Sep-63", "Oct-99", "Jan-05"], [1963, 1999, 2005], "short_years"),
        (["1-Jan-30", "2-Feb-29"], None, "two_digit_years"),
        (["Sep-27", "Oct-29", "May-28"], [1927, 1929, 1928], "short_years_past"),
        (["Jan-20", "Feb-35", "Mar-65"], None, "two_digit_years"),
        (["1-Jan-00", "2-Feb-12"], [2000, 2012], "short_years"),
        (["Sep '63", "Oct '64"], [1963, 1964], "short_years"),
        (["Apr-12", "Apr-14", "May-15"], None, "two_digit_years"),
        (["Sep-63", "10-May", "9-Apr", "Feb-00"], [1963, 2010, 2009, 2000], "spreadsheet_months"),
        (["Sep-63", "10-May", "Apr-12"], None, "two_digit_years"),
        (["Jan-12", "Feb-12", "Mar-13"], [2012, 2012, 2013], "short_years"),
    ],
)
def test_two_digits_of_a_year_are_read_where_they_lie_in_one_stretch(tmp_path, values, years, code):
    kind, cells, codes = _column(tmp_path, values)
    assert code in codes
    assert (kind, cells) == ("VARCHAR", values) if years is None else (kind, [c.year for c in cells]) == ("DATE", years)


@pytest.mark.parametrize(
    "values",
    [
        ["2000-01", "2001-02", "2010-11"],
        ["1998-99", "1999-00"],
        ["1234-05", "5678-06"],
        ["Jan 1 2000", "some time in May"],
        ["Jan 31 2000", "Feb 30 2000"],
        ["Jan 2000", "Jan 5 2000"],
        ["2000 Q1", "2000 Q5"],
        ["2001-W53", "2001-W01"],
        ["January", "May"],
        ["1 Jan 2000 10:00 +0100", "2 Jan 2000 10:00"],
        ["1/2000", "1/1600"],
        ["12/May", "13/May"],
        ["12-May", "13-May"],
        ["Q1", "Q2"],
        ["A-Jan-2000-7", "B-Jan-2001-8"],
    ],
)
def test_what_may_be_something_else_stays_as_it_is_written(tmp_path, values):
    assert _column(tmp_path, values)[:2] == ("VARCHAR", values)


def test_seasons_are_told_as_such(tmp_path):
    assert "year_spans" in _column(tmp_path, ["2000-01", "2001-02"])[2]


def test_an_identifier_of_digits_is_no_month(tmp_path):
    assert _column(tmp_path, ["2001-05", "2001-07"], name="account id")[0] == "VARCHAR"
    assert _column(tmp_path, ["2001-05", "2001-07"], name="month")[0] == "DATE"


def test_json_and_workbooks_read_the_same_dates(tmp_path):
    rows = [{"d": "Jan 1 2000", "m": "2000-09"}, {"d": "May 2 2001", "m": "2003-03"}]
    found = reader.read(tmp_path, json.dumps(rows), "rows.json")
    assert found.rows == [(date(2000, 1, 1), date(2000, 9, 1)), (date(2001, 5, 2), date(2003, 3, 1))]
    book, sink = openpyxl.Workbook(), io.BytesIO()
    for row in (["n", "q"], [1, "Q1 2000"], [2, "Q3 2001"]):
        book.active.append(row)
    book.save(sink)
    found = reader.read(tmp_path, sink.getvalue(), "book.xlsx")
    assert [row[1] for row in found.cells["sheet"]] == [date(2000, 1, 1), date(2001, 7, 1)]


FORMS = ("%b %d %Y", "%B %d, %Y", "%d %b %Y", "%d-%b-%Y", "%a, %d %b %Y", "%A, %B %d, %Y", "%Y %b %d", "%d%b%Y")


@hypothesis_settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(days=st.lists(st.dates(date(1500, 1, 1), date(2200, 1, 1)), min_size=1, max_size=6), form=st.sampled_from(FORMS))
def test_every_day_written_in_a_form_comes_back_as_that_day(tmp_path, days, form):
    assert _column(tmp_path, [day.strftime(form) for day in days])[:2] == ("DATE", days)
