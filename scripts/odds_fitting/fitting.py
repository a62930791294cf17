"""The fit: weights of wordings, trees over facts, and what both are worth on tables that were held out.

The trees need the learned reader's score of each reading as it would be on a table it has not seen. So within every
part that trees are fitted on, the scores come from readers fitted without the reading's own table.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier

from averment.reading.odds import Features

FOLDS, SEED = 5, 3
LEAST_GROUPS = 4
"""A wording counts only if so many tables or databases have it, so that what is learned is about English."""
HELD = 40.0
"""How strongly the weights of wordings are held near nothing."""
TREES: dict[str, Any] = {
    "max_iter": 140,
    "learning_rate": 0.05,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 40,
    "l2_regularization": 10.0,
    "early_stopping": False,
    "random_state": SEED,
}
RISES = {"margin": 1, "share": 1, "weakest": 1, "learned": 1, "learned_margin": 1, "left": -1, "near": -1}
"""Facts that only ever speak for a reading, or against it."""
NAMES = Features.names()
LEARNED, MARGIN, LEFT = (NAMES.index(name) for name in ("learned", "learned_margin", "left"))


@dataclass
class Readings:
    """All readings of all questions, one row each; ``starts`` says where each question's begin."""

    facts: np.ndarray
    wording: sparse.csr_matrix
    words: list[str]
    right: np.ndarray
    starts: np.ndarray
    fold: np.ndarray
    weight: np.ndarray
    kinds: list[str]

    def of(self, question: int) -> slice:
        """The rows of one question."""
        return slice(int(self.starts[question]), int(self.starts[question + 1]))


@dataclass
class Fitted:
    """What ships, and the odds and choices that readers and trees gave on the tables they had not seen."""

    words: dict[str, float]
    trees: dict[str, Any]
    readings: Readings
    held_out: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])


def fit(cases: Sequence[dict[str, Any]]) -> Fitted:
    """Everything, and the same for each fold without it."""
    data = prepared(cases)
    every = np.ones(len(data.right), bool)
    with_reader, without_reader = np.zeros(len(data.right)), np.zeros(len(data.right))
    for number in range(FOLDS):
        inside = data.fold != number
        scores = cross_scores(data, inside)
        facts = with_scores(data, scores)
        with_reader[~inside] = chances(fit_trees(facts, data, inside), facts[~inside])
        plain = with_scores(data, np.zeros(len(scores)))
        without_reader[~inside] = chances(fit_trees(plain, data, inside), plain[~inside])
    with_reader, turned = calibrated(with_reader, data)
    without_reader, _ = calibrated(without_reader, data)
    scores = cross_scores(data, every)
    model = fit_trees(with_scores(data, scores), data, every)
    weights = fit_words(data, every)
    words = {w: round(float(v), 4) for w, v in sorted(zip(data.words, weights, strict=True)) if abs(v) >= 0.005}
    held_out = {"odds": with_reader, "odds without the reader": without_reader}
    return Fitted(words, exported(model, turned), data, held_out)


def prepared(cases: Sequence[dict[str, Any]]) -> Readings:
    """Cases as matrices; those without a reading have no row."""
    cases = [case for case in cases if case["readings"]]
    groups = sorted({case["group"] for case in cases})
    random.Random(SEED).shuffle(groups)
    seen: dict[str, set[str]] = {}
    for case in cases:
        for reading in case["readings"]:
            for word in reading["wording"]:
                seen.setdefault(word, set()).add(case["group"])
    words = sorted(word for word, where in seen.items() if len(where) >= LEAST_GROUPS)
    place = {word: at for at, word in enumerate(words)}
    rows = [(case, at, reading) for case in cases for at, reading in enumerate(case["readings"])]
    marks = [(row, place[w]) for row, (_, _, reading) in enumerate(rows) for w in reading["wording"] if w in place]
    matrix = sparse.csr_matrix(
        (np.ones(len(marks)), tuple(np.array(marks, dtype=np.int64).T)), shape=(len(rows), len(words))
    )
    return Readings(
        np.array([reading["facts"] for _, _, reading in rows]),
        matrix,
        words,
        np.array([float(reading["right"]) for _, _, reading in rows]),
        np.concatenate([[0], np.cumsum([len(case["readings"]) for case in cases])]),
        np.array([groups.index(case["group"]) % FOLDS for case, _, _ in rows]),
        # The few questions over single tables weigh as much as the many over joined ones, and the first reading most.
        np.array([(1.0 if case["kind"] == "spider" else 3.0) * (0.5 if at else 2.0) for case, at, _ in rows]),
        [case["kind"] for case in cases],
    )


