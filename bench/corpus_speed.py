"""How fast a corpus fills and answers: 5,000 short documents, full text at once and vectors beside it.

    python bench/corpus_speed.py [--documents N] [--vectors] [--research] [--home DIR]

Documents are made up of a fixed vocabulary, so that every run measures the same; SQLite's FTS5 stands beside as the
full-text index a program would otherwise use.

Measures a part: averment.corpus, averment.language and averment.store.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from averment.corpus.corpus import Corpus
from averment.corpus.ingest import DocumentDraft
from averment.language.embeddings import default_embedder
from averment.settings import Settings
from averment.store.db.database import Database

SEED = 20_26
WORDS_IN_DOCUMENT = 120
QUESTIONS = 50


def vocabulary(size: int, chance: random.Random) -> list[str]:
    """Made-up words of two to four syllables."""
    parts = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
    return sorted({"".join(chance.choices(parts, k=chance.randint(2, 4))) for _ in range(size)})


def documents(count: int) -> list[DocumentDraft]:
    """Short documents whose words are as unevenly frequent as those of a language."""
    chance = random.Random(SEED)
    words = vocabulary(20_000, chance)
    weights = [1 / (rank + 10) for rank in range(len(words))]
    found: list[DocumentDraft] = []
    for number in range(count):
        text = chance.choices(words, weights, k=WORDS_IN_DOCUMENT)
        sentences = [" ".join(text[first : first + 12]).capitalize() + "." for first in range(0, len(text), 12)]
        body = " ".join(sentences)
        found.append(
            DocumentDraft(url=f"bench://speed/{number}", title=" ".join(text[:3]).title(), text=body, raw=body.encode())
        )
    return found


def timed(act: Callable[[], object]) -> float:
    """How many seconds an act takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def each(find: Callable[[str], object], queries: list[str]) -> list[float]:
    """How many seconds each query takes."""
    return [timed(lambda query=query: find(query)) for query in queries]


def told(name: str, times: list[float]) -> None:
    """Print the median and the slow end of some times."""
    slow = sorted(times)[int(0.95 * (len(times) - 1))]
    print(f"{name:<44}{statistics.median(times) * 1000:>9.1f} ms median{slow * 1000:>9.1f} ms p95", flush=True)


def told_papers() -> list[DocumentDraft]:
    """Papers in plain English among the others, of which questions can be asked."""
    texts = (
        "Lindholm Harbour was deepened in 1961 because larger ships could not enter the basin.",
        "According to the city archive, Lindholm Harbour was deepened in 1961. Anna Berg led the work.",
        "In 2019 Lindholm Harbour handled 4,200 ships. Lindholm Harbour expects more traffic.",
    )
    return [
        DocumentDraft(url=f"bench://speed/paper/{number}", title="Lindholm Harbour", text=text, raw=text.encode())
        for number, text in enumerate(texts)
    ]


def research(home: Path) -> None:
    """Quick research over the filled corpus, the first time and warm, by the clock and in processor time."""
    from averment.workbench import Workbench

    with Workbench(home=home) as bench:
        for question in ("When was Lindholm Harbour deepened?", "How many ships did Lindholm Harbour handle in 2019?"):
            busy = time.process_time()
            seconds = timed(lambda question=question: bench.research(question, depth="quick"))
            busy = time.process_time() - busy
            print(f"{'quick research':<44}{seconds:>9.1f} s{busy:>9.1f} s of one core's time", flush=True)


def beside(drafts: list[DocumentDraft], queries: list[str]) -> None:
    """The same documents in SQLite's FTS5."""
    peer = sqlite3.connect(":memory:")
    peer.execute("CREATE VIRTUAL TABLE peer USING fts5(body, tokenize='porter unicode61')")
    seconds = timed(lambda: peer.executemany("INSERT INTO peer VALUES (?)", [(draft.text,) for draft in drafts]))
    print(f"{'SQLite FTS5, in memory, no archive':<44}{len(drafts) / seconds:>9.0f} documents/s")
    find = "SELECT rowid FROM peer WHERE peer MATCH ? ORDER BY bm25(peer) LIMIT 10"
    told("SQLite FTS5, full text", each(lambda query: peer.execute(find, (_any_of(query),)).fetchall(), queries))


def _any_of(query: str) -> str:
    return " OR ".join(f'"{word.strip(".")}"' for word in query.split())


def main() -> None:
    """Fill, load, search; with vectors when they are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--vectors", action="store_true", help="wait for all vectors, and search with them")
    parser.add_argument("--research", action="store_true", help="ask the researcher, at quick depth")
    parser.add_argument("--home", type=Path, default=None)
    chosen = parser.parse_args()
    home = chosen.home or Path(tempfile.mkdtemp(prefix="averment-speed-"))
    drafts = [*documents(chosen.documents), *(told_papers() if chosen.research else ())]
    queries = [" ".join(drafts[number * 7 % len(drafts)].text.split()[20:28]) for number in range(QUESTIONS)]
    database = Database.open(Settings(home=home))
    embedder = default_embedder(home / "cache")
    embedder.embed(["warm"])
    corpus = Corpus(database, embedder)
    corpus.start_vectors()

    busy = time.thread_time()
    seconds = timed(lambda: [*corpus.add(drafts)])
    busy = time.thread_time() - busy
    print(f"{'archived and indexed, full text':<44}{len(drafts) / seconds:>9.0f} documents/s", end="")
    print(f"{len(drafts) / busy:>9.0f} a second of one core's time")
    told("first search (loads the index)", [timed(lambda: corpus.search(queries[0], 10))])
    told("search", each(lambda query: corpus.search(query, 10), queries))
    told("search over hops", each(lambda query: corpus.search_hops(query, 10), queries))
    seconds = timed(lambda: [*corpus.add(drafts)])
    print(f"{'added again, unchanged':<44}{len(drafts) / seconds:>9.0f} documents/s")
    if chosen.vectors:
        corpus.start_vectors()
        pending = corpus.pending_vectors()
        seconds = timed(lambda: corpus.wait_vectors(3_600))
        print(f"{'vectors in the background':<44}{pending / max(seconds, 1e-9):>9.0f} passages/s")
        told("search with vectors", each(lambda query: corpus.search(query, 10), queries))
        told("search over hops with vectors", each(lambda query: corpus.search_hops(query, 10), queries))
    corpus.close()
    database.close()
    if chosen.research:
        research(home)
    beside(drafts, queries)


if __name__ == "__main__":
    main()
