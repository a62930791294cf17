"""Whole researches over public corpora: asked through the workbench, sealed, verified, and every sentence looked up.

    python bench/research_runs.py [--data DIR] [--sets hotpotqa rgb_fact scifact] [--count 10] [--depth quick]
                                  [--documents 400] [--keep DIR] [--json]

Of each set a corpus of at least 200 documents is archived and some of its questions are asked. Every report is
verified; beside that, each cited sentence is looked up at its place in the archive, without the code that bound it.
``--keep`` writes the reports to a folder, to be read by hand.

Measures a part: averment.records.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

SHARED = Path(os.environ.get("AVERMENT_BENCH_DATA") or Path(__file__).parents[2] / "shared" / "bench")
SETS = ("hotpotqa", "rgb_fact", "scifact")
COUNT, SEED, DOCUMENTS = 10, 7, 400
_MARKER = re.compile(r"\[cite:([0-9a-f-]{36})\]")


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file, packed or not."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    yield from (json.loads(line) for line in text.splitlines() if line.strip())


def text_of(document: dict[str, Any]) -> str:
    """The text of a document, given whole or as sentences."""
    return str(document["text"]) if "text" in document else " ".join(document["sentences"])


def documents_of(data: Path, wanted: set[str], most: int) -> Iterator[tuple[str, str, str]]:
    """Id, title and text of a set's documents: those of the wanted ids first, then others up to the number."""
    packed = data / "corpus.jsonl.gz"
    if packed.exists():
        every = list(lines_of(packed))
        first = [one for one in every if str(one.get("doc_id") or one.get("id")) in wanted]
        others = [one for one in every if str(one.get("doc_id") or one.get("id")) not in wanted]
        for one in (*first, *others)[:most]:
            yield str(one.get("doc_id") or one.get("id")), str(one.get("title") or ""), text_of(one)
        return
    count = 0
    for case in lines_of(data / "cases.jsonl"):
        for one in case["documents"]:
            if count >= most and case["id"] not in wanted:
                break
            count += 1
            yield str(one["doc_id"]), "", str(one["text"])


def write_corpus(data: Path, folder: Path, wanted: set[str], most: int) -> int:
    """The documents as files, one each; how many there are."""
    count = 0
    for doc_id, title, text in documents_of(data, wanted, most):
        count += 1
        name = re.sub(r"\W+", "_", doc_id)
        (folder / f"{name}.md").write_text(f"# {title}\n\n{text}\n" if title else f"{text}\n", encoding="utf-8")
    return count


def draw_cases(data: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """Some questions of a set, each wording once, the same ones for a seed."""
    cases = {case["question"].strip(): case for case in lines_of(data / "cases.jsonl")}
    fit = [case for case in cases.values() if 10 <= len(case["question"].strip()) <= 500]
    return random.Random(seed).sample(fit, min(count, len(fit)))


def bound_sentences(report: dict[str, Any], facts: dict[str, Any]) -> tuple[int, int]:
    """How many sentences summary and sections have, and how many end in citations of facts that are there."""
    from averment.records.research.report import SHORT_NOTE

    told = bound = 0
    for text in (report["executive_summary"], *(section["content"] for section in report["sections"])):
        for block in text.split("\n\n"):
            if block == SHORT_NOTE:
                continue
            parts = re.split(r"(?:\s*\[cite:[0-9a-f-]{36}\])+", block)
            told += sum(1 for part in parts if part.strip())
            groups = re.findall(r"(?:\s*\[cite:[0-9a-f-]{36}\])+", block)
            bound += sum(1 for group in groups if all(cite in facts for cite in _MARKER.findall(group)))
    return told, bound


def ask(
    workbench: Any, archive: Any, question: str, depth: str, corpus: list[Path], keep: Path | None
) -> dict[str, Any]:
    """One research with its figures."""
    started = time.perf_counter()
    run = workbench.research(question, corpus=corpus, depth=depth)
    seconds = time.perf_counter() - started
    row: dict[str, Any] = {"question": question, "status": run.status, "seconds": round(seconds, 2)}
    if keep is not None:
        name = re.sub(r"\W+", "_", question)[:60]
        (keep / f"{name}.md").write_text(str(run.report or run.answer), encoding="utf-8")
    verdict = workbench.verify(run.id)
    row |= {"verified": verdict.ok, "faults": [str(fault) for fault in verdict.faults][:3]}
    folder = Path(workbench.settings.home) / "artifacts" / "reports" / run.id
    if not (folder / "report.json").exists():
        return row
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    facts = {fact["id"]: fact for fact in data["facts"]}
    told, bound = bound_sentences(data["report"], facts)
    found = sum(
        archive.quote(span["snapshot_sha256"], span["start"], span["end"]) == fact["text"]
        for fact in facts.values()
        for span in (fact["evidence"],)
    )
    summary = len(_MARKER.sub("", data["report"]["executive_summary"]).split())
    return row | {
        "sentences": told,
        "bound": bound,
        "quotes": len(facts),
        "found": found,
        "summary_words": summary,
        "sections": len(data["report"]["sections"]),
        "discrepancies": len(data["discrepancies"]),
        "quality": data["report"]["quality_score"],
    }


def measure(name: str, data: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The figures of every research of one set."""
    from averment import Workbench
    from averment.runtime.services import Services
    from averment.settings import Settings

    cases = draw_cases(data, options.count, SEED)
    wanted = {case["id"] for case in cases}
    if (data / "corpus.jsonl.gz").exists():
        gold = {line["id"]: line for line in lines_of(data / "gold.jsonl")}
        wanted = {str(doc) for case in cases for doc in gold[case["id"]]["docs"]}
    keep = None
    if options.keep:
        keep = Path(options.keep) / name
        keep.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        library = Path(folder) / "library"
        library.mkdir()
        count = write_corpus(data, library, wanted, options.documents)
        settings = Settings(home=Path(folder) / "home", model_provider="none")
        with Workbench(settings=settings) as workbench, closing(Services(settings)) as services:
            for place, case in enumerate(cases):
                corpus = [library] if place == 0 else []
                question = case["question"].strip()
                row = ask(workbench, services.texts.corpus, question, options.depth, corpus, keep)
                if place == 0:
                    services.texts.corpus.finish_vectors()
                rows.append({"set": name, "documents": count, **row})
                print(json.dumps(rows[-1], ensure_ascii=False), file=sys.stderr, flush=True)
    return rows


def summed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of all researches together."""
    told = [row for row in rows if "sentences" in row]
    return {
        "reports": len(rows),
        "answered": sum(row["status"] in {"completed", "partial_success"} for row in rows),
        "abstained": sum(row["status"] == "abstained" for row in rows),
        "verified": sum(row["verified"] for row in rows),
        "sentences": sum(row["sentences"] for row in told),
        "sentences_bound": sum(row["bound"] for row in told),
        "quotes": sum(row["quotes"] for row in told),
        "quotes_found": sum(row["found"] for row in told),
        "discrepancies": sum(row["discrepancies"] for row in told),
        "seconds_median": round(statistics.median(row["seconds"] for row in rows), 2) if rows else 0.0,
    }


def main(arguments: list[str] | None = None) -> None:
    """Ask, verify, look up, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--depth", default="quick")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--keep", default="")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rows = [row for name in options.sets for row in measure(name, options.data / name, options)]
    total = summed(rows)
    if options.json:
        print(json.dumps({"rows": rows, "total": total}, ensure_ascii=False))
    else:
        for key, value in total.items():
            print(f"{key:>18}  {value}")


if __name__ == "__main__":
    main()
