"""Recipes: a plan that answered a question is kept with holes, and a like question fills them.

A recipe is kept only if a person chose or approved its plan, or two readers that know nothing of each other came to the
same result; what nobody confirmed is never made certain by having been answered before. It is recalled by meaning: the
question with placeholders, as a vector, over the same schema first. It never overrules a fresh reading that is sure; it
speaks where there is none, and then only if the new question says the same words, or the plan it gives is one of the
readings on offer. A schema that changed a little is noticed: the plan is given the names of today, or it is said why it
is of no use any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.holes import General, PlanTemplate, dig, fill
from averment.errors import AvermentError
from averment.plans.plan import Plan, parse_plan
from averment.reading.schema.drift import Drift, columns_of, compare
from averment.records.analysis import Recipe
from averment.records.base import Record, utc_now
from averment.records.marks import grade_of

if TYPE_CHECKING:
    from averment.language.embeddings import Embedder
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import UsedRecipe
    from averment.store.knowledge.recipes import RecipeStore

NEAR = 0.7
"""A question whose vector is farther from a recipe's than this cosine is not of its kind."""

LOOKED_AT = 3
"""Confirmed recipes of one schema that are tried, the nearest first."""

SEARCHED = 50
"""Recipes among which the confirmed ones are looked for."""

_IDLE = frozenset("a an the of in for to at on please me us show give tell what is are was were and".split())


class RecalledRecipe(Record):
    """A recipe for a question like this one: its plan filled anew, or why it cannot be used."""

    recipe: Recipe
    plan: Plan | None = None
    drift: str = ""
    reason: str = ""

    def note(self) -> UsedRecipe:
        """What a run's reading says of the recipe it came from."""
        said: UsedRecipe = {
            "recipe_id": self.recipe.recipe_id,
            "template": self.recipe.intent_template,
            "success_count": self.recipe.success_count,
            "confirmed": grade_of(self.recipe.plan_structure) == "chosen",
        }
        return {**said, "drift": self.drift} if self.drift else said

    def in_words(self) -> tuple[str, ...]:
        """What a reader must know of it: the change it was carried over, or why it was not used."""
        changed = f"the columns changed since ({self.drift})" if self.drift else ""
        if self.plan is not None:
            return (f"from a recipe: {changed}",) if changed else ()
        reason = f"the recipe “{self.recipe.intent_template}” was not used: {self.reason}"
        return (f"{reason}, and {changed}" if changed else reason,)


