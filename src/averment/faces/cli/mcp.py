"""``averment mcp``."""

from __future__ import annotations

import click

from averment.faces.cli.options import load_settings, open_workbench
from averment.faces.cli.output import emit_json, safe


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
    from averment.runtime.sources import absolute

    flags = {"mcp_sources": tuple(absolute(file) for file in files)} if files else {}
    return serve_stdio(open_workbench(context, **flags))


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
    from averment.faces.mcp.clients import CLIENTS, snippet

    made = snippet(next(known for known in CLIENTS if known == client), load_settings(context).home)
    click.echo(f"Put this into {safe(made.place)}:", err=True)
    emit_json(made.document)
    return 0
