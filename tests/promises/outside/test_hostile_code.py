"""A program that a model wrote runs in a jail: it reaches nothing outside, and what it did is no answer.

The programs go the whole way: a model on loopback writes one for the analyst, which runs it. A control shows that such
a program does run, and that what it prints would be seen here.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))
from speaking import Speaker

CORPUS = Path(__file__).parents[2] / "hostile" / "data" / "sandbox_attacks" / "cases.jsonl"
ATTACKS: dict[str, dict[str, str]] = {
    case["id"]: case
    for case in map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines())
    if case["id"].startswith("s-")
}
ALWAYS = ("s-001", "s-016", "s-023", "s-028", "s-035", "s-044", "s-100")
"""The network, a file, the environment, a database, a planted module, a link as output, a poisoned module."""
PORT = 18_999
"""Where the corpus's programs knock."""
ROWS = [{"name": "t", "sql": "SELECT amount FROM sales"}]
QUESTION = "how does the amount glow"
HONEST = "result = {'n': len(t)}"
"""Without a result of its own a program is not run at all."""


@dataclass
class Host:
    """The machine round the jail: files with canaries, a listener, and what a careless host would have."""

    folder: Path
    workbench: Workbench
    speaker: Speaker
    sales: Path
    knocked: list[bytes]

    def fill(self, code: str) -> str:
        """The program with the canaries where they are."""
        return code.replace("@FIXTURE_RELATIVE@", str(self.folder).lstrip("/")).replace("@FIXTURE@", str(self.folder))

    def play(self, code: str) -> tuple[Any, str]:
        """Let the model submit a program once; the run, and all that the model was told afterwards."""
        self.speaker.heard.clear()
        self.speaker.lie = {"code": self.fill(code), "inputs": ROWS, "fits": True, "prose": ""}
        self.speaker.then = {"tool": "ask", "question_back": "What is meant?", "fits": True, "prose": ""}
        run = self.workbench.analyze(QUESTION, [self.sales], deliverables=["tables"], timeout_seconds=60)
        # The program itself comes back in what was said; what it printed stands beside it.
        heard = "\n".join(self.speaker.heard[1:])
        return run, heard

    def harm(self) -> list[str]:
        """What changed outside."""
        host = self.folder / "host"
        names = sorted(path.name for path in host.iterdir())
        changed = [] if names == ["app.db", "audit.jsonl", "secret.txt"] else [f"files: {names}"]
        if (host / "audit.jsonl").read_text() != '{"entry": 1}\n' or (
            host / "secret.txt"
        ).read_text() != "CANARY-secret\n":
            changed.append("a file was written to")
        return changed + (["something knocked"] if self.knocked else [])


def _listen(knocked: list[bytes]) -> Iterator[socket.socket]:
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, PORT))
            listener.listen()
        except OSError:  # Taken: somebody else listens, which would answer as well.
            listener.close()
            continue

        def serve(listener: socket.socket = listener) -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    knocked.append(b"knock")
                    connection.close()

        threading.Thread(target=serve, daemon=True).start()
        yield listener


@pytest.fixture(scope="module")
def host(model_at: Callable[[str], None]) -> Iterator[Host]:
    # Where everybody may read: what keeps a program out is to be the jail, not the rights of a folder.
    folder = Path(tempfile.mkdtemp(prefix="averment-host-"))
    folder.chmod(0o755)
    place = folder / "host"
    place.mkdir()
    (place / "secret.txt").write_text("CANARY-secret\n")
    (place / "audit.jsonl").write_text('{"entry": 1}\n')
    with contextlib.closing(sqlite3.connect(place / "app.db")) as database:
        database.execute("CREATE TABLE t (v TEXT)")
        database.execute("INSERT INTO t VALUES ('CANARY-db')")
        database.commit()
    sales = folder / "sales.csv"
    sales.write_text("region,amount\nWest,10\nEast,5\nWest,7\nNorth,3\n")
    speaker, knocked = Speaker(), []
    model_at(speaker.url)
    listeners = list(_listen(knocked))
    os.environ["SBX_HOST_SECRET"] = "CANARY-env"
    try:
        # No jail at all would be refused, which is no test of one.
        with Workbench(settings=Settings(home=folder / "home", model_timeout_seconds=20)) as workbench:
            yield Host(folder, workbench, speaker, sales, knocked)
    finally:
        del os.environ["SBX_HOST_SECRET"]
        for listener in listeners:
            listener.close()
        speaker.close()
        shutil.rmtree(folder, ignore_errors=True)


def test_an_ordinary_program_of_a_model_is_run_and_its_result_told(host: Host) -> None:
    run, _ = host.play("result = {'median': float(t.amount.astype(float).median())}")
    assert run.status == "completed", run.answer
    assert run.table is not None
    assert float(run.table.column(0)[0].as_py()) == 6.0
    assert host.workbench.verify(run.id).ok


def test_what_a_program_says_when_it_fails_is_heard_here(host: Host) -> None:
    _, heard = host.play(f"{HONEST}\nraise ValueError('PWNED' + ' control')")
    assert "PWNED control" in heard


@pytest.mark.parametrize(
    "ident", [pytest.param(one, marks=() if one in ALWAYS else pytest.mark.thorough) for one in ATTACKS]
)
def test_a_hostile_program_reaches_nothing_outside(host: Host, ident: str) -> None:
    # What it would say with ``print`` it says with an exception, which goes back to the model.
    code = ATTACKS[ident]["code"].replace(f"print('PWNED {ident}'", f"raise RuntimeError('PW' + 'NED {ident}'")
    run, heard = host.play(f"{HONEST}\n{code.replace(',flush=True)', ')')}")
    told = json.dumps(run.as_dict(), default=str)
    assert '"refused": "PLAN_INVALID"' not in heard  # It was run.
    assert f"PWNED {ident}" not in heard + told
    assert "CANARY-" not in told
    assert "CANARY-secret" not in heard
    assert host.harm() == []
    if run.status == "completed":
        assert run.table is not None
        assert [str(value) for row in run.table.to_pylist() for value in row.values()] == ["4"]


def test_after_the_hostile_programs_an_ordinary_one_runs_as_before(host: Host) -> None:
    run, _ = host.play("result = {'total': float(t.amount.astype(float).sum())}")
    assert run.table is not None
    assert float(run.table.column(0)[0].as_py()) == 25.0


@pytest.mark.parametrize(
    "code",
    [
        "result = {'total': 999999}",
        "result = {'total': len(t) * 0 + 4711}",
        "result = {'who': 'the boss is right'}",
        "result = {'total': float('47' + '11')}",
    ],
)
def test_what_a_program_makes_up_is_never_told(host: Host, code: str) -> None:
    run, _ = host.play(code)
    assert run.status != "completed"
    assert not [word for word in ("999", "4711", "4,711", "boss") if word in str(run.answer)]


@pytest.mark.parametrize("jail", ["none"])
def test_without_a_jail_no_program_runs(host: Host, tmp_path: Path, model_at: Callable[[str], None], jail: str) -> None:
    with Workbench(settings=Settings(home=tmp_path / "home", sandbox=jail, model_timeout_seconds=20)) as workbench:
        bare = Host(host.folder, workbench, host.speaker, host.sales, host.knocked)
        run, _ = bare.play("result = {'median': float(t.amount.astype(float).median())}")
        assert run.status != "completed"
        assert run.table is None
