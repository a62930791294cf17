"""The archived documents that research looks into: see them, read what was archived, take one away."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from averment.errors import SourceNotFound
from averment.faces.web.access import Fields, Kept
from averment.faces.web.pages import PageRoute, go, show

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SHOWN = 30
LETTERS = 200_000
DocumentId = Annotated[str, Path(max_length=200)]


@router.get("/sources")
def list_documents(request: Request, archive: Kept, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    """The documents by their address."""
    found = archive.corpus().documents(SHOWN + 1, (page - 1) * SHOWN)
    return show(request, "sources.html", documents=found[:SHOWN], more=len(found) > SHOWN, page=page)


@router.get("/sources/{document_id}")
def read_document(
    request: Request,
    archive: Kept,
    document_id: DocumentId,
    start: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    end: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
) -> Response:
    """What was archived of a document, with the passage between two offsets marked."""
    corpus = archive.corpus()
    document = corpus.document(document_id)
    text = corpus.snapshot(document.snapshot_sha256)[:LETTERS]
    marked = (text[:start], text[start:end], text[end:]) if start < end <= len(text) else (text, "", "")
    return show(request, "source.html", document=document, marked=marked)


@router.post("/sources/{document_id}/remove")
def remove_document(archive: Kept, document_id: DocumentId, fields: Fields) -> Response:
    """Take a document out of the searches; what reports quote of it stays archived."""
    _ = fields
    if not archive.corpus().remove(document_id):
        raise SourceNotFound("There is no such document.", hint="It may have been taken away already.")
    return go("/sources")
