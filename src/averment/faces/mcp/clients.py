"""What to write into a client's configuration so that it starts ``averment mcp``."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Client = Literal["claude-desktop", "cursor", "vscode"]
CLIENTS: tuple[Client, ...] = ("claude-desktop", "cursor", "vscode")

_PLACES: dict[Client, str] = {
    "claude-desktop": "claude_desktop_config.json (Settings, Developer, Edit Config)",
    "cursor": ".cursor/mcp.json of the project, or of your home folder",
    "vscode": ".vscode/mcp.json of the project",
}


@dataclass(frozen=True, slots=True)
class Snippet:
    """The configuration, and where it goes."""

    place: str
    document: dict[str, Any]


def snippet(client: Client, home: Path) -> Snippet:
    """What makes this client start the server over that home."""
    arguments = ["--home", str(home.resolve()), "mcp"]
    command = shutil.which("averment")
    if command is None:
        # Installed where no shell looks: the interpreter that runs this can always start it.
        command, arguments = sys.executable, ["-m", "averment", *arguments]
    started: dict[str, Any] = {"command": command, "args": arguments}
    if client == "vscode":
        return Snippet(_PLACES[client], {"servers": {"averment": {"type": "stdio", **started}}})
    return Snippet(_PLACES[client], {"mcpServers": {"averment": started}})
