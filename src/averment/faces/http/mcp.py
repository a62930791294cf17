"""``/mcp``: the MCP server behind this face's door, so that token, host and origin are asked for as everywhere."""

from __future__ import annotations

import ipaddress

from starlette.routing import Route

from averment.faces.http.access import UserBenches
from averment.faces.http.door import USER
from averment.tools.mcp_http import LOOPBACK, McpEndpoint
from averment.tools.mcp_server import Server
from averment.workbench import Workbench

PATH = "/mcp"


def mcp_endpoint(workbench: Workbench, benches: UserBenches) -> McpEndpoint:
    """The endpoint over a workbench; it answers to the names that the door answers to, each user with their own."""
    hosts = _hosts(workbench.settings.http_host, workbench.settings.http_names)

    def make(user: str | None) -> Server:
        return workbench.home.mcp_server(remote=True) if user is None else benches.of(user).home.mcp_server()

    return McpEndpoint(make, hosts=hosts, user_of=lambda scope: (scope.get("state") or {}).get(USER))


def mcp_route(endpoint: McpEndpoint) -> Route:
    """Where the endpoint is mounted."""
    return Route(PATH, endpoint=endpoint, include_in_schema=False)


def _hosts(configured: str, names: tuple[str, ...]) -> tuple[str, ...] | None:
    bare = configured.strip("[]")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return (*LOOPBACK, configured, *names)
    if address.is_unspecified:
        return None  # Any address of the machine is right then; the door has refused every name.
    return (*LOOPBACK, f"[{bare}]" if address.version == 6 else bare, *names)
