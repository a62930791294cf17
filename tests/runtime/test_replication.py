"""Two homes on one database: each has its own ledger, and whoever asks can check all of them."""

from __future__ import annotations

import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from averment.errors import LedgerCorrupt, StoreUnavailable
from averment.ledger.checkpoint import sign_checkpoint
from averment.ledger.keys import KEY_FILE, SigningKey
from averment.records.base import new_id
from averment.runtime.execution import executors
from averment.runtime.journal import Journal
from averment.runtime.outcome import Run
from averment.runtime.services import Services
from averment.runtime.verification.ledger_checks import check_ledgers, verify_writers
from averment.settings import Settings
from averment.store.db import engine
from averment.store.db.database import Database
from averment.store.db.migrate_home import carry_over
from averment.store.runs.run_store import RunRow
from averment.workbench import Workbench
from warm import run_script

pytestmark = pytest.mark.postgres

QUESTION = "total amount by region"
VICTIM = Path(__file__).parent / "taken_over.py"


@dataclass(frozen=True)
class Hosts:
    """Two homes that share a database and a folder of files, and a run that the first one carried out."""

    a: Settings
    b: Settings
    table: Path
    run_id: str = ""
    left: tuple[str | None, dict[str, str]] = (None, {})

    def execute(self, *statements: str) -> None:
        import psycopg

        with psycopg.connect(str(self.a.database_url), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)  # type: ignore[arg-type]


def make_hosts(folder: Path, url: str) -> Hosts:
    table = folder / "sales.csv"
    rows = (f"{('North', 'South', 'East')[n % 3]},{n}.50" for n in range(300))
    table.write_text("region,amount\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "files").mkdir()
    shared = Settings(database_url=url, files_url=(folder / "files").as_uri(), model_provider="none")
    a, b = (shared.model_copy(update={"home": folder / name, "ledger_writer": f"host-{name}"}) for name in ("a", "b"))
    return Hosts(a, b, table)


@pytest.fixture
def hosts(tmp_path: Path, new_postgres: Callable[[], str]) -> Hosts:
    return make_hosts(tmp_path, new_postgres())


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Hosts]:
    """A run that A carried out, kept for all tests of this module; each of them puts back what it changed."""
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE gathered")
        made = make_hosts(tmp_path_factory.mktemp("hosts"), postgres_url.replace("/postgres?", "/gathered?"))
        with Workbench(settings=made.a) as a:
            run = a.analyze(QUESTION, [made.table])
            left = what_it_left(run)
        yield Hosts(made.a, made.b, made.table, run.id, left)
        connection.execute("DROP DATABASE gathered WITH (FORCE)")


def what_it_left(run: Run) -> tuple[str | None, dict[str, str]]:
    return run.answer, {Path(artifact.content_ref).name: artifact.content_hash for artifact in run.artifacts}


def entry_ids(home: Settings, run_id: str) -> list[str]:
    services = Services(home.model_copy(update={"database_url": None}))
    try:
        return [entry.entry_id for entry in services.ledgers.own.entries(request_id=run_id)]
    finally:
        services.close()


def test_a_run_that_one_host_carried_out_verifies_on_the_other(done: Hosts) -> None:
    with Workbench(settings=done.b) as b:
        verdict = b.verify(done.run_id)
        assert verdict.ok, verdict.faults
        assert [check.subject for check in verdict.checks if "ledger" in check.subject] == ["ledger of host-a"]
        assert not verdict.checks[0].detail.startswith("0 entries")
        assert b.ledger.entries()[1] == 0
        listed, size = b.ledger.entries(writer="host-a", run_id=done.run_id, count=3)
        assert [entry.sequence_number for entry in listed] == [size, size - 1, size - 2]
        (gathered,) = b.ledger.writers()
        assert (gathered.writer_id, gathered.entries) == ("host-a", size)
    with Workbench(settings=done.a) as a:
        verdict = a.verify(done.run_id)
        assert verdict.ok, verdict.faults
        assert verdict.checks[0].subject == "ledger"
        assert [(one.writer, one.report.ok) for one in a.ledger.verify()] == [("host-a", True)]


