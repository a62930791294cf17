from __future__ import annotations

import json
import threading
import uuid
from dataclasses import FrozenInstanceError

import pytest

from averment.errors import InvalidRequest, InvalidSettings, LedgerCorrupt, LedgerError, LedgerUnavailable
from averment.ledger.draft import EntryDraft
from averment.ledger.entry import GENESIS, build_entry
from averment.ledger.keys import load_or_create
from averment.ledger.verify import verify_file
from averment.ledger.writer import Ledger


def test_an_entry_has_the_fields_of_seed_000_and_is_frozen(ledger, home, request_id):
    entry = home.record(ledger, 1, request_id)
    assert entry.as_dict() == json.loads(home.log.read_text())
    assert (entry.sequence_number, entry.parent_hash, entry.request_id) == (1, GENESIS, request_id)
    with pytest.raises(FrozenInstanceError):
        entry.actor = "safety"


@pytest.mark.seed("A-080", "A-081")
def test_each_entry_names_the_one_before(ledger, home):
    made = [home.record(ledger, number) for number in range(5)]
    assert [entry.sequence_number for entry in made] == [1, 2, 3, 4, 5]
    assert [entry.parent_hash for entry in made] == [GENESIS, *(entry.hash for entry in made[:-1])]
    assert ledger.tail() == (5, made[-1].hash)
    assert list(ledger.entries()) == made


def test_an_empty_ledger_has_no_entries_and_the_zero_hash(ledger):
    assert ledger.tail() == (0, GENESIS)
    assert list(ledger.entries()) == []


def test_many_entries_are_written_next_to_each_other(ledger, request_id, draft):
    made = ledger.append_many([draft] * 40)
    assert [entry.sequence_number for entry in made] == list(range(1, 41))
    assert len({entry.entry_id for entry in made}) == 40
    assert ledger.append_many([]) == []


def test_one_bad_draft_keeps_the_whole_batch_out(ledger, draft, request_id):
    bad = EntryDraft(request_id=request_id, event_type="tool_called", event_data={"n": float("inf")}, actor="actor")
    with pytest.raises(InvalidRequest):
        ledger.append_many([draft, bad])
    assert ledger.tail() == (0, GENESIS)


def test_entries_can_be_read_by_request_and_from_a_number_on(ledger, home):
    made = [home.record(ledger, number) for number in range(20)]
    wanted = made[7].request_id
    assert list(ledger.entries(wanted)) == [entry for entry in made if entry.request_id == wanted]
    assert list(ledger.entries(from_sequence=13)) == made[12:]
    assert list(ledger.entries(wanted, from_sequence=8)) == [e for e in made[7:] if e.request_id == wanted]
    assert list(ledger.entries(from_sequence=21)) == []


def test_a_request_mentioned_inside_other_data_is_not_mistaken_for_its_entry(ledger, request_id):
    mention = {"request_id": request_id, "nested": {"request_id": request_id}}
    ledger.append(request_id=str(uuid.uuid4()), event_type="tool_called", event_data=mention, actor="actor")
    assert list(ledger.entries(request_id)) == []


def test_reading_sees_what_was_there_when_it_began(ledger, home):
    home.record(ledger, 0)
    reading = ledger.entries()
    first = next(reading)
    home.record(ledger, 1)
    assert first.sequence_number == 1
    assert list(reading) == []


def test_a_late_entry_of_a_long_log_is_found(ledger, request_id):
    filler = EntryDraft(request_id=request_id, event_type="tool_called", event_data={"pad": "x" * 5000}, actor="actor")
    for _ in range(10):
        ledger.append_many([filler] * 100)
    for number in (1, 2, 499, 500, 999, 1000):
        assert next(ledger.entries(from_sequence=number)).sequence_number == number
    assert list(ledger.entries(from_sequence=1001)) == []


def test_a_new_process_goes_on_where_the_last_one_stopped(home):
    with home.open() as first:
        before = home.record(first, 0)
    with home.open() as second:
        assert home.record(second, 1).parent_hash == before.hash
    assert home.verify().sealed_to == 2


def test_two_ledgers_on_one_file_keep_one_chain(home):
    with home.open() as one, home.open() as two:
        for number in range(10):
            home.record(one if number % 2 else two, number)
        assert one.checkpoint() == two.checkpoint()
    report = home.verify()
    assert report.ok
    assert report.verified_to == 10


def test_timestamps_never_go_backwards_even_when_the_clock_does(home, request_id):
    home.log.parent.mkdir()
    ahead = "2999-01-01T00:00:00.000000Z"
    _, line = build_entry(
        entry_id=str(uuid.uuid4()),
        request_id=request_id,
        sequence_number=1,
        parent_hash=GENESIS,
        timestamp=ahead,
        event_type="tool_called",
        event_data={},
        actor="actor",
    )
    home.log.write_bytes(line + b"\n")
    with home.open() as ledger:
        assert home.record(ledger, 1).timestamp == ahead
    assert home.verify().ok


def test_timestamps_are_utc_with_microseconds_and_rise(ledger, home):
    times = [home.record(ledger, number).timestamp for number in range(20)]
    assert times == sorted(times)
    assert all(len(time) == 27 and time.endswith("Z") for time in times)


def test_threads_share_one_chain_and_each_gets_its_own_entries(ledger, home):
    found: dict[int, list[str]] = {}

    def work(worker: int) -> None:
        mine = str(uuid.UUID(int=1000 + worker))
        found[worker] = [home.record(ledger, number, mine).entry_id for number in range(25)]

    threads = [threading.Thread(target=work, args=[worker]) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert home.verify().verified_to == 200
    for worker, ids in found.items():
        assert [entry.entry_id for entry in ledger.entries(str(uuid.UUID(int=1000 + worker)))] == ids


def test_a_closed_ledger_takes_nothing_more(ledger, home):
    home.record(ledger, 0)
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerUnavailable) as caught:
        home.record(ledger, 1)
    assert caught.value.code == "LEDGER_UNAVAILABLE"
    assert len(home.lines()) == 1


