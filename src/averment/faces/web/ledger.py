"""The ledger: its entries, the newest first, and the check of all of it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from averment.faces.web.access import Bench, Fields, Kept
from averment.faces.web.pages import PageRoute, show

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SHOWN = 40


@router.get("/ledger")
def list_entries(
    request: Request,
    workbench: Bench,
    archive: Kept,
    run: Annotated[str, Query(max_length=64)] = "",
    before: Annotated[int | None, Query(ge=1, le=2_147_483_647)] = None,
) -> Response:
    """Entries of all runs or of one."""
    run_id = workbench.show(run).id if run else None
    entries, size = archive.entries(before=before, count=SHOWN, request_id=run_id)
    written = [(entry, json.dumps(entry.event_data, indent=2, ensure_ascii=False)) for entry in entries]
    older = entries[-1].sequence_number if len(entries) == SHOWN else None
    return show(request, "ledger.html", entries=written, size=size, run=run, older=older, key=workbench.public_key())


@router.post("/ledger/verify")
def verify_ledger(request: Request, workbench: Bench, fields: Fields) -> Response:
    """Check the whole chain and every signed checkpoint."""
    _ = fields
    key = workbench.public_key()  # Before the check: the first look at a new home makes the ledger.
    report = workbench.verify_ledger(workbench.settings.ledger_path, key=key)
    return show(request, "ledger_verdict.html", report=report)
