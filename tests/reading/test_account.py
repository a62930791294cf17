"""Accounting: a word that a plan says nothing about is left over, and one that left its trace is not."""

from __future__ import annotations

from typing import Any

import pytest

from averment.plans.plan import Measure, Plan, Rank, Test
from averment.reading.account.word_accounts import unaccounted
from spoken import column, cue, named, span

AMOUNT, REGION = column("amount", "orders"), column("region", "orders", kind="text")
NAME = column("name", "orders", "label", unique=True, kind="text")
KEY = column("order_id", "orders", "key", unique=True)
CUSTOMER = column("customer_id", "orders", "key")
TOTAL = Measure(function="sum", of=AMOUNT.value)
MEAN = Measure(function="mean", of=AMOUNT.value)
COUNT = Measure(function="rows")


def plan(**parts: Any) -> Plan:
    return Plan(table="orders", **({"measures": (TOTAL,)} | parts))


ROWS = span("ROW", "orders", "orders")
BY = cue("by", "by")


def test_a_column_is_used_or_left_over() -> None:
    assert unaccounted(plan(by=(REGION.value,)), [named(REGION), named(AMOUNT)]) == []
    assert unaccounted(plan(), [named(REGION), named(AMOUNT)]) == ["region"]
    inside = Test(value=KEY.value, operator="in", inner=Plan(table="orders", show=(REGION.value,)))
    assert unaccounted(plan(where=(inside,)), [named(REGION)]) == []


def test_what_is_counted_is_named_by_its_label_and_its_name_must_be_shown() -> None:
    assert unaccounted(plan(measures=(COUNT,)), [named(NAME, "orders")]) == []
    assert unaccounted(plan(measures=(COUNT,)), [named(NAME, "order names")]) == ["order names"]
    assert unaccounted(plan(measures=(MEAN,)), [named(NAME, "orders")]) == ["orders"]


def test_a_key_is_there_where_the_name_it_points_at_is() -> None:
    theirs = column("name", "customers", "label", kind="text")
    assert unaccounted(plan(by=(theirs.value,)), [named(CUSTOMER)]) == []
    assert unaccounted(plan(by=(REGION.value,)), [named(CUSTOMER)]) == ["customer_id"]


def test_an_average_of_each_row_needs_no_key() -> None:
    assert unaccounted(plan(measures=(MEAN,)), [named(KEY)]) == []
    assert unaccounted(plan(measures=(TOTAL,)), [named(KEY)]) == ["order_id"]
    assert unaccounted(plan(measures=(MEAN,), by=(REGION.value,)), [named(KEY)]) == ["order_id"]


def test_a_value_is_compared_in_its_own_column() -> None:
    oslo = span("VALUE", "oslo", (REGION, "Oslo"))
    assert unaccounted(plan(where=(Test(value=REGION.value, to=("Oslo",)),)), [oslo]) == []
    assert unaccounted(plan(where=(Test(value=REGION.value, to=("Moss",)),)), [oslo]) == ["oslo"]
    assert unaccounted(plan(where=(Test(value=NAME.value, to=("Oslo",)),)), [oslo]) == ["oslo"]


def test_a_table_that_is_named_is_looked_into() -> None:
    theirs = span("ROW", "customers", "customers")
    assert unaccounted(plan(), [theirs]) == ["customers"]
    assert unaccounted(plan(), [span("ROW", "customers", "customers", 0.5)]) == []
    inside = Test(value=CUSTOMER.value, operator="in", inner=Plan(table="customers", show=(NAME.value,)))
    assert unaccounted(plan(where=(inside,)), [theirs]) == []


def test_an_average_is_of_a_number_and_not_of_rows() -> None:
    average = cue("average", "mean")
    assert unaccounted(plan(measures=(MEAN,)), [average, ROWS, named(AMOUNT)]) == []
    assert unaccounted(plan(measures=(MEAN,)), [average, ROWS]) == ["orders"]
    other = column("amount", "refunds")
    assert "orders" in unaccounted(plan(measures=(MEAN,)), [average, ROWS, named(other)])


