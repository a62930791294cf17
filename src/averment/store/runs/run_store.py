"""Runs: one row each, with the records and the events they leave.

Every change is one transaction. Writing the same thing twice changes nothing, so a step that is repeated after a crash
is safe; writing something else under the same key is refused.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias, get_args

from sqlalchemy import Connection, RowMapping, Select, Table, func, select, update

from averment.errors import InvalidRequest, RunNotFound, StoreConflict
from averment.records.analysis import ENDED, RUN_STATES, RunStatus
from averment.records.base import iso_z, utc_now
from averment.store.db.database import Database
from averment.store.db.events import events_after
from averment.store.db.text import damaged, from_json, from_row, is_plain, plain, same_json, to_json
from averment.store.runs.run_rows import Body, EventRow, RunKind, RunRow
from averment.store.schema.main_tables import RUN_EVENTS, RUN_RECORDS, RUNS

MIN_PREFIX = 4
"""Fewer characters of an id are not taken for a run."""

_CONTENT = frozenset({"reading", "plan", "answer", "error", "sealed"})

RunRows: TypeAlias = list[RunRow]
EventRows: TypeAlias = list[EventRow]
Bodies: TypeAlias = list[Body]
Counts: TypeAlias = dict[tuple[str, str], int]


class RunStore:
    """All runs of a home."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = database.insert

    def create(self, run: RunRow) -> None:
        """Keep a new run; the same run again changes nothing.

        Raises:
            StoreConflict: another run has that id.
        """
        values = {
            "run_id": plain(run.run_id, "run id"),
            "kind": run.kind,
            "status": run.status,
            "intent": plain(run.intent, "intent"),
            "request": to_json(run.request),
            "created_at": iso_z(run.created_at),
            "updated_at": iso_z(run.updated_at),
            "finished_at": None if run.finished_at is None else iso_z(run.finished_at),
            **{name: _optional_json(getattr(run, name)) for name in _CONTENT},
        }
        with self._database.write() as connection:
            if self._add(connection, RUNS, values):
                return
            there = _row(connection, run.run_id)
        if there["kind"] != run.kind or there["intent"] != run.intent or not same_json(there["request"], run.request):
            raise StoreConflict(f"Another run already has the id {run.run_id}.", hint="Give each run its own id.")

    def get(self, run_id: str) -> RunRow:
        """The run of that id, or of an id that begins so.

        Raises:
            RunNotFound: no run has it, or several begin with it.
        """
        wanted = run_id.strip()
        with self._database.read() as connection:
            exact = connection.execute(_by_id(wanted)).mappings().first() if is_plain(wanted) else None
            if exact is not None:
                return _run(exact)
            if len(wanted) < MIN_PREFIX or not all(
                (letter.isascii() and letter.isalnum()) or letter == "-" for letter in wanted
            ):
                raise RunNotFound(f"No run has the id {wanted[:80]!a}.")
            begins = RUNS.c.run_id.startswith(wanted.lower(), autoescape=True)
            found = connection.execute(select(RUNS).where(begins).order_by(RUNS.c.run_id).limit(4)).mappings().all()
        if len(found) == 1:
            return _run(found[0])
        if found:
            raise RunNotFound(
                f"Several runs have an id that begins with {wanted[:80]!a}.",
                hint="Give more of its characters.",
                details={"candidates": [row["run_id"] for row in found]},
            )
        raise RunNotFound(f"No run has the id {wanted[:80]!a}.")

    def counts(self) -> Counts:
        """How many runs there are of each kind and status."""
        query = select(RUNS.c.kind, RUNS.c.status, func.count()).group_by(RUNS.c.kind, RUNS.c.status)
        return {(kind, status): number for kind, status, number in self._database.tuples(query)}

    def list(
        self, limit: int = 50, kind: RunKind | None = None, status: RunStatus | None = None, offset: int = 0
    ) -> RunRows:
        """Runs, the newest first."""
        if limit < 0 or offset < 0:
            raise InvalidRequest("The limit and the offset of a list cannot be negative.")
        query = select(RUNS).order_by(RUNS.c.created_at.desc(), RUNS.c.run_id).limit(limit).offset(offset)
        if kind is not None:
            query = query.where(RUNS.c.kind == kind)
        if status is not None:
            query = query.where(RUNS.c.status == status)
        return [_run(row) for row in self._database.rows(query)]

    def set_status(
        self,
        run_id: str,
        status: RunStatus,
        *,
        expected: frozenset[RunStatus] | None = None,
        at: datetime | None = None,
    ) -> None:
        """Give the run a status, if it has one of the expected ones.

        Raises:
            StoreConflict: its status is none of the expected; nothing was changed.
            RunNotFound: there is no such run.
        """
        now = iso_z(at or utc_now())
        change = update(RUNS).where(RUNS.c.run_id == plain(run_id, "run id"))
        if expected is not None:
            change = change.where(RUNS.c.status.in_(sorted(expected)))
        change = change.values(status=status, updated_at=now, finished_at=now if status in ENDED else None)
        with self._database.write() as connection:
            if connection.execute(change).rowcount:
                return
            there = _row(connection, run_id)["status"]
        raise StoreConflict(
            f"The run {run_id} is {there} and cannot become {status}.",
            hint="Load the run again; another process changed it.",
            details={"status": there, "expected": sorted(expected or ())},
        )

    def update(self, run_id: str, *, at: datetime | None = None, **fields: Any) -> None:
        """Set the named contents of a run: reading, plan, answer, error, sealed; None clears one.

        Raises:
            RunNotFound: there is no such run.
        """
        unknown = sorted(set(fields) - _CONTENT)
        if unknown:
            raise InvalidRequest(f"A run has no content named {', '.join(unknown)}.")
        values = {name: _optional_json(value) for name, value in fields.items()}
        self._change(run_id, updated_at=iso_z(at or utc_now()), **values)

    def put(self, run_id: str, kind: str, key: str, body: Body, position: int | None = None) -> bool:
        """Keep a record under its kind and key, at a position or after the last; whether it is new.

        Raises:
            StoreConflict: that key holds something else.
            RunNotFound: there is no such run.
        """
        plain(kind, "kind")
        plain(key, "key")
        content = to_json(body)
        with self._database.write() as connection:
            _row(connection, run_id, lock=True)
            there = connection.execute(_record(run_id, kind, key)).scalar()
            if there is None:
                if position is None:
                    of_kind = (RUN_RECORDS.c.run_id == run_id) & (RUN_RECORDS.c.kind == kind)
                    last = connection.execute(select(func.max(RUN_RECORDS.c.position)).where(of_kind)).scalar()
                    position = 0 if last is None else int(last) + 1
                connection.execute(
                    RUN_RECORDS.insert().values(run_id=run_id, kind=kind, key=key, position=position, body=content)
                )
                return True
        if not same_json(there, body):
            raise StoreConflict(
                f"The run {run_id} already has a different {kind} under {key!r}.",
                hint="A stored record cannot be changed.",
            )
        return False

    def records(self, run_id: str, kind: str) -> Bodies:
        """The records of one kind, by position."""
        query = (
            select(RUN_RECORDS.c.body)
            .where(RUN_RECORDS.c.run_id == run_id, RUN_RECORDS.c.kind == kind)
            .order_by(RUN_RECORDS.c.position, RUN_RECORDS.c.key)
        )
        return [from_json(body) for body in self._database.scalars(query)]

    def record(self, run_id: str, kind: str, key: str) -> Body | None:
        """The record under that key, or None."""
        return from_json(self._database.value(_record(run_id, kind, plain(key, "key"))))

    def put_event(self, run_id: str, seq: int, event_type: str, body: Body, at: datetime) -> bool:
        """Keep an event under its number; whether it is new. A repeated event leaves the first one as it was.

        Raises:
            StoreConflict: that number holds an event of another type.
            RunNotFound: there is no such run.
        """
        values = {
            "run_id": run_id,
            "seq": seq,
            "event_type": plain(event_type, "event type"),
            "body": to_json(body),
            "at": iso_z(at),
        }
        with self._database.write() as connection:
            _row(connection, run_id)
            if self._add(connection, RUN_EVENTS, values):
                return True
            # Only the type is compared: a step repeated after a crash may tell other times in its body.
            query = select(RUN_EVENTS.c.event_type).where(RUN_EVENTS.c.run_id == run_id, RUN_EVENTS.c.seq == seq)
            there = connection.execute(query).scalar_one()
        if there != event_type:
            raise StoreConflict(f"Event {seq} of the run {run_id} is {there}, not {event_type}.")
        return False

    def events(self, run_id: str, after: int = 0, limit: int = 1000) -> EventRows:
        """The events whose number is over ``after``, in order."""
        its = RUN_EVENTS.c.run_id == run_id
        return [EventRow(**row) for row in events_after(self._database, RUN_EVENTS, its, after=after, limit=limit)]

    def last_event_seq(self, run_id: str) -> int:
        """The highest event number of a run; 0 when it has none."""
        query = select(func.max(RUN_EVENTS.c.seq)).where(RUN_EVENTS.c.run_id == run_id)
        return int(self._database.value(query) or 0)

    def request_cancel(self, run_id: str) -> None:
        """Ask the run to stop; its next step will see it.

        Raises:
            RunNotFound: there is no such run.
        """
        self._change(run_id, cancel_requested_at=iso_z(utc_now()))

    def clear_cancel(self, run_id: str) -> None:
        """Forget that the run was asked to stop, before it is resumed."""
        self._change(run_id, cancel_requested_at=None)

    def cancel_requested(self, run_id: str) -> bool:
        """Whether the run was asked to stop."""
        query = select(RUNS.c.cancel_requested_at).where(RUNS.c.run_id == run_id)
        return self._database.value(query) is not None

    def delete(self, run_id: str) -> bool:
        """Forget a run with its records and events; whether there was one. Its files and its ledger entries stay."""
        with self._database.write() as connection:
            gone = RUNS.delete().where(RUNS.c.run_id == plain(run_id, "run id")).returning(RUNS.c.run_id)
            return connection.execute(gone).first() is not None

    def _add(self, connection: Connection, table: Table, values: dict[str, Any]) -> bool:
        """Insert a row unless its key is taken; whether it was inserted."""
        adding = self._insert(table).values(values).on_conflict_do_nothing().returning(table.c.run_id)
        return connection.execute(adding).first() is not None

    def _change(self, run_id: str, **values: str | None) -> None:
        change = update(RUNS).where(RUNS.c.run_id == plain(run_id, "run id")).values(**values)
        with self._database.write() as connection:
            if not connection.execute(change).rowcount:
                raise RunNotFound(f"No run has the id {run_id[:80]!a}.")


