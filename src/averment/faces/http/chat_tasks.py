"""``/v1/tasks``: the task list for programs, changed through the same public tools as by everyone else.

A request that names its row is the user's own explicit act, so it is its own confirmation; ``undo`` takes it back.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Path, Query
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from averment import errors as known
from averment.errors import AvermentError, InvalidRequest
from averment.faces.http.access import Bench, Routes
from averment.faces.http.chat_documents import Asked, Id
from averment.faces.http.failures import json_response
from averment.records.base import new_id
from averment.records.chat import TaskStatus
from averment.tools.task_tools import AddTask, TaskList, TaskResult, Undone
from averment.workbench import Workbench

router = Routes(tags=["tasks"])

TaskId = Annotated[int, Path(ge=1, le=2_147_483_647, description="The task's id.")]
Key = Annotated[
    Id | SkipJsonSchema[None],
    Header(alias="Idempotency-Key", description="Sending the same key again has no further effect."),
]
Wanted = Annotated[TaskStatus | SkipJsonSchema[None], Query(description="Only tasks with this status.")]
_BY_CODE: dict[str, type[AvermentError]] = {
    kind.code: kind
    for kind in (getattr(known, name) for name in known.__all__)
    if isinstance(kind, type) and issubclass(kind, AvermentError)
}


class TaskChange(Asked):
    """What to change in a task; completed cannot be taken back here, but by undo."""

    title: str | None = Field(default=None, min_length=1, max_length=255)
    description: str | None = Field(default=None, max_length=1000)
    completed: bool = Field(default=False, description="true marks it as done.")

    @model_validator(mode="after")
    def _changes_something(self) -> TaskChange:
        if self.title is None and self.description is None and not self.completed:
            raise ValueError("give a title, a description, or completed")
        return self


@router.looks("/v1/tasks", TaskList)
def list_tasks(workbench: Bench, status: Wanted = None) -> Response:
    """List the tasks in the order of creation."""
    return json_response(_call(workbench, "list_tasks", {"status": status} if status else {}, new_id()))


@router.acts("post", "/v1/tasks", TaskResult, 400, 409, status_code=201)
def add_task(workbench: Bench, task: AddTask, key: Key = None) -> Response:
    """Add a task."""
    return json_response(_call(workbench, "add_task", task.model_dump(exclude_none=True), key), 201)


@router.acts("patch", "/v1/tasks/{task_id}", TaskResult, 400, 404, 409)
def change_task(workbench: Bench, task_id: TaskId, change: TaskChange, key: Key = None) -> Response:
    """Change a task's title or description, or mark it as done."""
    act = key or new_id()
    result: dict[str, Any] = {}
    new = change.model_dump(include={"title", "description"}, exclude_none=True)
    if new:
        result = _call(workbench, "update_task", {"task_id": task_id, **new}, f"{act}/update")
    if change.completed:
        result = _call(workbench, "complete_task", {"task_id": task_id}, f"{act}/complete")
    return json_response(result)


@router.acts("delete", "/v1/tasks/{task_id}", TaskResult, 404, 409)
def delete_task(workbench: Bench, task_id: TaskId, key: Key = None) -> Response:
    """Delete a task; the returned key undoes it."""
    return json_response(_call(workbench, "delete_task", {"task_id": task_id}, key))


class UndoRequest(Asked):
    """Which act to take back."""

    key: str = Field(min_length=1, max_length=512, description="The key that the action returned.")


@router.acts("post", "/v1/tasks/undo", Undone, 400, 404, 409)
def undo_task(workbench: Bench, asked: UndoRequest, key: Key = None) -> Response:
    """Undo a change of tasks if they have not changed since."""
    return json_response(_call(workbench, "undo", {"key": asked.key}, key))


def _call(workbench: Workbench, tool: str, parameters: dict[str, Any], key: str | None) -> dict[str, Any]:
    outcome = workbench.assistant.call(tool, parameters, key=key or new_id())
    if outcome.result is not None:
        return outcome.result
    code, _, reason = str(outcome.error).partition(": ")
    kind = _BY_CODE.get(code)
    raise InvalidRequest("The tool does not take that.") if kind is None else kind(reason)
