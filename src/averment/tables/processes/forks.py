"""The warm interpreter of the tables: ``python -m averment.tables.processes.forks CONTROL CALLER`` imports the engine
once.

Each process that reads a file or answers queries is a fork of it. It never opens a database itself: an engine that was
opened before a fork would have threads and locks that the child does not own.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from averment.process_pool.serving import serve
from averment.tables.processes.lean import hide_pandas

PRELOAD = (
    "averment.tables.processes.worker",
    "averment.tables.engines.backend_duckdb",
    "averment.tables.engines.backend_sqlite",
    "averment.tables.processes.build",
    "averment.tables.read.csv_read",
    "averment.tables.read.json_read",
    "averment.tables.sources.attached",
)
"""What both kinds of process need; readers of rarer formats are imported by the process that meets one."""
LEAVE_SECONDS = 2.0
"""Time for a query process to take its folder away once the caller is gone."""
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until the caller goes away."""
    for name in PRELOAD:
        importlib.import_module(name)
    # Arrow loads pandas at the first list it is given, only to see that it is none; here nobody else has use for it.
    hide_pandas()
    serve(int(sys.argv[1]), int(sys.argv[2]), live, grace=LEAVE_SECONDS)
    os._exit(0)


def live(job: socket.socket, name: str) -> NoReturn:
    """The whole life of a child: it waits for its order, becomes what the order says, does it, and ends."""
    del name  # it has no folder by that name
    os.setsid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    message, descriptors, _, _ = socket.recv_fds(job, 1 << 16, 2)
    job.close()
    if not message:
        os._exit(0)  # the caller is closing
    order: dict[str, Any] = json.loads(message)
    os.environ.clear()
    os.environ.update(order["environment"])
    place, given = descriptors
    os.fchdir(place)
    os.close(place)
    code = 0
    try:
        _ROLES[order["role"]](given)
    except BaseException:  # noqa: BLE001  # the top of a process: what went wrong is written, as Python does
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


def _query(channel: int) -> None:
    """Answer queries over the socket; what the engine says on its own goes into a file of its folder."""
    from averment.tables.processes.worker import serve_queries

    _redirect("/dev/null", 1, os.O_WRONLY)
    _redirect("stderr", 2, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    serve_queries(socket.socket(fileno=channel), Path.cwd())


def _read(job: int) -> None:
    """Read a source; the outcome is one JSON document on the output pipe."""
    from averment.tables.processes.build import do_job

    _redirect("/dev/null", 2, os.O_WRONLY)
    with os.fdopen(job, "rb") as file:
        body: dict[str, Any] = json.load(file)
    outcome = do_job(body)
    json.dump(outcome, sys.stdout)


def _redirect(path: str, target: int, flags: int) -> None:
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, target)
    os.close(opened)


_ROLES: dict[str, Callable[[int], None]] = {"query": _query, "read": _read}

if __name__ == "__main__":
    main()