def _by_id(run_id: str) -> Select[Any]:
    return select(RUNS).where(RUNS.c.run_id == run_id)


def _record(run_id: str, kind: str, key: str) -> Select[Any]:
    return select(RUN_RECORDS.c.body).where(
        RUN_RECORDS.c.run_id == run_id, RUN_RECORDS.c.kind == kind, RUN_RECORDS.c.key == key
    )


def _row(connection: Connection, run_id: str, *, lock: bool = False) -> RowMapping:
    query = _by_id(plain(run_id, "run id"))
    # Locking the run's row makes its writers take turns on Postgres; SQLite's already do, and it ignores this.
    row = connection.execute(query.with_for_update(key_share=True) if lock else query).mappings().first()
    if row is None:
        raise RunNotFound(f"No run has the id {run_id[:80]!a}.")
    return row


def _run(row: RowMapping) -> RunRow:
    finished = row["finished_at"]
    asked: Any = from_json(row["request"])
    try:
        ended = None if finished is None else datetime.fromisoformat(finished)
        times = "created_at updated_at"
        run = from_row(RunRow, row, texts=" ".join(_CONTENT), times=times, request=asked, finished_at=ended)
    except (ValueError, TypeError) as error:
        raise damaged(f"its time is not valid: {error}") from error
    known = run.kind in get_args(RunKind) and run.status in RUN_STATES.states
    if not known or not isinstance(asked, dict) or not isinstance(run.sealed, dict | None):
        raise damaged(f"the run {run.run_id} has an unknown format")
    return run


def _optional_json(value: Any) -> str | None:
    return None if value is None else to_json(value)
