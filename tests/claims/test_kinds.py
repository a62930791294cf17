"""What kind a figure is of, and which values have an order: both decide how a claim is said and checked."""

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from averment.claims.kinds import apart, figure_kind, in_unit, is_year, key_kind, value_kind
from averment.claims.sealed import orderly
from averment.plans.columns import measure_column, part_kind
from averment.plans.plan import Measure, Value


def column(*values: Any) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values)])


NUMBERS, TEXTS = (1.5, 2.5), ("a", "b")
DAYS = (date(1970, 1, 1), date(1970, 1, 2))
PRICE, SHARE = (Value(table="t", column=name) for name in ("price_usd", "share_percent"))


@pytest.mark.parametrize(
    ("heading", "values", "kind"),
    [
        ("price_usd", NUMBERS, "money"),
        ("share_percent", NUMBERS, "percentage"),
        ("height", NUMBERS, "number"),
        ("height", TEXTS, "label"),
        ("started", DAYS, "date"),
        ("year", (2020, 2021), "year"),
    ],
)
def test_a_value_is_of_the_kind_its_name_and_its_content_say(heading: str, values: Any, kind: str) -> None:
    assert value_kind(None, heading, column(*values)) == kind


@pytest.mark.parametrize(
    ("measure", "kind"),
    [
        (Measure(function="sum", of=PRICE), "money"),
        (Measure(function="variance", of=PRICE), "number"),
        (Measure(function="mean", of=SHARE), "percentage"),
        (Measure(function="rows"), "count"),
        (Measure(function="rate"), "percentage"),
        (Measure(function="sum", of=PRICE, over=Measure(function="rows")), "number"),
        (Measure(function="rows", over=Measure(function="rows"), percent=True), "percentage"),
    ],
)
def test_a_figure_is_of_the_kind_its_function_makes(measure: Measure, kind: str) -> None:
    assert figure_kind(measure_column("figure", measure), column(*NUMBERS)) == kind


@pytest.mark.parametrize(
    ("value", "order"),
    [(3, Decimal(3)), (2.5, Decimal("2.5")), ("2024-01-31", "2024-01-31"), (None, None), (True, None), ("nan", None)],
)
def test_numbers_and_texts_have_an_order_and_nothing_else(value: Any, order: Any) -> None:
    assert orderly(value) == order


PLAIN = Value(table="t", column="x")


@pytest.mark.parametrize(
    ("value", "heading", "values", "kind"),
    [
        *((PLAIN.changed(kind="part", part=part), "x", NUMBERS, kind) for part, kind in (
            ("year", "year"), ("quarter", "quarter"), ("month", "month"), ("week", "week"), ("day", "date"),
            ("hour", "hour"), ("decade", "decade"), ("weekday", "label"))),
        *((PLAIN.changed(kind=kind), "x", NUMBERS, kind) for kind in ("days", "hours", "minutes", "seconds")),
        (PLAIN, "year", (2020, 2021), "year"),
        (PLAIN.changed(kind="length"), "x", DAYS, "label"),
        (PLAIN.changed(kind="place"), "x", DAYS, "label"),
        (PLAIN, "x", DAYS, "date"),
        (None, "x", DAYS, "date"),
        (None, "x", TEXTS, "label"),
        (PLAIN, "x", NUMBERS, "label"),
    ],
)  # fmt: skip
def test_a_key_is_a_period_a_year_or_a_name(value: Value | None, heading: str, values: Any, kind: str) -> None:
    assert key_kind(value, heading, column(*values)) == kind
    if value is not None and value.kind == "part":
        assert part_kind(value) == kind
        assert value_kind(value, "x", column(*NUMBERS)) == (kind if kind != "label" else "number")


