"""The program that computes a statistic inside the jail: read the rows, compute, leave one row a figure.

It is driven by data: the specification is JSON, never code. Its text is what runs in the jail, where there is no
Averment, so it imports nothing of it; outside the jail only tests call it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

Columns = dict[str, list[Any]]
Figures = list[tuple[str, float]]

MOST_SHAPIRO = 5000
"""Above so many values the test of Shapiro and Wilk has no exact table, and D'Agostino's is taken."""


def compute(table: pa.Table, spec: dict[str, Any]) -> pa.Table:
    """The statistic that a specification asks for over the rows that have every value it needs."""
    columns: Columns = {name: table.column(name).to_pylist() for name in spec["columns"]}
    known = [row for row in zip(*columns.values(), strict=True) if all(value is not None for value in row)]
    kept: Columns = {name: [row[place] for row in known] for place, name in enumerate(columns)}
    if spec["kind"] == "correlation":
        return _kendall(kept)
    figures = PROGRAMS[spec["kind"]](kept, spec) if known else []
    rows = [*figures, ("rows", float(len(known)))]
    return pa.table(
        {
            "figure": pa.array([name for name, _ in rows], pa.string()),
            "value": pa.array([value if np.isfinite(value) else None for _, value in rows], pa.float64()),
        }
    )


def _numbers(values: list[Any]) -> Any:
    return np.asarray([float(value) for value in values], dtype=np.float64)


def _kendall(columns: Columns) -> pa.Table:
    """Kendall's tau of two columns, in the shape of every other correlation."""
    from scipy.stats import kendalltau

    left, right = (_numbers(values) for values in columns.values())
    found: Any = kendalltau(left, right)[0] if len(left) > 1 else float("nan")
    first, second = columns
    return pa.table(
        {
            "first": pa.array([first], pa.string()),
            "second": pa.array([second], pa.string()),
            "correlation": pa.array([float(found) if np.isfinite(found) else None], pa.float64()),
            "rows": pa.array([len(left)], pa.int64()),
        }
    )


def _encoded(columns: Columns, names: list[str]) -> tuple[list[str], Any]:
    """Features as numbers: a number as it is, of a text one column for each value but the first."""
    headings: list[str] = []
    made: list[Any] = []
    for name in names:
        values = columns[name]
        if all(isinstance(value, int | float) or hasattr(value, "as_integer_ratio") for value in values):
            headings.append(name)
            made.append(_numbers(values))
            continue
        for value in sorted({str(each) for each in values})[1:]:
            headings.append(f"{name} {value}")
            made.append(_numbers([str(each) == value for each in values]))
    return headings, np.column_stack(made) if made else np.empty((0, 0))


def _linear(columns: Columns, spec: dict[str, Any]) -> Figures:
    """Least squares over all rows: how much it explains, its coefficients and their p-values."""
    from scipy.stats import t
    from sklearn.linear_model import LinearRegression

    headings, x = _encoded(columns, spec["features"])
    y = _numbers(columns[spec["target"]])
    freedom = len(y) - x.shape[1] - 1
    if freedom < 1:
        return []
    fit: Any = LinearRegression().fit(x, y)
    squared = float(np.sum((y - fit.predict(x)) ** 2))
    errors = np.sqrt(np.diag(np.linalg.pinv((x - x.mean(axis=0)).T @ (x - x.mean(axis=0)))) * squared / freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        chances: Any = 2 * t.sf(np.abs(fit.coef_ / errors), freedom)
    figures: Figures = [("R squared", float(fit.score(x, y)) if np.ptp(y) else float("nan"))]
    figures += [("typical error", float(np.sqrt(squared / len(y)))), ("intercept", float(fit.intercept_))]
    figures += [(f"coefficient of {name}", float(each)) for name, each in zip(headings, fit.coef_, strict=True)]
    return figures + [(f"p-value of {name}", float(each)) for name, each in zip(headings, chances, strict=True)]


def _logistic(columns: Columns, spec: dict[str, Any]) -> Figures:
    """How often a logistic model is right on rows it was not fitted on, beside always guessing the commonest."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    _, x = _encoded(columns, spec["features"])
    y = np.asarray([str(value) for value in columns[spec["target"]]])
    sizes = [int((y == value).sum()) for value in sorted(set(y.tolist()))]
    folds = min(5, *sizes) if len(sizes) > 1 else 1
    if folds < 2:
        return []
    spread = x.std(axis=0)
    scaled = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)
    parts = StratifiedKFold(n_splits=folds, shuffle=True, random_state=42)
    scores: Any = cross_val_score(LogisticRegression(max_iter=1000), scaled, y, cv=parts)
    return [("accuracy", float(np.mean(scores))), ("accuracy of the commonest value", max(sizes) / len(y))]


def _normality(columns: Columns, spec: dict[str, Any]) -> Figures:
    from scipy.stats import normaltest, shapiro

    (values,) = map(_numbers, columns.values())
    if len(values) < 8 or float(np.ptp(values)) == 0:
        return []
    found: Any = (shapiro if len(values) <= MOST_SHAPIRO else normaltest)(values)
    return [("statistic", float(found.statistic)), ("p-value", float(found.pvalue)), *_shape(columns, spec)]


def _shape(columns: Columns, spec: dict[str, Any]) -> Figures:
    from scipy.stats import kurtosis, skew

    (values,) = map(_numbers, columns.values())
    if len(values) < 4 or float(np.ptp(values)) == 0:
        return []
    return [("skewness", float(skew(values, bias=False))), ("kurtosis", float(kurtosis(values, bias=False)))]


def _test(columns: Columns, spec: dict[str, Any]) -> Figures:
    """A test of SciPy over the values of each group, where it takes so many groups, and the groups' medians."""
    from scipy import stats

    values, groups = columns.values()
    samples: dict[str, list[float]] = {}
    for value, group in zip(values, map(str, groups), strict=True):
        samples.setdefault(group, []).append(float(value))
    found = (float("nan"), float("nan"))
    if len(samples) == (spec["samples"] or max(2, len(samples))):
        found = getattr(stats, spec["function"])(*(samples[name] for name in sorted(samples)))
    medians = [(f"median of {name}", float(np.median(samples[name]))) for name in sorted(samples)]
    return [("statistic", float(found[0])), ("p-value", float(found[1])), *medians]


PROGRAMS: dict[str, Callable[[Columns, dict[str, Any]], Figures]] = {
    "linear": _linear,
    "logistic": _logistic,
    "normality": _normality,
    "shape": _shape,
    "test": _test,
}


def main(text: str) -> None:
    """Read the rows of the task ``data``, compute the specification, leave the result."""
    given, taken = Path(globals()["IN"]), Path(globals()["OUT"])
    with pa.ipc.open_file(pa.BufferReader((given / "data.arrow").read_bytes())) as reader:
        table = reader.read_all()
    result = compute(table, json.loads(text))
    with pa.OSFile(str(taken / "result.arrow"), "wb") as sink, pa.ipc.new_file(sink, result.schema) as writer:
        writer.write_table(result)