def fit_words(data: Readings, inside: np.ndarray) -> np.ndarray:
    """Weights of wordings beside the facts, so that they tell what the facts do not."""
    facts = np.delete(data.facts[inside], [LEARNED, MARGIN], axis=1)
    spread = facts.std(axis=0)
    facts = np.hstack([(facts - facts.mean(axis=0)) / np.where(spread > 0, spread, 1.0), np.ones((len(facts), 1))])
    marks = data.wording[inside]
    turned, right, weight, width = marks.T.tocsr(), data.right[inside], data.weight[inside], facts.shape[1]

    def loss(both: np.ndarray) -> tuple[float, np.ndarray]:
        total = facts @ both[:width] + marks @ both[width:]
        pull = weight * (1 / (1 + np.exp(-total)) - right)
        held = np.concatenate([2.0 * both[: width - 1], [0.0], HELD * both[width:]])
        missed = float((weight * (np.logaddexp(0, total) - right * total)).sum())
        return missed + 0.5 * float(held @ both), np.concatenate([facts.T @ pull, turned @ pull]) + held

    start = np.zeros(width + marks.shape[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 80}).x[width:]


def cross_scores(data: Readings, inside: np.ndarray) -> np.ndarray:
    """The learned score of every reading by weights that saw neither its fold nor what is outside."""
    scores = data.wording @ fit_words(data, inside)
    for number in sorted(set(data.fold[inside])):
        here = data.fold == number
        scores[here & inside] = data.wording[here & inside] @ fit_words(data, inside & ~here)
    return scores


def with_scores(data: Readings, scores: np.ndarray) -> np.ndarray:
    """The facts with the learned score and its margin over rivals, as ``features_of`` has them."""
    facts = data.facts.copy()
    facts[:, LEARNED] = scores
    for question in range(len(data.starts) - 1):
        rows = data.of(question)
        own, left = scores[rows], data.facts[rows, LEFT]
        for at in range(len(own)):
            rivals = [own[n] for n in range(len(own)) if n != at and left[n] <= left[at]]
            margin = own[at] - max(rivals) if rivals else 2.0
            facts[rows.start + at, MARGIN] = max(-3.0, min(3.0, margin))
    return facts


def fit_trees(facts: np.ndarray, data: Readings, inside: np.ndarray) -> HistGradientBoostingClassifier:
    """Small trees, each mending what those before it left wrong."""
    model = HistGradientBoostingClassifier(monotonic_cst=[RISES.get(name, 0) for name in NAMES], **TREES)
    return model.fit(facts[inside], data.right[inside], sample_weight=data.weight[inside])


def chances(model: HistGradientBoostingClassifier, facts: np.ndarray) -> np.ndarray:
    """The probability of being right."""
    return model.predict_proba(facts)[:, 1]


def calibrated(odds: np.ndarray, data: Readings) -> tuple[np.ndarray, tuple[float, float]]:
    """Odds of held-out readings put on a line that makes them hold, and that line.

    Trees that saw a table are surer than those that did not. The slope and the height are fitted on the odds of
    readings whose table was held out, those of the reading that would be taken; what is told of each fold comes from a
    line fitted on the others.
    """
    logits = np.log(np.clip(odds, 1e-6, 1 - 1e-6) / (1 - np.clip(odds, 1e-6, 1 - 1e-6)))
    taken = np.zeros(len(odds), bool)
    for question in range(len(data.starts) - 1):
        rows = data.of(question)
        places = range(rows.start, rows.stop)
        best = min(places, key=lambda at: (data.facts[at, LEFT] > 0, -odds[at], at))
        taken[best] = data.facts[best, LEFT] == 0

    def line(inside: np.ndarray) -> tuple[float, float]:
        at, right, weight = logits[inside & taken], data.right[inside & taken], data.weight[inside & taken]

        def loss(both: np.ndarray) -> float:
            total = both[0] * at + both[1]
            return float((weight * (np.logaddexp(0, total) - right * total)).sum()) + 2.0 * (both[0] - 1.0) ** 2

        slope, height = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
        return float(slope), float(height)

    told = np.zeros(len(odds))
    for number in range(FOLDS):
        slope, height = line(data.fold != number)
        here = data.fold == number
        told[here] = 1 / (1 + np.exp(-(slope * logits[here] + height)))
    return told, line(np.ones(len(odds), bool))


def exported(model: HistGradientBoostingClassifier, turned: tuple[float, float]) -> dict[str, Any]:
    """The trees as ``odds.json`` has them, on the line that makes their odds hold."""
    slope, height = turned
    trees: list[list[list[float]]] = []
    for (predictor,) in model._predictors:
        nodes: list[list[float]] = []
        for node in predictor.nodes:
            if node["is_leaf"]:
                nodes.append([round(slope * float(node["value"]), 5)])
            else:
                bar = float(node["num_threshold"])
                nodes.append([int(node["feature_idx"]), round(bar, 6), int(node["left"]), int(node["right"])])
        trees.append(nodes)
    base = slope * float(model._baseline_prediction.ravel()[0]) + height
    return {"base": round(base, 6), "trees": trees, "line": [round(slope, 4), round(height, 4)]}
