"""``averment mcp``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from averment.faces.cli.options import open_workbench
from averment.faces.cli.output import emit_json, safe

if TYPE_CHECKING:
    from averment.workbench import Workbench


@click.group(invoke_without_command=True)
@click.option("--file", "files", multiple=True, metavar="FILE", help="A table to use when a request names none.")
@click.pass_context
def mcp(context: click.Context, files: tuple[str, ...]) -> int:
    """Serve the tools over MCP on stdin and stdout, for the program that starts this command.

    `averment serve` offers the same over streamable HTTP under /mcp.
    """
    if context.invoked_subcommand is not None:
        return 0
    from averment.faces.mcp.stdio import serve_stdio

    return serve_stdio(_workbench(context, files) if files else open_workbench(context))


def _workbench(context: click.Context, files: tuple[str, ...]) -> Workbench:
    """The workbench of the home that was named, with files for the clients to ask about."""
    from pathlib import Path

    from averment.runtime.sources import absolute
    from averment.settings import load
    from averment.workbench import Workbench

    home = context.obj["home"]
    flags = {"home": Path(home) if home else None, "mcp_sources": tuple(absolute(file) for file in files)}
    workbench = Workbench(settings=load(flags=flags))
    context.call_on_close(workbench.close)
    return workbench


@mcp.command()
@click.option(
    "--client",
    required=True,
    type=click.Choice(["claude-desktop", "cursor", "vscode"]),
    help="The program that will start the server.",
)
@click.pass_context
def install(context: click.Context, client: str) -> int:
    """Print the configuration for a client; nothing is written."""
    from pathlib import Path

    from averment.faces.mcp.clients import CLIENTS, snippet
    from averment.settings import load

    home = context.obj["home"]
    settings = load(flags={"home": Path(home) if home else None})
    made = snippet(next(known for known in CLIENTS if known == client), settings.home)
    click.echo(f"Put this into {safe(made.place)}:", err=True)
    emit_json(made.document)
    return 0
