"""``averment migrate-home``: from a laptop's database to a team's."""

from __future__ import annotations

import click

from averment.faces.cli.options import json_option
from averment.faces.cli.output import emit_json, say


@click.command(name="migrate-home")
@click.argument("database_url", metavar="POSTGRES_URL")
@json_option
@click.pass_context
def migrate_home(context: click.Context, database_url: str, as_json: bool) -> int:
    """Copy everything the home's own database holds into the empty database at POSTGRES_URL, and compare the two.

    It is done in one transaction: all of it comes over, or nothing does. The home's files and its ledger stay where
    they are; from then on work with AVERMENT_DATABASE_URL set. Stop servers and workers of this home first.
    """
    from pathlib import Path

    from averment.errors import InvalidSettings
    from averment.settings import load
    from averment.store.carry import carry_over
    from averment.store.database import Database

    home = context.obj["home"]
    settings = load(flags={"home": Path(home) if home else None})
    if not (settings.home / "db").is_dir():
        raise InvalidSettings(f"The folder {settings.home} holds no database.", hint="Name the home with --home.")
    source = Database.open(settings.model_copy(update={"database_url": None}))
    try:
        target = Database.open(settings.model_copy(update={"database_url": database_url}))
        try:
            told = None if as_json else lambda name, count: click.echo(f"{name}: {count}", err=True)
            counts = carry_over(source, target, on_table=told)
        finally:
            target.close()
    finally:
        source.close()
    if as_json:
        emit_json({"rows": counts})
    else:
        say(f"{sum(counts.values()):,} rows came over and are the same on both sides.")
        say("Set AVERMENT_DATABASE_URL to that database from now on.")
    return 0
