"""Reminders: which tasks have rung, who was told, and what is still to be sent.

A reminder is a row whose key is the task and the time at which it rang, so however many processes look at the clock,
and however often they are restarted, each time rings once. A message to a webhook is leased before it is sent: who
dies over it leaves it to the next, with the same id, by which the receiver knows it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import RowMapping, and_, or_, select, update

from averment.errors import TaskNotFound
from averment.records.base import iso_z
from averment.records.reminder import Reminder, moment_of
from averment.records.repeats import next_time
from averment.store.chat.tasks import LOCAL_USER
from averment.store.db.database import Database
from averment.store.schema.chat_tables import REMINDERS, TASKS

LEASE = timedelta(seconds=60)
MOST_TRIES = 12
MOST_ROUNDS = 400
"""How many times of a task that repeats are looked at: more than a year of days."""


class ReminderStore:
    """All reminders of a home."""

    def __init__(self, database: Database, *, day_begins: str) -> None:
        """``day_begins`` is when a task rings that has a day and no time."""
        self._database = database
        self._day_begins = day_begins

    def ring(self, now: datetime) -> list[Reminder]:
        """Ring every open task whose time has come and has not rung; returns those that rang now, by this call alone.

        Of a task that repeats, each of its times rings; of those that passed while nobody looked, the last one.
        """
        wall = now.astimezone().replace(tzinfo=None)
        query = (
            select(TASKS)
            .where(TASKS.c.status == "pending", TASKS.c.due.is_not(None))
            .where(TASKS.c.due <= wall.isoformat(timespec="minutes"))
            .order_by(TASKS.c.id)
        )
        with self._database.read() as connection:
            due = [(row, at) for row in connection.execute(query).mappings() if (at := self._came(row, wall))]
            known = select(REMINDERS.c.id).where(REMINDERS.c.id.in_([_id(int(row["id"]), at) for row, at in due]))
            there = set(connection.execute(known).scalars()) if due else set[str]()
        coming = [(row, at) for row, at in due if _id(int(row["id"]), at) not in there]
        if not coming:
            return []
        with self._database.write() as connection:
            rung: list[Reminder] = []
            for row, at in coming:
                values = _values(row, at, now)
                made = self._database.insert(REMINDERS).values(values).on_conflict_do_nothing(index_elements=["id"])
                if connection.execute(made.returning(REMINDERS.c.id)).first() is not None:
                    rung.append(_reminder({**values, "seen_at": None, "sent_at": None}))
            return rung

    def waiting(self, *, user_id: str = LOCAL_USER) -> Sequence[Reminder]:
        """What a user has not seen yet, the oldest first; of tasks that are done or gone, nothing."""
        query = (
            select(REMINDERS)
            .join(TASKS, and_(TASKS.c.id == REMINDERS.c.task_id, TASKS.c.status == "pending"))
            .where(REMINDERS.c.user_id == user_id, REMINDERS.c.seen_at.is_(None))
            .order_by(REMINDERS.c.rung_at, REMINDERS.c.id)
        )
        return [_reminder(row) for row in self._database.rows(query)]

    def seen(self, reminder_id: str, now: datetime, *, user_id: str = LOCAL_USER) -> None:
        """Note that a user has seen a reminder; once is enough.

        Raises:
            TaskNotFound: the user has no such reminder.
        """
        mine = (REMINDERS.c.id == reminder_id) & (REMINDERS.c.user_id == user_id)
        with self._database.write() as connection:
            if connection.execute(select(REMINDERS.c.id).where(mine)).first() is None:
                raise TaskNotFound("There is no such reminder.")
            unseen = update(REMINDERS).where(mine, REMINDERS.c.seen_at.is_(None))
            connection.execute(unseen.values(seen_at=iso_z(now)))

    def lease(self, now: datetime, *, limit: int = 20) -> Sequence[Reminder]:
        """Reminders that are to be sent, held for this caller for a minute; nobody else gets them meanwhile."""
        free = or_(REMINDERS.c.leased_until.is_(None), REMINDERS.c.leased_until < iso_z(now))
        unsent = and_(REMINDERS.c.sent_at.is_(None), REMINDERS.c.tries < MOST_TRIES, free)
        query = select(REMINDERS).where(unsent).order_by(REMINDERS.c.rung_at, REMINDERS.c.id).limit(limit)
        with self._database.write() as connection:
            held: list[Reminder] = []
            for row in connection.execute(query).mappings().all():
                mine = and_(REMINDERS.c.id == row["id"], unsent)
                until = iso_z(now + LEASE)
                taken = update(REMINDERS).where(mine).values(leased_until=until, tries=REMINDERS.c.tries + 1)
                if connection.execute(taken).rowcount == 1:
                    held.append(_reminder({**row, "tries": int(row["tries"]) + 1}))
            return held

    def sent(self, reminder_id: str, now: datetime) -> None:
        """Note that a reminder was taken at the other end."""
        self._database.change(update(REMINDERS).where(REMINDERS.c.id == reminder_id).values(sent_at=iso_z(now)))

    def try_later(self, reminder: Reminder, now: datetime) -> None:
        """Note that a reminder was not taken; it is tried again, each time later."""
        wait = timedelta(seconds=min(3_600, 10 * 2**reminder.tries))
        mine = update(REMINDERS).where(REMINDERS.c.id == reminder.id)
        self._database.change(mine.values(leased_until=iso_z(now + wait)))

    def _came(self, row: RowMapping, wall: datetime) -> str | None:
        """The time of a task that came last; None where it has not come, or lay before the task was made."""
        due, repeat = str(row["due"]), row["repeat"]
        made = datetime.fromisoformat(row["created_at"]).astimezone().replace(tzinfo=None, second=0, microsecond=0)
        if moment_of(due, self._day_begins, made) > wall:
            return None
        for _ in range(MOST_ROUNDS if repeat else 0):
            after = next_time(due, str(repeat), datetime.fromisoformat(due).date())
            if moment_of(after, self._day_begins, made) > wall:
                break
            due = after
        return due if moment_of(due, self._day_begins, made) >= made else None


def _id(task_id: int, at: str) -> str:
    return hashlib.sha256(f"averment reminder {task_id} {at}".encode()).hexdigest()[:32]


def _values(row: RowMapping, at: str, now: datetime) -> dict[str, Any]:
    return {
        "id": _id(int(row["id"]), at),
        "task_id": int(row["id"]),
        "user_id": str(row["user_id"]),
        "title": str(row["title"]),
        "at": at,
        "rung_at": iso_z(now),
        "tries": 0,
    }


def _reminder(row: Any) -> Reminder:
    fields = {name: row[name] for name in Reminder.model_fields}
    return Reminder.model_validate({**fields, "tries": int(row["tries"])})
