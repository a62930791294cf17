"""``averment rows``: from a cell of a result to the rows of its source, with their lines in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from averment.faces.cli.options import answers, open_workbench, run_argument
from averment.faces.cli.output import CommandOutput, echo, say_table

if TYPE_CHECKING:
    from averment.workbench.rows_behind import RowsBehind


@click.command()
@run_argument
@click.argument("row", type=click.IntRange(min=1), default=1)
@click.argument("column", required=False)
@click.option("--page", type=click.IntRange(min=1), default=1, show_default=True, help="Page number.")
@click.option("--size", type=click.IntRange(1, 500), default=50, show_default=True, help="Rows per page.")
@click.option("--hashes", is_flag=True, help="Also show the query and the hashes.")
@answers
def rows(
    context: click.Context, run_id: str, row: int, column: str | None, page: int, size: int, hashes: bool
) -> CommandOutput:
    """Show the source rows behind a cell of RUN's result: its ROW, starting at 1, and COLUMN, by default the last.

    The figure is computed of them again; exit code 5 says that it differs.
    """
    found = open_workbench(context).runs.rows_behind(run_id, row, column, page=page, size=size)
    return CommandOutput(found.as_dict, lambda: _tell(found, hashes=hashes), 5 if found.same is False else 0)


def _tell(found: RowsBehind, *, hashes: bool) -> None:
    echo(found.told)
    header = ("line" if any(one.line for one in found.rows) else "row", *found.columns)
    body = [
        (str(one.line or one.place), *("" if cell is None else str(cell) for cell in one.cells)) for one in found.rows
    ]
    say_table(header, body, numeric=(True,))
    if found.pages > 1:
        echo(f"Page {found.page} of {found.pages}.")
    if found.hidden:
        echo(f"Not shown, by the run's policy: {', '.join(found.hidden)}.")
    if hashes:
        echo(f"Source SHA-256: {found.source_sha256}\nQuery SHA-256: {found.query_hash}\n{found.sql}")
