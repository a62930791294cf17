"""The same question has the same answer over Parquet and CSV files (DuckDB), in Postgres and on a cluster (Sail).

A real Spark cluster answers the same tables of questions in tests/slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from same_data import write_csv, write_parquet, write_postgres
from same_engines import Rows, answers, differences, leaf_cubes, plain_rows
from same_questions import ASKED, DRILLED, PERIODS, SPECS

from averment.runtime.outcome import Run
from averment.settings import Settings
from averment.workbench import Workbench
from cluster import on_cluster, sail

pytestmark = [pytest.mark.postgres, pytest.mark.thorough]

Sources = dict[str, list[str | Path]]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Sources]:
    """Both tables in every engine."""
    pytest.importorskip("pysail.spark", reason="Sail is not installed")
    pytest.importorskip("pyspark", reason="Spark's client is not installed")
    import psycopg

    place = tmp_path_factory.mktemp("same")
    folders = write_parquet(place / "parquet")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE same_answers")
    database = postgres_url.replace("/postgres?", "/same_answers?")
    write_postgres(database)
    with sail() as port:
        yield {
            "parquet": [*folders],
            "csv": [*write_csv(place / "csv")],
            "postgres": [database],
            "cluster": [on_cluster(f"sc://127.0.0.1:{port}", folders)],
        }
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE same_answers WITH (FORCE)")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def expected(sources: Sources, cache: Path) -> dict[str, Rows]:
    """What the files' engine answers; a question without rows would prove nothing."""
    found = answers(sources["parquet"], SPECS, cache)
    assert all(found.values())
    return found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("home")
    with Workbench(settings=Settings(home=home, model_provider="none")) as opened:
        yield opened


@pytest.fixture(scope="module")
def told(bench: Workbench, sources: Sources) -> dict[str, Run]:
    """The runs over the files, by their question."""
    return {question: ask(bench, question, sources["parquet"]) for question in ASKED}


def ask(bench: Workbench, question: str, sources: list[str | Path]) -> Run:
    return bench.analyze(question, sources, deliverables=("tables", "summary"), timeout_seconds=120)


@pytest.mark.parametrize("engine", ["csv", "postgres", "cluster"])
def test_what_the_analyst_composes_gives_the_same_rows(
    engine: str, sources: Sources, expected: dict[str, Rows], cache: Path
) -> None:
    found = answers(sources[engine], SPECS, cache)
    wrong = {name: different for name in SPECS if (different := differences(expected[name], found[name])[:3])}
    assert not wrong


@pytest.mark.parametrize("engine", ["postgres", pytest.param("cluster", marks=pytest.mark.thorough)])
def test_questions_in_words_have_the_same_answer_findings_and_table(
    engine: str, sources: Sources, bench: Workbench, told: dict[str, Run]
) -> None:
    for question, before in told.items():
        run = ask(bench, question, sources[engine])
        assert (run.status, run.answer) == (before.status, before.answer), question
        assert [each.text for each in run.findings] == [each.text for each in before.findings], question
        table, other = run.table, before.table
        assert (table is None) == (other is None), question
        if table is None or other is None:  # asked back, with the same readings
            assert [offer.read_back for offer in run.offers] == [offer.read_back for offer in before.offers], question
            continue
        assert table.column_names == other.column_names, question
        assert not differences(plain_rows(other), plain_rows(table)), question
    assert bench.verify(run.id).ok


@pytest.mark.parametrize("engine", ["postgres", pytest.param("cluster", marks=pytest.mark.thorough)])
def test_a_metric_is_taken_apart_alike(engine: str, sources: Sources, bench: Workbench, cache: Path) -> None:
    before, run = (
        bench.drill(each, metric_sql="SUM(amount)", **PERIODS) for each in (sources["parquet"], sources[engine])
    )
    assert run.status == before.status == "completed"
    assert run.answer == before.answer is not None
    assert [each.text for each in run.findings] == [each.text for each in before.findings]
    wanted, found = (leaf_cubes(each, DRILLED, PERIODS, cache) for each in (sources["parquet"], sources[engine]))
    for name, (dimensions, rows) in wanted.items():
        assert rows, name
        assert found[name][0] == dimensions, name
        assert not differences(rows, found[name][1]), name
