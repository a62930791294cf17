"""``averment mcp``: the tools and reports of a home for the one program that started this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.workbench import Workbench


def serve_stdio(workbench: Workbench) -> int:
    """Serve until the client closes stdin, and return the exit code; closing the workbench is the caller's."""
    import anyio

    anyio.run(workbench.home.mcp_server().run_stdio_async)
    return 0
