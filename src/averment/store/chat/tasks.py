"""Tasks: each change happens once under its key, is kept with its before and after, and can be undone.

A key names one act: the same key again gives the recorded result and changes nothing, so that a retry, a double click
or a crash between the act and its reply adds nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from averment.errors import InvalidRequest, StoreConflict, TaskNotFound
from averment.records.base import iso_z, utc_now
from averment.records.chat import Task, TaskStatus
from averment.records.repeats import next_time
from averment.store.db.database import Database
from averment.store.db.text import from_json, plain, same_json, to_json
from averment.store.schema.chat_tables import TASK_CALLS, TASK_CHANGES, TASKS

LOCAL_USER = "local"
"""Whose tasks they are where nobody signs in."""


@dataclass(frozen=True, slots=True)
class KeptTask:
    """A task with the number of its changes."""

    task: Task
    version: int

    def as_dict(self) -> dict[str, Any]:
        """The task's fields and its version, as plain values."""
        return {**self.task.model_dump(mode="json"), "version": self.version}


@dataclass(frozen=True, slots=True)
class ActResult:
    """What an act did: its tasks as they are now, and whether it had been done before under the same key."""

    key: str
    tool_name: str
    tasks: tuple[KeptTask, ...]
    repeated: bool = False


_FIELDS = {"title", "description", "due", "priority", "repeat"}
KeptTasks: TypeAlias = list[KeptTask]
_State: TypeAlias = dict[str, Any] | None
_Change: TypeAlias = tuple[int, _State, _State]


