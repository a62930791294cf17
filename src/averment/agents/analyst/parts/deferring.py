"""Deferring: where a question is of one skill's kind and that skill has doubts, no other skill may answer instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.reading import DOUBTED

if TYPE_CHECKING:
    from averment.agents.analyst.skill import Candidate

_SURE = 0.99
_CLAIM = 0.75
"""Below this an owner understood too little of the question to call it one of its kind."""

Owners = Mapping[str, frozenset[str]]
"""For each skill for all kinds of questions, the skills that own a kind and that it stands back for."""


def defer(found: Mapping[str, Sequence[Candidate]], owners: Owners) -> list[Candidate]:
    """All candidates in the order of their skills, none of them sure where an owner of the question's kind has doubts.

    "Share of the average amount by region" is no question for averages: the share skill asks back, and an average
    that answers it anyway would be wrong with confidence.
    """
    kept: list[Candidate] = []
    for name, candidates in found.items():
        claims = [each.score for owner in owners.get(name, ()) for each in found.get(owner, ())]
        claims = [score for score in claims if score >= _CLAIM]
        doubted = bool(claims) and all(score < _SURE for score in claims)
        kept += [_doubted(each) for each in candidates] if doubted else candidates
    return kept


def _doubted(candidate: Candidate) -> Candidate:
    if candidate.score < _SURE:
        return candidate
    return candidate.model_copy(update={"score": min(candidate.score, DOUBTED - 0.1)})
