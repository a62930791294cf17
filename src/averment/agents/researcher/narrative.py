"""The narrative: which facts make which section, the summary, and how good the whole is.

Nothing is padded: a section has the sentences its sources carry. Each stands word for word as its source says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from averment.agents.researcher.discrepancies import Settled
from averment.agents.researcher.facts import FoundFact
from averment.agents.researcher.questions import MAIN, Question
from averment.agents.researcher.recall import Read, marked
from averment.records.research import MIN_SECTION_WORDS, MIN_SOURCES_PER_SECTION, word_count
from averment.tools.search_corpus import PinnedSource

ENOUGH_WORDS = 330
SUMMARY_ENOUGH = 260
MOST_SECTIONS = 10
MOST_CONFLICTS = 10
_SUMMARY_MOST = 480
_SUMMARY_SHARE = 3
_MAIN_SHARE = 0.5

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Section:
    """One theme: its question and its facts, source by source."""

    question: Question
    facts: tuple[FoundFact, ...]

    @property
    def words(self) -> int:
        """How many words its sentences have."""
        return sum(word_count(one.fact.text) for one in self.facts)

    @property
    def groups(self) -> int:
        """How many independent sources it rests on."""
        return len({one.passage.group for one in self.facts})

    @property
    def is_full(self) -> bool:
        """Whether the evidence carries what seed 002 wants of a section."""
        return self.words >= MIN_SECTION_WORDS and self.groups >= MIN_SOURCES_PER_SECTION


@dataclass(frozen=True, slots=True)
class Narrative:
    """All that a research tells: summary, sections, conflicts, sources, and questions that stayed open."""

    summary: tuple[FoundFact, ...]
    sections: tuple[Section, ...]
    conflicts: tuple[Settled, ...]
    facts: dict[UUID, FoundFact]
    sources: dict[str, PinnedSource]
    open_questions: tuple[Question, ...]

    @property
    def cited(self) -> tuple[FoundFact, ...]:
        """Every fact that is told, once, in the order of the report."""
        told = [*self.summary, *(one for section in self.sections for one in section.facts)]
        told += [self.facts[fact_id] for one in self.conflicts for fact_id in one.discrepancy.fact_ids]
        return tuple({one.fact.id: one for one in told}.values())

    def source_of(self, fact: FoundFact) -> PinnedSource:
        """The source of a fact."""
        return self.sources[fact.passage.snapshot_sha256]

    @property
    def quality(self) -> tuple[float, float, float, float]:
        """The quality score and its three parts: length, sources and verified facts, each from 0 to 1."""
        if not self.sections:
            return 0.0, 0.0, 0.0, 0.0
        count = len(self.sections)
        length = sum(min(1.0, one.words / MIN_SECTION_WORDS) for one in self.sections) / count
        sources = sum(min(1.0, one.groups / MIN_SOURCES_PER_SECTION) for one in self.sections) / count
        cited = self.cited
        verified = sum(one.fact.verified for one in cited) / len(cited)
        return round((length + sources + verified) / 3, 4), round(length, 4), round(sources, 4), round(verified, 4)


def best_fact(reads: Sequence[Read]) -> FoundFact | None:
    """The fact that gives the most trusted answer to the question itself, else its surest one."""
    for read in reads:
        if read.question.facet != MAIN or not read.facts:
            continue
        for answer in read.answers.answers if read.answers is not None else ():
            given = [statement.reading for statement in answer.entry.statements]
            for fact in read.facts:
                sure = fact.fact.confidence >= _MAIN_SHARE * read.facts[0].fact.confidence
                if sure and any(fact.answer is one for one in given):
                    return fact
        return read.facts[0]
    return next((read.facts[0] for read in reads if read.facts), None)


def compose(reads: Sequence[Read]) -> Narrative:
    """The narrative of what the questions brought; each sentence is told once, under the first question it answers."""
    owners: dict[Place, FoundFact] = {}
    same: dict[UUID, UUID] = {}
    for read in reads:
        for one in read.facts:
            owner = owners.setdefault(place_of(one), one)
            same[one.fact.id] = owner.fact.id
    conflicts = _conflicts(reads, same)
    owners = {place_of(one): one for one in marked(list(owners.values()), conflicts)}
    facts = {one.fact.id: one for one in owners.values()}
    used: set[Place] = set()
    sections: list[Section] = []
    open_questions: list[Question] = []
    for read in reads:
        fresh = [one for one in _near(read) if place_of(one) not in used]
        chosen = _told_by_source(_enough(_spread(fresh), ENOUGH_WORDS))
        if not read.facts:
            open_questions.append(read.question)
        if chosen and len(sections) < MOST_SECTIONS:
            used |= {place_of(one) for one in chosen}
            sections.append(Section(read.question, tuple(owners[place_of(one)] for one in chosen)))
    sources = {one.snapshot_sha256: one for read in reads for one in read.sources}
    first = best_fact(reads)
    summary = _summary(sections, owners[place_of(first)] if first else None)
    return Narrative(summary, tuple(sections), conflicts, facts, sources, tuple(open_questions))


def place_of(fact: FoundFact) -> Place:
    """Where a fact stands; a sentence that answers two questions is one sentence."""
    return fact.evidence.snapshot_sha256, fact.evidence.start, fact.evidence.end


def _near(read: Read) -> list[FoundFact]:
    """The facts that speak to their question; those far behind the surest are left to the facets."""
    if read.question.facet != MAIN:
        return list(read.facts)
    best = max((one.fact.confidence for one in read.facts), default=0.0)
    return [one for one in read.facts if one.fact.confidence >= _MAIN_SHARE * best]


def _spread(facts: Iterable[FoundFact]) -> list[FoundFact]:
    """The best of each source first, then the second best of each, so that few words still come from many sources."""
    waiting: dict[str, list[FoundFact]] = {}
    seen: set[str] = set()
    for one in facts:
        wording = " ".join(one.fact.text.casefold().split())
        if wording not in seen:
            seen.add(wording)
            waiting.setdefault(one.passage.group, []).append(one)
    mixed: list[FoundFact] = []
    while any(waiting.values()):
        turn = [group.pop(0) for group in waiting.values() if group]
        mixed += sorted(turn, key=lambda one: -one.fact.confidence)
    return mixed


def _enough(facts: Iterable[FoundFact], words: int) -> list[FoundFact]:
    chosen: list[FoundFact] = []
    count = 0
    for one in facts:
        if count >= words:
            break
        chosen.append(one)
        count += word_count(one.fact.text)
    return chosen


def _told_by_source(facts: list[FoundFact]) -> list[FoundFact]:
    """Sentences of one source together and in its order; the source of the surest sentence first."""
    order = {group: rank for rank, group in enumerate(dict.fromkeys(one.passage.snapshot_sha256 for one in facts))}
    return sorted(facts, key=lambda one: (order[one.passage.snapshot_sha256], one.evidence.start))


def _summary(sections: Sequence[Section], first: FoundFact | None) -> tuple[FoundFact, ...]:
    """The sentence that answers, then the surest: most from the question itself, some from each other section."""
    main = [section for section in sections if section.question.facet == MAIN]
    others = [section for section in sections if section.question.facet != MAIN]
    ranked = [_spread(_surest(section.facts)) for section in (*main, *others)]
    mixed: list[FoundFact] = [first] if first else []
    for turn in range(max((len(facts) for facts in ranked), default=0)):
        for place, facts in enumerate(ranked):
            step = _SUMMARY_SHARE if place < len(main) else 1
            mixed += facts[turn * step : (turn + 1) * step]
    chosen: list[FoundFact] = []
    count = 0
    for one in {place_of(each): each for each in mixed}.values():
        words = word_count(one.fact.text)
        if count >= SUMMARY_ENOUGH:
            break
        if count + words <= _SUMMARY_MOST:
            chosen.append(one)
            count += words
    return tuple(chosen)


def _surest(facts: Iterable[FoundFact]) -> list[FoundFact]:
    return sorted(facts, key=lambda one: (not one.fact.verified, -one.fact.confidence))


def _conflicts(reads: Sequence[Read], same: dict[UUID, UUID]) -> tuple[Settled, ...]:
    """The conflicts of all questions, each once, over the facts that are told; the surest settled first."""
    found: list[Settled] = []
    seen: list[set[UUID]] = []
    for read in reads:
        for one in read.conflicts:
            ids = tuple(dict.fromkeys(same[fact_id] for fact_id in one.discrepancy.fact_ids))
            if len(ids) < 2 or any(len(known.intersection(ids)) >= 2 for known in seen):
                continue
            seen.append(set(ids))
            stands = tuple(dict.fromkeys(same[fact_id] for fact_id in one.stands))
            found.append(Settled(one.discrepancy.changed(fact_ids=ids), one.rule, stands))
    return tuple(found[:MOST_CONFLICTS])
