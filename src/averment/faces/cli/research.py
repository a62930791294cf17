"""``averment research``: what sources say and where they disagree, every sentence with its place."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from averment.faces.cli.ask import follow, said
from averment.faces.cli.options import json_option, one_of, open_workbench, quiet_option, tape_option
from averment.faces.cli.output import echo
from averment.settings import WEB_PROVIDERS

if TYPE_CHECKING:
    from averment.runtime.outcome import Run

PROVIDERS = one_of("providers", ("corpus", *WEB_PROVIDERS))


@click.command()
@click.argument("question", required=False)
@click.option("--corpus", "places", multiple=True, metavar="PATH|URL", help="Add this to the corpus first; repeatable.")
@click.option("--in", "corpora", multiple=True, metavar="NAME", help="Search the corpus with this name; repeatable.")
@click.option(
    "--depth",
    type=click.Choice(["quick", "standard", "comprehensive"]),
    default="standard",
    show_default=True,
    help="How many sub-questions to ask, and how many levels deep.",
)
@click.option(
    "--provider",
    "providers",
    multiple=True,
    type=PROVIDERS,
    help="Where to search; repeatable. Default: the setting search_provider; corpus stays on this machine.",
)
@click.option("--since", metavar="DAY", help="Web sources from this day (2024-01-31) or later only.")
@click.option("--until", metavar="DAY", help="Web sources from this day or earlier only.")
@click.option("--site", metavar="HOST", help="Web sources from this host only.")
@click.option("--language", metavar="CODE", help="Web sources in this language only, for example en.")
@click.option(
    "--timeout",
    type=click.IntRange(1, 3600),
    metavar="SECONDS",
    help="Time limit of the search. Default: depends on the depth.",
)
@click.option("--resume", "run_id", metavar="RUN", help="Continue an earlier research run instead of asking.")
@quiet_option
@tape_option
@json_option
@click.pass_context
def research(
    context: click.Context,
    question: str | None,
    places: tuple[str, ...],
    corpora: tuple[str, ...],
    depth: str,
    providers: tuple[str, ...],
    since: str | None,
    until: str | None,
    site: str | None,
    language: str | None,
    timeout: int | None,
    run_id: str | None,
    quiet: bool,
    tape: Path | None,
    as_json: bool,
) -> int:
    """Find out what the sources say about QUESTION and where they disagree.

    It searches the corpora named with --in, and the files, folders and pages named with --corpus, which are archived
    first. Without either, it searches the corpus named default.
    """
    if (question is None) == (run_id is None):
        raise click.UsageError("Give a question, or --resume RUN.")
    workbench = open_workbench(context, model_tape=tape)
    begin = partial(
        workbench.research,
        question or "",
        corpus=places,
        corpora=corpora,
        depth=depth,
        providers=providers,
        narrowing={"since": since, "until": until, "site": site, "language": language},
        timeout=timeout,
    )
    run = follow(begin if run_id is None else partial(workbench.runs.resume, run_id), quiet=quiet or as_json)
    return said(run, _tell).say(as_json=as_json)


def _tell(run: Run) -> None:
    echo(run.answer or f"({run.status})")
    if run.artifacts:
        click.echo()
        for artifact in run.artifacts:
            echo(f"{artifact.artifact_type:8} {run.place_of(artifact)}")
    if run.proof().run_root:
        echo(f"proof    averment verify {run.id}")
