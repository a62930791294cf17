"""``/v1/reminders``: the tasks whose time has come, until they are seen."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from averment.faces.http.access import Bench, Routes
from averment.faces.http.documents import Document
from averment.faces.http.failures import json_response

router = Routes(tags=["tasks"])

ReminderId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The reminder's id.")]


class ReminderDocument(Document):
    """A task whose time has come; ``at`` is by the clock where the server is."""

    id: str
    task_id: int
    title: str
    at: str
    rung_at: str


class ReminderList(Document):
    """What was not seen yet, the oldest first."""

    reminders: list[ReminderDocument]


@router.looks("/v1/reminders", ReminderList)
def list_reminders(workbench: Bench) -> Response:
    """List the unseen reminders of open tasks."""
    fields = set(ReminderDocument.model_fields)
    return json_response(
        {"reminders": [one.model_dump(mode="json", include=fields) for one in workbench.home.reminders.waiting()]}
    )


@router.acts("post", "/v1/reminders/{reminder_id}/seen", None, 404, status_code=204)
def see_reminder(workbench: Bench, reminder_id: ReminderId) -> Response:
    """Mark a reminder as seen; the task does not change."""
    workbench.home.reminders.seen(reminder_id)
    return Response(status_code=204)
