"""Facts: the sentences of passages that answer a question, each bound to its place in an archived source.

The caller gives plain texts with their positions; everything here is a pure function of them. A fact is verified only
when an independent source agrees: passages of one copy group are one source. A sentence whose subject stands in an
earlier one carries that one along; a sentence of another year than the one asked about answers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TypedDict, Unpack
from uuid import UUID

from averment.agents.researcher.coreference import antecedent_of, subject_words, with_subject
from averment.agents.researcher.sources import YEAR
from averment.corpus.answering.expect import is_told
from averment.corpus.duplicates import are_retold
from averment.corpus.structure.shape import TextUnit
from averment.evidence.spans import span
from averment.language.claims.claims import StatedClaim, agrees, read_claims
from averment.language.claims.focus import Focus, read_focus
from averment.language.claims.pages import TextPage
from averment.language.claims.piles import PileEntry, PileText, group_answers
from averment.language.claims.reader import StatedAnswer, read
from averment.language.claims.stance import Stance, claims_something, read_stance
from averment.language.claims.vectors import Similarity
from averment.language.sentences import Sentence
from averment.language.stems import root
from averment.language.tokens import roots_of, tokenise
from averment.records.base import derived_id
from averment.records.research.sources import Fact
from averment.records.run import SpanEvidence
from averment.tools.search_corpus import PinnedSource

LEAST_CONFIDENCE = 0.3
"""Below this a sentence does not answer the question."""
LEANS = re.compile(
    r"^(?:(?:If|When|Unless) (?:true|false|so|not|set|unset|given|present|absent|omitted|none)\b|Otherwise\b|\("
    r"|In (?:that|this) case\b|The (?:former|latter)\b)"
    r"|\b(?:is|was|are|were) (?:the|an?) (?:cause|reason|problem|result|case|exception|answer|solution|same)\W*$"
    r"|\s\d\. [a-z].*\s\d\. [a-z]|(?:^|[^\w\s]\s)I [a-z]",
    re.DOTALL,
)
"""A sentence that says nothing without those around it: a condition or a verdict without its subject, a piece of a
list, what somebody says of themselves.
"""
_PER_PASSAGE = 3
_LENGTHS = (10, 500)
_ANSWERS = 0.3
_HEDGED = 0.85
_HEADING_WORDS = 10
_OTHER_YEAR = 0.6
_LASTS = re.compile(r"(?:who|what|which|where)\b[^?]{0,30}? (?:is|are)\b", re.IGNORECASE)

_REFERS = re.compile(
    r"^(?:However|Also|So|Thus|Therefore|Hence|Then|Instead|But|And|Yet|Or|For (?:example|instance)|Such|Similarly|"
    r"Likewise|Moreover|Furthermore|Additionally|Finally|First|Second|Third|Here|Note|On the other hand)\b"
    r"|^(?:This|That|These|Those|It|They|He|She|We)\b(?! (?:PEP|RFC|document|proposal|guide|paper|report|package)\b)"
    r"|\b(?:this|that|these|those) (?:effects?|cases?|approach|changes?|issues?|problems?|reasons?|penalt\w+|point|way|"
    r"PEP|RFC|document|proposal)\b|\blike (?:this|that)\b|^[^\w\"'“(-]*[a-z]"
)


class _More(TypedDict, total=False):
    published: date | None
    units: tuple[TextUnit, ...]


@dataclass(frozen=True, slots=True)
class PilePassage:
    """A stretch of an archived source, as the corpus or a provider found it.

    ``text`` stands at ``offset`` of the snapshot. ``group`` names the copies of one text: copies share it. ``units``
    are the sentences that its document's structure has there; their places are those of the snapshot.
    """

    source_id: UUID
    url: str
    snapshot_sha256: str
    text: str
    domain: str
    group: str
    offset: int = 0
    published: date | None = None
    title: str = ""
    units: tuple[TextUnit, ...] = ()

    @classmethod
    def of(cls, question_id: str, source: PinnedSource, text: str, offset: int, **more: Unpack[_More]) -> PilePassage:
        """A stretch of a source that was pinned for a question."""
        of_question, digest = UUID(derived_id(question_id, source.document_id)), source.snapshot_sha256
        return cls(
            of_question, source.url, digest, text, source.domain, source.group, offset, title=source.title, **more
        )

    def page(self) -> TextPage:
        """The passage prepared for reading: by its document's structure where it has one, in plain words."""
        if not self.units:
            return TextPage.of(self.text)
        sentences = tuple(Sentence(one.text, one.start - self.offset, one.end - self.offset) for one in self.units)
        return TextPage(self.text, sentences, tuple(tuple(tokenise(sentence.text)) for sentence in sentences))


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact with what it rests on: its passage, its span, its claims and stance, and the answer it gives if any.

    ``carried`` is the sentence before it that names its subject, where it does not name it itself; ``pointed`` says
    that a model pointed to it, ``timely`` that its passage names the year asked about if there is one; ``told`` holds
    other words for it that passed the check.
    """

    fact: Fact
    passage: PilePassage
    evidence: SpanEvidence
    claims: tuple[StatedClaim, ...]
    stance: Stance
    answer: StatedAnswer | None
    carried: FoundFact | None = None
    pointed: bool = False
    timely: bool = True
    told: str = ""

    @property
    def wording(self) -> str:
        """The sentence as it is told: its source's own words, or others that lie over them."""
        return self.told or self.fact.text

    @property
    def subject(self) -> frozenset[str]:
        """The words of the name it speaks of first."""
        return subject_words((self.carried or self).fact.text)


