"""What stands behind an answer, tab by tab: its query, its plan, its proof, and its chart in another form."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from averment.errors import NotEnoughEvidence, SourceNotFound
from averment.faces.web.runs.chart_views import Sort, redraw
from averment.faces.web.runs.proofs import cut
from averment.faces.web.shell.page_access import Bench, HomeOperations, RunId
from averment.faces.web.shell.pages import Pages, show
from averment.runtime.outcome import Run
from averment.workbench import Workbench

router = Pages()

Form = Literal["json", "png", "svg"]
TYPES: dict[Form, str] = {"json": "application/json", "png": "image/png", "svg": "image/svg+xml"}


@router.get("/runs/{run_id}/sql")
def show_sql(request: Request, workbench: Bench, run_id: RunId) -> Response:
    """The query behind the main result."""
    run = workbench.show(run_id)
    sql = run.sql
    if sql is None:
        raise NotEnoughEvidence(f"The run {run.id} has no query.")
    return show(request, "tab.html", name="SQL", run=run, sql=sql)


@router.get("/runs/{run_id}/plan")
def show_plan(request: Request, workbench: Bench, run_id: RunId) -> Response:
    """The plan that the question was read as: in a sentence, as text and as JSON."""
    from averment.plans.plan import stored_plan
    from averment.plans.text import to_text

    run = workbench.show(run_id)
    plan = run.plan
    if plan is None or plan is run.tasks:
        raise NotEnoughEvidence(f"The run {run.id} was not read as a plan.")
    text = to_text(stored_plan(plan))
    return show(request, "tab.html", name="Plan", run=run, text=text, json=json.dumps(plan, indent=2))


@router.get("/runs/{run_id}/proof")
def show_proof(request: Request, workbench: Bench, archive: HomeOperations, run_id: RunId) -> Response:
    """Every number of an answer, each leading to its cell, with the seal."""
    run = workbench.show(run_id)
    findings = run.findings
    return show(
        request,
        "tab.html",
        name="Proof",
        run=run,
        findings=[(one, cut(one)) for one in findings],
        numbers=sum(len(one.slots) for one in findings),
        sources=archive.source_names(workbench.runs.row(run.id)),
        seal=run.proof(),
    )


@router.get("/runs/{run_id}/chart")
def draw_chart(
    workbench: Bench,
    run_id: RunId,
    form: Annotated[Form, Query()] = "json",
    kind: Annotated[str, Query(max_length=20)] = "",
    sort: Annotated[Sort, Query()] = "",
    log: Annotated[bool, Query()] = False,
    name: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """The chart of a run, in one of the kinds its result can be drawn in; or one of its pictures by name."""
    run = workbench.show(run_id)
    content = _picture(run, name) if name else _drawn(workbench, run, form, kind, sort, log=log)
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    if form != "json":
        headers["Content-Disposition"] = f'attachment; filename="averment-{run.id[:8]}.{form}"'
    return Response(content, media_type=TYPES["png" if name else form], headers=headers)


def _drawn(workbench: Workbench, run: Run, form: Form, kind: str, sort: Sort, *, log: bool) -> bytes:
    from averment.charts.draw import to_png, to_svg

    document = redraw(workbench, run, kind, sort=sort, log=log)
    if form == "json":
        return json.dumps(document, ensure_ascii=False).encode()
    return to_png(document) if form == "png" else to_svg(document).encode()


def _picture(run: Run, name: str) -> bytes:
    for artifact in run.artifacts:
        if artifact.artifact_type == "chart" and PurePosixPath(artifact.content_ref).name == name:
            return run.path_of(artifact).read_bytes()
    raise SourceNotFound("The run has no such chart.")
