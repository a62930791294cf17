"""Every discrepancy of real reports, with its sentences, for reading by hand.

    python bench/discrepancies.py [--questions N] [--depth quick|standard|comprehensive] [NAME ...]

Three corpora of 200 documents or more are made of public sets, and questions of these sets are asked through
``Workbench.research``, evenly spaced. What is printed was read for ``docs/explain/discrepancies-read.md``.

Measures a part: averment.corpus, averment.language and averment.store.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from averment.corpus.corpus import Corpus
from averment.corpus.ingest import DocumentDraft
from averment.language.embeddings import default_embedder
from averment.settings import Settings
from averment.store.corpus.research import ResearchStore
from averment.store.db.database import Database
from averment.workbench import Workbench
from run import SHARED

MOST_DOCUMENTS = 260
TITLE_WORDS = 8


def cases_of(name: str) -> list[dict[str, Any]]:
    """The cases whose sources disagree where the set knows, else all of them."""
    rows = [json.loads(line) for line in (SHARED / name / "cases.jsonl").read_text("utf-8").splitlines()]
    return [row for row in rows if not row["id"].endswith("-agree")]


def drafts_of(name: str, cases: list[dict[str, Any]]) -> Iterator[DocumentDraft]:
    """The documents of a set: those of its cases, or its corpus."""
    packed = SHARED / name / "corpus.jsonl.gz"
    if packed.exists():
        with gzip.open(packed, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        documents = [(row["doc_id"], row["title"], row.get("text") or " ".join(row["sentences"])) for row in rows]
    else:
        pairs = [(one["doc_id"], one["text"]) for case in cases for one in case["documents"]]
        documents = [(ident, " ".join(text.split()[:TITLE_WORDS]), text) for ident, text in pairs]
    for ident, title, text in documents:
        yield DocumentDraft(
            url=f"https://example.org/{ident}", title=title, text=text or title, raw=(text or title).encode()
        )


def read_reports(name: str, questions: int, depth: str) -> None:
    """Fill a corpus, ask, and print what the reports say is in dispute."""
    cases = cases_of(name)
    home = Path(tempfile.mkdtemp(prefix=f"averment-{name}-"))
    database = Database.open(Settings(home=home))
    corpus = Corpus(database, default_embedder(home / "cache"))
    drafts = list(drafts_of(name, cases))
    # The sets list their documents in the order of their cases, so the first of both belong together.
    cases = cases[: max(questions, len(cases) * MOST_DOCUMENTS // len(drafts))]
    added = sum(one.error is None for one in corpus.add(drafts[:MOST_DOCUMENTS]))
    corpus.finish_vectors()
    corpus.close()
    store = ResearchStore(database)
    step = max(1, len(cases) // questions)
    print(f"== {name}: {added} documents", flush=True)
    with Workbench(home=home) as bench:
        for case in cases[::step][:questions]:
            began = time.perf_counter()
            run = bench.research(case["question"], depth=depth)
            print(f"\n# {case['question']} [{run.status}, {time.perf_counter() - began:.1f} s]")
            request = next(one.id for one in store.list(200) if one.query == case["question"])
            facts = {fact.id: fact for fact in store.facts(request)}
            for one in store.discrepancies(request):
                print(f"- {one.topic}: {one.resolution}")
                for fact_id in one.fact_ids:
                    print(f"    {facts[fact_id].source_url.rsplit('/', 1)[-1]}: {facts[fact_id].text}")
            print(flush=True)
    database.close()


def main() -> None:
    """Each corpus that was named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["rgb_fact", "ramdocs", "hotpotqa"])
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--depth", default="standard")
    chosen = parser.parse_args()
    for name in chosen.names:
        read_reports(name, chosen.questions, chosen.depth)


if __name__ == "__main__":
    main()
