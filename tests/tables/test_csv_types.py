"""Types of columns: exact where a column proves its type, text with a note where it does not."""

from __future__ import annotations

import runpy
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

reader = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "reader.py")))


def _column(folder, values, name="v", delimiter=";", **options):
    lines = [f"n{delimiter}{name}", *(f"{number}{delimiter}{value}" for number, value in enumerate(values))]
    reading = reader.read(folder, "\n".join(lines) + "\n", delimiter=delimiter, header="present", **options)
    return reading.columns[name], [row[1] for row in reading.rows], reading.codes


@pytest.mark.parametrize(
    ("values", "kind", "cells"),
    [
        (["1", "-2", "+3"], "BIGINT", [1, -2, 3]),
        (["9007199254740993", "1"], "BIGINT", [9007199254740993, 1]),
        (["12345678901234567890123", "1"], "HUGEINT", [12345678901234567890123, 1]),
        (["1.5", "2", "-.25"], "DECIMAL(18,2)", [Decimal("1.50"), Decimal("2.00"), Decimal("-0.25")]),
        (["0.1", "0.2"], "DECIMAL(18,1)", [Decimal("0.1"), Decimal("0.2")]),
        (["123456789012345678.25"], "DECIMAL(38,2)", [Decimal("123456789012345678.25")]),
        (["1e3", "2.5e-1"], "DOUBLE", [1000.0, 0.25]),
        (["0.12345678901234", "1"], "DOUBLE", [0.12345678901234, 1.0]),
        (["true", "FALSE"], "BOOLEAN", [True, False]),
        (["yes", "no", "No"], "BOOLEAN", [True, False, False]),
        (["2024-01-31", "2024-02-29"], "DATE", [date(2024, 1, 31), date(2024, 2, 29)]),
        (["31/01/2024", "01/02/2024"], "DATE", [date(2024, 1, 31), date(2024, 2, 1)]),
        (["01/31/2024", "02/01/2024"], "DATE", [date(2024, 1, 31), date(2024, 2, 1)]),
        (["5 Jan 2024", "15 Feb 2024"], "DATE", [date(2024, 1, 5), date(2024, 2, 15)]),
        (
            ["2024-01-31T10:00:00", "2024-02-01 11:30"],
            "TIMESTAMP",
            [datetime(2024, 1, 31, 10), datetime(2024, 2, 1, 11, 30)],
        ),
        (
            ["2024-01-31T10:00:00+02:00", "2024-02-01T00:00:00Z"],
            "TIMESTAMP",
            [datetime(2024, 1, 31, 8), datetime(2024, 2, 1)],
        ),
        (
            ["31/01/2024 3:05 PM", "01/02/2024 4:05 AM"],
            "TIMESTAMP",
            [datetime(2024, 1, 31, 15, 5), datetime(2024, 2, 1, 4, 5)],
        ),
        (["00:15", "23:59"], "TIME", [time(0, 15), time(23, 59)]),
        (["$1,234.50", "-$2.00", "($3.25)"], "DECIMAL(18,2)", [Decimal("1234.50"), Decimal("-2.00"), Decimal("-3.25")]),
        (["12.5%", "7%"], "DECIMAL(18,1)", [Decimal("12.5"), Decimal("7.0")]),
        (["1.234,56", "7,8"], "DECIMAL(18,2)", [Decimal("1234.56"), Decimal("7.80")]),
        (["1,234,567", "89"], "BIGINT", [1234567, 89]),
        (["1 234,5", "12,0"], "DECIMAL(18,1)", [Decimal("1234.5"), Decimal("12.0")]),
        (["1'234.50", "2.00"], "DECIMAL(18,2)", [Decimal("1234.50"), Decimal("2.00")]),
    ],
)
def test_a_column_that_proves_its_type_has_it(tmp_path, values, kind, cells):
    assert _column(tmp_path, values)[:2] == (kind, cells)


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (["00501", "02134"], "leading_zeros"),
        (["01/02/2021", "03/04/2021"], "ambiguous_dates"),
        (["31/01/2021", "01/31/2021"], "mixed_dates"),
        (["13.04.12", "18.04.12"], "two_digit_years"),
        (["2021-02-30", "2021-03-01"], "invalid_values"),
        (["1,234", "5,678"], "ambiguous_numbers"),
        (["$5", "€6"], "mixed_currencies"),
        (["5%", "6"], "mixed_percent"),
        (["2021-03-28T02:30:00Z", "2021-03-28 02:30:00"], "mixed_time_zones"),
        (["1", "2", "3", "missing"], "mixed_values"),
        (["1", "2", "inf"], "mixed_values"),
        (["1.23E+15", "4.56E+12"], "excel_scientific"),
        (["9" * 40, "1"], "long_numbers"),
    ],
)
def test_a_column_that_does_not_stays_text_and_says_why(tmp_path, values, code):
    kind, cells, codes = _column(tmp_path, values)
    assert kind == "VARCHAR"
    assert cells == values
    assert code in codes


