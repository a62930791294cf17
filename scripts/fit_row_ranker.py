"""Fitting the row reader's weights: python scripts/fit_row_ranker.py --data DIR [--limit N] [--cache FILE] [--write].

DIR holds ``cases.jsonl``, ``gold.jsonl``, ``tables/`` and a ``score.py`` that says when an answer is right. Every
figure that is printed comes from cross-validation by table: no question meets weights that saw its table. With
``--write`` the weights fitted on all the cases go into the package.

Only features seen in several tables are kept, so that what is fitted is about English and not about one table.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import pickle
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import minimize

from averment.agents.analyst.rows import rank as ranking
from averment.agents.analyst.rows.features import Describer
from averment.agents.analyst.rows.generate import Generator
from averment.agents.analyst.rows.grid import MOST_ROWS, Grid, read_grid
from averment.agents.analyst.rows.links import Asked
from averment.agents.analyst.skill import Question
from averment.errors import AvermentError
from averment.settings import Settings
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources

FOLDS = 5
LEAST_TABLES = 6
STRENGTH, TRUST_STRENGTH = 8.0, 3.0
ROUNDS = 70
SMALLEST = 0.05
"""Weights nearer to nothing than this are left out of the file."""

PACKAGED = Path(ranking.__file__).with_name("weights.json")


@dataclass
class Collected:
    """The candidates of all questions, one row each, grouped by question."""

    rows: sparse.csr_matrix
    starts: np.ndarray
    right: np.ndarray
    answers: np.ndarray
    names: list[str]
    tables: list[str]

    def of(self, place: int) -> slice:
        """The rows of one question."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


def main() -> int:
    """Collect, cross-validate, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="only so many cases, spread over the tables")
    parser.add_argument("--cache", type=Path, help="where the tables are kept between runs")
    parser.add_argument("--strength", type=float, default=STRENGTH, help="how strongly weights are held near nothing")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    parser.add_argument("--predictions", type=Path, help="where the cross-validated predictions go")
    chosen = parser.parse_args()
    cases = [json.loads(line) for line in (chosen.data / "cases.jsonl").read_text(encoding="utf8").splitlines() if line]
    cases.sort(key=lambda case: hashlib.sha256(str(case["id"]).encode()).hexdigest())
    cases = sorted(cases[: chosen.limit], key=lambda case: str(case["table"]))
    grids = read_tables(chosen.data, {str(case["table"]) for case in cases}, chosen.cache)
    collected = collect(cases, grids, Gold(chosen.data))
    fold = np.array([int(hashlib.sha256(table.encode()).hexdigest(), 16) % FOLDS for table in collected.tables])
    scores = np.zeros(collected.rows.shape[0])
    for number in range(FOLDS):
        weights = fit(collected, np.flatnonzero(fold != number), chosen.strength)
        held = np.concatenate(
            [np.arange(collected.starts[q], collected.starts[q + 1]) for q in np.flatnonzero(fold == number)]
        )
        scores[held] = collected.rows[held] @ weights
        print(f"fold {number}: fitted", file=sys.stderr, flush=True)
    signs, hits = outcomes(collected, scores)
    sure = np.zeros(len(hits))
    for number in range(FOLDS):
        trust = fit_trust(signs, hits, np.flatnonzero(fold != number))
        for place in np.flatnonzero(fold == number):
            sure[place] = chance(signs[place], trust)
    report(collected, hits, sure)
    if chosen.predictions:
        lines = [
            json.dumps({"id": c["id"], "right": bool(h), "sure": float(s)})
            for c, h, s in zip(cases, hits, sure, strict=True)
        ]
        chosen.predictions.write_text("\n".join(lines), encoding="utf8")
    if chosen.write:
        everything = np.arange(len(hits))
        write(collected, fit(collected, everything, chosen.strength), fit_trust(signs, hits, everything))
    return 0


class Gold:
    """When an answer is right, as the set's own scorer says."""

    def __init__(self, data: Path) -> None:
        spec = importlib.util.spec_from_file_location("set_score", data / "score.py")
        assert spec is not None and spec.loader is not None  # the file is there
        self.scorer = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.scorer)
        self.wanted: dict[str, list[Any]] = {}
        for row in map(json.loads, (data / "gold.jsonl").read_text(encoding="utf8").splitlines()):
            canon = row.get("canon") or [None] * len(row["answer"])
            values = [self.scorer.value(text, form) for text, form in zip(row["answer"], canon, strict=True)]
            self.wanted[str(row["id"])] = self.scorer.distinct(values)

    def is_right(self, ident: str, answer: tuple[Any, ...]) -> bool:
        """Whether the answer is the wanted set of values."""
        plain = [value if isinstance(value, str | int | float) else str(value) for value in answer]
        got, want = self.scorer.distinct([self.scorer.value(value) for value in plain]), self.wanted[ident]
        return len(want) == len(got) and all(any(self.scorer.matches(w, g) for g in got) for w in want)


