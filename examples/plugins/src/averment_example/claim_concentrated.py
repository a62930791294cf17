"""A claim relation: a total is spread evenly or concentrated over groups, by its Gini coefficient."""

from __future__ import annotations

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.claims.speech import scope_after, slot, value_of
from averment.evidence.bind import literal
from averment.records.claim import Claim

WORDS = ((0.6, "highly concentrated"), (0.3, "unevenly spread"), (0.0, "evenly spread"))
"""What a coefficient is called, from which value on."""


def word_for(gini: float) -> str:
    """The coefficient in words."""
    return next(word for least, word in WORDS if gini >= least)


def holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The coefficient is a cell of the result between 0 and 1, the words fit it, and the result has that one row."""
    gini, count = value_of(claim, "gini").evidence, value_of(claim, "count").evidence
    if gini.kind != "cell" or count.kind != "cell" or not isinstance(gini.value, float):
        return False
    if not 0 <= gini.value <= 1 or claim.words.get("word") != word_for(gini.value):
        return False
    return sealed is None or (sealed.size == 1 and (gini.column, count.column) == ("gini", "count"))


def render(claim: Claim) -> str:
    """The sentence."""
    spread = f"{literal(claim.figure)} is {claim.words['word']} over {slot(claim, 'count')} values of"
    gini = f"the Gini coefficient is {slot(claim, 'gini')}"
    return f"{spread} {literal(claim.words['group'])}{scope_after(claim, comma=True)}: {gini}."


CONCENTRATED = Relation(
    name="concentrated",
    promise="How concentrated a total is over groups, by the Gini coefficient of the result's one row.",
    holds=holds,
    render=render,
    whole_key=False,
)