def test_a_length_of_time_and_a_computed_value_are_what_the_plan_says() -> None:
    assert value_kind(PLAIN.changed(kind="days"), "price_usd", column(*NUMBERS)) == "days"
    assert value_kind(PLAIN.changed(kind="arithmetic"), "price_usd", column(*NUMBERS)) == "number"
    assert value_kind(PLAIN, "price_usd", column(*NUMBERS)) == "money"
    assert value_kind(None, "orderPrice", column(*NUMBERS)) == "money"
    assert value_kind(None, "price", column(*TEXTS)) == "label"
    assert value_kind(None, "price", column(Decimal("1.5"), Decimal(2))) == "money"


@pytest.mark.parametrize(
    ("measure", "heading", "kind"),
    [
        (Measure(function="stddev", of=PRICE), "x", "money"),
        (Measure(function="sum", of=SHARE), "x", "percentage"),
        (Measure(function="sum", of=PLAIN.changed(kind="hours")), "x", "hours"),
        (Measure(function="sum", of=PLAIN.changed(column="year")), "x", "number"),
        (Measure(function="max", of=PLAIN.changed(column="year")), "x", "year"),
        (Measure(function="mean", of=PRICE), "x", "money"),
        (Measure(function="mean", of=PLAIN.changed(column=None)), "price", "money"),
        (Measure(function="sum", of=PLAIN.changed(column=None)), "price", "money"),
        (Measure(function="mean"), "price", "money"),
        (Measure(function="count", of=PRICE), "x", "count"),
        (Measure(function="distinct", of=PRICE), "x", "count"),
        (Measure(function="mean", of=PRICE, over=Measure(function="rows")), "x", "number"),
    ],
)
def test_a_figure_is_of_the_kind_of_what_it_is_taken_of(measure: Measure, heading: str, kind: str) -> None:
    assert figure_kind(measure_column(heading, measure), column(2020, 2021)) == kind


@pytest.mark.parametrize(
    ("heading", "values", "holds"),
    [
        ("year", (1999, 2020), True),
        ("year", (1000, 9999), True),
        ("year", (999, 2020), False),
        ("year", (2020, 10000), False),
        ("year", (0, 99), True),
        ("year", (99, 100), False),
        ("year", (-5, 20), False),
        ("year", (None, 2020), True),
        ("year", (None, None), False),
        ("year", TEXTS, False),
        ("birthYear", (1999, 2020), True),
        ("fiscal_year", (1999, 2020), True),
        ("year_built", (1999, 2020), True),
        ("years_old", (20, 30), False),
        ("yearly", (1999, 2020), False),
        ("price", (1999, 2020), False),
    ],
)
def test_years_are_called_so_and_look_like_years(heading: str, values: Any, holds: bool) -> None:
    assert is_year(heading, column(*values)) is holds


def test_years_are_judged_by_the_first_rows_of_a_long_column() -> None:
    assert is_year("year", column(*[2020] * 200, 7))
    assert not is_year("year", column(*[2020] * 199, 7))


@pytest.mark.parametrize(
    ("kind", "unit", "said"),
    [
        ("number", "kg", "number in kg"),
        ("money", "EUR", "money in EUR"),
        ("number", "", "number"),
        ("count", "kg", "count"),
        ("number", "%", "percentage"),
        ("number", "percent", "percentage"),
    ],
)
def test_only_numbers_and_money_are_in_a_unit(kind: str, unit: str, said: str) -> None:
    assert in_unit(kind, unit) == said


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ((1.5, 2.5), "number"),
        ((1.001, 1.002), "number:3"),
        ((1.0000001, 1.0000002), "number:7"),
        ((1.001, 1.001, None), "number"),
        ((), "number"),
        ((1.000000000000001, 1.000000000000002), "number"),
        (tuple(1 + n / 1e6 for n in range(50)), "number:6"),
        (tuple(1 + n / 1e6 for n in range(51)), "number"),
    ],
)
def test_values_that_differ_are_written_apart(values: Any, kind: str) -> None:
    assert apart(values, "number") == kind


@pytest.mark.parametrize("places", [2, 14])
def test_values_are_written_with_as_few_decimals_as_tell_them_apart(places: int) -> None:
    assert apart([1 + 10**-places, 1 + 2 * 10**-places], "percentage") == f"percentage:{places}"
