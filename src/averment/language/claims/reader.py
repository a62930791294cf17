"""The reader: which stretch of a text answers a question, and how sure that is.

Candidates are weighed by a linear model whose weights were fitted once on open data (``scripts/fit_claims.py``) and are
kept in ``fitted``; beside the candidates stands "this text does not say". The same text and question give the same
reading, and nothing in the text is followed as an instruction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from averment.language.claims.candidates import AnswerCandidate, find_candidates
from averment.language.claims.claim_values import compare
from averment.language.claims.fitted import weights as fitted
from averment.language.claims.focus import Focus
from averment.language.claims.pages import TextPage
from averment.language.claims.sorts import sort_names
from averment.language.claims.vectors import Similarity

_PHRASES = 24


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """One answer a text gives: the stretch, the sentence around it, and a probability from 0 to 1."""

    candidate: AnswerCandidate
    sentence: int
    probability: float

    @property
    def text(self) -> str:
        """The answer as written."""
        return self.candidate.text


def prepare(focus: Focus, page: TextPage, similarity: Similarity) -> list[AnswerCandidate]:
    """The candidates of a text with every feature, those that need vectors included."""
    candidates = find_candidates(focus, page)
    if focus.kind in {"kind", "definition"}:
        candidates = _like_the_noun(focus, candidates, similarity)
    if focus.kind in {"person", "place", "name"}:
        for candidate, sorts in zip(candidates, sort_names([c.text for c in candidates], similarity), strict=True):
            candidate.features.update(sorts)
    near = similarity.between(focus.question, [sentence.text for sentence in page.sentences])
    best = max(near, default=0.0)
    times: dict[str, int] = {}
    for candidate in candidates:
        times[candidate.text.casefold()] = times.get(candidate.text.casefold(), 0) + 1
    for candidate in candidates:
        alike = near[candidate.sentence]
        candidate.features["like the question"] = alike
        candidate.features["best sentence"] = float(alike >= best)
        candidate.features["behind the best"] = best - alike
        candidate.features["again"] = math.log(times[candidate.text.casefold()])
    return candidates


def _like_the_noun(focus: Focus, candidates: list[AnswerCandidate], similarity: Similarity) -> list[AnswerCandidate]:
    """Phrases ranked by their likeness to the noun asked for; predicates always stay."""
    noun = focus.noun or focus.verb or focus.question
    alike = similarity.between(noun, [candidate.text.casefold() for candidate in candidates])
    ranked = sorted(zip(alike, candidates, strict=True), key=lambda pair: (-pair[0], pair[1].span))
    kept: list[AnswerCandidate] = []
    phrases = 0
    for value, candidate in ranked:
        candidate.features["like the noun"] = value
        candidate.features["is the noun"] = float(candidate.text.casefold().rstrip("s") == noun.rstrip("s"))
        if not {"predicate", "gloss"} & set(candidate.features):
            phrases += 1
            candidate.features["noun rank"] = 1.0 / phrases
            if phrases > _PHRASES:
                continue
        kept.append(candidate)
    return sorted(kept, key=lambda candidate: candidate.span)


def silence(candidates: list[AnswerCandidate]) -> dict[str, float]:
    """The features of "this text does not say"."""
    return {
        "silent": 1.0,
        "silent, subject": max((c.features["subject in text"] for c in candidates), default=0.0),
        "silent, likeness": max((c.features["like the question"] for c in candidates), default=0.0),
        "silent, cue": max((c.features["cue there"] for c in candidates), default=0.0),
        "silent, both": max(
            (c.features["cue there"] * c.features["subject in sentence"] for c in candidates), default=0.0
        ),
        "silent, many": math.log1p(len(candidates)),
    }


def weighted_score(features: dict[str, float], kind: str, weights: dict[str, float]) -> float:
    """The linear score of one candidate."""
    return sum(
        value * (weights.get(name, 0.0) + weights.get(f"{kind}: {name}", 0.0))
        for name, value in features.items()
        if value
    )


def read(focus: Focus, page: TextPage, similarity: Similarity) -> list[StatedAnswer]:
    """What a text answers, best first: distinct values with the chance that each is what it says."""
    return rank(focus, prepare(focus, page, similarity), fitted("reader"))


def rank(focus: Focus, candidates: list[AnswerCandidate], weights: dict[str, float]) -> list[StatedAnswer]:
    """Prepared candidates as readings; mentions of one value are added up."""
    if not candidates:
        return []
    scores = [weighted_score(candidate.features, focus.kind, weights) for candidate in candidates]
    none = weighted_score(silence(candidates), focus.kind, weights)
    top = max(*scores, none)
    parts = [math.exp(score - top) for score in scores]
    total = sum(parts) + math.exp(none - top)
    groups: list[tuple[AnswerCandidate, float]] = []
    for part, candidate in sorted(zip(parts, candidates, strict=True), key=lambda pair: (-pair[0], pair[1].span)):
        for place, (kept, sofar) in enumerate(groups):
            if _one(kept, candidate):
                groups[place] = (kept, sofar + part)
                break
        else:
            groups.append((candidate, part))
    readings = [StatedAnswer(candidate, candidate.sentence, part / total) for candidate, part in groups]
    return sorted(readings, key=lambda reading: -reading.probability)


def _one(left: AnswerCandidate, right: AnswerCandidate) -> bool:
    if left.value is None or right.value is None:
        return left.text.casefold() == right.text.casefold()
    return compare(left.value, right.value) == "same"
