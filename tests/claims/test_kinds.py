"""What kind a figure is of, and which values have an order: both decide how a claim is said and checked."""

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from averment.claims.kinds import figure_kind, value_kind
from averment.claims.relation import relations, told
from averment.claims.sealed import SealedResult, orderly
from averment.evidence.bind import result
from averment.plans.plan import Measure, Value
from averment.records.claim import Claim

CALL = "7b3f6d5e-1c52-4d43-9a70-2f1f6f1f0a01"


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
    assert figure_kind(None, heading, column(*values)) == kind


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
    assert figure_kind(measure, "figure", column(*NUMBERS)) == kind


@pytest.mark.parametrize(
    ("value", "order"),
    [(3, Decimal(3)), (2.5, Decimal("2.5")), ("2024-01-31", "2024-01-31"), (None, None), (True, None), ("nan", None)],
)
def test_numbers_and_texts_have_an_order_and_nothing_else(value: Any, order: Any) -> None:
    assert orderly(value) == order


def _outliers(values: list[float], low: float, high: float, **more: Any) -> tuple[Claim, SealedResult]:
    table = pa.table({"fare": values, "low": [low] * len(values), "high": [high] * len(values)})
    seen = SealedResult(table=table, call_id=CALL, observation_id=CALL, query_hash="0" * 64, keys=(), **more)
    ends = (values.index(min(values)), values.index(max(values)))
    told_values = (
        told("low", seen.cell(0, "low"), "number"),
        told("high", seen.cell(0, "high"), "number"),
        told("count", result(CALL, "row_count", len(values)), "count"),
        told("least", seen.cell(ends[0], "fare"), "number"),
        told("most", seen.cell(ends[1], "fare"), "number"),
    )
    return Claim(claim_id="o", relation="outliers", values=told_values, words={"column": "fare"}), seen


@pytest.mark.parametrize(
    ("values", "outside"), [([1.0, 99.0], True), ([1.0, 5.0], False), ([2.0, 99.0], False), ([1.0, 10.0], False)]
)
def test_an_outlier_lies_beyond_the_bounds_and_not_on_them(values: list[float], outside: bool) -> None:
    claim, seen = _outliers(values, 2.0, 10.0)
    assert relations()["outliers"].holds(claim, seen) is outside


def test_outliers_of_a_part_of_the_rows_are_no_outliers_of_all() -> None:
    claim, seen = _outliers([1.0, 99.0], 2.0, 10.0, whole=False)
    assert relations()["outliers"].holds(claim, seen) is False


@pytest.mark.parametrize(
    ("days", "holds"),
    [((31, 8, 30, 9), True), ((31, 31, 30, 30), True), ((8, 31, 30, 9), False), ((31, 8, 9, 30), False)],
)
def test_a_period_has_no_more_weekend_days_than_days(days: tuple[int, ...], holds: bool) -> None:
    roles = ("days0", "weekend0", "days1", "weekend1")
    values = [told(role, result(CALL, role, each), "count") for role, each in zip(roles, days, strict=True)]
    relation = relations()["tested_calendar"]
    assert relation.holds(Claim(claim_id="c", relation="tested_calendar", values=tuple(values)), None) is holds
    assert relation.holds(Claim(claim_id="c", relation="tested_calendar", values=tuple(values[:3])), None) is False