def read_tables(data: Path, names: set[str], cache: Path | None) -> dict[str, Grid | None]:
    """The tables as the product reads them; None where it refuses them or they are too long."""
    if cache is not None and cache.exists():
        kept: dict[str, Grid | None] = pickle.loads(cache.read_bytes())  # our own file of an earlier run
        if names <= set(kept):
            return kept
    grids: dict[str, Grid | None] = {}
    settings = Settings()
    for number, name in enumerate(sorted(names)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                catalog = open_sources([data / "tables" / name], settings=settings, cache_dir=Path(folder))
                with Engine(catalog, settings) as engine:
                    profiles = tuple(profile(engine, table.name) for table in catalog.tables)
                    asked = Question(text="", profiles=profiles, catalog=catalog, engine=engine)
                    grids[name] = read_grid(asked)
            except AvermentError:
                grids[name] = None
        if number % 50 == 0:
            print(f"{number} of {len(names)} tables read", file=sys.stderr, flush=True)
    if cache is not None:
        cache.write_bytes(pickle.dumps(grids))
    return grids


def collect(cases: list[dict[str, Any]], grids: dict[str, Grid | None], gold: Gold) -> Collected:
    """Every candidate of every question with its features and whether its answer is right."""
    began = time.perf_counter()
    known: dict[str, int] = {}
    seen: list[tuple[str, int]] = []
    places, values, ends, starts, right, answers = [], [], [0], [0], [], []
    for number, case in enumerate(cases):
        grid, table = grids.get(str(case["table"])), str(case["table"])
        if grid is not None and grid.size <= MOST_ROWS:
            asked = Asked(case["question"], grid)
            describer = Describer(asked)
            marks: dict[tuple[Any, ...], tuple[int, bool]] = {}
            for candidate in Generator(asked).candidates():
                if candidate.answer not in marks:
                    marks[candidate.answer] = (len(marks), gold.is_right(str(case["id"]), candidate.answer))
                answers.append(marks[candidate.answer][0])
                right.append(marks[candidate.answer][1])
                for name, value in describer.describe(candidate).items():
                    place = known.setdefault(name, len(known))
                    if place == len(seen):
                        seen.append((table, 1))
                    elif seen[place][0] != table:
                        seen[place] = (table, seen[place][1] + 1)
                    places.append(place)
                    values.append(value)
                ends.append(len(places))
        starts.append(len(right))
        if number % 500 == 0:
            print(
                f"{number} of {len(cases)} questions, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True
            )
    rows = sparse.csr_matrix(
        (np.array(values, dtype=np.float32), np.array(places, dtype=np.int32), np.array(ends, dtype=np.int64)),
        shape=(len(right), len(known)),
    )
    kept = np.flatnonzero(np.array([count for _, count in seen]) >= LEAST_TABLES)
    names = np.array(list(known), dtype=object)[kept]
    tables = [str(case["table"]) for case in cases]
    return Collected(rows[:, kept], np.array(starts), np.array(right), np.array(answers), list(names), tables)


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


def outcomes(collected: Collected, scores: np.ndarray) -> tuple[list[dict[str, float]], np.ndarray]:
    """For each question the signs of trust in its most probable answer, and whether that is right."""
    signs: list[dict[str, float]] = []
    hits: list[bool] = []
    names = collected.names
    trusted = np.array([name.startswith(ranking.TRUST_NAMES) for name in names])
    for place in range(len(collected.tables)):
        inside = collected.of(place)
        if inside.start == inside.stop:
            signs.append({})
            hits.append(False)
            continue
        own, answer = scores[inside], collected.answers[inside]
        parts = np.exp(own - own.max())
        totals = np.bincount(answer, parts / parts.sum())
        order = np.argsort(-totals, kind="stable")
        members = np.flatnonzero(answer == order[0])
        best = inside.start + int(members[np.argmax(own[members])])
        row = collected.rows[best]
        features = {names[p]: float(v) for p, v in zip(row.indices, row.data, strict=True) if trusted[p]}
        rival = float(totals[order[1]]) if len(order) > 1 else 0.0
        signs.append(ranking.trust_signs(features, float(totals[order[0]]), rival, len(totals)))
        hits.append(bool(collected.right[best]))
    return signs, np.array(hits)


def fit_trust(signs: list[dict[str, float]], hits: np.ndarray, questions: np.ndarray) -> dict[str, float]:
    """Weights of the signs under which what was right and wrong is most probable."""
    use = [q for q in questions if signs[q]]
    names = sorted({name for q in use for name in signs[q]})
    index = {name: place for place, name in enumerate(names)}
    matrix = np.zeros((len(use), len(names)))
    for row, q in enumerate(use):
        for name, value in signs[q].items():
            matrix[row, index[name]] = value
    target = np.where(hits[use], 1.0, -1.0)
    held = np.array([0.0 if name == "one" else TRUST_STRENGTH for name in names])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = target * (matrix @ weights)
        gradient = -(matrix.T @ (target / (1 + np.exp(np.clip(margin, -500, 500))))) + held * weights
        return float(np.logaddexp(0, -margin).sum() + 0.5 * (held * weights) @ weights), gradient

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return {name: round(float(weight), 4) for name, weight in zip(names, found, strict=True)}


def chance(signs: dict[str, float], trust: dict[str, float]) -> float:
    """How surely an answer is right."""
    return float(1 / (1 + np.exp(-ranking.score(signs, trust)))) if signs else 0.0


def report(collected: Collected, hits: np.ndarray, sure: np.ndarray) -> None:
    """What can be reached, what is reached, and what is answered rightly at each bar."""
    reach = np.mean([collected.right[collected.of(q)].any() for q in range(len(hits))])
    print(f"questions {len(hits)}, features {len(collected.names)}, a right candidate for {reach:.1%}")
    print(f"right when all are answered {hits.mean():.1%} (cross-validated by table)")
    print("   bar  answered  accuracy  precision")
    for bar in (0.0, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
        told = sure >= bar
        right = hits & told
        print(f"{bar:6.2f} {told.mean():9.1%} {right.mean():9.1%} {right.sum() / max(1, told.sum()):10.1%}")


def write(collected: Collected, weights: np.ndarray, trust: dict[str, float]) -> None:
    """The weights file of the package, names in order."""
    pairs = sorted(zip(collected.names, weights, strict=True))
    features = {name: round(float(weight), 2) for name, weight in pairs if abs(weight) >= SMALLEST}
    text = json.dumps({"features": features, "trust": trust}, ensure_ascii=False, indent=0, sort_keys=True)
    PACKAGED.write_text(text + "\n", encoding="utf-8")
    print(f"{len(features)} weights in {PACKAGED.name}")


if __name__ == "__main__":
    sys.exit(main())
