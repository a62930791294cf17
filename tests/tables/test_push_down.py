"""What travels from a database or a cluster is the answer: few bytes on the wire, and no more of them for more rows.

The bytes are counted by a door between us and the server. A real Spark cluster is measured in the same way in
tests/slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from counting_door import CountingDoor
from orders_data import CAUSE, PERIODS, orders, write_orders
from same_data import write_postgres

from averment.settings import Settings
from averment.workbench import Workbench
from cluster import sail

pytestmark = [pytest.mark.postgres]

FEW, MANY = 20_000, 200_000
Place = tuple[CountingDoor, dict[int, str], dict[int, int]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("home")
    with Workbench(settings=Settings(home=home, model_provider="none")) as opened:
        yield opened


@pytest.fixture(params=["postgres", "cluster"])
def place(request: pytest.FixtureRequest, tmp_path: Path, postgres_url: str) -> Iterator[Place]:
    """A door before a server that holds the orders in both sizes: their URLs and how many bytes the data have."""
    if request.param == "cluster":
        pytest.importorskip("pysail.spark", reason="Sail is not installed")
        sizes = {rows: write_orders(tmp_path / str(rows) / "orders", rows) for rows in (FEW, MANY)}
        with sail() as port, CountingDoor(port) as door:
            folders = {rows: f"sc://127.0.0.1:{door.port}/?folder={tmp_path}/{rows}/orders" for rows in sizes}
            yield door, folders, sizes
        return
    import psycopg

    sizes, urls = {}, {}
    socket = Path(postgres_url.partition("host=")[2]) / ".s.PGSQL.5432"
    with CountingDoor(socket) as door, psycopg.connect(postgres_url, autocommit=True) as connection:
        for rows in (FEW, MANY):
            name = f"orders_{rows}"
            connection.execute(f"CREATE DATABASE {name}")  # pyright: ignore[reportArgumentType]  # our own name
            write_postgres(postgres_url.replace("/postgres?", f"/{name}?"), {"orders": orders(rows)})
            urls[rows] = f"postgresql://postgres@127.0.0.1:{door.port}/{name}"
            size = connection.execute("SELECT pg_database_size(%s) - pg_database_size('postgres')", [name]).fetchone()
            sizes[rows] = int(size[0]) if size else 0
        yield door, urls, sizes
        for rows in (FEW, MANY):
            connection.execute(f"DROP DATABASE orders_{rows} WITH (FORCE)")  # pyright: ignore[reportArgumentType]


def test_only_the_leaf_cube_and_the_result_travel(place: Place, bench: Workbench) -> None:
    door, urls, sizes = place
    told: dict[str, list[int]] = {"analyst": [], "driller": []}
    for rows in (FEW, MANY):
        before = door.received
        asked = bench.analyze("total amount by state", [urls[rows]], deliverables=("tables",), timeout_seconds=120)
        told["analyst"].append(door.received - before)
        before = door.received
        moved = bench.drill([urls[rows]], metric_sql="SUM(amount)", **PERIODS)
        told["driller"].append(door.received - before)
        assert asked.status == moved.status == "completed"
        assert CAUSE in (moved.answer or "")
    for few, many in told.values():
        assert 0 < many < sizes[MANY] / 10
        assert many < 1.25 * few
