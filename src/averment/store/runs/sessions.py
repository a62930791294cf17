"""The index of the driller's sessions: where each stands and when its time is over.

The files of a session lie in its own tree (``session_tree``); this table is what every process agrees on. A change is
one transaction that holds the session's row, so two uploads or an upload and an expiry take turns.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from sqlalchemy import Connection, RowMapping, select

from averment.errors import InvalidRequest, SessionNotFound
from averment.records.base import iso_z
from averment.records.drilldown.session import Session
from averment.store.db.database import Database
from averment.store.db.text import from_json, to_json
from averment.store.schema.sessions_tables import SESSIONS

MIN_PREFIX = 4
"""Fewer characters of an id are not taken for a session."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionRow:
    """A session with what only the house knows of it: its connected sources, its runs, and how it ended."""

    session: Session
    sources: tuple[str, ...] = ()
    run_id: str | None = None
    asked: tuple[str, ...] = ()
    message: str | None = None
    finished_at: datetime | None = None

    @property
    def id(self) -> str:
        """The session's id."""
        return self.session.session_id

    @property
    def runs(self) -> tuple[str, ...]:
        """Every run that belongs to the session."""
        return (() if self.run_id is None else (self.run_id,)) + self.asked


Rows: TypeAlias = list[SessionRow]


class Change:
    """A session's row, held while it is looked at and changed."""

    def __init__(self, connection: Connection, row: SessionRow) -> None:
        self._connection = connection
        self.row = row

    def keep(self, **changes: Any) -> SessionRow:
        """Change these fields of the row, for good when the block ends well."""
        self.row = replace(self.row, **changes)
        change = SESSIONS.update().where(SESSIONS.c.session_id == self.row.id)
        self._connection.execute(change.values(**_values(self.row)))
        return self.row


class SessionStore:
    """All sessions of a home."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, session: Session) -> SessionRow:
        """Keep a new session."""
        row = SessionRow(session=session)
        self._database.change(SESSIONS.insert().values(session_id=row.id, **_values(row)))
        return row

    def get(self, session_id: str) -> SessionRow:
        """The session of that id.

        Raises:
            SessionNotFound: there is none.
        """
        with self._database.read() as connection:
            return _found(connection, session_id, lock=False)

    def find(self, begins: str) -> SessionRow:
        """The session of that id, or the only one whose id begins so.

        Raises:
            SessionNotFound: there is none, or there are several.
        """
        wanted = begins.strip().lower()
        if len(wanted) < MIN_PREFIX or not all(letter in "0123456789abcdef-" for letter in wanted):
            raise _not_found(begins)
        query = select(SESSIONS).where(SESSIONS.c.session_id.startswith(wanted, autoescape=True)).limit(2)
        found = self._database.rows(query)
        if len(found) != 1:
            raise _not_found(begins)
        return _row(found[0])

    def list(self, limit: int = 50, offset: int = 0) -> Rows:
        """Sessions, the newest first."""
        if limit < 0 or offset < 0:
            raise InvalidRequest("The limit and the offset of a list cannot be negative.")
        query = select(SESSIONS).order_by(SESSIONS.c.created_at.desc(), SESSIONS.c.session_id)
        return self._all(query.limit(limit).offset(offset))

    def running(self) -> Rows:
        """The sessions whose investigation has not been seen to end."""
        return self._all(select(SESSIONS).where(SESSIONS.c.status == "running").order_by(SESSIONS.c.created_at))

    def due(self, at: datetime) -> Rows:
        """The sessions whose time is over at that moment and that are not marked as expired yet."""
        over = (SESSIONS.c.status != "expired") & (SESSIONS.c.expires_at < iso_z(at))
        return self._all(select(SESSIONS).where(over).order_by(SESSIONS.c.expires_at))

    def uncleared(self) -> Rows:
        """The expired sessions of which something may be left."""
        left = (SESSIONS.c.status == "expired") & SESSIONS.c.cleared_at.is_(None)
        return self._all(select(SESSIONS).where(left).order_by(SESSIONS.c.expires_at))

    @contextmanager
    def changing(self, session_id: str) -> Generator[Change]:
        """Hold a session's row; what the block keeps is there for everyone when it ends, nothing when it raises.

        No other store may be written inside the block: on SQLite it would wait for this very transaction.

        Raises:
            SessionNotFound: there is no such session.
        """
        with self._database.write() as connection:
            yield Change(connection, _found(connection, session_id, lock=True))

    def mark_cleared(self, session_id: str, at: datetime) -> None:
        """Note that nothing is left of an expired session."""
        change = SESSIONS.update().where(SESSIONS.c.session_id == session_id)
        self._database.change(change.values(cleared_at=iso_z(at)))

    def delete(self, session_id: str) -> None:
        """Forget a session's row."""
        self._database.change(SESSIONS.delete().where(SESSIONS.c.session_id == session_id))

    def _all(self, query: Any) -> Rows:
        return [_row(found) for found in self._database.rows(query)]


def _found(connection: Connection, session_id: str, *, lock: bool) -> SessionRow:
    try:
        wanted = str(UUID(session_id))
    except ValueError:
        raise _not_found(session_id) from None
    query = select(SESSIONS).where(SESSIONS.c.session_id == wanted)
    found = connection.execute(query.with_for_update() if lock else query).mappings().first()
    if found is None:
        raise _not_found(session_id)
    return _row(found)


def _not_found(session_id: str) -> SessionNotFound:
    return SessionNotFound(f"No session has the id {session_id[:80]!a}.")


def _values(row: SessionRow) -> dict[str, Any]:
    session = row.session
    return {
        "status": session.status,
        "created_at": iso_z(session.created_at),
        "expires_at": iso_z(session.expires_at),
        "file_count": session.file_count,
        "report_ready": session.report_ready,
        "sources": to_json(list(row.sources)),
        "run_id": row.run_id,
        "asked": to_json(list(row.asked)),
        "message": row.message,
        "finished_at": None if row.finished_at is None else iso_z(row.finished_at),
    }


def _row(found: RowMapping) -> SessionRow:
    finished = found["finished_at"]
    session = Session.model_validate({name: found[name] for name in Session.model_fields})
    return SessionRow(
        session=session,
        sources=tuple(from_json(found["sources"])),
        run_id=found["run_id"],
        asked=tuple(from_json(found["asked"])),
        message=found["message"],
        finished_at=None if finished is None else datetime.fromisoformat(finished),
    )
