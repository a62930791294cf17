from __future__ import annotations

import base64
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def memory_home(home):
    """A home in memory where there is one: the same system calls, without waiting for a disk hundreds of times."""
    if not Path("/dev/shm").is_dir():
        yield home
        return
    folder = tempfile.mkdtemp(prefix="averment-", dir="/dev/shm")
    yield type(home)(Path(folder))
    shutil.rmtree(folder)


def test_every_cut_point_of_the_last_line_is_recovered(memory_home):
    ledger = memory_home.open()
    for number in range(5):
        memory_home.record(ledger, number)
    content = memory_home.log.read_bytes()
    start = content[:-1].rfind(b"\n") + 1
    for cut in range(start, len(content) + 1):
        memory_home.log.write_bytes(content[:cut])
        for path in (memory_home.checkpoints, memory_home.torn, memory_home.frontier):
            path.unlink(missing_ok=True)
        torn = start < cut < len(content)
        with memory_home.open() as opened:
            memory_home.record(opened, 5)
        report = memory_home.verify()
        assert report.ok, cut
        assert report.sealed_to == (6 if torn or cut == len(content) else 5), cut
        assert memory_home.torn.exists() == torn


def test_a_torn_line_is_put_aside_and_its_recovery_is_an_entry(home):
    ledger = home.open()
    for number in range(3):
        home.record(ledger, number)
    torn = home.lines()[2][:-100]
    home.write_lines([*home.lines()[:2], torn])
    with home.open() as opened:
        made = home.record(opened, 3)
        entries = list(opened.entries())
    assert made.sequence_number == 4
    note = entries[2]
    assert (note.event_type, note.actor) == ("policy_decision", "system")
    assert note.event_data["decision"] == "log_recovered"
    assert note.event_data["rule"] == "LEDGER-TORN-TAIL"
    assert note.event_data["torn_bytes"] == len(torn)
    assert note.event_data["torn_sha256"] == hashlib.sha256(torn).hexdigest()
    kept = json.loads(home.torn.read_text())
    assert base64.b64decode(kept["base64"]) == torn
    assert kept["sha256"] == note.event_data["torn_sha256"]
    assert kept["after_entry"] == 2


@pytest.mark.parametrize("tail", [b"x", b"\x00" * 5000, b'{"actor": "', b"\xff" * 100_000])
def test_whatever_stands_behind_the_last_line_feed_is_put_aside(home, tail):
    with home.open() as ledger:
        home.record(ledger, 0)
    home.log.write_bytes(home.log.read_bytes() + tail)
    assert not home.verify().ok
    with home.open() as ledger:
        assert home.record(ledger, 1).sequence_number == 3
    assert home.verify().sealed_to == 3


def test_a_log_that_is_nothing_but_a_torn_line_begins_anew(home):
    home.log.parent.mkdir()
    home.log.write_bytes(b'{"actor": "pla')
    with home.open() as ledger:
        assert home.record(ledger, 0).sequence_number == 2
    assert home.verify().ok


def test_reading_a_log_with_a_torn_tail_leaves_it_as_it_is(home):
    with home.open() as ledger:
        first = home.record(ledger, 0)
    home.log.write_bytes(home.log.read_bytes() + b"torn")
    with home.open() as ledger:
        assert ledger.tail() == (1, first.hash)
        assert list(ledger.entries()) == [first]
    assert home.log.read_bytes().endswith(b"torn")
    assert not home.torn.exists()


def test_a_signed_line_that_lost_its_line_feed_is_corruption_and_no_torn_tail(sealed):
    content = sealed.log.read_bytes()
    sealed.log.write_bytes(content[:-1])
    from averment.errors import LedgerCorrupt

    with pytest.raises(LedgerCorrupt), sealed.open() as ledger:
        sealed.record(ledger, 20)
    assert sealed.log.read_bytes() == content[:-1]
    assert not sealed.torn.exists()


def test_an_unfinished_checkpoint_is_put_aside_and_made_again(sealed):
    sealed.checkpoints.write_bytes(sealed.checkpoints.read_bytes()[:-30])
    with sealed.open() as ledger:
        sealed.record(ledger, 20)
    assert sealed.verify().sealed_to == 21
    assert sealed.torn.exists()
