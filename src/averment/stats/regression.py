"""Least squares with a held-out part split as scikit-learn splits it, and what the fit is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from averment.stats.tails import t_two_sided

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Fit:
    """A fitted plane: one coefficient a feature, the intercept, and the p-values of the coefficients."""

    coefficients: Numbers
    intercept: float
    p_values: Numbers

    def predict(self, features: Numbers) -> Numbers:
        """The plane's values at these features."""
        return features @ self.coefficients + self.intercept


def split(rows: int, *, test_size: float, seed: int | None) -> tuple[Places, Places]:
    """Places of the training and the test rows, those that ``train_test_split`` gives for that ``random_state``."""
    held_out = math.ceil(test_size * rows)
    order: Places = np.random.RandomState(seed).permutation(rows)
    return order[held_out:], order[:held_out]


def fit_linear(features: Any, target: Any) -> Fit:
    """Ordinary least squares with an intercept."""
    x: Numbers = np.asarray(features, dtype=np.float64)
    y: Numbers = np.asarray(target, dtype=np.float64)
    centre, level = x.mean(axis=0), float(y.mean())
    slopes: Numbers = np.linalg.lstsq(x - centre, y - level, rcond=None)[0]
    intercept = level - float(centre @ slopes)
    freedom = x.shape[0] - x.shape[1] - 1
    p_values: Numbers = np.full(slopes.shape, np.nan)
    if freedom > 0:
        rest = y - x @ slopes - intercept
        spread = float(rest @ rest) / freedom
        errors = np.sqrt(np.diag(np.linalg.pinv((x - centre).T @ (x - centre))) * spread)
        with np.errstate(divide="ignore", invalid="ignore"):
            steep = slopes / errors
        p_values = np.array([t_two_sided(float(t), freedom) if np.isfinite(t) else 0.0 for t in steep])
    return Fit(slopes, intercept, p_values)


def measure(actual: Any, predicted: Any) -> dict[str, float]:
    """MSE, RMSE, MAE, R² and the correlation of predictions with what was."""
    truth: Numbers = np.asarray(actual, dtype=np.float64)
    said: Numbers = np.asarray(predicted, dtype=np.float64)
    wrong = truth - said
    squared = float(np.mean(wrong**2))
    around = float(np.sum((truth - truth.mean()) ** 2))
    return {
        "mse": squared,
        "rmse": math.sqrt(squared),
        "mae": float(np.mean(np.abs(wrong))),
        "r2": 1 - float(np.sum(wrong**2)) / around if around else float("nan"),
    }
