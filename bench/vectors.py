"""The nearest of many vectors on Postgres: every one compared, against candidates of pgvector's HNSW compared again.

    python bench/vectors.py [--sizes 5000 50000] [--dimension 384] [--queries 100] [--scattered]

Vectors lie in groups, as those of texts do, or are scattered evenly, which is the worst case for any index. Printed are
the recall at 10 against the exact search, the time of a search each way, and what the index costs to build. Beside it,
the same vectors through the candidates of a large corpus, in half precision, and one matrix product in memory, which is
what SQLite and small corpora use.

Measures a part: averment.store.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from averment.settings import Settings
from averment.store.corpus.documents import CorpusStore
from averment.store.corpus.passage_index import CorpusNearest
from averment.store.db.database import Database
from averment.store.search.nearest import VectorRows
from averment.store.search.vectors import VectorIndex
from workers import Server, _database

BATCH = 2_000
K = 10
NEVER = 10**9


def drawn(size: int, dimension: int, seed: int, *, scattered: bool) -> np.ndarray:
    """Unit vectors around centres, about twenty to a group; or without any order."""
    chance = np.random.default_rng(seed)
    if scattered:
        found = chance.normal(size=(size, dimension))
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype("<f4")
    centres = chance.normal(size=(size // 20, dimension))
    found = centres[chance.integers(len(centres), size=size)] + 0.7 * chance.normal(size=(size, dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype("<f4")


def timed(find: Callable[[np.ndarray], list[str]], wanted: np.ndarray) -> tuple[list[list[str]], float, float]:
    """What is found for each query, the median and the slow end of the times in milliseconds."""
    found: list[list[str]] = []
    times: list[float] = []
    for vector in wanted:
        began = time.perf_counter()
        found.append(find(vector))
        times.append(1000 * (time.perf_counter() - began))
    return found, statistics.median(times), sorted(times)[int(0.95 * len(times))]


def recall(found: list[list[str]], truth: list[list[str]]) -> float:
    """The share of the true nearest that were found."""
    return sum(len(set(one) & set(other)) for one, other in zip(found, truth, strict=True)) / sum(map(len, truth))


def measure(database: Database, vectors: np.ndarray, wanted: np.ndarray) -> None:
    """Fill one namespace, search it both ways, and print."""
    size, namespace = len(vectors), f"bench/{len(vectors)}"
    keys = [f"{place:07d}" for place in range(size)]
    plain = VectorIndex(database, approximate_from=NEVER)
    began = time.perf_counter()
    for first in range(0, size, BATCH):
        part = range(first, min(first + BATCH, size))
        plain.upsert_many(namespace, [(keys[place], vectors[place], {}) for place in part])
    print(f"{size:>7,} vectors kept in {time.perf_counter() - began:.0f} s", flush=True)
    truth, exact, slow = timed(lambda one: [key for key, _, _ in plain.search(namespace, one, K)], wanted)
    print(f"        every one compared        p50 {exact:7.1f} ms  p95 {slow:7.1f} ms", flush=True)
    index = VectorIndex(database, approximate_from=1)
    began = time.perf_counter()
    index.upsert(namespace, keys[0], vectors[0], {})
    built = time.perf_counter() - began
    index.search(namespace, wanted[0], K)
    found, near, slow = timed(lambda one: [key for key, _, _ in index.search(namespace, one, K)], wanted)
    print(f"        HNSW, compared again      p50 {near:7.1f} ms  p95 {slow:7.1f} ms", end="")
    print(f"  recall@10 {recall(found, truth):.4f}  built in {built:.0f} s", flush=True)
    rows = VectorRows.from_bytes(keys, [vector.tobytes() for vector in vectors])
    _, held, slow = timed(lambda one: [key for key, _ in rows.nearest(one, K)], wanted)
    print(f"        in memory, every one      p50 {held:7.1f} ms  p95 {slow:7.1f} ms", flush=True)
    corpus(database, keys, vectors, wanted, truth)


def corpus(database: Database, keys: list[str], vectors: np.ndarray, wanted: np.ndarray, truth: list) -> None:
    """The same vectors as those of passages: half-precision copies propose, the kept bytes decide."""
    from sqlalchemy import text

    assert CorpusStore(database).count() == (0, 0)
    near = CorpusNearest.open(database, f"bench-{len(keys)}", vectors.shape[1])
    assert near is not None
    with database.write() as connection:
        # Vectors without their passages: only the search is measured.
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        add = text("INSERT INTO corpus_vectors (passage_id, embedder, vector) VALUES (:id, :embedder, :vector)")
        rows = zip(keys, vectors, strict=True)
        values = [{"id": key, "embedder": f"bench-{len(keys)}", "vector": one.tobytes()} for key, one in rows]
        connection.execute(add, values)
    began = time.perf_counter()
    while near.catch_up():
        pass
    built = time.perf_counter() - began
    near.nearest(wanted[0])
    place = {key: number for number, key in enumerate(keys)}

    def find(one: np.ndarray) -> list[str]:
        likely = near.nearest(one)
        order = np.argsort(-(vectors[[place[key] for key in likely]] @ one), kind="stable")
        return [likely[number] for number in order[:K]]

    found, middle, slow = timed(find, wanted)
    print(f"        of a corpus, half precise p50 {middle:7.1f} ms  p95 {slow:7.1f} ms", end="")
    print(f"  recall@10 {recall(found, truth):.4f}  copied and built in {built:.0f} s", flush=True)


def main() -> int:
    """Every size in one Postgres of our own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 50_000])
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--scattered", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="averment-vectors-") as folder:
        server = Server(Path(folder) / "postgres")
        try:
            url = _database(server.url, "vectors")
            database = Database.open(Settings(home=Path(folder) / "home", database_url=url))
            for size in arguments.sizes:
                chosen = drawn(size + arguments.queries, arguments.dimension, size, scattered=arguments.scattered)
                measure(database, chosen[:size], chosen[size:])
            database.close()
        finally:
            server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
