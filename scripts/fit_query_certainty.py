"""Fit the weights by which the query reader judges its readings, over questions whose answers are known.

    python scripts/fit_query_certainty.py --bench DIR [--write]

DIR holds the sets ``spider``, ``nvbench`` and ``defog``, each with its cases, its gold and its own ``score.py``, which
says what is right. Every question is read and answered; the signs of the readings and whether they were right make a
logistic model, checked by leaving whole databases out. The threshold is the lowest one at which the readings acted on
are right often enough in every set, by the models that did not see the database. ``--write`` keeps the weights.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sqlite3
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from averment.agents.analyst.query.calibration import WEIGHTS  # noqa: E402
from averment.agents.analyst.query.understand import Understood, understand  # noqa: E402

from averment.agents.analyst.skill import Question  # noqa: E402
from averment.errors import AvermentError  # noqa: E402
from averment.tables.compose_select import compose_select  # noqa: E402

SETS = ("spider", "nvbench", "defog")
PARTS = {"query": ("spider", "defog"), "chart": ("nvbench",)}
"""Readings that a chart is drawn of are judged by weights of their own."""

WANTED = 0.79
"""How often an answer must be right by models that did not see its database; on databases they saw it is more."""

FEW = 30
"""A set with fewer answers than this says too little to move the threshold."""

PENALTY = 4.0
SLIGHT = 0.0005
FOLDS = 8
GRID = [round(0.4 + 0.01 * step, 2) for step in range(50)]
TARGET = ROOT / "src/averment/agents/analyst/query" / WEIGHTS

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """One reading of a question: the question's set and database, the reading's signs and whether it was right."""

    kind: str
    question: str
    database: str
    signs: dict[str, float]
    right: bool
    answerable: bool


def judge_all(bench: Path, kind: str) -> list[Judged]:
    """Every question of a set, read and judged; a question without a reading has no signs."""
    import defog
    import tables_direct

    data = bench / kind
    scorer = _scorer(data / "score.py")
    gold = {row["id"]: row for row in scorer.read_jsonl(data / "gold.jsonl")}
    folder = bench / ("defog" if kind == "defog" else "spider") / "databases"
    found: list[Judged] = []
    for case, source in tables_direct.ask_all(tables_direct.read_cases(data), "db", folder, ".sqlite"):
        truth = gold[case["id"]]
        answerable = bool(truth.get("answerable", True))
        if source is None:
            continue
        text = defog.asked(case) if kind == "defog" else case["question"]
        question = Question(
            text=text,
            profiles=source.profiles,
            catalog=source.catalog,
            engine=source.engine,
            anchor=defog.today(case),
        )
        readings = [one for one in understand(question, chart=kind == "nvbench") if one.signs]
        if not readings:
            found.append(Judged(kind, case["id"], case["db"], {}, right=False, answerable=answerable))
        for one in readings:
            right = answerable and _is_right(scorer, kind, case, truth, source, one, folder / f"{case['db']}.sqlite")
            found.append(Judged(kind, case["id"], case["db"], one.signs, right=right, answerable=answerable))
    return found


def _is_right(
    scorer: Any, kind: str, case: dict[str, Any], truth: dict[str, Any], source: Any, one: Understood, path: Path
) -> bool:
    """Whether what a reading returns is what the set accepts."""
    import nvbench
    import tables_direct

    composed = compose_select(one.reading.select, source.catalog.dialect)
    try:
        table = source.engine.run(composed.sql, composed.params).table
    except AvermentError:
        return False
    rows = [list(row) for row in zip(*(each.to_pylist() for each in table.columns), strict=True)]
    plain = [[tables_direct.plain(value) for value in row] for row in rows]
    if kind == "nvbench":
        return _is_chart(scorer, truth, nvbench.drawn(one, list(table.column_names), plain))
    return _is_rows(scorer, kind, case, truth, plain, path)


def _scorer(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"score_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None  # the file is there
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _is_chart(scorer: Any, truth: dict[str, Any], body: dict[str, Any] | None) -> bool:
    if body is None:
        return False
    points, wanted = scorer.points(body, truth["bin"]), scorer.points(truth, truth["bin"])
    chart = scorer.CHARTS.get(str(body["chart"]).strip().lower())
    return chart == truth["chart"] and points is not None and Counter(points) == Counter(wanted)


def _is_rows(
    scorer: Any, kind: str, case: dict[str, Any], truth: dict[str, Any], rows: list[list[Any]], path: Path
) -> bool:
    if kind == "spider":
        return scorer.same_result(scorer.run_sql(path, truth["sql"]), rows, scorer.is_ordered(truth["sql"]))
    rows = scorer.without_repeats(rows)
    ordered = truth["category"] == "order_by" or re.search(r"\b(order|sort|arrange)\b", case["question"], re.I)
    for query in scorer.accepted(truth["sql"]):
        try:
            wanted = scorer.without_repeats(scorer.run_sql(path, scorer.frozen(query)))
        except sqlite3.Error:  # a gold query of the set may not run: the next is tried
            continue
        if scorer.same_result(wanted, rows, bool(ordered) and scorer.is_ordered(query), extra_columns=True):
            return True
    return False


def fit(signs: Floats, right: Floats, weights: Floats) -> Floats:
    """The weights of a logistic model with a penalty on their size, the base first."""
    full = np.hstack([np.ones((len(signs), 1)), signs])
    found = np.zeros(full.shape[1])
    ridge = np.eye(full.shape[1]) * PENALTY
    ridge[0, 0] = 1e-6
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(full @ found, -30, 30)))
        slope = full.T @ (weights * (chance - right)) + ridge @ found
        bend = (full * (weights * chance * (1 - chance))[:, None]).T @ full + ridge
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-8:
            break
    return found


def cross_validated(signs: Floats, right: Floats, weights: Floats, databases: list[str]) -> Floats:
    """The probability of each case by a model that did not see its database."""
    names = sorted(set(databases))
    np.random.default_rng(7).shuffle(names)
    held = np.array([names.index(name) % FOLDS for name in databases])
    chances = np.zeros(len(right))
    for fold in range(FOLDS):
        out = held == fold
        if not out.any():
            continue
        made = fit(signs[~out], right[~out], weights[~out])
        chances[out] = 1 / (1 + np.exp(-np.clip(made[0] + signs[out] @ made[1:], -30, 30)))
    return chances


def figures(
    judged: list[Judged], chances: Floats, threshold: float, kinds: tuple[str, ...] = SETS
) -> dict[str, dict[str, float]]:
    """Accuracy, precision and abstention of each set at a threshold."""
    found: dict[str, dict[str, float]] = {}
    for kind in kinds:
        best: dict[str, tuple[Judged, float]] = {}
        for one, chance in zip(judged, chances, strict=True):
            if one.kind == kind and (one.question not in best or chance > best[one.question][1]):
                best[one.question] = (one, float(chance))
        rows = [(one, chance >= threshold) for one, chance in best.values()]
        asked = [row for row in rows if row[0].answerable]
        answered = [one for one, sure in asked if sure]
        right = sum(one.right for one in answered)
        idle = [not sure for one, sure in rows if not one.answerable]
        found[kind] = {
            "accuracy": round(100 * right / max(1, len(asked)), 1),
            "precision": round(100 * right / max(1, len(answered)), 1),
            "answered": len(answered),
            "abstained": len(asked) - len(answered),
            "unanswerable_abstained": round(100 * sum(idle) / len(idle), 1) if idle else 100.0,
        }
    return found


def main() -> None:
    """Read, judge, fit, print; keep the weights when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--kept", type=Path, help="a file for what was judged, to fit again without reading")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.kept and given.kept.exists():
        judged = [Judged(**json.loads(line)) for line in given.kept.read_text(encoding="utf8").splitlines()]
    else:
        judged = [one for kind in SETS for one in judge_all(given.bench, kind)]
        if given.kept:
            given.kept.write_text("".join(json.dumps(one.__dict__) + "\n" for one in judged), encoding="utf8")
    body = json.loads(TARGET.read_text(encoding="utf8"))
    for part, kinds in PARTS.items():
        own = [one for one in judged if one.kind in kinds]
        if own:
            # A part whose sets are not among what was judged keeps its weights.
            body[part] = fit_part(own, kinds)
    if given.write:
        TARGET.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n", encoding="utf8")


