from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from averment.errors import AvermentError, InvalidRequest, RunNotFound, StoreConflict
from averment.records.base import new_id
from averment.store.db.database import Database
from averment.store.runs.run_store import RunRow, RunStore

NOON = datetime(2026, 1, 23, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture
def runs(database: Database) -> RunStore:
    return RunStore(database)


def a_run(**changes: Any) -> RunRow:
    values: dict[str, Any] = {
        "run_id": new_id(),
        "kind": "analysis",
        "status": "submitted",
        "intent": "total amount by region",
        "request": {"row_limit": 10, "sources": ["sales.csv"]},
        "created_at": NOON,
        "updated_at": NOON,
    }
    return RunRow(**{**values, **changes})


def kept(runs: RunStore, **changes: Any) -> str:
    run = a_run(**changes)
    runs.create(run)
    return run.run_id


def test_a_run_reads_back_as_it_was_written(runs: RunStore) -> None:
    run = a_run(
        intent="Größe 🚀 'quoted' -- %s",
        reading={"measure": "amount"},
        plan=[1, 2.5, None, True, 2**70],
        answer="42",
        error={"code": "X"},
        sealed={"root": "ab"},
        finished_at=NOON + timedelta(seconds=1),
    )
    runs.create(run)
    assert runs.get(run.run_id) == run


def test_creating_the_same_run_twice_changes_nothing(runs: RunStore) -> None:
    run = a_run()
    runs.create(run)
    runs.set_status(run.run_id, "planning")
    runs.create(run)
    assert runs.get(run.run_id).status == "planning"


def test_another_run_under_a_taken_id_is_refused(runs: RunStore) -> None:
    run = a_run()
    runs.create(run)
    with pytest.raises(StoreConflict):
        runs.create(a_run(run_id=run.run_id, intent="something else"))


def test_an_unknown_run_is_not_found(runs: RunStore) -> None:
    missing = new_id()
    for act in (
        lambda: runs.get(missing),
        lambda: runs.set_status(missing, "planning"),
        lambda: runs.update(missing, answer=1),
        lambda: runs.put(missing, "call", "a", {}),
        lambda: runs.put_event(missing, 1, "plan_made", {}, NOON),
        lambda: runs.request_cancel(missing),
    ):
        with pytest.raises(RunNotFound):
            act()


@pytest.mark.parametrize("hostile", ["", "ab", "%%%%", "____", "' OR 1=1 --", "a\0bc", "\ud800abcd", "../../etc"])
def test_a_hostile_id_finds_no_run(runs: RunStore, hostile: str) -> None:
    kept(runs)
    with pytest.raises(AvermentError) as caught:
        runs.get(hostile)
    assert caught.value.code in {"RUN_NOT_FOUND", "INVALID_REQUEST"}


def test_four_characters_of_an_id_find_its_run(runs: RunStore) -> None:
    wanted = kept(runs, run_id="abcd1111-0000-4000-8000-000000000000")
    kept(runs, run_id="abce1111-0000-4000-8000-000000000000")
    assert runs.get("abcd").run_id == wanted
    assert runs.get("ABCD1").run_id == wanted


def test_a_prefix_of_two_runs_is_refused_with_both_named(runs: RunStore) -> None:
    ids = sorted(kept(runs, run_id=f"abcd{number}111-0000-4000-8000-000000000000") for number in (1, 2))
    with pytest.raises(RunNotFound) as caught:
        runs.get("abcd")
    assert caught.value.details["candidates"] == ids


def test_the_list_is_newest_first_and_pages(runs: RunStore) -> None:
    ids = [kept(runs, created_at=NOON + timedelta(seconds=second)) for second in range(5)]
    assert [run.run_id for run in runs.list()] == ids[::-1]
    assert [run.run_id for run in runs.list(limit=2, offset=1)] == [ids[3], ids[2]]
    assert runs.list(limit=0) == []


def test_the_list_can_be_narrowed_by_kind_and_status(runs: RunStore) -> None:
    drill = kept(runs, kind="drilldown")
    failed = kept(runs, status="failed")
    assert [run.run_id for run in runs.list(kind="drilldown")] == [drill]
    assert [run.run_id for run in runs.list(status="failed")] == [failed]
    assert runs.list(kind="drilldown", status="failed") == []


def test_a_status_changes_only_from_an_expected_one(runs: RunStore) -> None:
    run_id = kept(runs)
    runs.set_status(run_id, "planning", expected=frozenset({"submitted"}))
    with pytest.raises(StoreConflict) as caught:
        runs.set_status(run_id, "executing", expected=frozenset({"submitted", "failed"}))
    assert caught.value.details["status"] == "planning"
    assert runs.get(run_id).status == "planning"


def test_of_many_that_claim_a_run_at_once_one_wins(runs: RunStore) -> None:
    run_id = kept(runs)
    gate, won, refused = threading.Barrier(6), list[int](), list[int]()

    def claim(number: int) -> None:
        gate.wait()
        try:
            runs.set_status(run_id, "planning", expected=frozenset({"submitted"}))
            won.append(number)
        except StoreConflict:
            refused.append(number)

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(refused)) == (1, 5)


def test_an_ended_run_has_a_finish_time_and_a_resumed_one_has_none(runs: RunStore) -> None:
    run_id = kept(runs)
    later = NOON + timedelta(minutes=1)
    runs.set_status(run_id, "failed", at=later)
    assert runs.get(run_id).finished_at == later
    runs.set_status(run_id, "executing")
    assert runs.get(run_id).finished_at is None


