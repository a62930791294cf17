"""A cluster answers as a file does, and only the answer travels. The cluster is Sail, which speaks Spark Connect."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from averment.errors import SourceNotFound, UnsupportedSource
from averment.settings import Settings
from averment.tables.backend_spark import to_spark
from averment.tables.locations import full_url, remember_url
from averment.workbench import Workbench

ROWS = 200_000
QUESTIONS = (
    "total amount by region",
    "average amount by product",
    "how many orders in Texas",
    "top 3 states by amount",
    "total amount by month in 2024",
    "share of amount by channel",
    "median amount by region",
    "orders with amount above 990",
)


class CountingDoor:
    """A door before the cluster that counts what comes out of it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.received = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._port))
            threading.Thread(target=self._pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, True), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        try:
            while chunk := source.recv(65_536):
                target.sendall(chunk)
                self.received += len(chunk) if counted else 0
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        self._listener.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet files, of about four megabytes."""
    place = tmp_path_factory.mktemp("cluster") / "orders"
    place.mkdir()
    numbers = range(ROWS)
    states = ["Texas", "Nevada", "Utah", "Ohio", "Maine"]
    drop = [0.5 if n % 5 == 0 and n % 730 >= 365 else 1.0 for n in numbers]
    table = pa.table(
        {
            "order_id": pa.array(numbers, pa.int64()),
            "order_date": pa.array([19358 + n % 730 for n in numbers], pa.int32()).cast(pa.date32()),
            "region": [("North", "South", "East")[n % 3] for n in numbers],
            "state": [states[n % 5] for n in numbers],
            "product": [("Desk", "Chair", "Lamp", "Shelf")[n % 4] for n in numbers],
            "channel": [("web", "store")[n % 2] for n in numbers],
            "amount": pa.array(
                [round((n * 7919 % 100_000) / 100 * less, 2) for n, less in zip(numbers, drop, strict=True)]
            ),
        }
    )
    for part in range(2):
        pq.write_table(table.slice(part * ROWS // 2, ROWS // 2), place / f"part-{part}.parquet")
    return place


@pytest.fixture(scope="module")
def door() -> Iterator[CountingDoor]:
    pytest.importorskip("pysail.spark", reason="Sail is not installed")
    pytest.importorskip("pyspark", reason="Spark's client is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    # In a process of its own, which is ended without waiting for those who are still connected.
    command = [sys.executable, "-m", "pysail", "spark", "server", "--ip", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _reach(port, process)
        opened = CountingDoor(port)
        yield opened
        opened.close()
    finally:
        process.kill()
        process.wait()


def _reach(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the cluster did not start")


def test_the_same_questions_have_the_same_answers_on_a_cluster_and_only_they_travel(
    home: Settings, folder: Path, door: CountingDoor
) -> None:
    cluster = f"sc://127.0.0.1:{door.port}/?folder={folder}"
    size = sum(file.stat().st_size for file in folder.iterdir())
    with Workbench(settings=home) as bench:
        for question in QUESTIONS:
            by_file = bench.analyze(question, [folder], deliverables=("tables", "summary"), timeout_seconds=120)
            by_cluster = bench.analyze(question, [cluster], deliverables=("tables", "summary"), timeout_seconds=120)
            assert by_cluster.status == by_file.status == "completed", question
            assert by_cluster.answer == by_file.answer, question
            assert [f.text for f in by_cluster.findings] == [f.text for f in by_file.findings], question
        assert bench.verify(by_cluster.id).ok
        periods = {"baseline": ("2023-01-01", "2023-12-31"), "comparison": ("2024-01-01", "2024-12-30")}
        before = door.received
        moved = bench.drill([cluster], metric_sql="SUM(amount)", **periods)
        by_file = bench.drill([folder], metric_sql="SUM(amount)", **periods)
        assert moved.status == by_file.status == "completed"
        assert [f.text for f in moved.findings] == [f.text for f in by_file.findings]
        assert "Texas" in (moved.answer or "")
        assert 0 < door.received - before < size / 4


def test_a_cluster_that_does_not_answer_and_a_mix_of_sources_are_refused(home: Settings, folder: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark's client is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    with Workbench(settings=home) as bench:
        with pytest.raises(UnsupportedSource):
            bench.analyze("total amount", [f"sc://127.0.0.1:{port}", folder])
        with pytest.raises(SourceNotFound):
            bench.analyze("total amount", [f"sc://127.0.0.1:{port}"])


def test_a_token_is_kept_out_of_the_name_and_parameters_become_literals() -> None:
    safe = remember_url("sc://cluster:15002/;token=secret-word?folder=/data/sales")
    assert "secret-word" not in safe
    assert "secret-word" in full_url(safe)
    text = to_spark("SELECT \"a b\", date_trunc('month', d) FROM t WHERE x = ? ORDER BY d", ["it's"])
    assert "`a b`" in text
    assert "it\\'s" in text or "it''s" in text
    assert "NULLS LAST" in text