class Recipes:
    """Recipes of one home, recalled and kept by the analyst."""

    def __init__(self, store: RecipeStore, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder

    def recall(self, work: RunContext, general: General, offered: Iterable[Plan] = ()) -> RecalledRecipe | None:
        """The nearest recipe that this question fills, of this very schema or of one that has changed a little since.

        ``offered`` are the readings of the question that nobody was sure of.
        """
        if not self._store.list(limit=1):
            return None
        vector = self._embedder().embed([general.shape])[0]
        fingerprint, now = work.catalog.fingerprint, columns_of(work.catalog)
        there = confirmed(self._store.find(fingerprint, vector, SEARCHED))[:LOOKED_AT]
        elsewhere = confirmed(self._store.find_elsewhere(fingerprint, vector, SEARCHED))[:LOOKED_AT]
        hashes = {plan.hash for plan in offered}
        unusable: RecalledRecipe | None = None
        for recipe, near in (*there, *elsewhere):
            if near < NEAR:
                continue
            kept = recipe.plan_structure["schema"]
            schema = tuple((str(table), str(column), str(kind)) for table, column, kind in kept)
            drift = compare(schema, now)
            if drift is None:
                continue
            found = _filled(recipe, general, drift, hashes)
            if found is not None and found.plan is not None:
                return found
            unusable = unusable or found
        return unusable

    def keep(self, work: RunContext) -> Recipe | None:
        """Keep a finished analysis whose reading was confirmed, or count one more success.

        A follow-up's words say only what changes, and a plan that was handed in has no question of its own.
        """
        reading, meaning = work.state.reading, work.state.meaning
        general = General.model_validate(reading.get("general") or {"template": "", "slots": {}})
        body, by = reading.get("reading", {}).get("plan") or reading.get("teaches"), reading.get("confirmed")
        approved = work.services.store.runs.record(work.run_id, "approved", "approved") is not None
        if not by and "plan" not in meaning and approved:
            by = "person"
        if not by or not body or "after" in meaning or not general.template or work.state.plan is None:
            return None
        holed = dig(body, general)
        if holed is None:
            return None
        vector = self._embedder().embed([holed.general.shape])[0]
        subtasks = [
            {"task_id": task.task_id, "tool_name": task.tool_name, "dependencies": list(task.dependencies)}
            for task in work.state.plan.subtasks
        ]
        structure = {
            "subtasks": subtasks,
            "plan": holed.plan,
            "grade": reading.get("grade"),
            "confirmed": by,
            "in_words": reading.get("read_as"),
            "schema": [list(column) for column in columns_of(work.catalog)],
            "slots": {name: filled.model_dump(mode="json") for name, filled in holed.general.slots.items()},
        }
        now = utc_now()
        return self._store.save(
            Recipe(
                schema_fingerprint=work.catalog.fingerprint,
                intent_template=holed.general.template,
                intent_embedding=vector.astype("float32").tobytes(),
                plan_structure=structure,
                tool_argument_templates=tuple(dict(task.arguments) for task in work.state.plan.subtasks),
                created_at=now,
                last_used_at=now,
            )
        )


def confirmed(found: Iterable[tuple[Recipe, float]]) -> list[tuple[Recipe, float]]:
    """The recipes that somebody confirmed; others, which earlier versions kept, are listed and can be forgotten."""
    return [(recipe, near) for recipe, near in found if recipe.confirmed and "plan" in recipe.plan_structure]


def _filled(recipe: Recipe, general: General, drift: Drift, offered: set[str]) -> RecalledRecipe | None:
    """The recipe for this question and the schema of today; None when it is a recipe for something else."""
    kept: dict[str, Any] = recipe.plan_structure
    before = General(template=recipe.intent_template, slots=kept["slots"])
    body = fill(PlanTemplate(general=before, plan=kept["plan"]), general, lambda name: drift.column(name) or name)
    if body is None:
        return None
    same_words = _words(before.shape) == _words(general.shape)
    told = drift.in_words()
    lost = sorted({column for _, column in _columns(body) if drift.column(column) is None})
    if lost:
        return RecalledRecipe(recipe=recipe, drift=told, reason=f"it needs {', '.join(lost)}") if same_words else None
    try:
        plan = parse_plan(_renamed(body, drift))
    except AvermentError:
        return None
    if not same_words and plan.hash not in offered:
        return None
    return RecalledRecipe(recipe=recipe, plan=plan, drift=told)


def _words(shape: str) -> list[str]:
    """The words that carry the meaning, in their order."""
    return [word for word in re.findall(r"[\w+]+", shape) if word not in _IDLE]


def _columns(body: Any) -> set[tuple[str, str]]:
    """Every column a plan names, inner plans included."""
    found: set[tuple[str, str]] = set()
    if isinstance(body, dict):
        for table, column in (("table", "column"), ("left", "left_column"), ("right", "right_column")):
            if isinstance(body.get(column), str):
                found.add((str(body.get(table)), body[column]))
        for each in body.values():
            found |= _columns(each)
    elif isinstance(body, list):
        for each in body:
            found |= _columns(each)
    return found


def _renamed(body: Any, drift: Drift) -> Any:
    """The plan with the names of today; what it compares with is left alone."""
    if isinstance(body, list):
        return [_renamed(each, drift) for each in body]
    if not isinstance(body, dict):
        return body
    made: dict[str, Any] = {}
    for key, each in body.items():
        if key in {"table", "left", "right"} and isinstance(each, str):
            made[key] = drift.tables.get(each, each)
        elif key in {"column", "left_column", "right_column"} and isinstance(each, str):
            made[key] = drift.column(each) or each
        else:
            made[key] = _renamed(each, drift)
    return made
