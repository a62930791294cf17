"""``/v1/corpus`` and ``/v1/corpora``: archive documents and pages under a corpus's name, list, look, forget."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Body, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.corpus.corpus import DEFAULT
from averment.corpus.ingest import DocumentDraft, IngestResult
from averment.corpus.sources import is_address
from averment.errors import FileTooLarge, InvalidRequest, SourceNotFound
from averment.faces.http.access import Bench, Limit, Routes
from averment.faces.http.failures import json_response
from averment.records.base import picked
from averment.store.corpus.document_rows import Document
from averment.workbench import Workbench

router = Routes(tags=["corpus"])

_NAME = re.compile(r"[\w][\w .()+-]{0,198}\.[A-Za-z0-9]{1,10}")
CorpusName = Annotated[
    str,
    Query(
        pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$",
        description="The corpus to add them to; it is created if it does not exist.",
    ),
]
DocumentId = Annotated[str, Path(max_length=64, description="A document's id.")]


class AddressesBody(BaseModel):
    """Pages to archive."""

    model_config = ConfigDict(extra="forbid")

    addresses: list[Annotated[str, Field(pattern=r"^https?://[^\s]+$", max_length=2000)]] = Field(
        min_length=1, max_length=50, description="Addresses that begin with https:// or http://."
    )


class Corpora(BaseModel):
    """The corpora by name, with their numbers of documents."""

    corpora: list[dict[str, Any]]


class CorpusDocument(BaseModel):
    """An archived document: its title, its origin and its archived content."""

    id: str
    title: str
    url: str
    kind: str
    published_at: str | None
    accessed_at: str
    characters: int
    snapshot_sha256: str


class CorpusList(BaseModel):
    """Documents by address."""

    documents: list[CorpusDocument]


class CorpusAdded(BaseModel):
    """The outcome for each source."""

    sources: list[dict[str, Any]]


class CorpusStructure(CorpusDocument):
    """A document taken apart: the corpora it belongs to, its fields with their places, and its headings."""

    corpora: list[str]
    fields: list[dict[str, Any]]
    headings: list[list[str]]


@router.looks("/v1/corpora", Corpora)
def list_corpora(workbench: Bench) -> Response:
    """List the corpora by name."""
    found = workbench.corpora.members.names()
    return json_response({"corpora": [{"name": name, "documents": count} for name, count in found]})


@router.acts("delete", "/v1/corpora/{name}", None, 404, status_code=204)
def forget_corpus(workbench: Bench, name: Annotated[str, Path(max_length=64, description="A corpus.")]) -> Response:
    """Delete a corpus and its documents that belong to no other; archived text is kept for reports."""
    workbench.corpora.forget(name)
    return Response(status_code=204)


@router.looks("/v1/corpus", CorpusList)
def list_corpus(
    workbench: Bench,
    limit: Limit = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000, description="How many to skip.")] = 0,
    corpus: Annotated[str | None, Query(max_length=64, description="Only documents of this corpus.")] = None,
) -> Response:
    """List the archived documents by address."""
    found = workbench.corpora.documents(limit, offset, corpus=corpus)
    return json_response({"documents": [_document(one) for one in found]})


@router.acts("post", "/v1/corpus", CorpusAdded, 400, status_code=201)
async def add_pages(
    workbench: Bench, body: Annotated[AddressesBody, Body()], corpus: CorpusName = "default"
) -> Response:
    """Fetch and archive pages; local files are never read by path."""
    if not all(is_address(one) for one in body.addresses):
        raise InvalidRequest("An address must begin with https:// or http://.", hint="Upload files with PUT.")

    def fetch() -> list[IngestResult]:
        from averment.corpus.providers.choose import open_fetcher

        fetcher = open_fetcher(workbench.settings)
        return list(workbench.corpora.add_sources(body.addresses, fetcher=fetcher, into=corpus))

    return json_response({"sources": [_added(one) for one in await run_in_threadpool(fetch)]}, 201)


@router.acts(
    "put",
    "/v1/corpus/files/{name}",
    CorpusAdded,
    400,
    413,
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload_document(
    workbench: Bench,
    request: Request,
    name: Annotated[str, Path(max_length=210, description="The file's name.")],
    corpus: CorpusName = "default",
) -> Response:
    """Archive one file under its name; the body is the file. The same name replaces the file in its corpus."""
    if not _NAME.fullmatch(name):
        raise InvalidRequest("A file name needs letters or digits and an extension.", hint="For example handbook.md.")
    most = workbench.corpora.reader.limits.file_bytes
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise FileTooLarge(f"The file has more than {most:,} bytes.")
        parts.append(part)
    added = await run_in_threadpool(_archive, workbench, name, b"".join(parts), corpus)
    if added.error is not None:
        raise added.error
    return json_response({"sources": [_added(added)]}, 201)


def _archive(workbench: Workbench, name: str, content: bytes, into: str) -> IngestResult:
    corpus = workbench.corpora
    kind, reading = corpus.reader.read(content, name)
    folder = "" if into == DEFAULT else f"{into}/"
    draft = DocumentDraft(
        url=f"file:///uploads/{folder}{quote(name)}",
        title=reading.title or name.rsplit(".", 1)[0],
        text=reading.text,
        raw=content,
        kind=kind,
        published_at=reading.published_at,
        notes=reading.notes,
    )
    return next(iter(corpus.add([draft], into=into)))


@router.looks("/v1/corpus/{document_id}", CorpusStructure, 404)
def show_document(workbench: Bench, document_id: DocumentId) -> Response:
    """Show a document with its fields and headings."""
    corpus = workbench.corpora
    document = corpus.document(document_id)
    body = corpus.catalogue.structure(document.snapshot_sha256, document.kind, document.url, document.title)
    fields = [{"key": one.key, "value": one.value, "start": one.start, "end": one.end} for one in body.fields]
    paths = dict.fromkeys(block.path for block in body.blocks if block.path)
    found = {"corpora": corpus.members.corpora_of(document.document_id), "fields": fields}
    return json_response({**_document(document), **found, "headings": [list(path) for path in paths]})


@router.acts("delete", "/v1/corpus/{document_id}", None, 404, status_code=204)
def forget_document(workbench: Bench, document_id: DocumentId) -> Response:
    """Delete a document; its archived text is kept for the reports that quote it."""
    if not workbench.corpora.remove(document_id):
        raise SourceNotFound(f"The corpus has no document {document_id[:64]!a}.")
    return Response(status_code=204)


def _document(document: Document) -> dict[str, Any]:
    same = picked(document, "title", "url", "kind", "published_at", "characters", "snapshot_sha256")
    return {"id": document.document_id, **same, "accessed_at": document.accessed_at.isoformat()}


def _added(added: IngestResult) -> dict[str, Any]:
    told: dict[str, Any] = {"url": added.url, "outcome": added.outcome}
    if added.document is not None:
        told |= {"id": added.document.document_id, "title": added.document.title}
    if added.error is not None:
        told |= {"code": added.error.code, "reason": added.error.message}
    return told
