"""``averment sql``: one SELECT over sources, run under the guard and proved like an answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from averment.faces.cli.ask import follows
from averment.faces.cli.options import open_workbench, policy_of, policy_options, quiet_option, source_option

if TYPE_CHECKING:
    from averment.runtime.outcome import Run


@click.command()
@click.argument("query")
@source_option
@click.option("--row-limit", type=int, default=200_000, show_default=True, help="Maximum rows of the query.")
@click.option("--timeout", type=int, default=30, show_default=True, help="Time limit of the query in seconds.")
@policy_options
@quiet_option
@follows
def sql(
    context: click.Context,
    query: str,
    sources: tuple[str, ...],
    row_limit: int,
    timeout: int,
    allowed: tuple[str, ...],
    blocked: tuple[str, ...],
) -> Callable[..., Run]:
    """Run QUERY, one SELECT, exactly as written; each file is a table with the file's name."""
    policy = policy_of(allowed, blocked)
    return partial(
        open_workbench(context).sql, query, sources, row_limit=row_limit, timeout_seconds=timeout, policy=policy
    )
