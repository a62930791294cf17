"""``averment sql``: one SELECT over sources, run under the guard and proved like an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from averment.faces.cli.options import (
    json_option,
    open_workbench,
    policy_of,
    policy_options,
    quiet_option,
    source_option,
)

if TYPE_CHECKING:
    from averment.runtime.events import Listener
    from averment.runtime.outcome import Run


@click.command()
@click.argument("query")
@source_option
@click.option("--row-limit", type=int, default=200_000, show_default=True, help="Maximum rows of the query.")
@click.option("--timeout", type=int, default=30, show_default=True, help="Time limit of the query in seconds.")
@policy_options
@quiet_option
@json_option
@click.pass_context
def sql(
    context: click.Context,
    query: str,
    sources: tuple[str, ...],
    row_limit: int,
    timeout: int,
    allowed: tuple[str, ...],
    blocked: tuple[str, ...],
    quiet: bool,
    as_json: bool,
) -> int:
    """Run QUERY, one SELECT, exactly as written; each file is a table with the file's name."""
    from averment.faces.cli.ask import followed

    policy = policy_of(allowed, blocked)

    def begin(told: Listener | None) -> Run:
        return open_workbench(context).sql(
            query, sources, row_limit=row_limit, timeout_seconds=timeout, policy=policy, on_event=told
        )

    return followed(begin, quiet=quiet, as_json=as_json)
