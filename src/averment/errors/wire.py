"""An HTTP request that is not let in, or that cannot be read. The workbench was not asked."""

from __future__ import annotations

from averment.errors.base import AvermentError


class WireError(AvermentError, exit_code=2, http_status=400, hint="Correct the request and send it again."):
    """The HTTP request was rejected or could not be parsed; nothing was done."""


class TokenRequired(
    WireError, http_status=401, hint="Send `Authorization: Bearer TOKEN`; the server prints the token when it starts."
):
    """The request does not carry the server's token."""


class OriginRefused(WireError, http_status=403, hint="Only pages that this server sent may call it from a browser."):
    """The request comes from a page of another origin."""


class HostRefused(
    WireError, http_status=421, hint="Use a loopback address, or the host name that the server listens on."
):
    """The request names a host that this server does not serve."""


class RouteNotFound(WireError, http_status=404, hint="See /openapi.json for every route."):
    """There is no route with that path."""


class MethodNotAllowed(
    WireError, http_status=405, hint="See the Allow header, or /openapi.json, for the methods of a path."
):
    """The path does not support that method."""


class MalformedRequest(WireError, hint="Send the fields and files as multipart/form-data."):
    """The body does not match its headers."""


class RequestTooSlow(WireError, http_status=408, retryable=True):
    """The body did not arrive in time."""


class RequestTooLarge(
    WireError, http_status=413, hint="Send fewer or smaller files; connect larger data by path or database URL."
):
    """The request body is larger than the limit."""


class TooManyRequests(
    WireError, http_status=429, retryable=True, hint="Wait a moment, then send requests more slowly."
):
    """One address sends too many requests, or too many wrong tokens."""
