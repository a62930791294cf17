"""A reminder: a task whose time has come, kept so that it is told once."""

from __future__ import annotations

from datetime import datetime

from averment.records.base import Record, UtcDatetime


class Reminder(Record):
    """One time at which a task rang. ``at`` is the wall clock's time where the home is, as the task has it."""

    id: str
    task_id: int
    user_id: str
    title: str
    at: str
    rung_at: UtcDatetime
    seen_at: UtcDatetime | None = None
    sent_at: UtcDatetime | None = None
    tries: int = 0

    def as_line(self) -> str:
        """The reminder in one line."""
        return f"Reminder: {self.title} (due {self.at.replace('T', ' ')})"


EVENING = "18:00"


def moment_of(due: str, day_begins: str, made: datetime) -> datetime:
    """The moment at which a task that is due then rings.

    One that has only a day rings at ``day_begins``, or in the evening where it was made on that day after it.
    """
    if "T" in due:
        return datetime.fromisoformat(due)
    morning = datetime.fromisoformat(f"{due}T{day_begins}")
    return morning if made <= morning or made.date() != morning.date() else datetime.fromisoformat(f"{due}T{EVENING}")
