"""Retrieval: scifact, wiki2, hotpotqa and musique through the corpus, embedded only.

A set's documents are added to a corpus of its own, vectors are computed, and each case is one search: ``search`` for
claims that one abstract settles, ``search_hops`` for questions that need several passages.

Measures a part: averment.corpus, averment.language and averment.store.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from averment.corpus.corpus import Corpus
from averment.corpus.ingest import DocumentDraft
from averment.language.embeddings import default_embedder
from averment.settings import Settings
from averment.store.db.database import Database

DEPTH = 100
PASSAGES = 300


def drafts(data: Path) -> Iterator[DocumentDraft]:
    """The documents of a set, each under an address made of its id."""
    with gzip.open(data / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            text = row.get("text") or " ".join(row.get("sentences", ()))
            yield DocumentDraft(
                url=f"bench://{data.name}/{row['doc_id']}",
                title=row["title"],
                text=text or row["title"],
                raw=line.encode(),
            )


def open_corpus(data: Path, home: Path) -> Corpus:
    """A corpus that holds a set, with all its vectors."""
    database = Database.open(Settings(home=home))
    corpus = Corpus(database, default_embedder(home / "cache"))
    for added in corpus.add(drafts(data)):
        if added.error is not None:
            raise added.error
    corpus.finish_vectors()
    return corpus


def home_of(name: str) -> Path:
    """A folder for the corpus of a set; AVERMENT_BENCH_HOME keeps it, so that a second run goes on with its vectors."""
    kept = os.environ.get("AVERMENT_BENCH_HOME")
    return Path(kept) / name if kept else Path(tempfile.mkdtemp(prefix=f"averment-{name}-"))


def predict(data: Path, *, hops: bool) -> Iterator[dict[str, Any]]:
    """One ranking of documents for each case."""
    corpus = open_corpus(data, home_of(data.name))
    for line in (data / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        began = time.perf_counter()
        find = corpus.search_hops if hops else corpus.search
        hits = find(case["question"], PASSAGES)
        ranked = list(dict.fromkeys(hit.url.rpartition("/")[2] for hit in hits))
        yield {"id": case["id"], "ranked": ranked[:DEPTH], "seconds": round(time.perf_counter() - began, 4)}


def predict_scifact(data: Path) -> Iterator[dict[str, Any]]:
    """Claims: one search each."""
    return predict(data, hops=False)


def predict_hops(data: Path) -> Iterator[dict[str, Any]]:
    """Questions over several passages."""
    return predict(data, hops=True)
