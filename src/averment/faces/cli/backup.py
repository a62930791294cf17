"""``averment backup`` and ``averment restore``: a home in one folder, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from averment.faces.cli.options import answers, json_option, load_settings
from averment.faces.cli.output import CommandOutput

if TYPE_CHECKING:
    from averment.settings import Settings

NOT_VERIFIED = 5
programs_option = click.option(
    "--postgres-programs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of pg_dump and pg_restore, if they are not on the PATH.",
)


@click.command()
@click.argument("target", type=click.Path(path_type=Path, file_okay=False))
@programs_option
@json_option
@click.pass_context
def backup(context: click.Context, target: Path, postgres_programs: Path | None, as_json: bool) -> None:
    """Copy the home into the new folder TARGET: database, files, ledger and keys, with the hash of every file.

    Servers and workers may keep running; a run in progress continues in the restored home from the state in the copy.
    If the state is on Postgres, pg_dump copies its database. The backup contains the signing key: keep it private.
    """
    from averment.runtime.backup import make_backup

    told = None if as_json else lambda name, count: click.echo(f"{name}: {count}", err=True)
    made = make_backup(load_settings(context), target, programs=postgres_programs, on_part=told)
    document = {"target": str(target), "files": len(made.files), "bytes": made.size, "database": made.database}
    words = f"{len(made.files):,} files with {made.size:,} bytes were written to {target}."
    CommandOutput(document, words).say(as_json=as_json)


@click.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--verify",
    "count",
    type=click.IntRange(0, 1_000),
    default=10,
    show_default=True,
    help="How many of the newest runs to verify.",
)
@programs_option
@answers
def restore(context: click.Context, source: Path, count: int, postgres_programs: Path | None) -> CommandOutput:
    """Restore the backup in the folder SOURCE as the home, which must not exist yet, and verify it.

    Every file is compared with its hash, then the ledger and the newest finished runs are verified. A backup from
    Postgres is restored into the empty database that AVERMENT_DATABASE_URL names.
    """
    from averment.runtime.backup import restore_backup

    settings = load_settings(context)
    manifest = restore_backup(source, settings, programs=postgres_programs)
    told = _verified(settings, count)
    wrong = [run for run in told if not run["ok"]]
    lines = [
        f"{len(manifest.files):,} files were restored as of {manifest.made_at}; the ledger verifies.",
        f"{len(told) - len(wrong)} of the {len(told)} newest finished runs verify.",
        *(f"{run['run_id']}: {run['fault']}" for run in wrong),
    ]
    document = {"home": str(settings.home), "files": len(manifest.files), "made_at": manifest.made_at, "runs": told}
    return CommandOutput(document, "\n".join(lines), NOT_VERIFIED if wrong else 0)


def _verified(settings: Settings, count: int) -> list[dict[str, Any]]:
    from averment.workbench import Workbench

    if not count:
        return []
    with Workbench(settings=settings) as workbench:
        told: list[dict[str, Any]] = []
        for run in workbench.runs.list(limit=count, status="completed"):
            verdict = workbench.verify(run.id)
            fault = "" if verdict.ok else f"{verdict.faults[0].subject}: {verdict.faults[0].detail}"
            told.append({"run_id": run.id, "ok": verdict.ok, "fault": fault})
        return told