def test_what_was_read_out_of_its_written_form_is_told(tmp_path):
    text = "d;p;q;t\n31/01/2024;$5.00;1,5;2024-01-01T00:00:00Z\n01/02/2024;$6.00;2,5;2024-01-02T00:00:00Z\n"
    codes = reader.read(tmp_path, text, delimiter=";").codes
    assert {"day_first", "currency", "decimal_comma", "converted_to_utc"} <= codes


def test_a_thousands_comma_in_a_file_of_commas_is_a_thousands_comma(tmp_path):
    reading = reader.read(tmp_path, 'n,v\n1,"1,234"\n2,"5,678"\n')
    assert reading.rows == [(1, 1234), (2, 5678)]
    assert "thousands_separator" in reading.codes


@pytest.mark.parametrize(
    ("values", "days"),
    [
        (
            ["03/04/2023", "4 Mar 2023", "2023-03-05", "23/04/2023"],
            [(2023, 4, 3), (2023, 3, 4), (2023, 3, 5), (2023, 4, 23)],
        ),
        (["03/04/2023", "2023-03-05", "04/23/2023"], [(2023, 3, 4), (2023, 3, 5), (2023, 4, 23)]),
        (["March 4, 2023", "2023/03/05"], [(2023, 3, 4), (2023, 3, 5)]),
        (["03.04.2023", "23/04/2023", "1st May 2023"], [(2023, 4, 3), (2023, 4, 23), (2023, 5, 1)]),
        (["13/04/2023", "04-13-2023"], [(2023, 4, 13), (2023, 4, 13)]),
    ],
)
def test_dates_in_several_spellings_are_dates(tmp_path, values, days):
    kind, cells, codes = _column(tmp_path, values)
    assert (kind, cells) == ("DATE", [date(*day) for day in days])
    assert "mixed_dates_read" in codes


@pytest.mark.parametrize("values", [["03/04/2023", "4 Mar 2023"], ["4 Mar 2023", "2023-03-05", "soon"]])
def test_a_mixture_that_no_value_settles_stays_text(tmp_path, values):
    assert _column(tmp_path, values)[:2] == ("VARCHAR", values)


@pytest.mark.parametrize(("day_first", "first"), [(True, date(2021, 2, 1)), (False, date(2021, 1, 2))])
def test_the_user_settles_day_and_month(tmp_path, day_first, first):
    kind, cells, _ = _column(tmp_path, ["01/02/2021", "03/04/2021"], day_first=day_first)
    assert (kind, cells[0]) == ("DATE", first)


def test_the_user_settles_the_decimal_mark(tmp_path):
    assert _column(tmp_path, ["1,234", "5,678"], decimal=",")[1] == [Decimal("1.234"), Decimal("5.678")]
    assert _column(tmp_path, ["1,234", "5,678"], decimal=".")[1] == [1234, 5678]


def test_null_words_are_nulls_and_zero_and_none_are_not(tmp_path):
    kind, cells, codes = _column(tmp_path, ["NA", "-", "", "0", "5"])
    assert (kind, cells) == ("BIGINT", [None, None, None, 0, 5])
    assert "null_words" in codes
    assert _column(tmp_path, ["none", "x"])[1] == ["none", "x"]
    assert _column(tmp_path, ["none", "5"], null_words=("none",))[1] == [None, 5]


def test_sums_of_decimals_are_exact(tmp_path):
    _, cells, _ = _column(tmp_path, ["0.10"] * 1_000)
    assert sum(cells) == Decimal("100.00")


def test_text_is_kept_to_the_letter(tmp_path):
    values = ["  padded ", "x", "tab\there"]
    assert _column(tmp_path, values)[1] == values


def test_compact_dates_need_a_name_that_says_so(tmp_path):
    assert _column(tmp_path, ["20240131", "20240201"], name="order_date")[1] == [date(2024, 1, 31), date(2024, 2, 1)]
    assert _column(tmp_path, ["20240131", "20240201"], name="v")[0] == "BIGINT"


def test_an_odd_value_beyond_the_sample_keeps_the_column_text(tmp_path):
    values = [str(number) for number in range(30_000)]
    values[29_000] = "see the note below"
    kind, cells, codes = _column(tmp_path, values)
    assert kind == "VARCHAR"
    assert cells == values
    assert "mixed_values" in codes


@hypothesis_settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.decimals(-(10**9), 10**9, places=3, allow_nan=False), min_size=1, max_size=8))
def test_decimals_come_back_to_the_last_digit(tmp_path, values):
    kind, cells, _ = _column(tmp_path, [f"{value:f}" for value in values], delimiter="|")
    assert kind == "DECIMAL(18,3)"
    assert cells == values


@hypothesis_settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.text("0123456789.,-+eE$%/: ", min_size=1, max_size=12), min_size=1, max_size=6))
def test_no_value_is_lost_whatever_it_looks_like(tmp_path, values):
    _, cells, _ = _column(tmp_path, values, delimiter="|", quote="", null_words=())
    assert [cell is None for cell in cells] == [not value.strip() for value in values]
