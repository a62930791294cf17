from __future__ import annotations

import threading
import uuid

import pytest

from averment.errors import LedgerCorrupt
from averment.ledger.commit import MAX_WATCHED, RequestIndex
from averment.ledger.draft import EntryDraft


def step(ledger, request_id: str, entry_id: str, **more: object):
    return ledger.append(
        request_id=request_id,
        event_type="tool_called",
        event_data={"call": "once"},
        actor="actor",
        entry_id=entry_id,
        **more,
    )


def entry_id(number: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, str(number)))


def test_a_step_recorded_before_is_returned_and_not_recorded_again(ledger, request_id):
    first = step(ledger, request_id, entry_id(1))
    assert step(ledger, request_id, entry_id(1)) == first
    assert ledger.tail() == (1, first.hash)


def test_other_data_under_the_same_id_changes_nothing(ledger, request_id):
    first = step(ledger, request_id, entry_id(1))
    again = ledger.append(
        request_id=request_id, event_type="plan_created", event_data={}, actor="planner", entry_id=entry_id(1)
    )
    assert again == first


def test_a_resumed_run_finds_its_steps_in_a_new_process(home, request_id):
    with home.open() as ledger:
        before = [step(ledger, request_id, entry_id(number)) for number in range(5)]
        for number in range(20):
            home.record(ledger, number)
    with home.open() as ledger:
        assert [step(ledger, request_id, entry_id(number)) for number in range(5)] == before
        assert step(ledger, request_id, entry_id(5)).sequence_number == 26


def test_a_hint_where_the_run_began_is_enough_to_find_its_steps(home, request_id):
    with home.open() as ledger:
        for number in range(50):
            home.record(ledger, number)
        begun = ledger.tail()[0] + 1
        before = [step(ledger, request_id, entry_id(number), since_sequence=begun) for number in range(5)]
    with home.open() as ledger:
        assert [step(ledger, request_id, entry_id(n), since_sequence=begun) for n in range(5)] == before
        assert ledger.tail()[0] == 55


def test_a_later_hint_does_not_hide_what_an_earlier_one_found(home, request_id):
    with home.open() as ledger:
        first = step(ledger, request_id, entry_id(1))
        home.record(ledger, 0)
        second = step(ledger, request_id, entry_id(2))
    with home.open() as ledger:
        assert step(ledger, request_id, entry_id(2), since_sequence=3) == second
        assert step(ledger, request_id, entry_id(1), since_sequence=1) == first
        assert step(ledger, request_id, entry_id(1), since_sequence=3) == first


def test_a_hint_saves_reading_what_lies_before_it(sealed, request_id):
    # Line 1 is spoiled: a run that began after it never looks there, one that may have begun before it does.
    lines = sealed.lines()
    spoiled = lines[0].replace(b'"n": 0', b'"n": 9').replace(str(uuid.UUID(int=1)).encode(), request_id.encode())
    sealed.write_lines([spoiled, *lines[1:]])
    with sealed.open() as ledger:
        assert step(ledger, request_id, entry_id(1), since_sequence=21).sequence_number == 21
        for _ in range(2):
            with pytest.raises(LedgerCorrupt):
                step(ledger, request_id, entry_id(2))
        assert ledger.tail()[0] == 21


def test_steps_recorded_by_another_process_meanwhile_are_seen(home, request_id):
    with home.open() as one, home.open() as two:
        first = step(one, request_id, entry_id(1))
        assert step(two, request_id, entry_id(1)) == first
        second = step(two, request_id, entry_id(2))
        home.record(one, 0)
        assert step(one, request_id, entry_id(2)) == second
        assert one.tail()[0] == 3


def test_the_same_id_in_another_request_is_another_entry(ledger, request_id):
    first = step(ledger, request_id, entry_id(1))
    other = step(ledger, str(uuid.uuid4()), entry_id(1))
    assert (first.sequence_number, other.sequence_number) == (1, 2)


def test_the_same_id_twice_in_one_batch_is_recorded_once(ledger, request_id):
    same = EntryDraft(
        request_id=request_id, event_type="tool_called", event_data={}, actor="actor", entry_id=entry_id(1)
    )
    made = ledger.append_many([same, same])
    assert made[0] == made[1]
    assert ledger.tail()[0] == 1
    assert ledger.append_many([same, same]) == made


def test_different_hints_in_one_batch_are_all_kept(home, request_id):
    with home.open() as ledger:
        before = [step(ledger, request_id, entry_id(number)) for number in range(3)]
    drafts = [
        EntryDraft(
            request_id=request_id,
            event_type="tool_called",
            event_data={},
            actor="actor",
            entry_id=entry_id(number),
            since_sequence=number + 1,
        )
        for number in range(3)
    ]
    with home.open() as ledger:
        assert ledger.append_many(drafts) == before


def test_threads_that_record_the_same_step_at_once_record_it_once(ledger, request_id):
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(step(ledger, request_id, entry_id(1)).sequence_number))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 8


def test_a_forgotten_request_is_found_again_in_the_log(ledger, request_id):
    first = step(ledger, request_id, entry_id(1))
    ledger.forget(request_id)
    assert step(ledger, request_id, entry_id(1)) == first


def test_the_index_keeps_a_bounded_number_of_requests(tmp_path):
    index = RequestIndex()
    with (tmp_path / "empty").open("w+b") as file:
        ids = [str(uuid.UUID(int=number + 1)) for number in range(MAX_WATCHED + 1)]
        for request_id in ids:
            index.watch(file.fileno(), 0, request_id, 1)
    assert not index.knows(ids[0], 1)
    assert index.knows(ids[-1], 1)


def test_many_requests_at_once_keep_their_steps_apart(home):
    ids = [str(uuid.UUID(int=number + 1)) for number in range(6)]
    with home.open() as one, home.open() as two:
        for number in range(4):
            for request_id in ids:
                step(one if number % 2 else two, request_id, entry_id(number))
        for number in range(4):
            for request_id in ids:
                step(two if number % 2 else one, request_id, entry_id(number))
        assert one.tail()[0] == 24
