"""A process that is killed by SIGKILL anywhere leaves a home in which the work goes on, and ends with the same bytes.

The victim dies right before a write, told by where the write goes: to the ledger, to its signatures, to an artifact, to
the databases. On every day once for each kind, in the middle; ``make test-all`` kills at all of them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from averment import AvermentError, Workbench
from averment.settings import Settings
from golden import ORDERS, command
from warm import run_script

VICTIM = Path(__file__).with_name("write_victim.py")
KINDS = ("ledger", "checkpoint", "artifact", "result", "insert", "update", "commit", "progress")
SAID = ("insert", "update", "commit")
TENTHS = (1, 2, 3, 4, 6, 7, 8, 9, 10)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kill") / "orders.csv"
    path.write_text(ORDERS)
    return path


def live(home: Path, table: Path, verb: str, kind: str = "none", at: int = 0) -> str:
    """What the victim said; nothing where it was killed, as it must be when it is told to die."""
    home.mkdir(parents=True, exist_ok=True)
    done = run_script(VICTIM, [home, table, verb, kind, at])
    assert done.returncode == (-signal.SIGKILL if at else 0), done.stderr
    return done.stdout.strip()


class Undisturbed:
    """What nobody has disturbed, and how often it has written in each way."""

    def __init__(self, home: Path, table: Path, verb: str) -> None:
        assert live(home, table, verb) in {"completed", "success"}
        self.home = home
        self.writes: dict[str, int] = json.loads((home / "writes.json").read_text())


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, table: Path) -> Undisturbed:
    return Undisturbed(tmp_path_factory.mktemp("asked") / "home", table, "ask")


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory, table: Path) -> Undisturbed:
    return Undisturbed(tmp_path_factory.mktemp("said") / "home", table, "say")


def artifacts(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home / "artifacts").rglob("*") if path.is_file()}


def check_same_end(home: Path, undisturbed: Path) -> None:
    assert artifacts(home) == artifacts(undisturbed) != {}
    assert command("verify", "--ledger", home / "logs" / "data_agent_runs.jsonl").code == 0
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        (run,) = workbench.runs.list()
        events = workbench.runs.events(run.id)
        assert run.status == "completed"
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert len({event.key for event in events}) == len(events)
        assert workbench.verify(run.id).ok


def every_place(*kinds: str) -> list[Any]:
    """The middle of each kind on every day, and the rest for ``make test-all``."""
    rest = [pytest.param(kind, tenth, marks=pytest.mark.thorough) for kind in kinds for tenth in TENTHS]
    return [*((kind, 5) for kind in kinds), *rest]


@pytest.mark.parametrize(("kind", "tenth"), every_place(*KINDS))
def test_a_run_that_is_killed_before_a_write_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, table: Path, asked: Undisturbed, kind: str, tenth: int
) -> None:
    live(tmp_path, table, "ask", kind, max(1, asked.writes[kind] * tenth // 10))
    assert live(tmp_path, table, "ask") == "completed"
    check_same_end(tmp_path, asked.home)


@pytest.mark.parametrize(("kind", "tenth"), every_place(*SAID))
def test_a_message_that_is_sent_again_after_a_kill_is_done_once(
    tmp_path: Path, table: Path, said: Undisturbed, kind: str, tenth: int
) -> None:
    live(tmp_path, table, "say", kind, max(1, said.writes[kind] * tenth // 10))
    assert live(tmp_path, table, "say") == "success"
    with Workbench(settings=Settings(home=tmp_path, model_provider="none")) as workbench:
        assert [kept.task.title for kept in workbench.home.tasks.list()] == ["buy milk"]


@pytest.fixture
def disk(tmp_path: Path) -> Any:
    """A disk of twelve megabytes; only root may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    if (
        os.geteuid()
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("this machine does not let the test mount a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


@pytest.mark.parametrize(
    "moment",
    [
        "artifact_written",
        *(pytest.param(each, marks=pytest.mark.thorough) for each in ("plan_made", "call_started", "finding_bound")),
    ],
)
def test_a_full_disk_ends_the_run_by_its_code_and_it_goes_on_when_there_is_room(
    disk: Path, table: Path, moment: str
) -> None:
    home = disk / "home"

    def listen(event: Any) -> None:
        if event.type == moment and not (disk / "filler").exists():
            fill(disk)

    workbench = Workbench(settings=Settings(home=home, model_provider="none"))
    with pytest.raises(AvermentError) as caught:
        workbench.analyze("total amount by region", [table], on_event=listen)
    assert caught.value.code == "DISK_FULL" and caught.value.hint
    try:
        workbench.close()
    except AvermentError as error:
        assert error.code == "DISK_FULL"
    (disk / "filler").unlink()
    with Workbench(settings=Settings(home=home, model_provider="none")) as again:
        run = again.runs.resume(again.runs.list()[0].id)
        assert run.status == "completed"
        assert again.verify(run.id).ok
    assert command("verify", "--ledger", home / "logs" / "data_agent_runs.jsonl").code == 0
    assert not [path for path in (home / "artifacts").rglob("*") if path.name.startswith((".", "tmp"))]
