"""``averment show``, ``list`` and ``export``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from averment.errors import RunInterrupted
from averment.faces.cli.options import answers, one_of, open_workbench, run_argument
from averment.faces.cli.output import CommandOutput, echo, table_or
from averment.records.base import picked

if TYPE_CHECKING:
    from averment.runtime.outcome import Run


@click.command()
@run_argument
@click.option("--report", "only_report", is_flag=True, help="Print only the report.")
@click.option("--sent", "only_sent", is_flag=True, help="Print what was sent to a model and what it returned.")
@answers
def show(context: click.Context, run_id: str, only_report: bool, only_sent: bool) -> CommandOutput:
    """Show RUN: its answer, findings, files and proof."""
    run = open_workbench(context).show(run_id)
    if only_sent:
        return CommandOutput({"id": run.id, "sent": run.sent}, lambda: _tell_sent(run))
    return CommandOutput(run.as_dict, lambda: (_tell_report if only_report else _tell)(run))


def _tell_report(run: Run) -> None:
    from averment.errors import NotEnoughEvidence

    if run.report is None:
        raise NotEnoughEvidence(f"The run {run.id} is {run.status} and has no report.")
    echo(run.report)


def _tell(run: Run) -> None:
    from averment.faces.cli.ask import tell_run

    for artifact in run.artifacts:
        run.path_of(artifact)  # A file that is not what was sealed is not pointed at either.
    echo(f"{run.id}  {run.status}  {run.created_at}")
    echo(f"Asked: {run.intent}")
    if run.error:
        echo(f"{run.error['code']}: {run.error['message']}")
    tell_run(run)


def _tell_sent(run: Run) -> None:
    """Exactly what left the machine, call by call."""
    if not run.sent:
        echo("Nothing was sent to a model.")
    for number, call in enumerate(run.sent, start=1):
        echo(f"--- call {number}: {call['purpose']}, {call['provider']} {call['model']}, {call['outcome']}")
        echo(f"    SHA-256 of what was sent, as the ledger has it: {call['prompt_sha256']}")
        echo(f"{call['system']}\n\n{call['prompt']}")
        echo(f"--- answer {number}")
        echo(str(call["answer"] or "none"))


@click.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@click.option("--status", help="Only runs with this status.")
@answers
def list_runs(context: click.Context, limit: int, status: str | None) -> CommandOutput:
    """List the runs of this home, the newest first."""
    runs = open_workbench(context).runs.list(limit=limit, status=status)
    names = ("id", "kind", "status", "intent", "created_at", "answer", "error")
    fields = [{**picked(run, *names), "sources": list(run.sources)} for run in runs]
    rows = [(r.id, r.kind, _status(r), _age(r.created_at), ", ".join(r.sources), r.intent) for r in runs]
    header = ("run", "kind", "status", "age", "source", "question")
    return CommandOutput({"runs": fields}, table_or("No runs yet.", header, rows))


def _status(run: Run) -> str:
    """The status; of a run that failed because its process ended, that it was interrupted and can be resumed."""
    interrupted = run.error is not None and run.status == "failed" and run.error["code"] == RunInterrupted.code
    return "interrupted (resume)" if interrupted else run.status


def _age(created_at: str) -> str:
    """How long ago that was, in the largest unit that fits."""
    from datetime import datetime

    moment = datetime.fromisoformat(created_at)
    seconds = max(0, int((datetime.now(moment.tzinfo) - moment).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


@click.command()
@run_argument
@click.option(
    "--to",
    "form",
    type=one_of("exports", ("html", "md", "pdf", "ipynb")),
    default="html",
    show_default=True,
    help="Output format; a notebook recomputes everything.",
)
@click.option("--out", type=click.Path(dir_okay=False), help="Output file (default: in this folder).")
@answers
def export(context: click.Context, run_id: str, form: str, out: str | None) -> CommandOutput:
    """Write RUN's report with its proof as one file."""
    from pathlib import Path

    from averment.operations import Operations
    from averment.reports.export import write_export

    bench = open_workbench(context)
    run = bench.show(run_id)
    path = Path(out) if out is not None else Path(f"averment-{run.id[:8]}.{form}")
    write_export(Operations(bench).export(run.id, form), path)
    return CommandOutput({"path": str(path), "format": form, "size_bytes": path.stat().st_size}, str(path))


@click.command()
@run_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@answers
def forget(context: click.Context, run_id: str, yes: bool) -> CommandOutput:
    """Delete RUN with its results, artifacts and uploads; its ledger entries are kept."""
    from averment.operations import Operations

    bench = open_workbench(context)
    run = bench.show(run_id)
    if not yes:
        click.confirm(f"Delete the run {run.id} ({run.intent[:80]})?", abort=True)
    Operations(bench).forget(run.id)
    return CommandOutput({"forgotten": run.id}, f"The run {run.id} was deleted; the ledger keeps its entries.")
