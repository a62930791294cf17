"""The linear ranker: weights of named features under which right answers are most probable."""

from __future__ import annotations

import multiprocessing

import numpy as np
from scipy.optimize import minimize

from row_fitting.cases import FOLDS
from row_fitting.collecting import Collected

ROUNDS = 70
_HELD: list[tuple[Collected, np.ndarray, float]] = []


def fit_folds(collected: Collected, fold: np.ndarray, strength: float, jobs: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of all candidates by weights that saw no question of their table, and the weights fitted on everything."""
    _HELD.append((collected, fold, strength))  # inherited by the forked processes, so that nothing is copied
    with multiprocessing.get_context("fork").Pool(min(jobs, FOLDS + 1)) as pool:
        weights = pool.map(_fit_without, range(FOLDS + 1), chunksize=1)
    _HELD.clear()
    owner = np.repeat(fold, np.diff(collected.starts))
    scores = np.zeros(collected.rows.shape[0])
    for number in range(FOLDS):
        held = np.flatnonzero(owner == number)
        scores[held] = collected.rows[held] @ weights[number]
    return scores, weights[FOLDS]


def _fit_without(number: int) -> np.ndarray:
    collected, fold, strength = _HELD[-1]
    return fit(collected, np.flatnonzero(fold != number), strength)


def fit(collected: Collected, questions: np.ndarray, strength: float) -> np.ndarray:
    """Weights under which the right answers of these questions are most probable together."""
    use = [q for q in questions if 0 < collected.right[collected.of(q)].sum() < len(collected.right[collected.of(q)])]
    rows = np.concatenate([np.arange(collected.starts[q], collected.starts[q + 1]) for q in use])
    features, right = collected.rows[rows], collected.right[rows]
    turned = features.T.tocsr()
    sizes = np.array([collected.starts[q + 1] - collected.starts[q] for q in use])
    begins, group = np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.repeat(np.arange(len(use)), sizes)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        # Single precision throughout: a mixed product would copy the matrix each time.
        scores = (features @ weights.astype(np.float32)).astype(np.float64)
        parts = np.exp(scores - np.maximum.reduceat(scores, begins)[group])
        whole, good = np.add.reduceat(parts, begins), np.add.reduceat(parts * right, begins) + 1e-300
        pull = (parts / whole[group] - parts * right / good[group]).astype(np.float32)
        gradient = (turned @ pull).astype(np.float64)
        missed = float((np.log(whole) - np.log(good)).sum())
        return missed + 0.5 * strength * float(weights @ weights), gradient + strength * weights

    start = np.zeros(features.shape[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}).x
