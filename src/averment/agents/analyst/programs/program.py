"""The program that computes a statistic inside the jail: read the rows, compute, leave one row a figure.

It is driven by data: the specification is JSON, never code. Outside the jail only tests call it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from averment.stats.correlation import correlate
from averment.stats.normality import check_normality
from averment.stats.regression import fit_linear, measure
from averment.stats.summary import summarise

Columns = dict[str, list[Any]]
Figures = list[tuple[str, float]]

MOST_SHAPIRO = 5000
"""Above so many values the test of Shapiro and Wilk has no exact table, and D'Agostino's is taken."""


def compute(table: pa.Table, spec: dict[str, Any]) -> pa.Table:
    """The statistic that a specification asks for over the rows that have every value it needs."""
    columns: Columns = {name: table.column(name).to_pylist() for name in spec["columns"]}
    if spec["kind"] == "correlation":
        return _kendall(columns, spec)
    known = [row for row in zip(*columns.values(), strict=True) if all(value is not None for value in row)]
    kept: Columns = {name: [row[place] for row in known] for place, name in enumerate(columns)}
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


def _kendall(columns: Columns, spec: dict[str, Any]) -> pa.Table:
    """Kendall's tau of two columns, in the shape of every other correlation."""
    first, second = spec["columns"]
    known = [(a, b) for a, b in zip(columns[first], columns[second], strict=True) if a is not None and b is not None]
    left, right = (_numbers([pair[at] for pair in known]) for at in (0, 1))
    found = correlate(left, right, "kendall").r if len(known) > 1 else float("nan")
    return pa.table(
        {
            "first": pa.array([first], pa.string()),
            "second": pa.array([second], pa.string()),
            "correlation": pa.array([found if np.isfinite(found) else None], pa.float64()),
            "rows": pa.array([len(known)], pa.int64()),
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
    headings, x = _encoded(columns, spec["features"])
    y = _numbers(columns[spec["target"]])
    if len(y) <= x.shape[1] + 1:
        return []
    fit = fit_linear(x, y)
    worth = measure(y, fit.predict(x))
    figures: Figures = [("R squared", worth["r2"]), ("typical error", worth["rmse"]), ("intercept", fit.intercept)]
    for place, name in enumerate(headings):
        figures.append((f"coefficient of {name}", float(fit.coefficients[place])))
    figures += [(f"p-value of {name}", float(fit.p_values[place])) for place, name in enumerate(headings)]
    return figures


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
    values = _numbers(columns[spec["columns"][0]])
    if len(values) < 8 or float(np.ptp(values)) == 0:
        return []
    test = "shapiro" if len(values) <= MOST_SHAPIRO else "dagostino"
    statistic, p = check_normality(values, test)
    shape: Figures = [(name, summarise(values, name)) for name in ("skewness", "kurtosis")]
    return [("statistic", statistic), ("p-value", p), *shape]


def _shape(columns: Columns, spec: dict[str, Any]) -> Figures:
    values = _numbers(columns[spec["columns"][0]])
    return [(name, summarise(values, name)) for name in ("skewness", "kurtosis")]


PROGRAMS: dict[str, Callable[[Columns, dict[str, Any]], Figures]] = {
    "linear": _linear,
    "logistic": _logistic,
    "normality": _normality,
    "shape": _shape,
}


def main(text: str) -> None:
    """Read the rows of the task ``data``, compute the specification, leave the result."""
    given, taken = Path(globals()["IN"]), Path(globals()["OUT"])
    with pa.ipc.open_file(pa.BufferReader((given / "data.arrow").read_bytes())) as reader:
        table = reader.read_all()
    result = compute(table, json.loads(text))
    with pa.OSFile(str(taken / "result.arrow"), "wb") as sink, pa.ipc.new_file(sink, result.schema) as writer:
        writer.write_table(result)
