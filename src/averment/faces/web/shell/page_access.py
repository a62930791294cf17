"""What the routes of the pages ask for."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends, Path, Query, Request

from averment.faces.web.runs.user_operations import UserOperations
from averment.faces.web.shell.forms import Folder, RunResumer, Uploads
from averment.faces.web.shell.pages import bench_of, page_user, read_fields
from averment.operations import Operations
from averment.workbench import Workbench


def state(name: str) -> Any:
    """A dependency on a part that the application was made with."""

    def look(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(look)


def archive_of(request: Request) -> Operations:
    """The records of this home, or what one of its users may see of them."""
    archive: Operations = request.app.state.page_archive
    user = page_user(request)
    if user is None:
        return archive
    # To the routes it is an archive; what a user has no part in is refused by the view itself.
    return cast(Operations, UserOperations(archive, request.app.state.benches.of(user)))


Bench = Annotated[Workbench, Depends(bench_of)]
HomeOperations = Annotated[Operations, Depends(archive_of)]
Taking = Annotated[Uploads[Folder], state("page_uploads")]
Resuming = Annotated[RunResumer, state("resumptions")]
Fields = Annotated[dict[str, str], Depends(read_fields)]
RunId = Annotated[str, Path(max_length=64)]
PageNumber = Annotated[int, Query(ge=1, le=100_000)]
Find = Annotated[str, Query(max_length=200)]
