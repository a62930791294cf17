"""``averment verify`` and ``replay``."""

from __future__ import annotations

import click

from averment.faces.cli.options import answers, json_option, open_workbench, run_argument
from averment.faces.cli.output import CommandOutput, progress


@click.command()
@click.argument("run_id", metavar="[RUN]", required=False)
@click.option(
    "--source", "sources", multiple=True, type=click.Path(), help="New path of a source that has moved; repeatable."
)
@click.option("--ledger", "ledger_file", type=click.Path(), help="Verify this ledger file on its own, offline.")
@click.option(
    "--key",
    "keys",
    multiple=True,
    help="The public key you trust for the ledger, instead of the one next to the file; repeatable.",
)
@answers
def verify(
    context: click.Context,
    run_id: str | None,
    sources: tuple[str, ...],
    ledger_file: str | None,
    keys: tuple[str, ...],
) -> CommandOutput:
    """Recompute every number of RUN from its sources, or check a ledger file. Exit code 5 means that a check failed.

    RUN may be an exported report such as report.html; verifying it needs only the file and its sources. Without the
    sources no number can be recomputed, which exit code 3 says.
    """
    if ledger_file is not None:
        if len(keys) > 1:
            raise click.UsageError("A ledger file has one signing key; give --key once.")
        return _verify_ledger(ledger_file, keys[0] if keys else None)
    if run_id is None:
        raise click.UsageError("Name a RUN, or a file with --ledger.")
    workbench = open_workbench(context)
    if run_id.lower().endswith((".html", ".htm")):
        verdict = workbench.ledger.verify_report(run_id, sources=sources, keys=keys)
    else:
        verdict = workbench.verify(run_id, keys=keys, sources=sources)
    lines = [f"{'ok  ' if check.ok else 'FAIL'}  {check.subject}: {check.detail}" for check in verdict.checks]
    lines += [] if verdict.note is None else [verdict.note]
    lines += verdict.summary
    document = {**verdict.model_dump(mode="json"), "ok": verdict.ok}
    recomputed = verdict.marks is None or verdict.marks.figures.state != "missing"
    return CommandOutput(document, "\n".join(lines), 5 if not verdict.ok else 0 if recomputed else 3)


def _verify_ledger(path: str, key: str | None) -> CommandOutput:
    from pathlib import Path

    from averment.ledger.verify import verify_file

    report = verify_file(Path(path), key=key)
    return CommandOutput(report.as_dict(), report.as_text(), 0 if report.ok else 5)


@click.command()
@run_argument
@json_option
@click.pass_context
def replay(context: click.Context, run_id: str, as_json: bool) -> int:
    """Run RUN's recorded plan again, without any model, and compare every byte of its output."""
    again, different = open_workbench(context).runs.replay(run_id, on_event=progress(quiet=as_json))
    document = {"run": run_id, "replay": again.id, "same": not different, "different": list(different)}
    if different:
        return CommandOutput(document, f"The replay {again.id} differs in: {', '.join(different)}.", 5).say(
            as_json=as_json
        )
    words = f"The replay {again.id} produced the same bytes: answer and {len(again.artifacts)} artifacts."
    return CommandOutput(document, words).say(as_json=as_json)
