"""Ranking: a log-linear model over named features says how probable each answer is, and how often it would be right.

The weights are facts about English fitted by ``scripts/fit_row_ranker.py``; they stand in ``weights.json`` beside this
file. Probabilities of programs that give the same answer add up.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from averment.agents.analyst.rows.cells import Raw
from averment.agents.analyst.rows.features import Describer, operation_of
from averment.agents.analyst.rows.generate import Generator
from averment.agents.analyst.rows.links import Asked
from averment.agents.analyst.rows.program import Candidate


@dataclass(frozen=True)
class Ranked:
    """One answer: its best program, how probable it is among all answers, and how surely it is right."""

    candidate: Candidate
    probability: float
    sure: float


@dataclass(frozen=True)
class Weights:
    """What was fitted: a weight a feature, and a weight a sign of trust."""

    features: Mapping[str, float]
    trust: Mapping[str, float]


@lru_cache(maxsize=1)
def fitted() -> Weights:
    """The weights that come with the package."""
    text = resources.files("averment.agents.analyst.rows").joinpath("weights.json").read_text(encoding="utf-8")
    kept = json.loads(text)
    return Weights(kept["features"], kept["trust"])


def rank(asked: Asked, weights: Weights | None = None) -> list[Ranked]:
    """The answers of a question, the most probable first; none when no program fits."""
    known = weights or fitted()
    candidates = Generator(asked).candidates()
    if not candidates:
        return []
    describer = Describer(asked)
    described = [describer.own(candidate) for candidate in candidates]
    spoken = {operation: describer.spoken(operation) for operation in {operation_of(c.program) for c in candidates}}
    said = {operation: score(features, known.features) for operation, features in spoken.items()}
    scores = [
        said[operation_of(candidate.program)] + score(features, known.features)
        for candidate, features in zip(candidates, described, strict=True)
    ]
    answers = share(candidates, scores)
    found: list[Ranked] = []
    for place, (best, probability) in enumerate(answers):
        rival = answers[place + 1][1] if place + 1 < len(answers) else 0.0
        sure = 0.0
        if place == 0:
            features = spoken[operation_of(candidates[best].program)] | described[best]
            signs = trust_signs(features, probability, rival, len(answers))
            sure = 1.0 / (1.0 + math.exp(-score(signs, known.trust)))
        found.append(Ranked(candidates[best], probability, sure))
    return found


def score(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted sum of features; those without a weight say nothing."""
    return math.fsum(value * weights[name] for name, value in features.items() if name in weights)


def share(candidates: list[Candidate], scores: list[float]) -> list[tuple[int, float]]:
    """For each different answer its best candidate's place and its probability, the most probable first."""
    top = max(scores)
    parts = [math.exp(each - top) for each in scores]
    whole = math.fsum(parts)
    total: dict[tuple[Raw, ...], float] = {}
    best: dict[tuple[Raw, ...], int] = {}
    for place, (candidate, part) in enumerate(zip(candidates, parts, strict=True)):
        answer = candidate.answer
        total[answer] = total.get(answer, 0.0) + part / whole
        if answer not in best or scores[place] > scores[best[answer]]:
            best[answer] = place
    return sorted(((best[answer], total[answer]) for answer in total), key=lambda one: (-one[1], one[0]))


TRUST_NAMES = (
    "op ",
    "left ",
    "share left ",
    "strong left ",
    "numbers left ",
    "named left ",
    "focus ",
    "tests ",
    "link ",
)
"""Features of the best candidate that also tell how far it can be trusted."""


def trust_signs(features: Mapping[str, float], probability: float, rival: float, answers: int) -> dict[str, float]:
    """What tells how often the most probable answer is right."""
    inside = min(max(probability, 1e-6), 1 - 1e-6)
    signs = {
        "one": 1.0,
        "log odds": math.log(inside / (1 - inside)),
        "probability": probability,
        "margin": probability - rival,
        "answers": math.log(answers),
    }
    signs.update({name: value for name, value in features.items() if name.startswith(TRUST_NAMES)})
    return signs
