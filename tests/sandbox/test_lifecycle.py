"""Starting, sharing, dying and ending: no process and no folder stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from averment.sandbox.protocol import Job

from .conftest import make_jail

NAMES = ["bubblewrap", "bubblewrap-shared", "landlock"]


def children_of(pid: int) -> set[int]:
    found: set[int] = set()
    table: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        table[int(path.parent.name)] = int(fields[1])
    layer = {pid}
    while layer:
        layer = {child for child, parent in table.items() if parent in layer} - found
        found |= layer
    return found


def eventually(check: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if check():
            return True
        time.sleep(0.02)  # only between two looks; nothing depends on how long it is
    return check()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    # A child that is another user must be able to reach it.
    for place in (folder, *folder.parents):
        if (
            place.owner() == Path.home().owner()
            and place != Path("/tmp")
            and place.is_relative_to(tempfile.gettempdir())
        ):
            place.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_jail_leaves_no_process_and_no_folder_and_starts_again(
    name: str, tmp_path: Path, own_temporary_folder: Path
) -> None:
    jail = make_jail(name)
    for number in range(2):
        before = children_of(os.getpid())
        assert jail.run(Job(code="print(1)"), tmp_path / str(number)).stdout == "1\n"
        # Other tests of this process may have children of their own that come and go meanwhile.
        started = {pid for pid in children_of(os.getpid()) - before if is_of_a_jail(pid)}
        assert started
        jail.close()
        assert not any(is_alive(pid) for pid in started)
        assert list(own_temporary_folder.iterdir()) == []


def is_of_a_jail(pid: int) -> bool:
    """Whether a child is a jail's: its command names the jail's program."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return False
    return any(word in command for word in (b"bwrap", b"sandbox", b"guest"))


def test_closing_twice_or_unused_is_no_fault() -> None:
    jail = make_jail("landlock")
    jail.close()
    jail.close()


@pytest.mark.parametrize("name", NAMES)
def test_many_threads_get_each_their_own_result(name: str, tmp_path: Path) -> None:
    jail = make_jail(name)

    def act(number: int) -> str:
        data = tmp_path / f"{number}.csv"
        data.write_text(str(number))
        code = "import os; n = open(IN / 'd.csv').read(); open(OUT / 'r.txt', 'w').write(n); print(n, os.listdir(OUT))"
        result = jail.run(Job(code=code, inputs={"d.csv": data}), tmp_path / f"out{number}")
        return f"{result.stdout.strip()} {result.files['r.txt'].read_text()}"

    try:
        with ThreadPoolExecutor(max_workers=8) as pool:
            assert list(pool.map(act, range(24))) == [f"{n} ['r.txt'] {n}" for n in range(24)]
    finally:
        jail.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_zygote_is_started_again(name: str, tmp_path: Path) -> None:
    jail = make_jail(name)
    try:
        before = children_of(os.getpid())
        jail.run(Job(code="pass"), tmp_path / "1")
        started = children_of(os.getpid()) - before
        for pid in started:
            with_signal(pid)
        assert eventually(lambda: not any(is_alive(pid) for pid in started))
        assert jail.run(Job(code="print(2)"), tmp_path / "2").stdout == "2\n"
    finally:
        jail.close()


def with_signal(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


PARENT = """
import os, sys, threading
from pathlib import Path
from averment.sandbox.choose import strongest
from averment.sandbox.protocol import Job
from averment.settings import Settings
jail = strongest(Settings.model_validate({"sandbox": sys.argv[1]}))
jail.run(Job(code="pass"), Path(sys.argv[2]))
job = Job(code="while True: pass", timeout_seconds=100)
threading.Thread(target=jail.run, args=(job, Path(sys.argv[2])), daemon=True).start()
print("running", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
def test_nothing_outlives_a_killed_parent(name: str, tmp_path: Path, own_temporary_folder: Path) -> None:
    make_jail(name)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, name, str(tmp_path / "out")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(own_temporary_folder)},
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"running\n"
    started = children_of(parent.pid)
    assert len(started) >= 2
    parent.kill()
    parent.communicate()
    assert eventually(lambda: not any(is_alive(pid) for pid in started))
    assert eventually(lambda: list(own_temporary_folder.iterdir()) == [])


def test_a_thread_that_started_the_jail_may_end(tmp_path: Path) -> None:
    jail = make_jail("bubblewrap")
    try:
        with ThreadPoolExecutor(max_workers=1) as pool:
            pool.submit(jail.run, Job(code="pass"), tmp_path / "1").result()
        assert jail.run(Job(code="print(2)"), tmp_path / "2").stdout == "2\n"
    finally:
        jail.close()


def test_a_forked_process_gets_a_jail_of_its_own(tmp_path: Path) -> None:
    jail = make_jail("landlock")
    try:
        jail.run(Job(code="pass"), tmp_path / "1")
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                status = 0 if jail.run(Job(code="print(2)"), tmp_path / "2").stdout == "2\n" else 2
                jail.close()
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert jail.run(Job(code="print(3)"), tmp_path / "3").stdout == "3\n"
    finally:
        jail.close()
