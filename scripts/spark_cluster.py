"""A small Spark cluster on this machine: a master, workers and a Spark Connect server, all on the loopback address.

    python scripts/spark_cluster.py --home .venv/spark [--workers 2]

It prints the addresses and runs until it is interrupted. Tests and measurements start the same cluster; ``--home`` is a
virtual environment into which ``pyspark`` was installed. Ports are free ones, memory is small.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

START_SECONDS = 120.0
_HOST = "127.0.0.1"
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_PAGE = re.compile(r"MasterWebUI.*started at (http://\S+)")
_TASK = re.compile(r"Finished task \S+ in stage")


def spark_home(folder: Path) -> Path | None:
    """Where Spark itself lies in a virtual environment, or None when it is not there or Java is missing."""
    found = sorted(folder.glob("lib/python3*/site-packages/pyspark/jars"))
    return found[0].parent.resolve() if found and shutil.which("java") else None


class SparkCluster:
    """A master, its workers and a Connect server, each a process of its own; a context manager."""

    def __init__(self, home: Path, *, workers: int = 2, worker_mb: int = 2_048, executor_mb: int = 640) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="averment-spark-"))
        self._home = home
        self._memory = (worker_mb, executor_mb)
        self._count = workers
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.port = 0
        self.master_url = self.page_url = ""

    @property
    def url(self) -> str:
        """The Connect server's address."""
        return f"sc://{_HOST}:{self.port}"

    def __enter__(self) -> SparkCluster:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def workers(self) -> list[dict[str, Any]]:
        """The workers that the master knows, each with its state and the cores in use."""
        with urllib.request.urlopen(f"{self.page_url}/json/", timeout=10) as answer:
            return json.load(answer)["workers"]

    def tasks(self, number: int) -> int:
        """How many tasks the executors of one worker have finished, by their own logs."""
        logs = (self.folder / f"worker-{number}").glob("*/*/stderr")
        return sum(len(_TASK.findall(log.read_text(encoding="utf-8", errors="replace"))) for log in logs)

    def kill_worker(self, number: int) -> None:
        """End a worker and its executor at once, as a machine that loses its power does."""
        self._end(f"worker-{number}")

    def close(self) -> None:
        """End everything and take the folder away."""
        for name in list(self._processes)[::-1]:
            self._end(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self) -> None:
        worker_mb, executor_mb = self._memory
        self._run(
            "master", "org.apache.spark.deploy.master.Master", "--host", _HOST, "--port", "0", "--webui-port", "0"
        )
        self.master_url = self._told("master", _MASTER)
        self.page_url = self._told("master", _PAGE)
        for number in range(self._count):
            self._run(
                f"worker-{number}",
                *("org.apache.spark.deploy.worker.Worker", "--host", _HOST, "--port", "0", "--webui-port", "0"),
                *("--cores", "2", "--memory", f"{worker_mb}m", "--work-dir", str(self.folder / f"worker-{number}")),
                self.master_url,
            )
        self.port = _free_port()
        settings = {
            "spark.connect.grpc.binding.address": _HOST,
            "spark.connect.grpc.binding.port": self.port,
            "spark.driver.host": _HOST,
            "spark.driver.bindAddress": _HOST,
            "spark.executor.memory": f"{executor_mb}m",
            "spark.executor.cores": 1,
            "spark.cores.max": self._count,
            "spark.sql.shuffle.partitions": 2 * self._count,
            "spark.sql.warehouse.dir": self.folder / "warehouse",
            "spark.ui.enabled": "false",
        }
        self._run(
            "connect",
            "org.apache.spark.deploy.SparkSubmit",
            *("--master", self.master_url, "--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            *(word for name, value in settings.items() for word in ("--conf", f"{name}={value}")),
            "spark-internal",
        )
        self._await("connect", self._answers)
        self._await("master", lambda: sum(worker["coresused"] for worker in self.workers()) == self._count)

    def _run(self, name: str, *words: str) -> None:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": _HOST,
            "SPARK_LOCAL_DIRS": str(self.folder / "scratch"),
            # Spark counts the Connect server among its daemons, so its memory is said here and not in its settings.
            "SPARK_DAEMON_MEMORY": f"{self._memory[1]}m" if name == "connect" else "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-Dspark.master.rest.enabled=false",
            # Short-lived processes: the quick compiler alone starts sooner, and time is kept in UTC everywhere.
            "JAVA_TOOL_OPTIONS": f"-XX:TieredStopAtLevel=1 -Duser.timezone=UTC -Djava.io.tmpdir={self.folder}",
            "LANG": "C.UTF-8",
        } | ({"JAVA_HOME": os.environ["JAVA_HOME"]} if "JAVA_HOME" in os.environ else {})
        with (self.folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [str(self._home / "bin" / "spark-class"), *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=self.folder,
                start_new_session=True,
            )

    def _told(self, name: str, pattern: re.Pattern[str]) -> str:
        found: list[str] = []

        def look() -> bool:
            found[:] = pattern.findall((self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace"))
            return bool(found)

        self._await(name, look)
        return found[0]

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection((_HOST, self.port), 1):
            return True
        return False

    def _await(self, name: str, ready: Any) -> None:
        end = time.monotonic() + START_SECONDS
        while not ready():
            if self._processes[name].poll() is not None or time.monotonic() > end:
                words = (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")[-6_000:]
                raise RuntimeError(f"the cluster's {name} did not start: {words}")
            time.sleep(0.1)

    def _end(self, name: str) -> None:
        process = self._processes.pop(name, None)
        if process is not None and process.poll() is None:
            children = _children(process.pid)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for child in children:
                # An executor may have left its worker's group; it must not outlive it.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        return [int(child) for child in listed]
    except OSError:
        return []


def _free_port() -> int:
    with socket.create_server((_HOST, 0)) as taken:
        return int(taken.getsockname()[1])


def main() -> int:
    """Start a cluster, say where it is, and keep it until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, default=Path(".venv/spark"), help="environment that holds pyspark")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    home = spark_home(chosen.home)
    if home is None:
        print("Java or pyspark is missing; run: make spark", file=sys.stderr)
        return 1
    # Whoever ends this process ends the cluster with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with SparkCluster(home, workers=chosen.workers) as cluster, contextlib.suppress(KeyboardInterrupt):
        print(f"{cluster.url}\n{cluster.master_url}\n{cluster.page_url}\n{cluster.folder}", flush=True)
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
