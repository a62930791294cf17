"""A real Spark cluster, a master and two workers on this machine, answers as files do; ``make test-all`` runs this.

Spark comes from its package on PyPI in an environment of its own, .venv/spark, which ``make spark`` makes.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from counting_door import CountingDoor
from orders_data import CAUSE, PERIODS, write_orders
from same_data import write_parquet
from same_engines import answers, differences, leaf_cubes, plain_rows
from same_questions import ASKED, DRILLED, SPECS
from same_questions import PERIODS as SAME_PERIODS
from spark_cluster import SparkCluster, spark_home

from averment.settings import Settings
from averment.workbench import Workbench
from cluster import on_cluster

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
FEW, MANY = 20_000, 200_000
BY_ADDRESS = ("groups by weekday", "values in the order they are written", "percentiles and counts")
_ASK = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from same_engines import answers
from same_questions import SPECS
specs = {name: SPECS[name] for name in json.loads(sys.argv[4])}
print(json.dumps(answers([sys.argv[2]], specs, Path(sys.argv[3]))))
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[SparkCluster]:
    home = spark_home(ROOT / ".venv" / "spark")
    if home is None:
        pytest.skip("Java or Spark is not here: make spark")
    with SparkCluster(home) as started:
        yield started


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_parquet(tmp_path_factory.mktemp("same"))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("home")
    with Workbench(settings=Settings(home=home, model_provider="none")) as opened:
        yield opened


def test_the_cluster_answers_as_files_do(cluster: SparkCluster, folders: list[Path], tmp_path: Path) -> None:
    wanted = answers([*folders], SPECS, tmp_path)
    found = answers([on_cluster(cluster.url, folders)], SPECS, tmp_path)
    assert not {name: some for name in SPECS if (some := differences(wanted[name], found[name])[:3])}


def test_questions_and_leaf_cubes_are_the_same(
    cluster: SparkCluster, folders: list[Path], bench: Workbench, tmp_path: Path
) -> None:
    there = on_cluster(cluster.url, folders)
    for question in ASKED[::4]:
        told = [
            bench.analyze(question, source, deliverables=("tables",), timeout_seconds=180)
            for source in ([*folders], [there])
        ]
        before, run = told
        assert (run.status, run.answer) == (before.status, before.answer), question
        assert [each.text for each in run.findings] == [each.text for each in before.findings], question
        assert before.table is not None and run.table is not None, question
        assert not differences(plain_rows(before.table), plain_rows(run.table)), question
    wanted = leaf_cubes([*folders], DRILLED[:1], SAME_PERIODS, tmp_path)
    found = leaf_cubes([there], DRILLED[:1], SAME_PERIODS, tmp_path)
    for name, (dimensions, rows) in wanted.items():
        assert found[name][0] == dimensions
        assert not differences(rows, found[name][1])


def test_the_cluster_is_asked_by_its_masters_address(
    cluster: SparkCluster, folders: list[Path], tmp_path: Path
) -> None:
    # Such an address needs Spark itself and not only its client, so an interpreter that has it asks.
    python, source = ROOT / ".venv" / "spark" / "bin" / "python", on_cluster(cluster.master_url, folders)
    words = [str(ROOT / "tests" / "tables"), source, str(tmp_path), json.dumps(BY_ADDRESS)]
    done = subprocess.run([str(python), "-c", _ASK, *words], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    found = json.loads(done.stdout.splitlines()[-1])
    wanted = answers([*folders], {name: SPECS[name] for name in BY_ADDRESS}, tmp_path)
    for name in BY_ADDRESS:
        assert not differences(wanted[name], [tuple(row) for row in found[name]]), name


def test_few_bytes_travel_both_workers_work_and_one_may_be_lost(
    cluster: SparkCluster, bench: Workbench, tmp_path: Path
) -> None:
    sizes = {rows: write_orders(tmp_path / str(rows) / "orders", rows) for rows in (FEW, MANY)}
    travelled: list[int] = []
    with CountingDoor(cluster.port) as door:
        source = f"sc://127.0.0.1:{door.port}/?folder={tmp_path}"
        for rows in (FEW, MANY):
            before = door.received
            moved = bench.drill([f"{source}/{rows}/orders"], metric_sql="SUM(amount)", **PERIODS)
            travelled.append(door.received - before)
            assert moved.status == "completed"
            assert CAUSE in (moved.answer or "")
        assert 0 < travelled[1] < sizes[MANY] / 4
        assert travelled[1] < 1.25 * travelled[0]
        assert all(cluster.tasks(number) > 0 for number in range(2))

        lost: list[str] = []

        def lose(event: Any) -> None:
            # The first query of the plan is about to run: from now on its tasks find one worker less.
            if event.type == "call_started" and not lost:
                lost.append(event.type)
                cluster.kill_worker(1)

        again = bench.drill([f"{source}/{MANY}/orders"], metric_sql="SUM(amount)", on_event=lose, **PERIODS)
    assert lost
    assert again.status == "completed"
    assert again.answer == moved.answer
    assert [each.text for each in again.findings] == [each.text for each in moved.findings]
