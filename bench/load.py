"""Many people at once: users on loopback against one server and its workers on Postgres.

    python bench/load.py [--users 200] [--seconds 60] [--workers 2] [--run-every 2] [--restart-postgres]

Each user asks, waits a moment and asks again: the list of runs, a turn of the assistant, a run's state; and all of them
together begin an analysis every ``--run-every`` seconds. Printed are the requests, their times, every answer that was
not as it should be, and whether each run that was accepted has ended well.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from workers import EXAMPLES, Server, _database

TABLE = (EXAMPLES / "sales.csv").read_bytes()


class Load:
    """What the users did and saw."""

    def __init__(self, url: str, token: str, seconds: float) -> None:
        self.url = url
        self.headers = {"Authorization": f"Bearer {token}"}
        self.until = time.monotonic() + seconds
        self.times: dict[str, list[float]] = {}
        self.wrong: Counter[str] = Counter()
        self.runs: list[str] = []

    async def ask(self, client, what: str, method: str, path: str, **more):
        """One request, timed; what is not a good answer is counted."""
        began = time.perf_counter()
        try:
            answer = await client.request(method, self.url + path, headers=self.headers, **more)
        except Exception as error:
            self.wrong[f"{what}: {type(error).__name__}"] += 1
            return None
        self.times.setdefault(what, []).append(time.perf_counter() - began)
        if answer.status_code >= 400:
            self.wrong[f"{what}: {answer.status_code} {answer.text[:80]}"] += 1
            return None
        return answer.json()

    async def user(self, client, number: int) -> None:
        """A person: looks, says something, looks again."""
        chosen = random.Random(number)
        await asyncio.sleep(chosen.uniform(0, 2))
        turn = 0
        while time.monotonic() < self.until:
            kind = chosen.random()
            if kind < 0.4:
                await self.ask(client, "list runs", "GET", "/v1/runs?limit=10")
            elif kind < 0.7:
                turn += 1
                said = {"message": f"add a task to call customer {number}-{turn}", "message_id": f"u{number}-{turn}"}
                await self.ask(client, "chat", "POST", "/v1/chat", json={**said, "conversation_id": f"user-{number}"})
            elif self.runs:
                await self.ask(client, "show run", "GET", f"/v1/runs/{chosen.choice(self.runs)}")
            await asyncio.sleep(chosen.uniform(0.5, 3.5))

    async def begin_runs(self, client, every: float) -> None:
        """New questions, as long as there is time."""
        while time.monotonic() < self.until:
            form = {"intent": "total amount by region", "timeout_seconds": "180"}
            files = {"files": ("sales.csv", TABLE, "application/octet-stream")}
            begun = await self.ask(client, "begin run", "POST", "/v1/analyses", data=form, files=files)
            if begun is not None:
                self.runs.append(begun.get("run_id") or begun["id"])
            await asyncio.sleep(every)

    async def all_ended(self, client, patience: float) -> Counter[str]:
        """How the accepted runs ended."""
        until = time.monotonic() + patience
        ended: dict[str, str] = {}
        while len(ended) < len(self.runs) and time.monotonic() < until:
            for run_id in self.runs:
                if run_id not in ended:
                    shown = await self.ask(client, "afterwards", "GET", f"/v1/runs/{run_id}")
                    if shown and shown["status"] not in {"submitted", "planning", "executing"}:
                        ended[run_id] = shown["status"]
            await asyncio.sleep(1)
        return Counter(ended.get(run_id, "lost") for run_id in self.runs)


async def play(load: Load, users: int, every: float, restart) -> Counter[str]:
    """All the users at once, then the wait for the last run."""
    import httpx2 as httpx

    limits = httpx.Limits(max_connections=users + 10, max_keepalive_connections=users + 10)
    async with httpx.AsyncClient(timeout=60, limits=limits, trust_env=False) as client:
        jobs = [load.user(client, number) for number in range(users)]
        if restart is not None:
            jobs.append(asyncio.to_thread(restart))
        await asyncio.gather(load.begin_runs(client, every), *jobs)
        return await load.all_ended(client, 300)


def memory_mb(pid: int) -> float:
    """What a process and its children hold in memory."""
    total = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            if int(path.name) == pid or int(fields[1]) == pid:
                total += int(re.search(r"VmRSS:\s+(\d+)", (path / "status").read_text())[1])  # type: ignore[index]
        except (OSError, TypeError):
            continue
    return total / 1024


def main() -> int:
    """Start everything, play, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--run-every", type=float, default=2.0)
    parser.add_argument("--restart-postgres", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="averment-load-") as folder:
        server = Server(Path(folder) / "postgres")
        url = _database(server.url, "load")
        environment = {**os.environ, "AVERMENT_DATABASE_URL": url, "AVERMENT_MODEL_PROVIDER": "none"}
        command = [sys.executable, "-m", "averment", "--home", f"{folder}/home", "serve", "--port", "0"]
        process = subprocess.Popen(
            [*command, "--workers", str(arguments.workers)], env=environment, stderr=subprocess.PIPE, text=True
        )
        try:
            return _measure(process, server, arguments)
        finally:
            process.terminate()
            process.wait(90)
            server.close()


def _measure(process: subprocess.Popen[str], server: Server, arguments: argparse.Namespace) -> int:
    assert process.stderr is not None
    line = ""
    while "token=" not in line:
        line = process.stderr.readline()
    address, token = line.strip().split("/?token=")
    time.sleep(15)  # The workers load their libraries.
    before = memory_mb(process.pid)

    def restart() -> None:
        time.sleep(arguments.seconds / 2)
        server.restart()

    load = Load(address, token, arguments.seconds)
    ended = asyncio.run(
        play(load, arguments.users, arguments.run_every, restart if arguments.restart_postgres else None)
    )
    for what, times in sorted(load.times.items()):
        p50, p95 = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
        print(f"{what:12} {len(times):6} requests  p50 {p50 * 1000:7.1f} ms  p95 {p95 * 1000:7.1f} ms")
    print(f"wrong answers: {dict(load.wrong)}")
    print(f"runs accepted {len(load.runs)}, ended {dict(ended)}")
    print(f"memory of server and workers: {before:.0f} MB before, {memory_mb(process.pid):.0f} MB after")
    return 0 if not load.wrong and set(ended) <= {"completed"} else 1


if __name__ == "__main__":
    sys.exit(main())
