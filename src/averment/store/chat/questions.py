"""Questions the assistant waits for an answer to: one single-use row each, whoever answers it and by which door.

An answer is taken by one update that finds the row open; a second answer, a late one, one for another conversation or
one for a question that was never asked finds nothing and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, select, update

from averment.errors import QuestionClosed
from averment.records.base import iso_z, utc_now
from averment.store.db.database import Database
from averment.store.db.text import from_row, plain, to_json
from averment.store.schema.chat_tables import PENDING_QUESTIONS

OPEN_MINUTES = 30
"""How long a question waits; what the user saw is old after that."""


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question and, once there is one, its answer. ``body`` holds what will be done on which answer."""

    question_id: str
    conversation_id: str
    kind: str
    body: dict[str, Any]
    asked_at: datetime
    expires_at: datetime
    answered_by: str | None = None
    answer: Any = None


class QuestionStore:
    """All questions of a home."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask(
        self, question_id: str, conversation_id: str, kind: str, body: dict[str, Any], *, now: datetime | None = None
    ) -> PendingQuestion:
        """Keep a question; those that were open in its conversation are closed, the same one again stays as it is."""
        at = now or utc_now()
        with self._database.write() as connection:
            self._database.link.lock(connection, f"averment.questions.{conversation_id}")
            there = _row(connection, question_id)
            if there is None:
                of_conversation = PENDING_QUESTIONS.c.conversation_id == conversation_id
                still_open = of_conversation & PENDING_QUESTIONS.c.answered_at.is_(None)
                closing = update(PENDING_QUESTIONS).where(still_open)
                connection.execute(closing.values(answered_at=iso_z(at), answered_by="replaced"))
                connection.execute(
                    insert(PENDING_QUESTIONS).values(
                        question_id=plain(question_id, "question id"),
                        conversation_id=conversation_id,
                        kind=plain(kind, "kind"),
                        body=to_json(body),
                        asked_at=iso_z(at),
                        expires_at=iso_z(at + timedelta(minutes=OPEN_MINUTES)),
                    )
                )
                there = _row(connection, question_id)
        assert there is not None  # It was there, or has just been written in the same transaction.
        return _question(there)

    def pending_question(self, conversation_id: str, *, now: datetime | None = None) -> PendingQuestion | None:
        """The question that waits in a conversation, or None."""
        query = select(PENDING_QUESTIONS).where(
            PENDING_QUESTIONS.c.conversation_id == conversation_id,
            PENDING_QUESTIONS.c.answered_at.is_(None),
            PENDING_QUESTIONS.c.expires_at > iso_z(now or utc_now()),
        )
        row = self._database.first(query)
        return None if row is None else _question(row)

    def answered_by(self, conversation_id: str, by: str) -> PendingQuestion | None:
        """The question of a conversation that this answerer has answered, or None."""
        query = select(PENDING_QUESTIONS).where(
            PENDING_QUESTIONS.c.conversation_id == conversation_id, PENDING_QUESTIONS.c.answered_by == by
        )
        row = self._database.first(query)
        return None if row is None else _question(row)

    def get(self, question_id: str) -> PendingQuestion | None:
        """A question, open or not; None when it was never asked."""
        with self._database.read() as connection:
            row = _row(connection, question_id)
        return None if row is None else _question(row)

    def answer(
        self, question_id: str, conversation_id: str, answer: Any, *, by: str, now: datetime | None = None
    ) -> PendingQuestion:
        """Take the one answer a question gets; the same answerer again finds what it answered.

        Raises:
            QuestionClosed: no such question is open in that conversation; nothing was changed.
        """
        at = iso_z(now or utc_now())
        with self._database.write() as connection:
            self._database.link.lock(connection, f"averment.questions.{conversation_id}")
            row = _row(connection, question_id)
            if row is None or row["conversation_id"] != conversation_id:
                raise QuestionClosed("This conversation has no such question.")
            if row["answered_by"] == by:
                return _question(row)
            if row["answered_at"] is not None or row["expires_at"] <= at:
                raise QuestionClosed("That question is no longer open.")
            change = update(PENDING_QUESTIONS).where(PENDING_QUESTIONS.c.question_id == question_id)
            connection.execute(change.values(answered_at=at, answered_by=by, answer=to_json(answer)))
            kept = _row(connection, question_id)
        assert kept is not None  # It was there in the same transaction.
        return _question(kept)


def _row(connection: Connection, question_id: str) -> RowMapping | None:
    query = select(PENDING_QUESTIONS).where(PENDING_QUESTIONS.c.question_id == question_id)
    return connection.execute(query).mappings().first()


def _question(row: RowMapping) -> PendingQuestion:
    return from_row(PendingQuestion, row, texts="body answer", times="asked_at expires_at")
