"""The worker processes of one server: started with it, started again when one dies, drained when it stops."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

LOOK_SECONDS = 1.0
DRAIN_SECONDS = 60


@contextmanager
def worker_processes(home: Path, count: int) -> Generator[None]:
    """So many workers, for as long as the block lasts; afterwards they end what is under way and stop."""
    stop = threading.Event()
    started = [_start(home) for _ in range(count)]
    watcher = threading.Thread(target=_watch, args=(home, started, stop), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
        for process in started:
            process.terminate()
        for process in started:
            try:
                process.wait(DRAIN_SECONDS + 10)
            except subprocess.TimeoutExpired:
                process.kill()


def _start(home: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "averment", "--home", str(home), "worker", "--drain-seconds", str(DRAIN_SECONDS)]
    # A session of its own: Ctrl-C in the terminal reaches the server, and the server drains them.
    return subprocess.Popen(command, start_new_session=True)


def _watch(home: Path, started: list[subprocess.Popen[bytes]], stop: threading.Event) -> None:
    while not stop.wait(LOOK_SECONDS):
        for place, process in enumerate(started):
            if process.poll() is not None and not stop.is_set():
                print(f"a worker ended with {process.returncode}; another is started", file=sys.stderr, flush=True)
                started[place] = _start(home)
