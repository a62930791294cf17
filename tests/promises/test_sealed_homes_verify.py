"""A home that an earlier version sealed still verifies, and is still held to what it sealed.

``sealed/`` keeps one small home for each way in which runs were sealed, and one of each release: an analysis with a
chart, two without, one that asked back, a drill-down and a research (``scripts/make_sealed_home.py``). Nothing in them
is made anew by these tests. The signing key is not among them: to verify is to read.
"""

import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings
from golden import Ended, command

TOTALS = "dd1fcf99-981a-4168-a827-1d28f051af54"
"""The run that was asked for the total amount by region."""
HOMES = sorted((Path(__file__).parent / "sealed").glob("*.tar.xz"))


@pytest.fixture(params=HOMES, ids=lambda path: path.name.split(".")[0])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


def verify_all(folder: Path) -> dict[str, Any]:
    """The verdict on each run of the home; its sources are no longer where they were."""
    with Workbench(settings=Settings(home=folder / "home", model_provider="none")) as workbench:
        return {
            run.id: workbench.verify(run.id, sources=[folder / "orders.csv"]) for run in workbench.runs.list(limit=100)
        }


def test_every_run_of_an_earlier_version_verifies_its_numbers_and_says_who_told_it(opened: Path) -> None:
    verdicts = verify_all(opened)
    assert len(verdicts) == 6
    for run_id, verdict in verdicts.items():
        assert verdict.ok, (run_id, verdict.faults)
        assert verdict.told_by is not None or verdict.made_by is not None
    assert sum(verdict.numbers_rederived for verdict in verdicts.values()) >= 600


def test_the_command_line_verifies_a_run_and_the_ledger_of_an_earlier_version(opened: Path) -> None:
    ended: Ended = command("--home", opened / "home", "verify", TOTALS, "--source", opened / "orders.csv", "--json")
    assert ended.code == 0 and ended.document["numbers_rederived"] > 0
    assert command("verify", "--ledger", opened / "home" / "logs" / "data_agent_runs.jsonl").code == 0


def test_every_run_of_an_earlier_version_is_explained_by_what_it_kept(
    opened: Path, request: pytest.FixtureRequest
) -> None:
    home, keeps_rivals = opened / "home", request.node.callspec.id not in {"teller_2", "unnumbered", "v0_2_0"}
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        ways: dict[str, Any] = {run.id: workbench.runs.explain(run) for run in workbench.runs.list(limit=100)}
    for run_id, way in ways.items():
        ended = command("--home", home, "explain", run_id)
        assert ended.code == 0, ended.err
        kept = [
            *way["gates"],
            *(each["read_back"] for each in way["readings"]),
            *(each["means"] for each in way["words"]),
        ]
        assert all(each in ended.out for each in kept)
        assert keeps_rivals or way["rivals"] == []
        assert run_id != TOTALS or "GROUP BY" in ended.out
    assert any(way["rivals"] for way in ways.values()) == keeps_rivals


def change(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "home" / "db" / "averment.db") as connection:
        assert connection.execute(statement).rowcount


@pytest.mark.parametrize(
    "tamper",
    [
        lambda f: change(
            f, "UPDATE run_records SET body = replace(body, '1,414.86', '9,414.86') WHERE kind = 'conclusion'"
        ),
        lambda f: change(f, "UPDATE runs SET answer = replace(answer, '1,414.86', '9,414.86')"),
        lambda f: change(f, "UPDATE runs SET intent = 'total profit' WHERE intent LIKE 'total amount%'"),
        lambda f: (f / "orders.csv").write_text((f / "orders.csv").read_text().replace("West", "East", 1)),
    ],
    ids=["finding", "answer", "question", "source"],
)
def test_a_run_of_an_earlier_version_is_still_held_to_what_it_sealed(
    opened: Path, tamper: Callable[[Path], object]
) -> None:
    tamper(opened)
    ended = command("--home", opened / "home", "verify", TOTALS, "--source", opened / "orders.csv", "--json")
    assert ended.code == 5
