"""Verdicts: whether given sentences support a claim, refute it, or do not settle it.

A sentence supports what passes the support check. It refutes what it speaks of in nearly the same words with another
value or the opposite polarity. Everything else is not enough: rules and vectors do not decide what a text implies, so
abstaining is the normal verdict.

Measures a part: averment.language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from averment.language.claims.claim_values import compare, read_values
from averment.language.claims.stance import read_stance
from averment.language.claims.vectors import Similarity
from support import Support, check_support

Verdict = Literal["supports", "refutes", "not_enough_info", "disputed"]
_ABOUT = 0.5
_NEAR = 0.55


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on a claim, that of each sentence, and the sentences nearest to it, best first."""

    claim: Verdict
    sentences: tuple[Verdict, ...]
    nearest: tuple[int, ...]


def judge_claim(claim: str, sentences: Sequence[str], likeness: Similarity) -> Judged:
    """What sentences say about a claim, each by itself and all together."""
    checked = [check_support(claim, sentence, likeness) for sentence in sentences]
    verdicts: tuple[Verdict, ...] = tuple(
        _judged(claim, sentence, support) for sentence, support in zip(sentences, checked, strict=True)
    )
    order = sorted(range(len(sentences)), key=lambda place: (-(checked[place].likeness + checked[place].words), place))
    return Judged(_together(verdicts), verdicts, tuple(order))


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    supported, refuted = "supports" in verdicts, "refutes" in verdicts
    if supported and refuted:
        return "disputed"
    if supported or refuted:
        return "supports" if supported else "refutes"
    return "not_enough_info"


def _judged(claim: str, sentence: str, support: Support) -> Verdict:
    if support.supported:
        return "supports"
    close = support.words >= _ABOUT and support.likeness >= _NEAR
    if not close:
        return "not_enough_info"
    if support.fault == "negation" and not read_stance(claim).hedged:
        return "refutes"
    if support.fault in {"value", "date"} and _contradicts(claim, sentence):
        return "refutes"
    return "not_enough_info"


def _contradicts(claim: str, sentence: str) -> bool:
    """Whether both state one value of a kind and the two cannot both hold."""
    stated, given = read_values(claim), read_values(sentence)
    for value in stated:
        rivals = [other for other in given if other.kind == value.kind and other.unit == value.unit]
        if rivals and all(compare(value, other) == "different" for other in rivals):
            return True
    return False
