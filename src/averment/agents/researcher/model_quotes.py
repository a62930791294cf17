"""Sentences that a model points to: looked up in their passages again, and facts like others where they stand there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from averment.agents.researcher.coreference import with_subject
from averment.agents.researcher.facts import (
    FactMaker,
    FoundFact,
    PilePassage,
    can_be_told,
    confidence_of,
    is_of_another_year,
)
from averment.language.claims.claim_values import read_values
from averment.language.claims.focus import Focus
from averment.language.claims.names import find_names, name_words
from averment.language.claims.vectors import Similarity

LEAST_POINTED = 0.15
"""A model may point to sentences the rules pass over, not to those that share next to nothing with the question."""


def pointed_facts(
    focus: Focus,
    passages: Sequence[PilePassage],
    places: Sequence[Mapping[str, Any]],
    known: Sequence[FoundFact],
    similarity: Similarity,
    *,
    question_id: UUID,
    extracted_at: datetime,
) -> list[FoundFact]:
    """The facts at these places that are whole sentences of the passages, near the question, and not known yet."""
    taken = {(one.evidence.snapshot_sha256, one.evidence.start, one.evidence.end) for one in known}
    found: list[FoundFact] = []
    for place in places:
        where = (place["snapshot_sha256"], place["start"], place["end"])
        for passage in passages:
            if passage.snapshot_sha256 != where[0] or where in taken:
                continue
            sentences = passage.page().sentences
            spans = [(passage.offset + one.start, passage.offset + one.end) for one in sentences]
            number = spans.index(where[1:]) if where[1:] in spans else -1
            if number < 0 or not can_be_told(sentences[number].text):
                continue
            text = sentences[number].text
            whole = with_subject(sentences, number)
            near = similarity.between(focus.question, [whole])[0]
            confidence = confidence_of(focus, whole, near, None)
            if confidence >= LEAST_POINTED and not is_of_another_year(focus, text):
                taken.add(where)
                made = FactMaker(passage, question_id, extracted_at).fact(sentences, number, confidence)
                found.append(replace(made, pointed=True))
    return found


def holds_what_is_asked(focus: Focus, fact: FoundFact) -> bool:
    """Whether a sentence holds a date, a figure or a new name where one is asked for."""
    values = {value.kind for value in read_values(fact.fact.text)}
    if focus.kind == "date":
        return "moment" in values
    if focus.kind == "number":
        return "amount" in values
    asked = set(name_words(focus.question))
    return any(not set(name_words(name.text)) <= asked for name in find_names(fact.fact.text))
