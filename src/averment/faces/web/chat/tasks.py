"""The tasks of this home: see, add, finish, delete, and take the last change back."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from averment.errors import InvalidRequest
from averment.faces.web.shell.page_access import Bench, Fields, Find
from averment.faces.web.shell.pages import Pages, go, show
from averment.records.base import new_id
from averment.records.chat import Task, TaskStatus

router = Pages()

MAX_TITLE = 255
PAGE = "page/"
"""What the keys of the acts done here begin with."""
TaskId = Annotated[int, Path(ge=1, le=2_147_483_647)]
STATES: dict[str, TaskStatus | None] = {"": None, "pending": "pending", "completed": "completed"}


@router.get("/tasks")
def list_tasks(
    request: Request,
    workbench: Bench,
    status: Annotated[str, Query(max_length=20)] = "",
    find: Find = "",
) -> Response:
    """All tasks, or those of one status or with some words in them."""
    store, words = workbench.home.tasks, find.casefold().split()
    tasks = [kept.task for kept in store.list(STATES.get(status))]
    fitting = [
        task for task in tasks if all(word in f"{task.title} {task.description or ''}".casefold() for word in words)
    ]
    can_undo = store.last_act(prefix=PAGE) is not None
    return show(request, "tasks.html", tasks=fitting, wanted=status, find=find, key=new_id(), can_undo=can_undo)


@router.post("/tasks")
def add_task(workbench: Bench, fields: Fields) -> Response:
    """Keep a new task; the same form sent twice adds one."""
    title = fields.get("title", "").strip()
    if not title or len(title) > MAX_TITLE:
        raise InvalidRequest(f"A task has a title of 1 to {MAX_TITLE} characters.")
    workbench.home.tasks.add([Task(title=title)], key=_key(fields))
    return go("/tasks")


@router.post("/tasks/{task_id}/complete")
def complete_task(workbench: Bench, task_id: TaskId, fields: Fields) -> Response:
    """Mark a task as done."""
    workbench.home.tasks.complete([task_id], key=_key(fields, f"complete/{task_id}/"))
    return go("/tasks")


@router.post("/tasks/{task_id}/delete")
def delete_task(workbench: Bench, task_id: TaskId, fields: Fields) -> Response:
    """Delete a task; it can be taken back."""
    workbench.home.tasks.delete([task_id], key=_key(fields, f"delete/{task_id}/"))
    return go("/tasks")


@router.post("/tasks/undo")
def undo(workbench: Bench, fields: Fields) -> Response:
    """Take back the last change made on this page."""
    store = workbench.home.tasks
    last = store.last_act(prefix=PAGE)
    if last is None:
        raise InvalidRequest("There is nothing to take back.")
    store.undo(last, key=_key(fields, "undo/"))
    return go("/tasks")


def _key(fields: dict[str, str], act: str = "") -> str:
    """The key of an act: a form's own, so that sending it twice does it once."""
    given = fields.get("key", "")
    is_plain = given.isascii() and 0 < len(given) <= 64 and given.isprintable()
    return f"{PAGE}{act}{given if is_plain else new_id()}"