def test_contents_are_set_one_by_one_and_cleared_with_none(runs: RunStore) -> None:
    run_id = kept(runs)
    runs.update(run_id, answer={"value": 1}, reading="amount by region")
    runs.update(run_id, plan=[], at=NOON + timedelta(seconds=5))
    run = runs.get(run_id)
    assert (run.answer, run.reading, run.plan, run.updated_at) == (
        {"value": 1},
        "amount by region",
        [],
        NOON + timedelta(seconds=5),
    )
    runs.update(run_id, answer=None)
    assert runs.get(run_id).answer is None


def test_a_content_that_a_run_does_not_have_is_refused(runs: RunStore) -> None:
    with pytest.raises(InvalidRequest):
        runs.update(kept(runs), status="completed")


def test_a_record_put_twice_is_kept_once(runs: RunStore) -> None:
    run_id = kept(runs)
    assert runs.put(run_id, "call", "a", {"x": 1, "y": [2]}) is True
    assert runs.put(run_id, "call", "a", {"y": [2], "x": 1}) is False
    assert runs.records(run_id, "call") == [{"x": 1, "y": [2]}]


@pytest.mark.parametrize("other", [{"x": 2}, {"x": 1.0}, {"x": True}, {"x": "1"}, {"x": 1, "y": None}, {}])
def test_another_body_under_a_kept_key_is_refused(runs: RunStore, other: dict[str, Any]) -> None:
    run_id = kept(runs)
    runs.put(run_id, "call", "a", {"x": 1})
    with pytest.raises(StoreConflict):
        runs.put(run_id, "call", "a", other)
    assert runs.record(run_id, "call", "a") == {"x": 1}


def test_records_come_by_position_then_in_the_order_they_were_put(runs: RunStore) -> None:
    run_id = kept(runs)
    for key, position in (("late", 9), ("first", 0), ("after", None), ("last", None)):
        runs.put(run_id, "call", key, {"key": key}, position)
    assert [body["key"] for body in runs.records(run_id, "call")] == ["first", "late", "after", "last"]
    assert runs.records(run_id, "observation") == []
    assert runs.record(run_id, "call", "none") is None


def test_records_put_by_many_threads_get_positions_of_their_own(runs: RunStore) -> None:
    run_id = kept(runs)
    gate = threading.Barrier(5)

    def put(number: int) -> None:
        gate.wait()
        for step in range(4):
            runs.put(run_id, "call", f"{number}-{step}", {"number": number, "step": step})

    threads = [threading.Thread(target=put, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bodies = runs.records(run_id, "call")
    assert len(bodies) == 20
    for number in range(5):
        assert [body["step"] for body in bodies if body["number"] == number] == [0, 1, 2, 3]


def test_an_event_is_kept_once_and_the_first_one_stays(runs: RunStore) -> None:
    run_id = kept(runs)
    assert runs.put_event(run_id, 1, "plan_made", {"steps": 2}, NOON) is True
    assert runs.put_event(run_id, 1, "plan_made", {"steps": 3}, NOON + timedelta(seconds=1)) is False
    (event,) = runs.events(run_id)
    assert (event.seq, event.event_type, event.body, event.at) == (1, "plan_made", {"steps": 2}, NOON)


def test_an_event_of_another_type_under_a_kept_number_is_refused(runs: RunStore) -> None:
    run_id = kept(runs)
    runs.put_event(run_id, 1, "plan_made", {}, NOON)
    with pytest.raises(StoreConflict):
        runs.put_event(run_id, 1, "call_observed", {}, NOON)


def test_events_are_read_on_from_a_number(runs: RunStore) -> None:
    run_id = kept(runs)
    assert runs.last_event_seq(run_id) == 0
    for seq in (3, 1, 2, 10):
        runs.put_event(run_id, seq, "call_observed", {"seq": seq}, NOON)
    assert [event.seq for event in runs.events(run_id, after=1)] == [2, 3, 10]
    assert [event.seq for event in runs.events(run_id, limit=2)] == [1, 2]
    assert runs.last_event_seq(run_id) == 10


def test_a_cancel_is_seen_until_it_is_cleared(runs: RunStore) -> None:
    run_id = kept(runs)
    assert not runs.cancel_requested(run_id)
    runs.request_cancel(run_id)
    assert runs.cancel_requested(run_id)
    runs.clear_cancel(run_id)
    assert not runs.cancel_requested(run_id)


def test_a_deleted_run_is_gone_with_its_records_and_events(runs: RunStore) -> None:
    run_id, other = kept(runs), kept(runs)
    for each in (run_id, other):
        runs.put(each, "call", "a", {})
        runs.put_event(each, 1, "plan_made", {}, NOON)
    assert runs.delete(run_id)
    assert not runs.delete(run_id)
    assert (runs.records(run_id, "call"), runs.events(run_id)) == ([], [])
    assert (len(runs.records(other, "call")), len(runs.events(other))) == (1, 1)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_cannot_carry_is_refused_and_nothing_is_kept(runs: RunStore, number: float) -> None:
    run_id = kept(runs)
    with pytest.raises(InvalidRequest):
        runs.put(run_id, "call", "a", {"x": number})
    assert runs.records(run_id, "call") == []


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_one_database_cannot_hold_is_refused_by_both(runs: RunStore, text: str) -> None:
    with pytest.raises(InvalidRequest):
        runs.create(a_run(intent=text))
    with pytest.raises(InvalidRequest):
        runs.put(kept(runs), "call", text, {})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(body=st.dictionaries(st.text(), json_values, max_size=4))
@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_reads_back_as_it_was_written(runs: RunStore, body: dict[str, Any]) -> None:
    run_id = kept(runs)
    runs.put(run_id, "call", "a", body)
    assert runs.put(run_id, "call", "a", body) is False
    read = runs.record(run_id, "call", "a")
    assert read == body
    assert repr(read) == repr(body)
