"""``averment teach`` and ``averment meanings list|forget``: what words mean over tables like these."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from averment.faces.cli.ask import follows
from averment.faces.cli.options import answers, forgets, limit_option, open_workbench, quiet_option, source_option
from averment.faces.cli.output import CommandOutput, table_or

if TYPE_CHECKING:
    from averment.runtime.outcome import Run


@click.command()
@click.argument("word")
@click.argument("means")
@source_option
@quiet_option
@follows
def teach(context: click.Context, word: str, means: str, sources: tuple[str, ...]) -> Callable[..., Run]:
    """Teach that WORD means MEANS: a column, a formula, a condition, or values of one column."""
    return partial(open_workbench(context).runs.teach, word, means, sources)


@click.group()
def meanings() -> None:
    """List or delete the word meanings you have taught."""


@meanings.command(name="list")
@limit_option
@answers
def list_meanings(context: click.Context, limit: int) -> CommandOutput:
    """List the taught word meanings, newest first."""
    found = open_workbench(context).home.glossary.list(limit=limit)
    rows = [(c.correction_id, c.word, c.kind, c.in_words, c.table, c.created_at.isoformat()[:19]) for c in found]
    header = ("meaning", "word", "kind", "means", "table", "taught")
    document = {"meanings": [each.model_dump(mode="json", exclude={"schema_columns"}) for each in found]}
    return CommandOutput(document, table_or("No words have been taught yet.", header, rows))


@meanings.command()
@forgets("meaning")
def forget(context: click.Context, meaning_id: str | None) -> int:
    """Delete MEANING, or all meanings with --all."""
    home = open_workbench(context).home
    return home.recipes.corrections.forget_all() if meaning_id is None else int(home.glossary.forget(meaning_id))
