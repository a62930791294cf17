"""What was learned: recipes of earlier runs and taught words; see them, forget one, forget all recipes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from averment.errors import InvalidRequest, SourceNotFound
from averment.faces.web.shell.listing import fitting, has_words, list_page
from averment.faces.web.shell.page_access import Bench, Fields, Find, PageNumber
from averment.faces.web.shell.pages import Pages, go, show

router = Pages()

MOST = 10_000
MOST_TAUGHT = 200


@router.get("/recipes")
def list_recipes(request: Request, workbench: Bench, page: PageNumber = 1, find: Find = "") -> Response:
    """Recipes, the last used first, all or those that words are found in."""
    some = workbench.home.recipes.list
    if find.strip():
        some = fitting(some(MOST), lambda one: has_words(find, one.intent_template))
    shown, more = list_page(page, some)
    taught = [] if find.strip() or page > 1 else workbench.home.glossary.list(limit=MOST_TAUGHT)
    return show(request, "recipes.html", recipes=shown, more=more, page=page, find=find, taught=taught)


@router.post("/recipes/forget")
def forget_all(workbench: Bench, fields: Fields) -> Response:
    """Forget every recipe."""
    if fields.get("sure") != "yes":
        raise InvalidRequest("Forgetting every recipe cannot be taken back.", hint="Say that you are sure.")
    workbench.home.recipes.forget_all()
    return go("/recipes")


@router.acts("/meanings/{meaning_id}/forget")
def forget_meaning(workbench: Bench, meaning_id: Annotated[str, Path(max_length=64)]) -> Response:
    """Forget what one word was taught to mean."""
    return _forgotten("meaning", was_there=workbench.home.glossary.forget(meaning_id))


@router.acts("/recipes/{recipe_id}/forget")
def forget(workbench: Bench, recipe_id: Annotated[str, Path(max_length=64)]) -> Response:
    """Forget one recipe."""
    return _forgotten("recipe", was_there=workbench.home.recipes.forget(recipe_id))


def _forgotten(what: str, *, was_there: bool) -> Response:
    if not was_there:
        raise SourceNotFound(f"There is no such {what}.", hint="It may have been forgotten already.")
    return go("/recipes")
