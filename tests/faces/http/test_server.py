"""``averment serve`` as a process: where it says it is, how it stops, and what it takes up again."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from averment.workbench import Workbench


@contextmanager
def served(home: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[str], httpx2.Client]]:
    """A server in a process of its own, and a client with the token it printed."""
    code = "from averment.faces.cli import main; main()"
    command = [sys.executable, "-c", code, "--home", str(home), "serve", "--port", "0", *flags]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            lines = iter(process.stderr.readline, "")
            found = next(match for line in lines if (match := re.match(r"(http://\S+)/\?token=(\S+)$", line)))
            url, token = found.groups()
            with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
                yield process, client
        finally:
            process.kill()


def _wait(go: threading.Event) -> None:
    go.wait(120)


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.thorough)])
def test_the_server_says_where_it_is_and_stops_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with served(tmp_path / "home") as (process, client):
        assert client.get("/v1/runs").json() == {"runs": []}
        process.send_signal(number)
        assert process.wait(60) == 0
        assert process.stdout is not None and process.stdout.read() == ""
        assert process.stderr is not None and process.stderr.read() == ""


@pytest.mark.slow
def test_a_run_that_the_server_left_goes_on_when_it_is_started_again(tmp_path: Path, sales: bytes) -> None:
    home = tmp_path / "home"
    with served(home) as (process, client):
        form = {"data": {"intent": "total amount by region in 2024"}, "files": [("files", ("sales.csv", sales))]}
        run_id = client.post("/v1/analyses", **form).json()["id"]
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    with served(home) as (process, client):
        with client.stream("GET", f"/v1/runs/{run_id}/events") as response:
            lines = list(response.iter_lines())
        ids = [int(line.removeprefix("id: ")) for line in lines if line.startswith("id: ")]
        assert ids == list(range(1, len(ids) + 1))
        assert client.get(f"/v1/runs/{run_id}").json()["status"] == "completed"
        assert client.post(f"/v1/runs/{run_id}/verify").json()["ok"] is True


def test_a_stream_without_end_does_not_keep_the_server_from_stopping(tmp_path: Path, sales_path: str) -> None:
    home, go = tmp_path / "home", threading.Event()
    with Workbench(home=home) as workbench, served(home) as (process, client):
        # The run stands still in this process; the server's knows it from the store alone.
        run_id = workbench.runs.start.analysis("total amount", [sales_path], on_event=lambda _: _wait(go))
        try:
            with client.stream("GET", f"/v1/runs/{run_id}/events") as response:
                assert next(response.iter_lines()) == "id: 1"
                process.send_signal(signal.SIGTERM)
                assert process.wait(60) == 0
        finally:
            go.set()
            workbench.runs.wait(run_id)


def test_an_address_that_is_taken_is_a_usage_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code = "from averment.faces.cli import main; main()"
        command = [sys.executable, "-c", code, "--home", str(tmp_path), "serve", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
