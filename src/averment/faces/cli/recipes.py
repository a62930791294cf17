"""``averment recipes list|show|forget``: what worked."""

from __future__ import annotations

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import answer, echo, emit_json, say_table

HIDDEN = frozenset({"intent_embedding"})


@click.group()
def recipes() -> None:
    """List, show or delete recipes learned from earlier runs."""


@recipes.command(name="list")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many.")
@json_option
@click.pass_context
def list_recipes(context: click.Context, limit: int, as_json: bool) -> int:
    """List the recipes, most recently used first."""
    found = open_workbench(context).home.recipes.list(limit=limit)
    if as_json:
        emit_json({"recipes": [recipe.model_dump(mode="json", exclude=set(HIDDEN)) for recipe in found]})
        return 0
    if found:
        rows = [(r.recipe_id, str(r.success_count), r.last_used_at.isoformat()[:19], r.intent_template) for r in found]
        say_table(("recipe", "successes", "last used", "template"), rows, numeric=(False, True))
    else:
        echo("No recipes yet.")
    return 0


@recipes.command()
@click.argument("recipe_id", metavar="RECIPE")
@json_option
@click.pass_context
def show(context: click.Context, recipe_id: str, as_json: bool) -> int:
    """Show RECIPE: its template, its reading and its tasks."""
    from averment.errors import RunNotFound

    recipe = open_workbench(context).home.recipes.get(recipe_id)
    if recipe is None:
        raise RunNotFound(f"There is no recipe {recipe_id}.", hint="See `averment recipes list`.")
    body = recipe.model_dump(mode="json", exclude=set(HIDDEN))
    if as_json:
        emit_json(body)
    else:
        echo(f"{recipe.recipe_id}  used {recipe.success_count} times")
        echo(f"Template: {recipe.intent_template}")
        echo(f"Read as: {recipe.plan_structure.get('in_words', '')}")
    return 0


@recipes.command()
@click.argument("recipe_id", metavar="[RECIPE]", required=False)
@click.option("--all", "everything", is_flag=True, help="Delete all recipes.")
@json_option
@click.pass_context
def forget(context: click.Context, recipe_id: str | None, everything: bool, as_json: bool) -> int:
    """Delete RECIPE, or all recipes with --all."""
    if everything == (recipe_id is not None):
        raise click.UsageError("Name a RECIPE, or give --all.")
    store = open_workbench(context).home.recipes
    count = store.forget_all() if recipe_id is None else int(store.forget(recipe_id))
    return answer({"forgotten": count}, f"{count} deleted.", as_json=as_json)
