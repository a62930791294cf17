"""``averment show``, ``list`` and ``export``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from averment.faces.cli.options import json_option, one_of, open_workbench, run_argument
from averment.faces.cli.output import answer, echo, emit_json, say_table

if TYPE_CHECKING:
    from averment.runtime.outcome import Run


@click.command()
@run_argument
@click.option("--report", "only_report", is_flag=True, help="Print only the report.")
@click.option("--sent", "only_sent", is_flag=True, help="Print what was sent to a model and what it returned.")
@json_option
@click.pass_context
def show(context: click.Context, run_id: str, only_report: bool, only_sent: bool, as_json: bool) -> int:
    """Show RUN: its answer, findings, files and proof."""
    from averment.errors import NotEnoughEvidence
    from averment.faces.cli.ask import tell_run

    run = open_workbench(context).show(run_id)
    if only_sent:
        return _tell_sent(run, as_json=as_json)
    if as_json:
        emit_json(run.as_dict())
        return 0
    if only_report:
        if run.report is None:
            raise NotEnoughEvidence(f"The run {run.id} is {run.status} and has no report.")
        echo(run.report)
        return 0
    for artifact in run.artifacts:
        run.path_of(artifact)  # A file that is not what was sealed is not pointed at either.
    echo(f"{run.id}  {run.status}  {run.created_at}")
    echo(f"Asked: {run.intent}")
    if run.error:
        echo(f"{run.error['code']}: {run.error['message']}")
    tell_run(run)
    return 0


def _tell_sent(run: Run, *, as_json: bool) -> int:
    """Exactly what left the machine, call by call."""
    if as_json:
        emit_json({"id": run.id, "sent": run.sent})
        return 0
    if not run.sent:
        echo("Nothing was sent to a model.")
    for number, call in enumerate(run.sent, start=1):
        echo(f"--- call {number}: {call['purpose']}, {call['provider']} {call['model']}, {call['outcome']}")
        echo(f"    SHA-256 of what was sent, as the ledger has it: {call['prompt_sha256']}")
        echo(f"{call['system']}\n\n{call['prompt']}")
        echo(f"--- answer {number}")
        echo(str(call["answer"] or "none"))
    return 0


@click.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@click.option("--status", help="Only runs with this status.")
@json_option
@click.pass_context
def list_runs(context: click.Context, limit: int, status: str | None, as_json: bool) -> int:
    """List the runs of this home, the newest first."""
    runs = open_workbench(context).runs.list(limit=limit, status=status)
    if as_json:
        fields = [
            {
                "id": run.id,
                "kind": run.kind,
                "status": run.status,
                "sources": list(run.sources),
                "intent": run.intent,
                "created_at": run.created_at,
                "answer": run.answer,
            }
            for run in runs
        ]
        emit_json({"runs": fields})
    elif runs:
        rows = [(r.id, r.kind, r.status, _age(r.created_at), ", ".join(r.sources), r.intent) for r in runs]
        say_table(("run", "kind", "status", "age", "source", "question"), rows)
    else:
        echo("No runs yet.")
    return 0


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
@json_option
@click.pass_context
def export(context: click.Context, run_id: str, form: str, out: str | None, as_json: bool) -> int:
    """Write RUN's report with its proof as one file."""
    from pathlib import Path

    from averment.operations import Operations
    from averment.reports.export import write_export

    bench = open_workbench(context)
    run = bench.show(run_id)
    path = Path(out) if out is not None else Path(f"averment-{run.id[:8]}.{form}")
    write_export(Operations(bench).export(run.id, form), path)
    return answer({"path": str(path), "format": form, "size_bytes": path.stat().st_size}, str(path), as_json=as_json)


@click.command()
@run_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def forget(context: click.Context, run_id: str, yes: bool, as_json: bool) -> int:
    """Delete RUN with its results, artifacts and uploads; its ledger entries are kept."""
    from averment.operations import Operations

    bench = open_workbench(context)
    run = bench.show(run_id)
    if not yes:
        click.confirm(f"Delete the run {run.id} ({run.intent[:80]})?", abort=True)
    Operations(bench).forget(run.id)
    return answer(
        {"forgotten": run.id}, f"The run {run.id} was deleted; the ledger keeps its entries.", as_json=as_json
    )
