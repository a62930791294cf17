"""A plan becomes one query: the same numbers in every dialect, and no value becomes SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from averment.errors import InvalidArguments
from averment.plans.behind import rows_behind
from averment.plans.compile import compile_plan
from averment.plans.plan import Across, Join, Measure, Plan, Rank, Sort, Test, Value, Window, column, parse_plan
from averment.plans.query import ComposedQuery
from averment.plans.statistics import statistic_of
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

ROWS = [
    ("2023-01-10", "a", 1.0),
    ("2023-02-10", "a", 2.0),
    ("2023-03-10", "b", 4.0),
    ("2023-05-10", "a", 8.0),
    ("2023-05-11", "b", None),
    ("2024-01-01", "b", 16.0),
    ("2024-01-01", "b", 16.0),
]
DAY, K, X = (column("t", name) for name in ("day", "k", "x"))
MONTH = Value(kind="part", table="t", column="day", part="month")
SUM = Measure(function="sum", of=X)


@pytest.fixture(params=["duckdb", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    path: Path | str
    if request.param == "postgres":
        import psycopg

        path = str(request.getfixturevalue("new_postgres")())
        with psycopg.connect(path, autocommit=True) as connection:
            connection.execute("CREATE TABLE t (day DATE, k TEXT, x DOUBLE PRECISION)")
            for row in ROWS:
                connection.execute("INSERT INTO t VALUES (%s, %s, %s)", row)
    elif request.param == "sqlite":
        path = tmp_path / "t.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE t (day TEXT, k TEXT, x REAL)")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
            connection.commit()
    else:
        path = tmp_path / "t.csv"
        path.write_text("day,k,x\n" + "".join(f"{day},{k},{'' if x is None else x}\n" for day, k, x in ROWS))
    settings = Settings(home=tmp_path / "home")
    opened = Engine(open_sources([str(path)], settings=settings, cache_dir=tmp_path / "cache"), settings)
    yield opened
    opened.close()


def ran(engine: Engine, composed: ComposedQuery) -> list[dict[str, Any]]:
    return engine.run(composed.sql, composed.params).table.to_pylist()


def rows(engine: Engine, **parts: Any) -> list[dict[str, Any]]:
    plan = Plan.model_validate({"table": "t", **parts})
    return ran(engine, compile_plan(plan).compose(engine.catalog.dialect))


def windowed(engine: Engine, kind: str, **more: Any) -> list[Any]:
    window = Window.model_validate({"kind": kind, **more})
    return [list(row.values())[-1] for row in rows(engine, measures=(SUM,), by=(MONTH,), window=window)]


def test_the_period_before_is_the_one_before_in_the_calendar(engine: Engine) -> None:
    assert windowed(engine, "change") == [None, 1.0, 2.0, None, None]


def test_a_year_before_is_twelve_months_back(engine: Engine) -> None:
    assert windowed(engine, "growth", steps=12)[-1] == 3100.0


def test_a_moving_average_begins_with_a_whole_window_and_passes_over_gaps(engine: Engine) -> None:
    assert windowed(engine, "moving", steps=3) == [None, None, pytest.approx(7 / 3), 6.0, 32.0]


def test_a_running_total_adds_up(engine: Engine) -> None:
    assert windowed(engine, "running") == [1.0, 3.0, 7.0, 15.0, 47.0]


def test_shares_are_percent_of_the_sum(engine: Engine) -> None:
    assert sum(windowed(engine, "share")) == pytest.approx(100)


@pytest.mark.parametrize("at", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_quantiles_interpolate_over_known_values(engine: Engine, at: float) -> None:
    import numpy as np

    (row,) = rows(engine, measures=(Measure(function="quantile", of=X, at=at),))
    assert [*row.values()] == [pytest.approx(np.quantile([x for *_, x in ROWS if x is not None], at))]


def test_medians_of_two_values_stand_beside_sums_in_every_dialect(engine: Engine) -> None:
    length = Value(kind="length", table="t", column="k")
    measures = (Measure(function="median", of=X), Measure(function="median", of=length), SUM)
    found = rows(engine, measures=measures, by=(K,), where=(Test(value=X, operator="<", to=(16.0,)),))
    assert sorted([*row.values()] for row in found) == [["a", 2.0, 1.0, 11.0], ["b", 4.0, 1.0, 4.0]]


def test_bins_hold_every_known_value_and_empty_ones_are_there(engine: Engine) -> None:
    found = rows(engine, statistic=statistic_of("distribution", of=(X,), bins=3))
    assert [row["rows"] for row in found] == [3, 1, 2]
    assert [row["from"] for row in found] == [1.0, 6.0, 11.0]


def test_values_are_laid_side_by_side_and_stay_values(engine: Engine) -> None:
    across = Across(at=1, values=("a", "x' OR 1=1 --"))
    found = rows(engine, measures=(SUM,), by=(MONTH, K), across=across)
    assert [row["a"] for row in found] == [1.0, 2.0, None, 8.0, None]
    assert [row["x' OR 1=1 --"] for row in found] == [None] * 5


def test_a_line_through_a_straight_series_fits_it_wholly(engine: Engine) -> None:
    (row,) = rows(engine, statistic=statistic_of("trend", of=(X, X)))
    assert row == {"points": 6, "slope": pytest.approx(1), "r_squared": pytest.approx(1)}


def test_an_overview_counts_what_is_missing_and_different(engine: Engine) -> None:
    found = rows(engine, statistic=statistic_of("overview", of=(X,)), show=(DAY, K, X))
    expected = [("day", 0, 6), ("k", 0, 2), ("x", 1, 5)]
    assert [(row["column"], row["missing"], row["different"]) for row in found] == expected


def test_a_figure_with_conditions_takes_only_the_rows_that_meet_them(engine: Engine) -> None:
    dear = Test(value=X, operator=">", to=(3.5,))
    counted, summed = Measure(function="rows", where=(dear,)), SUM.changed(where=(dear,), over=SUM)
    (row,) = rows(engine, measures=(counted, summed))
    assert [*row.values()] == [4, pytest.approx(44 / 47)]


def test_a_value_never_becomes_sql(engine: Engine) -> None:
    plan = Plan(table="t", show=(K,), where=(Test(value=K, to=("x' OR '1'='1",)),))
    composed = compile_plan(plan).compose(engine.catalog.dialect)
    assert ran(engine, composed) == []
    assert "OR" not in composed.sql and composed.params == ("x' OR '1'='1",)


def test_parameters_come_in_the_order_of_the_text(engine: Engine) -> None:
    either = Test(any_of=(Test(value=X, to=(4.0,)), Test(value=X, to=(8.0,))))
    plus = Value(kind="arithmetic", operation="+", operands=(X, Value(kind="number", number=42)))
    found = rows(engine, show=(K, plus), where=(either, Test(value=K, operator="starts", to=("b",))))
    assert [[*row.values()] for row in found] == [["b", 46.0]]


def test_those_of_another_query_are_taken_or_left(engine: Engine) -> None:
    inner = Plan(table="t", show=(K,), distinct=True, where=(Test(value=X, operator=">", to=(10,)),))
    for operator, expected in (("in", 4), ("not in", 3)):
        (row,) = rows(
            engine,
            measures=(Measure(function="rows"),),
            where=(Test.model_validate({"value": K, "operator": operator, "inner": inner}),),
        )
        assert row == {"rows": expected}


def test_the_rows_behind_a_cell_have_their_places_in_the_table(engine: Engine) -> None:
    plan = Plan(table="t", measures=(SUM,), by=(K,))
    behind = rows_behind(plan, {"k": "a", "total x": 11.0}, "total x")
    dialect = engine.catalog.dialect
    page = ran(engine, behind.page(["day", "x"], limit=2, offset=1).write(dialect))
    assert [(row["row"], row["x"]) for row in page] == [(2, 2.0), (4, 8.0)]
    assert ran(engine, behind.count().write(dialect)) == [{"figure": 3}]
    figure = behind.figure()
    assert figure is not None and ran(engine, figure.write(dialect)) == [{"figure": 11.0}]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("year", {2023, 2024}),
        ("month_of_year", {"Jan", "Feb", "Mar", "May"}),
        ("quarter", {"2023-01-01", "2023-04-01", "2024-01-01"}),
        ("weekday", {"Tue", "Fri", "Wed", "Thu", "Mon"}),
        ("decade", {2020}),
    ],
)
def test_dates_are_cut_alike(engine: Engine, part: str, expected: set[object]) -> None:
    value = Value.model_validate({"kind": "part", "table": "t", "column": "day", "part": part})
    found = [next(iter(row.values())) for row in rows(engine, by=(value,), measures=(Measure(function="rows"),))]
    assert {
        each if isinstance(each, str) else int(each) if isinstance(each, int | float) else str(each) for each in found
    } == {*expected} or {str(each) for each in found} == expected


def test_groups_of_a_join_are_ranked_and_sorted(tmp_path: Path) -> None:
    people, orders = tmp_path / "people.csv", tmp_path / "orders.csv"
    people.write_text("id,name\n1,Ann\n2,Bo\n3,Cy\n")
    orders.write_text("person_id,price\n1,5\n1,7\n2,1\n")
    engine = Engine(open_sources([people, orders], settings=Settings(), cache_dir=tmp_path / "cache"), Settings())
    join = Join(left="orders", left_column="person_id", right="people", right_column="id")
    name = column("people", "name")
    plan = Plan(table="orders", joins=(join,), by=(name,), measures=(Measure(function="rows"),), rank=Rank(limit=2))
    try:
        found = ran(engine, compile_plan(plan).compose("duckdb"))
    finally:
        engine.close()
    assert found == [{"name": "Ann", "rows": 2}, {"name": "Bo", "rows": 1}]


def test_rows_are_sorted_only_by_what_they_show() -> None:
    with pytest.raises(InvalidArguments):
        compile_plan(Plan(table="t", show=(K,), order=(Sort(at=1),)))


def test_what_an_earlier_version_composed_is_read_and_not_compiled() -> None:
    plan = parse_plan({"table": "t", "query": {"table": "t", "outputs": []}})
    with pytest.raises(InvalidArguments):
        compile_plan(plan)
