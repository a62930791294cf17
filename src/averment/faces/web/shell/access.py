"""What the routes of the pages ask for."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Path, Request

from averment.faces.web.runs.user_operations import UserOperations
from averment.faces.web.shell.forms import Folder, GoingOn, Uploads
from averment.faces.web.shell.pages import bench_of, page_user, read_fields
from averment.operations import Operations
from averment.workbench import Workbench


def archive_of(request: Request) -> Operations:
    """The records of this home, or what one of its users may see of them."""
    archive: Operations = request.app.state.page_archive
    user = page_user(request)
    if user is None:
        return archive
    # To the routes it is an archive; what a user has no part in is refused by the view itself.
    return cast(Operations, UserOperations(archive, request.app.state.benches.of(user)))


def uploads_of(request: Request) -> Uploads[Folder]:
    """How forms with files are read."""
    uploads: Uploads[Folder] = request.app.state.page_uploads
    return uploads


def going_on_of(request: Request) -> GoingOn:
    """The runs that were told to go on."""
    going_on: GoingOn = request.app.state.resumptions
    return going_on


Bench = Annotated[Workbench, Depends(bench_of)]
HomeOperations = Annotated[Operations, Depends(archive_of)]
Taking = Annotated[Uploads[Folder], Depends(uploads_of)]
Resuming = Annotated[GoingOn, Depends(going_on_of)]
Fields = Annotated[dict[str, str], Depends(read_fields)]
RunId = Annotated[str, Path(max_length=64)]
