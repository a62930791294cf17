"""How fast the ledger takes entries and checks them, beside peers in the same run on the same disk.

    python bench/ledger.py [--entries N] [--folder DIR] [--json]

Peers: the same lines written and synced by one process with nothing else around (the most any log can do), seed 004's
appender, which reads the whole file for every entry and syncs nothing, and seed 000's verifier. One JSON line per
measurement goes to stdout, then a table; ``--json`` leaves the table out.

Measures a part: averment.ledger.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from averment.ledger.draft import EntryDraft
from averment.ledger.verify import verify_file
from averment.ledger.writer import Ledger

ORIGIN = "averment.bench/ledger"
ROUNDS = 3
PROCESSES = 8
BATCH = 32


@dataclass(frozen=True)
class Measurement:
    """One subject, how much it did in how long, and how that compares with its peer."""

    name: str
    entries: int
    seconds: float
    per_second: float
    peer: str | None
    ratio: float | None


def draft(number: int, worker: int = 0) -> EntryDraft:
    return EntryDraft(
        request_id=str(uuid.UUID(int=worker + 1)),
        event_type="tool_called",
        event_data={
            "call_id": str(uuid.UUID(int=number)),
            "tool_name": "sql.run",
            "arguments": {
                "query": "SELECT region, SUM(amount) FROM sales GROUP BY region ORDER BY 2 DESC",
                "n": number,
            },
        },
        actor="actor",
    )


def open_ledger(folder: Path) -> Ledger:
    return Ledger.open(folder / "logs" / "log.jsonl", keys_dir=folder / "keys", origin=ORIGIN)


def append_in_process(folder: Path, entries: int, batch: int) -> float:
    with open_ledger(folder) as ledger:
        start = time.perf_counter()
        for first in range(0, entries, batch):
            ledger.append_many([draft(number) for number in range(first, first + batch)])
        return time.perf_counter() - start


def append_in_threads(folder: Path, entries: int, threads: int) -> float:
    with open_ledger(folder) as ledger:

        def work(worker: int) -> None:
            for number in range(entries // threads):
                ledger.append_many([draft(number, worker)])

        running = [threading.Thread(target=work, args=[worker]) for worker in range(threads)]
        start = time.perf_counter()
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        return time.perf_counter() - start


def append_in_processes(folder: Path, entries: int, batch: int) -> float:
    """From the moment all processes are ready to the moment the last one is done."""
    open_ledger(folder).close()
    workers = [
        subprocess.Popen(
            [sys.executable, __file__, "--worker", str(folder), str(entries // PROCESSES), str(batch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(PROCESSES)
    ]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    start = time.perf_counter()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(b"go\n")
        worker.stdin.flush()
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    seconds = time.perf_counter() - start
    for worker in workers:
        worker.communicate()
    return seconds


def work_as_process(folder: Path, entries: int, batch: int) -> None:
    with open_ledger(folder) as ledger:
        print("ready", flush=True)
        sys.stdin.readline()
        for first in range(0, entries, batch):
            ledger.append_many([draft(number) for number in range(first, first + batch)])
        print("done", flush=True)


def write_plainly(folder: Path, lines: list[bytes], batch: int) -> float:
    """The peer with nothing around: the same bytes, one write and one fsync a batch, no lock, no hash, no signature."""
    descriptor = os.open(folder / "plain.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        start = time.perf_counter()
        for first in range(0, len(lines), batch):
            os.write(descriptor, b"".join(lines[first : first + batch]))
            os.fsync(descriptor)
        return time.perf_counter() - start
    finally:
        os.close(descriptor)


def append_as_seed_004(folder: Path, entries: int) -> float:
    """Seed 004's appender as written there: it reads the whole file for every entry, and neither locks nor syncs."""
    path = folder / "seed.jsonl"
    path.touch()
    start = time.perf_counter()
    for number in range(entries):
        with path.open() as file:
            lines = file.readlines()
            last = json.loads(lines[-1])["hash"] if lines else "0" * 64
        entry: dict[str, object] = {
            "entry_id": str(uuid.uuid4()),
            "request_id": str(uuid.UUID(int=1)),
            "sequence_number": number + 1,
            "event_type": "tool_called",
            "event_data": dict(draft(number).event_data),
            "actor": "actor",
            "timestamp": "2026-01-01T00:00:00",
            "parent_hash": last,
        }
        entry["hash"] = hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()
        with path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
    return time.perf_counter() - start


