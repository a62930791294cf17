"""Ranking: which answer is most probable, and how often such an answer is right.

A log-linear model over named features weighs all candidates; the reader weighs the words of the most probable ones; the
two are blended. Probabilities of programs that give the same answer add up. The weights are facts about English fitted
by ``scripts/fit_row_ranker.py``; they stand in ``weights.json`` and ``reader.safetensors`` beside this file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.features import Describer, operation_of
from averment.reading.rows.generate import Generator
from averment.reading.rows.neural_ranker import packaged_reader
from averment.reading.rows.program import ProgramCandidate
from averment.reading.rows.shortlist import shortlist
from averment.reading.rows.wording import context_words, program_words


@dataclass(frozen=True)
class RankedAnswer:
    """One answer: its best program, how probable it is among all answers, and how surely it is right."""

    candidate: ProgramCandidate
    probability: float
    sure: float


@dataclass(frozen=True)
class RankerWeights:
    """What was fitted: a weight a feature, a weight a sign of trust, and one for each ranker."""

    features: Mapping[str, float]
    trust: Mapping[str, float]
    blend: tuple[float, float]
    """Of the log-linear model's scores, and of the reader's."""


@lru_cache(maxsize=1)
def fitted() -> RankerWeights:
    """The weights that come with the package."""
    text = resources.files("averment.reading.rows").joinpath("weights.json").read_text(encoding="utf-8")
    kept = json.loads(text)
    return RankerWeights(kept["features"], kept["trust"], tuple(kept["blend"]))


def rank(asked: LinkedQuestion, weights: RankerWeights | None = None) -> list[RankedAnswer]:
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
    chosen, prior, mass = shortlist([candidate.answer for candidate in candidates], scores)
    reader = packaged_reader()
    words = [program_words(candidates[place], asked) for place in chosen]
    read = reader.scores(asked.text, context_words(asked), words) if reader else [0.0] * len(chosen)
    answers = [candidates[place].answer for place in chosen]
    count = len({candidate.answer for candidate in candidates})
    best, outcome = blended(answers, prior, read, mass, known.blend, count)
    features = spoken[operation_of(candidates[chosen[best]].program)] | described[chosen[best]]
    sure = 1.0 / (1.0 + math.exp(-score(trust_signs(features, outcome), known.trust)))
    # Trust was fitted for both rankers together; one alone only proposes.
    found = [RankedAnswer(candidates[chosen[best]], outcome.probability, sure if reader else 0.0)]
    return [*found, *_others(candidates, chosen, best, prior, read, known.blend)]


def _others(
    candidates: list[ProgramCandidate],
    chosen: list[int],
    best: int,
    prior: list[float],
    read: list[float],
    blend: tuple[float, float],
) -> Iterator[RankedAnswer]:
    """The further answers of a shortlist, each by its best program."""
    answers = [candidates[place].answer for place in chosen]
    logits = [blend[0] * one + blend[1] * two for one, two in zip(prior, read, strict=True)]
    shares = shared(answers, logits)
    seen = {answers[best]}
    for place in sorted(range(len(chosen)), key=lambda one: (-shares[answers[one]], -logits[one], one)):
        if answers[place] not in seen:
            seen.add(answers[place])
            yield RankedAnswer(candidates[chosen[place]], shares[answers[place]], 0.0)


def score(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted sum of features; those without a weight say nothing."""
    return math.fsum(value * weights[name] for name, value in features.items() if name in weights)


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


@dataclass(frozen=True)
class RankOutcome:
    """How the first answer came out: how probable it is by both rankers together, and by each alone."""

    probability: float
    rival: float
    """How probable the second answer is."""
    linear: float
    read: float
    agreed: int
    """How many of the two have it first."""
    answers: int


def blended(
    answers: Sequence[Hashable],
    prior: Sequence[float],
    read: Sequence[float],
    mass: Sequence[float],
    blend: tuple[float, float],
    count: int,
) -> tuple[int, RankOutcome]:
    """The best program of the most probable answer of a shortlist, and how it came out."""
    logits = [blend[0] * one + blend[1] * two for one, two in zip(prior, read, strict=True)]
    both, alone = shared(answers, logits), shared(answers, read)
    order = sorted(both, key=lambda answer: (-both[answer], answers.index(answer)))
    first = order[0]
    best = max((place for place, answer in enumerate(answers) if answer == first), key=lambda place: logits[place])
    linear = math.exp(mass[answers.index(first)])
    agreed = (math.exp(max(mass)) <= linear) + (max(alone.values()) <= alone[first])
    rival = both[order[1]] if len(order) > 1 else 0.0
    return best, RankOutcome(both[first], rival, linear, alone[first], agreed, count)


def shared(answers: Sequence[Hashable], logits: Sequence[float]) -> dict[Hashable, float]:
    """How probable each answer is; programs that give the same one add up."""
    top = max(logits)
    parts = [math.exp(logit - top) for logit in logits]
    whole = math.fsum(parts)
    found: dict[Hashable, float] = {}
    for answer, part in zip(answers, parts, strict=True):
        found[answer] = found.get(answer, 0.0) + part / whole
    return found


def trust_signs(features: Mapping[str, float], outcome: RankOutcome) -> dict[str, float]:
    """What tells how often the most probable answer is right."""
    signs = {
        "one": 1.0,
        "log odds": _log_odds(outcome.probability),
        "linear log odds": _log_odds(outcome.linear),
        "read log odds": _log_odds(outcome.read),
        "probability": outcome.probability,
        "margin": outcome.probability - outcome.rival,
        "answers": math.log(outcome.answers),
        f"agreed {outcome.agreed}": 1.0,
    }
    signs.update({name: value for name, value in features.items() if name.startswith(TRUST_NAMES)})
    return signs


def _log_odds(probability: float) -> float:
    inside = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(inside / (1 - inside))
