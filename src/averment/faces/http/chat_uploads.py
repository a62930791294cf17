"""``POST /v1/uploads``: files that a message or an MCP tool can then name by a reference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.agents.assistant.sources import reference_to, sent_suffixes
from averment.errors import InvalidRequest, NoSources
from averment.faces.http.access import UPLOADING, Bench, Routes, UploadLimits
from averment.faces.http.chat_documents import UploadDocument
from averment.faces.http.failures import json_response
from averment.faces.http.form import multipart, read_form
from averment.faces.http.uploads import UploadFolder
from averment.settings import Settings
from averment.store.storage.configured import open_files
from averment.store.storage.uploads import published

router = Routes(tags=["chat"])

_BODY = multipart(
    {
        "files": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "items": {"type": "string", "contentMediaType": "application/octet-stream"},
            "description": f"The files, 50 MB each; their names end in {', '.join(sent_suffixes())}.",
        }
    },
    required=["files"],
)


@router.acts(
    "post",
    "/v1/uploads",
    UploadDocument,
    *UPLOADING,
    status_code=201,
    openapi_extra={"requestBody": _BODY},
)
async def upload(request: Request, workbench: Bench, limits: UploadLimits) -> Response:
    """Store files for the assistant and the MCP tools, and return their references."""
    folder = UploadFolder(workbench.settings.home, endings=sent_suffixes())
    with folder.unless_failed():
        form = await read_form(request.headers.get("content-type", ""), request.stream(), folder, limits)
        if form.texts:
            raise InvalidRequest("An upload may contain only files.")
        if not form.files:
            raise NoSources("No file was uploaded.", hint="Upload at least one file in the field files.")
        await run_in_threadpool(_publish, workbench.settings, form.files)
        await run_in_threadpool(workbench.home.claim_upload, folder.path.name)
    return json_response({"files": [reference_to(place) for place in form.files]}, 201)


def _publish(settings: Settings, places: Sequence[Path]) -> None:
    """Give the files to all hosts: the next request may come to another one."""
    with published(open_files(settings), settings.home, [str(place) for place in places]):
        pass
