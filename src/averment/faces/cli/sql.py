"""``averment sql``: one SELECT over sources, run under the guard and proved like an answer."""

from __future__ import annotations

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import emit_json, exit_code_of, hush, progress


@click.command()
@click.argument("query")
@click.option(
    "--source", "sources", multiple=True, help="A file, a folder of Parquet files, or a database URL; repeatable."
)
@click.option("--row-limit", type=int, default=200_000, show_default=True, help="Maximum rows of the query.")
@click.option("--timeout", type=int, default=30, show_default=True, help="Time limit of the query in seconds.")
@click.option("--allow-column", "allowed", multiple=True, help="Only these columns may be read; repeatable.")
@click.option(
    "--block-pattern", "blocked", multiple=True, help="Refuse values that match: email, ssn, … or a regular expression."
)
@click.option("--quiet", is_flag=True, help="Do not print progress to stderr.")
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
