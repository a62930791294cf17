"""The tables' processes are forks of one warm interpreter: isolated, replaced if it dies, gone with their caller."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.processes import children
from averment.tables.sources.opening import open_sources

PARENT = """
import sys
from pathlib import Path
from averment.settings import Settings
from averment.tables.processes import children
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources
home = Path(sys.argv[1])
engine = Engine(open_sources([home / "a.csv"], settings=Settings(home=home), cache_dir=home / "cache"), Settings())
engine.run("SELECT 1")
print(children._process_pool._zygote._process.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def engine(tmp_path: Path):
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    catalog = open_sources([tmp_path / "a.csv"], settings=Settings(home=tmp_path), cache_dir=tmp_path / "cache")
    with Engine(catalog, Settings(home=tmp_path)) as opened:
        yield opened


def zygote_pid() -> int:
    zygote = children._process_pool._zygote
    assert zygote is not None
    return zygote._process.pid


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def has_ended(handle: int) -> bool:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(30_000))


def test_every_query_process_is_a_new_fork_of_the_same_interpreter(engine: Engine) -> None:
    engine.run("SELECT 1")
    first = engine._process.pid
    engine.close()
    engine.run("SELECT 1")
    assert engine._process.pid != first
    assert parent_of(engine._process.pid) == zygote_pid()


def test_the_interpreter_opens_no_file_and_has_nothing_of_the_callers_environment(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AVERMENT_CANARY", "secret")
    children._process_pool.close()
    engine.run("SELECT 1")
    place = Path(f"/proc/{zygote_pid()}")
    assert b"AVERMENT_CANARY" not in (place / "environ").read_bytes()
    links = [str(link.readlink()) for link in (place / "fd").iterdir()]
    assert not [link for link in links if link.endswith((".duckdb", ".csv"))]


def test_a_killed_interpreter_is_replaced(engine: Engine) -> None:
    engine.run("SELECT 1")
    query, warm = os.pidfd_open(engine._process.pid), os.pidfd_open(zygote_pid())
    signal.pidfd_send_signal(warm, signal.SIGKILL)
    assert has_ended(warm)
    assert has_ended(query)
    assert engine.run("SELECT sum(x) AS total FROM a").table.to_pylist() == [{"total": 3}]
    os.close(query)
    os.close(warm)


def test_a_relative_path_is_read_from_where_the_caller_is_now(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.run("SELECT 1")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.csv").write_text("y\n5\n")
    monkeypatch.chdir(tmp_path / "deep")
    catalog = open_sources(["b.csv"], settings=Settings(home=tmp_path), cache_dir=tmp_path / "cache")
    assert [table.row_count for table in catalog.tables] == [1]


@pytest.mark.parametrize("end", ["killed", "left"])
def test_the_interpreter_goes_with_its_caller_however_that_ends(tmp_path: Path, end: str) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdin is not None
        warm = os.pidfd_open(int(parent.stdout.readline()))
        if end == "killed":
            parent.kill()
        else:
            parent.stdin.close()
            assert parent.wait(60) == 0
    assert has_ended(warm)
    os.close(warm)


def test_a_forked_caller_has_an_interpreter_of_its_own(engine: Engine) -> None:
    engine.run("SELECT 1")
    before = zygote_pid()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        spare = children._process_pool.take()
        os.write(write, str(zygote_pid()).encode())
        spare.close()
        children._process_pool.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert int(os.read(read, 20)) != before
    os.close(read)
    os.close(write)
    engine.close()
    assert engine.run("SELECT 1 AS one").row_count == 1
    assert zygote_pid() == before
