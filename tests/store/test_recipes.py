from __future__ import annotations

import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from sqlalchemy import inspect

from averment.errors import InvalidArguments
from averment.records.analysis import Recipe
from averment.records.base import new_id
from averment.settings import Settings
from averment.store.db.database import Database
from averment.store.knowledge.recipes import RecipeStore

NOON = datetime(2026, 1, 23, 12, tzinfo=UTC)
SALES, STAFF = "a" * 64, "b" * 64
STEPS: dict[str, Any] = {"subtasks": [{"task_id": "query", "tool_name": "sql.run"}]}


@pytest.fixture
def recipes(database: Database) -> RecipeStore:
    return RecipeStore(database)


def embedding(*numbers: float) -> bytes:
    return np.array(numbers, dtype="<f4").tobytes()


def a_recipe(**changes: Any) -> Recipe:
    values: dict[str, Any] = {
        "schema_fingerprint": SALES,
        "intent_template": "Analyze {time_range} {location} sales; trends + charts",
        "intent_embedding": embedding(1, 0),
        "plan_structure": {
            "subtasks": [{"task_id": "load_data", "tool_name": "sql.run", "arg_template": "SELECT {columns}"}]
        },
        "tool_argument_templates": ({"sql": "SELECT {columns} FROM sales"},),
        "created_at": NOON,
        "last_used_at": NOON,
    }
    return Recipe(**{**values, **changes})


def test_a_recipe_reads_back_as_it_was_saved(recipes: RecipeStore) -> None:
    recipe = a_recipe()
    assert recipes.save(recipe) == recipe
    assert recipes.get(recipe.recipe_id) == recipe
    assert recipes.get(new_id()) is None


def test_the_same_question_on_the_same_schema_is_counted_and_not_kept_twice(recipes: RecipeStore) -> None:
    first = recipes.save(a_recipe())
    second = recipes.save(a_recipe(created_at=NOON + timedelta(days=1), last_used_at=NOON + timedelta(days=1)))
    assert second.recipe_id == first.recipe_id
    assert (second.success_count, second.last_used_at) == (2, NOON + timedelta(days=1))
    assert recipes.list() == [second]
    recipes.save(a_recipe(schema_fingerprint=STAFF))
    recipes.save(a_recipe(intent_template="Total {measure}"))
    assert len(recipes.list()) == 3


