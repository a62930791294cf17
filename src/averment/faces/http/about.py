"""What the server says about itself: that it is there, what it serves, and which tools its agents use."""

from __future__ import annotations

from starlette.responses import Response

from averment import __version__
from averment.faces.http.access import Routes
from averment.faces.http.documents import ErrorDocument, Health, Index, ToolList
from averment.faces.http.failures import json_response

router = Routes(tags=["about"])


@router.get("/health", response_model=Health, responses={421: {"model": ErrorDocument}}, operation_id="health")
def health() -> Response:
    """Check that the server is running; needs no token."""
    return json_response({"status": "ok", "version": __version__})


@router.looks("/", Index)
def index() -> Response:
    """List the routes."""
    links = {
        "analyses": "/v1/analyses",
        "runs": "/v1/runs",
        "sessions": "/v1/sessions",
        "chat": "/v1/chat",
        "conversations": "/v1/conversations",
        "tasks": "/v1/tasks",
        "mcp": "/mcp",
        "tools": "/v1/tools",
        "openapi": "/openapi.json",
    }
    return json_response({"name": "averment", "version": __version__, "links": links})


@router.looks("/v1/tools", ToolList)
def list_tools() -> Response:
    """List the tools of the agents with their input and output schemas."""
    from averment.tools.registry import standard_registry

    return json_response({"tools": [tool.schema() for tool in standard_registry()]})