def test_another_writers_ledger_is_exported_listed_and_verified_by_the_faces(done: Hosts, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from averment.faces.cli.app import app

    environment = {
        "AVERMENT_DATABASE_URL": str(done.b.database_url),
        "AVERMENT_HOME": str(done.b.home),
        "AVERMENT_LEDGER_WRITER": "host-b",
    }

    def averment(*words: str, code: int = 0) -> str:
        told = CliRunner().invoke(app, words, env=environment, standalone_mode=False)
        assert (told.exception, told.return_value) == (None, code), told.output
        return told.output

    copy = tmp_path / "a.jsonl"
    averment("ledger", "export", "--writer", "host-a", "--out", str(copy))
    assert copy.read_bytes() == done.a.ledger_path.read_bytes()
    assert averment("verify", "--ledger", str(copy), code=0)
    assert "host-a" in averment("ledger", "writers")
    assert [line[:14] for line in averment("ledger", "verify").splitlines()] == ["ok    host-b: ", "ok    host-a: "]
    assert averment("ledger", "verify", "--key", SigningKey.generate("x").verifier.text, code=5).count("FAIL") == 1


def test_the_page_of_a_front_shows_whose_ledger_holds_the_run(done: Hosts) -> None:
    from starlette.testclient import TestClient

    from averment.faces.http.app import create_app

    with Workbench(settings=done.b) as b, TestClient(create_app(b, token="t"), base_url="http://127.0.0.1") as client:
        client.headers["Accept"] = "text/html"
        client.get("/", params={"token": "t"})
        for address in ("/ledger", f"/ledger?run={done.run_id}", "/ledger?writer=host-a"):
            page = client.get(address).text
            assert '<option value="host-a" selected>' in page
            assert '<span class="seq">1</span>' in page
        assert '<span class="seq">' not in client.get("/ledger?writer=host-b").text
        form = {"form_token": re.findall(r'name="form_token" value="([0-9a-f]{64})"', page)[0]}
        verdict = client.post("/ledger/verify", data=form).text
        assert "The ledger of host-a holds" in verdict
        assert "The ledger of host-b holds" in verdict


def test_a_home_that_was_carried_over_is_checked_by_others_too(home: Settings, hosts: Hosts, tmp_path: Path) -> None:
    with Workbench(settings=home.model_copy(update={"model_provider": "none"})) as before:
        run_id = before.analyze(QUESTION, [hosts.table]).id
    source, target = Database.open(home), Database.open(hosts.b)
    carry_over(source, target)
    source.close()
    target.close()
    after = Services(home.model_copy(update={"database_url": hosts.b.database_url, "ledger_writer": "old"}))
    checks, told = check_ledgers(after, after.store.runs.get(run_id))
    after.close()
    assert [(check.subject, check.ok) for check in checks] == [("ledger", True)]
    services = Services(hosts.b)
    checks, elsewhere = check_ledgers(services, services.store.runs.get(run_id))
    services.close()
    assert [(check.subject, check.ok) for check in checks] == [("ledger of old", True)]
    assert [entry.hash for entry in elsewhere.counted] == [entry.hash for entry in told.counted] != []


def test_a_given_key_wins_over_the_pinned_one(done: Hosts) -> None:
    with Workbench(settings=done.a) as a:
        key = a.ledger.public_key()
    with Workbench(settings=done.b) as b:
        assert b.verify(done.run_id, keys=[b.ledger.public_key(), key]).ok
        (fault,) = b.verify(done.run_id, keys=[b.ledger.public_key()]).faults
        assert fault.subject == "ledger of host-a"


def forged_note(done: Hosts, key: SigningKey) -> str:
    note = sign_checkpoint(key, 3, bytes(32))
    values = f"'host-a', 3, 'x', '{note.root_hex}', '{note.signers()}', '{note.note_text}', 'now'"
    return f"INSERT INTO ledger_checkpoints VALUES ({values})"


HOSTILE: dict[str, tuple[Callable[[Hosts], str], str]] = {
    "a changed byte": (
        lambda _: "UPDATE ledger_lines SET line = replace(line, 'region', 'Region') WHERE sequence_number = 1",
        "line 1:",
    ),
    "a removed line": (lambda _: "DELETE FROM ledger_lines WHERE sequence_number = 2", "line 2:"),
    "a withheld tail": (
        lambda _: (
            "DELETE FROM ledger_lines WHERE sequence_number > (SELECT max(sequence_number) FROM ledger_lines) - 2"
        ),
        "were signed",
    ),
    "a tail withheld with its checkpoints": (
        lambda _: "DELETE FROM ledger_lines WHERE sequence_number > 4; DELETE FROM ledger_checkpoints WHERE size > 4",
        "were signed",
    ),
    "a checkpoint by another key": (lambda done: forged_note(done, SigningKey.generate(done.a.ledger_name)), "line 3:"),
    "a second history": (
        lambda done: forged_note(done, SigningKey.load(done.a.keys / KEY_FILE, done.a.ledger_name)),
        "two histories",
    ),
    "another pinned key": (
        lambda done: f"UPDATE ledger_writers SET key = '{SigningKey.generate(done.a.ledger_name).verifier.text}'",
        "not trusted",
    ),
    "a missing writer": (
        lambda _: "DELETE FROM ledger_lines; DELETE FROM ledger_checkpoints; DELETE FROM ledger_writers",
        "nothing of this writer",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_was_done_to_a_gathered_ledger_is_named_with_its_writer(done: Hosts, name: str) -> None:
    tables = ("ledger_writers", "ledger_lines", "ledger_checkpoints")
    act, word = HOSTILE[name]
    done.execute(*(f"CREATE TABLE kept_{table} AS TABLE {table}" for table in tables))
    services = Services(done.b)
    try:
        done.execute(*act(done).split("; "))
        checks, _ = check_ledgers(services, services.store.runs.get(done.run_id))
        assert [(check.subject, check.ok) for check in checks] == [("ledger of host-a", False)]
        assert word in checks[0].detail
        if name != "a missing writer":
            bad = [one.writer for one in verify_writers(services) if not one.report.ok]
            # A tail that is gone with its checkpoints is known by the run that it holds, and by nothing else.
            assert bad == ([] if "with its" in name else ["host-a"])
    finally:
        services.close()
        for table in reversed(tables):
            done.execute(f"DELETE FROM {table}")
        for table in tables:
            done.execute(f"INSERT INTO {table} SELECT * FROM kept_{table}", f"DROP TABLE kept_{table}")


def test_a_log_that_lost_its_tail_is_named_by_what_was_gathered_of_it(done: Hosts, tmp_path: Path) -> None:
    shutil.copytree(done.a.home, tmp_path / "a")
    services = Services(done.a.model_copy(update={"home": tmp_path / "a"}))
    log = services.settings.ledger_path
    for path in (log, log.with_name(f"{log.name}.checkpoints")):
        text = path.read_bytes()
        path.write_bytes(b"".join(text.splitlines(keepends=True)[:3]) if path == log else b"")
    try:
        checks, _ = check_ledgers(services, services.store.runs.get(done.run_id))
        assert [check.ok for check in checks] == [False]
        assert "are missing" in checks[0].detail
        replication = services.ledgers.replication
        assert replication is not None
        with pytest.raises(LedgerCorrupt):
            replication.flush()
    finally:
        services.close()


@pytest.mark.parametrize(("when", "twins"), [pytest.param("before", 0, marks=pytest.mark.thorough), ("after", 1)])
def test_a_run_that_another_host_takes_over_is_one_run_and_no_step_counts_twice(
    hosts: Hosts, done: Hosts, when: str, twins: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dies when its first artifact is made and not recorded yet, or recorded and nobody told."""
    monkeypatch.setattr(executors, "DEAD_AFTER_SECONDS", -1.0)
    killed = run_script(VICTIM, [hosts.a.model_dump_json(), hosts.table, when, "artifact_generated"])
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with Workbench(settings=hosts.b) as b:
        run_id = b.runs.list()[0].id
        for _ in range(2):  # The first look only notes how far the dead one's beats had come.
            b.home.recover()
        run = b.runs.resume(run_id)
        verdict = b.verify(run_id)
        assert verdict.ok, verdict.faults
        assert {"ledger of host-a", "ledger of host-b"} <= {check.subject for check in verdict.checks}
        assert what_it_left(run) == done.left
    recorded = Counter(entry_ids(hosts.a, run_id) + entry_ids(hosts.b, run_id))
    assert [times for times in recorded.values() if times > 1] == [2] * twins
    with Workbench(settings=hosts.a) as a:
        verdict = a.verify(run_id)
        assert verdict.ok, verdict.faults
        assert {"ledger of host-a", "ledger of host-b"} <= {check.subject for check in verdict.checks}
        said = [check.detail for check in verdict.checks if check.subject == "writer host-a"]
        assert [detail.endswith("counted once: 1") for detail in said] == [True] * twins
    hosts.execute("DELETE FROM ledger_lines WHERE writer_id = 'host-a'", "DELETE FROM ledger_checkpoints")
    services = Services(hosts.b)
    checks, told = check_ledgers(services, services.store.runs.get(run_id))
    services.close()
    assert all(check.ok for check in checks)
    assert told.listed()[0][0] == "host-a"
    with Workbench(settings=hosts.b) as b:
        assert "writer host-a" in {check.subject for check in b.verify(run_id).faults}


def test_what_was_written_while_the_database_was_away_is_caught_up_once(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setattr(engine, "RETURN_SECONDS", 0.0)

    name = str(hosts.a.database_url).split("?")[0].rsplit("/", 1)[1]
    maintenance = str(hosts.a.database_url).replace(f"/{name}?", "/postgres?")

    def allow(allowed: bool) -> None:
        with psycopg.connect(maintenance, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}")  # type: ignore[arg-type]
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

    services = Services(hosts.a)
    replication = services.ledgers.replication
    assert replication is not None
    run_id = new_id()
    services.store.runs.create(RunRow(run_id=run_id, kind="analysis", status="submitted", intent="q", request={}))
    journal = Journal(services.ledgers.own, run_id, since_sequence=1, replication=replication, first_writer="host-a")
    journal.decide("one", decision="d", rule="r", reason="")
    replication.flush()
    allow(False)
    journal.decide("two", decision="d", rule="r", reason="")
    services.ledgers.own.checkpoint()
    with pytest.raises(StoreUnavailable):
        replication.flush()
    allow(True)
    journal.decide("three", decision="d", rule="r", reason="")
    replication.flush()
    replication.flush()
    assert replication.store.size("host-a") == 3
    assert [line.line() for line in services.ledgers.own.entries()] == list(replication.store.lines("host-a"))
    assert all(one.report.ok for one in verify_writers(services))
    # A database that was set back is brought the rest again.
    hosts.execute("DELETE FROM ledger_checkpoints", "DELETE FROM ledger_lines WHERE sequence_number > 1")
    journal.decide("four", decision="d", rule="r", reason="")
    services.ledgers.own.checkpoint()
    replication.flush()
    assert replication.store.size("host-a") == 4
    services.close()


def test_a_home_of_its_own_gathers_nothing(home: Settings) -> None:
    services = Services(home)
    assert services.ledgers.replication is None
    services.ledgers.own.tail()
    assert not list(home.ledger_path.parent.glob("*.writer"))
    services.close()
