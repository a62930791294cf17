"""What every route asks for: the workbench, and the security that ``/openapi.json`` states.

The token itself is checked at the door, before any route; the schemes here tell a client how to send it.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request, Security
from fastapi.params import Depends as Dependency
from fastapi.security import APIKeyQuery, HTTPBearer

from averment.faces.http.documents import ErrorDocument
from averment.faces.http.limits import Limits
from averment.faces.http.resumptions import Resumptions
from averment.workbench import Workbench

_BEARER = Security(HTTPBearer(scheme_name="bearer", description="The token the server prints.", auto_error=False))
_QUERY = Security(
    APIKeyQuery(name="token", scheme_name="token", description="The same token, for a link.", auto_error=False)
)

LOOKING: list[Dependency] = [_BEARER, _QUERY]
"""A request that only looks may carry the token in its address."""

DOING: list[Dependency] = [_BEARER]
"""A request that does something carries it in its header, which no link and no form of another page can set."""


def workbench_of(request: Request) -> Workbench:
    """The workbench this application serves."""
    workbench: Workbench = request.app.state.workbench
    return workbench


def limits_of(request: Request) -> Limits:
    """The limits on uploads."""
    limits: Limits = request.app.state.limits
    return limits


def resumptions_of(request: Request) -> Resumptions:
    """The runs that were told to go on."""
    resumptions: Resumptions = request.app.state.resumptions
    return resumptions


Bench = Annotated[Workbench, Depends(workbench_of)]
UploadLimits = Annotated[Limits, Depends(limits_of)]
GoingOn = Annotated[Resumptions, Depends(resumptions_of)]
RunId = Annotated[str, Path(max_length=64, description="A run's id, or enough of its beginning.")]


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors a route may answer with, for ``/openapi.json``; the door's own are always among them."""
    always = (401, 403, 421, 422, 429, 500, 503)
    return {status: {"model": ErrorDocument} for status in sorted({*always, *statuses})}
