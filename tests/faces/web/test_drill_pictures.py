"""The pictures of a drill: days with periods, tables with lines between them, and what corrections make of a metric."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import MetricUnreadable
from averment.faces.web.drill.draft import KeyLink
from averment.faces.web.drill.table_links import draw_tables, joined_metric, left_out
from lazily import lazily

metric_step = lazily("averment.faces.web.drill.metric_step")

FIRST = date(2024, 1, 1)
TO_CUSTOMER = KeyLink(left="orders", left_column="customer_id", right="customers", right_column="id")
TO_REGION = KeyLink(left="customers", left_column="region", right="regions", right_column="code")


def numbers(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (point.split() for point in path[1:].split("L"))]


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=9))
def test_every_day_lies_inside_the_picture(values: list[int]) -> None:
    picture = metric_step.draw_days(
        [(FIRST + timedelta(days=number), value / 8) for number, value in enumerate(values)]
    )
    assert all(
        0 <= x <= metric_step.WIDTH and -0.01 <= y <= metric_step.HEIGHT + 0.01 for x, y in numbers(picture.path)
    )
    assert len(numbers(picture.path)) == len(values)


def test_a_period_is_drawn_as_far_as_it_lies_inside() -> None:
    days = [(FIRST + timedelta(days=number), 1.0) for number in range(10)]
    inside = (FIRST + timedelta(days=5), FIRST + timedelta(days=20))
    outside = (FIRST + timedelta(days=30), FIRST + timedelta(days=40))
    picture = metric_step.draw_days(days, inside, outside)
    assert [(band.name, band.x, band.width) for band in picture.bands] == [("baseline", 500, 500)]


@given(st.integers(0, 800), st.dates(date(2000, 1, 1), date(2030, 1, 1)))
def test_suggested_periods_lie_inside_the_data_and_do_not_overlap(length: int, first: date) -> None:
    last = first + timedelta(days=length)
    found = metric_step.suggest(first, last)
    for one in found:
        assert first <= one.baseline[0] <= one.baseline[1] < one.comparison[0] <= one.comparison[1] <= last
    assert len({one.key for one in found}) == len(found)


def test_a_table_that_is_referred_to_stands_right_of_the_one_that_refers() -> None:
    tables = [(name, [("id", "id")]) for name in ("regions", "customers", "orders")]
    diagram = draw_tables(tables, [TO_CUSTOMER, TO_REGION])
    places = {box.name: box.x for box in diagram.boxes}
    assert places["orders"] < places["customers"] < places["regions"]
    assert [wire.link for wire in diagram.wires] == [TO_CUSTOMER, TO_REGION]
    assert all(box.x + diagram.box_width <= diagram.width for box in diagram.boxes)


def test_tables_that_refer_to_each_other_are_drawn_all_the_same() -> None:
    back = KeyLink(left="customers", left_column="last_order", right="orders", right_column="id")
    diagram = draw_tables([("orders", []), ("customers", [])], [TO_CUSTOMER, back])
    assert len(diagram.boxes) == len(diagram.wires) == 2


def test_joins_follow_the_links_from_the_base_and_no_others() -> None:
    other = KeyLink(left="visits", left_column="id", right="pages", right_column="id")
    metric = joined_metric("SUM(amount)", "SUM(amount)", "orders", [TO_REGION, other, TO_CUSTOMER])
    assert metric == (
        'SELECT SUM(amount) FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" '
        'LEFT JOIN "regions" ON "customers"."region" = "regions"."code"'
    )
    assert joined_metric("SUM(amount)", "SUM(amount)", "orders", []) == "SUM(amount)"


def test_a_metric_with_joins_of_its_own_is_not_joined_again() -> None:
    with pytest.raises(MetricUnreadable):
        joined_metric("select sum(amount) from orders", "…", "orders", [TO_CUSTOMER])


def test_a_table_is_left_out_when_no_link_leads_to_it_any_more() -> None:
    found = [TO_CUSTOMER, TO_REGION]
    assert left_out(found, found) == frozenset()
    assert left_out(found, [TO_CUSTOMER]) == {"regions"}
    assert left_out(found, [TO_REGION]) == {"customers", "regions"}
    assert left_out(found, [TO_REGION], "customers") == frozenset()
    direct = KeyLink(left="orders", left_column="region", right="regions", right_column="code")
    assert left_out(found, [direct]) == {"customers"}
