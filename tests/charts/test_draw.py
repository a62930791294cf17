"""A chart is drawn from its table alone, the same way every time."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from averment.charts.draw import to_png, to_svg, vega_lite
from averment.charts.spec import MAX_POINTS, ChartSpec
from averment.errors import MissingColumn, ResourceExhausted, TypeMismatch

TABLE = pa.table(
    {
        "reg.ion[0]": ["West", "East", None],
        "total": pa.array([Decimal("10.50"), Decimal("7.25"), None]),
        "day": [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 1, 3)],
        "kind": ["a", "b", "a"],
    }
)


@pytest.mark.parametrize("kind", ["bar", "line", "area", "scatter", "pie", "heatmap", "box"])
def test_every_kind_of_chart_becomes_a_png(kind: str) -> None:
    spec = ChartSpec.model_validate(
        {"type": kind, "x_col": "reg.ion[0]", "y_col": "total", "series_col": "kind", "title": "T"}
    )
    assert to_png(vega_lite(TABLE, spec)).startswith(b"\x89PNG")


def test_the_same_table_gives_the_same_bytes() -> None:
    spec = ChartSpec(type="line", x_col="day", y_col="total", title="T")
    first, second = vega_lite(TABLE, spec), vega_lite(TABLE, spec)
    assert first == second
    assert to_png(first) == to_png(second)


def test_a_histogram_needs_only_numbers() -> None:
    document = vega_lite(pa.table({"n": [1, 2, 2, 3]}), ChartSpec(type="histogram", x_col="n"))
    assert document["encoding"]["x"]["bin"]


def test_a_chart_document_names_nothing_outside_itself() -> None:
    document = vega_lite(TABLE, ChartSpec(type="bar", x_col="kind", y_col="total"))
    assert "url" not in str(document["data"])
    assert "<svg" in to_svg(document)


def test_bars_keep_the_order_of_the_table() -> None:
    document = vega_lite(TABLE, ChartSpec(type="bar", x_col="kind", y_col="total"))
    assert document["encoding"]["x"]["sort"] is None


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (ChartSpec(type="bar", x_col="nothing", y_col="total"), MissingColumn),
        (ChartSpec(type="bar", x_col="kind"), MissingColumn),
        (ChartSpec(type="bar", x_col="kind", y_col="reg.ion[0]"), TypeMismatch),
        (ChartSpec(type="histogram", x_col="kind"), TypeMismatch),
    ],
)
def test_a_chart_that_makes_no_sense_is_refused(spec: ChartSpec, error: type[Exception]) -> None:
    with pytest.raises(error):
        vega_lite(TABLE, spec)


def test_too_many_points_are_refused_and_not_drawn_unreadably() -> None:
    table = pa.table({"x": list(range(MAX_POINTS + 1)), "y": list(range(MAX_POINTS + 1))})
    with pytest.raises(ResourceExhausted):
        vega_lite(table, ChartSpec(type="line", x_col="x", y_col="y"))


def test_bins_that_were_counted_before_are_drawn_as_they_are() -> None:
    bins = pa.table({"from": [0.0, 5.0], "to": [5.0, 10.0], "rows": [3, 1]})
    spec = ChartSpec(type="histogram", x_col="from", until_col="to", y_col="rows")
    document = vega_lite(bins, spec)
    assert document["encoding"]["x"]["bin"] == "binned"
    assert document["encoding"]["x2"]["field"] == "c2"
    assert to_png(document).startswith(b"\x89PNG")


def test_a_second_line_lies_behind_the_first() -> None:
    table = pa.table({"day": [1, 2], "smooth": [1.0, 2.0], "raw": [3.0, 1.0]})
    document = vega_lite(table, ChartSpec(type="line", x_col="day", y_col="smooth", beside_col="raw"))
    assert [layer["encoding"]["y"]["field"] for layer in document["layer"]] == ["c2", "c1"]
    assert to_png(document).startswith(b"\x89PNG")


def test_a_column_drawn_beside_must_be_there() -> None:
    with pytest.raises(MissingColumn):
        vega_lite(TABLE, ChartSpec(type="line", x_col="day", y_col="total", beside_col="nowhere"))


def test_a_character_no_drawing_can_hold_does_not_end_the_process() -> None:
    table = pa.table({"na\x01me": ["a\x01b", "c\ufffe", "d"], "amount": [1.0, 2.0, 3.0]})
    document = vega_lite(table, ChartSpec(type="bar", x_col="na\x01me", y_col="amount", title="t\x02"))
    assert to_png(document).startswith(b"\x89PNG")
    assert "a\x01b" not in to_svg(document)


def test_a_heat_map_with_both_signs_is_as_strong_on_either_side_of_zero() -> None:
    table = pa.table({"first": ["b", "a"], "second": ["a", "b"], "value": [0.8, -0.2]})
    document = vega_lite(table, ChartSpec(type="heatmap", x_col="first", y_col="value", series_col="second"))
    assert document["encoding"]["color"]["scale"]["domain"] == [-0.8, 0.8]
    assert document["encoding"]["x"]["sort"] == document["encoding"]["y"]["sort"] == ["b", "a"]


def test_numbers_name_the_columns_of_a_heat_map_in_their_own_order() -> None:
    table = pa.table({"after": [2, 0], "cohort": ["x", "y"], "value": [0.8, 0.2]})
    document = vega_lite(table, ChartSpec(type="heatmap", x_col="after", y_col="value", series_col="cohort"))
    assert document["encoding"]["x"]["type"] == "ordinal"
    assert "sort" not in document["encoding"]["x"]
    assert "scale" not in document["encoding"]["color"]
