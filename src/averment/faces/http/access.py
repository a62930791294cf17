"""What every route asks for: the workbench, and the security that ``/openapi.json`` states.

The token itself is checked at the door, before any route; the schemes here tell a client how to send it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar, cast

from fastapi import APIRouter, Depends, Path, Query, Request, Security
from fastapi.params import Depends as Dependency
from fastapi.security import APIKeyQuery, HTTPBearer
from starlette.responses import Response

from averment.faces.http.documents import ErrorDocument
from averment.faces.http.door import USER
from averment.faces.http.limits import Limits
from averment.faces.http.resumptions import Resumptions
from averment.workbench import Workbench
from averment.workbench.for_user import UserBench

_BEARER = Security(HTTPBearer(scheme_name="bearer", description="The token that the server prints.", auto_error=False))
_QUERY = Security(
    APIKeyQuery(name="token", scheme_name="token", description="The same token, for a link.", auto_error=False)
)

Handler = TypeVar("Handler", bound=Callable[..., Any])

LOOKING: list[Dependency] = [_BEARER, _QUERY]
"""A request that only looks may carry the token in its address."""

DOING: list[Dependency] = [_BEARER]
"""A request that does something carries it in its header, which no link and no form of another page can set."""


UPLOADING = (400, 408, 413, 415, 507)
"""How an upload can fail."""


def workbench_of(request: Request) -> Workbench:
    """The workbench this application serves."""
    workbench: Workbench = request.app.state.workbench
    user = getattr(request.state, USER, None)
    if user is None:
        return workbench
    benches: UserBenches = request.app.state.benches
    # To the routes it is a workbench; what a user has no part in is refused by the view itself.
    return cast(Workbench, benches.of(user))


class UserBenches:
    """The views of a workbench's users, each made once."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._made: dict[str, UserBench] = {}
        self._lock = threading.Lock()

    def of(self, user_id: str) -> UserBench:
        """The view of one user."""
        with self._lock:
            if user_id not in self._made:
                self._made[user_id] = UserBench(self._workbench, self._workbench.home.users, user_id)
            return self._made[user_id]


def limits_of(request: Request) -> Limits:
    """The limits on uploads."""
    return cast(Limits, request.app.state.limits)


def resumptions_of(request: Request) -> Resumptions:
    """The runs that were told to go on."""
    return cast(Resumptions, request.app.state.resumptions)


Bench = Annotated[Workbench, Depends(workbench_of)]
UploadLimits = Annotated[Limits, Depends(limits_of)]
HomeResumptions = Annotated[Resumptions, Depends(resumptions_of)]
RunId = Annotated[str, Path(max_length=64, description="A run's id, or a unique prefix of it.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many.")]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="How many of the newest to skip.")]


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors a route may answer with, for ``/openapi.json``; the door's own are always among them."""
    always = (401, 403, 421, 422, 429, 500, 503)
    return {status: {"model": ErrorDocument} for status in sorted({*always, *statuses})}


def gives(description: str, content: dict[str, Any]) -> dict[str, Any]:
    """What a route that answers with something else than JSON promises: what it is, by its media types."""
    return {"response_class": Response, "responses": {200: {"description": description, "content": content}}}


def streams(description: str, event: dict[str, Any], *, over: str | None = None) -> dict[str, Any]:
    """What a route that streams events promises; ``over`` is what can be over, so that there is nothing to stream."""
    promised = gives(description, {"text/event-stream": {"schema": event}})
    if over is not None:
        ended = f"{over} is over and the client has received every event; do not reconnect."
        promised["responses"][204] = {"description": ended}
    return promised


class Routes(APIRouter):
    """Routes whose promises in ``/openapi.json`` are made in one place; each is named after its handler."""

    def looks(self, path: str, answer: Any = None, *failures: int, **more: Any) -> Callable[[Handler], Handler]:
        """A ``GET`` that changes nothing; ``answer`` is the model of what it returns."""
        return self._promised("get", path, answer, failures, LOOKING, more)

    def acts(
        self, method: str, path: str, answer: Any = None, *failures: int, **more: Any
    ) -> Callable[[Handler], Handler]:
        """A request that does something."""
        return self._promised(method, path, answer, failures, DOING, more)

    def _promised(
        self, method: str, path: str, answer: Any, failures: Sequence[int], who: list[Dependency], more: dict[str, Any]
    ) -> Callable[[Handler], Handler]:
        responses = {**errors(*failures), **more.pop("responses", {})}
        promises: dict[str, Any] = {"responses": responses, "dependencies": who, **more}
        if answer is not None:
            promises["response_model"] = answer

        def keep(handler: Handler) -> Handler:
            named: dict[str, Any] = {"operation_id": handler.__name__, **promises}
            return self.api_route(path, methods=[method.upper()], **named)(handler)

        return keep
