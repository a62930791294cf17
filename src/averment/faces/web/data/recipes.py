"""What was learned: recipes of earlier runs and taught words; see them, forget one, forget all recipes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from averment.errors import InvalidRequest, SourceNotFound
from averment.faces.web.shell.access import Bench, Fields
from averment.faces.web.shell.pages import PageRoute, go, show

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SHOWN = 30
MOST = 10_000
MOST_TAUGHT = 200


@router.get("/recipes")
def list_recipes(
    request: Request,
    workbench: Bench,
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    find: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Recipes, the last used first, all or those that words are found in."""
    words = find.casefold().split()
    start = (page - 1) * SHOWN
    if words:
        every = workbench.home.recipes.list(limit=MOST)
        fitting = [one for one in every if all(word in one.intent_template.casefold() for word in words)]
        found = fitting[start : start + SHOWN + 1]
    else:
        found = workbench.home.recipes.list(limit=SHOWN + 1, offset=start)
    taught = [] if words or page > 1 else workbench.home.glossary.list(limit=MOST_TAUGHT)
    return show(
        request, "recipes.html", recipes=found[:SHOWN], more=len(found) > SHOWN, page=page, find=find, taught=taught
    )


@router.post("/recipes/forget")
def forget_all(workbench: Bench, fields: Fields) -> Response:
    """Forget every recipe."""
    if fields.get("sure") != "yes":
        raise InvalidRequest("Forgetting every recipe cannot be taken back.", hint="Say that you are sure.")
    workbench.home.recipes.forget_all()
    return go("/recipes")


@router.post("/meanings/{meaning_id}/forget")
def forget_meaning(workbench: Bench, meaning_id: Annotated[str, Path(max_length=64)], fields: Fields) -> Response:
    """Forget what one word was taught to mean."""
    _ = fields
    if not workbench.home.glossary.forget(meaning_id):
        raise SourceNotFound("There is no such meaning.", hint="It may have been forgotten already.")
    return go("/recipes")


@router.post("/recipes/{recipe_id}/forget")
def forget(workbench: Bench, recipe_id: Annotated[str, Path(max_length=64)], fields: Fields) -> Response:
    """Forget one recipe."""
    _ = fields
    if not workbench.home.recipes.forget(recipe_id):
        raise SourceNotFound("There is no such recipe.", hint="It may have been forgotten already.")
    return go("/recipes")
