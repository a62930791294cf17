"""From any failure to the one JSON shape of an error: ``{"error": {code, message, hint, retryable, …}}``."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from averment.errors import AvermentError, InvalidRequest, MalformedRequest, MethodNotAllowed, RouteNotFound


def json_response(document: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """One JSON document, written the way every face writes it."""
    body = orjson.dumps(document, option=orjson.OPT_SORT_KEYS, default=str)
    return Response(body, status_code=status, headers=dict(headers or {}), media_type="application/json")


def error_response(error: AvermentError, headers: Mapping[str, str] | None = None) -> Response:
    """An error with its own status and fields."""
    extra = dict(headers or {})
    if error.http_status == 401:
        extra.setdefault("WWW-Authenticate", "Bearer")
    return json_response({"error": error.as_dict()}, error.http_status, extra)


def unexpected_response() -> Response:
    """The answer to a failure that has no name: nothing of it is shown."""
    hint = "See the server's output for details, and report the problem if it persists."
    return error_response(AvermentError("An unexpected error occurred.", hint=hint))


def install_failures(app: FastAPI) -> None:
    """Give the application our shape for every error it can answer with."""

    async def named(request: Request, error: Exception) -> Response:
        _ = request
        return error_response(error) if isinstance(error, AvermentError) else unexpected_response()

    async def invalid(request: Request, error: Exception) -> Response:
        _ = request
        return error_response(_invalid(error)) if isinstance(error, RequestValidationError) else unexpected_response()

    async def by_status(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            return unexpected_response()
        return error_response(_by_status(request, error), error.headers)

    app.add_exception_handler(AvermentError, named)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, by_status)


def _invalid(error: RequestValidationError) -> InvalidRequest:
    problems = [f"{'.'.join(str(part) for part in found['loc'])}: {found['msg']}" for found in error.errors()]
    return InvalidRequest(f"The request is not valid: {'; '.join(problems)}.", details={"problems": problems})


def _by_status(request: Request, error: HTTPException) -> AvermentError:
    if error.status_code == 404:
        return RouteNotFound("There is no route with that path.")
    if error.status_code == 405:
        return MethodNotAllowed(f"{request.method} is not allowed for that path.")
    return MalformedRequest("The request could not be parsed.")
