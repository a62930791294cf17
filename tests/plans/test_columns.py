"""The compiler says what each column of a result is, and nobody guesses it again."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from averment.claims.kinds import kinds_by_plan, result_kinds
from averment.plans.compile import compile_plan
from averment.plans.plan import Across, GroupTest, Measure, Plan, Rank, Value, Window, column
from averment.plans.statistics import OWN, statistic_of

PRICE, SHOP, YEAR = (column("t", name) for name in ("price", "shop", "year"))
MONTH = Value(kind="part", table="t", column="day", part="month")
SUM, ROWS = Measure(function="sum", of=PRICE), Measure(function="rows")


def told(**parts: Any) -> dict[str, tuple[str, str, str, bool]]:
    columns = compile_plan(Plan.model_validate({"table": "t", **parts})).columns
    return {each.name: (each.role, each.kind, each.unit, each.additive) for each in columns}


def test_a_figure_says_its_kind_its_unit_and_whether_its_parts_add_up() -> None:
    measures = (SUM, ROWS, Measure(function="median", of=YEAR), SUM.changed(over=ROWS), Measure(function="rate"))
    assert told(by=(SHOP,), measures=measures) == {
        "shop": ("key", "", "none", False),
        "total price": ("figure", "", "same", True),
        "rows": ("figure", "count", "count", True),
        "median year": ("figure", "", "same", False),
        "total price per rows": ("figure", "number", "none", False),
        "percent": ("figure", "percentage", "percent", False),
    }


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (Window(kind="share"), ("percentage", "none", True)),
        (Window(kind="growth", along=0), ("percentage", "none", False)),
        (Window(kind="log_return", along=0), ("number", "none", False)),
        (Window(kind="change", along=0), ("", "same", False)),
        (Window(kind="rank"), ("count", "none", False)),
    ],
)
def test_a_window_makes_a_figure_of_its_own(window: Window, expected: tuple[str, str, bool]) -> None:
    *before, last = told(by=(MONTH,), measures=(SUM,), window=window).values()
    assert last == ("figure", *expected)
    assert before[1] == ("figure", "", "same", True)


def test_a_change_of_a_percentage_is_in_points() -> None:
    rate = Measure(function="rate", where=())
    compiled = compile_plan(Plan(table="t", by=(MONTH,), measures=(rate,), window=Window(kind="change", along=0)))
    table = pa.table({name: [1.5] for name in (*compiled.keys, *compiled.figures)})
    assert [*result_kinds(compiled.columns, table).values()] == ["month", "percentage", "percentage", "points"]


def test_values_laid_side_by_side_are_what_the_figure_is() -> None:
    across = Across(at=1, values=("a", "b"))
    plain = told(by=(MONTH, SHOP), measures=(SUM,), across=across)
    shares = told(by=(MONTH, SHOP), measures=(SUM,), across=across, window=Window(kind="share"))
    assert plain["a"] == plain["b"] == ("figure", "", "same", True)
    assert shares["a"] == shares["b"] == ("figure", "percentage", "none", True)


def test_rows_ranked_by_a_value_and_what_the_first_few_make_up() -> None:
    assert told(show=(SHOP,), rank=Rank(by=PRICE))["price"] == ("figure", "", "same", False)
    until = told(by=(SHOP,), measures=(SUM,), rank=Rank(limit=9, until=80))
    assert until["share in percent"] == until["running share in percent"] == ("figure", "percentage", "none", False)


def test_figures_over_groups_and_of_statistics_have_their_kinds() -> None:
    assert told(by=(SHOP,), measures=(SUM,), over_groups="count")["count of total price"][1] == "count"
    table = told(statistic=statistic_of("independence", of=(SHOP, YEAR)))
    assert [table[name][1] for name in ("rows", "percent of first")] == ["count", "percentage"]


@pytest.mark.parametrize("kind", sorted(OWN))
def test_every_heading_of_a_statistic_is_a_column(kind: str) -> None:
    by = {"by": SHOP} if kind in {"difference_test", "mann_whitney", "kruskal_wallis"} else {}
    fields: dict[str, Any] = {"against": PRICE} if kind == "model" else by
    of = (SHOP,) if kind in {"members", "retention"} else (PRICE,)
    two = kind in {"correlation", "independence", "trend", "members", "retention"}
    plan = Plan(
        table="t", show=(PRICE,), statistic=statistic_of(kind, of=(*of, column("t", "day")) if two else of, **fields)
    )
    compiled = compile_plan(plan)
    assert tuple(each.name for each in compiled.columns) == (*compiled.keys, *compiled.figures)


def test_years_are_years_whatever_their_heading_and_their_type_and_names_are_no_amounts() -> None:
    season = Value(kind="part", table="t", column="opened", part="year")
    plan = Plan(
        table="t",
        by=(season, column("t", "store_number")),
        measures=(Measure(function="max", of=YEAR),),
        having=(GroupTest(measure=ROWS, to=(1,)),),
    )
    names = (*(compiled := compile_plan(plan)).keys, *compiled.figures)
    table = pa.table(dict(zip(names, ([2020.0], [1204], [2021]), strict=True)))
    assert [*kinds_by_plan(plan.to_json(), table).values()] == ["year", "label", "year"]
    assert [*kinds_by_plan(None, table).values()][1] == "number"
