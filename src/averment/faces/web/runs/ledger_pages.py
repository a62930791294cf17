"""The ledger: its entries, the newest first, and the check of all of it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from averment.errors import RunNotFound
from averment.faces.web.shell.page_access import Bench
from averment.faces.web.shell.pages import Pages, show
from averment.ledger.entry import EVENT_TYPES, LedgerEntry
from averment.runtime.verification.ledger_checks import WriterReport
from averment.workbench import Workbench

router = Pages()

SHOWN = 40
AT_ONCE = 1_000


@router.get("/ledger")
def list_entries(
    request: Request,
    workbench: Bench,
    run: Annotated[str, Query(max_length=64)] = "",
    event: Annotated[str, Query(max_length=40)] = "",
    writer: Annotated[str, Query(max_length=100)] = "",
    before: Annotated[int | None, Query(ge=1, le=2_147_483_647)] = None,
) -> Response:
    """Entries of all runs or of one, of every kind or of one; of this home's ledger or of another writer's."""
    kind = event if event in EVENT_TYPES else ""
    run_id = _run_id(workbench, run)
    writers = _writers(workbench)
    chosen = _writer(workbench, writer, writers, run_id)
    entries, size = _some(workbench, run_id, kind, before, chosen)
    written = [(entry, json.dumps(entry.event_data, indent=2, ensure_ascii=False)) for entry in entries]
    return show(
        request,
        "ledger.html",
        entries=written,
        size=size,
        run=run,
        kind=kind,
        kinds=sorted(EVENT_TYPES),
        writer=chosen,
        writers=writers if len(writers) > 1 else [],
        older=entries[-1].sequence_number if len(entries) == SHOWN else None,
        key=_key(workbench, chosen),
    )


@router.acts("/ledger/verify")
def verify_ledger(request: Request, workbench: Bench) -> Response:
    """Check the whole chain and every signed checkpoint, of all writers where the database is shared."""
    key = workbench.ledger.public_key()  # Before the check: the first look at a new home makes the ledger.
    if workbench.ledger.writer is None:
        found = [WriterReport("", True, workbench.ledger.verify_file(workbench.settings.ledger_path, key=key))]
    else:
        found = workbench.ledger.verify()
    return show(request, "ledger_verdict.html", ledgers=found, sound=all(one.report.ok for one in found))


def _run_id(workbench: Workbench, given: str) -> str | None:
    """The whole id of a run; one that was forgotten is known by the ledger alone, and only by its whole id."""
    if not given.strip():
        return None
    try:
        return workbench.show(given).id
    except RunNotFound:
        return given.strip()


def _writers(workbench: Workbench) -> list[str]:
    """Whose ledgers can be shown: this home's, and where the database is shared the gathered ones."""
    own = workbench.ledger.writer
    return [] if own is None else sorted({own, *(row.writer_id for row in workbench.ledger.writers())})


def _writer(workbench: Workbench, given: str, writers: list[str], run_id: str | None) -> str | None:
    """Whose ledger is shown: the one asked for, else one that holds the run, this home's before others."""
    if given in writers or len(writers) < 2:
        return given if given in writers else workbench.ledger.writer
    own = workbench.ledger.writer
    if run_id is not None:
        holding = workbench.ledger.writers_of(run_id)
        return own if own in holding or not holding else holding[0]
    # A front carries out nothing: its own ledger is empty.
    return own if workbench.ledger.entries(count=1)[1] else next(name for name in writers if name != own)


def _key(workbench: Workbench, writer: str | None) -> str:
    pinned = {row.writer_id: row.key for row in workbench.ledger.writers()} if writer != workbench.ledger.writer else {}
    return pinned[writer] if writer in pinned else workbench.ledger.public_key()


def _some(
    workbench: Workbench, run_id: str | None, kind: str, before: int | None, writer: str | None
) -> tuple[list[LedgerEntry], int]:
    """The newest entries that fit, looked for backwards in pieces."""
    found: list[LedgerEntry] = []
    while True:
        count = SHOWN if not kind else AT_ONCE
        piece, size = workbench.ledger.entries(before=before, count=count, run_id=run_id, writer=writer)
        found += [entry for entry in piece if not kind or entry.event_type == kind]
        if len(found) >= SHOWN or len(piece) < count:
            return found[:SHOWN], size
        before = piece[-1].sequence_number
