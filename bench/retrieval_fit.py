"""Fit the weights of the multi-hop search on the public halves, and say how well they do on questions left out.

    python bench/retrieval_fit.py wiki2 hotpotqa musique

Each round is one logistic regression over the signals of ``averment.corpus.hops``; every set counts alike. The
weights are printed for ``averment.corpus.hops``.

Measures a part: averment.corpus.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from averment.corpus import hops
from averment.corpus.corpus import Corpus
from retrieval import home_of, open_corpus

SHARED = Path(os.environ.get("AVERMENT_BENCH_DATA") or Path(__file__).parents[2] / "shared" / "bench")
FOLDS = 5
STRENGTH = 0.3


@dataclass
class Case:
    """One question of one set, with its signals and which candidates are gold."""

    name: str
    question: str
    gold: set[str]
    table: np.ndarray
    documents: list[str]

    @property
    def right(self) -> np.ndarray:
        return np.array([document in self.gold for document in self.documents])


def cases(name: str, corpus: Corpus, number: int) -> list[Case]:
    """The questions of a set with the signals of one round."""
    data = SHARED / name
    gold = {row["id"]: set(row["docs"]) for row in map(json.loads, (data / "gold.jsonl").open(encoding="utf-8"))}
    index = corpus.index()
    address = {document.document_id: document.url.rpartition("/")[2] for document in corpus.documents()}
    everywhere = np.ones(len(index), bool)
    found: list[Case] = []
    for row in map(json.loads, (data / "cases.jsonl").open(encoding="utf-8")):
        signals = hops.rounds(
            index, row["question"], lambda rows: corpus._texts(index, rows), corpus._embed, everywhere
        )[number]
        documents = [address[index.documents[place]] for place in signals.rows]
        found.append(Case(name, row["question"], gold[row["id"]], signals.table, documents))
    return found


def fit(training: list[Case]) -> tuple[np.ndarray, float]:
    """Weights and bias of one round; each question counts alike, and so does each set."""
    sets = {name: sum(case.name == name for case in training) for name in {case.name for case in training}}
    table = np.vstack([case.table for case in training])
    right = np.concatenate([case.right for case in training])
    counts = np.concatenate(
        [np.where(case.right, 1 / max(1, case.right.sum()), 1 / len(case.right)) / sets[case.name] for case in training]
    )
    scale = table.std(axis=0) + 1e-9
    model = LogisticRegression(C=STRENGTH, max_iter=5_000)
    model.fit(table / scale, right, sample_weight=counts * len(training) / len(sets))
    return model.coef_[0] / scale, float(model.intercept_[0])


def figures(tested: list[Case], rankings: list[list[str]]) -> str:
    """recall@5 and the share with all gold in the first 8."""
    recall = np.mean(
        [len(case.gold & set(ranked[:5])) / len(case.gold) for case, ranked in zip(tested, rankings, strict=True)]
    )
    whole = np.mean([case.gold <= set(ranked[:8]) for case, ranked in zip(tested, rankings, strict=True)])
    return f"recall@5 {recall:.4f}, all in 8 {whole:.4f}"


def ranked(case: Case, weights: np.ndarray) -> list[str]:
    """The documents of a case in order."""
    return list(dict.fromkeys(case.documents[place] for place in np.argsort(-(case.table @ weights), kind="stable")))


def report(everything: list[Case]) -> None:
    """What weights fitted without a question, or without its set, do on it."""
    folds = np.random.RandomState(0).randint(0, FOLDS, len(everything))
    for name in sorted({case.name for case in everything}):
        mine = [case for case in everything if case.name == name]
        left_out: list[list[str]] = []
        for case, fold in zip(everything, folds, strict=True):
            if case.name == name:
                training = [one for one, other in zip(everything, folds, strict=True) if other != fold]
                left_out.append(ranked(case, _cached(tuple(map(id, training)), training)))
        print(f"  {name}: questions left out: {figures(mine, left_out)}")
        weights, _ = fit([case for case in everything if case.name != name])
        print(f"  {name}: whole set left out: {figures(mine, [ranked(case, weights) for case in mine])}")


_fits: dict[tuple[int, ...], np.ndarray] = {}


def _cached(key: tuple[int, ...], training: list[Case]) -> np.ndarray:
    if key not in _fits:
        _fits[key] = fit(training)[0]
    return _fits[key]


def main() -> None:
    """Fit both rounds; the second starts from what the first finds."""
    names = sys.argv[1:] or ["wiki2", "hotpotqa", "musique"]
    opened = {name: open_corpus(SHARED / name, home_of(name)) for name in names}
    weights, bias = list(hops.WEIGHTS), list(hops.BIAS)
    for number in range(2):
        everything = [case for name, corpus in opened.items() for case in cases(name, corpus, number)]
        print(f"round {number + 1}: {len(everything)} questions")
        report(everything)
        fitted, offset = fit(everything)
        weights[number], bias[number] = tuple(round(float(one), 2) for one in fitted), round(offset, 2)
        hops.WEIGHTS, hops.BIAS = (weights[0], weights[1]), (bias[0], bias[1])
        print(f"  {weights[number]}\n  {bias[number]}", flush=True)


if __name__ == "__main__":
    main()
