"""A chart follows from the plan and the result: time in order, averages side by side, points for a relation."""

import datetime as dt
import statistics
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from averment.charts.draw import vega_lite
from averment.charts.spec import ChartSpec
from averment.plans.chart_kinds import chart_kind
from averment.plans.charting import choose_chart, points_query, spread_query
from averment.plans.compile import compile_plan
from averment.plans.plan import Measure, Plan, Rank, Test, Value, Window
from averment.plans.statistics import statistic_of


@cache
def sales() -> pa.Table:
    return pa.table(
        {
            "shop": [f"shop {n % 3}" for n in range(24)],
            "kind": ["tea" if n % 2 else "coffee" for n in range(24)],
            "size": [n % 4 for n in range(24)],
            "name": [f"a long name of an article {n}" for n in range(24)],
            "year": [2001 + n % 4 for n in range(24)],
            "sold": [dt.date(2020, 1 + n % 12, 1 + n % 28) for n in range(24)],
            "price": [n * 1.5 + 100 for n in range(24)],
            "weight": [n * 2.0 + 7 for n in range(24)],
        }
    )


def c(name: str, **more: Any) -> Value:
    return Value(table="sales", column=name, **more)


MEAN = Measure(function="mean", of=c("price"))
SUM = Measure(function="sum", of=c("price"))
MONTH = c("sold", kind="part", part="month")


def ask(plan: Plan, wanted: str | None = None) -> tuple[dict[str, Any] | None, pa.Table]:
    engine = duckdb.connect()
    engine.register("sales", sales())
    compiled = compile_plan(plan)
    composed = compiled.compose("duckdb")
    table = engine.execute(composed.sql, list(composed.params)).to_arrow_table()
    chart = choose_chart(plan, compiled, table, wanted)
    points = points_query(plan)
    boxes = spread_query(plan) if chart is not None and chart["type"] == "box" else None
    if points is not None or boxes is not None:
        composed = (
            boxes.compose("duckdb") if boxes is not None else points.write("duckdb") if points is not None else composed
        )
        table = engine.execute(composed.sql, list(composed.params)).to_arrow_table()
    if chart is not None:
        vega_lite(table, ChartSpec.model_validate(chart))
    return chart, table


def chosen(plan: Plan, wanted: str | None = None) -> dict[str, Any]:
    chart, _ = ask(plan, wanted)
    assert chart is not None
    return chart


@pytest.mark.parametrize(
    "plan",
    [
        Plan(table="sales", measures=(MEAN,)),
        Plan(table="sales", by=(c("shop"),), measures=(MEAN,), rank=Rank(), where=(Test(value=c("size"), to=(1,)),)),
        Plan(table="sales", show=(c("shop"),), distinct=True),
        Plan(table="sales", show=(c("shop"), c("price"))),
        Plan(table="sales", by=(c("shop"),), measures=(MEAN,), where=(Test(value=c("size"), to=(99,)),)),
    ],
)
def test_one_figure_one_bar_and_a_list_are_no_chart(plan: Plan) -> None:
    chart, _ = ask(plan)
    assert chart is None


@pytest.mark.parametrize("key", [c("year"), MONTH])
def test_time_lies_across_in_order_as_a_line(key: Value) -> None:
    chart, table = ask(Plan(table="sales", by=(key,), measures=(SUM,)))
    assert chart is not None
    assert chart["type"] == "line"
    times = table.column(chart["x_col"]).to_pylist()
    assert times == sorted(times)


def test_years_have_no_commas_and_do_not_begin_at_zero() -> None:
    chart, table = ask(Plan(table="sales", by=(c("year"),), measures=(SUM,)))
    across = vega_lite(table, ChartSpec.model_validate(chart))["encoding"]["x"]
    assert across["axis"]["format"] == "d"
    assert across["scale"]["zero"] is False


def test_averages_of_two_keys_stand_side_by_side_and_are_never_stacked() -> None:
    for wanted in (None, "stacked bar chart"):
        chart, table = ask(Plan(table="sales", by=(c("shop"), c("kind")), measures=(MEAN,)), wanted)
        document = vega_lite(table, ChartSpec.model_validate(chart))
        assert "xOffset" in document["encoding"]
        assert document["encoding"]["y"].get("stack") is None


def test_parts_of_a_whole_are_stacked_where_that_is_asked_for() -> None:
    chart = chosen(Plan(table="sales", by=(c("shop"), c("kind")), measures=(SUM,)), "stacked bars")
    assert chart["stacked"] is True
    assert "stacked" not in chosen(Plan(table="sales", by=(c("shop"), c("kind")), measures=(SUM,)))


def test_time_and_a_key_are_lines_in_colours() -> None:
    chart = chosen(Plan(table="sales", by=(c("kind"), MONTH), measures=(MEAN,)))
    assert (chart["type"], chart["x_col"], chart["series_col"]) == ("line", "month of sold", "kind")


def test_too_many_groups_of_two_keys_are_a_heat_map() -> None:
    chart = chosen(Plan(table="sales", by=(c("name"), c("year")), measures=(MEAN,)))
    assert chart["type"] == "heatmap"


def test_three_keys_are_small_charts() -> None:
    chart = chosen(Plan(table="sales", by=(c("shop"), c("kind"), c("size")), measures=(MEAN,)))
    assert chart["facet_col"] == "kind"