def test_savers_at_the_same_time_keep_one_recipe_and_count_all(recipes: RecipeStore) -> None:
    gate = threading.Barrier(5)

    def save() -> None:
        gate.wait()
        recipes.save(a_recipe())

    threads = [threading.Thread(target=save) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [recipe.success_count for recipe in recipes.list()] == [5]


@pytest.mark.seed("A-057", "A-058")
def test_the_three_nearest_intents_of_the_schema_are_found(recipes: RecipeStore) -> None:
    for degrees in (0, 20, 40, 60, 80):
        angle = np.radians(degrees)
        recipes.save(
            a_recipe(
                intent_template=f"{{measure}} at {degrees}",
                intent_embedding=embedding(np.cos(angle), np.sin(angle)),
            )
        )
    recipes.save(a_recipe(schema_fingerprint=STAFF, intent_embedding=embedding(0, 1)))
    found = recipes.find(SALES, embedding(0, 2))
    assert [recipe.intent_template for recipe, _ in found] == [f"{{measure}} at {degrees}" for degrees in (80, 60, 40)]
    assert [cosine for _, cosine in found] == pytest.approx(
        [float(np.cos(np.radians(degrees))) for degrees in (10, 30, 50)], abs=1e-6
    )
    assert [recipe for recipe, _ in recipes.find(SALES, np.array([0, 2], dtype=np.float32))] == [
        recipe for recipe, _ in found
    ]
    assert len(recipes.find(SALES, embedding(0, 2), k=1)) == 1


@pytest.mark.seed("A-056")
def test_a_schema_never_seen_finds_nothing(recipes: RecipeStore) -> None:
    recipes.save(a_recipe())
    assert recipes.find("c" * 64, embedding(1, 0)) == []


def test_a_recipe_of_another_embedder_is_not_compared(recipes: RecipeStore) -> None:
    recipes.save(a_recipe(intent_embedding=embedding(1, 0, 0)))
    here = recipes.save(a_recipe(intent_template="Total {measure}"))
    assert [recipe for recipe, _ in recipes.find(SALES, embedding(1, 0))] == [here]


@pytest.mark.parametrize("wanted", [b"", b"abc", embedding(0, 0), embedding(float("nan"), 1)])
def test_an_embedding_without_a_direction_is_refused(recipes: RecipeStore, wanted: bytes) -> None:
    with pytest.raises(InvalidArguments):
        recipes.find(SALES, wanted)


def test_a_reused_recipe_is_counted_and_comes_first_in_the_list(recipes: RecipeStore) -> None:
    old = recipes.save(a_recipe())
    new = recipes.save(a_recipe(intent_template="Total {measure}", last_used_at=NOON + timedelta(hours=1)))
    assert [recipe.recipe_id for recipe in recipes.list()] == [new.recipe_id, old.recipe_id]
    touched = recipes.touch(old.recipe_id, NOON + timedelta(hours=2))
    assert touched is not None
    assert (touched.success_count, touched.last_used_at) == (2, NOON + timedelta(hours=2))
    assert recipes.list() == [touched, new]
    assert recipes.touch(new_id()) is None


def test_recipes_can_be_forgotten_one_by_one_and_all_at_once(recipes: RecipeStore) -> None:
    first = recipes.save(a_recipe())
    recipes.save(a_recipe(intent_template="Total {measure}"))
    recipes.save(a_recipe(intent_template="Count {things}"))
    assert recipes.forget(first.recipe_id)
    assert not recipes.forget(first.recipe_id)
    assert recipes.forget_all() == 2
    assert recipes.list() == []


@pytest.mark.seed("A-061", "A-062")
def test_the_table_has_the_columns_and_indexes_of_the_seed(database: Database, recipes: RecipeStore) -> None:
    recipes.list()
    with database.recipe_link.read() as connection:
        found = inspect(connection)
        columns = [(column["name"], column["nullable"]) for column in found.get_columns("recipes")]
        indexes = {index["name"]: index["column_names"] for index in found.get_indexes("recipes")}
        key = found.get_pk_constraint("recipes")["constrained_columns"]
    names = [name for name, _ in columns]
    assert names == [
        "recipe_id",
        "schema_fingerprint",
        "intent_template",
        "intent_embedding",
        "plan_structure",
        "tool_argument_templates",
        "success_count",
        "created_at",
        "last_used_at",
    ]
    assert {name for name, nullable in columns if nullable} - {"recipe_id"} == {"success_count"}
    assert key == ["recipe_id"]
    assert set(indexes) == {"idx_schema_fp", "idx_last_used"}
    assert indexes["idx_schema_fp"] == ["schema_fingerprint"]


SEED_TABLE = """
CREATE TABLE recipes (
    recipe_id TEXT PRIMARY KEY,
    schema_fingerprint TEXT NOT NULL,
    intent_template TEXT NOT NULL,
    intent_embedding BLOB NOT NULL,
    plan_structure TEXT NOT NULL,       -- JSON
    tool_argument_templates TEXT NOT NULL,  -- JSON
    success_count INTEGER DEFAULT 1,
    created_at TEXT NOT NULL,
    last_used_at TEXT NOT NULL
);
CREATE INDEX idx_schema_fp ON recipes(schema_fingerprint);
CREATE INDEX idx_last_used ON recipes(last_used_at DESC);
"""


@pytest.mark.seed("A-063")
def test_a_recipe_file_made_by_the_seeds_own_statements_is_the_same_and_is_used(home: Settings) -> None:
    def shape(connection: sqlite3.Connection) -> list[list[tuple[Any, ...]]]:
        pragmas = ("table_info(recipes)", "index_list(recipes)", "index_xinfo(idx_last_used)")
        return [sorted(connection.execute(f"PRAGMA {pragma}").fetchall()) for pragma in pragmas]

    ours = Database.open(home)
    RecipeStore(ours).list()
    ours.close()
    theirs = home.model_copy(update={"home": home.home / "theirs"})
    (theirs.home / "db").mkdir(parents=True)
    seeds = sqlite3.connect(theirs.home / "db" / "recipe_memory.db")
    seeds.executescript(SEED_TABLE)
    made = sqlite3.connect(home.home / "db" / "recipe_memory.db")
    assert shape(made) == shape(seeds)
    made.close()
    seeds.close()
    database = Database.open(theirs)
    saved = RecipeStore(database).save(a_recipe())
    assert RecipeStore(database).list() == [saved]
    database.close()


def test_what_was_kept_of_a_models_query_is_dropped_when_the_home_is_opened_again(database: Database) -> None:
    store = RecipeStore(database)
    kept = store.save(a_recipe(plan_structure={**STEPS, "skill": "aggregate", "in_words": "written"}))
    frozen = {
        **STEPS,
        "skill": "written",
        "reading": {"sql": "SELECT max(amount) FROM sales WHERE region = 'West'"},
    }
    written = store.save(a_recipe(intent_template="swing in {region}", plan_structure=frozen))
    assert store.get(written.recipe_id) is not None
    again = RecipeStore(database)
    assert again.get(written.recipe_id) is None
    assert again.get(kept.recipe_id) is not None
