"""The archived documents that research looks into: add, find, read, check and take away."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.agents.researcher.credibility import judge_domain
from averment.corpus.readers.kinds import document_suffixes
from averment.errors import AvermentError, NoSources, SourceNotFound
from averment.faces.web.data.dropped_files import DroppedFiles, keep_documents
from averment.faces.web.shell.listing import fitting, has_words, list_page
from averment.faces.web.shell.page_access import Bench, Fields, Find, HomeOperations, PageNumber, Taking
from averment.faces.web.shell.pages import Pages, check_form, go, show

router = Pages()

DEPTHS = ("quick", "standard", "comprehensive")
LETTERS = 200_000
DocumentId = Annotated[str, Path(max_length=200)]


@router.get("/sources")
def list_documents(request: Request, workbench: Bench, page: PageNumber = 1, find: Find = "") -> Response:
    """The documents by their address, all or those that a word is found in."""
    some = workbench.corpora.documents
    if find.strip():
        some = fitting(some(), lambda one: has_words(find, f"{one.title} {one.url} {one.kind}"))
    shown, more = list_page(page, some)
    return show(
        request,
        "sources.html",
        documents=[(one, judge_domain(one.domain)) for one in shown],
        more=more,
        page=page,
        find=find,
        accepted=",".join(document_suffixes()),
        depths=DEPTHS,
    )


@router.post("/sources/ask")
def research(workbench: Bench, fields: Fields) -> Response:
    """Begin a research over the archived documents, and go to where it can be watched."""
    depth = fields.get("depth", "standard")
    run_id = workbench.runs.start.research(
        fields.get("question", "").strip(), depth=depth if depth in DEPTHS else "standard"
    )
    return go(f"/runs/{run_id}")


@router.post("/sources")
async def add_documents(request: Request, archive: HomeOperations, uploads: Taking) -> Response:
    """Archive the documents of a form."""
    folder = DroppedFiles(uploads.open_folder())
    try:
        form = await uploads.read_form(request.headers.get("content-type", ""), request.stream(), folder)
        check_form(request, form.texts.get("form_token", [""])[-1])
        if folder.files:
            raise NoSources("Tables are asked about on the first page; here are documents.", hint="Drop texts.")
        if not folder.documents:
            raise NoSources(
                "No document was chosen.", hint=f"Choose files that end in {', '.join(document_suffixes())}."
            )
        await run_in_threadpool(keep_documents, archive, folder.documents)
    finally:
        # What was archived is in the archive; nothing of a form stays beside it.
        folder.discard()
    return go("/sources")


@router.get("/sources/{document_id}")
def read_document(
    request: Request,
    workbench: Bench,
    document_id: DocumentId,
    start: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    end: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
) -> Response:
    """What was archived of a document, with the passage between two offsets marked."""
    document = workbench.corpora.document(document_id)
    text = workbench.corpora.snapshot(document.snapshot_sha256)[:LETTERS]
    marked = (text[:start], text[start:end], text[end:]) if start < end <= len(text) else (text, "", "")
    return show(request, "source.html", document=document, marked=marked, credibility=judge_domain(document.domain))


@router.acts("/sources/{document_id}/verify")
def check_document(request: Request, workbench: Bench, document_id: DocumentId) -> Response:
    """Read what was archived again and hold it against its hashes."""
    document = workbench.corpora.document(document_id)
    faults: list[str] = []
    for name, digest in (("text", document.snapshot_sha256), ("original", document.raw_sha256)):
        try:
            workbench.corpora.raw(digest)
        except AvermentError as error:
            faults.append(f"{name}: {error.message}")
    return show(request, "source_verdict.html", document=document, faults=faults)


@router.acts("/sources/{document_id}/remove")
def remove_document(workbench: Bench, document_id: DocumentId) -> Response:
    """Take a document out of the searches; what reports quote of it stays archived."""
    if not workbench.corpora.remove(document_id):
        raise SourceNotFound("There is no such document.", hint="It may have been taken away already.")
    return go("/sources")
