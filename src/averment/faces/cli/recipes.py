"""``averment recipes list|show|forget``: what worked."""

from __future__ import annotations

import click

from averment.faces.cli.options import answers, forgets, limit_option, open_workbench
from averment.faces.cli.output import CommandOutput, table_or

HIDDEN = frozenset({"intent_embedding"})


@click.group()
def recipes() -> None:
    """List, show or delete recipes learned from earlier runs."""


@recipes.command(name="list")
@limit_option
@answers
def list_recipes(context: click.Context, limit: int) -> CommandOutput:
    """List the recipes, most recently used first."""
    found = open_workbench(context).home.recipes.list(limit=limit)
    rows = [(r.recipe_id, str(r.success_count), r.last_used_at.isoformat()[:19], r.intent_template) for r in found]
    document = {"recipes": [recipe.model_dump(mode="json", exclude=set(HIDDEN)) for recipe in found]}
    header = ("recipe", "successes", "last used", "template")
    return CommandOutput(document, table_or("No recipes yet.", header, rows, numeric=(False, True)))


@recipes.command()
@click.argument("recipe_id", metavar="RECIPE")
@answers
def show(context: click.Context, recipe_id: str) -> CommandOutput:
    """Show RECIPE: its template, its reading and its tasks."""
    from averment.errors import RunNotFound

    recipe = open_workbench(context).home.recipes.get(recipe_id)
    if recipe is None:
        raise RunNotFound(f"There is no recipe {recipe_id}.", hint="See `averment recipes list`.")
    lines = (
        f"{recipe.recipe_id}  used {recipe.success_count} times",
        f"Template: {recipe.intent_template}",
        f"Interpreted as: {recipe.plan_structure.get('in_words', '')}",
    )
    return CommandOutput(recipe.model_dump(mode="json", exclude=set(HIDDEN)), "\n".join(lines))


@recipes.command()
@forgets("recipe")
def forget(context: click.Context, recipe_id: str | None) -> int:
    """Delete RECIPE, or all recipes with --all."""
    store = open_workbench(context).home.recipes
    return store.forget_all() if recipe_id is None else int(store.forget(recipe_id))
