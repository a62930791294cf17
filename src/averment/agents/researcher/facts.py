"""Facts: the sentences of passages that answer a question, each bound to its place in an archived source.

The caller gives plain texts with their positions; everything here is a pure function of them. A fact is verified only
when an independent source agrees: passages of one copy group are one source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from averment.evidence.spans import span
from averment.language.claims import (
    Claim,
    Entry,
    Focus,
    Heard,
    Likeness,
    Page,
    Reading,
    Stance,
    agrees,
    claims_something,
    gather,
    read,
    read_claims,
    read_focus,
    read_stance,
)
from averment.language.stems import root
from averment.language.tokens import content_words
from averment.records.base import derived_id
from averment.records.research import Fact
from averment.records.run import SpanEvidence

LEAST_CONFIDENCE = 0.3
"""Below this a sentence does not answer the question."""
_PER_PASSAGE = 3
_LENGTHS = (10, 500)
_ANSWERS = 0.3
_HEDGED = 0.85


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of an archived source, as the corpus or a provider found it.

    ``text`` stands at ``offset`` of the snapshot. ``group`` names the copies of one text: copies share it.
    """

    source_id: UUID
    url: str
    snapshot_sha256: str
    text: str
    domain: str
    group: str
    offset: int = 0
    published: date | None = None


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact with what it rests on: its passage, its span, its claims and stance, and the answer it gives if any."""

    fact: Fact
    passage: Passage
    evidence: SpanEvidence
    claims: tuple[Claim, ...]
    stance: Stance
    answer: Reading | None


@dataclass(frozen=True, slots=True)
class ReadPile:
    """Passages read for one question: what each answers, and the distinct answers of all."""

    question: str
    focus: Focus
    passages: tuple[Passage, ...]
    heard: tuple[Heard, ...]
    entries: tuple[Entry, ...]


def read_pile(question: str, passages: Sequence[Passage], likeness: Likeness) -> ReadPile:
    """Passages read for a question, once for facts, answers and discrepancies."""
    focus = read_focus(question)
    pages = [Page.of(passage.text) for passage in passages]
    heard = tuple(
        Heard(page, tuple(read(focus, page, likeness)), passage.group)
        for page, passage in zip(pages, passages, strict=True)
    )
    return ReadPile(question, focus, tuple(passages), heard, tuple(gather(focus, heard)))


def find_facts(pile: ReadPile, likeness: Likeness, *, question_id: UUID, extracted_at: datetime) -> list[FoundFact]:
    """The facts of a pile, the surest first; ``verified`` where independent passages agree.

    Ids are derived from the question and the place of the sentence, so that the same reading gives the same facts.
    """
    found: list[FoundFact] = []
    for place, passage in enumerate(pile.passages):
        found.extend(_of_passage(pile, place, passage, likeness, question_id, extracted_at))
    found.sort(key=lambda one: (-one.fact.confidence, one.passage.url, one.evidence.start))
    return verify(found)


def _of_passage(
    pile: ReadPile, place: int, passage: Passage, likeness: Likeness, question_id: UUID, extracted_at: datetime
) -> list[FoundFact]:
    heard = pile.heard[place]
    sentences = heard.page.sentences
    near = likeness.between(pile.question, [sentence.text for sentence in sentences])
    scored: list[tuple[float, int, Reading | None]] = []
    for number, sentence in enumerate(sentences):
        text = sentence.text
        if not _LENGTHS[0] <= len(text) <= _LENGTHS[1] or not claims_something(text):
            continue
        answer = next((reading for reading in heard.readings if reading.sentence == number), None)
        answer = answer if answer is not None and answer.chance >= _ANSWERS else None
        scored.append((_confidence(pile.focus, text, near[number], answer), number, answer))
    best = sorted(scored, key=lambda one: (-one[0], one[1]))[:_PER_PASSAGE]
    return [
        _fact(passage, sentences[number].start, sentences[number].end, confidence, answer, question_id, extracted_at)
        for confidence, number, answer in best
        if confidence >= LEAST_CONFIDENCE
    ]


def _confidence(focus: Focus, text: str, near: float, answer: Reading | None) -> float:
    """Lexical and vector support of the question, and the chance that the sentence gives the answer."""
    asked = {root(word) for word in focus.spoken}
    said = {root(word.stem) for word in content_words(text)}
    shared = len(asked & said) / len(asked) if asked else 0.0
    chance = answer.chance if answer is not None else 0.0
    support = 0.45 * near + 0.55 * shared if near else shared
    score = 0.55 * support + 0.45 * chance if chance else 0.75 * support
    return min(1.0, score * (_HEDGED if read_stance(text).hedged else 1.0))


def _fact(
    passage: Passage,
    start: int,
    end: int,
    confidence: float,
    answer: Reading | None,
    question_id: UUID,
    moment: datetime,
) -> FoundFact:
    quote = span(str(passage.source_id), passage.snapshot_sha256, passage.text, start, end)
    evidence = quote.changed(start=passage.offset + start, end=passage.offset + end)
    fact = Fact(
        id=UUID(derived_id(str(question_id), passage.snapshot_sha256, evidence.start, evidence.end)),
        text=evidence.quote,
        source_url=passage.url,
        source_id=passage.source_id,
        confidence=round(confidence, 4),
        extraction_timestamp=moment,
    )
    return FoundFact(fact, passage, evidence, read_claims(evidence.quote), read_stance(evidence.quote), answer)


def verify(facts: Sequence[FoundFact]) -> list[FoundFact]:
    """The facts with ``verified`` set where a fact of another copy group says the same."""
    return [
        replace(one, fact=one.fact.changed(verified=any(_confirms(one, other) for other in facts))) for one in facts
    ]


def _confirms(one: FoundFact, other: FoundFact) -> bool:
    if one.passage.group == other.passage.group:
        return False
    return any(agrees(left, right) for left in one.claims for right in other.claims)
