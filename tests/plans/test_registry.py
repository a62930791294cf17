"""What the plan language computes stands in one registry: what is derived from a record is there, and works."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest

from averment.errors import InvalidArguments
from averment.plans.builder_options import FUNCTIONS
from averment.plans.compile import compile_plan
from averment.plans.lift import lift_sql
from averment.plans.names import window_words
from averment.plans.plan import Measure, Plan, Test, Value, Window, column, parse_plan
from averment.plans.readback import read_back
from averment.plans.registry import AGGREGATES, GROUPED, WINDOWS, Aggregate
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.guard.allowed import FUNCTIONS as ALLOWED
from averment.tables.sources.opening import open_sources

AMOUNT, PAID = column("orders", "amount"), column("orders", "paid")
SQL = [record for record in AGGREGATES.values() if not record.counts and not record.placed and record.sql]


def measure(record: Aggregate) -> Measure:
    """A figure of this kind over the orders."""
    if record.of == "nothing":
        tests = (Test(value=PAID, to=("yes",)),) if record.unit == "percent" else ()
        return Measure(function=record.name, where=tests)
    return Measure(function=record.name, of=AMOUNT, at=0.25 if record.name == "quantile" else None)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("registry")
    rows = [f"{'AB'[n % 2]},{n * 7 % 23},{('yes', 'no')[n % 3 == 0]},2024-{1 + n % 6:02d}-03" for n in range(40)]
    (folder / "orders.csv").write_text("\n".join(["shop,amount,paid,day", *rows]) + "\n")
    settings = Settings(home=folder / "home")
    catalog = open_sources([str(folder / "orders.csv")], settings=settings, cache_dir=folder / "cache")
    opened = Engine(catalog, settings)
    yield opened
    opened.close()


@pytest.mark.parametrize("record", AGGREGATES.values(), ids=lambda record: record.name)
def test_every_aggregate_is_computed_for_each_group(engine: Any, record: Aggregate) -> None:
    plan = Plan(table="orders", by=(column("orders", "shop"),), measures=(measure(record),))
    composed = compile_plan(plan).compose("duckdb")
    figures = [
        row[-1] for row in map(tuple, map(dict.values, engine.run(composed.sql, composed.params).table.to_pylist()))
    ]
    assert len(figures) == 2
    assert all(figure is not None for figure in figures)
    assert record.said.split()[0] in read_back(plan)


@pytest.mark.parametrize("record", SQL, ids=lambda record: record.name)
def test_every_function_of_sql_is_allowed_and_lifted_to_its_aggregate(engine: Any, record: Aggregate) -> None:
    for function in (record.sql, *record.spelt):
        assert function.casefold() in ALLOWED["duckdb"]
        body = lift_sql(f"SELECT {function}(amount) FROM orders", engine.catalog, "duckdb")
        assert body is not None
        assert parse_plan(body).measures == (measure(record),)


def test_the_median_absolute_deviation_is_of_the_distances_from_the_median(engine: Any) -> None:
    composed = compile_plan(Plan(table="orders", measures=(Measure(function="mad", of=AMOUNT),))).compose("duckdb")
    found = engine.run(composed.sql, composed.params).table.to_pylist()[0]
    amounts = [n * 7 % 23 for n in range(40)]
    assert list(found.values()) == [median(abs(each - median(amounts)) for each in amounts)]


@pytest.mark.parametrize("name", GROUPED)
def test_a_figure_over_groups_is_computed(engine: Any, name: str) -> None:
    plan = Plan(
        table="orders", by=(column("orders", "shop"),), measures=(Measure(function="sum", of=AMOUNT),), over_groups=name
    )
    composed = compile_plan(plan).compose("duckdb")
    assert engine.run(composed.sql, composed.params).table.num_rows == 1


@pytest.mark.parametrize("name", WINDOWS)
def test_every_window_is_computed_along_months_and_said(engine: Any, name: str) -> None:
    month = Value(kind="part", table="orders", column="day", part="month")
    window = Window(kind=name, along=0 if WINDOWS[name].along else None)
    plan = Plan(table="orders", by=(month,), measures=(Measure(function="sum", of=AMOUNT),), window=window)
    compiled = compile_plan(plan)
    composed = compiled.compose("duckdb")
    assert WINDOWS[name].words in engine.run(composed.sql, composed.params).table.column_names
    assert "_" not in window_words(name)
    assert WINDOWS[name].said.partition(" {")[0].split()[0] in read_back(plan)


def test_the_percentile_rank_goes_from_the_lowest_group_to_the_highest(engine: Any) -> None:
    month = Value(kind="part", table="orders", column="day", part="month")
    figures = (Measure(function="sum", of=AMOUNT),)
    plan = Plan(table="orders", by=(month,), measures=figures, window=Window(kind="percent_rank"))
    composed = compile_plan(plan).compose("duckdb")
    rows = [tuple(row.values())[1:] for row in engine.run(composed.sql, composed.params).table.to_pylist()]
    assert [place for _, place in sorted(rows)] == pytest.approx([0, 20, 40, 60, 80, 100])


def test_the_schema_of_plans_lists_the_names_and_others_are_refused() -> None:
    schema = Plan.model_json_schema()["$defs"]
    assert schema["Measure"]["properties"]["function"]["enum"] == [*AGGREGATES]
    assert schema["Window"]["properties"]["kind"]["enum"] == [*WINDOWS]
    for body in (
        {"table": "orders", "measures": [{"function": "total"}]},
        {"table": "orders", "measures": [{"function": "rows"}], "window": {"kind": "lag"}},
        {"table": "orders", "measures": [{"function": "rows"}], "over_groups": "stddev"},
    ):
        with pytest.raises(InvalidArguments):
            parse_plan(body)


def test_the_builder_offers_every_aggregate_that_needs_no_place() -> None:
    assert {*FUNCTIONS} == {record.name for record in AGGREGATES.values() if not record.placed}
    assert len(set(FUNCTIONS.values())) == len(FUNCTIONS)
