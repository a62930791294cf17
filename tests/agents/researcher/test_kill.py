"""A research killed in any of its stages goes on where it was, and ends with the same report."""

import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from averment.settings import Settings
from averment.workbench import Workbench
from warm import run_script

VICTIM = Path(__file__).parent / "victim.py"
ROUNDS = 4
"""Questions of the undisturbed research; a test holds this number, so that each of them is tried."""
STAGES = [
    ("round_begun", 2),
    ("finding_bound", 0),
    *(
        pytest.param(kind, number, marks=pytest.mark.thorough)
        for kind, number in (
            ("run_submitted", 0),
            ("plan_made", 0),
            *(("round_begun", number) for number in range(1, ROUNDS + 1) if number != 2),
            ("round_taken", ROUNDS),
            ("artifact_written", 0),
        )
    ),
]


def victim(
    home: Path, kind: str, number: int = 0, *folders: Path, database: str = ""
) -> subprocess.CompletedProcess[str]:
    environment = {"VICTIM_DATABASE_URL": database} if database else {}
    return run_script(VICTIM, [home, kind, number, *folders], environment=environment)


def ending(home: Path, database: str = "") -> tuple[str, list[str]]:
    """The report with its ids numbered and without its times, and the kinds of events."""
    with Workbench(settings=Settings(home=home, database_url=database or None)) as workbench:
        (run,) = workbench.runs.list()
        assert run.status == "completed"
        verdict = workbench.verify(run.id)
        assert verdict.ok, verdict.faults
        numbers: dict[str, str] = {}
        report = re.sub(
            r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            lambda found: numbers.setdefault(found.group(), f"id {len(numbers)}"),
            str(run.report),
        )
        lines = [line for line in report.splitlines() if not line.startswith("Asked ")]
        return "\n".join(lines), [event.type for event in workbench.runs.events(run.id)]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources that stay in one place for all runs, since a report names their addresses."""
    folder = tmp_path_factory.mktemp("shelf")
    told = "Lindholm Harbour was deepened in {year} under Anna Berg. Lindholm Harbour handled {ships} ships in 2019."
    for name, year, ships in (("one", 1961, "4,200"), ("two", 1961, "4,200"), ("three", 1963, "3,900")):
        text = told.format(year=year, ships=ships)
        (folder / f"{name}.md").write_text(f"# Ports, volume {name}\n\n{text} So says volume {name}, page {year}.\n")
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, shelf: Path) -> tuple[str, list[str]]:
    home = tmp_path_factory.mktemp("undisturbed")
    done = victim(home, "none", 0, shelf)
    assert done.returncode == 0, done.stderr
    return ending(home)


@pytest.mark.slow
def test_the_undisturbed_research_has_as_many_questions_as_are_tried(undisturbed: tuple[str, list[str]]) -> None:
    assert undisturbed[1].count("round_taken") == ROUNDS


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "number"), STAGES)
def test_killed_in_a_stage_the_research_ends_alike(
    tmp_path: Path, shelf: Path, undisturbed: tuple[str, list[str]], kind: str, number: int
) -> None:
    killed = victim(tmp_path, kind, number, shelf)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = victim(tmp_path, "resume")
    assert resumed.returncode == 0, resumed.stderr
    assert ending(tmp_path) == undisturbed


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.postgres
def test_killed_on_postgres_the_research_ends_alike(
    tmp_path: Path, shelf: Path, undisturbed: tuple[str, list[str]], new_postgres: Callable[[], str]
) -> None:
    url = new_postgres()
    killed = victim(tmp_path, "round_begun", 2, shelf, database=url)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = victim(tmp_path, "resume", database=url)
    assert resumed.returncode == 0, resumed.stderr
    assert ending(tmp_path, url) == undisturbed
    assert not (tmp_path / "db" / "averment.db").exists()


MANY = 270
"""More documents than vectors are computed for before planning."""


@pytest.mark.thorough
@pytest.mark.slow
def test_killed_while_vectors_are_missing_the_research_ends_alike(tmp_path: Path, shelf: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    for number in range(MANY):
        place = f"Port {chr(65 + number % 26)}{number}"
        (library / f"{number:03d}.md").write_text(f"# {place}\n\n{place} was deepened in {1700 + number}.\n")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    done = victim(whole, "none", 0, shelf, library)
    assert done.returncode == 0, done.stderr
    killed = victim(broken, "round_begun", 2, shelf, library)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with Workbench(settings=Settings(home=broken)) as workbench:
        assert workbench.runs.list()[0].reading["by_words"] is True
    resumed = victim(broken, "resume")
    assert resumed.returncode == 0, resumed.stderr
    assert ending(broken) == ending(whole)
