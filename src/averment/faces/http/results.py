"""What a run left: its report, and its files."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import Depends, Query, Request
from fastapi import Path as PathParameter
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import FileResponse, Response

from averment.errors import NotEnoughEvidence, SourceNotFound
from averment.faces.http.access import Bench, Routes, RunId, gives
from averment.faces.http.dataset_documents import RowsDocument
from averment.faces.http.failures import json_response
from averment.operations import Operations
from averment.records.export_formats import MEDIA_TYPES
from averment.reports.export import ExportName, media_type

router = Routes(tags=["results"])

CONTENT_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
UNKNOWN_TYPE = "application/octet-stream"
ALL_TYPES = (*CONTENT_TYPES.values(), UNKNOWN_TYPE)

# The report carries its own style, pictures and check; served from here it is a page of no origin that runs nothing.
REPORT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"


def whole_archive(request: Request) -> Operations:
    """The records of the home; only for a run that was looked up as whoever asks may see it."""
    return Operations(request.app.state.workbench)


Whole = Annotated[Operations, Depends(whole_archive)]


TEXT = {"schema": {"type": "string"}}


@router.looks("/v1/runs/{run_id}/report", None, 404, **gives("The report.", {"text/markdown": TEXT, "text/html": TEXT}))
def read_report(
    workbench: Bench,
    archive: Whole,
    run_id: RunId,
    form: Annotated[
        Literal["md", "html"],
        Query(alias="format", description="md is the sealed report; html is one page with its proof."),
    ] = "md",
) -> Response:
    """Return the report of a run."""
    run = workbench.show(run_id)
    if form == "html":
        page = archive.export(run.id, "html")
        return Response(page, media_type=CONTENT_TYPES[".html"], headers={"Content-Security-Policy": REPORT_POLICY})
    report = run.report
    if report is None:
        raise NotEnoughEvidence(f"The run {run.id} is {run.status} and has no report.")
    return Response(report, media_type=CONTENT_TYPES[".md"])


@router.looks(
    "/v1/runs/{run_id}/artifacts/{name}",
    None,
    404,
    **gives("The file.", {kind.split(";")[0]: {} for kind in ALL_TYPES}),
)
def read_artifact(
    workbench: Bench, run_id: RunId, name: Annotated[str, PathParameter(max_length=255, description="Its file name.")]
) -> Response:
    """Return a file that the run produced; its ETag is the SHA-256 in the ledger."""
    run = workbench.show(run_id)
    for artifact in run.artifacts:
        if PurePosixPath(artifact.content_ref).name != name:
            continue
        path = run.path_of(artifact)
        if not path.is_file():
            raise SourceNotFound(
                f"The file of the artifact {name} is missing.", hint="Verify the run to see what is missing."
            )
        kind = CONTENT_TYPES.get(path.suffix, UNKNOWN_TYPE)
        return FileResponse(path, media_type=kind, filename=name, headers={"ETag": f'"{artifact.content_hash}"'})
    raise SourceNotFound(f"The run {run.id} has no artifact with that name.", hint="See the run's list of artifacts.")


@router.looks("/v1/runs/{run_id}/rows", RowsDocument, 400, 404, 409)
def read_rows(
    workbench: Bench,
    run_id: RunId,
    row: Annotated[int, Query(ge=1, le=1_000_000, description="A row of the result, counted from one.")] = 1,
    column: Annotated[
        str | SkipJsonSchema[None], Query(max_length=300, description="A column of the result; the last one.")
    ] = None,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """The source rows behind one cell of a run's result, with their lines in the file; the figure is recomputed."""
    return json_response(workbench.runs.rows_behind(run_id, row, column, page=page, size=size).as_dict())


EXPORTED = {
    kind.split(";")[0]: {"schema": {"type": "object" if "json" in kind else "string"}} for kind in MEDIA_TYPES.values()
}


@router.looks("/v1/runs/{run_id}/export", None, 404, 501, **gives("The file.", EXPORTED))
def export_run(
    workbench: Bench,
    archive: Whole,
    run_id: RunId,
    form: Annotated[
        ExportName,
        Query(
            alias="format",
            description="html, md or pdf is the report with its proof; ipynb is a notebook that computes it again.",
        ),
    ] = "html",
) -> Response:
    """Return a run's report with its proof as one file."""
    run = workbench.show(run_id)
    headers = {
        "Content-Disposition": f'attachment; filename="averment-{run.id[:8]}.{form}"',
        "Content-Security-Policy": REPORT_POLICY,
    }
    return Response(archive.export(run.id, form), media_type=media_type(form), headers=headers)