@pytest.mark.parametrize("inside", [".", "keys"])
def test_a_key_folder_inside_the_log_folder_is_refused(home, inside):
    with pytest.raises(InvalidSettings) as caught:
        Ledger.open(home.log, keys_dir=home.log.parent / inside, origin="x")
    assert caught.value.code == "INVALID_SETTINGS"
    assert not home.log.exists()


def test_a_log_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "logs").write_text("a file")
    with pytest.raises(LedgerUnavailable):
        Ledger.open(tmp_path / "logs" / "x.jsonl", keys_dir=tmp_path / "keys", origin="x")


def test_the_public_key_lies_beside_the_log(ledger, home):
    assert home.public.read_text() == f"{ledger.key.text}\n"


def test_a_lost_key_is_not_silently_replaced(sealed):
    sealed.key_file.unlink()
    with pytest.raises(LedgerError) as caught:
        sealed.open()
    assert caught.value.code == "LEDGER_ERROR"
    assert not sealed.key_file.exists()


def test_another_name_or_key_than_the_one_that_signed_is_refused(sealed, tmp_path):
    with pytest.raises(LedgerError):
        Ledger.open(sealed.log, keys_dir=sealed.keys, origin="another.name")
    sealed.key_file.unlink()
    load_or_create(sealed.keys, "averment.test/ledger")
    with pytest.raises(LedgerError):
        sealed.open()


def test_a_wrong_key_is_not_published_for_a_lost_one(sealed):
    sealed.public.unlink()
    sealed.key_file.unlink()
    load_or_create(sealed.keys, "averment.test/ledger")
    with pytest.raises(LedgerError):
        sealed.open()
    assert not sealed.public.exists()


def test_a_lost_public_key_is_written_again(sealed):
    before = sealed.public.read_text()
    sealed.public.unlink()
    sealed.open().close()
    assert sealed.public.read_text() == before


def test_nothing_is_appended_to_a_last_line_that_is_no_entry(sealed):
    lines = sealed.lines()
    for broken in (
        lines[-1].replace(b'"n": 19', b'"n": 91'),
        lines[-1].replace(b'"actor"', b'"Actor"'),
        b"{}\n",
        b"\n",
        b"\x00" * 64 + b"\n",
    ):
        sealed.write_lines([*lines[:-1], broken])
        with pytest.raises(LedgerCorrupt) as caught, sealed.open() as ledger:
            sealed.record(ledger, 20)
        assert caught.value.code == "LEDGER_CORRUPT"
        assert sealed.lines() == [*lines[:-1], broken]


@pytest.mark.seed("A-083")
def test_nothing_is_appended_when_signed_entries_are_missing(sealed):
    sealed.write_lines(sealed.lines()[:-2])
    with pytest.raises(LedgerCorrupt) as caught, sealed.open() as ledger:
        sealed.record(ledger, 20)
    assert caught.value.details == {"missing_from": 19, "missing_to": 20}
    assert len(sealed.lines()) == 18


def test_an_open_ledger_notices_that_its_last_entry_was_replaced(home):
    ledger = home.open()
    home.record(ledger, 0)
    entry, _ = home.record(ledger, 1), None
    _, forged = build_entry(
        entry_id=entry.entry_id,
        request_id=entry.request_id,
        sequence_number=2,
        parent_hash=entry.parent_hash,
        timestamp=entry.timestamp,
        event_type="policy_decision",
        event_data={},
        actor="safety",
    )
    home.write_lines([home.lines()[0], forged + b"\n"])
    with pytest.raises(LedgerCorrupt):
        home.record(ledger, 2)


def test_an_open_ledger_notices_that_its_file_is_gone(home):
    ledger = home.open()
    home.record(ledger, 0)
    home.log.unlink()
    with pytest.raises(LedgerCorrupt):
        home.record(ledger, 1)


def test_a_log_that_was_altered_before_its_newest_checkpoint_is_not_signed_again(sealed):
    sealed.frontier.unlink()
    lines = sealed.lines()
    sealed.write_lines([lines[0].replace(b'"n": 0', b'"n": 9'), *lines[1:]])
    with sealed.open() as ledger:
        sealed.record(ledger, 20)
        with pytest.raises(LedgerCorrupt):
            ledger.checkpoint()


def test_a_forged_newest_checkpoint_stops_the_writer(sealed):
    text = sealed.checkpoints.read_text()
    sealed.checkpoints.write_text(text.replace("\n20\n", "\n19\n"))
    with pytest.raises(LedgerCorrupt), sealed.open() as ledger:
        sealed.record(ledger, 20)


def test_errors_of_a_shared_write_reach_every_thread(sealed):
    sealed.write_lines(sealed.lines()[:-2])
    ledger = sealed.open()
    codes: list[str] = []

    def work() -> None:
        try:
            sealed.record(ledger, 20)
        except LedgerCorrupt as error:
            codes.append(error.code)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == ["LEDGER_CORRUPT"] * 6


def test_verification_of_a_live_log_never_sees_half_a_write(ledger, home, draft):
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            ledger.append_many([draft] * 20)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        reports = [verify_file(home.log) for _ in range(5)]
    finally:
        stop.set()
        thread.join()
    assert all(report.ok for report in reports)