@dataclass(frozen=True, slots=True)
class ReadPile:
    """Passages read for one question: what each answers, and the distinct answers of all."""

    question: str
    focus: Focus
    passages: tuple[PilePassage, ...]
    heard: tuple[PileText, ...]
    entries: tuple[PileEntry, ...]


def read_pile(
    question: str, passages: Sequence[PilePassage], similarity: Similarity, *, exact: bool = True
) -> ReadPile:
    """Passages read for a question, once for facts, answers and discrepancies.

    Where the question asks for no one thing (not ``exact``) nothing is read as its answer: it costs the most.
    """
    focus = read_focus(question)
    pages = [passage.page() for passage in passages]
    heard = tuple(
        PileText(page, tuple(read(focus, page, similarity)) if exact else (), passage.group)
        for page, passage in zip(pages, passages, strict=True)
    )
    return ReadPile(question, focus, tuple(passages), heard, tuple(group_answers(focus, heard)))


def find_facts(pile: ReadPile, similarity: Similarity, *, question_id: UUID, extracted_at: datetime) -> list[FoundFact]:
    """The facts of a pile, the surest first; ``verified`` where independent passages agree.

    Ids are derived from the question and the place of the sentence, so that the same reading gives the same facts.
    """
    found: list[FoundFact] = []
    for place, passage in enumerate(pile.passages):
        found.extend(_of_passage(pile, place, passage, similarity, question_id, extracted_at))
    return verify(ranked(found))


def ranked(facts: Sequence[FoundFact]) -> list[FoundFact]:
    """Facts in their order: the surest first, equals by their place."""
    return sorted(facts, key=lambda one: (-one.fact.confidence, one.passage.url, one.evidence.start))


def _of_passage(
    pile: ReadPile, place: int, passage: PilePassage, similarity: Similarity, question_id: UUID, extracted_at: datetime
) -> list[FoundFact]:
    heard = pile.heard[place]
    sentences = heard.page.sentences
    whole = [with_subject(sentences, number) for number in range(len(sentences))]
    near = similarity.between(pile.question, whole)
    timely = _is_timely(pile.focus, passage)
    scored: list[tuple[float, int, StatedAnswer | None]] = []
    for number, sentence in enumerate(sentences):
        if not (is_told(sentence.text) if passage.units else can_be_told(sentence.text)) or LEANS.search(sentence.text):
            continue
        answer = next((reading for reading in heard.readings if reading.sentence == number), None)
        answer = answer if answer is not None and answer.probability >= _ANSWERS else None
        confidence = confidence_of(pile.focus, whole[number], near[number], answer)
        if is_of_another_year(pile.focus, sentence.text):
            answer, confidence = None, _OTHER_YEAR * confidence
        scored.append((confidence, number, answer))
    best = sorted(scored, key=lambda one: (-one[0], one[1]))[:_PER_PASSAGE]
    make = FactMaker(passage, question_id, extracted_at)
    return [
        replace(make.fact(sentences, number, confidence, answer), timely=timely)
        for confidence, number, answer in best
        if confidence >= LEAST_CONFIDENCE
    ]


def can_be_told(sentence: str) -> bool:
    """Whether a sentence may be a fact at all: it states something, is no heading, and has a fact's length."""
    return _LENGTHS[0] <= len(sentence) <= _LENGTHS[1] and not _is_heading(sentence) and claims_something(sentence)


def stands_alone(sentence: str) -> bool:
    """Whether a sentence can be read without the one before it: no fragment, and it refers to nothing said earlier."""
    return _REFERS.search(sentence.strip()) is None


