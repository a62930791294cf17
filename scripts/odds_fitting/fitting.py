"""The fit of the odds: trees over facts and the cross-reader's scores, and what they are worth on tables held out.

The trees need the cross-reader's score of each reading as it would be on a table it has not seen. So every score comes
from a cross-reader fitted without the reading's own fold of tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier

from averment.reading.judge.odds import Features, cross_margin

FOLDS, SEED = 5, 3
TREES: dict[str, Any] = {
    "max_iter": 200,
    "learning_rate": 0.05,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 40,
    "l2_regularization": 10.0,
    "early_stopping": False,
    "random_state": SEED,
}
WEIGHTS = {"spider": 1.0, "reworded": 0.5}
"""What a reading counts by the set of its question; one over a single table counts three."""
RISES = {"margin": 1, "share": 1, "weakest": 1, "cross": 1, "cross_margin": 1, "linked": 1, "left": -1, "near": -1}
"""Facts that only ever speak for a reading, or against it."""
NAMES = Features.names()
CROSS, MARGIN, LEFT, TABLES = (NAMES.index(name) for name in ("cross", "cross_margin", "left", "tables"))

Line = tuple[float, float]


@dataclass
class Readings:
    """All readings of all questions, one row each; ``starts`` says where each question's begin."""

    facts: np.ndarray
    right: np.ndarray
    starts: np.ndarray
    fold: np.ndarray
    weight: np.ndarray
    heard: np.ndarray
    kinds: list[str]

    def of(self, question: int) -> slice:
        """The rows of one question."""
        return slice(int(self.starts[question]), int(self.starts[question + 1]))


@dataclass
class Fitted:
    """What ships, and the odds that trees gave on the tables they had not seen."""

    trees: dict[str, dict[str, Any]]
    readings: Readings
    held_out: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])


def fit(cases: Sequence[dict[str, Any]], folds: dict[str, int], scores: np.ndarray) -> Fitted:
    """Everything, and the same for each fold without it; ``scores`` are the cross-reader's, follow-ups left out."""
    data = prepared(cases, folds)
    every = np.ones(len(data.right), bool)
    facts = with_scores(data, scores)
    with_reader, without_reader = np.zeros(len(data.right)), np.zeros(len(data.right))
    for number in range(FOLDS):
        inside = data.fold != number
        with_reader[~inside] = chances(fit_trees(facts, data, inside & data.heard), facts[~inside])
        without_reader[~inside] = chances(fit_trees(data.facts, data, inside), data.facts[~inside])
    without_reader, plain_lines = calibrated(without_reader, data, every)
    heard, lines = calibrated(with_reader, data, data.heard)
    with_reader = np.where(data.heard, heard, without_reader)
    model, plain = fit_trees(facts, data, data.heard), fit_trees(data.facts, data, every)
    trees = {"heard": exported(model, lines), "unheard": exported(plain, plain_lines)}
    return Fitted(trees, data, {"odds": with_reader, "odds without the reader": without_reader})


def prepared(cases: Sequence[dict[str, Any]], folds: dict[str, int]) -> Readings:
    """Cases as matrices; those without a reading have no row."""
    cases = [case for case in cases if case["readings"]]
    rows = [(case, at, reading) for case in cases for at, reading in enumerate(case["readings"])]
    return Readings(
        np.array([reading["facts"] for _, _, reading in rows]),
        np.array([float(reading["right"]) for _, _, reading in rows]),
        np.concatenate([[0], np.cumsum([len(case["readings"]) for case in cases])]),
        np.array([folds[case["group"]] for case, _, _ in rows]),
        # The few questions over single tables weigh as much as the many over joined ones, and the first reading most.
        np.array([WEIGHTS.get(case["kind"], 3.0) * (0.5 if at else 2.0) for case, at, _ in rows]),
        np.array([not case["follows"] for case, _, _ in rows]),
        [case["kind"] for case in cases],
    )


