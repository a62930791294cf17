"""What the routes of the pages ask for."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request

from averment.archive import Archive
from averment.faces.web.forms import Folder, GoingOn, Uploads
from averment.faces.web.pages import bench_of, read_fields
from averment.workbench import Workbench


def archive_of(request: Request) -> Archive:
    """The records of this home."""
    archive: Archive = request.app.state.page_archive
    return archive


def uploads_of(request: Request) -> Uploads[Folder]:
    """How forms with files are read."""
    uploads: Uploads[Folder] = request.app.state.page_uploads
    return uploads


def going_on_of(request: Request) -> GoingOn:
    """The runs that were told to go on."""
    going_on: GoingOn = request.app.state.resumptions
    return going_on


Bench = Annotated[Workbench, Depends(bench_of)]
Kept = Annotated[Archive, Depends(archive_of)]
Taking = Annotated[Uploads[Folder], Depends(uploads_of)]
Resuming = Annotated[GoingOn, Depends(going_on_of)]
Fields = Annotated[dict[str, str], Depends(read_fields)]
RunId = Annotated[str, Path(max_length=64)]
