"""What the routes of sessions share: the sessions themselves, ids, and errors with the codes of the driller contract.

A body that does not fit its model is refused by FastAPI before a route sees it; here that refusal gets the code which
the rule that was broken has, as it has everywhere else in the house.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path as HomePath
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import Response

from averment.agents.driller.sessions import Sessions
from averment.errors import AvermentError, MalformedRequest
from averment.faces.http.access import workbench_of
from averment.records.drilldown.investigation import REFUSALS
from averment.records.refusal import refusal_of


def sessions_of(request: Request) -> Sessions:
    """The driller's sessions of the home that is served."""
    sessions: Sessions = workbench_of(request).sessions
    return sessions


HomeSessions = Annotated[Sessions, Depends(sessions_of)]
SessionId = Annotated[UUID, Path(description="A session's id.")]
FileId = Annotated[UUID, Path(description="The id of one of the session's files.")]


class CodedRoute(APIRoute):
    """A route whose bodies are refused with the code of the rule they break."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, with our errors."""
        handle = super().get_route_handler()

        async def coded(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                failures: list[Any] = list(error.errors())
                if any(failure["type"] == "json_invalid" for failure in failures):
                    raise MalformedRequest("The body is not JSON.") from error
                if any(failure["loc"][0] != "body" for failure in failures):
                    raise
                inner: list[Any] = [{**failure, "loc": tuple(failure["loc"][1:])} for failure in failures]
                raise refusal_of(inner, REFUSALS) from error
            except AvermentError as error:
                raise hide_home(error, request.app.state.workbench.settings.home) from error

        return coded


def hide_home(error: AvermentError, home: HomePath) -> AvermentError:
    """The error without the place of this home: a client knows its files by their names alone."""
    for place in {str(home.absolute()), str(home.resolve())}:
        error.message = error.message.replace(f"{place}/", "")
        error.hint = error.hint.replace(f"{place}/", "")
        error.details = {
            name: value.replace(f"{place}/", "") if isinstance(value, str) else value
            for name, value in error.details.items()
        }
    return error
