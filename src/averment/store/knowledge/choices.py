"""Choices: which reading a person picked for a question, kept by the schema it was asked over."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from averment.records.base import iso_z, utc_now
from averment.store.db.database import Database
from averment.store.db.text import from_json, plain, to_json
from averment.store.schema.knowledge_tables import CHOICES


def question_key(question: str) -> str:
    """A question as it is remembered: letter case, blanks and marks at its end do not matter."""
    return " ".join(question.casefold().split()).rstrip(" ?.!")


class ChoiceStore:
    """The readings that were chosen; a later choice for the same question and schema replaces the earlier one."""

    def __init__(self, database: Database) -> None:
        self._link = database.link

    def save(self, schema_fingerprint: str, question: str, plan: dict[str, Any]) -> None:
        """Remember a chosen plan."""
        key = plain(question_key(question), "question")
        same = (CHOICES.c.schema_fingerprint == schema_fingerprint) & (CHOICES.c.question == key)
        with self._link.write() as connection:
            self._link.lock(connection, f"averment.choice.{schema_fingerprint}")
            connection.execute(CHOICES.delete().where(same))
            connection.execute(
                CHOICES.insert().values(
                    schema_fingerprint=schema_fingerprint,
                    question=key,
                    plan=to_json(plan),
                    created_at=iso_z(utc_now()),
                )
            )

    def find(self, schema_fingerprint: str, question: str) -> dict[str, Any] | None:
        """The plan that was chosen for this question over this schema, or None."""
        query = select(CHOICES.c.plan).where(
            (CHOICES.c.schema_fingerprint == schema_fingerprint)
            & (CHOICES.c.question == plain(question_key(question), "question"))
        )
        with self._link.read() as connection:
            row = connection.execute(query).first()
        return None if row is None else from_json(row[0])

    def forget(self, schema_fingerprint: str, question: str) -> bool:
        """Forget a choice; whether there was one."""
        key = plain(question_key(question), "question")
        same = (CHOICES.c.schema_fingerprint == schema_fingerprint) & (CHOICES.c.question == key)
        return bool(self._link.change(CHOICES.delete().where(same)))
