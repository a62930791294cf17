"""Time phrases: what they mean, what they need, and what is no time at all."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import AvermentError
from averment.language.periods import find_periods

TODAY = date(2025, 1, 15)  # A Wednesday.


def read(text: str, **options: object) -> list[tuple[str, str]]:
    """Start and end of every period, '' for an open or unplaced side."""
    anchor = options.pop("anchor", TODAY)
    found = find_periods(text, anchor=anchor, **options)  # pyright: ignore[reportArgumentType]  # options of the case
    return [(str(one.start or ""), str(one.end or "")) for one in found]


YEAR_2021 = ("2021-01-01", "2021-12-31")
Q1_2021 = ("2021-01-01", "2021-03-31")
MARCH_2021 = ("2021-03-01", "2021-03-31")
THIRD_OF_MARCH = ("2021-03-03", "2021-03-03")

ABSOLUTE: dict[str, list[tuple[str, str]]] = {
    # years
    "sales in 2021": [YEAR_2021],
    "the year 2021": [YEAR_2021],
    "calendar year 2021": [YEAR_2021],
    "CY2021 totals": [YEAR_2021],
    "2021 revenue": [YEAR_2021],
    "2019 vs 2020": [("2019-01-01", "2019-12-31"), ("2020-01-01", "2020-12-31")],
    "in 2019, 2020 and 2021": [("2019-01-01", "2019-12-31"), ("2020-01-01", "2020-12-31"), YEAR_2021],
    "built in 1847": [("1847-01-01", "1847-12-31")],
    "FY2021": [YEAR_2021],
    "fiscal year 2021": [YEAR_2021],
    "fiscal 2021": [YEAR_2021],
    "FY21": [YEAR_2021],
    "in the 1990s": [("1990-01-01", "1999-12-31")],
    "during the 80s": [("1980-01-01", "1989-12-31")],
    "in the nineties": [("1990-01-01", "1999-12-31")],
    "the 20th century": [("1901-01-01", "2000-12-31")],
    "the 2012-13 season": [("2012-01-01", "2013-12-31")],
    "2008-09 season": [("2008-01-01", "2009-12-31")],
    # quarters and halves
    "Analyze Q1 2021 Arizona sales; trends + charts": [Q1_2021],
    "Q1-2021": [Q1_2021],
    "Q1/2021": [Q1_2021],
    "Q1 of 2021": [Q1_2021],
    "Q1 '21": [Q1_2021],
    "1Q21": [Q1_2021],
    "1Q 2021": [Q1_2021],
    "2021 Q1": [Q1_2021],
    "2021Q1": [Q1_2021],
    "2021-Q1": [Q1_2021],
    "the first quarter of 2021": [Q1_2021],
    "1st quarter 2021": [Q1_2021],
    "first quarter of the year 2021": [Q1_2021],
    "quarter 1 of 2021": [Q1_2021],
    "last quarter of 2021": [("2021-10-01", "2021-12-31")],
    "H1 2021": [("2021-01-01", "2021-06-30")],
    "2H21": [("2021-07-01", "2021-12-31")],
    "second half of 2021": [("2021-07-01", "2021-12-31")],
    "2021 H2": [("2021-07-01", "2021-12-31")],
    "Q1 and Q2 2021": [Q1_2021, ("2021-04-01", "2021-06-30")],
    "Q1 2021 vs Q2": [Q1_2021, ("2021-04-01", "2021-06-30")],
    "Q1 2021 compared to Q1 2020": [Q1_2021, ("2020-01-01", "2020-03-31")],
    # months
    "March 2021": [MARCH_2021],
    "Mar 2021": [MARCH_2021],
    "Mar. 2021": [MARCH_2021],
    "march of 2021": [MARCH_2021],
    "March, 2021": [MARCH_2021],
    "the month of March 2021": [MARCH_2021],
    "Mar-21": [MARCH_2021],
    "March '21": [MARCH_2021],
    "2021 March": [MARCH_2021],
    "2021-03": [MARCH_2021],
    "2021/03": [MARCH_2021],
    "03/2021": [MARCH_2021],
    "May 2021": [("2021-05-01", "2021-05-31")],
    "February 2020": [("2020-02-01", "2020-02-29")],
    "Sept 2021": [("2021-09-01", "2021-09-30")],
    "January, February and March 2021": [("2021-01-01", "2021-01-31"), ("2021-02-01", "2021-02-28"), MARCH_2021],
    "March vs April 2021": [MARCH_2021, ("2021-04-01", "2021-04-30")],
    # weeks
    "2021-W05": [("2021-02-01", "2021-02-07")],
    "2021W5": [("2021-02-01", "2021-02-07")],
    "week 5 of 2021": [("2021-02-01", "2021-02-07")],
    "calendar week 5, 2021": [("2021-02-01", "2021-02-07")],
    "ISO week 53 of 2020": [("2020-12-28", "2021-01-03")],
    "the week of March 3, 2021": [("2021-03-01", "2021-03-07")],
    # days
    "on 2021-03-03": [THIRD_OF_MARCH],
    "2021/03/03": [THIRD_OF_MARCH],
    "2021-03-03T10:15:00Z": [THIRD_OF_MARCH],
    "20210303": [THIRD_OF_MARCH],
    "3 March 2021": [THIRD_OF_MARCH],
    "3rd March 2021": [THIRD_OF_MARCH],
    "the 3rd of March, 2021": [THIRD_OF_MARCH],
    "March 3 2021": [THIRD_OF_MARCH],
    "March 3rd, 2021": [THIRD_OF_MARCH],
    "Mar. 3, 2021": [THIRD_OF_MARCH],
    "Wednesday, March 3, 2021": [THIRD_OF_MARCH],
    "3-Mar-2021": [THIRD_OF_MARCH],
    "3-Mar-21": [THIRD_OF_MARCH],
    "2021 March 3": [THIRD_OF_MARCH],
    "03.03.2021": [THIRD_OF_MARCH],
    "after 04/28/91": [("1991-04-29", "")],
    "25/12/2021": [("2021-12-25", "2021-12-25")],
    "may 27, 1982": [("1982-05-27", "1982-05-27")],
    # parts
    "first 3 months of 2021": [Q1_2021],
    "the first two weeks of 2021": [("2021-01-04", "2021-01-17")],
    "last month of 2020": [("2020-12-01", "2020-12-31")],
    "first 10 days of March 2021": [("2021-03-01", "2021-03-10")],
    "the end of 2020": [("2020-12-31", "2020-12-31")],
    "beginning of Q2 2021": [("2021-04-01", "2021-04-01")],
    "early 2021": [("2021-01-01", "2021-04-30")],
    "mid-2021": [("2021-05-01", "2021-08-31")],
    "late March 2021": [("2021-03-21", "2021-03-31")],
    "summer of 2021": [("2021-06-01", "2021-08-31")],
}


@pytest.mark.parametrize(("text", "periods"), ABSOLUTE.items())
def test_an_absolute_phrase_is_read(text: str, periods: list[tuple[str, str]]) -> None:
    assert read(text) == periods


@pytest.mark.parametrize(("text", "periods"), ABSOLUTE.items())
def test_an_absolute_phrase_needs_no_anchor(text: str, periods: list[tuple[str, str]]) -> None:
    found = find_periods(text, anchor=None)
    assert [(str(one.start or ""), str(one.end or "")) for one in found] == periods
    assert all(one.anchor is None for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "top 2020 rows",
        "more than 2000 employees",
        "at least 2000 in payout",
        "first 2000 records",
        "peaks below 2500 meters",
        "over 2000 points",
        "$2020 total",
        "2,020 items",
        "2020.5",
        "order id 2020",
        "room 2021",
        "2021%",
        "gdpPercap_1982",
        "model X2020",
        "you may filter rows",
        "This may be late",
        "customers who may have left",
        "which jan steytler played",
        "they march on",
        "Q1 - 1.5*IQR",
        "the last year that no film was made",
        "what was the last year the tv show ran",
        "the first year she won a nomination",
        "how many years difference is there",
        "schools that are now vacant",
        "which movie is called \"the summer of 1942 remembered\"",
        "between 1500 and 2000 dollars",
        "salaries between 1000 and 50,000",
        "from 1200 to 1500 km",
        "2021-02-30",
        "2021-13-01",
        "31 February 2021",
        "week 54 of 2021",
        "3.11.15",
        "192.168.2021.1",
        "the first and second quarter-mile",
        "",
        "   ",
    ],
)  # fmt: skip
def test_what_only_looks_like_time_is_left_alone(text: str) -> None:
    assert find_periods(text, anchor=TODAY) == []


def test_a_month_without_a_year_is_marked_and_stays_recurring() -> None:
    (one,) = find_periods("how many albums were released in November?", anchor=None)
    assert (one.period, one.ambiguity) == (None, "year_missing")
    assert one.recurring is not None
    assert one.recurring.months == (11,)


def test_a_month_without_a_year_takes_the_latest_one_up_to_the_anchor() -> None:
    (one,) = find_periods("sales in March", anchor=TODAY)
    assert (str(one.start), one.ambiguity, one.anchor) == ("2024-03-01", "year_missing", TODAY)


def test_one_named_year_completes_the_months_and_is_marked_as_context() -> None:
    first, second, year = find_periods("compare March sales with April sales for 2021", anchor=TODAY)
    assert [str(first.start), str(second.start)] == ["2021-03-01", "2021-04-01"]
    assert (first.ambiguity, year.context) == ("year_inferred", True)


def test_a_date_that_reads_both_ways_keeps_both_readings() -> None:
    (one,) = find_periods("on 03/04/2021", anchor=None)
    assert (str(one.start), one.ambiguity) == ("2021-03-04", "day_or_month")
    assert [str(other.start) for other in one.alternatives] == ["2021-04-03"]


@pytest.mark.parametrize(
    ("text", "day_first", "start"),
    [
        ("03/04/2021", True, "2021-04-03"),
        ("03/04/2021", False, "2021-03-04"),
        ("03/04/2021 and 25/04/2021", None, "2021-04-03"),
        ("03/04/2021 and 04/25/2021", None, "2021-03-04"),
        ("03.04.2021", None, "2021-04-03"),
        ("04/04/2021", None, "2021-04-04"),
    ],
)
def test_the_order_of_day_and_month_can_be_settled(text: str, day_first: bool | None, start: str) -> None:
    one = find_periods(text, anchor=None, day_first=day_first)[0]
    assert (str(one.start), one.ambiguity) == (start, None)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("FY2021", "2020-10-01", "2021-09-30"),
        ("FY2020/21", "2020-10-01", "2021-09-30"),
        ("Q1 FY2021", "2020-10-01", "2020-12-31"),
        ("FY21 Q3", "2021-04-01", "2021-06-30"),
        ("H2 FY2021", "2021-04-01", "2021-09-30"),
        ("this fiscal year", "2024-10-01", "2025-09-30"),
        ("last fiscal quarter", "2024-10-01", "2024-12-31"),
        ("Q1 2021", "2021-01-01", "2021-03-31"),
        ("in 2021", "2021-01-01", "2021-12-31"),
    ],
)
def test_the_fiscal_start_moves_only_what_is_called_fiscal(text: str, start: str, end: str) -> None:
    assert read(text, fiscal_start_month=10) == [(start, end)]


@pytest.mark.parametrize("month", [0, 13, -1])
def test_a_fiscal_start_that_is_no_month_is_refused(month: int) -> None:
    with pytest.raises(AvermentError) as caught:
        find_periods("FY2021", anchor=None, fiscal_start_month=month)
    assert caught.value.code == "INVALID_ARGUMENTS"


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("other than january how many were in 1921", [True, False]),
        ("all months except in May 2021", [True]),
        ("excluding 2020", [True]),
        ("sales in 2020", [False]),
    ],
)
def test_a_period_to_leave_out_is_marked(text: str, excluded: list[bool]) -> None:
    assert [one.excluded for one in find_periods(text, anchor=None)] == excluded


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("check-ins on Mondays", (0,)),
        ("sent on weekends", (5, 6)),
        ("on weekdays only", (0, 1, 2, 3, 4)),
        ("every Friday", (4,)),
    ],
)
def test_days_of_the_week_come_back(text: str, days: tuple[int, ...]) -> None:
    (one,) = find_periods(text, anchor=None)
    assert one.recurring is not None
    assert (one.period, one.recurring.weekdays) == (None, days)


def test_a_bare_number_is_less_certain_than_one_with_a_word_of_time() -> None:
    assert [one.certain for one in find_periods("apertura 2008 standings", anchor=None)] == [False]
    assert [one.certain for one in find_periods("standings in 2008", anchor=None)] == [True]


PHRASES = [
    *ABSOLUTE,
    "sales",
    "the",
    "and",
    "vs",
    "by month",
    "top 5",
    ",",
    "?",
    "(",
    "may",
    "Q2",
    "İ",
    "—",
]
DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))


@given(st.lists(st.sampled_from(PHRASES), max_size=6), st.sampled_from([" ", "  ", " – ", ", "]), st.none() | DAYS)
def test_every_match_is_what_stands_at_its_place_and_none_overlap(
    parts: list[str], joint: str, anchor: date | None
) -> None:
    text = joint.join(parts)
    found = find_periods(text, anchor=anchor)
    assert all(text[one.span[0] : one.span[1]] == one.text and one.text.strip() == one.text for one in found)
    assert all(one.span[1] <= two.span[0] for one, two in pairwise(found))


@given(st.text(), st.none() | DAYS)
def test_any_text_is_read_without_failing(text: str, anchor: date | None) -> None:
    for one in find_periods(text, anchor=anchor):
        assert text[one.span[0] : one.span[1]] == one.text


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_any_day_written_out_is_read_back(day: date) -> None:
    for written in (
        f"{day:%Y-%m-%d}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
        f"{day:%A}, {day:%d %B %Y}",
    ):
        assert [(one.start, one.end) for one in find_periods(f"on {written}", anchor=None)] == [(day, day)]
