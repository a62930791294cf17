"""``averment users add|list|revoke``: who may come in beside the owner, each with a token of their own."""

from __future__ import annotations

import click

from averment.faces.cli.options import answers, open_workbench
from averment.faces.cli.output import CommandOutput, echo, table_or


@click.group()
def users() -> None:
    """Add, list or revoke users of this home, each with their own token."""


@users.command(name="add")
@click.argument("name")
@click.option("--group", help="A group whose members share all their data.")
@answers
def add_user(context: click.Context, name: str, group: str | None) -> CommandOutput:
    """Create a token for a user and print it once."""
    token = open_workbench(context).home.users.add(name, group=group)

    def tell() -> None:
        click.echo(token)
        click.echo("Save it now: only its hash is stored.", err=True)

    return CommandOutput({"user": name, "group": group, "token": token}, tell)


@users.command(name="list")
@answers
def list_users(context: click.Context) -> CommandOutput:
    """List the users and the state of their tokens."""
    found = open_workbench(context).home.users.list()
    document = [
        {
            "user": one.user_id,
            "group": one.group,
            "created_at": one.created_at.isoformat(),
            "revoked_at": None if one.revoked_at is None else one.revoked_at.isoformat(),
        }
        for one in found
    ]
    rows = [
        (one.user_id, one.group or "", one.created_at.isoformat()[:19], "revoked" if one.revoked_at else "active")
        for one in found
    ]
    return CommandOutput({"users": document}, table_or("No users yet.", ("user", "group", "since", "token"), rows))


@users.command(name="revoke")
@click.argument("name")
@click.pass_context
def revoke_user(context: click.Context, name: str) -> int:
    """Revoke all tokens of a user; the user's data is kept."""
    ended = open_workbench(context).home.users.revoke(name)
    echo(f"Tokens revoked: {ended}.")
    return 0
