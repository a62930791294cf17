"""Many writers, some of which die: whatever was acknowledged is there, in one unbroken chain."""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import sys
import uuid
from collections import Counter

import pytest

from averment.errors import DiskFull
from averment.ledger.draft import EntryDraft
from averment.ledger.verify import verify_file
from averment.ledger.writer import Ledger

WRITER = """
import sys, uuid
from averment.ledger.draft import EntryDraft
from averment.ledger.writer import Ledger
log, keys, worker, count, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
request = str(uuid.UUID(int=worker + 1))
ledger = Ledger.open(log, keys_dir=keys, origin="averment.test/ledger")
number = 0
while count == 0 or number < count:
    drafts = [
        EntryDraft(request_id=request, event_type="tool_called", event_data={"n": n, "pad": "x" * 300}, actor="actor")
        for n in range(number, number + batch)
    ]
    for entry in ledger.append_many(drafts):
        sys.stdout.write(entry.entry_id + "\\n")
    sys.stdout.flush()
    number += batch
ledger.close()
"""


def writer(home, worker: int, count: int, batch: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home.log), str(home.keys), str(worker), str(count), str(batch)],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(("count", "batch"), [(1000, 50), (40, 1)])
def test_eight_processes_write_one_unbroken_chain_and_nothing_is_lost(home, count, batch):
    workers = [writer(home, worker, count, batch) for worker in range(8)]
    acknowledged: set[str] = set()
    for worker in workers:
        acknowledged.update(worker.communicate(timeout=120)[0].split())
        assert worker.returncode == 0
    report = home.verify()
    assert report.ok
    assert (report.verified_to, report.sealed_to) == (8 * count, 8 * count)
    with home.open() as ledger:
        entries = list(ledger.entries())
    assert {entry.entry_id for entry in entries} == acknowledged
    assert Counter(entry.request_id for entry in entries) == {str(uuid.UUID(int=w + 1)): count for w in range(8)}
    for worker in range(8):
        mine = [e.event_data["n"] for e in entries if e.request_id == str(uuid.UUID(int=worker + 1))]
        assert mine == list(range(count))


@pytest.mark.slow
def test_thirty_killed_writers_lose_no_acknowledged_entry(home):
    chance = random.Random(1)
    acknowledged: set[str] = set()
    running = [writer(home, worker, 0, 1 + worker % 3) for worker in range(3)]
    for kill in range(30):
        victim = running.pop(0)
        assert victim.stdout is not None
        for _ in range(chance.randint(1, 12)):
            acknowledged.add(victim.stdout.readline().strip())
        victim.kill()
        running.append(writer(home, 3 + kill, 0, 1 + kill % 3))
        # What was acknowledged before the kill may still be in the pipe; a line cut off by it is no acknowledgement.
        acknowledged.update(line.strip() for line in victim.stdout if line.endswith("\n"))
        victim.wait()
    for victim in running:
        assert victim.stdout is not None
        acknowledged.add(victim.stdout.readline().strip())
        victim.kill()
        acknowledged.update(line.strip() for line in victim.stdout if line.endswith("\n"))
        victim.wait()
    with home.open() as ledger:
        home.record(ledger, 0)
        present = {entry.entry_id for entry in ledger.entries()}
    assert len(acknowledged) >= 60
    assert acknowledged <= present
    assert home.verify().ok


def append_in_child(ledger: Ledger, worker: int) -> None:
    for number in range(10):
        ledger.append(
            request_id=str(uuid.UUID(int=worker + 1)), event_type="tool_called", event_data={"n": number}, actor="actor"
        )


def test_forked_children_may_go_on_using_the_ledger_they_inherit(home):
    ledger = home.open()
    home.record(ledger, 0)
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=append_in_child, args=(ledger, worker)) for worker in range(4)]
    for child in children:
        child.start()
    append_in_child(ledger, 4)
    for child in children:
        child.join(timeout=60)
        assert child.exitcode == 0
    ledger.close()
    report = home.verify()
    assert (report.ok, report.sealed_to) == (True, 51)


def test_a_process_that_ends_without_closing_has_its_entries_signed(home):
    script = WRITER.replace("ledger.close()\n", "")
    subprocess.run(
        [sys.executable, "-c", script, str(home.log), str(home.keys), "0", "3", "1"],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=60,
    )
    assert home.verify().sealed_to == 3


def fill(ledger: Ledger) -> int:
    """How many entries were acknowledged until the disk was full."""
    draft = EntryDraft(
        request_id=str(uuid.UUID(int=1)), event_type="tool_called", event_data={"pad": "x" * 3000}, actor="actor"
    )
    done = 0
    for _ in range(2000):
        done += len(ledger.append_many([draft] * 7))
    return done


def test_a_full_disk_refuses_the_entry_and_keeps_the_log_whole(small_disk, home):
    log = small_disk / "logs" / "data_agent_runs.jsonl"
    ledger = Ledger.open(log, keys_dir=home.keys, origin="averment.test/ledger")
    done = 0
    with pytest.raises(DiskFull) as caught:
        while True:
            done += fill(ledger)
    assert caught.value.code == "DISK_FULL"
    before = log.read_bytes()
    for _ in range(5):
        with pytest.raises(DiskFull):
            fill(ledger)
    report = verify_file(log)
    assert report.ok
    assert log.read_bytes()[: len(before)] == before


def test_room_on_the_disk_lets_the_ledger_go_on(small_disk, home):
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 300_000)
    ledger = Ledger.open(
        small_disk / "logs" / "data_agent_runs.jsonl", keys_dir=home.keys, origin="averment.test/ledger"
    )
    with pytest.raises(DiskFull):
        fill(ledger)
    count = ledger.tail()[0]
    ballast.unlink()
    assert home.record(ledger, 0).sequence_number == count + 1
    ledger.close()
    assert verify_file(small_disk / "logs" / "data_agent_runs.jsonl").sealed_to == count + 1


LIMITED = """
import resource, sys, uuid
from averment.errors import DiskFull
from averment.ledger.draft import EntryDraft
from averment.ledger.writer import Ledger
ledger = Ledger.open(sys.argv[1], keys_dir=sys.argv[2], origin="averment.test/ledger")
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
draft = EntryDraft(
    request_id=str(uuid.UUID(int=1)), event_type="tool_called",
    event_data={"pad": "x" * 700}, actor="actor",
)
done, refused = 0, 0
for batch in (30, 30, 30, 5, 1, 30, 1, 1):
    try:
        done += len(ledger.append_many([draft] * batch))
    except DiskFull:
        refused += 1
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
done += len(ledger.append_many([draft]))
print(done, refused)
"""


def test_a_write_that_was_cut_short_is_taken_back(home):
    # A limit on the file's size cuts a write short just as a full disk does, and needs no root.
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, str(home.log), str(home.keys)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    done, refused = map(int, ended.stdout.split())
    assert refused >= 2
    report = home.verify()
    assert report.ok
    assert report.verified_to == done
