"""Recipes: analyses that worked, found again by the schema they ran on and by what was asked.

The table is the contract's, column by column: in the file ``db/recipe_memory.db`` on SQLite, in the same database on
Postgres. Retrieval is the contract's too: the same schema fingerprint first, then the nearest intents by cosine.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
from sqlalchemy import ColumnElement, Connection, RowMapping, select, update

from averment.errors import InvalidArguments, StorageError
from averment.records.analysis import Recipe
from averment.records.base import iso_z, utc_now
from averment.store.db.database import Database
from averment.store.db.keyed import KeyedStore
from averment.store.db.text import from_json, from_row, plain, to_json
from averment.store.knowledge.corrections import CorrectionStore
from averment.store.schema.knowledge_tables import CHOICES
from averment.store.schema.main_tables import RECIPES
from averment.store.search.nearest import Vector, cosines


def question_key(question: str) -> str:
    """A question as it is remembered: letter case, blanks and marks at its end do not matter."""
    return " ".join(question.casefold().split()).rstrip(" ?.!")


class ChoiceStore:
    """The readings that were chosen; a later choice for the same question and schema replaces the earlier one."""

    def __init__(self, database: Database) -> None:
        self._link = database.link

    def save(self, schema_fingerprint: str, question: str, plan: dict[str, Any]) -> None:
        """Remember a chosen plan."""
        key = plain(question_key(question), "question")
        same = (CHOICES.c.schema_fingerprint == schema_fingerprint) & (CHOICES.c.question == key)
        with self._link.write() as connection:
            self._link.lock(connection, f"averment.choice.{schema_fingerprint}")
            connection.execute(CHOICES.delete().where(same))
            connection.execute(
                CHOICES.insert().values(
                    schema_fingerprint=schema_fingerprint,
                    question=key,
                    plan=to_json(plan),
                    created_at=iso_z(utc_now()),
                )
            )

    def find(self, schema_fingerprint: str, question: str) -> dict[str, Any] | None:
        """The plan that was chosen for this question over this schema, or None."""
        query = select(CHOICES.c.plan).where(
            (CHOICES.c.schema_fingerprint == schema_fingerprint)
            & (CHOICES.c.question == plain(question_key(question), "question"))
        )
        with self._link.read() as connection:
            row = connection.execute(query).first()
        return None if row is None else from_json(row[0])

    def forget(self, schema_fingerprint: str, question: str) -> bool:
        """Forget a choice; whether there was one."""
        key = plain(question_key(question), "question")
        same = (CHOICES.c.schema_fingerprint == schema_fingerprint) & (CHOICES.c.question == key)
        return bool(self._link.change(CHOICES.delete().where(same)))


Recipes: TypeAlias = list[Recipe]
WRITTEN = "written"
"""How earlier versions called the reading of a query that a model wrote."""


class RecipeStore(KeyedStore[Recipe]):
    """The long-term memory of what worked, the last used first."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.recipe_link, RECIPES, key=RECIPES.c.recipe_id, newest=RECIPES.c.last_used_at)
        self.corrections = CorrectionStore(database)
        """What people told about their words, which is the other half of what was learned."""
        self.choices = ChoiceStore(database)
        """Which readings people chose for their questions."""
        self._drop_written()

    def _kept(self, row: RowMapping) -> Recipe:
        return _recipe(row)

    def _drop_written(self) -> None:
        """Drop what earlier versions kept of a model's queries: their literals were frozen in the text."""
        likely = select(RECIPES.c.recipe_id, RECIPES.c.plan_structure).where(
            RECIPES.c.plan_structure.contains(f'"{WRITTEN}"')
        )
        rows = self._link.tuples(likely)
        gone = [row.recipe_id for row in rows if from_json(row.plan_structure).get("skill") == WRITTEN]
        if gone:
            # A home that cannot be written keeps them; nobody recalls them there either.
            with suppress(StorageError), self._link.write() as connection:
                connection.execute(RECIPES.delete().where(RECIPES.c.recipe_id.in_(gone)))

    def save(self, recipe: Recipe) -> Recipe:
        """Keep a recipe, and give back the kept one.

        One with the same fingerprint and template is counted once more if it has the same plan; another plan takes its
        place, except that two readings do not take the place of what a person confirmed.
        """
        values = {
            "recipe_id": recipe.recipe_id,
            "schema_fingerprint": recipe.schema_fingerprint,
            "intent_template": plain(recipe.intent_template, "intent template"),
            "intent_embedding": recipe.intent_embedding,
            "plan_structure": to_json(recipe.plan_structure),
            "tool_argument_templates": to_json(recipe.tool_argument_templates),
            "success_count": recipe.success_count,
            "created_at": iso_z(recipe.created_at),
            "last_used_at": iso_z(recipe.last_used_at),
        }
        with self._link.write() as connection:
            # The contract's table has no unique key for this pair; a lock keeps two savers from both adding it.
            self._link.lock(connection, f"averment.recipe.{recipe.schema_fingerprint}")
            same = (RECIPES.c.schema_fingerprint == recipe.schema_fingerprint) & (
                RECIPES.c.intent_template == recipe.intent_template
            )
            there = connection.execute(select(RECIPES).where(same)).mappings().first()
            if there is None:
                connection.execute(RECIPES.insert().values(values))
                return recipe
            before = _recipe(there)
            same_plan = before.plan_structure.get("plan") == recipe.plan_structure.get("plan")
            if same_plan and (before.confirmed or not recipe.confirmed):
                return _count(connection, before, recipe.last_used_at)
            if before.confirmed == "person" != recipe.confirmed:
                return before
            values |= {"recipe_id": before.recipe_id, "success_count": before.success_count + 1 if same_plan else 1}
            values["created_at"] = iso_z(before.created_at)
            connection.execute(update(RECIPES).where(self._is(before.recipe_id)).values(values))
            return recipe.changed(
                recipe_id=before.recipe_id, success_count=values["success_count"], created_at=before.created_at
            )

    def find(self, schema_fingerprint: str, embedding: Vector | bytes, k: int = 3) -> list[tuple[Recipe, float]]:
        """The recipes of that schema whose intents are nearest, with their cosines, the nearest first.

        A recipe whose vector has another length comes from another embedder and cannot be compared; it is left out.
        """
        return self._nearest(RECIPES.c.schema_fingerprint == schema_fingerprint, embedding, k)

    def find_elsewhere(
        self, schema_fingerprint: str, embedding: Vector | bytes, k: int = 3
    ) -> list[tuple[Recipe, float]]:
        """The recipes of every other schema whose intents are nearest: a schema may have changed a little since."""
        return self._nearest(RECIPES.c.schema_fingerprint != schema_fingerprint, embedding, k)

    def _nearest(self, condition: ColumnElement[bool], embedding: Vector | bytes, k: int) -> list[tuple[Recipe, float]]:
        wanted = _vector(embedding)
        query = select(RECIPES).where(condition)
        rows = self._link.rows(query.order_by(RECIPES.c.recipe_id))
        rows = [row for row in rows if len(row["intent_embedding"]) == wanted.nbytes]
        if not rows or k <= 0:
            return []
        matrix = np.frombuffer(b"".join(row["intent_embedding"] for row in rows), dtype="<f4").reshape(len(rows), -1)
        near = np.nan_to_num(cosines(matrix, wanted), nan=-1.0)
        return [(_recipe(rows[place]), float(near[place])) for place in np.argsort(-near, kind="stable")[:k]]

    def touch(self, recipe_id: str, at: datetime | None = None) -> Recipe | None:
        """Count one more success of a recipe, used at that moment; None when it is gone."""
        with self._link.write() as connection:
            query = select(RECIPES).where(self._is(recipe_id))
            there = connection.execute(query.with_for_update()).mappings().first()
            return None if there is None else _count(connection, _recipe(there), at or utc_now())


def _count(connection: Connection, recipe: Recipe, at: datetime) -> Recipe:
    counted = recipe.reused(at)
    connection.execute(
        update(RECIPES)
        .where(RECIPES.c.recipe_id == recipe.recipe_id)
        .values(success_count=counted.success_count, last_used_at=iso_z(counted.last_used_at))
    )
    return counted


def _recipe(row: RowMapping) -> Recipe:
    embedded = bytes(row["intent_embedding"])
    texts, times = "plan_structure tool_argument_templates", "created_at last_used_at"
    return from_row(Recipe, row, texts=texts, times=times, intent_embedding=embedded)


def _vector(embedding: Vector | bytes) -> Vector:
    if isinstance(embedding, bytes):
        if len(embedding) % 4:
            raise InvalidArguments("An embedding must be a row of 4-byte numbers.")
        embedding = np.frombuffer(embedding, dtype="<f4")
    array = np.ascontiguousarray(embedding, dtype="<f4")
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or not array.any():
        raise InvalidArguments("An embedding must be one row of finite numbers that are not all zero.")
    return array
