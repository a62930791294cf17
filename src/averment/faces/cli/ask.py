"""``averment analyze``, ``approve``, ``resume`` and ``cancel``."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from averment.faces.cli.options import (
    answers,
    chart_option,
    json_option,
    open_workbench,
    policy_of,
    policy_options,
    quiet_option,
    run_argument,
    source_option,
    tape_option,
)
from averment.faces.cli.output import CommandOutput, echo, exit_code_of, is_verbose, progress, say_table, stop_progress

if TYPE_CHECKING:
    from averment.runtime.outcome import Run
    from averment.workbench import Workbench

ENDED = frozenset({"completed", "partial_success", "failed", "abstained", "clarification_needed", "cancelled"})
PATIENCE_SECONDS = 10.0
"""How long a cancelled run is waited for; it looks for the request several times a second."""


def follow(begin: Callable[..., Run], *, quiet: bool) -> Run:
    """The run that is begun with a listener, once it rests; its progress is told meanwhile."""
    listener = progress(quiet=quiet)
    run = begin(on_event=listener)
    stop_progress(listener)
    return run


def said(run: Run, tell: Callable[[Run], object] | None = None) -> CommandOutput:
    """What a run came to, with its exit code."""
    usual = tell_plan if run.status == "planning" else tell_run
    return CommandOutput(run.as_dict, partial(tell or usual, run), exit_code_of(run.status))


def follows(function: Callable[..., Callable[..., Run]]) -> Callable[..., int]:
    """Makes a command's function of one that gives what begins a run: with ``--json``, and given the context first."""

    @json_option
    @click.pass_context
    @wraps(function)
    def command(context: click.Context, as_json: bool, quiet: bool = False, **given: Any) -> int:
        return said(follow(function(context, **given), quiet=quiet or as_json)).say(as_json=as_json)

    return command


@click.command()
@click.argument("intent")
@source_option
@click.option("--row-limit", type=int, default=200_000, show_default=True, help="Maximum rows of a query.")
@click.option("--timeout", type=int, default=30, show_default=True, help="Time limit of the analysis in seconds.")
@click.option("--deliver", "deliverables", multiple=True, help="tables, charts, reports or summary; all by default.")
@policy_options
@click.option("--delimiter", help="Delimiter of a CSV file, if it cannot be detected.")
@click.option("--encoding", help="Encoding of a CSV file, if it cannot be detected.")
@click.option("--no-header", is_flag=True, help="The CSV file has no header row.")
@click.option("--day-first/--month-first", default=None, help="How to read 01/02/2021.")
@click.option("--decimal", type=click.Choice([".", ","]), help="The decimal separator, as in 1,234.")
@click.option("--after", metavar="RUN", help="Read INTENT as a change to the plan of this earlier run.")
@chart_option
@click.option("--agent", metavar="NAME", help="Let an agent answer that a plugin adds.")
@click.option("--plan-only", is_flag=True, help="Show the plan and wait; continue with `averment approve RUN`.")
@click.option("--open", "browser", is_flag=True, help="Open the report with its proof in a browser.")
@quiet_option
@tape_option
@json_option
@click.pass_context
def analyze(
    context: click.Context,
    intent: str,
    sources: tuple[str, ...],
    row_limit: int,
    timeout: int,
    deliverables: tuple[str, ...],
    allowed: tuple[str, ...],
    blocked: tuple[str, ...],
    delimiter: str | None,
    encoding: str | None,
    no_header: bool,
    day_first: bool | None,
    decimal: str | None,
    after: str | None,
    chart: str | None,
    agent: str | None,
    plan_only: bool,
    browser: bool,
    quiet: bool,
    tape: Path | None,
    as_json: bool,
) -> int:
    """Answer INTENT, a question about tables, with proof."""
    workbench = open_workbench(context, model_tape=tape)
    if after is not None and not sources:
        sources = workbench.runs.start.sources_of(after)
    begin = partial(
        workbench.analyze,
        intent,
        sources,
        after=after,
        chart=chart,
        agent=agent,
        row_limit=row_limit,
        timeout_seconds=timeout,
        deliverables=deliverables or ("tables", "charts", "reports", "summary"),
        policy=policy_of(allowed, blocked),
        read={
            "delimiter": delimiter,
            "encoding": encoding,
            "header": "none" if no_header else None,
            "day_first": day_first,
            "decimal": decimal,
        },
        plan_only=plan_only,
    )
    run = follow(begin, quiet=quiet or as_json)
    if browser and run.report is not None:
        _open_report(workbench, run)
    return said(run).say(as_json=as_json)


def _open_report(workbench: Workbench, run: Run) -> None:
    """Put the report of a run into a file of the system's folder for such files, and open it."""
    import tempfile
    import webbrowser

    from averment.operations import Operations

    target = Path(tempfile.mkdtemp(prefix="averment-")) / f"{run.id}.html"
    target.write_bytes(Operations(workbench).export(run.id, "html"))
    webbrowser.open(target.as_uri())


