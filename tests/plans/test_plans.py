"""A plan is data: it compiles to the same rows in every dialect, is said in one sentence, and keeps its hash."""

from __future__ import annotations

import sqlite3
from typing import Any

import duckdb
import pytest

from averment.errors import InvalidArguments
from averment.plans.compile import compile_plan
from averment.plans.plan import GroupTest, Measure, Plan, Rank, Test, Value, Window, column, parse_plan
from averment.plans.readback import read_back
from averment.plans.statistics import statistic_of

ROWS = [
    ("a", "x", 1, 10.0, "2020-01-05"),
    ("b", "x", 2, 20.0, "2021-03-05"),
    ("a", "y", 3, 30.0, "2021-04-05"),
    ("b", "y", 3, 5.0, "2020-07-05"),
    ("c", "y", 4, None, "2021-07-09"),
]


def col(name: str) -> Value:
    """A column of the table."""
    return column("t", name)


YEAR = Value(kind="part", table="t", column="d", part="year")
PLANS = {
    "a figure for groups": Plan(table="t", measures=(Measure(function="mean", of=col("m")),), by=(col("g"),)),
    "a rate": Plan(
        table="t", measures=(Measure(function="rate", where=(Test(value=col("h"), to=("x",)),)),), by=(col("g"),)
    ),
    "a share": Plan(
        table="t", measures=(Measure(function="sum", of=col("m")),), by=(col("g"),), window=Window(kind="share")
    ),
    "growth": Plan(
        table="t", measures=(Measure(function="sum", of=col("m")),), by=(YEAR,), window=Window(kind="growth", along=0)
    ),
    "growth between two years": Plan(
        table="t",
        measures=(Measure(function="sum", of=col("m")),),
        by=(YEAR, col("g")),
        window=Window(kind="growth", along=0, span=(2020, 2021)),
    ),
    "a percentile": Plan(table="t", measures=(Measure(function="quantile", of=col("m"), at=0.9),)),
    "the first rows": Plan(table="t", show=(col("g"), col("m")), rank=Rank(by=col("m"), limit=2)),
    "a mean over groups": Plan(table="t", measures=(Measure(function="rows"),), by=(col("g"),), over_groups="mean"),
    "above the average": Plan(
        table="t",
        show=(col("g"), col("h")),
        where=(
            Test(
                value=col("m"),
                operator=">",
                inner=Plan(table="t", measures=(Measure(function="mean", of=col("m")),), expects="figure"),
            ),
        ),
    ),
    "of the first group": Plan(
        table="t",
        measures=(Measure(function="sum", of=col("n")),),
        where=(
            Test(
                value=col("g"),
                operator="in",
                inner=Plan(table="t", measures=(Measure(function="sum", of=col("m")),), by=(col("g"),), rank=Rank()),
            ),
        ),
    ),
    "groups with more than one row": Plan(
        table="t",
        measures=(Measure(function="rows"),),
        by=(col("g"),),
        having=(GroupTest(measure=Measure(function="rows"), operator=">", to=(1,)),),
    ),
    "one or the other": Plan(
        table="t",
        measures=(Measure(function="rows"),),
        where=(Test(any_of=(Test(value=col("n"), operator=">", to=(3,)), Test(value=col("h"), to=("x",)))),),
    ),
    "a distribution": Plan(table="t", statistic=statistic_of("distribution", of=(col("m"),), bins=5)),
    "decades": Plan(table="t", measures=(Measure(function="rows"),), by=(YEAR.changed(part="decade"),)),
}


@pytest.fixture(scope="module")
def engines() -> tuple[duckdb.DuckDBPyConnection, sqlite3.Connection]:
    """The same rows in two engines."""
    one = duckdb.connect()
    one.execute("CREATE TABLE t (g VARCHAR, h VARCHAR, n INTEGER, m DOUBLE, d DATE)")
    one.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", ROWS)
    other = sqlite3.connect(":memory:")
    other.execute("CREATE TABLE t (g TEXT, h TEXT, n INTEGER, m REAL, d TEXT)")
    other.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", ROWS)
    return one, other


def _plain(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    return [[round(v, 6) if isinstance(v, float) else v for v in row] for row in rows]


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_gives_the_same_rows_in_every_dialect(
    engines: tuple[duckdb.DuckDBPyConnection, sqlite3.Connection], name: str
) -> None:
    compiled = compile_plan(PLANS[name])
    first, second = compiled.compose("duckdb"), compiled.compose("sqlite")
    one = _plain(engines[0].execute(first.sql, list(first.params)).fetchall())
    other = _plain(engines[1].execute(second.sql, list(second.params)).fetchall())
    assert one
    assert one == other
    assert len(one[0]) >= len(compiled.figures)


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_survives_its_json_and_keeps_its_hash(name: str) -> None:
    plan = PLANS[name]
    again = parse_plan(plan.to_json())
    assert again == plan
    assert again.hash == plan.hash


def test_different_plans_are_said_differently() -> None:
    assert len({read_back(plan) for plan in PLANS.values()}) == len(PLANS)


def test_a_read_back_names_every_column_of_its_plan() -> None:
    for plan in PLANS.values():
        said = read_back(plan)
        assert all(name in said for _, name in plan.columns()), said


def test_what_is_no_plan_is_refused() -> None:
    with pytest.raises(InvalidArguments):
        parse_plan({"version": "averment.plan/1", "table": "t", "nonsense": 1})
    with pytest.raises(InvalidArguments):
        parse_plan({"table": "t"})


def test_a_missing_value_never_wins_a_ranking(engines: tuple[duckdb.DuckDBPyConnection, sqlite3.Connection]) -> None:
    plan = Plan(table="t", show=(col("g"),), rank=Rank(by=col("m"), descending=False))
    composed = compile_plan(plan).compose("duckdb")
    assert engines[0].execute(composed.sql, list(composed.params)).fetchall() == [("b", 5.0)]
