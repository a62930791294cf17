"""The five task tools of the assistant contract, and undo; the only way in which anyone changes a task."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field

from averment.errors import InvalidRequest
from averment.records.chat import DUE, REPEAT, Priority, Task, TaskStatus, in_the_calendar
from averment.tools.public import Caller, PublicTool, ToolGroup
from averment.tools.tool import Annotations, Args, Output

if TYPE_CHECKING:
    from averment.store.chat.tasks import ActResult, KeptTask, TaskStore


_DUE = Field(default=None, pattern=rf"^(?:{DUE})$", description="A day, or a day and a time: 2026-05-01T09:00.")
_PRIORITY = Field(default=None, description="high, normal or low.")
_REPEAT = Field(
    default=None,
    pattern=rf"^(?:{REPEAT})$",
    description="daily, weekdays, weekly, 'weekly on monday', biweekly, monthly, yearly or 'every 3 days'.",
)


class AddTask(Args):
    """A new task."""

    title: str = Field(min_length=1, max_length=255, description="What is to be done.")
    description: str | None = Field(default=None, max_length=1000, description="More about it.")
    due: Annotated[str | None, AfterValidator(in_the_calendar)] = _DUE
    priority: Priority | None = _PRIORITY
    repeat: str | None = _REPEAT


class ListTasks(Args):
    """Which tasks to list."""

    status: TaskStatus | None = Field(default=None, description="Only tasks of this status.")
    priority: Priority | None = Field(default=None, description="Only tasks of this priority.")
    due_from: date | None = Field(default=None, description="Only tasks due on this day or later.")
    due_to: date | None = Field(default=None, description="Only tasks due on this day or earlier.")
    query: str | None = Field(default=None, max_length=255, description="Only tasks whose title or note holds this.")


class UpdateTask(Args):
    """A task and what to change in it."""

    task_id: int = Field(ge=1, description="The task's id, not its place in a list.")
    title: str | None = Field(default=None, min_length=1, max_length=255, description="The new title.")
    description: str | None = Field(default=None, max_length=1000, description="The new description.")
    due: Annotated[str | None, AfterValidator(in_the_calendar)] = _DUE
    priority: Priority | None = _PRIORITY
    repeat: str | None = _REPEAT
    clear: list[Literal["description", "due", "priority", "repeat"]] = Field(
        default_factory=list, description="Fields to take away."
    )


class OneTask(Args):
    """A task by its id."""

    task_id: int = Field(ge=1, description="The task's id, not its place in a list.")


class Undo(Args):
    """Which act to take back."""

    key: str = Field(min_length=1, description="The key of the act, as its result gave it.")


class TaskData(Output):
    """A task as it is."""

    id: int
    title: str
    description: str | None
    status: TaskStatus
    created_at: datetime
    completed_at: datetime | None
    due: str | None = None
    priority: Priority | None = None
    repeat: str | None = None
    version: int = Field(description="Counts the task's changes.")


class TaskResult(Output):
    """What an act did to one task; ``key`` takes it back."""

    success: bool = True
    data: TaskData
    key: str
    repeated: bool = Field(default=False, description="The act had been done before under the same key.")


class TaskList(Output):
    """Tasks in the order they were made."""

    success: bool = True
    data: list[TaskData]


class Undone(Output):
    """What taking an act back did."""

    success: bool = True
    data: list[TaskData]
    key: str


def task_tools(tasks: TaskStore) -> tuple[PublicTool[Any, Any], ...]:
    """The task tools over one store."""
    group = ToolGroup()
    acts = Annotations(read_only=False, idempotent=False, cost_seconds=0.1)
    sets = Annotations(read_only=False, cost_seconds=0.1)

    @group.offer("Add a task", acts)
    def add_task(args: AddTask, caller: Caller) -> TaskResult:
        """Add a task to the list."""
        task = Task(**args.model_dump())
        return _result(tasks.add([task], key=caller.key, user_id=caller.user_id))

    @group.offer("List tasks")
    def list_tasks(args: ListTasks, caller: Caller) -> TaskList:
        """List the tasks: all, or those of a status, a priority, a span of due days, or with some words."""
        found = tasks.list(args.status, user_id=caller.user_id)
        return TaskList(data=[_data(kept) for kept in found if _wanted(kept.task, args)])

    @group.offer("Change a task", sets)
    def update_task(args: UpdateTask, caller: Caller) -> TaskResult:
        """Give a task another title, description, due, priority or repeat."""
        named = args.model_dump(exclude={"task_id", "clear"}, exclude_none=True)
        given = {**dict.fromkeys(args.clear), **named}
        if not given:
            raise InvalidRequest("No change was given.", hint="Give a title, a due date or another field.")
        return _result(tasks.change(args.task_id, key=caller.key, user_id=caller.user_id, **given))

    @group.offer("Complete a task", sets)
    def complete_task(args: OneTask, caller: Caller) -> TaskResult:
        """Mark a task as done."""
        return _result(tasks.complete([args.task_id], key=caller.key, user_id=caller.user_id))

    @group.offer("Reopen a task", sets)
    def reopen_task(args: OneTask, caller: Caller) -> TaskResult:
        """Mark a completed task as still to be done."""
        return _result(tasks.reopen([args.task_id], key=caller.key, user_id=caller.user_id))

    def name_what_goes(args: OneTask, caller: Caller) -> str:
        return f"Delete the task '{tasks.get(args.task_id, user_id=caller.user_id).task.title}'?"

    @group.offer("Delete a task", replace(sets, destructive=True), confirm=name_what_goes)
    def delete_task(args: OneTask, caller: Caller) -> TaskResult:
        """Delete a task; asks for a yes first."""
        return _result(tasks.delete([args.task_id], key=caller.key, user_id=caller.user_id))

    @group.offer("Take an act back", acts)
    def undo(args: Undo, caller: Caller) -> Undone:
        """Take a change of tasks back, if nothing has changed them since."""
        acted = tasks.undo(args.key, key=caller.key, user_id=caller.user_id)
        return Undone(data=[_data(kept) for kept in acted.tasks], key=caller.key)

    return group.tools


def _wanted(task: Task, args: ListTasks) -> bool:
    day = None if task.due is None else date.fromisoformat(task.due[:10])
    if args.priority is not None and task.priority != args.priority:
        return False
    if (args.due_from or args.due_to) and day is None:
        return False
    if day is not None and ((args.due_from and day < args.due_from) or (args.due_to and day > args.due_to)):
        return False
    return args.query is None or args.query.casefold() in f"{task.title} {task.description or ''}".casefold()


def _result(acted: ActResult) -> TaskResult:
    return TaskResult(data=_data(acted.tasks[0]), key=acted.key, repeated=acted.repeated)


def _data(kept: KeptTask) -> TaskData:
    return TaskData.model_validate(kept.as_dict())
