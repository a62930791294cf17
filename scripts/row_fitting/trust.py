"""Trust: how the two rankers' scores are blended, and how often what comes first is right; all cross-validated."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from averment.reading.rows import linear_ranker as ranking
from row_fitting.cases import FOLDS
from row_fitting.shortlists import Prepared

STRENGTH = 3.0
SMALLEST = 0.05
"""Weights nearer to nothing than this are left out of the file."""

PACKAGED = Path(ranking.__file__).with_name("weights.json")
BARS = (0.0, 0.2, 0.3, 0.4, 0.45, 0.5, 0.525, 0.55, 0.575, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)


@dataclass
class Weighed:
    """What was found: signs of trust of each question's first answer, whether it is right, and how sure that was."""

    signs: list[dict[str, float]]
    hits: np.ndarray
    sure: np.ndarray
    blend: tuple[float, float]


def weigh(kept: Prepared, folds: list[tuple[np.ndarray, dict[int, np.ndarray]]]) -> Weighed:
    """Blend and trust, each fitted without the fold it is measured on."""
    read = {place: scores for _, part in folds for place, scores in part.items()}
    places = np.array([q for q, one in enumerate(kept.listed) if one is not None])
    table = _Table(kept, places, read)
    fold = kept.fold[places]
    first = kept.first()
    signs: list[dict[str, float]] = [{} for _ in kept.listed]
    hits = np.zeros(len(kept.listed), bool)
    for number in range(FOLDS):
        blend = table.fit(np.flatnonzero(fold != number))
        for row in np.flatnonzero(fold == number):
            place = int(places[row])
            one = kept.listed[place]
            assert one is not None  # only those with a shortlist are asked for
            best, outcome = ranking.blended(
                one.answers.tolist(), one.prior.tolist(), read[place].tolist(), one.mass.tolist(), blend, one.count
            )
            held = kept.signs[first[place] + best]
            features = {kept.sign_names[p]: float(v) for p, v in zip(held.indices, held.data, strict=True)}
            signs[place] = ranking.trust_signs(features, outcome)
            hits[place] = bool(one.right[best])
    sure = np.zeros(len(hits))
    for number in range(FOLDS):
        trust = fit_trust(signs, hits, np.flatnonzero(kept.fold != number))
        for place in np.flatnonzero(kept.fold == number):
            sure[place] = chance(signs[place], trust)
    return Weighed(signs, hits, sure, table.fit(np.arange(len(places))))


class _Table:
    """All shortlists as arrays."""

    def __init__(self, kept: Prepared, places: np.ndarray, read: dict[int, np.ndarray]) -> None:
        listed = [one for q in places if (one := kept.listed[q])]
        size, many = len(listed), max(len(one.programs) for one in listed)
        self.prior, self.read = np.full((2, size, many), -1e9)
        self.right, self.real = np.zeros((2, size, many), bool)
        for row, (place, one) in enumerate(zip(places, listed, strict=True)):
            own = len(one.programs)
            self.prior[row, :own], self.read[row, :own] = one.prior, read[int(place)]
            self.right[row, :own], self.real[row, :own] = one.right, True

    def fit(self, rows: np.ndarray) -> tuple[float, float]:
        """Weights of the first scores and of the reader's under which right answers are most probable."""
        rows = rows[self.right[rows].any(1)]
        prior, read, right, real = (each[rows] for each in (self.prior, self.read, self.right, self.real))

        def missed(weights: np.ndarray) -> float:
            logits = np.where(real, weights[0] * prior + weights[1] * read, -1e9)
            logits -= logits.max(1, keepdims=True)
            parts = np.exp(logits)
            return float(-np.log((parts * right).sum(1) / parts.sum(1) + 1e-300).mean())

        found = minimize(missed, np.array([0.7, 0.3]), method="Nelder-Mead").x
        return round(float(found[0]), 4), round(float(found[1]), 4)


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
    held = np.array([0.0 if name == "one" else STRENGTH for name in names])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = target * (matrix @ weights)
        gradient = -(matrix.T @ (target / (1 + np.exp(np.clip(margin, -500, 500))))) + held * weights
        return float(np.logaddexp(0, -margin).sum() + 0.5 * (held * weights) @ weights), gradient

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return {name: round(float(weight), 4) for name, weight in zip(names, found, strict=True)}


def chance(signs: dict[str, float], trust: dict[str, float]) -> float:
    """How surely an answer is right."""
    return float(1 / (1 + np.exp(-ranking.score(signs, trust)))) if signs else 0.0


def report(kept: Prepared, weighed: Weighed) -> None:
    """What can be reached, what is reached, and what is answered rightly at each bar."""
    hits, sure = weighed.hits, weighed.sure
    print(f"questions {len(hits)}, a right candidate for {kept.reach:.1%}, blend {weighed.blend}")
    print(f"right when all are answered {hits.mean():.1%} (cross-validated by table)")
    print("   bar  answered  accuracy  precision")
    for bar in BARS:
        told = sure >= bar
        right = hits & told
        print(f"{bar:6.3f} {told.mean():9.1%} {right.mean():9.1%} {right.sum() / max(1, told.sum()):10.1%}")


def write(kept: Prepared, weighed: Weighed, reader: Path) -> None:
    """The files of the package: weights by name, and the reader's."""
    trust = fit_trust(weighed.signs, weighed.hits, np.arange(len(weighed.hits)))
    pairs = sorted(kept.weights.items())
    features = {name: round(weight, 2) for name, weight in pairs if abs(weight) >= SMALLEST}
    made = {"blend": weighed.blend, "features": features, "trust": trust}
    PACKAGED.write_text(json.dumps(made, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    shutil.copyfile(reader, PACKAGED.with_name("reader.safetensors"))
    print(f"{len(features)} weights in {PACKAGED.name}")
