"""Two hosts with a home each, one database and one object store: begun on the one, carried out on the other."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from averment.errors import StoreUnavailable
from averment.faces.http.uploads import UploadFolder
from averment.operations import Operations
from averment.settings import Settings
from averment.workbench import Workbench
from object_store import SECRET, ObjectStore

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

SALES = "region,amount\n" + "".join(f"{('North', 'South', 'East')[n % 3]},{n}.50\n" for n in range(300))
CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-14"},
    "comparison_period": {"start": "2024-01-15", "end": "2024-01-28"},
}


def orders() -> bytes:
    """Orders of four weeks, in whose second half the app sells for less than half."""
    chance = random.Random(5)
    lines = ["order_id,day,channel,amount"]
    for day in (date(2024, 1, 1) + timedelta(days=number) for number in range(28)):
        for _ in range(40):
            channel = chance.choice(["web", "app", "shop"])
            amount = chance.gauss(50, 5) * (0.4 if day >= date(2024, 1, 15) and channel == "app" else 1.0)
            lines.append(f"{len(lines)},{day},{channel},{amount:.2f}")
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture
def front(tmp_path: Path, new_postgres: Callable[[], str], object_store: ObjectStore) -> Settings:
    """The settings of the host that is asked."""
    known = {"home": tmp_path / "front", "database_url": new_postgres(), "runs_on": "workers", "model_provider": "none"}
    return object_store.settings(Settings.model_validate(known))


@pytest.fixture
def start_worker(front: Settings, tmp_path: Path, object_store: ObjectStore) -> Iterator[Callable[[], Path]]:
    """Starts another host, which carries out what the first one begins, and gives its home."""
    environment = {
        **os.environ,
        "AVERMENT_HOME": str(tmp_path / "worker"),
        "AVERMENT_DATABASE_URL": str(front.database_url),
        "AVERMENT_FILES_URL": str(front.files_url),
        "AVERMENT_FILES_OPTIONS": object_store.options,
        "AVERMENT_MODEL_PROVIDER": "none",
    }
    started: list[subprocess.Popen[bytes]] = []

    def start() -> Path:
        started.append(subprocess.Popen([sys.executable, "-m", "averment", "worker"], env=environment))
        return tmp_path / "worker"

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_uploads_and_sessions_of_one_host_are_worked_on_by_another_and_proven_by_the_first(
    front: Settings, start_worker: Callable[[], Path], object_store: ObjectStore
) -> None:
    url = str(front.files_url)
    with Workbench(settings=front) as bench:
        dropped = UploadFolder(front.home)
        dropped.append([(dropped.claim("Sales 2024.csv"), SALES.encode())])
        run_id = bench.runs.start.analysis("total amount by region", dropped.files, timeout_seconds=180)
        assert not dropped.path.exists(), "the upload stayed in the home of the one host"
        session = bench.sessions.create().session_id
        bench.sessions.add_file(session, BytesIO(orders()), "Orders (Jänner).csv", description="One row an order.")
        drilled = bench.sessions.start(session, CONTEXT)

        # The other host cannot see what the first one has read, as it would not on another machine.
        shutil.rmtree(front.home / "cache" / "tables")
        worker = start_worker()
        run, investigation = bench.runs.wait(run_id), bench.runs.wait(drilled)
        assert (run.status, investigation.status) == ("completed", "completed")
        assert run.table is not None
        assert run.table.num_rows == 3
        assert bench.sessions.get(session).status == "completed"
        assert "app" in bench.sessions.report(session).content
        assert bench.sessions.explanations(session)

        for one in (run_id, drilled):
            verified = bench.verify(one)
            assert verified.ok, [check for check in verified.checks if not check.ok]
        archive = Operations(bench)
        assert b"North" in archive.export(run_id, "html")
        assert b"Sales_2024.csv" in archive.export(run_id, "ipynb")
        places = [run.path_of(artifact) for artifact in run.artifacts]
        assert all(place.is_file() for place in places)

        for kept in ("artifacts", "work", "sessions", "uploads"):
            found = [*(front.home / kept).rglob("*"), *(worker / kept).rglob("*")]
            assert not [place for place in found if place.is_file()]
        written = [place for host in (front.home, worker) for place in (host / "logs").rglob("*") if place.is_file()]
        assert written
        shown = [place.read_text() for place in written] + [repr(front), front.model_dump_json(), str(run.as_dict())]
        assert not [text for text in shown if SECRET in text]

        # The bytes of the upload are changed behind everybody's back: the proof must not hold any more.
        (key,) = [one for one in object_store.keys(url) if one.endswith("Sales_2024.csv")]
        bucket = url.removeprefix("s3://").partition("/")[0]
        object_store.client.put_object(Bucket=bucket, Key=key, Body=SALES.replace("1.50", "9.50", 1).encode())
        assert not bench.verify(run_id).ok

        archive.forget(run_id)
        bench.sessions.delete(session)
        left = [one for one in object_store.keys(url) if run_id in one or session in one or "uploads/" in one]
        assert left == []
        assert not [place for place in places if place.exists()], "copies of what was forgotten are left"


def test_a_run_fails_clearly_while_the_store_is_away_and_goes_on_when_it_is_back(
    home: Settings, tmp_path: Path, object_store: ObjectStore
) -> None:
    table = tmp_path / "sales.csv"
    table.write_text(SALES, encoding="utf-8")
    settings = object_store.settings(home.model_copy(update={"model_provider": "none"}))
    with Workbench(settings=settings) as bench:
        object_store.stop()
        try:
            with pytest.raises(StoreUnavailable) as away:
                bench.analyze("total amount by region", [table], timeout_seconds=180)
        finally:
            object_store.start()
        run_id = str(away.value.details["run_id"])
        assert SECRET not in str(bench.show(run_id).error)
        assert bench.runs.resume(run_id).status == "completed"
        assert bench.verify(run_id).ok
