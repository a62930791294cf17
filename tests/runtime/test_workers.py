"""Workers: runs begun by a front are carried out elsewhere, whatever happens to those who carry them out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment.errors import QueryTimeout, StoreUnavailable
from averment.runtime.events import Event
from averment.runtime.execution import executors
from averment.runtime.execution.executors import Executors
from averment.runtime.service_groups import ToolSlots
from averment.settings import Settings
from averment.store.db.database import Database
from averment.store.runs.workers import WorkerStore
from averment.workbench import Workbench
from lazily import lazily

durable = lazily("averment.runtime.execution.durable")
QUESTION = "total amount by region"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "sales.csv"
    rows = (f"{('North', 'South', 'East')[n % 3]},{n}.50" for n in range(300))
    path.write_text("region,amount\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def shared(home: Settings, new_postgres: Callable[[], str]) -> Settings:
    return home.model_copy(update={"database_url": new_postgres(), "runs_on": "workers", "model_provider": "none"})


@pytest.fixture
def start_worker(shared: Settings) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    environment = {
        **os.environ,
        "AVERMENT_DATABASE_URL": str(shared.database_url),
        "AVERMENT_HOME": str(shared.home),
        "AVERMENT_MODEL_PROVIDER": "none",
    }

    def start() -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-m", "averment", "worker"], env=environment)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def _until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


@pytest.mark.postgres
def test_a_run_survives_the_worker_that_carries_it_out_and_a_drained_worker_leaves_nothing(
    shared: Settings, start_worker: Callable[[], subprocess.Popen[bytes]], table: Path, tmp_path: Path
) -> None:
    with Workbench(settings=shared.model_copy(update={"runs_on": "here", "home": tmp_path / "alone"})) as alone:
        undisturbed = alone.analyze(QUESTION, [table])
    with Workbench(settings=shared) as front:
        heard: list[Event] = []
        run_id = front.runs.start.analysis(QUESTION, [table], timeout_seconds=180, on_event=heard.append)
        assert front.show(run_id).status == "submitted"
        first = start_worker()
        _until(lambda: any(event.type == "plan_made" for event in front.runs.events(run_id)))
        first.kill()
        first.wait()
        second = start_worker()
        run = front.runs.wait(run_id)
        assert run.status == "completed"
        assert undisturbed.differences(run) == ()
        observed = [event.key for event in front.runs.events(run_id) if event.type == "call_observed"]
        assert len(observed) == len(set(observed)) > 0
        _until(lambda: bool(heard) and heard[-1].type == "run_finished")
        assert [event.seq for event in heard] == [event.seq for event in front.runs.events(run_id)]
        assert front.verify(run_id).ok
        assert [worker.role for worker in front.home.workers()] == ["worker"]
        last = front.runs.start.analysis(QUESTION, [table], timeout_seconds=180)
        _until(lambda: front.show(last).status != "submitted")
        second.send_signal(signal.SIGTERM)
        assert second.wait(120) == 0
        assert front.show(last).status == "completed"
        assert front.home.workers() == []
        front.runs.forget(last)
        assert [run.id for run in front.runs.list() if run.id == last] == []


def test_one_whose_beats_stand_still_is_dead_and_one_who_beats_is_not(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = WorkerStore(database)
    elsewhere = Executors(tmp_path / "elsewhere", "other-1", store)
    elsewhere.arrive("worker", 2)
    here = Executors(tmp_path / "here", "mine-1", store)
    here.arrive("worker", 2)
    assert here.dead() == []
    assert here.is_alive("other-1")
    monkeypatch.setattr(executors, "DEAD_AFTER_SECONDS", -1.0)
    assert elsewhere.beat(running=0)
    assert here.dead() == []
    assert here.dead() == ["other-1"]
    here.remove("other-1")
    assert here.dead() == []
    assert not here.is_alive("other-1")
    assert not elsewhere.beat(running=0)
    here.leave(unfinished=False)
    elsewhere.leave(unfinished=False)
    assert store.list() == []


def test_the_lock_of_a_dead_process_on_this_disk_is_free_at_once(tmp_path: Path) -> None:
    here = Executors(tmp_path, "mine", None)
    other = Executors(tmp_path, "other", None)
    here.arrive("alone", 1)
    other.arrive("alone", 1)
    assert here.dead() == []
    other.leave(unfinished=True)
    assert here.dead() == ["other"]
    assert not here.is_alive("other")
    here.leave(unfinished=False)


def test_a_step_waits_for_a_database_that_is_away_and_gives_up_in_the_end() -> None:
    answers: list[Exception | str] = [StoreUnavailable("away"), "there"]

    def ask() -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert durable.DurableSteps(patience=30).patiently(ask) == "there"
    answers.append(StoreUnavailable("away"))
    with pytest.raises(StoreUnavailable):
        durable.DurableSteps().patiently(ask)


def test_a_tool_has_as_many_slots_as_the_setting_says() -> None:
    slots = ToolSlots({"python.run": 1})
    with slots.taken("python.run", 1.0), slots.taken("sql.run", 1.0), slots.taken("sql.run", 1.0):
        with pytest.raises(QueryTimeout), slots.taken("python.run", 0.01):
            pass
    entered = threading.Event()
    with slots.taken("python.run", 1.0):
        entered.set()
    assert entered.is_set()
