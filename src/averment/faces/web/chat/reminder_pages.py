"""The notice of tasks whose time has come, on every page until it is dismissed."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from averment.faces.web.shell.page_access import Bench, Fields
from averment.faces.web.shell.pages import Pages, go, show, wants_part

router = Pages()

ReminderId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]


@router.get("/reminders")
def list_reminders(request: Request, workbench: Bench) -> Response:
    """What was not seen yet; a script puts it into the page that is open."""
    return show(request, "reminders.html", reminders=workbench.home.reminders.waiting())


@router.post("/reminders/{reminder_id}/seen")
def see(request: Request, workbench: Bench, reminder_id: ReminderId, fields: Fields) -> Response:
    """Dismiss a reminder; the task stays."""
    workbench.home.reminders.seen(reminder_id)
    return Response(status_code=204) if wants_part(request) else go(fields.get("next", "/tasks"))
