"""A chart is drawn from its table alone, the same way every time."""

import datetime as dt
from decimal import Decimal
from functools import cache

import pyarrow as pa
import pytest

from averment.charts.draw import to_png, to_svg, vega_lite
from averment.charts.spec import MAX_POINTS, ChartSpec
from averment.errors import MissingColumn, ResourceExhausted, TypeMismatch


@cache
def months_table() -> pa.Table:
    return pa.table(
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
    assert to_png(vega_lite(months_table(), spec)).startswith(b"\x89PNG")


def test_the_same_table_gives_the_same_bytes() -> None:
    spec = ChartSpec(type="line", x_col="day", y_col="total", title="T")
    first, second = vega_lite(months_table(), spec), vega_lite(months_table(), spec)
    assert first == second
    assert to_png(first) == to_png(second)


def test_a_histogram_needs_only_numbers() -> None:
    document = vega_lite(pa.table({"n": [1, 2, 2, 3]}), ChartSpec(type="histogram", x_col="n"))
    assert document["encoding"]["x"]["bin"]


def test_a_chart_document_names_nothing_outside_itself() -> None:
    document = vega_lite(months_table(), ChartSpec(type="bar", x_col="kind", y_col="total"))
    assert "url" not in str(document["data"])
    assert "<svg" in to_svg(document)


def test_bars_keep_the_order_of_the_table() -> None:
    document = vega_lite(months_table(), ChartSpec(type="bar", x_col="kind", y_col="total"))
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
        vega_lite(months_table(), spec)


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
        vega_lite(months_table(), ChartSpec(type="line", x_col="day", y_col="total", beside_col="nowhere"))


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


def test_bars_of_two_keys_stand_side_by_side_unless_stacked() -> None:
    table = pa.table({"a": ["x", "x", "y"], "b": [True, False, None], "n": [1, 2, 3]})
    spec = ChartSpec(type="bar", x_col="a", y_col="n", series_col="b")
    side = vega_lite(table, spec)["encoding"]
    assert side["xOffset"]["field"] == side["color"]["field"]
    assert side["color"]["scale"]["domain"] == ["true", "false", "no value"]
    assert side["color"]["scale"]["range"][2] == "#a3a3a3"
    stacked = vega_lite(table, spec.changed(stacked=True))["encoding"]
    assert stacked["y"]["stack"] == "zero"
    assert "xOffset" not in stacked


def test_a_missing_name_comes_last_and_is_grey() -> None:
    table = pa.table({"sex": [None, "m", "f"], "n": [9, 2, 3]})
    document = vega_lite(table, ChartSpec(type="bar", x_col="sex", y_col="n"))
    assert [row["c0"] for row in document["data"]["values"]] == ["m", "f", "no value"]
    assert document["encoding"]["color"]["condition"]["value"] == "#a3a3a3"


def test_months_are_in_the_order_of_the_year() -> None:
    table = pa.table({"month": ["April", "January", "March"], "n": [1, 2, 3]})
    document = vega_lite(table, ChartSpec(type="bar", x_col="month", y_col="n"))
    assert document["encoding"]["x"]["sort"] == ["January", "March", "April"]


def test_a_scatter_of_very_many_points_draws_every_nth() -> None:
    many = MAX_POINTS * 2 + 1
    table = pa.table({"x": list(range(many)), "y": list(range(many))})
    document = vega_lite(table, ChartSpec(type="scatter", x_col="x", y_col="y", fit=True))
    assert len(document["data"]["values"]) <= MAX_POINTS


def test_steps_of_a_number_are_drawn_in_their_order() -> None:
    table = pa.table({"age": [20.0, 0.0, None, 10.0], "rows": [4, 3, 2, 1]})
    document = vega_lite(table, ChartSpec(type="bar", x_col="age", y_col="rows", x_scale="number"))
    assert document["encoding"]["x"]["sort"] == ["0", "10", "20", "no value"]


def test_drawing_loads_no_other_chart_library() -> None:
    import subprocess
    import sys

    code = (
        "import sys, pyarrow as pa\n"
        "from averment.charts.draw import vega_lite\n"
        "from averment.charts.spec import ChartSpec\n"
        "vega_lite(pa.table({'k': ['a', 'b'], 'v': [1, 2]}), ChartSpec(type='bar', x_col='k', y_col='v'))\n"
        "print('altair' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
