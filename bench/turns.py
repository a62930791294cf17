"""Whether memory stays flat: ten thousand turns of the assistant over HTTP against one server on Postgres.

    python bench/turns.py [--turns 10000] [--talkers 4] [--conversations 50] [--embedded]

A few people talk at once, each in many conversations, one after the other: tasks are added, listed, completed, taken
back, asked about and deleted again, with small talk between. Every episode leaves as many tasks as it found, so what
grows is the server itself. Printed are its resident memory at the start, after each quarter and at the end, the slope
over the second half, where nothing is warming up any more, and the times of the turns.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from workers import Server, _database

EPISODE = (
    ("add a task to call {name}", "success"),
    ("add a task to write to {name}", "success"),
    ("show my tasks", "success"),
    ("hello", "success"),
    ("complete the task about {name}", "clarification_needed"),
    ("the first one", "success"),
    ("undo", "success"),
    ("what can you do?", "success"),
    ("delete the task to call {name}", "confirmation_required"),
    ("yes", "success"),
    ("delete the task to write to {name}", "confirmation_required"),
    ("yes", "success"),
)
"""What is said in one episode, and the status that is expected in answer."""
FIRST = ("Amelia", "Bertram", "Cordelia", "Dietrich", "Esmeralda", "Florian", "Guinevere", "Humphrey")
LAST = ("Quicksilver", "Montague", "Fairweather", "Lindqvist", "Okonkwo", "Papadakis", "Villanueva", "Whitcombe")
"""Unlike each other, so that nobody is taken for another by a slip of the pen."""
SAMPLES = 200
WARM_SHARE = 0.02


class Talk:
    """What was said so far, what came back, and how much memory the server had."""

    def __init__(self, url: str, token: str, pid: int, turns: int, conversations: int) -> None:
        self.url = url
        self.headers = {"Authorization": f"Bearer {token}"}
        self.pid = pid
        self.turns = turns
        self.conversations = conversations
        self.begun = 0
        self.done = 0
        self.times: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.memory: list[tuple[int, float]] = []

    async def talker(self, client, number: int) -> None:
        """One person: episode after episode, each in the next of their conversations, until enough was said."""
        episode = 0
        while self.begun < self.turns:
            conversation = f"talk-{number}-{episode % self.conversations}"
            name = f"{FIRST[number % len(FIRST)]} {LAST[episode % len(LAST)]}"
            for said, expected in EPISODE:
                self.begun += 1
                await self.say(client, conversation, said.format(name=name), expected)
            episode += 1

    async def say(self, client, conversation: str, words: str, expected: str) -> None:
        """One turn, timed; an answer of another status than expected is counted."""
        body = {"message": words, "conversation_id": conversation, "message_id": f"m{self.begun}"}
        began = time.perf_counter()
        answer = await client.post(f"{self.url}/v1/chat", json=body, headers=self.headers)
        self.times.append(time.perf_counter() - began)
        status = answer.json().get("status") if answer.status_code == 200 else str(answer.status_code)
        self.statuses[status] += 1
        if status != expected:
            told = answer.json().get("response", answer.text) if answer.status_code == 200 else answer.text
            self.wrong[f"{words} → {status}: {str(told)[:120]}"] += 1
        self.done += 1
        if self.done % max(1, self.turns // SAMPLES) == 0:
            self.memory.append((self.done, resident_mb(self.pid)))


def resident_mb(pid: int) -> float:
    """What one process holds in memory."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def slope(points: list[tuple[int, float]]) -> float:
    """Megabytes that each thousand turns add, by least squares."""
    return 1000 * statistics.linear_regression([turn for turn, _ in points], [mb for _, mb in points]).slope


async def play(talk: Talk, talkers: int) -> None:
    """All talkers at once."""
    import httpx2 as httpx

    async with httpx.AsyncClient(timeout=120, trust_env=False) as client:
        await asyncio.gather(*(talk.talker(client, number) for number in range(talkers)))


def main() -> int:
    """Start a server, talk, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--talkers", type=int, default=4)
    parser.add_argument("--conversations", type=int, default=50, help="of each talker")
    parser.add_argument("--embedded", action="store_true", help="on SQLite instead of Postgres")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="averment-turns-") as folder:
        server = None if arguments.embedded else Server(Path(folder) / "postgres")
        environment = {**os.environ, "AVERMENT_MODEL_PROVIDER": "none"}
        if server is not None:
            environment["AVERMENT_DATABASE_URL"] = _database(server.url, "turns")
        command = [sys.executable, "-m", "averment", "--home", f"{folder}/home", "serve", "--port", "0"]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            return _measure(process, arguments)
        finally:
            process.terminate()
            process.wait(90)
            if server is not None:
                server.close()


def _measure(process: subprocess.Popen[str], arguments: argparse.Namespace) -> int:
    assert process.stderr is not None
    line = ""
    while "token=" not in line:
        line = process.stderr.readline()
    address, token = line.strip().split("/?token=")
    talk = Talk(address, token, process.pid, arguments.turns, arguments.conversations)
    began, busy = time.monotonic(), _cpu_seconds(process.pid)
    asyncio.run(play(talk, arguments.talkers))
    seconds, busy = time.monotonic() - began, _cpu_seconds(process.pid) - busy
    print(f"{talk.done} turns in {seconds:.0f} s, {1000 * busy / talk.done:.1f} ms of the server's processor a turn")
    ordered = sorted(talk.times)
    p50, p95 = statistics.median(ordered), ordered[int(0.95 * len(ordered))]
    print(f"a turn with {arguments.talkers} talking: p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms")
    print(f"answers {dict(talk.statuses)}, unexpected {talk.wrong.total()}")
    for words, count in talk.wrong.most_common(10):
        print(f"  {count} × {words}")
    warm = [point for point in talk.memory if point[0] >= WARM_SHARE * talk.done]
    at = {share: warm[min(len(warm) - 1, int(share * len(warm)))][1] for share in (0, 0.25, 0.5, 0.75, 1)}
    print("resident memory, MB: " + ", ".join(f"{share:.0%} {mb:.1f}" for share, mb in at.items()))
    grows = slope([point for point in talk.memory if point[0] >= talk.done / 2])
    print(f"slope over the second half: {grows:+.2f} MB a thousand turns")
    return 0 if not talk.wrong else 1


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
