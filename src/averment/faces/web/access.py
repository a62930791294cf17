"""What the routes of the pages ask for."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Path, Request

from averment.archive import Archive
from averment.faces.web.forms import Folder, GoingOn, Uploads
from averment.faces.web.own_archive import OwnArchive
from averment.faces.web.pages import bench_of, page_user, read_fields
from averment.workbench import Workbench


def archive_of(request: Request) -> Archive:
    """The records of this home, or what one of its users may see of them."""
    archive: Archive = request.app.state.page_archive
    user = page_user(request)
    if user is None:
        return archive
    # To the routes it is an archive; what a user has no part in is refused by the view itself.
    return cast(Archive, OwnArchive(archive, request.app.state.benches.of(user)))


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
