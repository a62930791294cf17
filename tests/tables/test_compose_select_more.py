"""Conditional aggregates, one column against another, day counts and written dates compute what they say."""

import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from averment.settings import Settings
from averment.tables.compose.select import compose_select
from averment.tables.compose.select_spec import ROWS, Condition, Output, Select, Term, aggregate, column
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

ROWS_OF = [(1, "2024-01-01", "2024-01-11", 3.0), (2, "2024-02-02", "2024-02-02", 4.0)]


@pytest.fixture(params=["csv", "sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / f"trips.{request.param}"
    if request.param == "csv":
        lines = [",".join(map(str, row)) for row in ROWS_OF]
        path.write_text("\n".join(["id,left_on,back_on,cost", *lines]) + "\n")
    else:
        with sqlite3.connect(path) as made:
            made.execute("CREATE TABLE trips (id INTEGER, left_on TEXT, back_on TEXT, cost REAL)")
            made.executemany("INSERT INTO trips VALUES (?,?,?,?)", ROWS_OF)
    made_engine = Engine(open_sources([path], settings=Settings(), cache_dir=tmp_path / "cache"), Settings())
    yield made_engine
    made_engine.close()


def ask(engine: Engine, spec: Select) -> list[tuple[object, ...]]:
    composed = compose_select(spec, engine.catalog.dialect)
    table = engine.run(composed.sql, composed.params).table
    return list(zip(*(each.to_pylist() for each in table.columns), strict=True))


def only(term: Term, **more: object) -> Select:
    return Select.model_validate({"table": "trips", "outputs": (Output(term=term, alias="it"),), **more})


def test_an_aggregate_with_conditions_takes_only_the_rows_that_meet_them(engine: Engine) -> None:
    dear = Condition(term=column("trips", "cost"), operator=">", values=(3.5,))
    counted = ROWS.model_copy(update={"conditions": (dear,)})
    summed = aggregate("sum", column("trips", "cost")).model_copy(update={"conditions": (dear,)})
    ratio = Term(kind="arithmetic", operation="/", arguments=(summed, aggregate("sum", column("trips", "cost"))))
    assert ask(engine, only(counted)) == [(1,)]
    assert ask(engine, only(ratio)) == [(pytest.approx(4 / 7),)]


def test_one_column_is_tested_against_another(engine: Engine) -> None:
    same = Condition(term=column("trips", "left_on"), operator="=", other=column("trips", "back_on"))
    assert ask(engine, only(column("trips", "id"), conditions=(same,))) == [(2,)]


def test_a_choice_between_groups_of_tests_holds_when_one_group_does(engine: Engine) -> None:
    def cost(operator: str, value: float) -> Condition:
        return Condition.model_validate({"term": column("trips", "cost"), "operator": operator, "values": (value,)})

    first = Condition(all_of=(cost(">", 3.5), cost("<", 3.9)))
    choice = Condition(any_of=(first, cost("=", 3.0)))
    assert ask(engine, only(column("trips", "id"), conditions=(choice,))) == [(1,)]


def test_days_are_counted_and_rounded(engine: Engine) -> None:
    days = Term(kind="days", arguments=(column("trips", "left_on"), column("trips", "back_on")))
    mean = Term(kind="rounded", value=1, arguments=(aggregate("avg", days),))
    assert ask(engine, only(mean)) == [(5.0,)]


def test_seconds_are_counted_between_two_moments(engine: Engine) -> None:
    seconds = Term(kind="seconds", arguments=(column("trips", "left_on"), column("trips", "back_on")))
    assert ask(engine, only(aggregate("max", seconds))) == [(10 * 86_400,)]


def test_a_rank_counts_from_the_greatest(engine: Engine) -> None:
    rank = Term(kind="rank", arguments=(aggregate("sum", column("trips", "cost")),))
    spec = only(rank, groups=(column("trips", "id"),), order=({"term": column("trips", "id")},))
    assert ask(engine, spec) == [(2,), (1,)]


def test_the_value_before_is_that_of_the_row_before_in_its_order(engine: Engine) -> None:
    cost, day = aggregate("sum", column("trips", "cost")), column("trips", "left_on")
    spec = only(Term(kind="before", arguments=(cost, day)), groups=(day,), order=({"term": day},))
    assert ask(engine, spec) == [(None,), (3.0,)]


@pytest.mark.parametrize("kind", ["csv", "sqlite"])
def test_a_date_written_with_strokes_has_its_year_and_day(kind: str, tmp_path: Path) -> None:
    path, said = tmp_path / f"notes.{kind}", ["8/29/2013", "12/1/2014", "unknown"]
    if kind == "csv":
        path.write_text("\n".join(["said", *said]) + "\n")
    else:
        with sqlite3.connect(path) as made:
            made.execute("CREATE TABLE notes (said TEXT)")
            made.executemany("INSERT INTO notes VALUES (?)", [(each,) for each in said])
    engine = Engine(open_sources([path], settings=Settings(), cache_dir=tmp_path / "cache"), Settings())
    term = Term(kind="date", arguments=(column("notes", "said"),))
    year = Term(kind="part", part="year_number", arguments=(term,))
    try:
        spec = Select(table="notes", outputs=(Output(term=term, alias="day"), Output(term=year, alias="year")))
        found = ask(engine, spec)
    finally:
        engine.close()
    assert [str(row[0]) for row in found[:2]] == [str(date(2013, 8, 29)), str(date(2014, 12, 1))]
    assert [int(str(row[1])) for row in found[:2]] == [2013, 2014]
    assert found[2] == (None, None)
