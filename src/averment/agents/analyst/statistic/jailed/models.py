"""Fitting a model on a part of the rows and measuring it on the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from averment.agents.analyst.statistic.jailed import select
from averment.agents.analyst.statistic.jailed.frame import Column, Frame, numbers
from averment.stats.correlation import correlate
from averment.stats.regression import fit_linear, measure, split


def fit_and_measure(frame: Frame, model: dict[str, Any], part: str) -> float | None:
    """One figure of a model: a coefficient, an error on the held-out rows, an accuracy."""
    target: str = model["target"]
    used = frame[[*model["features"], target]]
    # A missing text is no value of its encoding; a missing number has none, so its row is left out.
    used = used.dropna(
        subset=[column for column in used.columns if column == target or select.is_numeric(used[column])]
    )
    features = _encoded(used[model["features"]], model)
    goal = _goal(used[target])
    test_size = model.get("test_size")
    if test_size is None:
        train = test = np.arange(len(used))
    else:
        train, test = split(len(used), test_size=test_size, seed=model.get("seed", 42))
    x = features.to_numpy(dtype=float)
    if model.get("scale"):
        x = _scaled(x, train, model["scale"])
    if model["kind"] == "linear":
        fit = fit_linear(x[train], goal[train])
        if part.startswith(("coefficient:", "p:")):
            what, _, name = part.partition(":")
            place = list(features.columns).index(name)
            return float((fit.coefficients if what == "coefficient" else fit.p_values)[place])
        if part == "intercept":
            return fit.intercept
        said = fit.predict(x[test])
    else:
        fitted = _learner(model).fit(x[train], goal[train])
        if part == "intercept":
            return float(np.ravel(fitted.intercept_)[0])
        if part.startswith("coefficient:"):
            return float(np.ravel(fitted.coef_)[list(features.columns).index(part.partition(":")[2])])
        said = np.asarray(fitted.predict(x[test]), dtype=float)
    return _figure(goal[test], said, part)


def _figure(truth: Any, said: Any, part: str) -> float | None:
    if part == "r":
        return correlate(truth, said).r
    if part in {"mse", "rmse", "mae", "r2"}:
        return measure(truth, said)[part]
    guessed = np.rint(said)
    right = guessed == truth
    if part == "accuracy":
        return float(right.mean())
    positive, found = truth == 1, guessed == 1
    hits = float((positive & found).sum())
    precision = hits / found.sum() if found.any() else 0.0
    recall = hits / positive.sum() if positive.any() else 0.0
    if part == "f1":
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return float({"precision": precision, "recall": recall}[part])


def _goal(column: Column) -> Any:
    if select.is_numeric(column):
        return numbers(column)
    return pd.Categorical(column).codes.astype(float)


def _encoded(frame: Frame, model: dict[str, Any]) -> Frame:
    """Texts become numbers: a column a value, or a code a value."""
    found = frame
    for column in frame.columns:
        if select.is_numeric(frame[column]):
            found = found.assign(**{column: numbers(frame[column])})
        elif model.get("encode") == "codes":
            found = found.assign(**{column: pd.Categorical(frame[column]).codes.astype(float)})
        else:
            found = pd.get_dummies(found, columns=[column], dtype=float)
    return found


def _scaled(x: Any, train: Any, how: str) -> Any:
    """Scaled by what the training rows say."""
    if how == "minmax":
        low, high = x[train].min(axis=0), x[train].max(axis=0)
        return (x - low) / np.where(high > low, high - low, 1)
    spread = x[train].std(axis=0)
    return (x - x[train].mean(axis=0)) / np.where(spread > 0, spread, 1)


def _learner(model: dict[str, Any]) -> Any:
    seed = model.get("seed", 42)
    match model["kind"]:
        case "logistic":
            from sklearn.linear_model import LogisticRegression

            return LogisticRegression(max_iter=model.get("max_iter", 1000))
        case "tree_regressor":
            from sklearn.tree import DecisionTreeRegressor

            return DecisionTreeRegressor(max_depth=model.get("max_depth"), random_state=seed)
        case "tree_classifier":
            from sklearn.tree import DecisionTreeClassifier

            return DecisionTreeClassifier(max_depth=model.get("max_depth"), random_state=seed)
        case "forest_regressor":
            from sklearn.ensemble import RandomForestRegressor

            return RandomForestRegressor(model.get("trees", 100), max_depth=model.get("max_depth"), random_state=seed)
        case "forest_classifier":
            from sklearn.ensemble import RandomForestClassifier

            return RandomForestClassifier(model.get("trees", 100), max_depth=model.get("max_depth"), random_state=seed)
        case "ridge":
            from sklearn.linear_model import Ridge

            return Ridge(alpha=model.get("alpha", 1.0))
        case "lasso":
            from sklearn.linear_model import Lasso

            return Lasso(alpha=model.get("alpha", 1.0))
        case _:
            from sklearn.neighbors import KNeighborsClassifier

            return KNeighborsClassifier(n_neighbors=model.get("neighbours", 5))
