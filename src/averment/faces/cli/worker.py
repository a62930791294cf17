"""``averment worker``: a process that carries out what others begin."""

from __future__ import annotations

import click

from averment.faces.cli.options import answers, load_settings, open_workbench
from averment.faces.cli.output import CommandOutput, say_table


@click.group(invoke_without_command=True)
@click.option(
    "--drain-seconds",
    type=click.IntRange(0, 86_400),
    default=60,
    show_default=True,
    help="Time to finish current runs after a stop signal; other workers take over the rest.",
)
@click.pass_context
def worker(context: click.Context, drain_seconds: int) -> int | None:
    """Execute runs from the queue until SIGTERM or SIGINT.

    Workers share a database (AVERMENT_DATABASE_URL) and the home's files. To queue runs for them, set
    AVERMENT_RUNS_ON=workers or use `averment serve --workers`.
    """
    if context.invoked_subcommand is not None:
        return None
    import logging
    import signal
    import threading

    from averment.faces.cli.logs import write_log
    from averment.workbench import Workbench

    settings = load_settings(context)
    write_log(settings.log_format)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with Workbench(settings=settings, role="worker") as workbench:
        logging.getLogger("averment.worker").info("ready, %d runs side by side", settings.worker_concurrency)
        workbench.home.work(stop, drain_seconds=drain_seconds)
    return 0


@worker.command("list")
@answers
def list_workers(context: click.Context) -> CommandOutput:
    """List the workers that execute runs of this database now."""
    from dataclasses import asdict

    found = open_workbench(context).home.workers()
    rows = [(one.worker_id, one.host, one.role, f"{one.running}/{one.concurrency}", one.started_at) for one in found]
    header = ("worker", "host", "role", "running", "since")
    return CommandOutput([asdict(one) for one in found], lambda: say_table(header, rows))
