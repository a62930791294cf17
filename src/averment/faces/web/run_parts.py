"""The parts of a run that are opened one by one: a number's proof, its table, its report, its exports."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from markupsafe import Markup
from starlette.responses import Response

from averment.errors import NotEnoughEvidence
from averment.faces.web.access import Bench, Kept, RunId
from averment.faces.web.grid import turn_to
from averment.faces.web.pages import PageRoute, show
from averment.faces.web.proofs import cut, look_behind
from averment.workbench import Workbench

router = APIRouter(route_class=PageRoute, include_in_schema=False)

Name = Annotated[str, PathParameter(max_length=200)]
KINDS = {"html": "text/html; charset=utf-8", "md": "text/markdown; charset=utf-8"}


@router.get("/runs/{run_id}/proof/{finding_id}/{slot}")
def show_proof(
    request: Request, workbench: Bench, archive: Kept, run_id: RunId, finding_id: Name, slot: Name
) -> Response:
    """What is behind one number."""
    run = workbench.show(run_id)
    behind = look_behind(archive, run.id, run.findings, finding_id, slot)
    return show(request, "proof.html", run=run, behind=behind, pieces=cut(behind.finding))


@router.get("/runs/{run_id}/table")
def show_table(
    request: Request,
    workbench: Bench,
    run_id: RunId,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    sort: Annotated[int | None, Query(ge=0, le=10_000)] = None,
    descending: Annotated[bool, Query()] = False,
) -> Response:
    """One page of the run's result."""
    run = workbench.show(run_id)
    table = run.table
    if table is None:
        raise NotEnoughEvidence(f"The run {run.id} has no table.")
    return show(request, "table.html", run=run, grid=turn_to(table, page=page, sort=sort, descending=descending))


@router.get("/runs/{run_id}/report")
def show_report(request: Request, workbench: Bench, run_id: RunId) -> Response:
    """The report with its proof."""
    run = workbench.show(run_id)
    # The report's own renderer escaped every text in it; what is taken over is the part between its main tags, with
    # its headings one level down, below the page's own.
    whole = exported(workbench, run.id, "html").decode()
    body = whole.partition("<main>")[2].rpartition("</main>")[0]
    for level in (2, 1):
        body = body.replace(f"<h{level}>", f"<h{level + 1}>").replace(f"</h{level}>", f"</h{level + 1}>")
    body = body.replace('<div class="scroll">', '<div class="scroll" tabindex="0" role="region" aria-label="Table">')
    return show(request, "report.html", run=run, report=Markup(body))


@router.get("/runs/{run_id}/export")
def export(
    workbench: Bench, run_id: RunId, form: Annotated[Literal["html", "md"], Query(alias="format")] = "html"
) -> Response:
    """The report as one file."""
    run = workbench.show(run_id)
    name = f"averment-{run.id[:8]}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(exported(workbench, run.id, form), media_type=KINDS[form], headers=headers)


def exported(workbench: Workbench, run_id: str, form: Literal["html", "md"]) -> bytes:
    """The bytes of an export."""
    with tempfile.TemporaryDirectory(prefix="averment-") as folder:
        return workbench.export(run_id, to=form, path=Path(folder) / f"report.{form}").read_bytes()