def fit_part(judged: list[Judged], kinds: tuple[str, ...]) -> dict[str, Any]:
    """The weights and the threshold of some sets, with what they reach on databases they did not see printed."""
    names = sorted({name for one in judged for name in one.signs})
    read = [one for one in judged if one.signs]
    signs = np.array([[one.signs[name] for name in names] for one in read])
    right = np.array([float(one.right) for one in read])
    weights = np.ones(len(read))
    known = np.array([bool(one.signs) for one in judged])
    everything = np.zeros(len(judged))
    everything[known] = cross_validated(signs, right, weights, [one.database for one in read])

    def is_enough(least: float) -> bool:
        rows = figures(judged, everything, least, kinds).values()
        return all(row["precision"] >= 100 * WANTED or row["answered"] < FEW for row in rows)

    threshold = next((least for least in GRID if is_enough(least)), GRID[-1])
    for least in sorted({*GRID[::5], threshold}):
        print(least, json.dumps(figures(judged, everything, least, kinds)))
    made = fit(signs, right, weights)
    everything[known] = 1 / (1 + np.exp(-(made[0] + signs @ made[1:])))
    print("seen", threshold, json.dumps(figures(judged, everything, threshold, kinds)))
    print("chosen", threshold)
    return {
        "base": round(float(made[0]), 3),
        "threshold": threshold,
        "weights": {
            name: round(float(weight), 3) for name, weight in zip(names, made[1:], strict=True) if abs(weight) >= SLIGHT
        },
    }


if __name__ == "__main__":
    main()