def verify_as_seed_000(path: Path) -> float:
    start = time.perf_counter()
    with path.open() as file:
        entries = [json.loads(line) for line in file]
    for place, entry in enumerate(entries):
        parent = entries[place - 1]["hash"] if place else "0" * 64
        data = json.dumps(entry["event_data"], sort_keys=True)
        payload = f"{entry['parent_hash']}{entry['timestamp']}{entry['event_type']}{data}"
        assert entry["sequence_number"] == place + 1
        assert entry["parent_hash"] == parent
        assert hashlib.sha256(payload.encode()).hexdigest() == entry["hash"]
    return time.perf_counter() - start


def verify_strictly(path: Path) -> float:
    start = time.perf_counter()
    report = verify_file(path)
    assert report.ok, report.first_fault
    return time.perf_counter() - start


class Bench:
    """Runs each subject a few times in folders of its own and keeps the medians."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: dict[str, Measurement] = {}

    def measure(self, name: str, entries: int, act: Callable[[Path], float], peer: str | None = None) -> None:
        times: list[float] = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory(dir=self.folder) as place:
                times.append(act(Path(place)))
                for log in Path(place).glob("logs/log.jsonl"):
                    report = verify_file(log)
                    assert report.ok, report.first_fault
                    assert report.verified_to == entries
        seconds = statistics.median(times)
        per_second = entries / seconds
        ratio = per_second / self.done[peer].per_second if peer is not None else None
        self.done[name] = Measurement(name, entries, seconds, per_second, peer, ratio)
        print(json.dumps(asdict(self.done[name])), flush=True)

    def table(self) -> str:
        rows = [f"{'subject':<42}{'entries':>9}{'per second':>12}  ratio"]
        for one in self.done.values():
            ratio = "" if one.ratio is None else f"  {one.ratio:.2f} x {one.peer}"
            rows.append(f"{one.name:<42}{one.entries:>9}{one.per_second:>12.0f}{ratio}")
        return "\n".join(rows)


def run(folder: Path, entries: int) -> Bench:
    bench = Bench(folder)
    few = entries // 8 // PROCESSES * PROCESSES
    many = entries // (PROCESSES * BATCH) * PROCESSES * BATCH
    with tempfile.TemporaryDirectory(dir=folder) as place:
        append_in_process(Path(place), many, BATCH)
        log = Path(place) / "logs" / "log.jsonl"
        lines = log.read_bytes().splitlines(keepends=True)
        plain, plain_batch = "plain write + fsync", f"plain write + fsync, batch {BATCH}"
        bench.measure(plain, few, lambda here: write_plainly(here, lines[:few], 1))
        bench.measure(plain_batch, many, lambda here: write_plainly(here, lines, BATCH))
        bench.measure("append, 1 process", few, lambda here: append_in_process(here, few, 1), plain)
        bench.measure("append, 8 threads", few, lambda here: append_in_threads(here, few, 8), plain)
        bench.measure("append, 8 processes", few, lambda here: append_in_processes(here, few, 1), plain)
        bench.measure(
            f"append, 1 process, batch {BATCH}", many, lambda here: append_in_process(here, many, BATCH), plain_batch
        )
        bench.measure(
            f"append, 8 processes, batch {BATCH}",
            many,
            lambda here: append_in_processes(here, many, BATCH),
            plain_batch,
        )
        bench.measure("seed 004's appender (not synced)", few, lambda here: append_as_seed_004(here, few), plain)
        bench.measure("seed 000's verifier", many, lambda _: verify_as_seed_000(log))
        bench.measure("strict verify", many, lambda _: verify_strictly(log), "seed 000's verifier")
    return bench


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        work_as_process(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description="Measure the ledger beside its peers.")
    parser.add_argument(
        "--entries", type=int, default=16_384, help="entries of the batched runs; others take an eighth"
    )
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="a folder on the disk to measure")
    parser.add_argument("--json", action="store_true", help="JSON lines only")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder, prefix=".bench-") as place:
        bench = run(Path(place), chosen.entries)
    if not chosen.json:
        print(bench.table())


if __name__ == "__main__":
    main()
