"""The ledger: its entries, the newest first, and the check of all of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from averment.errors import RunNotFound
from averment.faces.web.access import Bench, Fields
from averment.faces.web.pages import PageRoute, show
from averment.ledger.entry import EVENT_TYPES
from averment.workbench import Workbench

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SHOWN = 40
AT_ONCE = 1_000


@router.get("/ledger")
def list_entries(
    request: Request,
    workbench: Bench,
    run: Annotated[str, Query(max_length=64)] = "",
    event: Annotated[str, Query(max_length=40)] = "",
    before: Annotated[int | None, Query(ge=1, le=2_147_483_647)] = None,
) -> Response:
    """Entries of all runs or of one, of every kind or of one."""
    kind = event if event in EVENT_TYPES else ""
    entries, size = _some(workbench, _run_id(workbench, run), kind, before)
    written = [(entry, json.dumps(entry.event_data, indent=2, ensure_ascii=False)) for entry in entries]
    return show(
        request,
        "ledger.html",
        entries=written,
        size=size,
        run=run,
        kind=kind,
        kinds=sorted(EVENT_TYPES),
        older=entries[-1].sequence_number if len(entries) == SHOWN else None,
        key=workbench.public_key(),
    )


@router.post("/ledger/verify")
def verify_ledger(request: Request, workbench: Bench, fields: Fields) -> Response:
    """Check the whole chain and every signed checkpoint."""
    _ = fields
    key = workbench.public_key()  # Before the check: the first look at a new home makes the ledger.
    report = workbench.verify_ledger(workbench.settings.ledger_path, key=key)
    return show(request, "ledger_verdict.html", report=report)


def _run_id(workbench: Workbench, given: str) -> str | None:
    """The whole id of a run; one that was forgotten is known by the ledger alone, and only by its whole id."""
    if not given.strip():
        return None
    try:
        return workbench.show(given).id
    except RunNotFound:
        return given.strip()


def _some(workbench: Workbench, run_id: str | None, kind: str, before: int | None) -> tuple[list[LedgerEntry], int]:
    """The newest entries that fit, looked for backwards in pieces."""
    found: list[LedgerEntry] = []
    while True:
        count = SHOWN if not kind else AT_ONCE
        piece, size = workbench.entries(before=before, count=count, run_id=run_id)
        found += [entry for entry in piece if not kind or entry.event_type == kind]
        if len(found) >= SHOWN or len(piece) < count:
            return found[:SHOWN], size
        before = piece[-1].sequence_number
