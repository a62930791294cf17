"""Sentences that rest on several facts: what they rest on, and the claims they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.claims.of_inferences import Premise, why_not_inferred
from averment.claims.relation import make, told
from averment.errors import UntrueClaim
from averment.reports.document import Cited, CitedSentence

if TYPE_CHECKING:
    from averment.agents.researcher.facts import FoundFact
    from averment.records.claim import Claim

MARK = "inferred from"
METHOD = "Statements of several archived sentences, each as its source makes it, side by side in one sentence."


@dataclass(frozen=True, slots=True)
class Inference:
    """A sentence and the facts that it rests on."""

    text: str
    facts: tuple[FoundFact, ...]


def premise_of(fact: FoundFact) -> Premise:
    """What a sentence over several facts may take from one of them."""
    before = fact.carried.fact.text if fact.carried is not None else ""
    return Premise(fact.fact.text, before, fact.passage.title)


def inferences_of(kept: Iterable[Mapping[str, Any]], facts: Mapping[str, FoundFact]) -> tuple[Inference, ...]:
    """The sentences of a model that still rest on facts that are told, each checked again."""
    found: dict[str, Inference] = {}
    for one in kept:
        rests = [facts[name] for name in one["facts"] if name in facts]
        whole = len(rests) == len(one["facts"])
        if whole and why_not_inferred(one["text"], [premise_of(fact) for fact in rests]) is None:
            found.setdefault(one["text"], Inference(one["text"], tuple(rests)))
    return tuple(found.values())


def inferred_claims(inferences: Sequence[Inference]) -> list[Claim]:
    """The sentences as claims over the spans of their facts."""
    found: list[Claim] = []
    for number, one in enumerate(inferences, start=1):
        values = [
            value
            for place, fact in enumerate(one.facts)
            for value in (
                told("fact", fact.evidence, "quote", subject=place, heading=fact.passage.title),
                *([told("named", fact.carried.evidence, "quote", subject=place)] if fact.carried is not None else []),
            )
        ]
        words = {"said": one.text}
        try:
            found.append(
                make("inferred", claim_id=f"inferred_{number}", values=values, sealed=None, words=words, method=METHOD)
            )
        except UntrueClaim:
            continue  # The raw span says it with markup that the clean sentence has not.
    return found


def inferred_blocks(inferences: Sequence[Inference]) -> list[Cited]:
    """The sentences as prose, each marked with what it was inferred from."""
    said = [
        CitedSentence(text=one.text, cites=tuple(str(fact.fact.id) for fact in one.facts), mark=MARK)
        for one in inferences
    ]
    return [Cited(sentences=tuple(said))] if said else []
