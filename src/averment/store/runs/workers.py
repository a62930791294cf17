"""The processes that carry runs out: each counts its beats here, and one whose count stands still is dead.

Only the count is compared, by the clock of whoever looks, so that hosts whose clocks differ do not bury each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import delete, insert, select, update

from averment.records.base import iso_z, utc_now
from averment.store.db.database import Database
from averment.store.schema.workers_tables import WORKERS

WorkerRole = Literal["alone", "worker"]


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerRow:
    """One living process, or one that died without leaving."""

    worker_id: str
    host: str
    role: WorkerRole
    concurrency: int
    beats: int
    running: int
    started_at: str


class WorkerStore:
    """Arrivals, beats and leavings of the processes that carry runs out."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def arrive(self, worker_id: str, *, host: str, role: WorkerRole, concurrency: int) -> None:
        """Say that a process is there; one that was there already begins to count anew."""
        with self._database.write() as connection:
            connection.execute(delete(WORKERS).where(WORKERS.c.worker_id == worker_id))
            connection.execute(
                insert(WORKERS).values(
                    worker_id=worker_id,
                    host=host,
                    role=role,
                    concurrency=concurrency,
                    beats=0,
                    running=0,
                    started_at=iso_z(utc_now()),
                )
            )

    def beat(self, worker_id: str, *, running: int) -> bool:
        """Count one beat; false when the process was given up and its runs are no longer its own."""
        with self._database.write() as connection:
            counted = connection.execute(
                update(WORKERS)
                .where(WORKERS.c.worker_id == worker_id)
                .values(beats=WORKERS.c.beats + 1, running=running)
            )
        return counted.rowcount == 1

    def leave(self, worker_id: str) -> None:
        """Take a process off the list: it left well, or its runs were taken over."""
        self._database.change(delete(WORKERS).where(WORKERS.c.worker_id == worker_id))

    def list(self) -> list[WorkerRow]:
        """Everyone on the list, the longest there first."""
        with self._database.read() as connection:
            rows = connection.execute(select(WORKERS).order_by(WORKERS.c.started_at, WORKERS.c.worker_id)).mappings()
            return [WorkerRow(**row) for row in rows]
