"""A cluster that speaks Spark for tests: Sail in a process of its own."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

START_SECONDS = 120


@contextlib.contextmanager
def sail() -> Generator[int]:
    """The port of a Sail server in a process of its own, which is ended without waiting for those still connected."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    command = [sys.executable, "-m", "pysail", "spark", "server", "--ip", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None and time.monotonic() < end, "the cluster did not start"
            time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def on_cluster(url: str, folders: list[Path]) -> str:
    """A cluster's URL with the folders that it is to read."""
    return f"{url}/?{'&'.join(f'folder={folder}' for folder in folders)}"
