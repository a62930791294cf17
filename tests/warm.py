"""Processes that start in no time: a parent that has loaded the house forks one for each script that is to be run.

Loading Averment's libraries takes seconds, and the tests that kill processes start hundreds. The parent loads them
once, before any thread is begun, and every child runs its script as a process with its own memory and files.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LOADED = (
    "altair",
    "pandas",
    "alembic.command",
    "averment.workbench",
    "averment.runtime.execution.durable",
    "averment.tables.engines.engine",
    "averment.tools.local_calls",
    "averment.agents.analyst.agent",
    "averment.agents.assistant.agent",
    "averment.agents.driller.agent",
    "averment.agents.researcher.agent",
)
_lock = threading.Lock()
_parent: list[subprocess.Popen[str]] = []


def run_script(
    script: Path, arguments: Sequence[object], *, timeout: int = 180, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a Python script in a forked process, as ``subprocess.run`` would in a fresh one."""
    with tempfile.TemporaryDirectory() as folder, _lock:
        if not _parent or _parent[0].poll() is not None:
            _parent[:] = [_start()]
        parent = _parent[0]
        assert parent.stdin is not None
        assert parent.stdout is not None
        words = [str(argument) for argument in arguments]
        asked: dict[str, Any] = {"script": str(script), "arguments": words, "folder": folder, "timeout": timeout}
        parent.stdin.write(json.dumps({**asked, "environment": dict(environment or {})}) + "\n")
        parent.stdin.flush()
        code = int(parent.stdout.readline())
        out, error = (Path(folder, name).read_text() for name in ("out", "error"))
    return subprocess.CompletedProcess([str(script), *words], code, out, error)


def _start() -> subprocess.Popen[str]:
    import quick_homes

    command = [sys.executable, str(Path(__file__)), str(quick_homes.templates())]
    parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(parent.kill)
    return parent


def _serve() -> None:
    from importlib import import_module

    import quick_homes

    for name in LOADED:
        import_module(name)
    quick_homes.install_for_victims(Path(sys.argv[1]))
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(asked)
        print(_wait(child, asked["timeout"]), flush=True)


def _wait(child: int, timeout: int) -> int:
    """The child's exit code, as ``subprocess`` gives it; one that takes too long is ended."""
    clock = threading.Timer(timeout, os.kill, (child, signal.SIGTERM))
    clock.start()
    _, status = os.waitpid(child, 0)
    clock.cancel()
    clock.join()  # No thread of ours may be alive at the next fork.
    return os.waitstatus_to_exitcode(status)


def _become(asked: dict[str, Any]) -> None:
    for number, name in ((1, "out"), (2, "error")):
        opened = os.open(Path(asked["folder"], name), os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.update(asked["environment"])
    sys.argv = [asked["script"], *asked["arguments"]]
    sys.path[0] = str(Path(asked["script"]).parent)
    try:
        runpy.run_path(asked["script"], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # The top of a process: what went wrong is printed, as Python does.
        import traceback

        traceback.print_exc()
        code = 1
    else:
        code = 0
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
