"""Whatever is changed after the fact, verify names it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from averment import Workbench
from averment.runtime.verification.verdict import Verification
from averment.settings import Settings

pytestmark = pytest.mark.xdist_group("flows")
FIELDS = [
    "entry_id",
    "request_id",
    "sequence_number",
    "parent_hash",
    "timestamp",
    "event_type",
    "event_data",
    "actor",
    "hash",
]


class Scene:
    """A finished run that can be copied, tampered with and verified."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self.folder = folder
        self.run_id = run_id
        self.home = folder / "home"
        self.ledger = self.home / "logs" / "data_agent_runs.jsonl"
        self.source = folder / "sales.csv"

    def artifact(self, name: str) -> Path:
        return next(path for path in (self.home / "artifacts").rglob(name))

    def verify(self) -> Verification:
        with Workbench(settings=Settings(home=self.home)) as workbench:
            return workbench.verify(self.run_id)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("tampering")
    (folder / "sales.csv").write_text("order_date,region,amount\n2024-01-05,West,10.50\n2024-01-20,East,7.25\n")
    with Workbench(settings=Settings(home=folder / "home")) as workbench:
        return Scene(folder, workbench.analyze("total amount by region in 2024", [folder / "sales.csv"]).id)


@pytest.fixture
def scene(finished: Scene) -> Scene:
    """The same run again and again: what a test changes is put back, since the run knows its source by its place."""
    kept = finished.folder.parent / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(finished.folder, kept)
    yield finished  # type: ignore[misc]
    shutil.rmtree(finished.folder)
    shutil.copytree(kept, finished.folder)


def faults(verdict: Verification) -> str:
    return " | ".join(f"{check.subject}: {check.detail}" for check in verdict.faults)


def test_an_untouched_run_holds(scene: Scene) -> None:
    verdict = scene.verify()
    assert verdict.ok, faults(verdict)
    assert verdict.numbers_rederived >= 9


def test_one_digit_in_the_report_is_named_with_its_line(scene: Scene) -> None:
    report = scene.artifact("report.md")
    text = report.read_text()
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "| West | 10.50 |" in each)
    report.write_text(text.replace("| West | 10.50 |", "| West | 10.51 |"))
    verdict = scene.verify()
    named = {check.subject for check in verdict.faults}
    assert named == {f"artifact {report.relative_to(scene.home)}", "content of report.md"}
    assert f"line {line} " in faults(verdict)
    assert "10.51" in faults(verdict)
    assert "10.50" in faults(verdict)


@pytest.mark.parametrize("name", ["result.csv", "chart.png", "chart.vl.json", "summary.txt"])
def test_one_byte_of_an_artifact_is_named(scene: Scene, name: str) -> None:
    path = scene.artifact(name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    verdict = scene.verify()
    assert f"artifact {path.relative_to(scene.home)}" in {check.subject for check in verdict.faults}
    assert all(name in check.subject for check in verdict.faults)


def test_a_missing_artifact_is_named(scene: Scene) -> None:
    path = scene.artifact("result.csv")
    path.unlink()
    verdict = scene.verify()
    assert all("result.csv" in check.subject for check in verdict.faults)
    assert not verdict.ok


def changed(value: object) -> object:
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict):
        return {**value, "added": 1}
    text = str(value)
    return text[:-1] + ("0" if text[-1] != "0" else "1")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("line", [1, 5, -1])
def test_any_field_of_any_ledger_line_is_named(scene: Scene, field: str, line: int) -> None:
    lines = scene.ledger.read_text().splitlines()
    number = line if line > 0 else len(lines)
    entry = json.loads(lines[number - 1])
    entry[field] = changed(entry[field])
    lines[number - 1] = json.dumps(entry, sort_keys=True)
    scene.ledger.write_text("\n".join(lines) + "\n")
    verdict = scene.verify()
    assert verdict.faults[0].subject == "ledger"
    assert f"line {number}" in verdict.faults[0].detail


def test_a_deleted_last_line_is_named(scene: Scene) -> None:
    lines = scene.ledger.read_text().splitlines()
    scene.ledger.write_text("\n".join(lines[:-1]) + "\n")
    verdict = scene.verify()
    assert verdict.faults[0].subject == "ledger"
    assert str(len(lines)) in verdict.faults[0].detail


def test_a_deleted_ledger_is_named(scene: Scene) -> None:
    scene.ledger.unlink()
    verdict = scene.verify()
    assert verdict.faults[0].subject == "ledger"


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text(path.read_text().replace("10.50", "10.60")),
        lambda path: path.write_text(path.read_text() + "2024-02-01,West,1.00\n"),
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
    ],
)
def test_a_changed_source_is_named(scene: Scene, change: Callable[[Path], object]) -> None:
    change(scene.source)
    verdict = scene.verify()
    assert len(verdict.faults) == 1
    assert verdict.faults[0].subject.startswith("source")


@pytest.mark.parametrize("table", ["runs", "run_records"])
def test_a_changed_database_is_named(scene: Scene, table: str) -> None:
    import sqlite3

    with sqlite3.connect(scene.home / "db" / "averment.db") as connection:
        column = "answer" if table == "runs" else "body"
        changed_rows = connection.execute(f"UPDATE {table} SET {column} = replace({column}, '10.50', '99.50')").rowcount
    assert changed_rows
    verdict = scene.verify()
    assert not verdict.ok


def test_a_forged_snapshot_does_not_fool_the_recomputation(scene: Scene) -> None:
    """The cache is never trusted: whoever changes it changes nothing that verify sees."""
    for path in (scene.home / "cache").rglob("*.duckdb"):
        path.write_bytes(b"forged")
    assert scene.verify().ok
