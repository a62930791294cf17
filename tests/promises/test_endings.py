"""A run that is cancelled, fails or is interrupted has an end that everyone sees; a settled dispute sets the answer."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.errors import AvermentError, RunCancelled
from averment.settings import Settings

QUESTION = "What is Ada Lindqvist's net worth?"
OLDER = "# Net worth\n\nAda Lindqvist's net worth is 200 billion dollars."
NEWER = "# Net worth later\n\nAda Lindqvist's net worth is 180 billion dollars."
ASK = """
import os, signal, sqlite3, sys, threading
from averment import Workbench
from averment.settings import Settings

home, table, when = sys.argv[1:]
bench = Workbench(settings=Settings(home=home, model_provider="none"))
if when == "kept":
    def watch():
        while True:
            try:
                with sqlite3.connect(f"{home}/db/averment.db") as connection:
                    if connection.execute("select count(*) from runs").fetchone()[0]:
                        break
            except sqlite3.Error:
                pass
        os.kill(os.getpid(), signal.SIGINT)
        sent.set()
    sent = threading.Event()
    threading.Thread(target=watch, daemon=True).start()
def heard(event):
    if when == "kept":
        sent.wait()  # On a busy machine the run would be over before anybody has looked.
    if event.type == when:
        os.kill(os.getpid(), signal.SIGKILL)
bench.analyze("total amount by region", [table], on_event=heard)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def workbench(home: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=home, model_provider="none")) as opened:
        yield opened


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text("region,amount\nWest,1\nEast,2\nWest,5\n")
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.md").write_text(f"---\ndate: 2021-11-05\n---\n{OLDER}\n")
    (folder / "b.md").write_text(f"---\ndate: 2023-12-05\n---\n{NEWER}\n")
    return folder


def request_status(home: Path) -> str:
    with sqlite3.connect(home / "db" / "averment.db") as connection:
        return connection.execute("select status from research_requests").fetchone()[0]


def ask_in_a_process(home: Path, table: Path, when: str) -> int:
    return subprocess.run([sys.executable, "-c", ASK, home, table, when], capture_output=True, check=False).returncode


def averment(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "averment", "--home", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def listed(home: Path) -> list[dict[str, object]]:
    done = averment(home, "list", "--json")
    assert done.returncode == 0, done.stdout
    return json.loads(done.stdout)["runs"]


@pytest.mark.seed("C-007")
def test_a_cancelled_research_ends_with_its_request(workbench: Workbench, home: Path, texts: Path) -> None:
    def stop(event: Any) -> None:
        if event.type == "plan_made":
            workbench.runs.cancel(event.run_id)

    with pytest.raises(RunCancelled):
        workbench.research(QUESTION, corpus=[texts], on_event=stop)
    assert workbench.runs.list()[0].status == "cancelled"
    assert request_status(home) == "failed"
    assert workbench.runs.resume(workbench.runs.list()[0].id).status == "completed"
    assert request_status(home) == "completed"


def test_a_research_that_fails_ends_with_its_request(workbench: Workbench, home: Path, texts: Path) -> None:
    def lose(event: Any) -> None:
        if event.type == "finding_bound":  # From now on no report can be written.
            (home / "artifacts").mkdir(exist_ok=True)
            (home / "artifacts" / "reports").touch()

    with pytest.raises(AvermentError):
        workbench.research(QUESTION, corpus=[texts], on_event=lose)
    assert workbench.runs.list()[0].status == "failed"
    assert request_status(home) == "failed"


def test_a_killed_run_is_listed_as_interrupted_and_can_be_resumed(home: Path, table: Path) -> None:
    assert ask_in_a_process(home, table, "plan_made") == -signal.SIGKILL
    (run,) = listed(home)
    assert run["status"] == "failed"
    assert run["error"]["code"] == "RUN_INTERRUPTED"  # type: ignore[index]
    assert "interrupted" in averment(home, "list").stdout
    resumed = averment(home, "resume", str(run["id"]), "--json")
    assert resumed.returncode == 0, resumed.stdout
    (run,) = listed(home)
    assert run["status"] == "completed"
    assert run["error"] is None
    assert averment(home, "verify", str(run["id"])).returncode == 0


def test_an_interrupt_as_soon_as_a_run_is_kept_leaves_none_under_way(home: Path, table: Path) -> None:
    assert ask_in_a_process(home, table, "kept") != 0
    assert {run["status"] for run in listed(home)} <= {"cancelled", "failed"}


def test_a_run_of_a_living_process_is_not_taken_for_interrupted(workbench: Workbench, home: Path, table: Path) -> None:
    seen: list[str] = []

    def look(event: Any) -> None:
        if event.type == "plan_made":
            shown = subprocess.run(
                [sys.executable, "-m", "averment", "--home", home, "list", "--json"],
                capture_output=True,
                check=True,
                env=dict(os.environ),
            )
            seen.append(json.loads(shown.stdout)["runs"][0]["status"])

    assert workbench.analyze("total amount by region", [table], on_event=look).status == "completed"
    assert seen[0] in {"planning", "executing"}


def test_a_plan_that_waits_for_a_yes_is_not_interrupted(home: Path, table: Path) -> None:
    with Workbench(settings=Settings(home=home, model_provider="none")) as first:
        run = first.analyze("total amount by region", [table], plan_only=True)
    (shown,) = listed(home)
    assert shown["status"] == "planning"
    with Workbench(settings=Settings(home=home, model_provider="none")) as second:
        assert second.runs.approve(run.id).status == "completed"


def test_the_answer_is_the_side_that_the_rule_prefers_and_the_other_is_shown(workbench: Workbench, texts: Path) -> None:
    run = workbench.research(QUESTION, corpus=[texts])
    assert run.status == "completed"
    first, _, rest = str(run.answer).partition("Sources disagree")
    assert "180 billion" in first
    assert "200 billion" not in first
    assert "200 billion" in rest
    assert workbench.verify(run.id).ok
