"""A research killed in any of its stages goes on where it was, and ends with the same report."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from averment.settings import Settings
from averment.workbench import Workbench

VICTIM = Path(__file__).parent / "victim.py"
ROUNDS = 4
"""Questions of the undisturbed research; a test holds this number, so that each of them is tried."""
STAGES = [
    ("run_submitted", 0),
    ("plan_made", 0),
    *(("round_begun", number) for number in range(1, ROUNDS + 1)),
    ("round_taken", ROUNDS),
    ("finding_bound", 0),
    ("artifact_written", 0),
]


def victim(home: Path, kind: str, number: int = 0, *folders: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(VICTIM), str(home), kind, str(number), *(str(folder) for folder in folders)]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)


def ending(home: Path) -> tuple[str, list[str]]:
    """The report with its ids numbered and without its times, and the kinds of events."""
    with Workbench(settings=Settings(home=home)) as workbench:
        (run,) = workbench.list()
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
        return "\n".join(lines), [event.type for event in workbench.events(run.id)]


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
