"""An investigation killed in any of its iterations goes on where it was, and ends with the same explanations."""

import json
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from averment.settings import Settings
from averment.workbench import Workbench
from warm import run_script

VICTIM = Path(__file__).parent / "victim.py"
ROUNDS = 7
"""Iterations of the undisturbed investigation; a test holds this number, so that each of them is tried."""


def victim(home: Path, kind: str, number: int = 0, files: list[Path] | None = None) -> subprocess.CompletedProcess[str]:
    return run_script(VICTIM, [home, kind, number, *(files or [])])


def ending(home: Path) -> dict[str, Any]:
    """What an investigation came to, without the ids and times of the one run."""
    with Workbench(settings=Settings(home=home)) as workbench:
        (run,) = workbench.runs.list()
        assert run.status == "completed"
        verdict = workbench.verify(run.id)
        assert verdict.ok, verdict.faults
        report = [line for line in str(run.report).splitlines() if not line.startswith("Generated")]
        (explanations,) = home.glob("artifacts/reports/*/explanations.json")
        kinds = [event.type for event in workbench.runs.events(run.id)]
        return {
            "answer": run.answer,
            "report": report,
            "titles": [one["title"] for one in json.loads(explanations.read_text())],
            # Calls of one round run at once, so which of them begins or ends first is the machine's.
            "events": [kind for kind in kinds if not kind.startswith("call_")],
            "calls": Counter(kind for kind in kinds if kind.startswith("call_")),
        }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, planted: list[Path]) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("undisturbed")
    done = victim(home, "none", files=planted)
    assert done.returncode == 0, done.stderr
    return ending(home)


@pytest.mark.slow
def test_the_undisturbed_investigation_has_as_many_iterations_as_are_tried(undisturbed: dict[str, Any]) -> None:
    assert undisturbed["events"].count("round_taken") == ROUNDS
    assert undisturbed["titles"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("round_begun", 3),
        *(pytest.param("round_begun", n, marks=pytest.mark.thorough) for n in range(1, ROUNDS + 1) if n != 3),
        pytest.param("round_taken", ROUNDS, marks=pytest.mark.thorough),
    ],
)
def test_killed_in_an_iteration_the_investigation_ends_alike(
    tmp_path: Path, planted: list[Path], undisturbed: dict[str, Any], kind: str, number: int
) -> None:
    killed = victim(tmp_path, kind, number, planted)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = victim(tmp_path, "resume")
    assert resumed.returncode == 0, resumed.stderr
    assert ending(tmp_path) == undisturbed
