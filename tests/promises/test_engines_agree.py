"""The same statement has the same answer over a file (DuckDB), in Postgres and on a cluster that speaks Spark (Sail).

A handful of statements through the workbench; ``tests/tables/test_same_answers.py`` has the large table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings
from golden import ORDERS

STATEMENTS = {
    "groups": "SELECT region, sum(amount) AS total, count(*) AS n FROM orders GROUP BY region ORDER BY region",
    "months": (
        "SELECT date_trunc('month', order_date) AS month, avg(amount) AS mean FROM orders "
        "WHERE product = 'Lamp' GROUP BY 1 ORDER BY 1"
    ),
    "window": (
        "SELECT * FROM (SELECT order_date, region, amount, row_number() OVER "
        "(PARTITION BY region ORDER BY amount DESC, order_date, product) AS place FROM orders) AS ranked "
        "WHERE place <= 2 ORDER BY region, place"
    ),
    "nothing": "SELECT region, amount FROM orders WHERE amount > 1000 ORDER BY region",
}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[dict[str, str]]:
    """The table of orders in each engine."""
    pytest.importorskip("pysail.spark", reason="Sail is not installed")
    pytest.importorskip("pyspark", reason="Spark's client is not installed")
    import psycopg
    import pyarrow as pa
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as pq

    from cluster import on_cluster, sail

    place = tmp_path_factory.mktemp("engines")
    file, folder = place / "orders.csv", place / "orders"
    file.write_text(ORDERS)
    folder.mkdir()
    types = {"order_date": pa.date32(), "pieces": pa.int64(), "amount": pa.decimal128(10, 2)}
    table = arrow_csv.read_csv(file, convert_options=arrow_csv.ConvertOptions(column_types=types))
    pq.write_table(table, folder / "part-0.parquet")
    database = postgres_url.replace("/postgres?", "/engines_agree?")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE engines_agree")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE orders(order_date date, region text, product text, pieces bigint, amount numeric(10,2))"
        )
        with connection.cursor().copy("COPY orders FROM STDIN WITH (FORMAT csv, HEADER true)") as copy:
            copy.write(ORDERS)
    with sail() as port:
        yield {"file": str(file), "postgres": database, "cluster": on_cluster(f"sc://127.0.0.1:{port}", [folder])}
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE engines_agree WITH (FORCE)")


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str], list[tuple[str, ...]]]]:
    settings = Settings(home=tmp_path_factory.mktemp("engines") / "home", model_provider="none")
    with Workbench(settings=settings) as workbench:

        def run(statement: str, source: str) -> list[tuple[str, ...]]:
            done = workbench.sql(statement, [source], deliverables=("tables",))
            assert done.status == "completed" and done.table is not None, done.error
            assert statement != STATEMENTS["groups"] or workbench.verify(done.id).ok
            return [tuple(plain(cell) for cell in row.values()) for row in done.table.to_pylist()]

        yield run


def plain(cell: object) -> str:
    """A cell as it is compared: a number by its value, a moment at midnight by its day."""
    try:
        return f"{float(str(cell)):.6f}"
    except ValueError:
        return str(cell).removesuffix("+00:00").removesuffix(" 00:00:00")


@pytest.mark.postgres
@pytest.mark.parametrize(
    "name", ["groups", "window", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("months", "nothing"))]
)
def test_a_statement_has_the_same_answer_on_every_engine(
    sources: dict[str, str], ask: Callable[[str, str], list[tuple[str, ...]]], name: str
) -> None:
    expected = ask(STATEMENTS[name], sources["file"])
    assert bool(expected) == (name != "nothing")
    for engine in ("postgres", "cluster"):
        assert ask(STATEMENTS[name], sources[engine]) == expected, engine


def test_a_file_and_its_table_in_memory_have_the_same_answer(
    tmp_path: Path, ask: Callable[[str, str], list[tuple[str, ...]]]
) -> None:
    import pandas as pd

    file = tmp_path / "orders.csv"
    file.write_text(ORDERS)
    totals = pd.read_csv(file).groupby("region").amount.agg(["sum", "size"])
    wanted = [(name, plain(row["sum"]), plain(row["size"])) for name, row in totals.iterrows()]
    assert ask(STATEMENTS["groups"], str(file)) == wanted