@click.command()
@run_argument
@click.argument("number", type=int, metavar="N")
@quiet_option
@follows
def choose(context: click.Context, run_id: str, number: int) -> Callable[..., Run]:
    """Run reading N of the readings that RUN offered; the choice is remembered."""
    return partial(open_workbench(context).choose, run_id, number)


@click.command()
@click.argument("plan", type=click.File("r"))
@source_option
@chart_option
@quiet_option
@follows
def plan(context: click.Context, plan: IO[str], sources: tuple[str, ...], chart: str | None) -> Callable[..., Run]:
    """Run PLAN, a file with a plan as JSON or text (`-` reads standard input)."""
    return partial(open_workbench(context).run_plan, plan.read(), sources, chart=chart)


@click.command()
@run_argument
@follows
def resume(context: click.Context, run_id: str) -> Callable[..., Run]:
    """Continue RUN where it was interrupted."""
    return partial(open_workbench(context).runs.resume, run_id)


@click.command()
@run_argument
@follows
def approve(context: click.Context, run_id: str) -> Callable[..., Run]:
    """Approve the plan of RUN and continue."""
    return partial(open_workbench(context).runs.approve, run_id)


@click.command()
@run_argument
@answers
def cancel(context: click.Context, run_id: str) -> CommandOutput:
    """Stop RUN, on whichever worker it runs."""
    workbench = open_workbench(context)
    workbench.runs.cancel(run_id)
    run = _ended(workbench, run_id)
    known = {"cancelled": "is cancelled"} | {status: f"had already ended: {status}" for status in ENDED - {"cancelled"}}
    document = {"id": run.id, "cancel_requested": True, "status": run.status}
    return CommandOutput(document, f"{run.id} {known.get(run.status, 'will stop')}.")


def _ended(workbench: Workbench, run_id: str) -> Run:
    """The run once it has ended; as it stands where nobody ends it, such as one whose process was killed."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (run := workbench.show(run_id)).status not in ENDED and time.monotonic() < until:
        time.sleep(0.1)
    return run


def tell_plan(run: Run) -> None:
    """The reading and the tasks of a run that waits for a yes."""
    echo(f"Interpreted as: {run.marks.interpretation}")
    for task in (run.tasks or {}).get("subtasks", []):
        after = f" after {', '.join(task['dependencies'])}" if task["dependencies"] else ""
        echo(f"- {task['task_id']}: {task['tool_name']}, about {task['estimated_cost_seconds']:.1f} s{after}")
        echo(f"  {task['description']}")
    echo(f"averment approve {run.id}")


def tell_offers(run: Run) -> None:
    """What each reading on offer gives, and how to take one."""
    for number, offer in enumerate(run.offers or run.rivals, start=1):
        shown = "; ".join(", ".join("" if cell is None else str(cell) for cell in row) for row in offer.rows[:3])
        more = f" … ({offer.row_count} rows)" if offer.row_count > 3 else ""
        echo(f"   {number}: {'' if run.offers else f'{offer.read_back}: '}{shown}{more}")
    echo(f"averment choose {run.id} 1")


def tell_run(run: Run) -> None:
    """The answer, the table, where the files are, and how to check it."""
    from averment.runtime.card import SHOWN_ROWS, cell_text, numeric_columns

    echo(run.answer or f"({run.status})")
    if run.offers:
        tell_offers(run)
    for line in run.marks.lines if run.answer else ():
        echo(line)
    if run.rivals and run.marks.interpretation.code == "probable":
        echo("It could also mean:")
        tell_offers(run)
    recipe = (run.reading or {}).get("recipe")
    if recipe:
        echo(f"From the recipe: {recipe['template']}")
    table = run.table
    if table is not None and table.num_rows:
        click.echo()
        shown = table.slice(0, SHOWN_ROWS).to_pylist()
        rows = [[cell_text(value) for value in row.values()] for row in shown]
        say_table(table.column_names, rows, numeric=numeric_columns(table))
        if table.num_rows > len(shown):
            echo(f"… {table.num_rows - len(shown)} more rows")
    drawn = next((a for a in run.artifacts if a.content_ref.endswith("/chart.png")), None)
    if drawn is not None:
        from averment.faces.cli.picture import tell_picture

        tell_picture(lambda: run.path_of(drawn).read_bytes())
    named = [a for a in run.artifacts if is_verbose() or a.content_ref.endswith((".md", "/chart.png"))]
    if named:
        click.echo()
        for artifact in named:
            echo(f"{artifact.artifact_type:8} {run.place_of(artifact)}")
    proof = run.proof()
    if proof.run_root:
        echo(f"proof    averment verify {run.id}")
