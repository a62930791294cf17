"""Facts, answers and verdicts over given texts, with no model: rgb_fact, ramdocs, climate_fever and fm2.

The adapters only map formats. ``conflict`` follows each set's own definition: in rgb_fact the sources disagree, in
ramdocs more than one distinct answer is stated.

Measures a part: averment.agents and averment.language.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from averment.agents.researcher.facts import PilePassage, read_pile
from averment.agents.researcher.recall import Answers, choose_answers
from averment.language.claims.vectors import Similarity
from averment.language.embeddings import default_embedder
from verdicts import judge_claim

LONGEST = 15


def read_cases(data: Path) -> list[dict[str, Any]]:
    """The cases of a set."""
    return [json.loads(line) for line in (data / "cases.jsonl").read_text("utf-8").splitlines() if line.strip()]


def similarity() -> Similarity:
    """The sentence model, its graph kept for the next measurement."""
    return Similarity(default_embedder(Path(tempfile.gettempdir()) / "averment-bench-embedder"))


def passages_of(case: dict[str, Any]) -> list[PilePassage]:
    """The documents of a case as passages; each is a source of its own."""
    return [
        PilePassage(
            source_id=uuid5(NAMESPACE_URL, document["doc_id"]),
            url=f"https://example.org/{document['doc_id']}",
            snapshot_sha256=hashlib.sha256(document["text"].encode()).hexdigest(),
            text=document["text"],
            domain="example.org",
            group=document["doc_id"],
        )
        for document in case["documents"]
    ]


def shown(text: str) -> str:
    """An answer in at most as many words as the sets allow."""
    return " ".join(text.split()[:LONGEST])


def _answered(data: Path) -> Iterator[tuple[dict[str, Any], Answers, float]]:
    near = similarity()
    for case in read_cases(data):
        began = time.perf_counter()
        chosen = choose_answers(read_pile(case["question"], passages_of(case), near))
        yield case, chosen, round(time.perf_counter() - began, 4)


def predict_rgb_fact(data: Path) -> Iterator[dict[str, Any]]:
    """Whether the sources disagree, both values when they do, the best one when not."""
    for case, chosen, took in _answered(data):
        if chosen.disputes:
            entries = [chosen.disputes[0].one, *(dispute.other for dispute in chosen.disputes)]
        else:
            entries = [answer.entry for answer in chosen.answers[:1]]
        places = sorted({place for entry in entries for place in entry.texts})
        yield {
            "id": case["id"],
            "answers": [shown(entry.wording) for entry in entries],
            "conflict": bool(chosen.disputes),
            "evidence": [case["documents"][place]["doc_id"] for place in places],
            "seconds": took,
        }


def predict_ramdocs(data: Path) -> Iterator[dict[str, Any]]:
    """The answers that stand, and whether more than one was stated."""
    for case, chosen, took in _answered(data):
        places = sorted({place for answer in chosen.answers for place in answer.passages})
        yield {
            "id": case["id"],
            "answers": [shown(answer.text) for answer in chosen.answers],
            "conflict": chosen.several,
            "evidence": [case["documents"][place]["doc_id"] for place in places],
            "seconds": took,
        }


def predict_climate_fever(data: Path) -> Iterator[dict[str, Any]]:
    """A verdict for each sentence and one for the claim."""
    near = similarity()
    for case in read_cases(data):
        began = time.perf_counter()
        texts = [document["text"] for document in case["documents"]]
        verdict = judge_claim(case["claim"], texts, near)
        labels = dict(zip((d["doc_id"] for d in case["documents"]), verdict.sentences, strict=True))
        took = round(time.perf_counter() - began, 4)
        yield {"id": case["id"], "label": verdict.claim, "evidence": labels, "seconds": took}


def predict_fm2(data: Path) -> Iterator[dict[str, Any]]:
    """Supported or refuted where a sentence settles it, else no answer; the sentences nearest to the claim."""
    near = similarity()
    for case in read_cases(data):
        began = time.perf_counter()
        texts = [document["text"] for document in case["documents"]]
        verdict = judge_claim(case["claim"], texts, near)
        evidence = [case["documents"][place]["doc_id"] for place in verdict.nearest[:2]]
        row: dict[str, Any] = {"id": case["id"], "evidence": evidence}
        if verdict.claim in ("supports", "refutes"):
            row["label"] = verdict.claim
        else:
            row["abstained"] = True
        yield {**row, "seconds": round(time.perf_counter() - began, 4)}
