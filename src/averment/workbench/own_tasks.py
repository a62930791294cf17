"""The tasks of one user: the store of a home with the user's name in every call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.records.chat import Task, TaskStatus
    from averment.store.chat.tasks import ActResult, KeptTask, TaskStore


class OwnTasks:
    """What a user's page does with tasks; none of anyone else's is reached through it."""

    def __init__(self, tasks: TaskStore, user_id: str) -> None:
        self._tasks = tasks
        self._user_id = user_id

    def list(self, status: TaskStatus | None = None) -> list[KeptTask]:
        """The user's tasks in the order they were made."""
        return self._tasks.list(status, user_id=self._user_id)

    def add(self, tasks: Sequence[Task], *, key: str) -> ActResult:
        """Keep new tasks."""
        return self._tasks.add(tasks, key=self._key(key), user_id=self._user_id)

    def complete(self, task_ids: Sequence[int], *, key: str) -> ActResult:
        """Mark tasks as done."""
        return self._tasks.complete(task_ids, key=self._key(key), user_id=self._user_id)

    def delete(self, task_ids: Sequence[int], *, key: str) -> ActResult:
        """Forget tasks."""
        return self._tasks.delete(task_ids, key=self._key(key), user_id=self._user_id)

    def undo(self, undone_key: str, *, key: str) -> ActResult:
        """Take an act back."""
        return self._tasks.undo(undone_key, key=self._key(key), user_id=self._user_id)

    def last_act(self, *, prefix: str) -> str | None:
        """The key of the newest act that can be taken back, among those whose key begins so."""
        return self._tasks.last_act(prefix=self._key(prefix), user_id=self._user_id)

    def _key(self, key: str) -> str:
        # Two users may send the same key; each acts under their own.
        return f"{self._user_id}/{key}"
