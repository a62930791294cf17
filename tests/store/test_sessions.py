"""The index of sessions and their trees, on each kind of database."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from averment.errors import FileTooLarge, SessionNotFound
from averment.records.base import new_id
from averment.records.drilldown.session import Session
from averment.settings import Settings
from averment.store.db.database import Database
from averment.store.runs.session_tree import METADATA, SessionTree, readable_name
from averment.store.runs.sessions import SessionStore
from averment.store.storage.local import FileStore

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def store(database: Database) -> SessionStore:
    return SessionStore(database)


@pytest.fixture
def tree(home: Settings) -> SessionTree:
    return SessionTree(FileStore(home.home))


def opened(hours: int = 24, at: datetime = START) -> Session:
    return Session.opened(timeout_hours=hours, at=at)


def test_a_session_is_kept_as_it_was_made(store: SessionStore) -> None:
    session = opened()
    store.create(session)
    row = store.get(session.session_id)
    assert row.session == session
    assert (row.run_id, row.sources, row.asked, row.runs) == (None, (), (), ())
    assert store.get(session.session_id.upper()).session == session


@pytest.mark.parametrize(
    "session_id", ["5f0c7f6e-6a0e-4c55-9d9a-3b1f0e8a7c21", "no id", "", "'; DROP TABLE sessions; --"]
)
def test_an_unknown_session_is_not_found(store: SessionStore, session_id: str) -> None:
    with pytest.raises(SessionNotFound):
        store.get(session_id)
    with pytest.raises(SessionNotFound):
        store.find(session_id)


def test_a_change_is_kept_whole_or_not_at_all(store: SessionStore) -> None:
    session = opened()
    store.create(session)
    run_id = new_id()
    with store.changing(session.session_id) as change:
        change.keep(session=session.with_file(), run_id=run_id, sources=("/data/lake",), asked=(new_id(),))
    row = store.get(session.session_id)
    assert (row.session.status, row.session.file_count, row.run_id, row.sources) == (
        "has_files",
        1,
        run_id,
        ("/data/lake",),
    )
    assert row.runs == (run_id, *row.asked)

    def fail_half_way() -> None:
        with store.changing(session.session_id) as change:
            change.keep(session=change.row.session.started())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert store.get(session.session_id) == row


def test_changes_of_one_session_take_turns(store: SessionStore) -> None:
    session = opened()
    store.create(session)

    def add() -> None:
        with store.changing(session.session_id) as change:
            change.keep(session=change.row.session.with_file())

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get(session.session_id).session.file_count == 8


def test_what_is_due_is_what_ends_before_now_and_has_not_ended(store: SessionStore) -> None:
    short, long = opened(hours=1), opened(hours=48)
    for session in (short, long):
        store.create(session)
    now = START + timedelta(hours=2)
    assert store.due(START + timedelta(hours=1)) == []  # It ends after that moment, not at it.
    assert [row.id for row in store.due(now)] == [short.session_id]
    with store.changing(short.session_id) as change:
        change.keep(session=short.moved("expired"))
    assert store.due(now) == []
    assert [row.id for row in store.uncleared()] == [short.session_id]
    store.mark_cleared(short.session_id, now)
    assert store.uncleared() == []


def test_sessions_are_listed_the_newest_first(store: SessionStore) -> None:
    sessions = [opened(at=START + timedelta(minutes=minute)) for minute in range(3)]
    for session in sessions:
        store.create(session)
    newest = [session.session_id for session in reversed(sessions)]
    assert [row.id for row in store.list()] == newest
    assert [row.id for row in store.list(limit=1, offset=1)] == newest[1:2]


@pytest.mark.seed("B-062")
def test_the_migration_builds_the_tables_the_store_speaks_of(database: Database) -> None:
    from sqlalchemy import inspect

    from averment.store.schema.sessions_tables import MEMORY_DOCUMENTS, SESSIONS

    with database.read() as connection:
        there = inspect(connection)
        for table in (SESSIONS, MEMORY_DOCUMENTS):
            assert [column["name"] for column in there.get_columns(table.name)] == [c.name for c in table.columns]
            assert {index["name"] for index in there.get_indexes(table.name)} == {i.name for i in table.indexes}


def test_a_file_that_holds_the_same_already_is_not_written_again(tree: SessionTree) -> None:
    session = opened()
    assert tree.write_json(session.session_id, METADATA, session)
    assert not tree.write_json(session.session_id, METADATA, session)
    assert tree.write_json(session.session_id, METADATA, session.with_file())
    assert Session.model_validate(tree.read_json(session.session_id, METADATA)).file_count == 1


def test_an_upload_has_a_readable_name_for_the_same_bytes(tree: SessionTree) -> None:
    session_id, file_id = new_id(), new_id()
    stored = tree.write_upload(session_id, file_id, [b"a,b\n", b"1,2\n"], max_bytes=100)
    place = Path(tree.view(session_id, file_id, "Ümsätze März.csv"))
    assert place.name == "Umsatze_Marz.csv"
    assert place.read_bytes() == b"a,b\n1,2\n"
    assert stored.size == 8
    assert tree.view(session_id, file_id, "Ümsätze März.csv") == str(place)
    tree.delete(session_id)
    assert not place.exists()
    assert tree.sessions() == []


def test_an_upload_over_its_limit_leaves_nothing(tree: SessionTree) -> None:
    session_id, file_id = new_id(), new_id()
    with pytest.raises(FileTooLarge):
        tree.write_upload(session_id, file_id, [b"x" * 60, b"x" * 60], max_bytes=100)
    assert tree.names(session_id, "files") == []


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("sales.csv", "sales.csv"),
        ("../../etc/passwd.CSV", "passwd.csv"),
        ("日本.csv", "data.csv"),
        (".csv", "data.csv"),
        ("a" * 300 + ".csv", "a" * 60 + ".csv"),
        ("C:\\data\\my file (2).csv", "my_file_2.csv"),
    ],
)
def test_a_readable_name_is_safe(given: str, shown: str) -> None:
    assert readable_name(given) == shown