def _is_heading(sentence: str) -> bool:
    """Whether a sentence looks like a heading: marked as one, or a few words without an end, a figure or a bullet."""
    if sentence.startswith("#"):
        return True
    few = len(sentence.split()) <= _HEADING_WORDS and not any(char.isdigit() for char in sentence)
    return few and sentence[-1].isalnum() and not sentence.startswith(("-", "*", "•"))


def is_of_another_year(focus: Focus, sentence: str) -> bool:
    """Whether the question is about a year and the sentence speaks of others only."""
    asked, said = years_asked(focus), set(YEAR.findall(sentence))
    return bool(asked and said) and not asked & said


def years_asked(focus: Focus) -> set[str]:
    """The years a question is about."""
    return {limit for limit in focus.limits if YEAR.fullmatch(limit)}


def _is_timely(focus: Focus, passage: PilePassage) -> bool:
    """Whether a passage names the year asked about; for what lasts one that names no year at all will do."""
    asked, named = years_asked(focus), years_of(passage)
    return not asked or bool(asked & named) or (not named and bool(_LASTS.match(focus.question.strip())))


def years_of(passage: PilePassage) -> set[str]:
    """The years that a passage, its title or its date of publication names: what it may speak of at all."""
    named = set(YEAR.findall(f"{passage.title} {passage.text}"))
    return named | ({str(passage.published.year)} if passage.published else set())


def confidence_of(focus: Focus, text: str, near: float, answer: StatedAnswer | None) -> float:
    """Lexical and vector support of the question, and the chance that the sentence gives the answer."""
    asked = {root(word) for word in focus.spoken}
    said = roots_of(text)
    shared = len(asked & said) / len(asked) if asked else 0.0
    probability = answer.probability if answer is not None else 0.0
    support = 0.45 * near + 0.55 * shared if near else shared
    score = 0.55 * support + 0.45 * probability if probability else 0.75 * support
    return min(1.0, score * (_HEDGED if read_stance(text).hedged else 1.0))


@dataclass(frozen=True, slots=True)
class FactMaker:
    """Makes facts of the sentences of one passage; ids come from the question and the place alone."""

    passage: PilePassage
    question_id: UUID
    moment: datetime

    def fact(
        self, sentences: Sequence[Sentence], number: int, confidence: float, answer: StatedAnswer | None = None
    ) -> FoundFact:
        """The sentence as a fact, with the one that names its subject where it does not do so itself."""
        named = antecedent_of(sentences, number)
        carried = None
        if named is not None and can_be_told(sentences[named].text):
            carried = self.fact(sentences, named, confidence)
        passage, sentence = self.passage, sentences[number]
        quote = span(str(passage.source_id), passage.snapshot_sha256, passage.text, sentence.start, sentence.end)
        evidence = quote.changed(start=passage.offset + sentence.start, end=passage.offset + sentence.end)
        record = Fact(
            id=UUID(derived_id(str(self.question_id), passage.snapshot_sha256, evidence.start, evidence.end)),
            text=evidence.quote,
            source_url=passage.url,
            source_id=passage.source_id,
            confidence=round(confidence, 4),
            extraction_timestamp=self.moment,
        )
        claims = read_claims(evidence.quote)
        if carried is not None:
            claims = tuple(replace(claim, subject=claim.subject | carried.subject) for claim in claims)
        told = sentence.text if passage.units and " ".join(evidence.quote.split()) != sentence.text else ""
        return FoundFact(record, passage, evidence, claims, read_stance(evidence.quote), answer, carried, told=told)


def verify(facts: Sequence[FoundFact]) -> list[FoundFact]:
    """The facts with ``verified`` set where a fact of an independent source says the same."""
    return [replace(one, fact=one.fact.changed(verified=any(confirms(one, other) for other in facts))) for one in facts]


def confirms(one: FoundFact, other: FoundFact) -> bool:
    """Whether two facts of independent sources say the same."""
    if not are_independent(one.passage, other.passage):
        return False
    return any(agrees(left, right) for left in one.claims for right in other.claims)


def are_independent(one: PilePassage, other: PilePassage) -> bool:
    """Whether two passages are sources of their own: of no one copy group, and neither retells the other."""
    return one.group != other.group and not are_retold(one.text, other.text)


def count_sources(passages: Iterable[PilePassage]) -> int:
    """How many independent sources passages come from."""
    counted: list[PilePassage] = []
    for passage in passages:
        if all(are_independent(passage, known) for known in counted):
            counted.append(passage)
    return len(counted)
