"""``averment mcp``."""

from __future__ import annotations

import click

from averment.faces.cli.options import open_workbench
from averment.faces.cli.output import emit_json, safe


@click.group(invoke_without_command=True)
@click.pass_context
def mcp(context: click.Context) -> int:
    """Serve the tools over MCP on stdin and stdout, for the program that starts this command.

    `averment serve` offers the same over streamable HTTP under /mcp.
    """
    if context.invoked_subcommand is not None:
        return 0
    from averment.faces.mcp.stdio import serve_stdio

    return serve_stdio(open_workbench(context))


@mcp.command()
@click.option(
    "--client",
    required=True,
    type=click.Choice(["claude-desktop", "cursor", "vscode"]),
    help="The program that is to start the server.",
)
@click.pass_context
def install(context: click.Context, client: str) -> int:
    """Print what goes into a client's configuration; nothing is written."""
    from pathlib import Path

    from averment.faces.mcp.clients import CLIENTS, snippet
    from averment.settings import load

    home = context.obj["home"]
    settings = load(flags={"home": Path(home) if home else None})
    made = snippet(next(known for known in CLIENTS if known == client), settings.home)
    click.echo(f"Put this into {safe(made.place)}:", err=True)
    emit_json(made.document)
    return 0