class TaskStore:
    """All tasks of a home."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, status: TaskStatus | None = None, *, user_id: str = LOCAL_USER) -> KeptTasks:
        """A user's tasks in the order they were made."""
        query = select(TASKS).where(TASKS.c.user_id == user_id).order_by(TASKS.c.id)
        if status is not None:
            query = query.where(TASKS.c.status == status)
        return [_kept(row) for row in self._database.rows(query)]

    def get(self, task_id: int, *, user_id: str = LOCAL_USER) -> KeptTask:
        """One task.

        Raises:
            TaskNotFound: the user has no such task.
        """
        with self._database.read() as connection:
            return _kept(_row(connection, task_id, user_id))

    def add(self, tasks: Sequence[Task], *, key: str, user_id: str = LOCAL_USER) -> ActResult:
        """Keep new tasks."""
        parameters = {"tasks": [_given(task.model_dump(include=_FIELDS)) for task in tasks]}

        def change(connection: Connection) -> list[_Change]:
            done: list[_Change] = []
            for task in tasks:
                values = _values(task, user_id, version=1)
                made = connection.execute(insert(TASKS).values(values).returning(TASKS.c.id)).scalar_one()
                done.append((int(made), None, _state(connection, int(made))))
            return done

        return self._act("add_task", parameters, change, key=key, user_id=user_id)

    def change(self, task_id: int, *, key: str, user_id: str = LOCAL_USER, **fields: Any) -> ActResult:
        """Give a task another title, description, due, priority or repeat; what is not named stays as it is.

        None takes a field away; a title cannot be.

        Raises:
            TaskNotFound: the user has no such task.
        """
        parameters = {"task_id": task_id, "title": None, "description": None, **fields}
        change = _each([task_id], user_id, lambda task: task.changed(**fields))
        return self._act("update_task", parameters, change, key=key, user_id=user_id)

    def complete(self, task_ids: Sequence[int], *, key: str, user_id: str = LOCAL_USER) -> ActResult:
        """Mark tasks as done; those that are done already stay as they are, of those that repeat the next is added.

        Raises:
            TaskNotFound: the user has not all of them; none was changed.
        """
        now = utc_now()
        each = _each(task_ids, user_id, lambda task: task.completed(now))

        def change(connection: Connection) -> list[_Change]:
            done = each(connection)
            for _, before, after in list(done):
                if before is None or after is None or before["status"] == "completed" or not after["repeat"]:
                    continue
                coming = next_time(after["due"], after["repeat"], now.astimezone().date())
                again = {**after, "status": "pending", "completed_at": None, "due": coming, "version": 1}
                values = {**again, "created_at": iso_z(now)}
                del values["id"]
                made = int(connection.execute(insert(TASKS).values(values).returning(TASKS.c.id)).scalar_one())
                done.append((made, None, _state(connection, made)))
            return done

        return self._act("complete_task", {"task_ids": list(task_ids)}, change, key=key, user_id=user_id)

    def reopen(self, task_ids: Sequence[int], *, key: str, user_id: str = LOCAL_USER) -> ActResult:
        """Mark tasks as still to be done.

        Raises:
            TaskNotFound: the user has not all of them; none was changed.
        """
        change = _each(task_ids, user_id, lambda task: task.reopened())
        return self._act("reopen_task", {"task_ids": list(task_ids)}, change, key=key, user_id=user_id)

    def delete(self, task_ids: Sequence[int], *, key: str, user_id: str = LOCAL_USER) -> ActResult:
        """Forget tasks.

        Raises:
            TaskNotFound: the user has not all of them; none was deleted.
        """

        def change(connection: Connection) -> list[_Change]:
            rows = [_row(connection, task_id, user_id, lock=True) for task_id in dict.fromkeys(task_ids)]
            for row in rows:
                connection.execute(delete(TASKS).where(TASKS.c.id == row["id"]))
            return [(int(row["id"]), dict(row), None) for row in rows]

        return self._act("delete_task", {"task_ids": list(task_ids)}, change, key=key, user_id=user_id)

    def undo(self, undone_key: str, *, key: str, user_id: str = LOCAL_USER) -> ActResult:
        """Take an act back, if nothing has changed its tasks since.

        Raises:
            InvalidRequest: there is no such act, or it was taken back already.
            StoreConflict: a task was changed since; nothing was taken back.
        """

        def change(connection: Connection) -> list[_Change]:
            call = connection.execute(_call(undone_key, user_id)).mappings().first()
            if call is None or call["undone_by"] is not None:
                raise InvalidRequest("There is nothing to undo.", hint="An action can be undone once.")
            of_call = select(TASK_CHANGES).where(TASK_CHANGES.c.call_key == undone_key)
            changes = connection.execute(of_call.order_by(TASK_CHANGES.c.position.desc())).mappings().all()
            done = [_take_back(connection, row) for row in changes]
            connection.execute(update(TASK_CALLS).where(TASK_CALLS.c.key == undone_key).values(undone_by=key))
            return done

        return self._act("undo", {"key": undone_key}, change, key=key, user_id=user_id)

    def last_act(self, *, prefix: str, user_id: str = LOCAL_USER) -> str | None:
        """The key of the newest act that can be taken back, among those whose key begins so."""
        query = (
            select(TASK_CALLS.c.key)
            .where(TASK_CALLS.c.user_id == user_id, TASK_CALLS.c.undone_by.is_(None), TASK_CALLS.c.tool_name != "undo")
            .where(TASK_CALLS.c.key.startswith(prefix, autoescape=True))
            .order_by(TASK_CALLS.c.invoked_at.desc(), TASK_CALLS.c.key.desc())
            .limit(1)
        )
        return self._database.value(query)

    def _act(
        self,
        tool_name: str,
        parameters: dict[str, Any],
        change: Callable[[Connection], list[_Change]],
        *,
        key: str,
        user_id: str,
    ) -> ActResult:
        plain(key, "key")
        with self._database.write() as connection:
            self._database.link.lock(connection, f"averment.tasks.{user_id}")
            there = connection.execute(_call(key, user_id)).mappings().first()
            if there is not None:
                if there["tool_name"] != tool_name or not same_json(there["parameters"], parameters):
                    raise StoreConflict("Another action has that key.", hint="Give every action its own key.")
                kept = tuple(_kept(state) for state in from_json(there["result"]))
                return ActResult(key=key, tool_name=tool_name, tasks=kept, repeated=True)
            changes = change(connection)
            states = [after if after is not None else before for _, before, after in changes]
            now = iso_z(utc_now())
            connection.execute(
                insert(TASK_CALLS).values(
                    key=key,
                    user_id=user_id,
                    tool_name=tool_name,
                    parameters=to_json(parameters),
                    result=to_json(states),
                    invoked_at=now,
                )
            )
            for position, (task_id, before, after) in enumerate(changes):
                values = {"call_key": key, "position": position, "task_id": task_id}
                texts = {"before": _text(before), "after": _text(after)}
                connection.execute(insert(TASK_CHANGES).values({**values, **texts}))
        return ActResult(
            key=key, tool_name=tool_name, tasks=tuple(_kept(state) for state in states if state is not None)
        )


