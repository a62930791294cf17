"""``averment sql``: one SELECT over sources, run under the guard and proved like an answer."""

from __future__ import annotations

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import emit_json, exit_code_of, hush, progress


@click.command()
@click.argument("query")
@click.option("--source", "sources", multiple=True, help="A file, a folder of Parquet, or a database URL; repeatable.")
@click.option("--row-limit", type=int, default=200_000, show_default=True, help="Rows the query may return.")
@click.option("--timeout", type=int, default=30, show_default=True, help="Seconds the query may take.")
@click.option("--allow-column", "allowed", multiple=True, help="Only these columns may be read; repeatable.")
@click.option("--block-pattern", "blocked", multiple=True, help="email, ssn, … or a regular expression to refuse.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
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
    """Run QUERY, one SELECT, as it is written; a file is a table of its own name."""
    from averment.faces.cli.ask import tell_run

    policy: dict[str, object] = {"blocked_patterns": blocked}
    if allowed:
        policy["allowed_columns"] = allowed
    listener = progress(quiet=quiet or as_json)
    run = open_workbench(context).sql(
        query, sources, row_limit=row_limit, timeout_seconds=timeout, policy=policy, on_event=listener
    )
    hush(listener)
    if as_json:
        emit_json(run.as_dict())
    else:
        tell_run(run)
    return exit_code_of(run.status)
