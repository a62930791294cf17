"""A run that is killed anywhere goes on where it was, and ends with the same bytes."""

import signal
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from averment.ledger.verify import verify_file
from averment.settings import Settings
from averment.workbench import Workbench
from warm import run_script

pytestmark = pytest.mark.thorough  # ``tests/promises/test_kill_anywhere.py`` kills once for each kind of write.

VICTIM = Path(__file__).parent / "victim.py"
SALES = Path(__file__).parents[2] / "examples" / "sales.csv"
EVENTS = 17
"""How many events the undisturbed run tells; a test holds this number, so that every boundary is tried."""

WRITES = range(3, 48, 4)
"""Writes before which a run is killed; every fourth, which meets each kind of write several times."""

ON_POSTGRES = [("events", 2), ("events", 9), ("events", 17), ("writes", 7), ("writes", 31)]
"""Places of both sorts, early, in the middle and late, where a run whose state is on Postgres is killed too."""


def victim(home: Path, how: str, at: int = 0, *, database: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {"VICTIM_DATABASE_URL": database} if database else {}
    return run_script(VICTIM, [home, SALES, how, at], environment=environment)


def artifacts(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home / "artifacts").rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("undisturbed")
    done = victim(home, "none")
    assert done.returncode == 0, done.stderr
    return home


def check_same_end(home: Path, undisturbed: Path, *, database: str | None = None) -> None:
    assert artifacts(home) == artifacts(undisturbed)
    assert verify_file(home / "logs" / "data_agent_runs.jsonl").ok
    with Workbench(settings=Settings(home=home, database_url=database)) as workbench:
        (run,) = workbench.runs.list()
        assert run.status == "completed"
        events = workbench.runs.events(run.id)
        assert [event.seq for event in events] == list(range(1, EVENTS + 1))
        assert len({event.key for event in events}) == EVENTS
        assert events[-1].type == "run_finished"
        verdict = workbench.verify(run.id)
        assert verdict.ok, verdict.faults


def check_nothing_twice(home: Path) -> None:
    """A call that was observed is never run again; one that was cut off is, since nothing of it was kept."""
    kept: set[str] = set()
    for line in (home / "executed.log").read_text().splitlines():
        word, call = line.split()
        assert call not in kept
        if word == "kept":
            kept.add(call)
    assert len(kept) == 2


def test_the_undisturbed_run_tells_as_many_events_as_are_tried(undisturbed: Path) -> None:
    check_same_end(undisturbed, undisturbed)


@pytest.mark.parametrize("at", range(1, EVENTS + 1))
def test_killed_at_an_event_the_run_ends_alike_and_does_nothing_twice(
    tmp_path: Path, undisturbed: Path, at: int
) -> None:
    killed = victim(tmp_path, "events", at)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = victim(tmp_path, "resume")
    assert resumed.returncode == 0, resumed.stderr
    check_nothing_twice(tmp_path)
    check_same_end(tmp_path, undisturbed)


@pytest.mark.parametrize("at", WRITES)
def test_killed_before_a_write_the_run_ends_alike(tmp_path: Path, undisturbed: Path, at: int) -> None:
    killed = victim(tmp_path, "writes", at)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = victim(tmp_path, "resume")
    assert resumed.returncode == 0, resumed.stderr
    check_same_end(tmp_path, undisturbed)


@pytest.mark.postgres
@pytest.mark.parametrize(("how", "at"), ON_POSTGRES)
def test_killed_with_its_state_on_postgres_the_run_ends_alike(
    tmp_path: Path, undisturbed: Path, copy_postgres: Callable[[], AbstractContextManager[str]], how: str, at: int
) -> None:
    with copy_postgres() as url:
        killed = victim(tmp_path, how, at, database=url)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        resumed = victim(tmp_path, "resume", database=url)
        assert resumed.returncode == 0, resumed.stderr
        check_nothing_twice(tmp_path)
        check_same_end(tmp_path, undisturbed, database=url)