def test_rows_that_are_split_by_are_split() -> None:
    assert unaccounted(plan(by=(KEY.value,)), [BY, ROWS]) == []
    assert unaccounted(plan(), [BY, ROWS])[-1:] == ["orders"]
    ranked = Plan(table="orders", show=(AMOUNT.value,), rank=Rank(by=AMOUNT.value))
    assert "orders" in unaccounted(ranked, [BY, ROWS])
    shown = Plan(table="orders", show=(NAME.value, AMOUNT.value), rank=Rank(by=AMOUNT.value))
    assert "orders" not in unaccounted(shown, [BY, ROWS])


def test_what_each_row_has_is_no_total_of_many() -> None:
    per = cue("per", "by")
    assert "orders" in unaccounted(plan(by=(KEY.value,)), [per, ROWS])
    assert unaccounted(plan(measures=(MEAN,)), [per, ROWS]) == []


def test_best_ranks_by_a_number() -> None:
    best = cue("best", "top")
    assert unaccounted(plan(by=(REGION.value,), rank=Rank()), [best]) == []
    assert unaccounted(plan(by=(REGION.value,), measures=(COUNT,), rank=Rank()), [best]) == ["best"]
    assert unaccounted(plan(by=(REGION.value,), measures=(COUNT,), rank=Rank()), [best, cue("count", "count")]) == []
    assert unaccounted(plan(by=(REGION.value,)), [best]) == ["best"]


def test_how_many_things_counts_rows_and_never_sums() -> None:
    asked = [cue("how many", "count"), ROWS]
    assert unaccounted(plan(measures=(COUNT,)), asked) == []
    assert unaccounted(plan(), asked) == ["how many"]


@pytest.mark.parametrize(("kind", "traced"), [("plain", True), ("more", False)])
def test_a_graded_word_asks_for_an_order_unless_it_only_describes(kind: str, traced: bool) -> None:
    graded = span("GRADE", "large", (AMOUNT, kind))
    assert unaccounted(plan(), [graded]) == ([] if traced else ["large"])
    assert unaccounted(plan(by=(REGION.value,), rank=Rank()), [graded]) == []
    assert unaccounted(plan(where=(Test(value=AMOUNT.value, operator=">", to=(5,)),)), [graded]) == []
    assert unaccounted(plan(where=(Test(value=AMOUNT.value, to=(5,)),)), [graded]) == ([] if traced else ["large"])


def test_who_did_it_is_not_what_it_is_split_by() -> None:
    ann = span("VALUE", "ann", (NAME, "Ann"))
    by_ann = plan(where=(Test(value=NAME.value, to=("Ann",)),))
    assert unaccounted(by_ann, [BY, ann]) == []
    assert unaccounted(by_ann, [BY, named(REGION)]) == ["by", "region"]


def test_non_members_are_a_side_only_of_groups() -> None:
    assert unaccounted(plan(by=(REGION.value,)), [cue("non", "not")]) == []
    assert unaccounted(plan(), [cue("non", "not")]) == ["non"]


def test_a_truth_after_equals_is_of_the_column_before() -> None:
    paid = column("paid", "orders", kind="text")
    asked = [named(paid), cue("is", "eq"), span("UNKNOWN", "yes")]
    assert unaccounted(plan(where=(Test(value=paid.value, to=(True,)),)), asked) == []
    assert "yes" in unaccounted(plan(where=(Test(value=REGION.value, to=(True,)),)), asked)


def test_a_quote_stands_in_a_condition_whatever_its_case() -> None:
    quoted = span("QUOTE", "oslo", "OSLO")
    assert unaccounted(plan(where=(Test(value=REGION.value, to=("Oslo",)),)), [quoted]) == []
    assert unaccounted(plan(), [quoted]) == ["oslo"]


def test_a_name_behind_a_value_only_says_what_the_value_is() -> None:
    title = column("title", "books", kind="text")
    fantasy = span("VALUE", "fantasy", (REGION, "fantasy"))
    held = plan(where=(Test(value=REGION.value, to=("fantasy",)),))
    assert unaccounted(held, [fantasy, named(title)]) == []
    assert unaccounted(held, [named(title), fantasy]) == ["title"]
