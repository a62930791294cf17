"""The parts of a run that are opened one by one: a number's proof, a passage, its table, its report, its exports."""

from __future__ import annotations

import io
from html import escape
from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import Path as PathParameter
from fastapi import Query, Request
from markupsafe import Markup
from starlette.responses import Response

from averment.claims.kinds import kinds_by_plan
from averment.errors import NotEnoughEvidence
from averment.faces.web.data.table_grid import turn_to
from averment.faces.web.runs.proofs import cut, look_behind
from averment.faces.web.runs.research_view import inquiry_of, passage_of
from averment.faces.web.shell.page_access import Bench, HomeOperations, RunId
from averment.faces.web.shell.pages import Pages, show
from averment.reports.export import ExportName, media_type, proof_document
from averment.reports.html import Article, to_article
from averment.runtime.outcome import Run

router = Pages()

Name = Annotated[str, PathParameter(max_length=200)]


@router.get("/runs/{run_id}/proof/{finding_id}/{slot}")
def show_proof(request: Request, workbench: Bench, run_id: RunId, finding_id: Name, slot: Name) -> Response:
    """What is behind one number."""
    run = workbench.show(run_id)
    behind = look_behind(workbench, run.id, run.findings, finding_id, slot)
    return show(request, "proof.html", run=run, behind=behind, pieces=cut(behind.finding))


@router.get("/runs/{run_id}/cite/{fact_id}")
def show_passage(request: Request, workbench: Bench, archive: HomeOperations, run_id: RunId, fact_id: Name) -> Response:
    """The archived passage behind one sentence of a research."""
    run = workbench.show(run_id)
    passage = passage_of(workbench, inquiry_of(workbench, archive, run.id, None), fact_id)
    return show(request, "passage.html", run=run, passage=passage)


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
    kinds = kinds_by_plan(run.plan, table)
    grid = turn_to(table, page=page, sort=sort, descending=descending, kinds=kinds)
    return show(request, "table.html", run=run, grid=grid)


@router.get("/runs/{run_id}/table/download")
def download_table(
    workbench: Bench, run_id: RunId, form: Annotated[Literal["csv", "parquet"], Query(alias="format")] = "csv"
) -> Response:
    """The whole result of a run as one file."""
    run = workbench.show(run_id)
    table = run.table
    if table is None:
        raise NotEnoughEvidence(f"The run {run.id} has no table.")
    sink = io.BytesIO()
    if form == "csv":
        from averment.reports.sheet import to_csv

        sink.write(to_csv(table))
        kind = "text/csv; charset=utf-8"
    else:
        import pyarrow.parquet as pa_parquet

        pa_parquet.write_table(table, sink)
        kind = "application/vnd.apache.parquet"
    return Response(sink.getvalue(), media_type=kind, headers=_attached(run, form))


@router.get("/runs/{run_id}/report")
def show_report(request: Request, workbench: Bench, run_id: RunId) -> Response:
    """The report with its proof; a citation opens the passage it stands in."""
    run = workbench.show(run_id)
    document, seal = workbench.runs.document(run.id), run.proof()
    pictures = {
        name: f"/v1/runs/{run.id}/artifacts/{quote(name)}"
        for name in (PurePosixPath(artifact.content_ref).name for artifact in run.artifacts)
        if name.endswith(".png")
    }
    cited = Article(
        level=2,
        pictures=pictures,
        cite=lambda anchor: f'href="/runs/{run.id}/cite/{escape(quote(anchor), quote=True)}" data-swap="#panel"',
    )
    # Both articles are made by the report's own renderer, which escapes every text in them.
    body = to_article(document, cited) + to_article(proof_document(seal), Article(name="proof", level=2))
    return show(request, "report.html", run=run, report=Markup(body))


@router.get("/runs/{run_id}/export")
def export(
    workbench: Bench,
    archive: HomeOperations,
    run_id: RunId,
    form: Annotated[ExportName, Query(alias="format")] = "html",
) -> Response:
    """The report as one file."""
    run = workbench.show(run_id)
    return Response(archive.export(run.id, form), media_type=media_type(form), headers=_attached(run, form))


def _attached(run: Run, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="averment-{run.id[:8]}.{ending}"'}
