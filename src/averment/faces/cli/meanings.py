"""``averment teach`` and ``averment meanings list|forget``: what words mean over tables like these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from averment.faces.cli.options import json_option, open_workbench, quiet_option, source_option
from averment.faces.cli.output import answer, echo, emit_json, say_table

if TYPE_CHECKING:
    from averment.runtime.events import Listener
    from averment.runtime.outcome import Run
    from averment.store.knowledge.corrections import Correction


@click.command()
@click.argument("word")
@click.argument("means")
@source_option
@quiet_option
@json_option
@click.pass_context
def teach(context: click.Context, word: str, means: str, sources: tuple[str, ...], quiet: bool, as_json: bool) -> int:
    """Teach that WORD means MEANS: a column, a formula, a condition, or values of one column."""
    from averment.faces.cli.ask import followed

    def begin(told: Listener | None) -> Run:
        return open_workbench(context).runs.teach(word, means, sources, on_event=told)

    return followed(begin, quiet=quiet, as_json=as_json)


@click.group()
def meanings() -> None:
    """List or delete the word meanings you have taught."""


@meanings.command(name="list")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many.")
@json_option
@click.pass_context
def list_meanings(context: click.Context, limit: int, as_json: bool) -> int:
    """List the taught word meanings, newest first."""
    found = open_workbench(context).home.glossary.list(limit=limit)
    if as_json:
        emit_json({"meanings": [_document(each) for each in found]})
    elif found:
        rows = [(c.correction_id, c.word, c.kind, c.in_words, c.table, c.created_at.isoformat()[:19]) for c in found]
        say_table(("meaning", "word", "kind", "means", "table", "taught"), rows, numeric=())
    else:
        echo("No words have been taught yet.")
    return 0


@meanings.command()
@click.argument("meaning_id", metavar="[MEANING]", required=False)
@click.option("--all", "everything", is_flag=True, help="Delete all meanings.")
@json_option
@click.pass_context
def forget(context: click.Context, meaning_id: str | None, everything: bool, as_json: bool) -> int:
    """Delete MEANING, or all meanings with --all."""
    if everything == (meaning_id is not None):
        raise click.UsageError("Name a MEANING, or give --all.")
    workbench = open_workbench(context)
    if meaning_id is None:
        count = workbench.home.recipes.corrections.forget_all()
    else:
        count = int(workbench.home.glossary.forget(meaning_id))
    return answer({"forgotten": count}, f"{count} deleted.", as_json=as_json)


def _document(correction: Correction) -> dict[str, Any]:
    return correction.model_dump(mode="json", exclude={"schema_columns"})