def test_long_names_are_read_from_the_side() -> None:
    chart = chosen(Plan(table="sales", show=(c("name"), c("price")), rank=Rank(by=c("price"), limit=5)))
    assert chart["horizontal"] is True
    assert chart["title"] == "Highest price by name"


def test_a_relation_is_a_scatter_of_its_points_with_a_line_and_not_from_zero() -> None:
    statistic = statistic_of("correlation", of=(c("price"), c("weight")))
    plan = Plan(table="sales", statistic=statistic, where=(Test(value=c("kind"), to=("tea",)),))
    chart, points = ask(plan)
    assert chart is not None
    assert (chart["type"], chart["fit"], chart["zero"]) == ("scatter", True, False)
    assert points.num_rows == 12
    document = vega_lite(points, ChartSpec.model_validate(chart))
    assert document["encoding"]["x"]["scale"]["zero"] is False
    assert document["layer"][1]["transform"] == [{"regression": "c1", "on": "c0"}]


def test_only_relations_need_points_of_their_own() -> None:
    assert points_query(Plan(table="sales", by=(c("shop"),), measures=(MEAN,))) is None
    assert points_query(Plan(table="sales", statistic=statistic_of("distribution", of=(c("price"),)))) is None


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [("pie", "pie"), ("as a pie chart", "pie"), ("line", "line"), ("column chart", "bar"), ("area", "area")],
)
def test_the_kind_that_was_asked_for_is_drawn(wanted: str, kind: str) -> None:
    assert chosen(Plan(table="sales", by=(c("shop"),), measures=(SUM,)), wanted)["type"] == kind


def test_a_change_is_no_part_of_a_pie() -> None:
    change = Window(kind="change", along=1, span=(2001, 2004))
    plan = Plan(table="sales", by=(c("shop"), c("year")), measures=(SUM,), window=change)
    assert chosen(plan, "pie")["type"] == "bar"


def test_words_for_charts_are_understood() -> None:
    words = {"heat map": "heatmap", "scatterplot": "scatter", "box-plot": "box", "donut": "pie", "nothing": None}
    assert {said: chart_kind(said) for said in words} == words


def test_percentages_carry_their_sign_and_titles_their_conditions() -> None:
    tea = Measure(function="rate", where=(Test(value=c("kind"), to=("tea",)),))
    plan = Plan(table="sales", by=(c("shop"),), measures=(tea,), where=(Test(value=c("size"), operator=">", to=(0,)),))
    chart = chosen(plan)
    assert chart["y_unit"] == "percent"
    assert chart["title"] == "Share of rows where kind is tea by shop, where size is over 0"


@pytest.mark.parametrize(
    "plan",
    [
        Plan(table="sales", by=(c("shop"),), measures=(MEAN,)),
        Plan(table="sales", by=(MONTH,), measures=(SUM,)),
        Plan(table="sales", measures=(MEAN,)),
        Plan(table="sales", show=(c("price"),)),
        Plan(table="sales", statistic=statistic_of("distribution", of=(c("price"),))),
        Plan(table="sales", by=(c("shop"),), measures=(MEAN,), where=(Test(value=c("size"), to=(1,)),)),
    ],
)
def test_a_box_shows_the_quartiles_of_the_values_behind_a_result(plan: Plan) -> None:
    chart, table = ask(plan, "box plot")
    assert chart is not None
    assert chart["type"] == "box"
    lowest, lower, upper, highest = chart["box_cols"]
    kept = [row for row in sales().to_pylist() if not plan.where or row["size"] == 1]
    groups: dict[object, list[float]] = {}
    for row in kept:
        key = None if not plan.by else row["sold"].replace(day=1) if plan.by == (MONTH,) else row["shop"]
        groups.setdefault(key, []).append(row["price"])
    assert table.num_rows == len(groups)
    for box in table.to_pylist():
        mine = sorted(groups[box[chart["x_col"]] if plan.by else None])
        quartiles = statistics.quantiles(mine, n=4, method="inclusive") if len(mine) > 1 else mine * 3
        expected = [mine[0], *quartiles, mine[-1]]
        assert [box[each] for each in (lowest, lower, chart["y_col"], upper, highest)] == pytest.approx(expected)


def test_boxes_are_drawn_from_the_quartiles_and_nothing_is_summed_up_in_the_picture() -> None:
    chart, table = ask(Plan(table="sales", by=(c("shop"),), measures=(MEAN,)), "box")
    document = vega_lite(table, ChartSpec.model_validate(chart))
    assert [layer["mark"]["type"] for layer in document["layer"]] == ["rule", "bar", "tick"]
    assert "boxplot" not in str(document)
    assert "aggregate" not in str(document)


@pytest.mark.parametrize(
    "plan",
    [
        Plan(table="sales", by=(c("shop"),), measures=(Measure(function="rows"),)),
        Plan(table="sales", by=(c("shop"),), measures=(MEAN,), rank=Rank(limit=2)),
        Plan(table="sales", by=(c("shop"), c("kind")), measures=(MEAN,)),
        Plan(table="sales", by=(c("kind"),), measures=(Measure(function="max", of=c("sold")),)),
    ],
)
def test_what_is_about_no_values_of_one_column_has_no_box(plan: Plan) -> None:
    chart, _ = ask(plan, "box")
    assert chart is None or chart["type"] != "box"
