"""An HTTP request that is not let in, or that cannot be read. The workbench was not asked."""

from __future__ import annotations

from averment.errors.base import AvermentError


class WireError(AvermentError):
    """The HTTP request was rejected or could not be parsed; nothing was done."""

    code = "WIRE_ERROR"
    exit_code = 2
    http_status = 400
    default_hint = "Correct the request and send it again."


class TokenRequired(WireError):
    """The request does not carry the server's token."""

    code = "TOKEN_REQUIRED"
    http_status = 401
    default_hint = "Send `Authorization: Bearer TOKEN`; the server prints the token when it starts."


class OriginRefused(WireError):
    """The request comes from a page of another origin."""

    code = "ORIGIN_REFUSED"
    http_status = 403
    default_hint = "Only pages that this server sent may call it from a browser."


class HostRefused(WireError):
    """The request names a host that this server does not serve."""

    code = "HOST_REFUSED"
    http_status = 421
    default_hint = "Use a loopback address, or the host name that the server listens on."


class RouteNotFound(WireError):
    """There is no route with that path."""

    code = "ROUTE_NOT_FOUND"
    http_status = 404
    default_hint = "See /openapi.json for every route."


class MethodNotAllowed(WireError):
    """The path does not support that method."""

    code = "METHOD_NOT_ALLOWED"
    http_status = 405
    default_hint = "See the Allow header, or /openapi.json, for the methods of a path."


class MalformedRequest(WireError):
    """The body does not match its headers."""

    code = "MALFORMED_REQUEST"
    default_hint = "Send the fields and files as multipart/form-data."


class RequestTooSlow(WireError):
    """The body did not arrive in time."""

    code = "REQUEST_TOO_SLOW"
    http_status = 408
    retryable = True


class RequestTooLarge(WireError):
    """The request body is larger than the limit."""

    code = "REQUEST_TOO_LARGE"
    http_status = 413
    default_hint = "Send fewer or smaller files; connect larger data by path or database URL."


class TooManyRequests(WireError):
    """One address sends too many requests, or too many wrong tokens."""

    code = "TOO_MANY_REQUESTS"
    http_status = 429
    retryable = True
    default_hint = "Wait a moment, then send requests more slowly."
