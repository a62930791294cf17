"""``averment migrate-home``: from a laptop's database and folder to a team's."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from averment.faces.cli.options import json_option, load_settings
from averment.faces.cli.output import CommandOutput

if TYPE_CHECKING:
    from averment.settings import Settings
    from averment.store.db.migrate_home import Progress


@click.command(name="migrate-home")
@click.argument("database_url", metavar="[POSTGRES_URL]", required=False)
@click.option(
    "--files",
    "files_url",
    metavar="URL",
    help="Target of the files, such as s3://bucket/folder; AVERMENT_FILES_URL by default.",
)
@json_option
@click.pass_context
def migrate_home(context: click.Context, database_url: str | None, files_url: str | None, as_json: bool) -> int:
    """Copy the home to storage that a team shares, and compare the two.

    The rows of the home's database are copied to the empty database at POSTGRES_URL in one transaction, all or none.
    The files are copied to the files URL; each is read back and compared by its hash, and an interrupted copy can be
    restarted. The home and its ledger stay as they are. Afterwards, work with AVERMENT_DATABASE_URL and
    AVERMENT_FILES_URL set. Stop the servers and workers of this home first.
    """
    from averment.errors import InvalidSettings

    settings = load_settings(context, files_url=files_url)
    if not (settings.home / "db").is_dir():
        raise InvalidSettings(
            f"The folder {settings.home} does not contain a database.", hint="Name the home with --home."
        )
    if database_url is None and not settings.files_url:
        raise InvalidSettings("No destination was given.", hint="Name a POSTGRES_URL, or --files URL, or both.")
    told: Progress | None = None if as_json else lambda name, count: click.echo(f"{name}: {count}", err=True)
    # The files first: a file without a row is harmless, a row without its file is not.
    files = _migrate_files(settings, told) if settings.files_url else None
    rows = _carry_rows(settings, database_url, told) if database_url is not None else None
    lines = [
        f"{sum(counts.values()):,} {what} were copied and are identical on both sides.\n"
        f"From now on, set AVERMENT_{name} to that location."
        for counts, what, name in ((files, "files", "FILES_URL"), (rows, "rows", "DATABASE_URL"))
        if counts is not None
    ]
    document = {name: counts for name, counts in (("rows", rows), ("files", files)) if counts is not None}
    return CommandOutput(document, "\n".join(lines)).say(as_json=as_json)


def _carry_rows(settings: Settings, database_url: str, told: Progress | None) -> dict[str, int]:
    from averment.store.db.database import Database
    from averment.store.db.migrate_home import carry_over

    with (
        closing(Database.open(settings.model_copy(update={"database_url": None}))) as source,
        closing(Database.open(settings.model_copy(update={"database_url": database_url}))) as target,
    ):
        return carry_over(source, target, on_table=told)


def _migrate_files(settings: Settings, told: Progress | None) -> dict[str, int]:
    from averment.store.storage.configured import open_files
    from averment.store.storage.local import FileStore
    from averment.store.storage.migrate_files import migrate_files

    return migrate_files(FileStore(settings.home), open_files(settings), on_folder=told)
