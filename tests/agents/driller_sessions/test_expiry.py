"""A session ends on time, and nothing of it is left but its row and the ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from averment.errors import RunNotFound, SessionExpired, SessionNotFound
from averment.settings import Settings
from averment.store.search.memory import MemoryStore

CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-31"},
    "comparison_period": {"start": "2024-02-01", "end": "2024-02-29"},
}


@pytest.fixture
def desk(settings: Settings, make_desk: Callable[[Settings], Any]) -> Any:
    """Sessions of an empty home, once for each kind of database."""
    return make_desk(settings)


def left_of(desk: Any, session_id: str) -> list[Path]:
    """Every file that names the session or one of its runs, or holds one of its files."""
    return [
        path
        for path in desk.services.settings.home.rglob("*")
        if path.is_file() and (session_id in str(path) or "cache/tables" in str(path) or "artifacts" in str(path))
    ]


@pytest.mark.seed("B-009", "B-064")
def test_an_expired_session_is_gone_with_its_files_memory_and_run(desk: Any) -> None:
    session_id = desk.completed()
    run_id = desk.sessions.run_of(session_id)
    memory = MemoryStore(desk.services.store.database)
    assert memory.get(session_id) is not None
    assert left_of(desk, session_id)

    desk.clock.forward(hours=23, minutes=59)
    assert desk.sessions.expire_due() == 0
    assert desk.sessions.get(session_id).status == "completed"
    desk.clock.forward(minutes=2)
    assert desk.sessions.expire_due() == 1
    assert desk.sessions.expire_due() == 0

    assert desk.sessions.get(session_id).status == "expired"
    assert left_of(desk, session_id) == []
    assert memory.get(session_id) is None
    with pytest.raises(RunNotFound):
        desk.services.store.runs.get(run_id)


@pytest.mark.parametrize("act", ["files", "report", "explanations", "iterations", "history", "status", "run_of"])
def test_whatever_is_asked_of_an_expired_session_is_refused_without_any_sweep(desk: Any, act: str) -> None:
    session_id = desk.with_files()
    desk.clock.forward(hours=25)
    with pytest.raises(SessionExpired):
        getattr(desk.sessions, act)(session_id)
    assert left_of(desk, session_id) == []


def test_nothing_can_be_added_to_an_expired_session(desk: Any) -> None:
    session_id = desk.sessions.create().session_id
    desk.clock.forward(hours=25)
    with pytest.raises(SessionExpired):
        desk.sessions.add_file(session_id, [b"a,b\n1,2\n"], "late.csv")
    with pytest.raises(SessionExpired):
        desk.sessions.start(session_id, CONTEXT)
    with pytest.raises(SessionExpired):
        desk.sessions.chat(session_id, "Why?")
    assert left_of(desk, session_id) == []


def test_a_session_that_expires_while_a_file_comes_in_does_not_keep_it(desk: Any) -> None:
    session_id = desk.sessions.create().session_id

    def slow() -> Any:
        yield b"day,amount\n"
        desk.clock.forward(hours=25)
        desk.sessions.expire_due()
        yield b"2024-01-01,2\n"

    with pytest.raises(SessionExpired):
        desk.sessions.add_file(session_id, slow(), "slow.csv")
    assert not list(desk.services.settings.home.rglob(f"*{session_id}*/**/*.csv"))


def test_a_running_investigation_is_stopped_and_forgotten_once_it_rests(desk: Any) -> None:
    session_id = desk.with_files()
    run_id = desk.sessions.start(session_id, CONTEXT)
    desk.script.plan()
    desk.clock.forward(hours=25)
    desk.sessions.expire_due()
    assert desk.script.cancelled == [run_id]
    assert desk.tree(session_id) == set()
    desk.script.rounds()  # It had not heard of it yet.
    assert desk.tree(session_id) == set()
    desk.script.finish(report=False, status="cancelled")
    desk.sessions.expire_due()
    with pytest.raises(RunNotFound):
        desk.services.store.runs.get(run_id)
    assert desk.sessions.get(session_id).status == "expired"


def test_sessions_that_are_not_due_stay(desk: Any) -> None:
    old = desk.sessions.create().session_id
    desk.clock.forward(hours=20)
    young = desk.with_files()
    desk.clock.forward(hours=5)
    assert [session.status for session in desk.sessions.list()] == ["has_files", "expired"]
    assert len(desk.sessions.files(young)) == 2
    assert desk.tree(old) == set()


def test_the_life_of_a_session_is_the_setting(settings: Settings, make_desk: Callable[[Settings], Any]) -> None:
    desk = make_desk(settings.model_copy(update={"session_timeout_hours": 2}))
    session = desk.sessions.create()
    assert (session.expires_at - session.created_at).total_seconds() == 7200


def test_a_deleted_session_leaves_nothing_and_is_not_found(desk: Any) -> None:
    session_id = desk.completed()
    desk.sessions.delete(session_id)
    assert left_of(desk, session_id) == []
    with pytest.raises(SessionNotFound):
        desk.sessions.get(session_id)


def test_an_expiry_that_was_interrupted_is_finished_by_the_next_sweep(desk: Any) -> None:
    session_id = desk.completed()
    desk.clock.forward(hours=25)
    clear = desk.sessions._life._clear
    desk.sessions._life._clear = lambda row: (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        desk.sessions.expire_due()
    assert left_of(desk, session_id)
    desk.sessions._life._clear = clear
    desk.sessions.expire_due()
    assert left_of(desk, session_id) == []


def test_a_tree_without_a_row_goes_when_its_own_time_is_over(desk: Any) -> None:
    session_id = desk.sessions.create().session_id
    desk.sessions._store.delete(session_id)
    desk.sessions.sweep()
    assert desk.tree(session_id)
    desk.clock.forward(hours=25)
    desk.sessions.sweep()
    assert desk.tree(session_id) == set()


def test_the_ledger_stays(desk: Any) -> None:
    desk.services.ledgers.own.checkpoint()
    path = desk.services.settings.ledger_path
    before = path.read_bytes() if path.exists() else b""
    desk.completed()
    desk.clock.forward(hours=25)
    desk.sessions.expire_due()
    assert (path.read_bytes() if path.exists() else b"") == before