def with_scores(data: Readings, scores: np.ndarray) -> np.ndarray:
    """The facts with the cross-reader's score and its margin over rivals, as ``features_of`` has them."""
    facts = data.facts.copy()
    facts[data.heard, CROSS] = scores
    for question in range(len(data.starts) - 1):
        rows = data.of(question)
        own, left = list(facts[rows, CROSS]), list(data.facts[rows, LEFT])
        if data.heard[rows.start]:
            facts[rows, MARGIN] = [cross_margin(own, left, at) for at in range(len(own))]
    return facts


def fit_trees(facts: np.ndarray, data: Readings, inside: np.ndarray) -> HistGradientBoostingClassifier:
    """Small trees, each mending what those before it left wrong."""
    model = HistGradientBoostingClassifier(monotonic_cst=[RISES.get(name, 0) for name in NAMES], **TREES)
    return model.fit(facts[inside], data.right[inside], sample_weight=data.weight[inside])


def chances(model: HistGradientBoostingClassifier, facts: np.ndarray) -> np.ndarray:
    """The probability of being right."""
    return model.predict_proba(facts)[:, 1]


def calibrated(odds: np.ndarray, data: Readings, among: np.ndarray) -> tuple[np.ndarray, dict[str, Line]]:
    """Odds of held-out readings put on lines that make them hold, and these lines: of one table, and of several.

    Trees that saw a table are surer than those that did not, and over a single table there are fewer ways to go wrong
    than the many questions over joined ones have taught them. So slope and height are fitted apart on the odds of
    readings whose table was held out, those of the reading that would be taken; what is told of each fold comes from
    lines fitted on the others.
    """
    logits = np.log(np.clip(odds, 1e-6, 1 - 1e-6) / (1 - np.clip(odds, 1e-6, 1 - 1e-6)))
    taken = np.zeros(len(odds), bool)
    for question in range(len(data.starts) - 1):
        rows = data.of(question)
        places = range(rows.start, rows.stop)
        best = min(places, key=lambda at: (data.facts[at, LEFT] > 0, -odds[at], at))
        taken[best] = data.facts[best, LEFT] == 0 and among[best]
    told = np.zeros(len(odds))
    lines: dict[str, Line] = {}
    for name, here in (("single", data.facts[:, TABLES] == 0), ("several", data.facts[:, TABLES] > 0)):
        for number in range(FOLDS):
            slope, height = _line(logits, data, here & taken & (data.fold != number))
            own = here & (data.fold == number)
            told[own] = 1 / (1 + np.exp(-(slope * logits[own] + height)))
        lines[name] = _line(logits, data, here & taken)
    return told, lines


def _line(logits: np.ndarray, data: Readings, inside: np.ndarray) -> Line:
    """Slope and height that make the odds of these readings hold."""
    at, right, weight = logits[inside], data.right[inside], data.weight[inside]

    def loss(both: np.ndarray) -> float:
        total = both[0] * at + both[1]
        return float((weight * (np.logaddexp(0, total) - right * total)).sum()) + 2.0 * (both[0] - 1.0) ** 2

    slope, height = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return round(float(slope), 4), round(float(height), 4)


def exported(model: HistGradientBoostingClassifier, lines: dict[str, Line]) -> dict[str, Any]:
    """The trees as ``odds.json`` has them, with the lines that make their odds hold."""
    trees: list[list[list[float]]] = []
    for (predictor,) in model._predictors:
        nodes: list[list[float]] = []
        for node in predictor.nodes:
            if node["is_leaf"]:
                nodes.append([round(float(node["value"]), 5)])
            else:
                bar = float(node["num_threshold"])
                nodes.append([int(node["feature_idx"]), round(bar, 6), int(node["left"]), int(node["right"])])
        trees.append(nodes)
    base = float(model._baseline_prediction.ravel()[0])
    return {"base": round(base, 6), "trees": trees, "lines": {name: list(line) for name, line in lines.items()}}
