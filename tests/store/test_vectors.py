from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sqlalchemy import select, text

from averment.errors import InvalidArguments, StoreUnavailable
from averment.settings import Settings
from averment.store.corpus.passage_index import CorpusNearest
from averment.store.db.database import Database
from averment.store.schema.main_tables import VECTOR_NAMESPACES
from averment.store.search import hnsw
from averment.store.search.vectors import Vector, VectorIndex


@pytest.fixture
def index(database: Database) -> VectorIndex:
    return VectorIndex(database)


def row(*numbers: float) -> Vector:
    return np.array(numbers, dtype=np.float32)


def brute_force(vectors: list[Vector], wanted: Vector) -> list[float]:
    """Cosines one by one in double precision, by the definition."""
    return [
        float(
            np.dot(vector.astype(float), wanted.astype(float))
            / (np.linalg.norm(vector.astype(float)) * np.linalg.norm(wanted.astype(float)))
        )
        for vector in vectors
    ]


def test_the_nearest_come_first_with_their_cosines_and_bodies(index: VectorIndex) -> None:
    index.upsert("memory", "east", row(1, 0), {"name": "east"})
    index.upsert("memory", "north", row(0, 2), {"name": "north"})
    index.upsert("memory", "west", row(-3, 0), {"name": "west"})
    found = index.search("memory", row(5, 5), 3)
    assert [key for key, _, _ in found] == ["east", "north", "west"]
    assert [cosine for _, cosine, _ in found] == pytest.approx([0.5**0.5, 0.5**0.5, -(0.5**0.5)], abs=1e-6)
    assert found[1][2] == {"name": "north"}


def test_an_upsert_replaces_vector_and_body(index: VectorIndex) -> None:
    index.upsert("memory", "a", row(1, 0), {"version": 1})
    index.upsert("memory", "a", row(0, 1), {"version": 2})
    assert index.search("memory", row(0, 1), 5) == [("a", pytest.approx(1.0), {"version": 2})]


def test_namespaces_do_not_see_each_other_and_may_differ_in_dimension(index: VectorIndex) -> None:
    index.upsert("two", "a", row(1, 0), {})
    index.upsert("three", "a", row(1, 0, 0), {})
    assert [key for key, _, _ in index.search("two", row(1, 1), 9)] == ["a"]
    assert index.search("none", row(1, 1), 9) == []


def test_a_vector_of_another_dimension_is_refused(index: VectorIndex) -> None:
    index.upsert("memory", "a", row(1, 0), {})
    with pytest.raises(InvalidArguments):
        index.upsert("memory", "b", row(1, 0, 0), {})
    with pytest.raises(InvalidArguments):
        index.search("memory", row(1, 0, 0), 1)
    with pytest.raises(InvalidArguments):
        index.upsert_many("fresh", [("a", row(1, 0), {}), ("b", row(1), {})])
    assert index.search("fresh", row(1, 0), 9) == []
    assert len(index.search("memory", row(1, 0), 9)) == 1


@pytest.mark.parametrize("numbers", [(), (0.0, 0.0), (float("nan"), 1.0), (float("inf"), 1.0), (1e-30, 0.0)])
def test_a_vector_without_a_direction_is_refused(index: VectorIndex, numbers: tuple[float, ...]) -> None:
    with pytest.raises(InvalidArguments):
        index.upsert("memory", "a", row(*numbers), {})
    with pytest.raises(InvalidArguments):
        index.search("memory", row(*numbers), 1)


def test_a_deleted_vector_is_not_found_and_a_deleted_namespace_forgets_its_dimension(index: VectorIndex) -> None:
    index.upsert_many("memory", [("a", row(1, 0), {}), ("b", row(1, 1), {})])
    index.delete("memory", "a")
    assert [key for key, _, _ in index.search("memory", row(1, 0), 9)] == ["b"]
    index.delete("memory")
    assert index.search("memory", row(1, 0), 9) == []
    index.upsert("memory", "c", row(1, 0, 0), {})
    assert [key for key, _, _ in index.search("memory", row(1, 0, 0), 9)] == ["c"]


def test_equal_vectors_come_in_the_order_of_their_keys(index: VectorIndex) -> None:
    numbers = np.random.default_rng(7).normal(size=384).astype(np.float32)
    keys = [f"{number:03d}" for number in range(37)]
    index.upsert_many("memory", [(key, numbers, {}) for key in reversed(keys)])
    assert [key for key, _, _ in index.search("memory", numbers, 20)] == keys[:20]
    assert [key for key, _, _ in index.search("memory", -numbers, 40)] == keys


def test_an_index_opened_again_finds_what_was_kept(database: Database) -> None:
    VectorIndex(database).upsert("memory", "a", row(1, 0), {"kept": True})
    assert VectorIndex(database).search("memory", row(1, 0), 1)[0][2] == {"kept": True}


