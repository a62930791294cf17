"""Memory documents and their passages, on each kind of database."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from sqlalchemy import text

from averment.records.base import new_id
from averment.records.drilldown.results import MemoryDocument
from averment.records.drilldown.session import Session
from averment.store.db.database import Database
from averment.store.runs.sessions import SessionStore
from averment.store.search.memory import MemoryPassage, MemoryStore
from averment.store.search.nearest import Vector

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def session_id(database: Database) -> str:
    return SessionStore(database).create(Session.opened(timeout_hours=24, at=START)).id


@pytest.fixture
def store(database: Database) -> MemoryStore:
    return MemoryStore(database)


def row(*numbers: float) -> Vector:
    return np.array(numbers, dtype=np.float32)


def passage(number: int, words: str) -> MemoryPassage:
    return MemoryPassage(number=number, text=words, section="findings/1", artifact="analysis/iterations/iter_001.json")


def keep(store: MemoryStore, session_id: str, words: str = "north") -> MemoryDocument:
    document = MemoryDocument(session_id=session_id, content=words, embedding=(0.6, 0.8), created_at=START)
    passages = [passage(1, f"{words} fell"), passage(2, f"{words} rose"), passage(3, "!")]
    store.put(document, embedder="e1", passages=passages, vectors=[row(1, 0), row(0, 1), row(0, 0)])
    return document


def test_a_document_is_kept_with_its_vector_and_its_embedder(store: MemoryStore, session_id: str) -> None:
    document = keep(store, session_id)
    found = store.get(session_id)
    assert found is not None
    kept, embedder = found
    assert embedder == "e1"
    assert kept.changed(embedding=document.embedding) == document
    assert kept.embedding == pytest.approx(document.embedding, abs=1e-6)


def test_the_nearest_passages_come_first_and_wordless_ones_never(store: MemoryStore, session_id: str) -> None:
    keep(store, session_id)
    found = store.search(session_id, row(0.1, 1), 9)
    assert [one for one, _ in found] == [passage(2, "north rose"), passage(1, "north fell")]
    assert found[0][1] > found[1][1]
    assert store.search(session_id, row(0, 0), 9) == []


def test_a_new_document_takes_the_place_of_the_old_one(store: MemoryStore, session_id: str) -> None:
    keep(store, session_id, "north")
    keep(store, session_id, "south")
    found = store.get(session_id)
    assert found is not None and found[0].content == "south"
    assert {one.text for one, _ in store.search(session_id, row(1, 1), 9)} == {"south fell", "south rose"}


def test_a_deleted_memory_is_gone_with_its_passages(store: MemoryStore, session_id: str, database: Database) -> None:
    keep(store, session_id)
    store.delete(session_id)
    assert store.get(session_id) is None
    assert store.search(session_id, row(1, 0), 9) == []
    with database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM vectors")).scalar() == 0


def test_memories_do_not_see_each_other(store: MemoryStore, session_id: str, database: Database) -> None:
    other = SessionStore(database).create(Session.opened(timeout_hours=24, at=START)).id
    keep(store, session_id, "north")
    keep(store, other, "south")
    store.delete(session_id)
    assert len(store.search(other, row(1, 0), 9)) == 2
    assert store.get(new_id()) is None


def test_a_document_goes_with_its_session(store: MemoryStore, session_id: str, database: Database) -> None:
    keep(store, session_id)
    SessionStore(database).delete(session_id)
    assert store.get(session_id) is None