def _each(
    task_ids: Sequence[int], user_id: str, apply: Callable[[Task], Task]
) -> Callable[[Connection], list[_Change]]:
    def change(connection: Connection) -> list[_Change]:
        rows = [_row(connection, task_id, user_id, lock=True) for task_id in dict.fromkeys(task_ids)]
        done: list[_Change] = []
        for row in rows:
            kept = _kept(row)
            after = apply(kept.task)
            if after != kept.task:
                values = _values(after, user_id, version=kept.version + 1)
                connection.execute(update(TASKS).where(TASKS.c.id == row["id"]).values(values))
            done.append((int(row["id"]), dict(row), _state(connection, int(row["id"]))))
        return done

    return change


def _take_back(connection: Connection, row: RowMapping) -> _Change:
    task_id, before, after = int(row["task_id"]), from_json(row["before"]), from_json(row["after"])
    now = _state(connection, task_id)
    if now != after:
        raise StoreConflict(
            "A task has changed since, so the action cannot be undone.",
            hint="Change the task directly.",
            details={"task_id": task_id},
        )
    if before is None:
        connection.execute(delete(TASKS).where(TASKS.c.id == task_id))
        return task_id, now, None
    values = {**before, "version": int((after or before)["version"]) + 1}
    if after is None:
        connection.execute(insert(TASKS).values(values))
    else:
        connection.execute(update(TASKS).where(TASKS.c.id == task_id).values(values))
    return task_id, now, _state(connection, task_id)


def _state(connection: Connection, task_id: int) -> _State:
    row = connection.execute(select(TASKS).where(TASKS.c.id == task_id)).mappings().first()
    return None if row is None else dict(row)


def _row(connection: Connection, task_id: int, user_id: str, *, lock: bool = False) -> RowMapping:
    query = select(TASKS).where(TASKS.c.id == task_id, TASKS.c.user_id == user_id)
    row = connection.execute(query.with_for_update() if lock else query).mappings().first()
    if row is None:
        raise TaskNotFound(f"There is no task {task_id}.")
    return row


def _call(key: str, user_id: str) -> Any:
    return select(TASK_CALLS).where(TASK_CALLS.c.key == key, TASK_CALLS.c.user_id == user_id)


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    """An act's parameters as they are kept: what the contract names always, the rest where it was given."""
    return {name: value for name, value in fields.items() if value is not None or name in {"title", "description"}}


def _values(task: Task, user_id: str, *, version: int) -> dict[str, Any]:
    return {
        "user_id": user_id,
        "title": plain(task.title, "title"),
        "description": None if task.description is None else plain(task.description, "description"),
        "status": task.status,
        "created_at": iso_z(task.created_at),
        "completed_at": None if task.completed_at is None else iso_z(task.completed_at),
        "due": task.due,
        "priority": task.priority,
        "repeat": task.repeat,
        "version": version,
    }


def _kept(row: RowMapping | dict[str, Any]) -> KeptTask:
    done = row["completed_at"]
    task = Task(
        id=row["id"],
        title=row["title"],
        description=row["description"],
        status=row["status"],
        created_at=datetime.fromisoformat(row["created_at"]),
        completed_at=None if done is None else datetime.fromisoformat(done),
        # An act that was kept before there were such fields has none.
        due=row.get("due"),
        priority=row.get("priority"),
        repeat=row.get("repeat"),
    )
    return KeptTask(task=task, version=row["version"])


def _text(state: _State) -> str | None:
    return None if state is None else to_json(state)
