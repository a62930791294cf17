"""Layers over a select give the same numbers in every dialect, and no value becomes SQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from averment.settings import Settings
from averment.tables.compose.layer_spec import (
    BinLayer,
    Calculation,
    CalculationLayer,
    GroupLayer,
    Layer,
    Layered,
    LineLayer,
    PeriodLayer,
    Sorting,
    Spread,
    SpreadColumn,
    SummaryColumn,
)
from averment.tables.compose.layers import compose_layers
from averment.tables.compose.overview import compose_summary
from averment.tables.compose.select_spec import Output, Select, Term, aggregate, column
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


def run(engine: Engine, spec: Layered) -> list[dict[str, Any]]:
    composed = compose_layers(spec, engine.catalog.dialect)
    return engine.run(composed.sql, composed.params).table.to_pylist()


MONTH = Term(kind="part", part="month", arguments=(column("t", "day"),))
MONTHLY = Select(
    table="t",
    outputs=(Output(term=MONTH, alias="month"), Output(term=aggregate("sum", column("t", "x")), alias="v")),
    groups=(MONTH,),
)
PLAIN = Select(table="t", outputs=tuple(Output(term=column("t", name), alias=name) for name in ("day", "k", "x")))
NUMBERED = CalculationLayer(columns=(Calculation(kind="period_number", alias="n", of=("month",), step="month"),))


def values(engine: Engine, *layers: Layer, shown: str, base: Select = MONTHLY, order: str = "month") -> list[Any]:
    rows = run(engine, Layered(base=base, layers=layers, shown=(order, shown), order=(Sorting(alias=order),)))
    return [row[shown] for row in rows]


def calculated(kind: str, **more: Any) -> CalculationLayer:
    return CalculationLayer(columns=(Calculation.model_validate({"kind": kind, "alias": "r", "of": ("v",), **more}),))


def test_the_period_before_is_the_one_before_in_the_calendar(engine: Engine) -> None:
    assert values(engine, NUMBERED, calculated("earlier", along="n"), shown="r") == [None, 1.0, 2.0, None, None]


def test_a_year_before_is_twelve_months_back(engine: Engine) -> None:
    assert values(engine, NUMBERED, calculated("earlier", along="n", steps=12), shown="r")[-1] == 1.0


def test_a_moving_average_begins_with_a_whole_window_and_passes_over_gaps(engine: Engine) -> None:
    found = values(engine, NUMBERED, calculated("moving_average", along="n", steps=3), shown="r")
    assert found == [None, None, pytest.approx(7 / 3), 6.0, 32.0]


def test_a_running_total_adds_up(engine: Engine) -> None:
    assert values(engine, NUMBERED, calculated("running_total", along="n"), shown="r") == [1.0, 3.0, 7.0, 15.0, 47.0]


def test_shares_are_percent_of_the_sum(engine: Engine) -> None:
    assert sum(values(engine, calculated("share"), shown="r")) == pytest.approx(100)


def test_rows_before_a_day_can_be_left_out_at_the_end(engine: Engine) -> None:
    kept = PeriodLayer(column="month", start="2023-03-01")
    assert values(engine, NUMBERED, calculated("earlier", along="n"), kept, shown="r") == [2.0, None, None]


@pytest.mark.parametrize("at", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_quantiles_interpolate_over_known_values(engine: Engine, at: float) -> None:
    import numpy as np

    layer = GroupLayer(columns=(SummaryColumn(function="quantile", alias="q", of="x", at=at),))
    found = run(engine, Layered(base=PLAIN, layers=(layer,), shown=("q",)))
    assert found[0]["q"] == pytest.approx(np.quantile([x for *_, x in ROWS if x is not None], at))


def test_bins_hold_every_known_value_and_empty_ones_are_there(engine: Engine) -> None:
    layer = BinLayer(of="x", count=3)
    found = run(
        engine, Layered(base=PLAIN, layers=(layer,), shown=("from", "to", "rows"), order=(Sorting(alias="from"),))
    )
    assert [row["rows"] for row in found] == [3, 1, 2]
    assert [row["from"] for row in found] == [1.0, 6.0, 11.0]


def test_values_are_laid_side_by_side_and_stay_values(engine: Engine) -> None:
    base = Select(
        table="t",
        outputs=(*MONTHLY.outputs, Output(term=column("t", "k"), alias="k")),
        groups=(MONTH, column("t", "k")),
    )
    entries = (SpreadColumn(value="a", alias="a"), SpreadColumn(value="x' OR 1=1 --", alias='odd "name"'))
    spread = Spread(keys=("month",), column="k", of="v", entries=entries)
    assert values(engine, spread, shown="a", base=base) == [1.0, 2.0, None, 8.0, None]
    assert values(engine, spread, shown='odd "name"', base=base) == [None] * 5


def test_a_line_through_a_straight_series_fits_it_wholly(engine: Engine) -> None:
    base = MONTHLY.model_copy(update={"outputs": (MONTHLY.outputs[0],)})
    fitted = LineLayer(of="n", along="n")
    (row,) = run(engine, Layered(base=base, layers=(NUMBERED, fitted), shown=("points", "slope", "r_squared")))
    assert row == {"points": 5, "slope": pytest.approx(1), "r_squared": pytest.approx(1)}


def test_an_overview_counts_what_is_missing_and_different(engine: Engine) -> None:
    summary = compose_summary("t", [("day", False), ("k", False), ("x", True)], engine.catalog.dialect)
    rows = engine.run(summary.sql, summary.params).table.to_pylist()
    assert [(row["column"], row["missing"], row["different"]) for row in rows] == [
        ("day", 0, 6),
        ("k", 0, 2),
        ("x", 1, 5),
    ]
