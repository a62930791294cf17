"""Proof to the rows: the source rows behind a cell; and the page that checks exported reports."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request
from starlette.responses import Response

from averment.faces.web.runs.proofs import written
from averment.faces.web.shell.page_access import Bench, RunId
from averment.faces.web.shell.pages import Pages, show
from averment.reports.html import verifier_html
from averment.reports.verifier import policy

router = Pages()


@router.get("/runs/{run_id}/rows")
def show_rows(
    request: Request,
    workbench: Bench,
    run_id: RunId,
    row: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    column: Annotated[str | None, Query(max_length=300)] = None,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """The rows behind one cell of a run's result, recomputed just now."""
    found = workbench.runs.rows_behind(run_id, row, column, page=page)
    rows = [(one.line or one.place, [written(cell) for cell in one.cells]) for one in found.rows]
    return show(
        request,
        "rows.html",
        found=found,
        rows=rows,
        numbered="line" if any(one.line for one in found.rows) else "row",
        here=f"/runs/{found.run_id}/rows?row={found.row}&column={quote(found.column)}",
        value=written(found.value),
        again=written(found.again),
    )


@router.get("/verifier")
def verifier(request: Request) -> Response:
    """The page that checks exported reports; it can be saved and used without this server."""
    _ = request
    headers = {"Content-Security-Policy": f"{policy()}; frame-ancestors 'none'"}
    return Response(verifier_html(), media_type="text/html; charset=utf-8", headers=headers)