def test_a_search_sees_what_another_index_changed(database: Database) -> None:
    reader, writer = VectorIndex(database), VectorIndex(database)
    writer.upsert("memory", "a", row(1, 0), {"version": 1})
    assert [key for key, _, _ in reader.search("memory", row(1, 0), 9)] == ["a"]
    writer.upsert("memory", "b", row(1, 0), {})
    assert [key for key, _, _ in reader.search("memory", row(1, 0), 9)] == ["a", "b"]
    writer.upsert("memory", "a", row(0, 1), {"version": 2})
    assert reader.search("memory", row(0, 1), 1) == [("a", pytest.approx(1.0), {"version": 2})]
    writer.delete("memory", "a")
    assert [key for key, _, _ in reader.search("memory", row(1, 0), 9)] == ["b"]
    writer.delete("memory")
    writer.upsert("memory", "c", row(1, 0), {})
    assert [key for key, _, _ in reader.search("memory", row(1, 0), 9)] == ["c"]


numbers = st.floats(-100, 100, width=32).filter(lambda number: number == 0 or abs(number) > 1e-3)


@given(data=st.data(), dimension=st.integers(1, 8), size=st.integers(1, 12), k=st.integers(0, 14))
@hypothesis_settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_search_equals_brute_force(
    index: VectorIndex, data: st.DataObject, dimension: int, size: int, k: int
) -> None:
    vector = arrays.arrays(np.float32, dimension, elements=numbers).filter(lambda values: bool(values.any()))
    vectors = [data.draw(vector) for _ in range(size)]
    wanted = data.draw(vector)
    index.delete("drawn")
    index.upsert_many("drawn", [(f"{place:02d}", each, {"place": place}) for place, each in enumerate(vectors)])
    truth = brute_force(vectors, wanted)
    found = index.search("drawn", wanted, k)
    assert len(found) == min(k, size)
    for key, cosine, body in found:
        assert int(key) == body["place"]
        assert cosine == pytest.approx(truth[int(key)], abs=1e-5)
    assert [cosine for _, cosine, _ in found] == pytest.approx(sorted(truth, reverse=True)[: len(found)], abs=1e-5)


def test_many_vectors_of_an_embedder_are_ranked_as_by_brute_force(index: VectorIndex) -> None:
    generator = np.random.default_rng(11)
    vectors = [each.astype(np.float32) for each in generator.normal(size=(500, 384))]
    index.upsert_many("memory", [(f"{place:03d}", each, {}) for place, each in enumerate(vectors)])
    wanted = generator.normal(size=384).astype(np.float32)
    truth = np.array(brute_force(vectors, wanted))
    expected = [f"{place:03d}" for place in np.argsort(-truth, kind="stable")[:25]]
    assert [key for key, _, _ in index.search("memory", wanted, 25)] == expected


@pytest.mark.postgres
def test_a_server_without_pgvector_still_serves_everything_else(
    home: Settings, new_postgres: Callable[[], str]
) -> None:
    settings = home.model_copy(update={"database_url": new_postgres()})
    owner = Database.open(settings)
    with owner.write() as connection:
        # A role that may not switch on an extension stands for a server that does not have it.
        connection.execute(text("CREATE ROLE plain_user LOGIN"))
        connection.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO plain_user"))
    owner.close()
    assert settings.database_url is not None
    plain = Database.open(
        settings.model_copy(update={"database_url": settings.database_url.replace("postgres:@", "plain_user:@")})
    )
    with pytest.raises(StoreUnavailable):
        VectorIndex(plain)
    assert CorpusNearest.open(plain, "an embedder", 384) is None
    assert plain.version() is not None
    plain.close()
    owner = Database.open(settings)
    with owner.write() as connection:
        connection.execute(text("DROP OWNED BY plain_user"))
        connection.execute(text("DROP ROLE plain_user"))
    owner.close()


def clustered(size: int, dimension: int, seed: int) -> list[np.ndarray]:
    """Vectors that lie in groups, as those of texts do."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(max(1, size // 20), dimension))
    found = centres[chance.integers(len(centres), size=size)] + 0.7 * chance.normal(size=(size, dimension))
    return [each.astype(np.float32) for each in found]


@pytest.mark.postgres
def test_a_large_namespace_is_searched_by_candidates_that_are_compared_exactly(
    copy_postgres: Callable[[], AbstractContextManager[str]], home: Settings
) -> None:
    vectors = clustered(600, 16, seed=3)
    entries = [(f"{place:04d}", each, {"place": place}) for place, each in enumerate(vectors)]
    with copy_postgres() as url:
        database = Database.open(home.model_copy(update={"database_url": url}))
        exact, index = VectorIndex(database), VectorIndex(database, approximate_from=500)
        exact.upsert_many("it's 100% 'large': large", entries)
        before = [exact.search("it's 100% 'large': large", wanted, 10) for wanted in vectors[:20]]
        index.upsert_many("it's 100% 'large': large", entries[-1:])
        with database.read() as connection:
            near = connection.execute(select(VECTOR_NAMESPACES.c.near)).scalar()
            assert near is not None
            assert hnsw.exists(connection, near)
        after = [index.search("it's 100% 'large': large", wanted, 10) for wanted in vectors[:20]]
        assert after == before
        assert len(index.search("it's 100% 'large': large", vectors[0], 600)) == 600
        index.delete("it's 100% 'large': large")
        with database.read() as connection:
            assert not hnsw.exists(connection, near)
        database.close()
